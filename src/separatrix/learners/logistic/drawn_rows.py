"""A subsample that stands for all rows: its Newton steps, and the factor of its Hessian.

Rows of each label are drawn at even steps through each tile: sorted rows and rare classes are safe.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix.data import Floats, Points, Sample, in_full, rows_at, stacked
from separatrix.kernels.smooth import normal_equations
from separatrix.learners.least_squares.normal_equations import doubles
from separatrix.learners.logistic.objective import Objective, Scaling, TiledRows, weighed
from separatrix.learners.logistic.steps import Backtracking
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, tiled_sum

# Of a column of sqrt(D) Z beside what the columns before it leave of it: a Hessian is near to
# singular where one is larger.
LARGEST_SPREAD = 1e4
NARROW = 64  # coordinates, below which a fresh factor costs little beside a pass

MOST_STEPS = 20
LINE_SEARCH = Backtracking(least=1e-6)
GOLDEN = 0.6180339887498949  # its multiples spread over [0, 1): jitter against periodic rows


def even(n: int, m: int) -> NDArray[np.int64]:
    """Return about m of 0, ..., n - 1, at even steps; all of them where m is not much less."""
    one = np.array([n])
    return _even(one, quotas(one, np.array([m])), 0)


def quotas(counts: NDArray[np.int64], wanted: Floats) -> NDArray[np.int64]:
    """Return how many of `counts` to draw: `wanted`, or all where these are more than half."""
    few = np.ceil(wanted).astype(np.int64)
    return np.where(2 * few > counts, counts, few)


def _even(counts: NDArray[np.int64], drawn: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
    """Return which items of runs of these lengths, one after another, stand at even steps."""
    run = np.repeat(np.arange(len(counts)), drawn)
    k = np.arange(len(run)) - np.repeat(np.cumsum(drawn) - drawn, drawn)
    moved = 0.5 * (GOLDEN * (k + 1 + shift + run) % 1.0)
    each = counts / np.maximum(1, drawn)
    steps = np.where((drawn < counts)[run], (k + moved) * each[run], k)
    return np.asarray((np.cumsum(counts) - counts)[run] + steps.astype(np.int64))


@dataclass(frozen=True, slots=True)
class Few:
    """Some rows (n,) of a table, ascending, and how many rows each of them stands for."""

    sample: Sample  # their weights are above 0, those of their labels included
    chosen: NDArray[np.int64]
    copies: Floats

    @classmethod
    def all_of(cls, sample: Sample) -> Few:
        """Return all rows of a sample."""
        return cls(sample, np.arange(sample.n), np.ones(sample.n))

    @classmethod
    def drawn(cls, table: Rows, n: int, factors: Floats) -> Few:
        """Return about n rows, from one read."""
        parts = table.map(_drawn, n / table.n, factors)
        y, weight, chosen, copies = zip(*(part[1:] for part in parts), strict=True)
        points = [part[0] for part in parts]
        del parts
        assert table.classes is not None  # noqa: S101  # yes and no
        labels, weights = np.concatenate(y), np.concatenate(weight)
        sample = Sample(_joined(points), labels, table.classes, weights, table.x0)
        return cls(sample, np.concatenate(chosen), np.concatenate(copies))

    def fewer(self, n: int) -> Few:
        """Return about n of them, at even steps."""
        of, kept = self.sample, even(self.sample.n, n)
        if len(kept) == of.n:
            return self
        sample = replace(of, X=rows_at(of.X, kept), y=of.y[kept], weight=of.weight[kept])
        return Few(sample, self.chosen[kept], self.copies[kept] * (of.n / len(kept)))


def _joined(parts: list[Points]) -> Points:
    """Return rows below one another; each part is given up when it is copied."""
    if len(parts) == 1 or sp.issparse(parts[0]):
        return stacked(parts)
    parts.reverse()
    whole, filled = np.empty((sum(map(len, parts)), parts[0].shape[1])), 0
    while parts:
        part = parts.pop()
        whole[filled : filled + len(part)] = part
        filled += len(part)
    return whole


def _drawn(
    block: Block, share: float, factors: Floats
) -> tuple[Points, Floats, Floats, NDArray[np.int64], Floats]:
    """Return a share of the rows of each tile, and how many each stands for."""
    of, weight, first = block.sample, weighed(block.sample, factors), block.start // TILE
    cuts = np.array([*range(0, of.n, TILE), of.n])
    labels = [np.flatnonzero((of.y * sign > 0.0) & (weight > 0.0)) for sign in (-1.0, 1.0)]
    counts = [np.diff(np.searchsorted(rows, cuts)) for rows in labels]
    wanted = share * np.diff(cuts)
    of_label = [wanted * np.maximum(0.25, n / np.maximum(1, sum(counts))) for n in counts]
    drawn = [quotas(n, m) for n, m in zip(counts, of_label, strict=True)]
    found = [rows[_even(n, m, first)] for rows, n, m in zip(labels, counts, drawn, strict=True)]
    copies = [np.repeat(n / np.maximum(1, m), m) for n, m in zip(counts, drawn, strict=True)]
    order = np.argsort(np.concatenate(found), kind="stable")
    chosen = np.concatenate(found)[order]
    X = of.X if len(chosen) == of.n else rows_at(of.X, chosen)
    stands_for = np.concatenate(copies)[order]
    return doubles(X), of.y[chosen], weight[chosen], chosen + block.start, stands_for


class Subsample(Objective[TiledRows]):
    """The objective over some rows, with weights that make their sums stand for those of all."""

    def __init__(self, few: Few, scaling: Scaling | float) -> None:
        self.few, self.x0 = few, few.sample.x0
        self.X, self.y, self.weight = few.sample.X, few.sample.y, few.sample.weight
        self.rate = float(few.copies.max())  # rows that one of these stands for, at most
        if not isinstance(scaling, Scaling):
            scaling = Scaling.of(in_full(self.X), self.x0, scaling)
        rows = TiledRows(few.sample, self.weight * few.copies, curved=True)
        super().__init__(rows, scaling)

    def hessian(self) -> Floats:
        """Return Z' D Z + penalty (1+d, 1+d) for the curvature at the last place."""
        return self.gram(self.source.curvature) + np.diag(self.scaling.penalty)

    def gram(self, d: Floats) -> Floats:
        """Return Z' diag(d) Z (1+d, 1+d), for d (n,)."""
        scaling, root, k = self.scaling, np.sqrt(d), self.scaling.scale.size
        nothing, ones, zero = np.zeros(k - 1), np.ones(k - 1), np.zeros(1)

        def part(tile: slice) -> Floats:
            X, y, own = self.X[tile], self.y[tile], root[tile]
            if 2 * np.count_nonzero(own) < own.size:
                X, y, own = X[own > 0.0], y[own > 0.0], own[own > 0.0]
            Z = in_full(X) - scaling.centre[1:]
            Z *= scaling.scale[1:]
            G: Floats = normal_equations.gram(Z, y, own, 0, own.size, nothing, ones, zero)
            return G[:k, :k]

        G = np.triu(tiled_sum(len(self.y), part))
        G[0] *= self.x0
        return np.asarray(G + np.triu(G, 1).T)

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


def factorised_hessian(rows: Subsample) -> CholeskyFactor | None:
    """Return the factor for the curvature at the last place; None where H is near to singular."""
    lower = cholesky(rows.hessian())
    return None if lower is None else CholeskyFactor(rows, lower, rows.source.curvature.copy())


def cholesky(hessian: Floats, largest: float = LARGEST_SPREAD) -> Floats | None:
    """Return the lower Cholesky factor of a Hessian; None where it is near to singular."""
    lower, failed = lapack.dpotrf(hessian, lower=1)
    # what is left of each column beside the others, whatever the units of the columns
    left = np.diag(lower) / np.sqrt(np.diag(hessian))
    return None if failed or not left.min() * largest >= 1.0 else np.asarray(lower)


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
            if rows.scaling.scale.size < NARROW:  # a fresh one costs little beside a pass
                factor = factorised_hessian(rows) or factor
            return c - factor.solve(gradient), factor
    return None
