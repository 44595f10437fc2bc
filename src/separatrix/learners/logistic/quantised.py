"""A copy of a wide table in 16-bit whole numbers: it leads near the optimum, and claims nothing.

Reading it takes a quarter of the time. Rounding moves the optimum by far less than the rows of any
sample would; where a column has values too far out, they are cut off, and more is left to the exact
table, from which the line is finished and certified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike
from separatrix.data import Floats, Sample
from separatrix.kernels.smooth.quantised import LARGEST, coarse_cross_entropy_of_tiles, make_coarse
from separatrix.learners.logistic.lbfgs import Pairs
from separatrix.learners.logistic.subsample import Part, Units
from separatrix.tiles import TILE, in_threads, n_threads, shares

WIDE = 128  # columns
MOST_STEPS = 60
MEMORY = 20  # pairs that BFGS remembers
ENOUGH = 3e-9  # relative decrease of a step, below which the rounding of the rows decides
ROOM = 1.5  # times the largest value that a sample of the rows shows


class Coarse:
    """The sum of errors with its penalty, in the units of a sample, from coarse rows."""

    def __init__(self, part: Part, units: Units, sample: Sample) -> None:
        self.sample, self.units, self.x0 = sample, units, part.x0
        centre = units.centre[1:]
        largest = np.maximum(part.rows.max(axis=0) - centre, centre - part.rows.min(axis=0))
        self.step = np.where(largest > 0.0, largest, 1.0) * (ROOM / LARGEST)
        self.rows = np.empty(sample.X.shape, dtype=np.int16)
        self.n_tiles = -(-sample.n // TILE)
        self._errors, self._pulls = np.empty(self.n_tiles), np.empty((self.n_tiles, sample.d + 1))
        for _ in in_threads([self._made(tiles, centre) for tiles in self._runs()]):
            pass

    def value(self, c: Floats) -> tuple[float, Floats]:
        """Return the sum with its penalty, and minus its gradient, at c."""
        width = self.units.scale[1:] * self.step
        v = (c[1:] * width).astype(np.float32)
        for _ in in_threads([self._summed(tiles, v, float(c[0])) for tiles in self._runs()]):
            pass
        pull = self._pulls.sum(axis=0)
        pull[1:] *= width
        penalty = self.units.penalty
        error = float(self._errors.cumsum()[-1])
        return error + 0.5 * float(penalty @ (c * c)), pull - penalty * c

    def _runs(self) -> Sequence[Sequence[int]]:
        return shares(range(self.n_tiles), 4 * n_threads())

    def _made(self, tiles: Sequence[int], centre: Floats) -> Callable[[], None]:
        rows = slice(tiles[0] * TILE, (tiles[-1] + 1) * TILE)
        return lambda: make_coarse(self.sample.X[rows], centre, self.step, self.rows[rows])

    def _summed(self, tiles: Sequence[int], v: ArrayLike, constant: float) -> Callable[[], None]:
        return lambda: coarse_cross_entropy_of_tiles(
            self.rows, self.sample.y, self.sample.weight, v, constant, self.x0, TILE,
            tiles[0], tiles[-1] + 1, self._errors, self._pulls,
        )  # fmt: skip


def coarse_pays(sample: Sample) -> bool:
    """Whether a row is long enough for short numbers to save time."""
    return not sp.issparse(sample.X) and WIDE <= sample.d < sample.n // 4


def approached(
    table: Coarse, c: Floats, metric: Callable[[Floats], Floats] | None, max_iter: int
) -> tuple[Floats, Pairs, int]:
    """Return a place near the optimum by limited-memory BFGS on coarse rows, its pairs and steps.

    The metric is that of spread columns at w = 0 where none is given.
    """
    diagonal = 0.25 * float(table.sample.weight.sum()) + table.units.penalty
    pairs = Pairs(MEMORY, metric or (lambda q: q / diagonal), rough=metric is None)
    value, pull = table.value(c)
    steps = 0
    while steps < min(MOST_STEPS, max_iter):
        step = pairs.step(pull)
        slope, t = float(step @ pull), 1.0
        if not slope > ENOUGH * value:
            break
        moved, moved_pull = table.value(c + step)
        while not moved <= value - 1e-4 * t * slope:
            t *= 0.25
            if t < 1e-3:
                return c, pairs, steps
            moved, moved_pull = table.value(c + t * step)
        pairs.add(t * step, pull - moved_pull)
        c, value, pull, steps = c + t * step, moved, moved_pull, steps + 1
    return c, pairs, steps
