"""The objective: cross-entropy of a line plus a penalty, over any source of rows.

f(c) = sum weight ln(1 + e^-a) + sum penalty c^2 / 2 with a = y w.(x0, x), w the weights that
coordinates c stand for. A row source reads the rows once for a value and a gradient: the table
itself (`TiledRows`), rows of it (`subsample`), or its copy in whole numbers (`quantised`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.data import Floats, Points
from separatrix.kernels.smooth import logistic as kernel
from separatrix.learners.logistic.scaling import Scaling
from separatrix.tiles import TILE, in_threads, n_threads, shares

# A tile of sparse rows holds at least this many numbers for each of the sums that it writes.
NUMBERS_PER_SUM = 8


class RowSource(Protocol):
    """Rows with labels and weights."""

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of weight ln(1 + e^-a), and its gradient (1+d,), at weights w (1+d,)."""


S = TypeVar("S", bound=RowSource)


class Objective(Generic[S]):
    """The cross-entropy over a row source, with its penalty, in the coordinates of a scaling.

    Attributes
    ----------
    of_rows : (1+d,) gradient of the errors alone with respect to the weights, at the last place
    """

    def __init__(self, source: S, scaling: Scaling) -> None:
        self.source, self.scaling = source, scaling
        self.of_rows: Floats = np.zeros_like(scaling.scale)

    def at(self, c: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient (1+d,) at coordinates c (1+d,)."""
        error, self.of_rows = self.source.at(self.scaling.weights(c))
        penalty = self.scaling.penalty
        gradient = self.scaling.combination(self.of_rows) + penalty * c
        return error + 0.5 * float(penalty @ (c * c)), gradient

    def along(self, c: Floats, step: Floats) -> Callable[[float], tuple[float, Floats]]:
        """Return value and gradient along a step from c, as a function of t: for a line search."""
        return lambda t: self.at(c + t * step)


class TiledRows:
    """Rows (x0, X) with labels and weights, read in fixed tiles by several threads.

    Parameters
    ----------
    X : (N, d) points
    y : (N,) of -1 and +1
    weight : (N,)
    x0 : 1.0 with an intercept, 0.0 without
    curved : whether curvatures are wanted

    Attributes
    ----------
    sigma : (N,) sigma(-a) at the last weights
    curvature : (N,) weight sigma(a) sigma(-a), likewise; (0,) where not wanted
    """

    def __init__(self, X: Points, y: Floats, weight: Floats, x0: float, *, curved: bool) -> None:
        n, self.width = y.size, X.shape[1] + 1
        self.tile = TILE
        if sp.issparse(X):  # fixed by the shape alone: same bytes for any number of threads
            sums = NUMBERS_PER_SUM * self.width * n
            self.tile *= max(1, -(-sums // (TILE * max(1, X.nnz))))
        self.sigma, self.curvature = np.empty(n), np.empty(n if curved else 0)
        self._table = (_unsigned(X), y, weight, x0)
        self._answers = kernel.Answers(self.sigma, self.curvature)
        self._n_tiles = -(-n // self.tile)
        self._errors = np.empty(self._n_tiles)
        self._sums = np.empty((self._n_tiles, self.width))

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of weight ln(1 + e^-a), and its gradient (1+d,), at weights w (1+d,)."""
        summed = kernel.cross_entropy_of_tiles
        self._share(partial(summed, self._table, w, self._answers, self._errors, self._sums))
        return float(self._errors.cumsum()[-1]), self._sums.sum(axis=0)

    @property
    def separated(self) -> bool:
        """Whether the last weights made no mistake, in floats: sigma(-a) < 1/2 for every row."""
        return bool((self.sigma < 0.5).all())

    def hessian_product(self, v: Floats) -> Floats:
        """Return Z' D Z v for the curvature D at the last weights and v (1+d,)."""
        summed = kernel.hessian_product_of_tiles
        self._share(partial(summed, self._table, v, self.curvature, self._sums))
        return np.asarray(self._sums.sum(axis=0))

    def hessian_diagonal(self) -> Floats:
        """Return the diagonal of Z' D Z (1+d,)."""
        summed = kernel.hessian_diagonal_of_tiles
        self._share(partial(summed, self._table, self.curvature, self._sums))
        return np.asarray(self._sums.sum(axis=0))

    def _share(self, summed: Callable[[int, int, int], None]) -> None:
        """Call a kernel with (tile, first, last) for runs of tiles, in several threads."""
        if self._n_tiles == 1:
            summed(self.tile, 0, 1)
            return
        runs = shares(range(self._n_tiles), 4 * n_threads())
        for _ in in_threads([partial(summed, self.tile, run[0], run[-1] + 1) for run in runs]):
            pass


def _unsigned(X: Points) -> Untyped:
    """Return what kernels take; sparse indices unsigned, which they need not check for signs."""
    if not sp.issparse(X):
        return X
    unsigned = X.indices.view(np.uint32 if X.indices.itemsize == 4 else np.uint64)
    return X.data, unsigned, X.indptr.astype(np.int64)
