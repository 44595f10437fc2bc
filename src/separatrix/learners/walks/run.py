"""A walk over a table, block by block, update for update the same however the table is cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils import check_random_state

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import Floats, InputError, Sample
from separatrix.kernels.walks import perceptron as kernel
from separatrix.kernels.walks.perceptron import FROM_HERE, GOING_ON, POSITION, Progress, Question
from separatrix.learners._parameters import (
    NO_LIMIT,
    TIES,
    Integers,
    generator,
    in_walk_units,
    limit,
    one_of,
    refuse_overflow,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.tuning import FilterPlan, Tuning
from separatrix.scale import ArraySource, Block, Rows
from separatrix.scale.rows import NoJournal

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

NONE = np.empty(0, dtype=np.int64)
NO_ROWS = Sample(np.empty((0, 1)), np.empty(0), np.empty(0), np.empty(0))

SHARE = 64  # of the budget of rows that counts of updates may take: many runs share it
OF_A_ROW = 96  # bytes of a row with updates: in the counts, and in a certificate


def question_of(
    learner: Untyped, order: Integers = NONE, *, margin: float = 0.0, rule: int = FROM_HERE
) -> Question:
    """Return what a learner's parameters ask of a walk, without rows."""
    x0 = 1.0 if learner.fit_intercept else 0.0
    tie = one_of(TIES, getattr(learner, "sign_of_zero", "mistake"), "sign_of_zero")
    updates = limit(getattr(learner, "max_updates", None), "max_updates")
    passes = limit(getattr(learner, "max_iter", None), "max_iter")
    rows, none = NO_ROWS.rows, NO_ROWS.y
    return Question(rows, none, order, x0, tie, margin, none, rule, updates, passes)


def order_of(learner: Untyped, table: Rows, random: np.random.Generator | None = None) -> Integers:
    """Return the order of the visits: one fixed random cycle for "permuted", else empty."""
    if learner.visit != "permuted":
        check_random_state(learner.random_state)
        return NONE
    if len(table.ranges) > 1:
        raise InputError(
            "visit='permuted' visits the rows along one random cycle, which would read a block for "
            "each row, and this table is read in blocks. Use visit='cyclic' on rows that were "
            "shuffled once, or fit arrays."
        )
    return (random or generator(learner.random_state)).permutation(table.n)


def growth_of(radius: float, question: Question) -> float:
    """Return a bound on what an update adds to |v|^2, of rows no longer than R."""
    return radius**2 * (1.0 + 1e-12) + 2.0 * question.margin


class Slices:
    """A walk within rows at hand: what changes from slice to slice, in units of eta."""

    def __init__(
        self, sample: Sample, question: Question, start: Floats, tuning: Tuning, room: int
    ) -> None:
        self.sample, self.question, self.tuning = sample, question, tuning
        self.first, self.n = 0, sample.n  # of the table: the place of the first row, and all rows
        self.radius = 0.0  # R, of these rows
        self.more: State = {}  # what steps keep beside the weights
        self.progress = Progress(
            start.copy(),
            np.zeros(2),
            np.zeros(8, dtype=np.int64),
            np.zeros(sample.n, dtype=np.int64),
            np.empty(room, dtype=np.int64),
        )
        self.why = GOING_ON
        self.stopped: Stopped | None = None  # None: going on
        self.rows: list[Integers] = []  # of the updates so far, up to a trace's capacity
        self.n_before = self.n_recorded = 0
        self.capacity = tuning.trace_capacity

    def set_bounds(self, radius: float, length_squared: float) -> None:
        """Set R, and the bounds on |v|^2 and on what an update adds to it."""
        self.radius = radius
        self.progress.bounds[:] = length_squared, growth_of(radius, self.question)

    def until_done(
        self,
        step: Step,
        adopt: Callable[[Self], None] | None = None,
        time_limit: float | None = None,
        slices: int = NO_LIMIT,
    ) -> None:
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
            self._record(self.n_updates - self.n_before - self.n_recorded)
            raise
        finally:
            self.stopped = self.reason(self.why)
            if self.stopped is not None and adopt is not None:
                adopt(self)

    def reason(self, why: int) -> Stopped | None:
        """Return why the walk stopped, from why a slice ended; None: it goes on."""
        return STOPPED.get(why)

    def _record(self, made: int) -> None:
        """Keep the rows of a slice, up to the trace's capacity."""
        if made > 0 and self.n_recorded < self.capacity:
            room = self.capacity - self.n_recorded
            self.rows.append(self.progress.visited[: min(made, room)].copy())
            self.n_recorded += self.rows[-1].size

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


# ------------------------------------------------------------------ over a table


class Asked(NamedTuple):
    """What is asked of a walk, for every block."""

    steps: Callable[[Slices], Step]  # how a block is walked: `in_order`, or what does more
    question: Question  # without rows
    n: int  # rows of the table
    n_in_block: int  # rows of a block, but perhaps the last one
    tuning: Tuning
    slices: int  # until the walk is noted
    time_limit: float | None


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


def begun(block: Block, state: State, asked: Asked) -> Slices:
    """Return the slices of a block, from where the walk stands."""
    of, question, numbers = block.sample, asked.question, state["state"]
    n_updates = int(numbers[kernel.UPDATES])
    room = min(asked.tuning.slice_updates, question.max_updates - n_updates + 1)
    question = question._replace(rows=of.rows, y=of.y)
    at = Slices(of, question, state["v"], asked.tuning, room)
    at.first, at.n, at.more = block.start, asked.n, deepcopy(state["more"])
    at.n_before, at.capacity = n_updates, state["room"]
    at.progress.state[:] = numbers
    radius = float(state["radii"][block.start // asked.n_in_block])
    at.set_bounds(of.radius(question.x0) if radius < 0.0 else radius, state["length"])
    return at


def walk_block(block: Block, state: State, asked: Asked) -> State:
    """Return where a walk stands after a block."""
    at, began = begun(block, state, asked), work_clock()
    left = None if asked.time_limit is None else asked.time_limit - state["spent"]
    at.until_done(asked.steps(at), time_limit=left, slices=asked.slices)
    radii = state["radii"].copy()
    radii[block.start // asked.n_in_block] = at.radius
    rows, times = at.updates_of_rows()
    visited = at.visited()
    return {
        **state,
        "why": GOING_ON if at.why == kernel.ELSEWHERE else at.why,
        "v": at.progress.v,
        "state": at.progress.state,
        "length": float(at.progress.bounds[0]),
        "radii": radii,
        "room": state["room"] - visited.size,
        "spent": state["spent"] + work_clock() - began,
        "block": block.start,
        "updated": (rows + at.first, times, visited + at.first),
        "more": at.more,
    }


class Run(Slices):
    """A walk over a table, and what a learner takes from it: counts, a trace, an end."""

    def __init__(
        self, table: Rows, question: Question, start: Floats, tuning: Tuning, eta: float
    ) -> None:
        self.whole = whole = at_hand(table)
        rows, room = NO_ROWS, 1
        if whole is not None:
            rows, room = whole, min(tuning.slice_updates, question.max_updates + 1)
            question = question._replace(rows=whole.rows, y=whole.y)
        super().__init__(rows, question, start, tuning, room)
        self.table, self.start, self.eta = table, start, eta
        self.updates: tuple[Integers, Integers] | None = None  # of a table in blocks

    @classmethod
    def of(cls, learner: Untyped, table: Rows, question: Question, eta: float = 1.0) -> Self:
        """Return the run that a learner's parameters ask for, from `init`."""
        start = start_weights(learner.init, at_hand(table) or table, question.x0)
        return cls(table, question, in_walk_units(start, eta), learner._tuning, eta)

    def walk(
        self,
        steps: Callable[[Slices], Step],
        adopt: Callable[[Self], None] | None = None,
        time_limit: float | None = None,
        **more: Untyped,
    ) -> None:
        """Walk until the walk ends, then hand it to `adopt`; `more` is what steps keep."""
        v, whole = self.progress.v, self.whole
        length = float(v @ v) * (1.0 + 1e-12)
        self.more = deepcopy(more) if more else more
        if whole is None:
            self._from_block_to_block(steps, length, adopt, time_limit)
        else:
            self.set_bounds(whole.radius(self.question.x0), length)
            self.until_done(steps(self), adopt, time_limit)

    def _from_block_to_block(
        self,
        steps: Callable[[Slices], Step],
        length: float,
        adopt: Callable[[Self], None] | None,
        time_limit: float | None,
    ) -> None:
        """Walk over blocks; the last one that was done is where an interrupt leaves it."""
        deadline = np.inf if time_limit is None else work_clock() + time_limit
        table, counts = self.table, Counts(self.table)
        starts = [first for first, _ in table.ranges]
        state: State = {
            "why": GOING_ON,
            "v": self.progress.v,
            "state": self.progress.state,
            "length": length,
            "radii": np.full(len(starts), -1.0),
            "room": self.capacity,
            "spent": 0.0,
            "more": self.more,
        }
        slices = NO_LIMIT if isinstance(table.journal, NoJournal) else self.tuning.slices
        asked = Asked(
            steps, self.question, table.n, table.ranges[0][1], self.tuning, slices, time_limit
        )

        def keep(kept: State, after: State) -> State:
            nonlocal state
            state = after
            return counts.keep(kept, after)

        def following(state: State, _: int) -> int | None:
            over = state["why"] != GOING_ON or work_clock() > deadline
            return None if over else bisect_right(starts, int(state["state"][POSITION])) - 1

        try:
            state, counts.kept = table.walk(walk_block, state, following, counts.kept, keep, asked)
            self.why = TIME_UP if state["why"] == GOING_ON else state["why"]
        except KeyboardInterrupt:
            self.why = CTRL_C
            raise
        finally:
            self.updates, self.rows, self.more = (
                counts.rows(),
                counts.kept["visited"],
                state["more"],
            )
            v, numbers, of_all = state["v"], state["state"], counts.of_all_rows()
            self.progress = self.progress._replace(v=v, state=numbers, counts=of_all)
            self.stopped = self.reason(self.why)
            if self.stopped is not None and adopt is not None:
                adopt(self)

    def of_blocks(self, function: Callable[..., Untyped], *arguments: Untyped) -> list[Untyped]:
        """Return function(sample, *arguments) of each block."""
        return self.table.map(_on_rows, function, arguments)

    def updates_of_rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in their order, and how many each had; none if too many."""
        return super().updates_of_rows() if self.updates is None else self.updates

    @property
    def weights(self) -> Floats:
        """The walking weights w = eta v (1+d,)."""
        return self.eta * self.progress.v


class Counts:
    """Updates per row of a table in blocks, as long as few rows have any."""

    def __init__(self, table: Rows) -> None:
        self.n_rows, room = table.n, table.budget // SHARE
        self.most, self.fits = room // OF_A_ROW, 8 * table.n <= room
        self.kept: State = {"visited": [], "counts": {}, "n": 0}

    def keep(self, kept: State, state: State) -> State:
        """Add what a block left."""
        self.kept = kept
        rows, times, visited = state["updated"]
        if visited.size:
            kept["visited"].append(visited)
        if rows.size == 0 or kept["n"] < 0:
            return kept
        key, counts = str(state["block"]), kept["counts"]
        before = counts.get(key)
        if before is not None:
            first = min(int(before[0][0]), int(rows[0]))
            total = np.zeros(max(int(before[0][-1]), int(rows[-1])) + 1 - first, dtype=np.int64)
            total[before[0] - first] = before[1]
            total[rows - first] += times
            places = np.flatnonzero(total > 0)
            rows, times = places + first, total[places]
        kept["n"] += rows.size - (0 if before is None else before[0].size)
        counts[key] = rows, times
        if kept["n"] > self.most:
            kept["n"] = -1
            counts.clear()
        return kept

    def rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in their order, and how many each had."""
        parts = [part for _, part in sorted(self.kept["counts"].items(), key=lambda c: int(c[0]))]
        return (
            np.concatenate([NONE, *(rows for rows, _ in parts)]),
            np.concatenate([NONE, *(times for _, times in parts)]),
        )

    def of_all_rows(self) -> Integers:
        """Return the updates on each row (N,); none where that is too much to keep."""
        if self.kept["n"] < 0 or not self.fits:
            return NONE
        counts = np.zeros(self.n_rows, dtype=np.int64)
        rows, times = self.rows()
        counts[rows] = times
        return counts


def at_hand(table: Rows) -> Sample | None:
    """Return the rows of a table that is one block in memory, with no checkpoint."""
    source = table.source
    if isinstance(source, ArraySource) and len(table.ranges) == 1:
        return source.sample if isinstance(table.journal, NoJournal) else None
    return None


def _on_rows(block: Block, function: Callable[..., Untyped], arguments: Untyped) -> Untyped:
    """Return function(sample, *arguments) of a block's rows."""
    return function(block.sample, *arguments)
