"""How uncertain coefficients are: the covariance B M B, by the model or by residuals.

B = (A' V A)^-1 and M is A' V A itself, A' diag(w e^2) A with the corrections HC0 to HC3 (White
1980; MacKinnon & White 1985), or sums of w e a over clusters (Liang & Zeger 1986).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Sample, dense
from separatrix.learners.least_squares.least_squares import power_of_two_scale
from separatrix.learners.logistic.newton import Place
from separatrix.tiles import one_blas_thread

ROBUST = ("HC0", "HC1", "HC2", "HC3")

Indices = NDArray[np.int64]


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


def columns_at(place: Place, sample: Sample) -> tuple[Floats, Floats]:
    """Return the independent columns A (N, k) of rows at a place, and what makes weights of c."""
    own = slice(0 if place.basis is None and place.x0 else 1, None)
    A = place.columns(dense(sample.X, "a covariance of coefficients"))[:, own]
    return np.ascontiguousarray(A), place.back[:, own]


def standard_errors(
    place: Place,
    sample: Sample,
    curvature: Floats,
    residual: Floats,
    spread: Spread,
    *,
    n: float,
    parameters: int,
    variance: float = 1.0,
) -> Floats:
    """Return standard errors (1+d,), NaN of columns left out at the place.

    Rows have a curvature, weights included, and a residual without; n is the weight of all rows.
    The variance is what the usual ones are to be multiplied by.
    """
    (A, back), weight = columns_at(place, sample), sample.weight
    k = A.shape[1]
    if k == 0:
        return np.full(sample.d + 1, np.nan)
    with one_blas_thread():
        half = A * np.sqrt(curvature)[:, np.newaxis]
        R = scipy.linalg.qr(half, mode="r", check_finite=False)[0][:k]
    half = scipy.linalg.solve_triangular(R, np.eye(k), check_finite=False)  # R^-1
    to_table = back @ half
    size = power_of_two_scale(to_table.T)  # squares of tiny ones would be 0
    to_table *= size[:, np.newaxis]
    if spread.usual:
        meat = np.eye(k) * variance
    elif spread.groups is not None:
        A = A @ half  # rows of A R^-1
        groups = np.unique(spread.groups, return_inverse=True)[1]
        sums = np.zeros((int(groups.max(initial=0)) + 1, k))
        np.add.at(sums, groups, A * (residual * weight)[:, np.newaxis])
        many = len(sums)
        factor = many / (many - 1.0) * (n - 1.0) / (n - parameters)
        meat = factor * (sums.T @ sums)
    else:
        A = A @ half
        scale = np.sqrt(weight)
        if spread.robust in ("HC2", "HC3"):
            share = curvature / weight  # of one copy of the row
            leverage = share * (A * A).sum(axis=1)
            scale *= (1.0 - leverage) ** (-0.5 if spread.robust == "HC2" else -1.0)
        scores = A * (residual * scale)[:, np.newaxis]
        meat = scores.T @ scores
        if spread.robust == "HC1":
            meat = meat * n / (n - parameters)
    errors = np.sqrt(np.diag(to_table @ meat @ to_table.T)) / size
    return np.where(back.any(axis=1), errors, np.nan)
