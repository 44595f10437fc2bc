"""Least squares of a table in blocks: a few reads, and no array of all rows.

The Gram matrix and its corrections are those of a table in memory, tile by tile, so that the answer
has the same bytes. Where they are not safe, the triangle R of the QR decomposition is found tile by
tile (tall-skinny QR; Golub & Van Loan, section 5.2.9), each tile's triangle put under those before
it, in the order of the rows. The solution is corrected by R'R s = A'(y - A c), whose right side is
taken from the rows in twice the precision (the corrected seminormal equations; Bjorck 1996, section
6.6.5). A table of few numbers is read whole.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import scipy.linalg

from separatrix.data import Floats, InputError, Sample
from separatrix.kernels.smooth import normal_equations as kernel
from separatrix.learners.least_squares.collinear import collinear_of, squares_left
from separatrix.learners.least_squares.least_squares import (
    MODERATE,
    Factors,
    LeastSquares,
    factorised,
    least_squares,
    power_of_two_scale,
    refuse_overflown,
    shortest,
)
from separatrix.learners.least_squares.normal_equations import (
    FIRST_ROWS,
    LEAST_ROWS_PER_COLUMN,
    minimiser_by_gram,
)
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, stack_of_runs, stack_of_tiles, tiles

FEW_NUMBERS = 1 << 20  # 8 MiB, an eighth of the least budget: such a table is read whole
READS = 8


def least_squares_in_blocks(table: Rows, x0: float) -> LeastSquares:
    """Return what `least_squares` does; without residuals, which take as much room as the rows."""
    n, d = table.shape
    few = few_numbers(table)
    if few or n < LEAST_ROWS_PER_COLUMN * (1 + d):
        if not (few or table.fits_in_memory):
            raise InputError(
                f"the table has {n:,} rows and {d:,} columns: with so few rows for each column it "
                "is solved as a whole, and it does not fit into the memory budget. Raise --memory, "
                "or leave columns out."
            )
        of = whole_in_doubles(table)
        return least_squares(of.X, of.y, of.weight, x0)
    weights = minimiser_by_gram(ReadsInBlocks(table, x0))
    if weights is not None:
        return LeastSquares(weights, weights.size - (0 if x0 else 1), np.empty(0))
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        return _by_triangle(table, x0)


def collinear_in_blocks(
    solution: LeastSquares, table: Rows, x0: float
) -> dict[int, tuple[int, ...]]:
    """Return the columns that others make up but for rounding, as `collinear_columns` does."""
    return collinear_of(RowsInBlocks(table), x0) if solution.near_singular else {}


class RowsInBlocks:
    """The rows of a table in blocks, to look for collinear columns."""

    def __init__(self, table: Rows) -> None:
        self.table, self.shape = table, table.shape

    def every(self, step: int) -> Floats:
        """Return every step-th row."""
        return doubles(self.table.take(np.arange(0, self.shape[0], step)).X)

    def left(self, weights: Floats, constant: Floats) -> Floats:
        """Return the sums of squares over all rows."""
        return self.table.sum(_squares_left, weights, constant)


def _squares_left(block: Block, weights: Floats, constant: Floats) -> Floats:
    X = block.sample.X

    def part(tile: slice) -> Floats:
        return squares_left(doubles(X[tile]), weights, constant)

    with one_blas_thread():
        return stack_of_tiles(block.n, part)


class ReadsInBlocks:
    """What `minimiser_by_gram` reads of a table in blocks."""

    def __init__(self, table: Rows, x0: float) -> None:
        self.table, self.x0 = table, x0
        self.n, self.d = table.shape
        self._last = np.zeros(1 + self.d)

    def first(self) -> Floats:
        """Return the first rows."""
        return doubles(self.table.source.read(0, min(self.n, FIRST_ROWS)).X)

    def gram(self, shift: Floats, scale: Floats, kind: type[np.floating]) -> Floats:
        """Return sum z z'; nothing where y is of such a size that its squares are doubtful."""
        G = self.table.sum(_grams, shift, scale, kind)
        size = float(np.sqrt(G[self.d + 1, self.d + 1] / G[0, 0]))
        if size and not 2.0**-MODERATE < size < 2.0**MODERATE:
            G[:] = np.nan
        return G

    def left(self, w: Floats) -> Floats:
        """Return the sum of weight residual (x0, x)."""
        self._last = w
        return self.table.sum(_left, w, self.x0)

    def left_squares(self) -> float:
        """Return the sum of weight residual^2, which is rarely asked for, by a read of its own."""
        return float(self.table.sum(_left_squares, self._last, self.x0)[0])


def few_numbers(table: Rows) -> bool:
    """Whether a table is so small that it is read whole, whatever the memory budget."""
    return table.n * (table.d + 2) <= FEW_NUMBERS


def whole_in_doubles(table: Rows) -> Sample:
    """Return all rows of a small table, as a fit in memory reads them."""
    of = table.whole()
    return replace(of, X=doubles(of.X))


def doubles(X: Floats) -> Floats:
    """Return rows as float64, as kernels take them: the rows themselves where they are."""
    return np.ascontiguousarray(X, dtype=np.float64)


def _grams(block: Block, shift: Floats, scale: Floats, kind: type[np.floating]) -> Floats:
    """Return sum z z' over each tile: (tiles, m, m)."""
    of, zero = block.sample, np.zeros(1, dtype=kind)

    def part(tile: slice) -> Floats:
        X, y, root = of.X[tile], of.y[tile], np.sqrt(of.weight[tile])
        made: Floats = kernel.gram(X, y, root, 0, y.size, shift, scale, zero)
        return made

    return stack_of_tiles(block.n, part)


def _left(block: Block, w: Floats, x0: float) -> Floats:
    """Return the sums of weight residual (x0, x) over each tile: (tiles, 1+d)."""
    return stack_of_runs(block.n, lambda start, stop: _residuals(block, start, stop, w, x0)[0])


def _left_squares(block: Block, w: Floats, x0: float) -> Floats:
    """Return the sum of weight residual^2 over each tile: (tiles, 1)."""

    def part(start: int, stop: int) -> Floats:
        residuals, weight = _residuals(block, start, stop, w, x0)[1], block.sample.weight
        squares = residuals**2
        each = [weight[start:stop][tile] @ squares[tile] for tile in tiles(stop - start)]
        return np.array(each)[:, np.newaxis]

    with one_blas_thread():
        return stack_of_runs(block.n, part)


def _residuals(block: Block, start: int, stop: int, w: Floats, x0: float) -> tuple[Floats, Floats]:
    """Return the sums of `_left` for rows start, ..., stop - 1, and their residuals."""
    of, residuals = block.sample, np.empty(stop - start)
    X, y, weight = of.X[start:stop], of.y[start:stop], of.weight[start:stop]
    single = X.dtype == np.float32
    sums_of = kernel.residuals_and_sums_of_singles if single else kernel.residuals_and_sums
    return sums_of((X, y, weight, x0), w, residuals, 0, y.size, TILE), residuals


# ---------------------------------------------------------------------- tall-skinny QR


def _by_triangle(table: Rows, x0: float) -> LeastSquares:
    """Return the shortest minimiser by the triangle of root weight (x0, x, y)."""
    n, d = table.shape
    triangle = table.reduce(_triangles, put_under, np.zeros((0, d + 2)), x0)
    R, z = triangle[: d + 1, :-1], triangle[: d + 1, -1]
    scale = power_of_two_scale(R)
    factors = factorised(R * scale, n)
    basic = factors.pivot[: factors.rank]
    weights = np.zeros(d + 1)
    if factors.rank:
        weights[basic] = _corrected(table, x0, factors, scale, z)
    return LeastSquares(
        refuse_overflown(shortest(weights * scale, factors, scale)),
        factors.rank,
        np.empty(0),
        factors.near_singular,
    )


def _triangles(block: Block, x0: float) -> Floats:
    """Return R of root weight (x0, x, y) for each tile: (tiles, k, k), k = 2 + d."""
    of = block.sample
    root, k = np.sqrt(of.weight), of.d + 2

    def part(tile: slice) -> Floats:
        A = padded(tile.stop - tile.start, k)
        rows = A[: tile.stop - tile.start]
        rows[:, 0], rows[:, 1:-1], rows[:, -1] = x0, of.X[tile], of.y[tile]
        rows *= root[tile, np.newaxis]
        return triangle_of(A)

    with one_blas_thread():
        return stack_of_tiles(block.n, part)


def padded(n: int, k: int) -> Floats:
    """Return room for n rows of k columns, as LAPACK takes it, and rows of 0 up to k of them."""
    A = np.empty((max(k, n), k), order="F")
    A[n:] = 0.0
    return A


def triangle_of(A: Floats) -> Floats:
    """Return R (k, k) of A (n, k), n >= k, which is overwritten."""
    R: Floats = scipy.linalg.qr(A, mode="r", overwrite_a=True, check_finite=False)[0]
    return R[: A.shape[1]]


def put_under(total: Floats, stack: Floats) -> Floats:
    """Return the triangle of the rows of `total`, and then of each of the stack."""
    for R in stack:
        total = triangle_of(np.asfortranarray(np.vstack((total, R))))
    return total


def _corrected(table: Rows, x0: float, factors: Factors, scale: Floats, z: Floats) -> Floats:
    """Return c (rank,) that minimises |root weight (y - A c)|, A the independent scaled columns.

    It begins at R c = Q'z and is corrected as long as that makes the steps shorter.
    """
    R, basic = factors.R[:, : factors.rank], factors.pivot[: factors.rank]
    solve = partial(scipy.linalg.solve_triangular, R, check_finite=False)
    c, last = solve(factors.Q.T @ z), np.inf
    eps = float(np.finfo(np.float64).eps)
    for _ in range(READS):
        along = solve(-table.sum(_left_by_columns, basic, scale[basic], c, x0), trans="T")
        moved = float(np.linalg.norm(along))
        if not moved <= last / 2.0:
            break
        c = c + solve(along)
        if moved <= eps * float(np.linalg.norm(z)):
            break
        last = moved
    return np.asarray(c)


def _left_by_columns(block: Block, columns: Floats, scale: Floats, c: Floats, x0: float) -> Floats:
    """Return -A' weight (y - A c) of each tile, summed in twice the precision: (tiles, rank)."""
    of = block.sample
    root, nothing = np.sqrt(of.weight), np.zeros_like(c)

    def part(tile: slice) -> Floats:
        table = np.column_stack((np.full(tile.stop - tile.start, x0), of.X[tile]))
        A = np.asfortranarray(table[:, columns] * scale)
        zero = np.zeros(len(A))
        left, _ = kernel.unexplained(A, of.y[tile], root[tile], c, zero)
        _, sums = kernel.unexplained(A, zero, root[tile], nothing, left)
        return np.asarray(sums)

    return stack_of_tiles(block.n, part)
