"""Least squares for every X: w = X^+ y, the shortest of all minimisers, and the rank.

Columns are scaled by powers of two (exact) before the rank is judged, so that units do not decide
it; the shortest minimiser is taken in the user's own units afterwards, since scaling changes what
"shortest" means. The decomposition is Householder QR with column pivoting, completed to the
minimum-norm solution where the rank falls short (Golub & Van Loan, section 5.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Points, dense
from separatrix.tiles import one_blas_thread


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """A minimiser of the sum of weight (y - w.x)^2.

    Parameters
    ----------
    weights : float64 array (1+d,)
        w_0 first; 0.0 without an intercept.
    rank : int
        Rank of the table with its constant column, judged in floats at eps max(N, 1+d) on columns
        scaled by powers of two; `separability(X, y).rank` is exact.
    """

    weights: Floats
    rank: int


def power_of_two_scale(A: Floats) -> Floats:
    """Return 2^-k per column (d,), k the exponent of its largest entry; 1 for a zero column."""
    largest = np.abs(A).max(axis=0, initial=0.0)
    _, exponents = np.frexp(largest)
    return np.ldexp(1.0, np.where(largest > 0.0, -np.clip(exponents, -1000, 1000), 0))


def augmented(X: Points, x0: float) -> Floats:
    """Return (x0, X) as a dense array (N, 1+d)."""
    points = dense(X, "a dense table")
    return np.column_stack((np.full(points.shape[0], x0), points))


def least_squares(X: Points, y: Floats, weight: Floats, x0: float) -> LeastSquares:
    """Return the shortest w (1+d,) that minimises sum weight (y - w.(x0, x))^2.

    Parameters
    ----------
    X : (N, d) points
    y : (N,)
    weight : (N,)
        k stands for k copies of the row.
    x0 : 1.0 with an intercept, 0.0 without
    """
    A = augmented(X, x0)
    scale = power_of_two_scale(A)
    root = np.sqrt(weight)
    A *= scale
    A *= root[:, np.newaxis]
    factors = factorised(A)
    _, size = np.frexp(np.abs(y).max(initial=0.0))  # a power of two: sums of huge y overflow
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        weights = _solve(A, factors, root * np.ldexp(y, -size))
        weights = np.ldexp(shortest(weights * scale, factors, scale), size)
    if not np.isfinite(weights).all():
        raise InputError(
            "the least-squares weights overflow float64: some columns of X are too small for such "
            "y. Multiply those columns by a power of two (exact, and the same question)."
        )
    return LeastSquares(weights, factors.rank)


def row_leverages(X: Points, x0: float) -> Floats:
    """Return the diagonal of X X^+ (N,) without forming it: squared row lengths of Q."""
    A = augmented(X, x0)
    Q = factorised(A * power_of_two_scale(A)).Q
    return np.asarray((Q * Q).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Factors:
    """A[:, pivot] = Q R, cut to the numerical rank: Q (N, rank), R (rank, 1+d)."""

    Q: Floats
    R: Floats
    pivot: NDArray[np.int64]

    @property
    def rank(self) -> int:
        """Number of independent columns, judged in scaled units."""
        return int(self.R.shape[0])

    def null_space(self) -> Floats:
        """Return a basis (1+d, missing) of {v : A v = 0}, in scaled units."""
        missing = self.R.shape[1] - self.rank
        null = np.zeros((self.R.shape[1], missing))
        null[self.pivot[: self.rank]] = -scipy.linalg.solve_triangular(
            self.R[:, : self.rank], self.R[:, self.rank :], check_finite=False
        )
        null[self.pivot[self.rank :]] = np.eye(missing)
        return null

    def collinear(self) -> NDArray[np.bool_]:
        """Return which columns (1+d,) take part in a dependency: their weights are free."""
        null = self.null_space()
        tolerance = self.R.shape[1] * np.sqrt(np.finfo(np.float64).eps)
        return np.asarray((np.abs(null) > tolerance).any(axis=1))


def factorised(A: Floats) -> Factors:
    """Return the pivoted QR of A (N, 1+d), its rank judged at eps max(N, 1+d)."""
    with one_blas_thread():
        Q, R, pivot = scipy.linalg.qr(A, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    tolerance = diagonal[0] * max(A.shape) * np.finfo(np.float64).eps
    rank = int((diagonal > tolerance).sum())
    return Factors(Q[:, :rank], R[:rank], pivot.astype(np.int64))


def _solve(A: Floats, factors: Factors, target: Floats) -> Floats:
    """Return the basic solution in scaled columns, refined once from its own residual."""
    weights = np.zeros(A.shape[1])
    basic = factors.pivot[: factors.rank]
    for _ in range(2):
        residual = factors.Q.T @ (target - A @ weights)
        weights[basic] += scipy.linalg.solve_triangular(
            factors.R[:, : factors.rank], residual, check_finite=False
        )
    return weights


def shortest(weights: Floats, factors: Factors, scale: Floats) -> Floats:
    """Return the minimiser closest to 0 that has the scores of `weights` (1+d,).

    With F = R P' S^-1 in the user's units the row space of the table is that of F, and the shortest
    minimiser is the part of any minimiser in it: G G' w for F' = G T. Rows of F' are taken in
    falling order, which keeps small units accurate beside large ones (Cox & Higham 1998).
    """
    if factors.rank == scale.size:
        return weights
    if factors.rank == 0:
        return np.zeros_like(weights)
    transposed = np.empty((scale.size, factors.rank))  # F'
    transposed[factors.pivot] = factors.R.T
    transposed /= scale[:, np.newaxis]
    falling = np.argsort(-np.abs(transposed).max(axis=1), kind="stable")
    with one_blas_thread():
        G, T, pivot = scipy.linalg.qr(
            transposed[falling], mode="economic", pivoting=True, check_finite=False
        )
        # T' (G' w) = F w are the scores in the basis Q; w itself would bring its null part along
        scores = factors.R @ (weights / scale)[factors.pivot]
        inside = scipy.linalg.solve_triangular(T, scores[pivot], trans="T", check_finite=False)
        answer = np.empty_like(weights)
        answer[falling] = G @ inside
    return answer
