"""A copy of a wide table in 16-bit whole numbers: it leads near the optimum, and claims nothing."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, Sample
from separatrix.kernels.smooth import logistic as kernel
from separatrix.learners.logistic.drawn_rows import Subsample
from separatrix.learners.logistic.lbfgs import LBFGS
from separatrix.learners.logistic.line_search import Backtracking
from separatrix.learners.logistic.objective import Objective, Scaling, over_tiles
from separatrix.tiles import TILE

WIDE = 128  # columns
MOST_STEPS = 60
MEMORY = 20  # pairs that BFGS remembers
LINE_SEARCH = Backtracking(least=1e-3, shrink=0.25)
ENOUGH = 3e-9  # relative decrease of a step, below which the rounding of the rows decides
ROOM = 1.5  # times the largest value that a subsample shows


class QuantisedRows:
    """Rows (x0, q), q = (x - centre) / step rounded to whole numbers of 16 bits."""

    def __init__(self, sample: Sample, centre: Floats, step: Floats) -> None:
        q = np.empty(sample.X.shape, dtype=np.int16)
        self._table = (q, sample.y, sample.weight, sample.x0)
        self._n_tiles = -(-sample.n // TILE)
        self._errors, self._sums = np.empty(self._n_tiles), np.empty((self._n_tiles, sample.d + 1))

        def quantise(first: int, last: int) -> None:
            rows = slice(first * TILE, last * TILE)
            kernel.quantise(sample.X[rows], centre, step, q[rows])

        over_tiles(self._n_tiles, quantise)

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of weight ln(1 + e^-a), and its gradient (1+d,), at weights w (1+d,)."""
        constant, v = float(w[0]), w[1:].astype(np.float32)
        summed = kernel.quantised_cross_entropy_of_tiles
        arguments = self._table, constant, v, self._errors, self._sums, TILE
        over_tiles(self._n_tiles, partial(summed, *arguments))
        return float(self._errors.cumsum()[-1]), self._sums.sum(axis=0)


def quantised(rows: Subsample, sample: Sample) -> Objective[QuantisedRows]:
    """Return the objective over quantised rows, in the coordinates of a subsample."""
    scaling = rows.scaling
    centre = scaling.centre[1:]
    largest = np.maximum(rows.X.max(axis=0) - centre, centre - rows.X.min(axis=0))
    step = np.where(largest > 0.0, largest, 1.0) * (ROOM / kernel.LARGEST)
    scale = np.concatenate(([1.0], scaling.scale[1:] * step))
    source = QuantisedRows(sample, centre, step)
    return Objective(source, Scaling(np.zeros_like(scale), scale, scaling.penalty))


def quantising_pays(sample: Sample, needed: int) -> bool:
    """Whether rows are long, and a subsample that would do has more than half of them."""
    dense = not sp.issparse(sample.X)
    return dense and WIDE <= sample.d < sample.n // 4 and needed > sample.n // 2


def approached(
    rows: Subsample, sample: Sample, c: Floats, max_iter: int
) -> tuple[Floats, LBFGS, int]:
    """Return a place near the optimum by L-BFGS on quantised rows, its pairs, and steps."""
    objective = quantised(rows, sample)
    diagonal = 0.25 * float(sample.weight.sum()) + objective.scaling.penalty
    inverse = LBFGS(MEMORY, lambda q: q / diagonal, rescaled=True)
    value, gradient = objective.at(c)
    steps = 0
    while steps < min(MOST_STEPS, max_iter):
        step = -inverse.solve(gradient)
        slope = float(step @ gradient)
        if not -slope > ENOUGH * value:
            break
        found = LINE_SEARCH.search(objective.along(c, step), value, slope)
        if found is None:
            break
        before = gradient
        t, value, gradient = found
        inverse.add(t * step, gradient - before)
        c, steps = c + t * step, steps + 1
    return c, inverse, steps
