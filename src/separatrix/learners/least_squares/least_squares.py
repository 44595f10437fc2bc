"""Least squares for every X: w = X^+ y, the shortest of all minimisers, and the rank.

By corrected normal equations where they are safe, else by tall-skinny QR with column pivoting
(Golub & Van Loan, sections 5.2.9 and 5.5). Columns are scaled by powers of two before the rank is
judged; the shortest minimiser is taken in the user's units. Solutions are refined by the seminormal
equations with errors in twice the precision (Bjorck 1996, section 6.6.5; Demmel et al. 2009).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix.data import Floats, InputError, Sample, dense
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.smooth.normal_equations import sums_left
from separatrix.learners.least_squares.elimination import least_squares_by_elimination
from separatrix.learners.least_squares.normal_equations import (
    LEAST_ROWS_PER_COLUMN,
    MODERATE,
    doubles,
    minimiser_by_gram,
)
from separatrix.scale import Block, Rows
from separatrix.tiles import one_blas_thread, stack_of_tiles

Indices = NDArray[np.int64]

FEW_NUMBERS = 1 << 20  # 8 MiB, an eighth of the least budget: such a table is read whole
REFINEMENTS = 12
LEAST_SIZE = -2000  # a power of two below those of doubles
LARGE = 1 << 16  # numbers in a table of no more rows than columns
NEARLY = 1e-6  # of the longest column in scaled units: less may be a collinear one's remainder


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """A minimiser of the sum of weight (y - w.x)^2."""

    weights: Floats  # float64 array (1+d,) w_0 first; 0.0 without an intercept
    rank: int
    residuals: Floats  # float64 array (N,) y - w.x of rows in memory; (0,) of others
    near_singular: bool = False  # whether some column may be collinear; `collinear_of` decides


def power_of_two_scale(A: Floats) -> Floats:
    """Return 2^-k per column (d,), k the exponent of its largest entry; 1 for a zero column."""
    largest = np.abs(A).max(axis=0, initial=0.0)
    _, exponents = np.frexp(largest)
    return np.ldexp(1.0, np.where(largest > 0.0, -np.clip(exponents, -1000, 1000), 0))


def augmented(of: Sample) -> Floats:
    """Return the rows (x0, x) as a dense array (N, 1+d)."""
    return np.column_stack((np.full(of.n, of.x0), dense(of.X, "a dense table")))


def least_squares(rows: Rows) -> LeastSquares:
    """Return the shortest w (1+d,) that minimises sum weight (y - w.(x0, x))^2."""
    asked, near_singular = rows.in_memory, False
    if few_numbers(rows):
        rows = Rows.of(whole_in_doubles(rows))
    found = least_squares_by_elimination(rows)
    if found is None and rows.n < LEAST_ROWS_PER_COLUMN * (1 + rows.d):
        if rows.in_memory is None and not rows.fits_in_memory:
            raise InputError(
                f"the table has {rows.n:,} rows and {rows.d:,} columns: with so few rows for each "
                "column it is solved as a whole, and it does not fit into the memory budget. Raise "
                "--memory, or leave columns out."
            )
        whole = whole_in_doubles(rows)
        rows, found = Rows.of(whole), _interpolating(whole)
    residuals = np.empty(0 if asked is None else rows.n)
    if found is None:
        weights = minimiser_by_gram(rows, residuals)
        if weights is not None:
            return LeastSquares(weights, weights.size - (0 if rows.x0 else 1), residuals)
        weights, factors = _by_triangle(rows)
        found, near_singular = (weights, factors.rank), factors.near_singular
    weights, rank = found
    if asked is not None:
        residuals = asked.y - signed_scores(asked.rows, asked.n, weights, 1.0)
    return LeastSquares(weights, rank, residuals, near_singular)


def few_numbers(rows: Rows) -> bool:
    """Whether a table is so small that it is read whole, whatever the memory budget."""
    return rows.n * (rows.d + 2) <= FEW_NUMBERS


def whole_in_doubles(rows: Rows) -> Sample:
    """Return all rows, as a fit of arrays reads them."""
    of = rows.whole()
    return replace(of, X=doubles(of.X))


def _size_of(y: Floats) -> int:
    """Return the power of two above the largest y: squares of huge ones overflow."""
    return int(np.frexp(max(y.max(), -y.min()))[1])


def _interpolating(of: Sample) -> tuple[Floats, int] | None:
    """Return the shortest w = A' v with score y_n on every row, and N; None where in doubt."""
    (n, d), X, y = of.X.shape, of.X, of.y
    if n > d or n * d < LARGE or not of.weight.all() or sp.issparse(X):
        return None
    if abs(_size_of(y)) >= MODERATE:
        return None
    with one_blas_thread(), np.errstate(all="ignore"):
        A = augmented(of)
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
    return (w, n) if fits and np.isfinite(w).all() else None


def row_leverages(A: Floats) -> Floats:
    """Return the diagonal of A A^+ (N,) without forming it: squared row lengths of Q."""
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
    def basic(self) -> Indices:
        """The independent columns (rank,)."""
        return self.pivot[: self.rank]

    @property
    def near_singular(self) -> bool:
        """Whether some column may be collinear, in exact arithmetic or but for rounding."""
        size = np.abs(np.diag(self.R))
        return self.rank < self.R.shape[1] or bool(size[-1] <= NEARLY * size[0])

    @property
    def inverse(self) -> Floats:
        """R^-1 (rank, rank) of the independent columns."""
        R, ones = self.R[:, : self.rank], np.eye(self.rank)
        return np.asarray(scipy.linalg.solve_triangular(R, ones, check_finite=False))

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
        """Return G, T, pivot, order: F'[order][:, pivot] = G T, F = R P' S^-1 (Cox & Higham)."""
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


# ---------------------------------------------------------------------- tall-skinny QR


@dataclass(frozen=True, slots=True)
class _Scaled:
    """Columns of (x0, x) times a scale, and y times 2^-size."""

    columns: Indices
    scale: Floats
    size: int


def _by_triangle(rows: Rows) -> tuple[Floats, Factors]:
    """Return the shortest minimiser (1+d,) and the factors, by the triangle of the table."""
    n, d = rows.shape
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        size = rows.reduce(_size_of_block, max, LEAST_SIZE)
        if n <= d:  # as a square it would be larger than the table
            of = rows.whole()
            points = dense(of.X, "a dense table")
            A = np.empty((n, d + 2), order="F")
            triangle = triangle_of(_weighed(A, points, of, slice(None), size))
        else:
            triangle = rows.reduce(_triangles, put_under, np.zeros((0, d + 2)), size)
        R, z = triangle[: d + 1, :-1], triangle[: d + 1, -1]
        scale = power_of_two_scale(R)
        factors = factorised(R * scale, n)
        c = scipy.linalg.solve_triangular(
            factors.R[:, : factors.rank], factors.Q.T @ z, check_finite=False
        )
        if factors.rank:
            asked = _Scaled(factors.basic, scale[factors.basic], size)
            c = _corrected(rows, asked, factors, c)
        return _shortest(c, factors, scale, size), factors


def _size_of_block(block: Block) -> int:
    return _size_of(block.sample.y)


def _triangles(block: Block, size: int) -> Floats:
    """Return R of root weight (x0, x, y 2^-size) for each tile: (tiles, k, k), k = 2 + d."""
    of = block.sample

    def part(tile: slice) -> Floats:
        A, points = padded(tile.stop - tile.start, of.d + 2), dense(of.X[tile], "a tile")
        _weighed(A[: len(points)], points, of, tile, size)
        return triangle_of(A)

    with one_blas_thread():
        return stack_of_tiles(block.n, part)


def _weighed(A: Floats, points: Floats, of: Sample, rows: slice, size: int) -> Floats:
    """Write root weight (x0, x, y 2^-size) of some rows into A."""
    A[:, 0], A[:, 1:-1], A[:, -1] = of.x0, points, np.ldexp(of.y[rows], -size)
    A *= np.sqrt(of.weight[rows, np.newaxis])
    return A


def padded(n: int, k: int) -> Floats:
    """Return room for n rows of k columns, as LAPACK takes it, and rows of 0 up to k of them."""
    A = np.empty((max(k, n), k), order="F")
    A[n:] = 0.0
    return A


def triangle_of(A: Floats) -> Floats:
    """Return R (k, k) of A (n, k), n >= k, which is overwritten."""
    R: Floats = scipy.linalg.qr(A, mode="r", overwrite_a=True, check_finite=False)[0]
    return R[: A.shape[1]].copy()  # not a view of all rows


def put_under(total: Floats, stack: Floats) -> Floats:
    """Return the triangle of the rows of `total`, and then of each of the stack."""
    for R in stack:
        total = triangle_of(np.asfortranarray(np.vstack((total, R))))
    return total


def _corrected(rows: Rows, asked: _Scaled, factors: Factors, c: Floats) -> Floats:
    """Return the c (rank,) that minimises |root weight (y - A c)|, A the columns asked for."""
    solve = partial(scipy.linalg.solve_triangular, factors.R[:, : factors.rank], check_finite=False)
    last, low, nothing = np.inf, np.zeros_like(c), np.zeros((2, factors.rank))
    for _ in range(REFINEMENTS):
        sums = rows.reduce(_sums_left, _added_twice, nothing, asked, np.array([c, low]))
        step = solve(solve(sums.sum(axis=0), trans="T"))
        moved = float(np.abs(step).max())
        if not moved <= last / 2.0:
            break
        low, before, last = low + step, c, moved
        c = c + low
        low -= c - before
        if moved <= np.finfo(np.float64).eps * np.abs(c).max():
            break
    return c


def _sums_left(block: Block, asked: _Scaled, c: Floats) -> Floats:
    """Return A' weight (y - A c) of each tile in twice the precision: (tiles, 2, rank)."""
    of = block.sample

    def part(tile: slice) -> Floats:
        X = dense(of.X[tile], "a tile")
        table = np.column_stack((np.full(len(X), of.x0), X))
        A = np.ascontiguousarray(table[:, asked.columns] * asked.scale)
        made: Floats = sums_left(A, np.ldexp(of.y[tile], -asked.size), of.weight[tile], c)
        return made

    return stack_of_tiles(block.n, part)


def _added_twice(total: Floats, stack: Floats) -> Floats:
    """Return sums (2, k) in twice the precision with those of further tiles (Knuth 1998)."""
    high, low = total
    for a, b in stack:
        s = high + a
        c = s - high
        low = low + ((high - (s - c)) + (a - c) + b)
        high = s
    return np.array([high, low])


def _shortest(c: Floats, factors: Factors, scale: Floats, size: int) -> Floats:
    """Return the shortest minimiser (1+d,) for y of that of y 2^-size, c (rank,)."""
    weights = np.zeros(scale.size)
    weights[factors.basic] = c
    weights = np.ldexp(shortest(weights * scale, factors, scale), size)
    if not np.isfinite(weights).all():
        raise InputError(
            "the least-squares weights overflow float64: some columns of X are too small, or too "
            "large, for such y. Multiply those columns by a power of two (exact, and the same "
            "question)."
        )
    return weights


def shortest(weights: Floats, factors: Factors, scale: Floats) -> Floats:
    """Return G G' w, the shortest line with the scores of w; w itself where F' vanishes in part."""
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


class OrthonormalColumns:
    """Columns M (N, rank), Q of the pivoted QR: cut to the rank."""

    def __init__(self, of: Sample) -> None:
        table = augmented(of)
        self.scale = power_of_two_scale(table)
        self._factors = factorised(table * self.scale)
        self.M, self.basic = self._factors.Q, self._factors.basic  # of independent columns

    @property
    def near_singular(self) -> bool:
        """Whether some column may be collinear, in exact arithmetic or but for rounding."""
        return self._factors.near_singular

    def weights(self, c: Floats) -> Floats:
        """Return the shortest w with scores Q c."""
        return shortest(self.basic_weights(c), self._factors, self.scale)

    def basic_weights(self, c: Floats) -> Floats:
        """Return the w with scores Q c that is 0 off a basis of the columns."""
        factors = self._factors
        w = np.zeros(self.scale.size)
        w[self.basic] = scipy.linalg.solve_triangular(
            factors.R[:, : factors.rank], c, check_finite=False
        )
        return np.asarray(w * self.scale)

    def back(self) -> Floats:
        """Return the weights (1+d, rank) of each column of M; NaN for collinear columns."""
        factors = self._factors
        weights = np.full((self.scale.size, factors.rank), np.nan)
        if factors.rank:
            weights[self.basic] = factors.inverse * self.scale[self.basic, np.newaxis]
            weights[factors.collinear()] = np.nan
        return weights

    def log_determinant(self) -> float:
        """Return ln det(A'A) / 2 of the independent columns A of the table, in the user's units."""
        sizes = np.abs(np.diag(self._factors.R))
        return float((np.log(sizes) - np.log(self.scale[self.basic])).sum())
