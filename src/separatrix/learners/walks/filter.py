"""When a walk is worth a sieve (see `kernels.sieve`): it costs as much as some passes, and room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Sample
from separatrix.kernels.walks.filter import LARGEST_LENGTH, Float32s, fill_sieve, new_sieve

# What was not short so far may well be long: passes, and multiplications, before there is a sieve.
PASSES = 3
MULTIPLICATIONS = 2**20
SMALL = 2**16  # numbers in a table whose passes are over in microseconds: then ...
LOADING = 2**24  # ... so many, for its code has to be compiled, or loaded, too

VISITS_PER_UPDATE = 64  # fewer between two mistakes: then there is nothing to sieve
FASTER = 8  # so many more visits in a slice of work
BYTES = 2**30  # larger tables are read as they are


class Sieving:
    """The sieve of a walk in a fixed order, from when on it pays.

    Parameters
    ----------
    sample : N rows of d features; sparse rows are not sieved
    order : (N,) or None for the order of the rows
    x0, radius : the constant, and R
    slice_visits : rows to visit in a slice of work without a sieve
    """

    def __init__(
        self,
        sample: Sample,
        order: NDArray[np.int64] | None,
        x0: float,
        radius: float,
        slice_visits: int,
    ) -> None:
        self.sample, self.order, self.x0, self.radius = sample, order, x0, radius
        self.sieve: Float32s | None = None
        self.visits = self.slice_visits = slice_visits  # `visits`: of the slice to come
        width = sample.d + 1
        usual = 1.0 / LARGEST_LENGTH < radius < LARGEST_LENGTH
        dense = not isinstance(sample.rows, tuple)
        self.pays = usual and dense and 4 * sample.n * width <= BYTES
        work = MULTIPLICATIONS if sample.n * width >= SMALL else LOADING
        self.wait = max(PASSES * sample.n, work // width)
        self._plan()

    def note(self, visits: int, updates: int) -> None:
        """Take notice of a slice of so many visits that goes on, and of the updates in it."""
        if self.sieve is not None or not self.pays:
            return
        self.wait -= visits
        if self.wait <= 0:
            if updates * VISITS_PER_UPDATE <= visits:
                self.sieve = self._filled()
            else:
                self.wait = self.sample.n
        self._plan()

    def _plan(self) -> None:
        if self.sieve is not None:
            self.visits = FASTER * self.slice_visits
        elif self.pays:
            self.visits = min(self.wait, self.slice_visits)

    def _filled(self) -> Float32s:
        sieve = new_sieve(self.sample.n, self.sample.d + 1)
        fill_sieve(self.sample.rows, self.sample.y, self.order, self.x0, self.radius, sieve)
        return sieve
