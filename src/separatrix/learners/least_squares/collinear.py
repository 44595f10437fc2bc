"""Columns that others make up but for rounding: which to leave out, and what makes them up.

By QR with column pivoting of standardised columns (Golub & Van Loan, section 5.4.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from separatrix.data import Floats, dense
from separatrix.exact.integers import column_exponents, columns_outside, integer_rows
from separatrix.learners.least_squares.least_squares import power_of_two_scale
from separatrix.learners.least_squares.normal_equations import doubles
from separatrix.scale import Block, Rows
from separatrix.tiles import one_blas_thread

# A column is collinear but for rounding when what the others leave of it, in units of its spread,
# is at most max(LEAST, eps max(N, d)) times the largest size / spread of the columns concerned: by
# that their doubles are coarser. Above it dual points still balance exactly, within a gap of 1e-8
# (random tables with one such column, 1000 x 15 and smaller). Above MOST no column is, unless its
# own doubles are coarser still: ROUNDINGS eps size / spread, and at most COARSEST.
LEAST = 1e-11
MOST = 1e-7
ROUNDINGS = 4.0
COARSEST = 1e-3

FEWEST_ROWS = 4096  # that propose; rows of long tables besides these confirm
ROWS_PER_COLUMN = 4
EARLIER = 2.0**-20  # by how much earlier columns are preferred where two could stand for each other

Indices = NDArray[np.int64]


def collinear_of(rows: Rows) -> dict[int, tuple[int, ...]]:
    """Return the columns to leave out, by the rows that have a weight, each with its makers."""
    n, d = int(rows.sum(_counted)[0]), rows.d
    step = max(1, n // max(FEWEST_ROWS, ROWS_PER_COLUMN * d))
    with one_blas_thread():
        units, table = standardised(_every(rows, step), rows.x0)
        found = _dependent(table, units, rows.x0, n)
        if found is None:
            return {}
        if step > 1:
            found = found.confirmed(rows, n, units)
        found = found.inexact(rows, n, units)
    made = {}
    for j in sorted(found.factors):
        share = np.abs(found.factors[j]) > found.thresholds[j]
        makers = units.columns[found.kept[share]] + 1
        made[int(units.columns[j]) + 1] = tuple(sorted(makers.tolist()))
    return made


def _counted(block: Block) -> Floats:
    """Return how many rows of a block have a weight: (1, 1)."""
    return np.array([[np.count_nonzero(block.sample.weight)]], dtype=np.float64)


def _every(rows: Rows, step: int) -> Floats:
    """Return every step-th of the rows that have a weight, dense."""
    nothing: tuple[int, list[Floats]] = (0, [])
    return np.vstack(rows.fold(_taken, nothing, step)[1])


def _taken(block: Block, state: tuple[int, list[Floats]], step: int) -> tuple[int, list[Floats]]:
    """Return how many rows there were up to the end of a block, and those taken."""
    before, taken = state
    there = np.flatnonzero(block.sample.weight)
    X = block.sample.X[there[-before % step :: step]]
    return before + there.size, [*taken, dense(doubles(X), "a look at its columns")]


def _squares_left(block: Block, weights: Floats, constant: Floats) -> Floats:
    """Return the sums over each tile of (x.weights - constant)^2: (tiles, m)."""
    of = block.sample

    def part(tile: slice) -> Floats:
        left = np.asarray(weights.T @ doubles(of.X[tile]).T)
        left -= constant[:, np.newaxis]
        left *= of.weight[tile] > 0.0
        return np.asarray(np.einsum("jn,jn->j", left, left))

    with one_blas_thread():
        return block.sums_of_tiles(part)


@dataclass(frozen=True, slots=True)
class _Units:
    """Standardised columns (x scale - centre) / spread of those that are not constant (k,)."""

    columns: Indices
    scale: Floats
    centre: Floats
    spread: Floats
    coarseness: Floats


def standardised(X: Floats, x0: float) -> tuple[_Units, Floats]:
    """Return the units of rows X (n, d), and the rows in these; nothing is centred without x0."""
    columns = np.flatnonzero((X[0] != X).any(axis=0) if x0 else X.any(axis=0))
    table = X.take(columns, axis=1)
    scale = power_of_two_scale(table)
    table *= scale
    centre = np.zeros(columns.size)
    for _ in range(2 * int(x0)):  # the second takes away what rounding left of the mean
        mean = table.mean(axis=0)
        table -= mean
        centre += mean
    spread = np.sqrt(np.mean(table * table, axis=0))
    table /= spread
    return _Units(columns, scale, centre, spread, np.hypot(centre / spread, 1.0)), table


@dataclass(frozen=True, slots=True)
class _Dependent:
    """What makes up columns, by their place among the k that are not constant."""

    kept: Indices  # (r,) the independent ones
    factors: dict[int, Floats]
    thresholds: dict[int, float]  # {left out: what rounding may leave of it}

    def only(self, left_out: list[int]) -> _Dependent:
        """Return it for some of the columns left out."""
        return _Dependent(self.kept, {j: self.factors[j] for j in left_out}, self.thresholds)

    def confirmed(self, rows: Rows, n: int, units: _Units) -> _Dependent:
        """Return it for the columns that are made up so on all n rows."""
        left_out = list(self.factors)
        weights = np.zeros((units.columns.size, len(left_out)))
        weights[self.kept] = np.column_stack(list(self.factors.values()))
        weights[left_out, np.arange(len(left_out))] = -1.0
        weights /= units.spread[:, np.newaxis]
        constant = units.centre @ weights
        of_all = np.zeros((rows.d, len(left_out)))
        of_all[units.columns] = weights * units.scale[:, np.newaxis]

        with np.errstate(over="ignore", invalid="ignore"):
            left = np.sqrt(rows.sum(_squares_left, of_all, constant) / n)
        return self.only(
            [j for j, a in zip(left_out, left, strict=True) if a <= self.thresholds[j]]
        )

    def inexact(self, rows: Rows, n: int, units: _Units) -> _Dependent:
        """Return it for the columns that the kept ones do not make up exactly."""
        kept, others = units.columns[self.kept], list(self.factors)
        x0 = int(rows.x0)
        width = kept.size + len(others) + x0
        found: set[int] = set()
        for many in (4, 64) if others else ():
            X = _every(rows, max(1, n // (many * width)))
            values = np.column_stack([
                np.ones((len(X), x0)), X[:, kept], X[:, units.columns[others]],
            ])  # fmt: skip
            first = kept.size + x0
            outside = columns_outside(integer_rows(values, column_exponents(values)), first)
            found |= {others[j - first] for j in outside}
            if len(found) == len(others):
                break
        return self.only([j for j in others if j in found])


def _dependent(table: Floats, units: _Units, x0: float, n: int) -> _Dependent | None:
    m, k = table.shape
    if min(m, k) == 0:
        return None
    triangle = scipy.linalg.qr(table, mode="r", check_finite=False)[0][:k]
    preferred = 1.0 - EARLIER * np.arange(k) / k
    R, order = scipy.linalg.qr(triangle * preferred, mode="r", pivoting=True, check_finite=False)
    left = np.zeros(k)
    left[: len(R)] = np.abs(np.diag(R)) / np.abs(R[0, 0])
    eps, coarse = float(np.finfo(np.float64).eps), units.coarseness[order]
    within = np.append(left <= np.clip(ROUNDINGS * eps * coarse, MOST, COARSEST), True)
    rank = int(within.argmax())
    shares = np.abs(_factors(R, rank)) > MOST
    concerned = np.where(shares, coarse[:rank, np.newaxis], 1.0).max(axis=0, initial=1.0)
    concerned = np.maximum(concerned, coarse[rank:])
    most = np.clip(ROUNDINGS * eps * concerned, MOST, COARSEST)
    thresholds = np.minimum(most, max(LEAST, eps * max(n, k)) * concerned)
    above = np.flatnonzero(left[rank:] > thresholds)
    more = int(above[-1]) + 1 if above.size else 0
    rank, thresholds = rank + more, thresholds[more:]
    if rank == k or rank + int(x0) >= m:
        return None
    factors = _factors(R, rank) * preferred[order[:rank], np.newaxis] / preferred[order[rank:]]
    return _Dependent(
        order[:rank].astype(np.int64),
        dict(zip(order[rank:].tolist(), factors.T, strict=True)),
        dict(zip(order[rank:].tolist(), thresholds.tolist(), strict=True)),
    )


def _factors(R: Floats, rank: int) -> Floats:
    """Return what the first columns contribute to each of the others (rank, k - rank)."""
    return np.asarray(
        scipy.linalg.solve_triangular(R[:rank, :rank], R[:rank, rank:], check_finite=False)
    )
