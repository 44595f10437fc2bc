"""A block: some rows of a table, next to one another, in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats, Sample
from separatrix.tiles import TILE, stack_of_runs, stack_of_tiles, sum_of_runs, tiled_sum


@dataclass(frozen=True, slots=True)
class Block:
    """Rows start, ..., stop - 1 of a table."""

    start: int  # index of its first row in the table, a multiple of `TILE`
    sample: Sample  # X (n, d) C-ordered float64 or float32, finite, perhaps read-only

    @property
    def n(self) -> int:
        return self.sample.n

    @property
    def stop(self) -> int:
        return self.start + self.sample.n

    # The sums of the first tiles may be added up before `Rows.sum` does it, in the same order: the
    # rows of an array are one block, whose tiles would take much room where each is a matrix.

    def sums_of_tiles(self, part: Callable[[slice], Floats]) -> Floats:
        """Return part(tile) of every tile, (tiles, ...); of the first block their sum, (1, ...)."""
        if self.start == 0:
            return tiled_sum(self.n, part)[np.newaxis]
        return stack_of_tiles(self.n, part)

    def sums_of_runs(self, sums: Callable[[int, int], Floats]) -> Floats:
        """Return the same by kernels that take many tiles: sums(start, stop) is (tiles, ...)."""
        if self.n <= TILE:
            return sums(0, self.n)
        if self.start == 0:
            return sum_of_runs(self.n, sums)[np.newaxis]
        return stack_of_runs(self.n, sums)
