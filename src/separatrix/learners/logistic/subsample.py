"""Some of the rows that stand for all: their Newton steps, and the factor of their Hessian.

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
from separatrix.learners.logistic.objective import Passes
from separatrix.tiles import tiled_sum

# Of a column of sqrt(D) Z beside what the columns before it leave of it: a Hessian is near to
# singular, or too near for sums in float32, where one is larger.
LARGEST_SPREAD = 1e4
LARGEST_SHORT_SPREAD = 1e2
SHORT_WIDTH = 64  # from which on float32 pays: its products take half the time

MOST_STEPS = 20
RARE = 1 / 8  # a class with a smaller share of the rows is drawn from more often


@dataclass(frozen=True, slots=True)
class Units:
    """Coordinates c (1+d,) with scores c_0 + sum c_j scale_j (x_j - centre_j).

    Without an intercept c_0 stays 0 and nothing is centred.
    """

    centre: Floats
    scale: Floats
    penalty: Floats

    @property
    def penalised(self) -> bool:
        """Whether columns are."""
        return bool((self.penalty[1:] > 0.0).any())

    def weights(self, c: Floats) -> Floats:
        """Return the weights (1+d,) of the table's own columns."""
        w = c * self.scale
        w[0] -= w[1:] @ self.centre[1:]
        return np.asarray(w)

    def coordinates(self, weights: Floats) -> Floats:
        """Return c for weights (1+d,)."""
        c = weights / self.scale
        c[0] += weights[1:] @ self.centre[1:]
        return np.asarray(c)

    def pulled(self, pull: Floats) -> Floats:
        """Return a sum over rows of factors times (x0, x) in these coordinates."""
        moved = (pull - pull[0] * self.centre) * self.scale
        moved[0] = pull[0]
        return np.asarray(moved)


def units_of(rows: Floats, x0: float, C: float) -> Units:
    """Return units in which the rows (n, d) have a mean near 0 and a spread near 1."""
    centre = rows.mean(axis=0) if x0 else np.zeros(rows.shape[1])
    largest = np.maximum(rows.max(axis=0) - centre, centre - rows.min(axis=0))
    _, exponent = np.frexp(largest)
    size = np.ldexp(1.0, np.clip(exponent, -1000, 1000))  # squares of the rest do not overflow
    rest = (rows - centre) / size
    spread = size * np.sqrt(np.einsum("nj,nj->j", rest, rest) / len(rest))
    scale = 1.0 / np.where((spread > 0.0) & np.isfinite(spread), spread, size)
    penalty = np.concatenate(([0.0 if x0 else 1.0], scale * scale / C))
    return Units(np.concatenate(([0.0], centre)), np.concatenate(([1.0], scale)), penalty)


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


def dense_rows(X: Points) -> Floats:
    """Return a few rows as a dense array."""
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def _rows_at(X: Points, chosen: NDArray[np.int64]) -> Points:
    """Return the chosen rows; `take` copies whole rows, twice as fast as an index does."""
    return X[chosen] if sp.issparse(X) else X.take(chosen, axis=0)


class Part:
    """Rows of a sample, with weights that make their sums stand for those of all rows."""

    def __init__(self, sample: Sample, n: int, x0: float) -> None:
        self.chosen, copies = spread_rows(sample.y, n)
        self.whole = len(self.chosen) == sample.n
        self.rows = sample.X if self.whole else _rows_at(sample.X, self.chosen)
        self.x0, self.y = x0, sample.y[self.chosen]
        self.weight = sample.weight[self.chosen]
        self.rate = float(copies.max())
        self.passes = Passes(self.rows, self.y, self.weight * copies, x0, curved=True)

    @property
    def apart(self) -> bool:
        """Whether the last pass met no mistake, in floats."""
        return self.passes.apart

    def value(self, c: Floats, units: Units) -> tuple[float, Floats]:
        """Return the sum of errors with its penalty, and minus its gradient, at c."""
        error, pull = self.passes.at(units.weights(c))
        penalty = units.penalty
        return error + 0.5 * float(penalty @ (c * c)), units.pulled(pull) - penalty * c

    def hessian(self, units: Units, kind: type[np.floating]) -> Floats:
        """Return Z' D Z + penalty (1+d, 1+d) for the curvature of the last pass."""
        root = np.sqrt(self.passes.curvature)

        def part(tile: slice) -> Floats:
            Z = np.empty((tile.stop - tile.start, units.scale.size), dtype=kind)
            table = dense_rows(self.rows[tile]) - units.centre[1:]
            table *= units.scale[1:]
            np.multiply(table, root[tile, np.newaxis], out=Z[:, 1:], casting="same_kind")
            Z[:, 0] = self.x0 * root[tile]
            return np.asarray(Z.T @ Z, dtype=np.float64)

        return tiled_sum(len(self.chosen), part) + np.diag(units.penalty)

    def scores(self, c: Floats, units: Units) -> Floats:
        """Return the scores (n,) of c."""
        w = units.weights(c)
        return np.asarray(self.rows @ w[1:] + self.x0 * w[0])

    def pull(self, factors: Floats, units: Units) -> Floats:
        """Return the sum of factors (n,) times the rows (1+d,) in these units."""
        raw = np.concatenate(([self.x0 * factors.sum()], factors @ self.rows))
        return units.pulled(raw)


@dataclass(frozen=True, slots=True)
class Factor:
    """The Cholesky factor of the Hessian of a part, with the curvature (n,) that it belongs to."""

    part: Part
    lower: Floats
    curvature: Floats

    def solve(self, pull: Floats) -> Floats:
        """Return H^-1 pull."""
        return np.asarray(lapack.dpotrs(self.lower, pull, lower=1)[0])


def factor_of(
    part: Part, units: Units, kinds: Sequence[type[np.floating]] = (np.float32, np.float64)
) -> Factor | None:
    """Return the factor for the curvature of the last pass; None where H is near to singular.

    It is summed in the first of the `kinds` that is precise enough; the first is for wide rows.
    """
    short = units.scale.size >= SHORT_WIDTH
    for kind in kinds if short else kinds[-1:]:
        largest = LARGEST_SPREAD if kind is np.float64 else LARGEST_SHORT_SPREAD
        hessian = part.hessian(units, kind)
        lower, failed = lapack.dpotrf(hessian, lower=1)
        # what is left of each column beside the others, whatever the units of the columns
        left = np.diag(lower) / np.sqrt(np.diag(hessian))
        if not failed and left.min() * largest >= 1.0:
            return Factor(part, lower, part.passes.curvature.copy())
    return None


def settled_on(part: Part, units: Units, c: Floats, enough: float) -> tuple[Floats, Factor] | None:
    """Return a minimiser on the part, up to a decrease of `enough`, and the last factor.

    None where the Hessian is near to singular, or the steps do not end: rows that are separable,
    say, though all rows together need not be.
    """
    value, pull = part.value(c, units)
    for _ in range(MOST_STEPS):
        factor = factor_of(part, units)
        if factor is None:
            return None
        step = factor.solve(pull)
        t = 1.0
        moved, moved_pull = part.value(c + step, units)
        while not moved < value:
            t *= 0.5
            if t < 1e-6:
                return None
            moved, moved_pull = part.value(c + t * step, units)
        c, value, pull = c + t * step, moved, moved_pull
        if part.apart and not units.penalised:
            return None
        decrease = float(pull @ factor.solve(pull))  # by the factor at hand
        if decrease <= min(2.0 * enough, 0.1 * value):  # where no minimiser is, it is the value
            if units.scale.size < SHORT_WIDTH:  # a fresh one costs little beside a pass
                factor = factor_of(part, units) or factor
            return c + factor.solve(pull), factor
    return None
