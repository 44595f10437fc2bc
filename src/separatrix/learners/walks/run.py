"""A walk over a table, block by block, update for update the same however the table is cut.

Rows in memory are one block: there a walk goes on, slice after slice, until it ends.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple, Self

import numpy as np

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import Floats, Sample
from separatrix.kernels.walks import perceptron as kernel
from separatrix.kernels.walks.perceptron import GOING_ON, POSITION, Progress, Question
from separatrix.learners._parameters import (
    NO_LIMIT,
    NONE,
    Integers,
    in_walk_units,
    positive,
    refuse_overflow,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.counts import Counts
from separatrix.learners.walks.tuning import FilterPlan, Tuning
from separatrix.scale import Block, Rows

# runs a slice; returns why it ended, and how many updates it made: their rows are in `visited`
Step = Callable[[], tuple[int, int]]
State = dict[str, Any]

TIME_UP, CTRL_C, DECISIONS_SPENT = 8, 9, 10  # why a walk ended, beside what kernels say

STOPPED = {
    kernel.CLEAN_PASS: Stopped.CLEAN_PASS,
    kernel.UPDATES_SPENT: Stopped.UPDATES_SPENT,
    kernel.PASSES_SPENT: Stopped.PASSES_SPENT,
    TIME_UP: Stopped.TIME_SPENT,
    CTRL_C: Stopped.INTERRUPTED,
    DECISIONS_SPENT: Stopped.DECISIONS_SPENT,
}

NO_ROWS = Sample(np.empty((0, 1)), np.empty(0), np.empty(0), np.empty(0))


class Slices:
    """A walk within rows at hand: what changes from slice to slice, in units of eta."""

    def __init__(
        self, sample: Sample, question: Question, start: Floats, tuning: Tuning, room: int
    ) -> None:
        self.sample, self.question, self.tuning = sample, question, tuning
        self.first, self.n = 0, sample.n  # of the table: the place of the first row, and all rows
        self.radius = 0.0  # R, of these rows
        self.more: State = {}  # what steps keep beside the weights
        counts, visited = np.zeros(sample.n, dtype=np.int64), np.empty(room, dtype=np.int64)
        state = np.zeros(8, dtype=np.int64)
        self.progress = Progress(start.copy(), np.zeros(2), state, counts, visited)
        self.why = GOING_ON
        self.stopped: Stopped | None = None  # None: going on
        self.rows: list[Integers] = []  # of the updates so far, up to a trace's capacity
        self.capacity, self.n_recorded = tuning.trace_capacity, 0

    def set_bounds(self, radius: float, length_squared: float) -> None:
        """Set R, and the bounds on |v|^2 and on what an update adds to it."""
        self.radius = radius
        growth = radius**2 * (1.0 + 1e-12) + 2.0 * self.question.margin
        self.progress.bounds[:] = length_squared, growth

    def until_done(
        self, step: Step, adopt: Callable[[Self], None] | None = None,
        time_limit: float | None = None, slices: int = NO_LIMIT
    ) -> None:  # fmt: skip
        """Take steps until one ends the walk, then hand it to `adopt`."""
        deadline = np.inf if time_limit is None else work_clock() + time_limit
        try:
            while self.why == GOING_ON and slices > 0:
                self.why, made = step()
                slices -= 1
                self._record(made)
                if self.why == kernel.OVERFLOW:
                    raise refuse_overflow()
                if self.why != GOING_ON:
                    break
                if self.progress.state[kernel.DECIDED] > self.tuning.most_decided:
                    self.why = DECISIONS_SPENT
                elif deadline < np.inf and work_clock() > deadline:
                    self.why = TIME_UP
        except KeyboardInterrupt:
            self.why = CTRL_C
            # it comes when a slice is done and before its rows are kept: they are in `visited`
            self._record(self.n_updates - self.n_recorded)
            raise
        finally:
            self._end(adopt)

    def _end(self, adopt: Callable[[Self], None] | None) -> None:
        self.stopped = self.reason(self.why)
        if self.stopped is not None and adopt is not None:
            adopt(self)

    def reason(self, why: int) -> Stopped | None:
        """Return why the walk stopped, from why a slice ended; None: it goes on."""
        return STOPPED.get(why)

    def _record(self, made: int) -> None:
        """Keep the rows of a slice, up to the trace's capacity."""
        self.n_recorded += made
        if made > 0 and self.capacity > 0:
            self.rows.append(self.progress.visited[: min(made, self.capacity)].copy())
            self.capacity -= self.rows[-1].size

    @property
    def arguments(self) -> tuple[Question, Progress]:
        return kernel.plain(self.question), kernel.plain(self.progress)

    @property
    def n_updates(self) -> int:
        return int(self.progress.state[kernel.UPDATES])

    @property
    def n_passes(self) -> int:
        return int(self.progress.state[kernel.PASSES])

    def visited(self) -> Integers:
        """Return the rows of all updates, up to a trace's capacity."""
        return np.concatenate(self.rows or [NONE])

    def updates_of_rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in their order, and how many each had."""
        counts = self.progress.counts
        rows = np.flatnonzero(counts > 0)  # of truth values: an order faster than of numbers
        return rows, counts[rows]


def in_order(at: Slices) -> Step:
    """Return the step that takes mistakes as the order meets them."""
    question, progress = at.arguments
    entries = int(getattr(at.sample.X, "nnz", at.sample.X.size))
    per_slice = max(1, at.tuning.slice_multiplications * at.sample.n // (1 + entries))
    plan = FilterPlan(at.question, at.radius, at.tuning, per_slice)

    def step() -> tuple[int, int]:
        visits = plan.visits
        why, made = kernel.walk_in_order(
            question, progress, plan.filtered, at.radius, at.first, at.n, visits
        )
        if why == GOING_ON:
            plan.note(visits, made)
        return why, made

    return step


class Asked(NamedTuple):
    """What is asked of a walk, for every block."""

    steps: Callable[[Slices], Step]  # how a block is walked: `in_order`, or what does more
    question: Question  # without rows
    first: int  # rows before the table: a batch is the end of a longer one
    n: int  # rows, with those before
    rows_in_block: int
    tuning: Tuning
    slices: int  # until the walk is noted
    time_limit: float | None


def walk_block(block: Block, state: State, asked: Asked) -> State:
    """Return where a walk stands after a block."""
    of, began, k = block.sample, work_clock(), block.start // asked.rows_in_block
    made = int(state["state"][kernel.UPDATES])
    room = min(asked.tuning.slice_updates, asked.question.max_updates - made + 1)
    question = asked.question._replace(rows=of.rows, y=of.y)
    at = Slices(of, question, state["v"], asked.tuning, room)
    at.first, at.n = asked.first + block.start, asked.n
    at.more = state["more"] and deepcopy(state["more"])
    at.n_recorded, at.capacity = made, state["room"]
    at.progress.state[:] = state["state"]
    radii = state["radii"].copy()
    if radii[k] < 0.0:
        radii[k] = of.radius
    at.set_bounds(float(radii[k]), state["length"])
    left = None if asked.time_limit is None else asked.time_limit - state["spent"]
    try:
        at.until_done(asked.steps(at), time_limit=left, slices=asked.slices)
    except KeyboardInterrupt:  # `Run.walk` raises it again, and keeps what was done so far
        at.why = CTRL_C
    rows, times = at.updates_of_rows()
    return {
        "why": GOING_ON if at.why == kernel.ELSEWHERE else at.why,
        "v": at.progress.v,
        "state": at.progress.state,
        "length": float(at.progress.bounds[0]),
        "radii": radii,
        "room": at.capacity,
        "spent": state["spent"] + work_clock() - began,
        "block": block.start,
        "updated": (rows + block.start, times, at.visited() + block.start),
        "more": at.more,
    }


class Run(Slices):
    """A walk over a table, and what a learner takes from it: counts, a trace, an end."""

    def __init__(
        self, table: Rows, question: Question, start: Floats, tuning: Tuning, eta: float, *,
        whole: Sample | None = None,
    ) -> None:  # fmt: skip
        of, room = whole or NO_ROWS, min(tuning.slice_updates, question.max_updates + 1)
        question = question._replace(rows=of.rows, y=of.y)
        super().__init__(of, question, start, tuning, room if whole else 1)
        self.table, self.start, self.eta, self.n = table, start, eta, table.n
        self.updates = NONE, NONE

    @classmethod
    def of(cls, learner: Untyped, table: Rows, question: Question) -> Self:
        """Return the run that a learner's parameters ask for, from `init`."""
        eta = positive(getattr(learner, "learning_rate", 1.0), "learning_rate")
        start = start_weights(learner.init, table)
        return cls(table, question, in_walk_units(start, eta), learner._tuning, eta)

    def walk(
        self, steps: Callable[[Slices], Step], adopt: Callable[[Self], None] | None = None,
        time_limit: float | None = None, **more: Untyped
    ) -> None:  # fmt: skip
        """Walk until the walk ends, then hand it to `adopt`; `more` is what steps keep."""
        deadline = np.inf if time_limit is None else work_clock() + time_limit
        table, counts, v = self.table, Counts(self.table), self.progress.v
        starts = [first for first, _ in table.ranges]
        state: State = {
            "why": GOING_ON,
            "v": v,
            "state": self.progress.state,
            "length": float(v @ v) * (1.0 + 1e-12),
            "radii": np.full(len(starts), -1.0),
            "room": self.capacity,
            "spent": 0.0,
            "more": more and deepcopy(more),
        }
        slices = NO_LIMIT if not table.journal.keeps else self.tuning.slices
        asked = Asked(
            steps, self.question, self.first, self.n, table.rows_in_block, self.tuning, slices,
            time_limit,
        )  # fmt: skip

        def keep(kept: State, after: State) -> State:
            nonlocal state
            state, kept = after, counts.keep(kept, after)
            if state["why"] == CTRL_C:
                raise KeyboardInterrupt
            return kept

        def following(state: State, _: int) -> int | None:
            over = state["why"] != GOING_ON or (deadline < np.inf and work_clock() > deadline)
            place = int(state["state"][POSITION]) - self.first
            return None if over else bisect_right(starts, place) - 1

        try:
            state, counts.kept = table.walk(walk_block, state, following, counts.kept, keep, asked)
            self.why = TIME_UP if state["why"] == GOING_ON else state["why"]
        except KeyboardInterrupt:  # a walk in blocks may end before the block that it is in
            self.why = CTRL_C
            raise
        finally:
            self.updates, self.rows = counts.rows(), counts.kept["visited"]
            v, numbers, self.more = state["v"], state["state"], state["more"]
            of_all = counts.of_all_rows(*self.updates)
            self.progress = self.progress._replace(v=v, state=numbers, counts=of_all)
            self.progress.bounds[0] = state["length"]
            self._end(adopt)

    def updates_of_rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in their order, and how many each had; none if too many."""
        return super().updates_of_rows() if self.progress.counts.size else self.updates

    @property
    def weights(self) -> Floats:
        """The walking weights w = eta v (1+d,)."""
        return self.eta * self.progress.v
