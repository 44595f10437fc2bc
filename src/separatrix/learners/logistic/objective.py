"""The objective sum weight ln(1 + e^-a) + sum penalty c^2 / 2, a = y w.(x0, x), of a row source.

Dual points near sigma(-a) prove a gap of sum weight KL(alpha, sigma(-a)).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, xlog1py, xlogy

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, Sample, in_full
from separatrix.kernels.rows import write_centred
from separatrix.kernels.smooth import logistic as kernel
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.least_squares.least_squares import power_of_two_scale
from separatrix.learners.least_squares.normal_equations import doubles
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, in_threads, n_threads, shares

# A tile of sparse rows holds at least this many numbers for each of the sums that it writes.
NUMBERS_PER_SUM = 8
COLUMNS = 64  # of which copies are made at a time
SPREADS = 8.0  # of a column about its centre: as far as most rows are


@dataclass(frozen=True, slots=True)
class Scaling:
    """Coordinates c (1+d,) with scores c_0 + sum c_j scale_j (x_j - centre_j)."""

    centre: Floats
    scale: Floats
    penalty: Floats  # (1+d,) p of the penalty sum p c^2 / 2

    @classmethod
    def identity(cls, width: int, x0: float, C: float) -> Scaling:
        """Return the coordinates that are the weights (width,) themselves."""
        penalty = np.full(width, 1.0 / C)
        penalty[0] = _penalty_of_constant(x0)
        return cls(np.zeros(width), np.ones(width), penalty)

    @classmethod
    def exact(cls, rows: Floats, x0: float, C: float) -> Scaling:
        """Return coordinates in powers of two: rows (n, d) in them are not rounded."""
        return cls._of(np.zeros(rows.shape[1]), power_of_two_scale(rows), x0, C)

    @classmethod
    def of(cls, rows: Floats, x0: float, C: float) -> Scaling:
        """Return coordinates in which the rows (n, d) have a mean near 0 and a spread near 1."""
        centre = rows.mean(axis=0) if x0 else np.zeros(rows.shape[1])
        largest = np.maximum(rows.max(axis=0) - centre, centre - rows.min(axis=0))
        _, exponent = np.frexp(largest)
        size = np.ldexp(1.0, np.clip(exponent, -1000, 1000))  # squares of the rest do not overflow
        squares = np.empty_like(centre)
        for start in range(0, centre.size, COLUMNS):
            some = slice(start, start + COLUMNS)
            rest = (rows[:, some] - centre[some]) / size[some]
            squares[some] = np.einsum("nj,nj->j", rest, rest)
        spread = size * np.sqrt(squares / len(rows))
        scale = 1.0 / np.where((spread > 0.0) & np.isfinite(spread), spread, size)
        return cls._of(centre, scale, x0, C)

    @classmethod
    def _of(cls, centre: Floats, scale: Floats, x0: float, C: float) -> Scaling:
        of_columns = penalty_of(scale, C) if np.isfinite(C) else np.zeros_like(scale)
        penalty = np.concatenate(([_penalty_of_constant(x0)], of_columns))
        return cls(np.concatenate(([0.0], centre)), np.concatenate(([1.0], scale)), penalty)

    @property
    def penalised(self) -> bool:
        return bool((self.penalty[1:] > 0.0).any())

    @property
    def sizes(self) -> Floats:
        """About the largest numbers of the columns (1+d,), the constant first."""
        return np.append(1.0, np.abs(self.centre[1:]) + SPREADS / self.scale[1:])

    def write(self, points: Points, out: Floats) -> None:
        """Write the columns scale (x - centre) of rows (n, d) into the last columns of out."""
        rows = np.ascontiguousarray(in_full(points), dtype=np.float64)
        write_centred(rows, self.centre[1:], self.scale[1:], out)

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

    def combination(self, of_rows: Floats) -> Floats:
        """Return in these coordinates a sum (1+d,) of multiples of the rows (x0, x)."""
        moved = (of_rows - of_rows[0] * self.centre) * self.scale
        moved[0] = of_rows[0]
        return np.asarray(moved)

    def sum_of_rows(self, combination: Floats) -> Floats:
        """Return the sum of multiples of the rows that is this one in these coordinates."""
        return np.asarray(combination / self.scale + combination[0] * self.centre)


def penalty_of(scale: Floats, C: float) -> Floats:
    penalty = scale**2 / C
    if not (np.isfinite(penalty).all() and (penalty > 0.0).all()):
        raise InputError(
            "some columns of X are too large or too small for a penalty on |w|^2, which "
            "leaves float64's range. Multiply those columns by a power of two."
        )
    return np.asarray(penalty)


def _penalty_of_constant(x0: float) -> float:
    """Return 0 for an intercept; without one its coordinate stays 0, which 1 makes well-posed."""
    return 0.0 if x0 else 1.0


class RowSource(Protocol):
    """Rows with labels and weights."""

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of weight ln(1 + e^-a), and its gradient (1+d,), at weights w (1+d,)."""


S = TypeVar("S", bound=RowSource)


class Objective(Generic[S]):
    """The cross-entropy over a row source, with its penalty, in the coordinates of a scaling."""

    def __init__(self, source: S, scaling: Scaling) -> None:
        self.source, self.scaling = source, scaling
        self.of_rows: Floats = np.zeros_like(scaling.scale)

    def at(self, c: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient (1+d,) at coordinates c (1+d,)."""
        error, self.of_rows = self.source.at(self.scaling.weights(c))
        penalty = self.scaling.penalty
        gradient = self.scaling.combination(self.of_rows) + penalty * c
        return error + 0.5 * float(penalty @ (c * c)), gradient

    def along(self, c: Floats, step: Floats) -> Callable[[float], tuple[float, Floats]]:
        """Return value and gradient along a step from c, as a function of t: for a line search."""
        return lambda t: self.at(c + t * step)


class TiledRows:
    """Rows (x0, X) with labels and weights, read in fixed tiles by several threads."""

    def __init__(
        self, sample: Sample, weight: Floats, *, curved: bool, sigma: Floats | None = None
    ) -> None:
        X, n, self.width = sample.X, sample.n, sample.d + 1
        self.tile = TILE
        if sp.issparse(X):  # fixed by the shape alone: same bytes for any number of threads
            sums = NUMBERS_PER_SUM * self.width * n
            self.tile *= max(1, -(-sums // (TILE * max(1, X.nnz))))
        self.sigma = np.empty(n) if sigma is None else sigma
        self.curvature = np.empty(n if curved else 0)
        self._table = (sample.rows, sample.y, weight, sample.x0)
        self._answers = kernel.Answers(self.sigma, self.curvature)
        self._n_tiles = -(-n // self.tile)
        self._errors = np.empty(self._n_tiles)
        self._sums = np.empty((self._n_tiles, self.width))

    def of_tiles(self, w: Floats) -> tuple[Floats, Floats]:
        """Return the sums (tiles,) of weight ln(1 + e^-a), and their gradients (tiles, 1+d)."""
        self._summed(kernel.cross_entropy_of_tiles, w, self._answers, self._errors)
        return self._errors, self._sums

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of weight ln(1 + e^-a), and its gradient (1+d,), at weights w (1+d,)."""
        errors, gradients = self.of_tiles(w)
        return float(errors.cumsum()[-1]), gradients.sum(axis=0)

    @property
    def separated(self) -> bool:
        """Whether the last weights made no mistake, in floats: sigma(-a) < 1/2 for every row."""
        return bool((self.sigma < 0.5).all())

    def hessian_product(self, v: Floats) -> Floats:
        """Return Z' D Z v for the curvature D at the last weights and v (1+d,)."""
        self._summed(kernel.hessian_product_of_tiles, v, self.curvature)
        return np.asarray(self._sums.sum(axis=0))

    def hessian_diagonal(self) -> Floats:
        """Return the diagonal of Z' D Z (1+d,)."""
        self._summed(kernel.hessian_diagonal_of_tiles, self.curvature)
        return np.asarray(self._sums.sum(axis=0))

    def _summed(self, of_tiles: Callable[..., None], *arguments: Untyped) -> None:
        """Let a kernel write what it sums for each tile."""
        over_tiles(self._n_tiles, partial(of_tiles, self._table, *arguments, self._sums, self.tile))


class RowsInTiles:
    """All rows of a table, read once for each line; `sigma` (N,) is kept where there is room."""

    def __init__(self, table: Rows, factors: Floats, *, keep: bool) -> None:
        self.table, self.x0, self.factors = table, table.x0, factors
        self.sigma = np.empty(table.n) if keep else None
        self.separated = False  # whether the last line made no mistake, in floats

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of weight ln(1 + e^-a), and its gradient (1+d,), at weights w (1+d,)."""
        sums = self.table.sum(_errors_and_gradients, w, self.factors, self.sigma)
        self.separated = sums[1] == 0.0
        return float(sums[0]), sums[2:]


def _errors_and_gradients(block: Block, w: Floats, factors: Floats, kept: Floats | None) -> Floats:
    """Return each tile's error, whether its block has a mistake, its gradient: (tiles, 3+d)."""
    of = block.sample
    weight = weighed(of, factors)
    sigma = None if kept is None else kept[block.start : block.stop]
    rows = TiledRows(replace(of, X=doubles(of.X)), weight, curved=False, sigma=sigma)
    errors, gradients = rows.of_tiles(w)
    wrong = np.zeros_like(errors)
    wrong[0] = not rows.separated and (~(rows.sigma < 0.5) & (weight > 0.0)).any()
    return np.column_stack((errors, wrong, gradients))


def weighed(sample: Sample, factors: Floats) -> Floats:
    """Return the weights (n,) of rows, times those of their labels (2,)."""
    if (factors == 1.0).all():
        return sample.weight
    return np.asarray(sample.weight * factors[(sample.y > 0.0).astype(np.intp)])


def over_tiles(n_tiles: int, summed: Callable[[int, int], None]) -> None:
    """Call summed(first, last) for runs of tiles, in several threads."""
    if n_tiles == 1:
        summed(0, 1)
        return
    runs = shares(range(n_tiles), 4 * n_threads())
    for _ in in_threads([partial(summed, run[0], run[-1] + 1) for run in runs]):
        pass


LARGEST_MOVE = 0.5  # of a share, relative to it and to what is left of 1


def bends(moves: Floats, up: Floats, down: Floats) -> Floats | None:
    """Return at least the divergence of sigma + moves from sigma; None for moves above a half."""
    if not max(np.abs(up).max(), np.abs(down).max()) <= LARGEST_MOVE:
        return None
    total = moves * (up * (1.0 + np.abs(up)) + down * (1.0 + np.abs(down)))
    return np.asarray(0.5 * total)


def dual_divergences(
    before: Floats, along: Floats, a: Floats, sigma: Floats, curve: Floats
) -> Floats:
    """Return at least KL(alpha, sigma(-a)) of each row (n,); infinite where alpha is no dual point.

    alpha = sigma(-before) - sigma'(before) along, for the agreements before a Newton step and along
    it. It meets the equalities because the step solves Newton's equations.
    """
    alpha, bend, _ = np.empty((3, a.size))
    logistic_parts(before, alpha, bend, _)
    alpha -= bend * along
    if not (alpha.min() >= 0.0 and alpha.max() <= 1.0):
        return np.full(a.size, np.inf)
    moves = alpha - sigma
    up, down = moves / sigma, moves * (sigma / curve)
    near = np.maximum(np.abs(up), np.abs(down)) <= LARGEST_MOVE
    found = bends(moves, np.where(near, up, 0.0), np.where(near, down, 0.0))
    assert found is not None  # noqa: S101  # no move is large
    found[~near] = divergences(alpha[~near], a[~near])
    return found


def divergences(alpha: Floats, a: Floats) -> Floats:
    """Return KL(alpha, sigma(-a)) of each row, without cancellation where the two are close."""
    sigma, rest = expit(-a), expit(a)
    other = 1.0 - alpha
    away = np.where(a >= 0.0, alpha - sigma, rest - other)  # from the smaller of the two shares
    with np.errstate(divide="ignore", invalid="ignore"):
        up, down = away / sigma, -away / rest
        near = (np.abs(up) <= 1.0) & (np.abs(down) <= 1.0)
        close = xlog1py(alpha, up) + xlog1py(other, down)
    far = xlogy(alpha, alpha) + xlogy(other, other)
    far += alpha * np.logaddexp(0.0, a) + other * np.logaddexp(0.0, -a)
    return np.asarray(np.maximum(0.0, np.where(near, close, far)))
