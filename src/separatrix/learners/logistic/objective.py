"""One read of all rows: the cross-entropy of a line, its pull on the weights, its curvature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.data import Floats, Points
from separatrix.kernels.smooth.logistic import (
    cross_entropy_of_tiles,
    curved_of_tiles,
    squares_of_tiles,
)
from separatrix.tiles import TILE, in_threads, n_threads, shares

# A tile of sparse rows holds at least this many numbers for each of the sums that it writes.
NUMBERS_PER_SUM = 8


class Passes:
    """Rows (x0, X) with signs and weights, read as often as asked; in several threads.

    Parameters
    ----------
    X : (N, d) points
    y : (N,) of -1 and +1
    weight : (N,)
    x0 : 1.0 with an intercept, 0.0 without
    curved : whether curvatures are wanted

    Attributes
    ----------
    theta : (N,) theta(-a) at the last weights asked about
    curvature : (N,) weight theta(a) theta(-a), likewise; (0,) where not wanted
    """

    def __init__(self, X: Points, y: Floats, weight: Floats, x0: float, *, curved: bool) -> None:
        self.rows, self.y, self.weight, self.x0 = _light_rows(X), y, weight, x0
        n, self.width = y.size, X.shape[1] + 1
        self.tile = TILE
        if sp.issparse(X):  # fixed by the shape alone: same bytes for any number of threads
            sums = NUMBERS_PER_SUM * self.width * n
            self.tile *= max(1, -(-sums // (TILE * max(1, X.nnz))))
        self.n_tiles = -(-n // self.tile)
        self.theta, self.curvature = np.empty(n), np.empty(n if curved else 0)
        self._errors = np.empty(self.n_tiles)
        self._sums = np.empty((self.n_tiles, self.width))

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return sum weight ln(1 + e^-a) and sum weight theta(-a) y (x0, x), for w (1+d,)."""

        def part(first: int, last: int) -> None:
            cross_entropy_of_tiles(
                self.rows, self.y, self.weight, w, self.x0, self.tile, first, last,
                self.theta, self.curvature, self._errors, self._sums,
            )  # fmt: skip

        self._share(part)
        return float(self._errors.cumsum()[-1]), self._sums.sum(axis=0)

    @property
    def apart(self) -> bool:
        """Whether the last pass met no mistake, in floats: theta(-a) < 1/2 for every row."""
        return bool((self.theta < 0.5).all())

    def bent(self, v: Floats) -> Floats:
        """Return Z' D Z v for the curvature D of the last pass and v (1+d,)."""

        def part(first: int, last: int) -> None:
            curved_of_tiles(
                self.rows, self.curvature, v, self.x0, self.tile, first, last, self._sums
            )

        self._share(part)
        return np.asarray(self._sums.sum(axis=0))

    def squares(self) -> Floats:
        """Return the diagonal of Z' D Z (1+d,)."""

        def part(first: int, last: int) -> None:
            squares_of_tiles(self.rows, self.curvature, self.x0, self.tile, first, last, self._sums)

        self._share(part)
        return np.asarray(self._sums.sum(axis=0))

    def _share(self, part: Callable[[int, int], None]) -> None:
        if self.n_tiles == 1:
            part(0, 1)
            return
        runs = shares(range(self.n_tiles), 4 * n_threads())
        jobs = [_of_run(part, run[0], run[-1] + 1) for run in runs]
        for _ in in_threads(jobs):
            pass


def _of_run(part: Callable[[int, int], None], first: int, last: int) -> Callable[[], None]:
    return lambda: part(first, last)


def _light_rows(X: Points) -> Untyped:
    """Return what kernels take; sparse indices unsigned, which they need not check for signs."""
    if not sp.issparse(X):
        return X
    unsigned = X.indices.view(np.uint32 if X.indices.itemsize == 4 else np.uint64)
    return X.data, unsigned, X.indptr.astype(np.int64)
