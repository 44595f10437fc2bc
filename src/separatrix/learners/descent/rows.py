"""What gradient descent asks of its rows, in memory or in blocks.

A table in blocks is read once for each gradient of all rows, and once for a pass of batches in the
order of the rows. Its sums over tiles are those of a table in memory, so the path of batch descent
has the same bytes; mean errors and bounds on learning rates are added up tile by tile, too, which
differs from memory in rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Points, Sample
from separatrix.errors import Differentiable, Squared
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.rows import largest_squared_length
from separatrix.kernels.smooth import gradient as kernel
from separatrix.learners.descent.gradients import (
    COMPILED,
    Gradients,
    GramGradients,
    Order,
    OwnGradients,
    RowGradients,
    Step,
    full_gradients,
    products_of_rows,
    row_gradients,
)
from separatrix.learners.descent.lipschitz import Measured
from separatrix.learners.least_squares.normal_equations import doubles
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, stack_of_tiles, tiles

LARGEST = np.array([False, False, True, True, False])  # of what `_about` returns
LARGEST_RADIUS = 1e154  # its square is near the limit of float64


class PassesOver(Measured, Protocol):
    """Rows (x0, x) with labels and weights."""

    @property
    def weighed(self) -> bool:
        """Whether some weight is not 1."""

    def order(self, shuffle: np.random.Generator | None) -> Order:
        """Return the order of a pass of batches."""

    def all_rows(self, measure: Differentiable, max_updates: int) -> Gradients:
        """Return the gradients of batch descent, as `full_gradients` chooses."""

    def batches(self, measure: Differentiable, batch: int) -> RowGradients:
        """Return the gradients of batches of `batch` rows."""

    def mean_error(self, measure: Differentiable, w: Floats) -> float:
        """Return E_in at w (1+d,)."""


class RowsInMemory:
    """The rows of a sample."""

    def __init__(self, sample: Sample, x0: float) -> None:
        self.sample, self.x0, self.n, self.width = sample, x0, sample.n, 1 + sample.d
        self.dense = isinstance(sample.X, np.ndarray)
        self.weighed = bool((sample.weight != 1.0).any())
        self.total = float(sample.weight.sum())
        self._in_order: NDArray[np.int64] | None = None

    @property
    def top(self) -> float:
        """At least x0 and any |x_nj|."""
        return _top(self.sample.X, self.x0)

    @property
    def squares(self) -> float:
        """The sum of weight |x|^2."""
        return float(self.sample.weight @ _squared_lengths(self.sample.X))

    @property
    def radius(self) -> float:
        """The length of the longest row."""
        return self.sample.radius(self.x0)

    def order(self, shuffle: np.random.Generator | None) -> Order:
        """Return the order of a pass."""
        if shuffle is not None:
            return shuffle.permutation(self.n)
        if self._in_order is None:
            self._in_order = np.arange(self.n)
        return self._in_order

    def all_rows(self, measure: Differentiable, max_updates: int) -> Gradients:
        """Return the gradients of batch descent."""
        return full_gradients(measure, self.sample, self.x0, max_updates)

    def gram(self) -> GramGradients | None:
        """Return those of the squared error from products of columns."""
        return GramGradients.of(self.sample, self.x0)

    def batches(self, measure: Differentiable, batch: int) -> RowGradients:  # noqa: ARG002
        """Return the gradients of batches."""
        return row_gradients(measure, self.sample, self.x0)

    def mean_error(self, measure: Differentiable, w: Floats) -> float:
        """Return E_in at w."""
        return float(_errors(self.sample, measure, w).sum() / self.total)


def _top(X: Points, x0: float) -> float:
    return max(float(X.max()), -float(X.min()), x0)


def _squared_lengths(X: Points) -> Floats:
    """Return |x_n|^2, (N,)."""
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


def _errors(sample: Sample, measure: Differentiable, w: Floats) -> Floats:
    """Return weight err(a) of each row (N,)."""
    agreements = sample.y * signed_scores(sample.rows, sample.n, w, 1.0)
    return sample.weight * np.asarray(measure.value(agreements), dtype=np.float64)


# ---------------------------------------------------------------------- in blocks


class RowsInBlocks:
    """The rows of a table in blocks."""

    def __init__(self, table: Rows, x0: float) -> None:
        self.table, self.x0, self.n, self.width = table, x0, table.n, 1 + table.d
        self.dense = True
        about: Floats = table.reduce(_about, _together, np.zeros(5), x0)
        self.total, self.squares, self.top, largest, others = about.tolist()
        self.radius, self.weighed = math.sqrt(largest), others > 0

    def order(self, shuffle: np.random.Generator | None) -> Order:
        """Return the order of a pass: that of the rows."""
        if shuffle is not None:
            raise InputError(
                f"shuffle=True visits {self.n:,} rows in a random order, and this table is read in "
                "blocks, in the order of its rows. Use shuffle=False, with rows that were shuffled "
                "before they were written; or batch_size=None."
            )
        return range(self.n)

    def all_rows(self, measure: Differentiable, max_updates: int) -> Gradients:
        """Return the gradients of batch descent."""
        if type(measure) is Squared and self.width <= min(self.n // 4, max_updates):
            gram = self.gram()
            if gram is not None:
                return gram
        return GradientsInBlocks(measure, self)

    def gram(self) -> GramGradients | None:
        """Return those of the squared error from products of columns: one read."""
        return GramGradients.from_products(self.table.sum(_products, self.x0), self.total)

    def batches(self, measure: Differentiable, batch: int) -> RowGradients:
        """Return the gradients of batches."""
        if TILE % batch:
            raise InputError(
                f"batch_size={batch}: the blocks of a table hold multiples of {TILE:,} rows. Take "
                f"a batch_size that divides {TILE:,}: 1, 2, 4, ... ."
            )
        return GradientsInBlocks(measure, self)

    def mean_error(self, measure: Differentiable, w: Floats) -> float:
        """Return E_in at w: one read."""
        return float(self.table.sum(_error_sums, measure, w)[0] / self.total)


class GradientsInBlocks:
    """Gradients of a table in blocks, by the compiled slope of a measure or by its own."""

    def __init__(self, measure: Differentiable, rows: RowsInBlocks) -> None:
        self.measure, self.rows = measure, rows

    def gradient(self, w: Floats) -> Floats:
        """Return grad E_in(w): one read."""
        rows = self.rows
        radius_squared = rows.radius**2 if rows.radius < LARGEST_RADIUS else np.inf
        g = rows.table.sum(_gradients, w, self.measure, radius_squared, rows.x0)
        return np.asarray(g / rows.total)

    def descend(self, w: Floats, order: Order, batch: int, step: Step) -> None:
        """Change w by one update for each `batch` rows of a range: one read, or a part of it."""
        assert isinstance(order, range)  # noqa: S101  # of `RowsInBlocks.order`
        asked = _Walk(self.measure, self.rows.x0, order.start, order.stop, batch, step)
        # the state is w, and the row after the last one
        state = np.append(w, 0.0)
        w[:] = self.rows.table.fold(_descended, state, asked, done=partial(_is_over, order.stop))[
            :-1
        ]


def _is_over(stop: int, state: Floats) -> bool:
    return bool(state[-1] >= stop)


@dataclass(frozen=True, slots=True)
class _Walk:
    """Updates over rows start, ..., stop - 1, `batch` at a time."""

    measure: Differentiable
    x0: float
    start: int
    stop: int
    batch: int
    step: Step


def _part(of: Sample, rows: slice) -> Sample:
    """Return some rows of a block, in doubles."""
    return Sample(doubles(of.X[rows]), of.y[rows], of.classes, of.weight[rows])


def _descended(block: Block, state: Floats, walk: _Walk) -> Floats:
    """Return the state after the updates of a block, tile by tile."""
    w = state[:-1].copy()
    for tile in tiles(block.n):
        first = block.start + tile.start
        order = np.arange(
            max(walk.start - first, 0), min(walk.stop - first, tile.stop - tile.start)
        )
        if not order.size:
            continue
        part, number = _part(block.sample, tile), COMPILED.get(type(walk.measure))
        if number is None:
            OwnGradients(walk.measure, part, walk.x0).descend(w, order, walk.batch, walk.step)
        else:
            table = part.X, part.y, part.weight, walk.x0
            kernel.descend(table, order, walk.batch, w, number, walk.step.eta, walk.step.unit)
    return np.append(w, float(block.stop))


def _gradients(
    block: Block, w: Floats, measure: Differentiable, radius_squared: float, x0: float
) -> Floats:
    """Return sum weight y err'(a) (x0, x) over each tile: (tiles, 1+d)."""
    number = COMPILED.get(type(measure))

    def part(tile: slice) -> Floats:
        of = _part(block.sample, tile)
        if number is None:
            return OwnGradients(measure, of, x0).summed(w)
        table = of.X, of.y, of.weight, x0
        made = kernel.gradients_of_tiles(table, w, number, radius_squared, 0, of.n, TILE)
        return np.asarray(made[0])

    with np.errstate(over="ignore", invalid="ignore"):
        return stack_of_tiles(block.n, part)


def _products(block: Block, x0: float) -> Floats:
    def part(tile: slice) -> Floats:
        of = _part(block.sample, tile)
        return products_of_rows(of.X, of.y, of.weight, x0)

    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        return stack_of_tiles(block.n, part)


def _error_sums(block: Block, measure: Differentiable, w: Floats) -> Floats:
    def part(tile: slice) -> Floats:
        return np.array([_errors(_part(block.sample, tile), measure, w).sum()])

    with np.errstate(over="ignore", invalid="ignore"):
        return stack_of_tiles(block.n, part)


def _about(block: Block, x0: float) -> Floats:
    """Return total, squares, top, radius^2, and how many weights are not 1: (tiles, 5)."""

    def part(tile: slice) -> Floats:
        of = _part(block.sample, tile)
        with np.errstate(over="ignore"):
            return np.array([
                of.weight.sum(),
                of.weight @ _squared_lengths(of.X),
                _top(of.X, x0),
                largest_squared_length(of.X, of.n, x0),
                np.count_nonzero(of.weight != 1.0),
            ])  # fmt: skip

    with one_blas_thread():
        return stack_of_tiles(block.n, part)


def _together(total: Floats, stack: Floats) -> Floats:
    """Return sums, and the largest of sizes, with further tiles."""
    for found in stack:
        total = np.where(LARGEST, np.maximum(total, found), total + found)
    return total
