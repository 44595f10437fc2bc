"""A subsample that stands for all rows: its Newton steps, and the factor of its Hessian.

Columns are centred and scaled by what the rows show, so that neither units nor offsets matter; the
table itself is never changed. Rows are drawn at even steps through the table, or through each class
where one is rare, so that neither sorted rows nor rare classes do harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix.data import Floats, Points, Sample
from separatrix.learners.logistic.line_search import Backtracking
from separatrix.learners.logistic.objective import Objective, Scaling, TiledRows
from separatrix.tiles import tiled_sum

# Of a column of sqrt(D) Z beside what the columns before it leave of it: a Hessian is near to
# singular, or too near for sums in float32, where one is larger.
LARGEST_SPREAD = 1e4
LARGEST_SHORT_SPREAD = 1e2
SHORT_WIDTH = 64  # from which on float32 pays: its products take half the time

MOST_STEPS = 20
LINE_SEARCH = Backtracking(least=1e-6)
RARE = 1 / 8  # a class with a smaller share of the rows is drawn from more often


def spread_rows(y: Floats, n: int) -> tuple[NDArray[np.int64], Floats]:
    """Return about n of the rows, ascending, and how many rows each of them stands for."""
    rng = np.random.default_rng(0)
    yes = round((len(y) + float(y.sum())) / 2)
    if n >= len(y) or min(yes, len(y) - yes) >= RARE * len(y):
        chosen = _even(len(y), n, rng)
        return chosen, np.full(len(chosen), len(y) / len(chosen))
    found = []
    for rows in (np.flatnonzero(y < 0.0), np.flatnonzero(y > 0.0)):
        chosen = rows[_even(len(rows), max(n // 4, n * len(rows) // len(y)), rng)]
        found.append((chosen, np.full(len(chosen), len(rows) / len(chosen))))
    chosen, copies = (np.concatenate(both) for both in zip(*found, strict=True))
    order = np.argsort(chosen)
    return chosen[order], copies[order]


def _even(n: int, m: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return m of 0, ..., n - 1 at even steps, with jitter against periodic rows."""
    if m >= n:
        return np.arange(n)
    starts = np.arange(m + 1) * n // m
    return starts[:-1] + (rng.random(m) * np.diff(starts)).astype(np.int64)


def _dense_rows(X: Points) -> Floats:
    """Return a few rows as a dense array."""
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def _rows_at(X: Points, chosen: NDArray[np.int64]) -> Points:
    """Return the chosen rows; `take` copies whole rows, twice as fast as an index does."""
    return X[chosen] if sp.issparse(X) else X.take(chosen, axis=0)


class Subsample(Objective[TiledRows]):
    """The objective over some rows, with weights that make their sums stand for those of all."""

    def __init__(self, sample: Sample, n: int, x0: float, scaling: Scaling | float) -> None:
        self.chosen, copies = spread_rows(sample.y, n)
        self.whole = len(self.chosen) == sample.n
        self.X = sample.X if self.whole else _rows_at(sample.X, self.chosen)
        self.x0, self.y = x0, sample.y[self.chosen]
        self.weight = sample.weight[self.chosen]
        self.rate = float(copies.max())  # rows that one of these stands for, at most
        if not isinstance(scaling, Scaling):
            scaling = Scaling.of(_dense_rows(self.X), x0, scaling)
        rows = TiledRows(self.X, self.y, self.weight * copies, x0, curved=True)
        super().__init__(rows, scaling)

    def hessian(self, kind: type[np.floating]) -> Floats:
        """Return Z' D Z + penalty (1+d, 1+d) for the curvature at the last place."""
        scaling, root = self.scaling, np.sqrt(self.source.curvature)

        def part(tile: slice) -> Floats:
            Z = np.empty((tile.stop - tile.start, scaling.scale.size), dtype=kind)
            table = _dense_rows(self.X[tile]) - scaling.centre[1:]
            table *= scaling.scale[1:]
            np.multiply(table, root[tile, np.newaxis], out=Z[:, 1:], casting="same_kind")
            Z[:, 0] = self.x0 * root[tile]
            return np.asarray(Z.T @ Z, dtype=np.float64)

        return tiled_sum(len(self.chosen), part) + np.diag(scaling.penalty)

    def scores(self, c: Floats) -> Floats:
        """Return the scores (n,) of c."""
        w = self.scaling.weights(c)
        return np.asarray(self.X @ w[1:] + self.x0 * w[0])

    def combination(self, factors: Floats) -> Floats:
        """Return the sum of factors (n,) times the rows (1+d,) in these coordinates."""
        of_rows = np.concatenate(([self.x0 * factors.sum()], factors @ self.X))
        return self.scaling.combination(of_rows)


@dataclass(frozen=True, slots=True)
class CholeskyFactor:
    """The Cholesky factor of the Hessian of a subsample, with the curvature (n,) that made it."""

    of: Subsample
    lower: Floats
    curvature: Floats

    def solve(self, gradient: Floats) -> Floats:
        """Return H^-1 gradient."""
        return np.asarray(lapack.dpotrs(self.lower, gradient, lower=1)[0])


def factorised_hessian(
    rows: Subsample, kinds: Sequence[type[np.floating]] = (np.float32, np.float64)
) -> CholeskyFactor | None:
    """Return the factor for the curvature at the last place; None where H is near to singular."""
    short = rows.scaling.scale.size >= SHORT_WIDTH
    for kind in kinds if short else kinds[-1:]:
        largest = LARGEST_SPREAD if kind is np.float64 else LARGEST_SHORT_SPREAD
        hessian = rows.hessian(kind)
        lower, failed = lapack.dpotrf(hessian, lower=1)
        # what is left of each column beside the others, whatever the units of the columns
        left = np.diag(lower) / np.sqrt(np.diag(hessian))
        if not failed and left.min() * largest >= 1.0:
            return CholeskyFactor(rows, lower, rows.source.curvature.copy())
    return None


def minimised_on(rows: Subsample, c: Floats, enough: float) -> tuple[Floats, CholeskyFactor] | None:
    """Return a minimiser on a subsample by Newton's method, and the last factor."""
    value, gradient = rows.at(c)
    for _ in range(MOST_STEPS):
        factor = factorised_hessian(rows)
        if factor is None:
            return None
        step = -factor.solve(gradient)
        found = LINE_SEARCH.search(rows.along(c, step), value)
        if found is None:
            return None
        t, value, gradient = found
        c = c + t * step
        if rows.source.separated and not rows.scaling.penalised:
            return None
        decrease = float(gradient @ factor.solve(gradient))  # by the factor at hand
        if decrease <= min(2.0 * enough, 0.1 * value):  # where no minimiser is, it is the value
            if rows.scaling.scale.size < SHORT_WIDTH:  # a fresh one costs little beside a pass
                factor = factorised_hessian(rows) or factor
            return c - factor.solve(gradient), factor
    return None
