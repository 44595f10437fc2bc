"""Walks over a table in blocks: the path of a table in memory, update for update.

A block is walked by the kernels of `pla`, as one pass over a batch. What goes on from block to
block is the weights, the run of rows without a mistake and the budgets; signs are certain, so that
neither the path nor the end depends on where blocks begin. Of the updates per row, those of few
rows are kept (`Counts`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import Floats, InputError, Sample
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    FROM_START,
    GOING_ON,
    PASSES,
    PASSES_SPENT,
    STREAK,
    UPDATES,
    UPDATES_SPENT,
    Progress,
    Question,
)
from separatrix.learners._parameters import Integers, in_walk_units, start_weights
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.pla import in_order
from separatrix.learners.walks.run import Run, Step
from separatrix.learners.walks.tuning import Tuning
from separatrix.scale import Block, Rows

State = dict[str, Any]

SHARE = 8  # of the memory budget that counts of updates may take, one part in this many
OF_A_ROW = 96  # bytes of a row with updates: in the counts, and in a certificate


def refuse_cycle(visit: str) -> None:
    """Raise `InputError` for one random cycle: it would read a block for each row."""
    if visit == "permuted":
        raise InputError(
            "visit='permuted' visits the rows along one random cycle, which would read a block for "
            "each row, and this table is read in blocks. Use visit='cyclic' on rows that were "
            "shuffled once, or fit arrays."
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a walk, for every block."""

    question: Question  # without rows
    n: int  # rows of the table
    n_in_block: int  # rows of a block, but perhaps the last one
    tuning: Tuning


class RunInBlocks(Run):
    """A run over a table in blocks: all that `Run` has at its end."""

    def __init__(
        self, table: Rows, question: Question, start: Floats, tuning: Tuning, eta: float
    ) -> None:
        self.table, self.question, self.start, self.tuning = table, question, start, tuning
        self.sample: Untyped = table  # of which a learner takes the labels
        self.eta = eta
        self.rows = []
        self.stopped = None
        self.counts = Counts(table)
        self.state: State = {}
        state = np.zeros(8, dtype=np.int64)
        self.progress = Progress(start.copy(), np.zeros(2), state, state[:0], state[:0])

    @classmethod
    def over(cls, learner: Untyped, table: Rows, question: Question, eta: float = 1.0) -> Self:
        """Return the run that a learner's parameters ask for."""
        start = in_walk_units(start_weights(learner.init, table, question.x0), eta)
        return cls(table, question, start, learner._tuning, eta)

    def of_blocks(self, function: Callable[..., Untyped], *arguments: Untyped) -> list[Untyped]:
        """Return function(sample, *arguments) of each block."""
        return self.table.map(on_rows, function, arguments)

    def updates_of_rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in order, and how many each had; none if too many."""
        return self.counts.rows()

    def walk(
        self,
        step: Callable[[Block, State, Asked], State],
        adopt: Callable[[Self], None],
        time_limit: float | None = None,
        **more: Untyped,
    ) -> None:
        """Walk from block to block until the walk ends, then hand it to `adopt`."""
        deadline = np.inf if time_limit is None else work_clock() + time_limit
        question, ranges = self.question, self.table.ranges
        starts = [first for first, _ in ranges]
        asked = Asked(question, self.table.n, ranges[0][1], self.tuning)
        self.state = {
            "why": PASSES_SPENT if question.max_passes == 0 else GOING_ON,
            "next": 0,
            "v": self.start,
            "length": float(self.start @ self.start) * (1.0 + 1e-12),
            "radii": np.full(len(ranges), -1.0),
            "streak": 0,
            "updates": 0,
            "passes": 0,
            "room": self.tuning.trace_capacity,
            **more,
        }

        def keep(kept: dict[str, Any], state: State) -> dict[str, Any]:
            kept, self.state = self.counts.keep(kept, state), state
            return kept

        def following(state: State, _: int) -> int | None:
            over = state["why"] != GOING_ON or work_clock() > deadline
            return None if over else bisect_left(starts, state["next"])

        try:
            self.state, self.counts.kept = self.table.walk(
                step, self.state, following, self.counts.kept, keep, asked
            )
            self.stopped = self.reason(self.state["why"]) or Stopped.TIME_SPENT
        except KeyboardInterrupt:
            self.stopped = Stopped.INTERRUPTED
            raise
        finally:
            if self.stopped is not None:
                self._take_end()
                adopt(self)

    def _take_end(self) -> None:
        """Take from the last state what a run leaves."""
        where = [self.state[name] for name in ("streak", "updates", "passes")]
        self.progress.v[:] = self.state["v"]
        self.progress.state[[STREAK, UPDATES, PASSES]] = where
        self.rows = self.counts.kept["visited"]
        self.progress = self.progress._replace(counts=self.counts.of_all_rows())


class Counts:
    """Updates per row, as long as few rows have any."""

    def __init__(self, table: Rows) -> None:
        self.n_rows, room = table.n, table.budget // SHARE
        self.most, self.fits = room // OF_A_ROW, 8 * table.n <= room
        self.kept: dict[str, Any] = {"visited": [], "counts": {}, "n": 0}

    def keep(self, kept: dict[str, Any], state: State) -> dict[str, Any]:
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
        none = np.empty(0, dtype=np.int64)
        parts = [part for _, part in sorted(self.kept["counts"].items(), key=lambda c: int(c[0]))]
        return (
            np.concatenate([none, *(rows for rows, _ in parts)]),
            np.concatenate([none, *(times for _, times in parts)]),
        )

    def of_all_rows(self) -> Integers:
        """Return the updates on each row (N,); none where that is too much to keep."""
        if self.kept["n"] < 0 or not self.fits:
            return np.empty(0, dtype=np.int64)
        counts = np.zeros(self.n_rows, dtype=np.int64)
        rows, times = self.rows()
        counts[rows] = times
        return counts


def on_rows(block: Block, function: Callable[..., Untyped], arguments: Untyped) -> Untyped:
    """Return function(sample, *arguments) of a block's rows."""
    return function(block.sample, *arguments)


def walk_block(block: Block, state: State, asked: Asked) -> State:
    """Return where PLA stands after a block."""
    run = begun(block, state, asked)
    run.until_done(within(block, run))
    return ended(block, state, asked, run)


def begun(block: Block, state: State, asked: Asked) -> Run:
    """Return the run of a block, from where the walk stands."""
    question, first = asked.question, block.start == 0
    searches = question.rule == FROM_START
    question = question._replace(
        rows=block.sample.rows,
        y=block.sample.y,
        # a search goes back to the first row as often as it may; else a block is one pass
        max_passes=question.max_passes if searches and first else 1,
    )
    room = min(asked.tuning.slice_updates, question.max_updates + 1, block.n)
    run = Run(
        block.sample, question, state["v"], asked.tuning, 1 if searches and not first else room
    )
    run.radius = float(state["radii"][block.start // asked.n_in_block])
    if run.radius < 0.0:
        run.radius = block.sample.radius(question.x0)
    growth = run.radius**2 * (1.0 + 1e-12) + 2.0 * question.margin
    run.progress.bounds[:] = state["length"], growth
    run.progress.state[UPDATES] = state["updates"]
    if searches and first:
        run.progress.state[PASSES] = state["passes"]
    return run


def within(block: Block, run: Run) -> Step:
    """Return the step of a block; a search that found a mistake beyond the first block ends."""
    step = in_order(run)
    if run.question.rule != FROM_START or block.start == 0:
        return step

    def once() -> tuple[int, int]:
        why, made = step()
        return (PASSES_SPENT if made and why == GOING_ON else why), made

    return once


def ended(block: Block, state: State, asked: Asked, run: Run) -> State:
    """Return where the walk stands after the run of a block."""
    question, searches = asked.question, asked.question.rule == FROM_START
    made, clean = run.n_updates - state["updates"], int(run.progress.state[STREAK])
    passes = state["passes"] + (block.start == 0)
    streak = clean if made or (block.start == 0 and searches) else state["streak"] + clean
    following = 0 if block.stop == asked.n or (searches and made and block.start) else block.stop
    why = GOING_ON
    if run.stopped is Stopped.UPDATES_SPENT:
        why = UPDATES_SPENT
    elif streak >= asked.n:
        why = CLEAN_PASS
    if searches and block.start == 0:
        passes = run.n_passes
        if run.stopped is Stopped.PASSES_SPENT:
            why = PASSES_SPENT
    elif why == GOING_ON and following == 0 and passes == question.max_passes:
        why = PASSES_SPENT
    radii = state["radii"].copy()
    radii[block.start // asked.n_in_block] = run.radius
    visited = run.visited()[: state["room"]] + block.start
    rows = np.flatnonzero(run.progress.counts > 0) if made else visited[:0]
    return {
        **state,
        "why": why,
        "next": following,
        "block": block.start,
        "v": run.progress.v,
        "length": float(run.progress.bounds[0]),
        "radii": radii,
        "streak": min(streak, asked.n),
        "beyond": max(0, streak - asked.n),  # rows gone over after the end
        "updates": run.n_updates,
        "passes": passes,
        "room": state["room"] - visited.size,
        "updated": (rows + block.start, run.progress.counts[rows], visited),
    }


NO_ROWS = Sample(np.empty((0, 1)), np.empty(0), np.empty(0), np.empty(0))
