"""A walk under way: slices of compiled work, until one of them or a limit ends it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import Floats, Sample
from separatrix.kernels.walks import perceptron as kernel
from separatrix.kernels.walks.perceptron import Progress, Question
from separatrix.learners._parameters import (
    TIES,
    in_walk_units,
    limit,
    one_of,
    refuse_overflow,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.tuning import Tuning
from separatrix.trace import Trace

Integers = NDArray[np.int64]

# runs a slice; returns why it ended, and how many updates it made: their rows are in `visited`
Step = Callable[[], tuple[int, int]]

STOPPED = {
    kernel.CLEAN_PASS: Stopped.CLEAN_PASS,
    kernel.UPDATES_SPENT: Stopped.UPDATES_SPENT,
    kernel.PASSES_SPENT: Stopped.PASSES_SPENT,
}

ROW_ORDER = np.empty(0, dtype=np.int64)
NO_WEIGHT = np.empty(0)


def question_of(
    learner: Untyped,
    sample: Sample,
    order: Integers = ROW_ORDER,
    *,
    margin: float = 0.0,
    weight: Floats = NO_WEIGHT,
    rule: int = kernel.FROM_HERE,
) -> Question:
    """Return what a learner's parameters ask of a walk."""
    x0 = 1.0 if learner.fit_intercept else 0.0
    tie = one_of(TIES, getattr(learner, "sign_of_zero", "mistake"), "sign_of_zero")
    updates = limit(learner.max_updates, "max_updates")
    passes = limit(getattr(learner, "max_iter", None), "max_iter")
    return Question(sample.rows, sample.y, order, x0, tie, margin, weight, rule, updates, passes)


class Run:
    """Everything that changes from slice to slice, in units of eta, and what was asked.

    Parameters
    ----------
    start : (1+d,), w_0 / eta
    room : int
        Updates of a slice whose rows are noted.
    """

    eta, radius = 1.0, 0.0

    def __init__(
        self, sample: Sample, question: Question, start: Floats, tuning: Tuning, room: int
    ) -> None:
        self.sample, self.question, self.start, self.tuning = sample, question, start, tuning
        self.progress = Progress(
            start.copy(),
            np.zeros(2),
            np.zeros(8, dtype=np.int64),
            np.zeros(sample.n, dtype=np.int64),
            np.empty(room, dtype=np.int64),
        )
        self.arguments = kernel.plain(question), kernel.plain(self.progress)  # as kernels take them
        self.rows: list[Integers] = []  # of the updates so far, up to a trace's capacity
        self.n_recorded = 0
        self.stopped: Stopped | None = None  # None: going on

    @classmethod
    def of(cls, learner: Untyped, sample: Sample, question: Question, eta: float = 1.0) -> Self:
        """Return the run from the start that a learner's `init` asks for."""
        start = in_walk_units(start_weights(learner.init, sample, question.x0), eta)
        return cls.begun(sample, question, start, learner._tuning, eta)

    @classmethod
    def begun(
        cls, sample: Sample, question: Question, start: Floats, tuning: Tuning, eta: float
    ) -> Self:
        """Return the run from v = start, with bounds on |v|^2 and R^2."""
        room = min(tuning.slice_updates, question.max_updates + 1)
        run = cls(sample, question, start, tuning, room)
        run.eta, run.radius = eta, sample.radius(question.x0)
        growth = run.radius**2 * (1.0 + 1e-12) + 2.0 * question.margin
        run.progress.bounds[:] = (start @ start) * (1.0 + 1e-12), growth
        return run

    def until_done(
        self,
        step: Step,
        adopt: Callable[[Self], None] | None = None,
        time_limit: float | None = None,
    ) -> None:
        """Take steps until one ends the walk, then hand it to `adopt`.

        Of an interrupted walk nothing is lost: it is adopted as far as it came, and the interrupt
        goes on to the caller.
        """
        deadline = math.inf if time_limit is None else work_clock() + time_limit
        try:
            while self.stopped is None:
                why, made = step()
                self._record(made)
                if why == kernel.OVERFLOW:
                    raise refuse_overflow()
                self.stopped = self.reason(why)
                if self.stopped is None and work_clock() > deadline:
                    self.stopped = Stopped.TIME_SPENT
        except KeyboardInterrupt:
            self.stopped = Stopped.INTERRUPTED
            # it comes when a slice is done and before its rows are kept: they are in `visited`
            self._record(self.n_updates - self.n_recorded)
            raise
        finally:
            if self.stopped is not None and adopt is not None:
                adopt(self)

    def reason(self, why: int) -> Stopped | None:
        """Return why the walk stopped, from why a slice ended; None: it goes on."""
        return STOPPED.get(why)

    def _record(self, made: int) -> None:
        """Keep the rows of a slice, up to the trace's capacity."""
        if made > 0 and self.n_recorded < self.tuning.trace_capacity:
            room = self.tuning.trace_capacity - self.n_recorded
            self.rows.append(self.progress.visited[: min(made, room)].copy())
            self.n_recorded += self.rows[-1].size

    @property
    def weights(self) -> Floats:
        """The walking weights w = eta v (1+d,)."""
        return self.eta * self.progress.v

    @property
    def n_updates(self) -> int:
        """T."""
        return int(self.progress.state[kernel.UPDATES])

    @property
    def n_passes(self) -> int:
        """Passes begun."""
        return int(self.progress.state[kernel.PASSES])

    def visited(self) -> Integers:
        """Return the rows of all updates, up to a trace's capacity."""
        return self.rows[0] if len(self.rows) == 1 else np.concatenate([ROW_ORDER, *self.rows])

    def trace(self) -> Trace:
        """Return the visited rows as data."""
        end, x0 = self.progress.v.copy(), self.question.x0
        return Trace(self.start, self.eta, self.visited(), self.n_updates, end, x0)


def adopt(learner: Untyped, run: Run, weights: Floats) -> None:
    """Give a line the weights (1+d,) that a run found, its counts, its trace and its end."""
    learner._adopt(run.sample, weights)
    adopt_counts(learner, run)
    learner.trace_ = run.trace()


def adopt_counts(learner: Untyped, run: Run) -> None:
    """Give a learner what every run leaves."""
    learner.counts_ = run.progress.counts
    learner.n_updates_, learner.n_iter_ = run.n_updates, run.n_passes
    learner.stopped_ = run.stopped
