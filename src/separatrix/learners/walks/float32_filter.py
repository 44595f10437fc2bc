"""When a walk is worth a float filter (`kernels.walks.float32_filter`)."""

from __future__ import annotations

import numpy as np

from separatrix.kernels.walks.float32_filter import (
    LARGEST_LENGTH,
    Float32s,
    fill_filter,
    new_filter,
)
from separatrix.learners.walks.run import Run

NO_FILTER = np.empty((0, 0, 0), dtype=np.float32)


class FilterPlan:
    """The filter of a walk in a fixed order, from when on it pays. Sparse rows have none."""

    def __init__(self, run: Run, slice_visits: int) -> None:
        self.run = run
        self.filtered: Float32s = NO_FILTER
        self.visits = self.slice_visits = slice_visits  # `visits`: of the slice to come
        tuning, n, width = run.tuning, run.sample.n, run.sample.d + 1
        usual = 1.0 / LARGEST_LENGTH < run.radius < LARGEST_LENGTH
        dense = not isinstance(run.question.rows, tuple)
        self.pays = usual and dense and 4 * n * width <= tuning.filter_bytes
        small = n * width < tuning.small_table
        work = tuning.loading if small else tuning.filter_multiplications
        self.wait = max(tuning.filter_passes * n, work // width)
        self._plan()

    def note(self, visits: int, updates: int) -> None:
        """Take notice of a slice that goes on: its visits, and the updates in it."""
        if self.filtered.size or not self.pays:
            return
        self.wait -= visits
        if self.wait <= 0:
            if updates * self.run.tuning.visits_per_update <= visits:
                self._fill()
            else:
                self.wait = self.run.sample.n
        self._plan()

    def _plan(self) -> None:
        if self.filtered.size:
            self.visits = self.run.tuning.faster * self.slice_visits
        elif self.pays:
            self.visits = min(self.wait, self.slice_visits)

    def _fill(self) -> None:
        rows, y, order, x0, *_ = self.run.question
        self.filtered = new_filter(y.size, self.run.sample.d + 1)
        fill_filter(rows, y, order, x0, self.run.radius, self.filtered)
