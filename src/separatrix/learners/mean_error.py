"""E_in of an error measure over rows, mean err(y s), its gradients, and how large the rows are."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Sample
from separatrix.errors import CrossEntropy, Differentiable, PerceptronError, Squared
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.rows import add_block, largest_squared_length, scores_of_block
from separatrix.kernels.smooth import gradient as kernel
from separatrix.learners.least_squares.normal_equations import doubles
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, stack_of_tiles, tiles

COMPILED: dict[type, int] = {
    PerceptronError: kernel.PERCEPTRON,
    Squared: kernel.SQUARED,
    CrossEntropy: kernel.CROSS_ENTROPY,
}

# Agreements of this size are about to overflow, and so are slopes; below it, a slope that is not
# finite is an error of the measure.
NOT_OVERFLOWING = 1e100
LARGEST_RADIUS = 1e154  # its square is near the limit of float64
LARGEST = np.array([False, False, False, False, False, True, True])  # of what `_about` returns

_State = tuple[Floats, int]  # w, and the row after the last one that was visited
Order = NDArray[np.int64] | range  # of rows that are visited; a permutation only of arrays


@dataclass(frozen=True, slots=True)
class Step:
    """How long a step is: eta |g|, or with `unit` eta whatever |g| is."""

    eta: float
    unit: bool

    def taken(self, w: Floats, g: Floats) -> Floats:
        after = w.copy()
        kernel.take_step(after, g, self.eta, self.unit)
        return after


class Gradients(Protocol):
    """What batch descent needs."""

    def gradient(self, w: Floats) -> Floats:
        """Return grad E_in(w): (1+d,)."""


@dataclass(frozen=True, slots=True)
class GramGradients:
    """The squared error from G = mean z z' and c = mean y z: grad E_in(w) = 2 (G w - c)."""

    G: Floats
    c: Floats

    def gradient(self, w: Floats) -> Floats:
        return np.asarray(2.0 * (self.G @ w - self.c))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a block is asked for."""

    measure: Differentiable
    number: int | None  # of the kernel that has its slope; None for a user's own
    radius_squared: float
    whole: bool  # whether kernels can take the rows as they are: doubles, all with a weight


class MeanError:
    """E_in of a measure over the rows (x0, x)."""

    def __init__(self, rows: Rows, measure: Differentiable) -> None:
        self.rows, self.measure, self.width = rows, measure, 1 + rows.d
        about: list[float] = rows.reduce(_about, _together, np.zeros(7)).tolist()
        self.total, self.squares = about[:2]  # sums of weight, and of weight |x|^2
        self.n = int(about[2])  # rows that have a weight
        self.weighed = about[3] > 0.0  # whether some weight is not 1
        self.dense = about[4] == 0.0  # whether products of all columns are worth finding
        self.top = about[5]  # at least x0 and any |x_nj|
        self.radius = math.sqrt(about[6])  # max |(x0, x)|
        doubled = rows.source.dtype == np.float64
        self.movable = rows.in_memory is not None and doubled  # in any order
        radius_squared = self.radius**2 if self.radius < LARGEST_RADIUS else np.inf
        number, whole = COMPILED.get(type(measure)), doubled and self.n == rows.n
        self._asked = _Asked(measure, number, radius_squared, whole)
        self._in_order: Order = np.arange(rows.n) if self.movable else range(rows.n)

    def value(self, w: Floats) -> float:
        return float(self.rows.sum(_errors, w, self._asked)[0] / self.total)

    def gradient(self, w: Floats) -> Floats:
        return np.asarray(self.rows.sum(_gradients, w, self._asked) / self.total)

    def gram(self) -> GramGradients | None:
        """Return those of the squared error, from one read; None where squares overflow."""
        products = self.rows.sum(_products) / self.total
        if not np.isfinite(products).all():
            return None
        return GramGradients(np.ascontiguousarray(products[:, :-1]), products[:, -1].copy())

    def of_all_rows(self, max_updates: int) -> Gradients:
        """Return the gradients that suit the measure, shape and budget of batch descent."""
        pays = self.dense and self.width <= min(self.n // 4, max_updates)
        return (type(self.measure) is Squared and pays and self.gram()) or self

    def order(self, shuffle: np.random.Generator | None) -> Order:
        """Return the order of a pass of batches."""
        if shuffle is None:
            return self._in_order
        if not self.movable:
            raise InputError(
                f"shuffle=True visits {self.rows.n:,} rows in a random order, and this table is "
                "read in blocks, in the order of its rows. Use shuffle=False, with rows that were "
                "shuffled before they were written; or batch_size=None."
            )
        return shuffle.permutation(self.rows.n)

    def refuse_batch(self, batch: int) -> None:
        """Raise `InputError` where rows are weighed, or batches would not end where blocks do."""
        if self.weighed:
            raise InputError(
                f"sample_weight with batch_size={batch!r}: k copies of a row are k visits one "
                "after the other, which no weight of one visit equals. Use batch_size=None, or "
                "repeat rows."
            )
        if TILE % batch and not self.movable:
            raise InputError(
                f"batch_size={batch}: the blocks of a table hold multiples of {TILE:,} rows. Take "
                f"a batch_size that divides {TILE:,}: 1, 2, 4, ... ."
            )

    def descend(self, w: Floats, order: Order, batch: int, step: Step) -> None:
        """Change w by one update for each `batch` rows of `order`: one read, or a part of it."""
        stop = order.stop if isinstance(order, range) else self.rows.n
        asked = self._asked, order, batch, step
        w[:], _ = self.rows.fold(_descended, (w, 0), *asked, done=partial(_is_over, stop))


# ---------------------------------------------------------------------- of a block


def _part(of: Sample, rows: slice) -> Sample:
    """Return some rows of a block, in doubles; those without a weight take no part."""
    part = of
    if (rows.start, rows.stop) != (0, of.n):
        part = of.at(rows)
    return replace(part, X=doubles(part.X)).only(part.weight > 0.0)


def _about(block: Block) -> Floats:
    """Return what `MeanError` is of each tile: (tiles, 7)."""

    def part(tile: slice) -> Floats:
        of = _part(block.sample, tile)
        if not of.n:
            return np.zeros(7)
        sparse = sp.issparse(of.X)
        with np.errstate(over="ignore"):
            if sparse:
                lengths = np.asarray(of.X.multiply(of.X).sum(axis=1)).ravel()
            else:
                lengths = np.einsum("ij,ij->i", of.X, of.X)
            return np.array([
                of.weight.sum(),
                of.weight @ lengths,
                of.n,
                np.count_nonzero(block.sample.weight[tile] != 1.0),
                sparse,
                max(float(of.X.max()), -float(of.X.min()), of.x0),
                largest_squared_length(of.rows, of.n, of.x0),
            ])  # fmt: skip

    with one_blas_thread():
        return stack_of_tiles(block.n, part)


def _together(total: Floats, stack: Floats) -> Floats:
    """Return sums, and the largest of sizes, with further tiles."""
    for found in stack:
        total = np.where(LARGEST, np.maximum(total, found), total + found)
    return total


def _errors(block: Block, w: Floats, asked: _Asked) -> Floats:
    """Return the sum of weight err(a) over each tile: (tiles, 1)."""
    sums = []
    with np.errstate(over="ignore", invalid="ignore"):
        for tile in tiles(block.n):
            of = _part(block.sample, tile)
            agreements = of.y * signed_scores(of.rows, of.n, w, 1.0)
            errors = np.asarray(asked.measure.value(agreements), dtype=np.float64)
            sums.append([(of.weight * errors).sum()])
    return np.array(sums)


def _products(block: Block) -> Floats:
    """Return sum weight z z' beside sum weight y z, z = (x0, x): (tiles, 1+d, 2+d)."""

    def part(tile: slice) -> Floats:
        of = _part(block.sample, tile)
        Z = np.column_stack((np.full(of.n, of.x0), of.X))
        return np.column_stack((Z.T @ (Z * of.weight[:, np.newaxis]), Z.T @ (of.y * of.weight)))

    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        return block.sums_of_tiles(part)


def _gradients(block: Block, w: Floats, asked: _Asked) -> Floats:
    """Return sum weight y err'(a) (x0, x) over each tile: (tiles, 1+d)."""
    number = asked.number
    if number is None:
        with np.errstate(over="ignore", invalid="ignore"):
            each = [_own_gradient(_part(block.sample, t), w, asked) for t in tiles(block.n)]
        return np.array(each)

    def sums(of: Sample, start: int, stop: int) -> Floats:
        table, radius_squared = (of.rows, of.y, of.weight, of.x0), asked.radius_squared
        made: Floats = kernel.gradients_of_tiles(
            table, w, number, radius_squared, start, stop, TILE
        )
        return made

    if asked.whole:
        return block.sums_of_runs(partial(sums, block.sample))

    def part(tile: slice) -> Floats:
        of = _part(block.sample, tile)
        return sums(of, 0, of.n)[0] if of.n else np.zeros(w.size)

    return block.sums_of_tiles(part)


def _own_gradient(of: Sample, w: Floats, asked: _Asked) -> Floats:
    """Return the same of a tile by the slope of a user's own measure."""
    scores, g = np.empty(of.n), np.zeros(w.size)
    scores_of_block(of.rows, 0, of.n, w, of.x0, scores)
    factors = of.y * of.weight * _slopes(asked.measure, of.y * scores)
    add_block(of.rows, 0, of.n, factors, g, of.x0)
    return g


def _slopes(measure: Differentiable, agreements: Floats) -> Floats:
    """Return err'(a) of a user's own measure, or refuse it with the reason."""
    slopes = np.asarray(measure.slope(agreements), dtype=np.float64)
    name = type(measure).__name__
    if slopes.shape != agreements.shape:
        raise InputError(
            f"error={name}: its slope of {agreements.shape} agreements has shape "
            f"{slopes.shape}; it must give one number for each."
        )
    bad = (np.abs(agreements) < NOT_OVERFLOWING) & ~np.isfinite(slopes)
    if bad.any():
        k = int(np.argmax(bad))
        raise InputError(
            f"error={name}: its slope at a = {agreements[k]} is {slopes[k]}; gradient descent "
            "needs a finite slope everywhere."
        )
    return slopes


def _is_over(stop: int, state: _State) -> bool:
    return state[1] >= stop


def _descended(  # noqa: PLR0917  # what a walk sends around
    block: Block, state: _State, asked: _Asked, order: Order, batch: int, step: Step
) -> _State:
    """Return the state after the updates of a block."""
    w = state[0].copy()
    for piece in [slice(0, block.n)] if asked.whole else tiles(block.n):
        first = block.start + piece.start
        here = _within(order, first, piece.stop - piece.start)
        if not here.size:
            continue
        of = block.sample if asked.whole else _part(block.sample, piece)
        if asked.number is None:
            _descend_by_own(of, w, here, batch, step, asked)
        else:
            table = of.rows, of.y, of.weight, of.x0
            kernel.descend(table, here, batch, w, asked.number, step.eta, step.unit)
    return w, block.stop


def _within(order: Order, first: int, n: int) -> NDArray[np.int64]:
    """Return which of n rows from `first` on are visited, counted from there."""
    if not isinstance(order, range):  # of arrays: all rows are here
        return order
    return np.arange(max(order.start - first, 0), min(order.stop - first, n))


def _descend_by_own(  # noqa: PLR0917  # as above
    of: Sample, w: Floats, order: NDArray[np.int64], batch: int, step: Step, asked: _Asked
) -> None:
    """Make the updates by the slope of a user's own measure, one batch after the other."""
    for first in range(0, len(order), batch):
        chosen = order[first : first + batch]
        X, y = of.X[chosen], of.y[chosen]
        agreements = y * (X @ w[1:] + of.x0 * w[0])
        factors = y * _slopes(asked.measure, agreements) / y.size
        g = np.concatenate(([of.x0 * factors.sum()], X.T @ factors))
        w[:] = step.taken(w, g)
