"""What a walk of PLA leaves: a line, counts, a trace, a proof, or advice; and who takes it."""

from __future__ import annotations

import math
from abc import ABC
from fractions import Fraction
from typing import Self

import numpy as np

from separatrix._types import Untyped
from separatrix.certificates import Multipliers, Separation
from separatrix.data import Floats
from separatrix.kernels.exact import count_mistakes, signed_scores
from separatrix.kernels.walks.perceptron import FROM_HERE
from separatrix.learners._parameters import (
    Integers,
    column_sizes,
    order_of,
    question_of,
    visit_of_rows,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.run import Run, State, in_order
from separatrix.learners.walks.tuning import Tuning
from separatrix.scale import Block, Rows
from separatrix.trace import Trace

FAR_APART = 10.0  # column sizes
SMALL = 1e-290  # below this a score's float may have lost digits to underflow


def certificate(run: Run) -> Separation | Multipliers | None:
    """Return what PLA's run proves, in units of eta."""
    if run.stopped is Stopped.CLEAN_PASS:
        return _separation(run)
    return multipliers(*run.updates_of_rows(), run.question.x0)


def _separation(run: Run) -> Separation | None:
    """Return the separating weights a clean pass proves: w, or by sign(0) = +-1 with w_0 moved."""
    x0, v = run.question.x0, run.progress.v
    if run.question.tie == 0.0:
        return Separation(v.copy(), x0)
    found = run.table.map(_side_and_least, v)
    side = next((side for side, _ in found if side), 0.0)
    if not side:
        return Separation(v.copy(), x0)
    if x0 == 0.0:
        return None
    least = min(least for _, least in found)
    # a score's float is off by less than half of it; no product of doubles is below 2^-2148
    nudge = Fraction(2) ** (math.frexp(least)[1] - 3 if least > SMALL else -2149)
    weights = [Fraction(float(w)) for w in v]
    return Separation((weights[0] + int(side) * nudge, *weights[1:]), x0)


def _side_and_least(block: Block, v: Floats) -> tuple[float, float]:
    """Return the label of the rows with score 0 (0.0: none), and the least agreement of others."""
    sample = block.sample
    agreements = sample.y * signed_scores(sample.rows, sample.n, v, sample.x0)
    on_the_line = agreements == 0.0
    side = float(sample.y[on_the_line][0]) if on_the_line.any() else 0.0
    return side, float(agreements[~on_the_line].min(initial=np.inf))


def multipliers(rows: Integers, times: Integers, x0: float) -> Multipliers | None:
    """Return updates per row as a bound on every margin; None when there were none."""
    if rows.size == 0:
        return None
    return Multipliers(tuple(rows.tolist()), tuple(times.tolist()), x0)


def adopt(learner: Untyped, run: Run, weights: Floats) -> None:
    """Give a line the weights (1+d,) that a run found, its counts, its trace and its end."""
    learner._adopt(run.table, weights)
    adopt_counts(learner, run)
    end, x0 = run.progress.v.copy(), run.question.x0
    learner.trace_ = Trace(run.start, run.eta, run.visited(), run.n_updates, end, x0)


def adopt_counts(learner: Untyped, run: Run) -> None:
    """Give a learner what every run leaves; a run in blocks may have no counts."""
    if run.progress.counts.size:
        learner.counts_ = run.progress.counts
    learner.n_updates_, learner.n_iter_ = run.n_updates, run.n_passes
    learner.stopped_ = run.stopped


def ways_on(run: Run, weights: Floats) -> str:
    """Return what helps where PLA did not end by itself, and what each gives on these rows."""
    found = run.table.map(_sizes_and_mistakes, weights)
    sizes, mistakes = np.max([part[0] for part in found], axis=0), sum(part[1] for part in found)
    sizes = sizes[sizes > 0.0]
    with np.errstate(over="ignore"):
        apart = sizes.max() / sizes.min() if sizes.size else 1.0
    if apart >= FAR_APART:
        scaling = (
            f"The largest values of the columns differ by a factor of {apart:.3g}: dividing each "
            "column by its own may take far fewer updates (if a line separates the rows)."
        )
    else:
        scaling = (
            f"The columns differ in size by a factor of {apart:.3g} only: scaling them helps "
            "little."
        )
    return (
        "This does not say whether the data are separable: separatrix.separability does, with a "
        f"proof. The last line makes {mistakes:,} mistakes in {run.table.n:,} rows; Pocket keeps "
        f"the best line that it meets. {scaling}"
    )


def _sizes_and_mistakes(block: Block, weights: Floats) -> tuple[Floats, int]:
    """Return the largest size in each column (d,), and the mistakes of a line."""
    sample = block.sample
    mistakes = count_mistakes(sample.rows, sample.y, weights, 1.0)
    return column_sizes(sample.X).astype(np.float64), int(mistakes)


class Walker(ABC):
    """A learner that is what a walk over rows leaves."""

    _tuning = Tuning()
    _of_all_rows: tuple[str, ...] = ("counts_",)
    _steps = staticmethod(in_order)  # how a block is walked
    visit: str
    time_limit: float | None = None
    certificate_: Untyped

    def _learn_rows(self, rows: Rows) -> Self:
        visit_of_rows(self.visit)
        self._walked(rows)
        return self

    def _walked(self, rows: Rows, rule: int = FROM_HERE, margin: float = 0.0) -> Run:
        """Walk as the parameters ask, and take what is left."""
        question = question_of(self, order_of(self, rows), margin=margin, rule=rule)
        run = Run.of(self, rows, question)
        run.walk(self._steps, self._take, self.time_limit, **self._kept(run, False))
        return run

    def _kept(self, _run: Run, _goes_on: bool) -> State:
        """Return what steps keep beside the weights, where a run begins or goes on."""
        return {}

    def _take(self, run: Run) -> None:
        """Take the line, the counts, the trace and the proof of a run."""
        adopt(self, run, run.weights)
        self.certificate_ = certificate(run)
