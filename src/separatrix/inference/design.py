"""Rows of a regression in independent columns, and the covariance B M B of its coefficients.

B = (A' V A)^-1 and M is A' V A itself, A' diag(w e^2) A with the corrections HC0 to HC3 (White
1980; MacKinnon & White 1985), or sums of w e a over clusters (Liang & Zeger 1986).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Sample, dense
from separatrix.exact.signed_rows import SignedRows
from separatrix.learners.least_squares.collinear import standardised
from separatrix.learners.least_squares.least_squares import factorised, power_of_two_scale
from separatrix.tiles import one_blas_thread

ROBUST = ("HC0", "HC1", "HC2", "HC3")
DEPENDENT = 1e-10  # of the columns' spread: what is left of a dependent one beside the others
CONSTANT = 1e-13  # of a column's mean: the spread of one that is constant but for rounding

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Design:
    """N rows in k independent columns: b (k,) = back @ c, with A c the scores."""

    A: Floats  # (N, k) Columns less their means, in units of their spread
    columns: Indices  # (k,) Indices in (1+d,) of the columns that they are
    back: Floats  # (k, k) From weights in these units to weights in the table's
    sample: Sample

    @classmethod
    def of(cls, sample: Sample, left_out: Iterable[int] = ()) -> Design:
        points, x0 = dense(sample.X, "a covariance of coefficients"), sample.x0
        others = np.setdiff1d(np.arange(1, sample.d + 1), list(left_out))
        units, A = standardised(points.take(others - 1, axis=1), x0)
        varies = units.spread > CONSTANT * np.sqrt(len(A)) * np.abs(units.centre)
        A, kept = A[:, varies], others[units.columns[varies]]
        spread, scale = units.spread[varies], units.scale[varies]
        means, spread = units.centre[varies] / scale, spread / scale
        if x0:
            A = np.column_stack((np.ones(len(A)), A))
            kept = np.append(0, kept)
            means, spread = np.append(0.0, means), np.append(1.0, spread)
        independent = np.zeros(0, dtype=np.int64)
        if min(A.shape) > 0:
            with one_blas_thread():
                R = scipy.linalg.qr(A, mode="r", check_finite=False)[0][: A.shape[1]]
            found = factorised(R, round(DEPENDENT / np.finfo(np.float64).eps))
            independent = np.sort(found.basic)
        A = np.ascontiguousarray(A[:, independent])
        means, spread, kept = means[independent], spread[independent], kept[independent]
        back = np.diag(1.0 / spread)
        if x0 and kept.size:
            back[0] -= means / spread
        return cls(A, kept.astype(np.int64), back, sample)

    @property
    def rank(self) -> int:
        return int(self.columns.size)

    def from_weights(self, weights: Floats) -> Floats:
        """Return c (k,) with the scores of weights (1+d,)."""
        others = np.setdiff1d(np.flatnonzero(weights), self.columns)
        if others.size == 0:
            size = power_of_two_scale(self.back.T)
            right = weights[self.columns] * size
            return np.asarray(scipy.linalg.solve(self.back * size[:, np.newaxis], right))
        scores = dense(self.sample.X, "scores") @ weights[1:] + weights[0] * self.sample.x0
        return np.asarray(scipy.linalg.lstsq(self.A, scores, check_finite=False)[0])

    def undetermined(self) -> set[int]:
        every = set(range(0 if self.sample.x0 else 1, self.sample.d + 1))
        if self.rank == len(every):
            return set()
        rows = SignedRows(replace(self.sample, y=np.ones(self.sample.n)))
        return set(rows.aliased) | (every - set(self.columns.tolist()))


@dataclass(frozen=True, slots=True)
class Spread:
    """How uncertain coefficients are: by the model, or by the residuals of rows or clusters."""

    robust: str | None = None  # None, "HC0", "HC1", "HC2" or "HC3"
    groups: Indices | None = None  # (N,) codes of clusters, or None

    @classmethod
    def of(cls, robust: str | None, groups: Indices | None) -> Spread:
        if robust is not None and robust not in ROBUST:
            raise InputError(f"robust must be one of {', '.join(ROBUST)}; it is {robust!r}.")
        if robust is not None and groups is not None:
            raise InputError("robust (rows) and groups (clusters of rows) exclude each other.")
        if groups is not None and np.unique(groups).size < 2:
            raise InputError("groups holds one group: clustered errors need two or more.")
        return cls(robust, groups)

    @property
    def usual(self) -> bool:
        """Whether the model is taken at its word."""
        return self.robust is None and self.groups is None

    def only(self, keep: NDArray[np.bool_]) -> Spread:
        return self if self.groups is None else Spread(self.robust, self.groups[keep])

    def __str__(self) -> str:
        if self.groups is not None:
            return f"clustered in {np.unique(self.groups).size:,} groups"
        return self.robust or ""


def standard_errors(
    design: Design,
    curvature: Floats,
    residual: Floats,
    spread: Spread,
    *,
    n: float,
    parameters: int,
    variance: float = 1.0,
) -> Floats:
    """Return the standard errors (k,) of the design's weights, in the table's units.

    Rows have a curvature, weights included, and a residual without; n is the weight of all rows.
    The variance is what the usual ones are to be multiplied by.
    """
    weight = design.sample.weight
    with one_blas_thread():
        half = design.A * np.sqrt(curvature)[:, np.newaxis]
        R = scipy.linalg.qr(half, mode="r", check_finite=False)[0][: design.rank]
    half = scipy.linalg.solve_triangular(R, np.eye(design.rank), check_finite=False)  # R^-1
    to_table = design.back @ half
    size = power_of_two_scale(to_table.T)  # squares of tiny ones would be 0
    to_table *= size[:, np.newaxis]
    if spread.usual:
        return np.asarray(np.sqrt(np.diag(to_table @ to_table.T) * variance) / size)
    A = design.A @ half  # rows of A R^-1
    scores = A * residual[:, np.newaxis]
    if spread.groups is not None:
        groups = np.unique(spread.groups, return_inverse=True)[1]
        sums = np.zeros((int(groups.max(initial=0)) + 1, design.rank))
        np.add.at(sums, groups, scores * weight[:, np.newaxis])
        many = len(sums)
        factor = many / (many - 1.0) * (n - 1.0) / (n - parameters)
        meat = factor * (sums.T @ sums)
    else:
        scale = np.ones(len(A))
        if spread.robust in ("HC2", "HC3"):
            share = curvature / weight  # of one copy of the row
            leverage = share * (A * A).sum(axis=1)
            scale = (1.0 - leverage) ** (-0.5 if spread.robust == "HC2" else -1.0)
        scores = scores * (np.sqrt(weight) * scale)[:, np.newaxis]
        meat = scores.T @ scores
        if spread.robust == "HC1":
            meat = meat * n / (n - parameters)
    return np.asarray(np.sqrt(np.diag(to_table @ meat @ to_table.T)) / size)
