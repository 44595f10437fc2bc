"""Sizes at which the faster forms of a walk pay: they decide speed, never a path, only its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.kernels.walks.float32_filter import (
    LARGEST_LENGTH,
    LONGEST,
    Float32s,
    fill_filter,
    new_filter,
)
from separatrix.kernels.walks.perceptron import Question
from separatrix.kernels.walks.quantised import TILE_ROWS
from separatrix.learners._parameters import NO_LIMIT
from separatrix.trace import CAPACITY

NO_FILTER = np.empty((0, 0, 0), dtype=np.float32)


@dataclass(frozen=True)
class Tuning:
    """Slices of compiled work, and the float filter."""

    slice_updates: int = 65536
    slice_multiplications: int = 2**22
    slices: int = 64  # between two checkpoints of a walk that stays in a block
    trace_capacity: int = CAPACITY
    most_decided: int = NO_LIMIT  # rows in exact arithmetic, where a walk in order may go on
    # A filter costs as much as some passes, and room. What was not short so far may well be long:
    # passes, and multiplications, before there is one
    filter_passes: int = 3
    filter_multiplications: int = 2**20
    small_table: int = 2**16  # numbers in a table whose passes are over in microseconds: then ...
    loading: int = 2**24  # ... multiplications, for its code has to be compiled, or loaded, too
    visits_per_update: int = 64  # fewer between two mistakes: then there is nothing to filter
    faster: int = 8  # times as many visits in a slice of work with a filter
    filter_bytes: int = 2**30  # larger tables are read as they are


@dataclass(frozen=True)
class PocketTuning(Tuning):
    """The ways to count all rows; where one overtakes another was measured at 2 <= d <= 50."""

    slice_multiplications: int = 2**25
    slice_visits: int = 16384  # of the ratchet
    gram_rows: int = 768  # up to here adding a row of the Gram matrix is cheaper than scoring all
    few_updates: int = 16  # fewer do not pay for a copy of the rows
    ahead: int = 64  # weights counted together
    threaded_multiplications: int = 2**23  # in a block: below, threads cost more than they save
    least_steps: float = 2.0**14  # steps in R^2 that leave few rows in doubt
    tile_rows: int = TILE_ROWS


class FilterPlan:
    """The float filter of rows that are walked in a fixed order, from when on it pays."""

    def __init__(self, question: Question, radius: float, tuning: Tuning, visits: int) -> None:
        self.question, self.radius, self.tuning = question, radius, tuning
        self.filtered: Float32s = NO_FILTER
        self.visits = self.slice_visits = visits  # `visits`: of the slice to come
        rows, n = question.rows, question.y.size
        self.width = 0 if isinstance(rows, tuple) else rows.shape[1] + 1
        usual = 1.0 / LARGEST_LENGTH < radius < LARGEST_LENGTH
        self.pays = (
            usual and 0 < self.width <= LONGEST and 4 * n * self.width <= tuning.filter_bytes
        )
        small = n * self.width < tuning.small_table
        work = tuning.loading if small else tuning.filter_multiplications
        self.wait = max(tuning.filter_passes * n, work // max(1, self.width))
        self._plan()

    def note(self, visits: int, updates: int) -> None:
        """Take notice of a slice that goes on: its visits, and the updates in it."""
        if self.filtered.size or not self.pays:
            return
        self.wait -= visits
        if self.wait <= 0:
            if updates * self.tuning.visits_per_update <= visits:
                rows, y, order, x0, *_ = self.question
                self.filtered = new_filter(y.size, self.width)
                fill_filter(rows, y, order, x0, self.radius, self.filtered)
            else:
                self.wait = max(self.question.y.size, self.tuning.small_table)
        self._plan()

    def _plan(self) -> None:
        if self.filtered.size:
            self.visits = self.tuning.faster * self.slice_visits
        elif self.pays:
            self.visits = min(self.wait, self.slice_visits)
