"""A walk under way: slices of compiled work, until one of them or a limit ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeVar

import numpy as np

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import Floats, Sample
from separatrix.kernels.walks import perceptron as kernel
from separatrix.kernels.walks.perceptron import Progress, Question
from separatrix.learners._parameters import Integers, in_walk_units, refuse_overflow, start_weights
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.tuning import Tuning

T = TypeVar("T")

# runs a slice; returns why it ended, and how many updates it made: their rows are in `visited`
Step = Callable[[], tuple[int, int]]

STOPPED = {
    kernel.CLEAN_PASS: Stopped.CLEAN_PASS,
    kernel.UPDATES_SPENT: Stopped.UPDATES_SPENT,
    kernel.PASSES_SPENT: Stopped.PASSES_SPENT,
}


class Run:
    """Everything that changes from slice to slice, in units of eta, and what was asked."""

    def __init__(
        self, sample: Sample, question: Question, start: Floats, tuning: Tuning, room: int
    ) -> None:
        self.sample, self.question, self.start, self.tuning = sample, question, start, tuning
        self.eta, self.radius = 1.0, 0.0
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
    def of(
        cls,
        learner: Untyped,
        sample: Sample,
        question: Question,
        eta: float = 1.0,
        start: Floats | None = None,
    ) -> Self:
        """Return the run from v = start, or from `init`, with bounds on |v|^2 and R^2."""
        if start is None:
            start = in_walk_units(start_weights(learner.init, sample, question.x0), eta)
        room = min(learner._tuning.slice_updates, question.max_updates + 1)
        run = cls(sample, question, start, learner._tuning, room)
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
        """Take steps until one ends the walk, then hand it to `adopt`."""
        deadline = np.inf if time_limit is None else work_clock() + time_limit
        try:
            while self.stopped is None:
                why, made = step()
                self._record(made)
                if why == kernel.OVERFLOW:
                    raise refuse_overflow()
                self.stopped = self.reason(why)
                if self.stopped is None and deadline < np.inf and work_clock() > deadline:
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

    def of_blocks(self, function: Callable[..., T], *arguments: Untyped) -> list[T]:
        """Return function(sample, *arguments) of each block of rows: here of the one of all."""
        return [function(self.sample, *arguments)]

    def updates_of_rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in their order, and how many each had."""
        counts = self.progress.counts
        rows = np.flatnonzero(counts > 0)  # of truth values: an order faster than of numbers
        return rows, counts[rows]

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
        return np.concatenate(self.rows or [self.progress.visited[:0]])
