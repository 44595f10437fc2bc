"""Least squares from one read of the rows: the Gram matrix where it is safe, corrected from X.

Corrections by the residuals go on until one moves the scores by no more than rounding (seminormal
equations, Bjorck 1996, section 6.6); for ill-conditioned columns the answer is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from separatrix._types import Untyped
from separatrix.data import Floats, Points, Sample, as_rows, dense
from separatrix.kernels.smooth import normal_equations as kernel
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, tiles

# Below these a QR decomposition costs little, or rows are too few for a well-conditioned table.
LEAST_NUMBERS = 1 << 14
LEAST_ROWS_PER_COLUMN = 4
# From here on products in single precision save more time than the further reads they need.
WIDE = 192

FIRST_ROWS = 256  # by which columns are shifted and scaled
LARGEST, SMALLEST = 1e80, 1e-80  # of a column: no product of three leaves float64's range
LARGEST_MEAN = 1e4  # in units of the column's spread: what a shift costs in digits
MARGIN = 1e2  # between the least eigenvalue and what rounding may have made of 0
MODERATE = 200  # powers of two: squares of such y can be summed
READS = 8
ROUNDINGS = 8.0  # of the scores: smaller corrections are rounding


@dataclass(frozen=True, slots=True)
class NormalEquations:
    """(X - mean)' W (X - mean) = S L L' S with S = diag(1 / scale).

    ``products`` (d,) are those of y with the scaled columns, ``total`` is the sum of the weights,
    ``size_y`` the root of sum weight y^2. ``least`` is the least eigenvalue of L L', estimated,
    ``margin`` that over what rounding moves it by.
    """

    L: Floats
    scale: Floats
    mean: Floats
    mean_y: float
    size_y: float
    products: Floats
    total: float
    least: float
    margin: float

    def solve(self, products: Floats) -> Floats:
        """Return (L L')^-1 products (d,)."""
        return np.asarray(lapack.dpotrs(self.L, products, lower=1)[0])

    def weights(self, a: float, c: Floats) -> Floats:
        """Return w (1+d,) in the user's units from the score a of the mean and scaled c (d,)."""
        w = c * self.scale
        return np.concatenate(([a - self.mean @ w], w))

    def step(self, sums: Floats) -> tuple[float, Floats]:
        """Return what to add to a and c for the sum (1+d,) of weight residual (x0, x)."""
        return sums[0] / self.total, self.solve((sums[1:] - self.mean * sums[0]) * self.scale)

    def moved(self, a: float, c: Floats) -> float:
        """Return the root of sum weight (change of the score)^2 for a step."""
        return float(np.hypot(a * np.sqrt(self.total), np.linalg.norm(self.L.T @ c)))

    def sizes(self, w: Floats, residuals: float) -> float:
        """Return the sizes whose rounding moves the scores of any method, added up."""
        terms = abs(w[0]) + np.abs(self.mean) @ np.abs(w[1:])
        return float(self.size_y + np.sqrt(self.total) * terms + residuals / np.sqrt(self.least))


def rows_of(X: Points, y: Floats, weight: Floats, x0: float = 1.0) -> Rows:
    """Return rows X (N, d), numbers y (N,) and weights (N,) in memory as `Rows`."""
    return Rows.of(Sample(X, y, None, weight, x0))  # type: ignore[arg-type]  # numbers have no classes


def doubles(X: Points) -> Points:
    """Return rows as float64, as kernels take them: the rows themselves where they are."""
    return X if sp.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)


def minimiser_by_gram(rows: Rows, residuals: Floats) -> Floats | None:
    """Return the minimiser w (1+d,), and its residuals in the array; None where QR is needed."""
    with one_blas_thread(), np.errstate(all="ignore"):
        for kind in (np.float32, np.float64) if rows.d >= WIDE else (np.float64,):
            normal = _normal_equations(rows, kind)
            if normal is not None and normal.margin > MARGIN:
                w = _corrected(normal, rows, residuals)
                if w is not None:
                    return w
    return None


def _normal_equations(rows: Rows, kind: type[np.floating]) -> NormalEquations | None:
    """Return the equations, their products rounded to `kind`, or None where they are no good."""
    n, d = rows.shape
    if n * d < LEAST_NUMBERS or n < LEAST_ROWS_PER_COLUMN * (1 + d):
        return None
    first = doubles(dense(rows.source.read(0, min(n, FIRST_ROWS)).X, "a few rows"))
    shift = first.mean(axis=0) * rows.x0
    largest = np.abs(first - shift).max(axis=0)
    scale = np.ldexp(1.0, np.where(largest > 0.0, -np.frexp(largest)[1], 0))
    if not ((scale < LARGEST) & (scale > SMALLEST)).all():
        return None
    upper = np.triu(rows.sum(_grams, shift * scale, scale, kind)[: d + 2, : d + 2])
    G = upper + np.triu(upper, 1).T
    total, size_y = float(G[0, 0]), float(np.sqrt(G[-1, -1]))
    size = size_y / float(np.sqrt(total))
    if not 2.0**-MODERATE < size < 2.0**MODERATE and (size or G[-1].any()):
        return None  # squares of such y are not to be trusted
    means = G[0] / total * rows.x0  # in scaled columns, once shifted
    spread = np.sqrt(np.diag(G) / total - means**2)[1:-1]
    off = float((np.abs(means[1:-1]) / spread).max())
    mean = means[1:-1] / scale + shift
    if not max(off, float((np.abs(mean) * scale / spread).max())) < LARGEST_MEAN:
        return None  # NaN and infinity included
    units = np.ldexp(1.0, -np.frexp(spread * np.sqrt(total))[1])
    G = (G - total * np.outer(means, means))[1:-1]
    C = G[:, 1:-1] * units * units[:, np.newaxis]
    L, failed = lapack.dpotrf(C, lower=1)
    if failed:
        return None
    norm = float(np.abs(C).sum(axis=0).max())
    least = float(lapack.dpocon(L, norm, uplo="L")[0]) * norm  # an estimate of 1 / |C^-1|_1
    # what rounding moves eigenvalues of d unit columns by (Higham & Mary 2019)
    rounding = float(np.finfo(kind).eps) * float(np.sqrt(kernel.BLOCK * d))
    margin = least / (rounding * (1.0 + off * off))
    return NormalEquations(
        L, units * scale, mean, float(means[-1]), size_y, G[:, -1] * units, total, least, margin
    )


def _corrected(normal: NormalEquations, rows: Rows, residuals: Floats) -> Floats | None:
    """Return the solution once corrections are rounding; None if they stay."""
    unit = ROUNDINGS * float(np.finfo(np.float64).eps)
    a, c, last = normal.mean_y, normal.solve(normal.products), np.inf
    for _ in range(READS):
        w = normal.weights(a, c)
        to_a, to_c = normal.step(rows.sum(_left, w, residuals))
        moved = normal.moved(to_a, to_c)
        if moved <= unit * normal.size_y:
            return w
        if not moved <= last / 4.0:
            size = float(np.sqrt(rows.sum(_left_squares, w)[0]))
            return w if moved <= unit * normal.sizes(w, size) else None
        a, c, last = a + to_a, c + to_c, moved
    return None


# ---------------------------------------------------------------------- sums over a block


def _grams(block: Block, shift: Floats, scale: Floats, kind: type[np.floating]) -> Floats:
    """Return sum z z' over each tile, z = root weight (1, x scale - shift, y): (tiles, m, m)."""
    of, zero = block.sample, np.zeros(1, dtype=kind)
    rows, root = as_rows(of.X), np.sqrt(of.weight)

    def part(tile: slice) -> Floats:
        made: Floats = kernel.gram(rows, of.y, root, tile.start, tile.stop, shift, scale, zero)
        return made

    return block.sums_of_tiles(part)


def _left(block: Block, w: Floats, residuals: Floats) -> Floats:
    """Return the sum of weight residual (x0, x) over each tile, residual = y - w.(x0, x)."""
    of = block.sample
    kept = residuals if residuals.size else np.empty(block.n)

    def sums(rows: Untyped, of: Sample, kept: Floats, start: int, stop: int) -> Floats:
        table: Untyped = rows, of.y, of.weight, of.x0
        made: Floats = kernel.residuals_and_sums(table, w, kept, start, stop, TILE)
        return made

    def widened(tile: slice) -> Floats:
        part = of.at(tile)
        return np.asarray(sums(doubles(part.X), part, kept[tile], 0, part.n)[0])

    if of.X.dtype == np.float32:
        return block.sums_of_tiles(widened)
    return block.sums_of_runs(partial(sums, as_rows(of.X), of, kept))


def _left_squares(block: Block, w: Floats) -> Floats:
    """Return the sum of weight residual^2 over each tile: (tiles, 1)."""
    residuals = np.empty(block.n)
    _left(block, w, residuals)
    weight = block.sample.weight
    return np.array([[weight[tile] @ residuals[tile] ** 2] for tile in tiles(block.n)])
