"""Least squares for every X: w = X^+ y, the shortest of all minimisers, and the rank.

Four ways. One-hot tables have their widest category eliminated (`elimination`); wide ones are
interpolated. Where any other is well-conditioned, its Gram matrix and corrections from X
(`normal_equations`). Everywhere else Householder QR with column pivoting, completed to the minimum-
norm solution where the rank falls short (Golub & Van Loan, section 5.5). Columns are scaled by
powers of two (exact) before the rank is judged, so that units do not decide it; the shortest
minimiser is taken in the user's own units afterwards, since scaling changes what "shortest" means.
Solution and residuals are refined together, with errors in twice the precision: that leaves every
digit of the answer for the very floats that were given up to condition numbers of 1e8 or so, and
most of them up to 1e12 (Bjorck 1967; Demmel, Hida, Riedy & Li 2009).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix.data import Floats, InputError, Points, as_rows, dense
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.smooth.normal_equations import unexplained
from separatrix.learners.least_squares.elimination import least_squares_by_elimination
from separatrix.learners.least_squares.normal_equations import (
    least_squares_by_gram,
    leverages_by_gram,
)
from separatrix.tiles import one_blas_thread

Indices = NDArray[np.int64]

MODERATE = 200  # powers of two: squares of such y can be summed
REFINEMENTS = 12
LARGE = 1 << 16  # numbers in a table of no more rows than columns
NEARLY = 1e-6  # of the longest column in scaled units: less may be a collinear one's remainder


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """A minimiser of the sum of weight (y - w.x)^2."""

    weights: Floats  # float64 array (1+d,) w_0 first; 0.0 without an intercept
    rank: int
    residuals: Floats  # float64 array (N,) y - w.x; (0,) of a table in blocks
    near_singular: bool = False  # whether some column may be collinear; `collinear_columns` decides


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
    """Return the shortest w (1+d,) that minimises sum weight (y - w.(x0, x))^2."""
    _, size = np.frexp(max(y.max(), -y.min()))  # a power of two: squares of huge y overflow
    if abs(size) < MODERATE:
        of_one_hot = least_squares_by_elimination(X, y, weight, x0)
        if of_one_hot is not None:
            weights, rank = of_one_hot
            residuals = y - signed_scores(as_rows(X), y.size, weights, 1.0)
            return LeastSquares(weights, rank, residuals)
        of_rows = _interpolating(X, y, weight, x0)
        if of_rows is not None:
            return LeastSquares(
                of_rows, y.size, y - signed_scores(as_rows(X), y.size, of_rows, 1.0)
            )
        found = least_squares_by_gram(X, y, weight, x0)
        if found is not None:
            w, residuals = found
            return LeastSquares(w, w.size - (0 if x0 else 1), residuals)
    weights, factors = _by_factors(X, np.ldexp(y, -size), np.sqrt(weight), x0)  # exact
    with np.errstate(over="ignore", invalid="ignore"):
        weights = refuse_overflown(np.ldexp(weights, size))
    residuals = y - signed_scores(as_rows(X), y.size, weights, 1.0)
    return LeastSquares(weights, factors.rank, residuals, factors.near_singular)


def refuse_overflown(weights: Floats) -> Floats:
    """Return weights (1+d,), or raise `InputError` where they overflow."""
    if not np.isfinite(weights).all():
        raise InputError(
            "the least-squares weights overflow float64: some columns of X are too small, or too "
            "large, for such y. Multiply those columns by a power of two (exact, and the same "
            "question)."
        )
    return weights


def _interpolating(X: Points, y: Floats, weight: Floats, x0: float) -> Floats | None:
    """Return the shortest w (1+d,) with the score y_n on every row; None where floats doubt it.

    It minimises any weighted sum of squares. w = A' v with A A' v = y, for A the rows (x0, x): a
    system as large as the rows, and corrected by what it leaves.
    """
    n, d = X.shape
    if n > d or n * d < LARGE or not weight.all() or sp.issparse(X):
        return None
    with one_blas_thread(), np.errstate(all="ignore"):
        A = augmented(X, x0)
        rows = np.ldexp(1.0, -np.frexp(np.abs(A).max(axis=1))[1])
        A *= rows[:, np.newaxis]
        G = A @ A.T
        L, failed = lapack.dpotrf(G, lower=1)
        if failed or not np.diag(L).min() > NEARLY * np.diag(L).max():
            return None
        left, w, last = y * rows, np.zeros(d + 1), np.inf
        enough = float(np.finfo(np.float64).eps) * float(np.abs(left).max())
        for _ in range(REFINEMENTS):
            w += lapack.dpotrs(L, left, lower=1)[0] @ A
            left = y * rows - A @ w
            moved = float(np.abs(left).max())
            if moved <= enough or not moved <= last / 2.0:
                break
            last = moved
        fits = float(np.abs(left / rows).max()) <= NEARLY * float(np.abs(y).max())
    return w if fits and np.isfinite(w).all() else None


def row_leverages(X: Points, x0: float) -> Floats:
    """Return the diagonal of X X^+ (N,) without forming it: squared row lengths of Q."""
    leverages = leverages_by_gram(X, x0)
    if leverages is not None:
        return leverages
    A = augmented(X, x0)
    Q = factorised(A * power_of_two_scale(A)).Q
    return np.asarray((Q * Q).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Factors:
    """A[:, pivot] = Q R, cut to the numerical rank: Q (N, rank), R (rank, 1+d)."""

    Q: Floats
    R: Floats
    pivot: Indices

    @property
    def rank(self) -> int:
        """Number of independent columns, judged in scaled units."""
        return int(self.R.shape[0])

    @property
    def near_singular(self) -> bool:
        """Whether some column may be collinear, in exact arithmetic or but for rounding."""
        size = np.abs(np.diag(self.R))
        return self.rank < self.R.shape[1] or bool(size[-1] <= NEARLY * size[0])

    def null_space(self) -> Floats:
        """Return a basis (1+d, missing) of {v : A v = 0}, in scaled units."""
        missing = self.R.shape[1] - self.rank
        null = np.zeros((self.R.shape[1], missing))
        null[self.pivot[: self.rank]] = -scipy.linalg.solve_triangular(
            self.R[:, : self.rank], self.R[:, self.rank :], check_finite=False
        )
        null[self.pivot[self.rank :]] = np.eye(missing)
        return null

    def row_space(self, scale: Floats) -> tuple[Floats, Floats, Indices, Indices]:
        """Return F' = (R P' S^-1)' as G, T, pivot and the order of its rows (1+d,).

        S = diag(scale) takes F to the user's units, and F'[order][:, pivot] = G T with orthonormal
        columns in G. Rows in falling order keep small units accurate beside large ones (Cox &
        Higham 1998).
        """
        transposed = np.empty((scale.size, self.rank))
        transposed[self.pivot] = self.R.T
        transposed /= scale[:, np.newaxis]
        order = np.argsort(-np.abs(transposed).max(axis=1), kind="stable")
        G, T, pivot = scipy.linalg.qr(
            transposed[order], mode="economic", pivoting=True, check_finite=False
        )
        return G, T, pivot, order

    def collinear(self) -> NDArray[np.bool_]:
        """Return which columns (1+d,) take part in a dependency: their weights are free."""
        null = self.null_space()
        tolerance = self.R.shape[1] * np.sqrt(np.finfo(np.float64).eps)
        return np.asarray((np.abs(null) > tolerance).any(axis=1))


def factorised(A: Floats, n_rows: int = 0) -> Factors:
    """Return the pivoted QR of A (N, 1+d), its rank judged at eps max(N, 1+d)."""
    with one_blas_thread():
        Q, R, pivot = scipy.linalg.qr(A, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    tolerance = diagonal[0] * max(*A.shape, n_rows) * np.finfo(np.float64).eps
    rank = int((diagonal > tolerance).sum())
    return Factors(Q[:, :rank], R[:rank], pivot.astype(np.int64))


def _by_factors(X: Points, y: Floats, root: Floats, x0: float) -> tuple[Floats, Factors]:
    """Return the shortest minimiser (1+d,) and the factors, by QR of the whole table."""
    A = augmented(X, x0)
    scale = power_of_two_scale(A)
    A *= scale
    factors = factorised(A * root[:, np.newaxis])
    weights = np.zeros(scale.size)
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        basic = factors.pivot[: factors.rank]
        weights[basic] = _refined(A[:, basic], y, root, factors)
        return shortest(weights * scale, factors, scale), factors


def _refined(A: Floats, y: Floats, root: Floats, factors: Factors) -> Floats:
    """Return the c (rank,) that minimises |root (y - A c)|, for A = the independent columns.

    r and c solve r + root A c = root y, (root A)' r = 0; what a pair leaves of these is solved for
    again, as long as that shrinks.
    """
    Q, R = factors.Q, factors.R[:, : factors.rank]
    c, residuals, last = np.zeros(factors.rank), np.zeros(y.size), np.inf
    for _ in range(REFINEMENTS):
        left, sums = unexplained(A, y, root, c, residuals)
        along = Q.T @ left - scipy.linalg.solve_triangular(R, sums, trans="T", check_finite=False)
        step = scipy.linalg.solve_triangular(R, along, check_finite=False)
        moved = float(np.abs(step).max(initial=0.0))
        if not moved <= last / 2.0:
            break
        c += step
        residuals += left - Q @ along
        last = moved
        if moved <= np.finfo(np.float64).eps * np.abs(c).max(initial=0.0):
            break
    return c


def shortest(weights: Floats, factors: Factors, scale: Floats) -> Floats:
    """Return the minimiser closest to 0 that has the scores of `weights` (1+d,).

    With F = R P' S^-1 in the user's units the row space of the table is that of F, and the shortest
    minimiser is the part of any minimiser in it: G G' w for F' = G T (`Factors.row_space`). Where
    units are so far apart that F' vanishes in part, the given minimiser is returned.
    """
    if factors.rank == scale.size:
        return weights
    if factors.rank == 0:
        return np.zeros_like(weights)
    with one_blas_thread():
        G, T, pivot, falling = factors.row_space(scale)
        # T' (G' w) = F w are the scores in the basis Q; w itself would bring its null part along
        scores = factors.R @ (weights / scale)[factors.pivot]
        if not np.diag(T).all():
            return weights
        inside = scipy.linalg.solve_triangular(T, scores[pivot], trans="T", check_finite=False)
        answer = np.empty_like(weights)
        answer[falling] = G @ inside
    return answer
