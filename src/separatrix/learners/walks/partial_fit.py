"""Rows that come in batches: one pass over each, as if over all of them in turn."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, Sample, constant_of, read_batch
from separatrix.kernels.walks.perceptron import PASSES, POSITION, UPDATES
from separatrix.learners._parameters import Integers, question_of
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.outcome import Walker
from separatrix.learners.walks.run import Run
from separatrix.scale import Rows, with_constant
from separatrix.trace import Trace

UP = 1.0 + 2.0**-50  # makes up for the rounding of a few operations


def takes_batches(learner: Untyped) -> bool:
    """Return True, or refuse where a pass over a batch is no part of one over all rows."""
    if learner.visit != "cyclic":
        raise InputError(
            f"partial_fit goes on row by row, and visit={learner.visit!r} needs all rows at once: "
            "use visit='cyclic', or fit."
        )
    if isinstance(learner.init, str):
        raise InputError(
            f"partial_fit cannot start from init={learner.init!r}, which needs all rows at once: "
            "use None or an array, or fit."
        )
    return True


class InBatches(Walker):
    """A learner that goes on row by row."""

    _resumes_from = "trace_"  # what a learner from a file lacks: it keeps the weights, not the walk
    max_updates: int | None
    counts_: Integers
    _mistakes = 0  # rows that were wrong when a batch came to them

    @available_if(takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike = None) -> Self:
        """Go on with one pass over more rows X (N, d), y (N,), with both labels in `classes` (2,).

        From an unfitted learner, any number of calls equals ``fit`` with ``max_iter=1`` on all
        their rows in turn, bit for bit. Only ``visit="cyclic"`` can.
        """
        if hasattr(self, "coef_") and not hasattr(self, self._resumes_from):
            raise InputError(
                "this learner was loaded from a file, which keeps the weights and not the walk: "
                "start a new one with init=np.concatenate((model.intercept_, model.coef_[0]))."
            )
        if "_n_in_blocks" in vars(self):
            _ = self.counts_  # refused where a fit of blocks had no room for them
        return self._go_on(read_batch(self, X, y, classes))

    def partial_fit_sample(self, sample: Sample) -> Self:
        """Go on with one pass over a batch that was checked before; its columns have no names."""
        self.n_features_in_ = sample.d
        return self._go_on(with_constant(sample, constant_of(self)))

    def forget_rows(self) -> Self:
        """Keep the walk, and nothing that grows with the rows: `counts_`, the rows of `trace_`."""
        self.counts_ = self.counts_[:0]
        self.certificate_ = None
        trace: Trace | None = getattr(self, "trace_", None)
        if trace is not None:
            self.trace_ = replace(trace, rows=trace.rows[:0])
        return self

    @property
    def n_mistakes(self) -> int:
        """Rows of all batches so far that were on the wrong side when the walk came to them."""
        return self._mistakes

    def bound_on_mistakes(self, radius: float, margin: float) -> int | None:
        """Return the most mistakes of a pass from w_0 = 0, by R and a margin; None without."""
        if not margin > 0.0 or getattr(self, "init", None) is not None:
            return None
        energy = self._energy(radius)
        return math.floor(Fraction(energy) / Fraction(margin) ** 2) if energy < math.inf else None

    def _energy(self, radius: float) -> float:
        """Return, rounded up, what over rho^2 bounds the mistakes: R^2 (Novikoff 1962)."""
        return radius * radius * UP

    def _go_on(self, sample: Sample) -> Self:
        """Go on with one pass over a batch."""
        run = resumed(self, sample)
        run.walk(self._steps, **self._kept(run, hasattr(self, "counts_")))
        self._take(joined(self, run))
        return self


def resumed(learner: Untyped, batch: Sample, margin: float = 0.0) -> Run:
    """Return the run over a batch, from where the learner's walk ended: the batch goes on there."""
    question = question_of(learner, margin=margin)
    before = getattr(learner, "trace_", None)
    if not hasattr(learner, "counts_"):
        return Run.of(learner, Rows.of(batch), question._replace(max_passes=1))
    start, eta = learner._weights(), 1.0
    if before is not None:
        start, eta, question = before.end, before.learning_rate, question._replace(x0=before.x0)
    table = Rows.of(with_constant(batch, question.x0))
    n_rows, made = learner.counts_.size, learner.n_updates_
    passes = learner.n_iter_ - (n_rows == 0)  # after `forget_rows` a batch is a table's beginning
    question = question._replace(
        max_updates=max(question.max_updates, made), max_passes=learner.n_iter_
    )
    run = Run(table, question, start, learner._tuning, eta)
    run.first, run.n = n_rows, n_rows + table.n
    run.progress.state[[POSITION, UPDATES, PASSES]] = n_rows, made, passes
    if before is not None:
        run.start = before.start
        run.capacity = 0 if before.capped else max(0, run.capacity - before.rows.size)
    return run


def joined(learner: Untyped, run: Run, mistakes: int | None = None) -> Run:
    """Return the run over a batch as the run over all rows so far."""
    made = run.n_updates - (learner.n_updates_ if hasattr(learner, "counts_") else 0)
    learner._mistakes += made if mistakes is None else mistakes
    spent = run.stopped is Stopped.UPDATES_SPENT
    if hasattr(learner, "counts_"):
        spent = spent or learner.stopped_ is Stopped.UPDATES_SPENT
        before: Trace | None = getattr(learner, "trace_", None)
        if before is not None:
            run.rows = [before.rows, run.visited() + run.first]
        counts = np.concatenate((learner.counts_, run.progress.counts))
        run.progress = run.progress._replace(counts=counts)
    # one pass over a batch proves nothing about the rows before it
    run.stopped = Stopped.UPDATES_SPENT if spent else Stopped.PASSES_SPENT
    return run
