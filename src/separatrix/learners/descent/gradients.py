"""Three gradients: compiled, of a user's own error measure, and from the Gram matrix.

All of them return grad E_in(w), E_in the mean over rows (weighted, if weights were given), and make
the same updates up to rounding. `descend` makes one update for each batch of an order of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Sample
from separatrix.errors import CrossEntropy, Differentiable, PerceptronError, Squared
from separatrix.kernels.rows import add_block, scores_of_block
from separatrix.kernels.smooth import gradient as kernel
from separatrix.tiles import TILE, one_blas_thread, sum_of_runs, tiled_sum, tiles

COMPILED: dict[type, int] = {
    PerceptronError: kernel.PERCEPTRON,
    Squared: kernel.SQUARED,
    CrossEntropy: kernel.CROSS_ENTROPY,
}


# Agreements of this size are about to overflow, and so are slopes; below it, a slope that is not
# finite is an error of the measure.
NOT_OVERFLOWING = 1e100


Order = NDArray[np.int64] | range  # of rows that are visited; a range where blocks are read


@dataclass(frozen=True, slots=True)
class Step:
    """How long a step is: eta |g|, or with `unit` eta whatever |g| is."""

    eta: float
    unit: bool

    def taken(self, w: Floats, g: Floats) -> Floats:
        """Return w - eta g, or w - eta g / |g|."""
        after = w.copy()
        kernel.take_step(after, g, self.eta, self.unit)
        return after


class Gradients(Protocol):
    """What batch descent needs."""

    def gradient(self, w: Floats) -> Floats:
        """Return grad E_in(w): (1+d,)."""


class RowGradients(Gradients, Protocol):
    """What mini-batch and online descent need besides."""

    def descend(self, w: Floats, order: Order, batch: int, step: Step) -> None:
        """Change w by one update for each `batch` rows of `order`."""


def row_gradients(measure: Differentiable, sample: Sample, x0: float) -> RowGradients:
    """Return the compiled gradients where the measure is ours, else those from its own slope."""
    number = COMPILED.get(type(measure))
    if number is None:
        return OwnGradients(measure, sample, x0)
    return CompiledGradients(number, sample, x0)


def full_gradients(
    measure: Differentiable, sample: Sample, x0: float, max_updates: int
) -> Gradients:
    """Return the gradients over all rows that suit the measure, shape and budget.

    The squared error's Gram matrix takes about as long as 1 + d gradients at most, and makes each
    of them cost d^2 instead of N d: it is taken for dense tables with N >= 4 (1 + d) when
    max_updates >= 1 + d.
    """
    width, dense = 1 + sample.d, isinstance(sample.X, np.ndarray)
    if type(measure) is Squared and dense and sample.n >= 4 * width and max_updates >= width:
        gram = GramGradients.of(sample, x0)
        if gram is not None:
            return gram
    return row_gradients(measure, sample, x0)


class CompiledGradients:
    """A measure whose slope the kernels know."""

    def __init__(self, measure: int, sample: Sample, x0: float) -> None:
        self.measure, self.n = measure, sample.n
        self.table = (sample.rows, sample.y, sample.weight, x0)
        self.total = float(sample.weight.sum())
        radius = sample.radius(x0) if measure == kernel.PERCEPTRON else 0.0
        self.radius_squared = radius**2 if radius < 1e154 else np.inf

    def gradient(self, w: Floats) -> Floats:
        """Return grad E_in(w): one read of the rows."""
        table, measure, radius_squared = self.table, self.measure, self.radius_squared

        def sums(start: int, stop: int) -> Floats:
            made: Floats = kernel.gradients_of_tiles(
                table, w, measure, radius_squared, start, stop, TILE
            )
            return made

        return sum_of_runs(self.n, sums) / self.total

    def descend(self, w: Floats, order: Order, batch: int, step: Step) -> None:
        """Make the updates in compiled code."""
        kernel.descend(self.table, np.asarray(order), batch, w, self.measure, step.eta, step.unit)


class OwnGradients:
    """A measure of the user's own: its slope is called once a tile, or once a batch."""

    def __init__(self, measure: Differentiable, sample: Sample, x0: float) -> None:
        self.measure, self.sample, self.x0 = measure, sample, x0
        self.signed = sample.y * sample.weight
        self.total = float(sample.weight.sum())

    def gradient(self, w: Floats) -> Floats:
        """Return grad E_in(w)."""
        return self.summed(w) / self.total

    def summed(self, w: Floats) -> Floats:
        """Return its sum over the rows, tile by tile."""
        g = np.zeros(w.size)
        rows, y = self.sample.rows, self.sample.y
        for tile in tiles(self.sample.n):
            scores, part = np.empty(tile.stop - tile.start), np.zeros(w.size)
            scores_of_block(rows, tile.start, tile.stop, w, self.x0, scores)
            factors = self.signed[tile] * self._slopes(y[tile] * scores)
            add_block(rows, tile.start, tile.stop, factors, part, self.x0)
            g += part
        return g

    def descend(self, w: Floats, order: Order, batch: int, step: Step) -> None:
        """Make the updates in NumPy, one batch after the other."""
        for first in range(0, len(order), batch):
            chosen = np.asarray(order)[first : first + batch]
            X, y = self.sample.X[chosen], self.sample.y[chosen]
            factors = y * self._slopes(y * (X @ w[1:] + self.x0 * w[0])) / chosen.size
            g = np.concatenate(([self.x0 * factors.sum()], X.T @ factors))
            w[:] = step.taken(w, g)

    def _slopes(self, agreements: Floats) -> Floats:
        slopes = np.asarray(self.measure.slope(agreements), dtype=np.float64)
        name = type(self.measure).__name__
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


@dataclass(frozen=True, slots=True)
class GramGradients:
    """The squared error from G = mean z z' and c = mean z: grad E_in(w) = 2 (G w - c)."""

    G: Floats
    c: Floats

    @classmethod
    def of(cls, sample: Sample, x0: float) -> GramGradients | None:
        """Return them from one read, tile by tile; None where squares overflow."""

        def part(tile: slice) -> Floats:
            return products_of_rows(sample.X[tile], sample.y[tile], sample.weight[tile], x0)

        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            return cls.from_products(tiled_sum(sample.n, part), sample.weight.sum())

    @classmethod
    def from_products(cls, products: Floats, total: float) -> GramGradients | None:
        """Return them from the sum of `products_of_rows` and that of the weights."""
        both = products / total
        if not np.isfinite(both).all():
            return None
        return cls(np.ascontiguousarray(both[:, :-1]), both[:, -1].copy())

    def gradient(self, w: Floats) -> Floats:
        """Return grad E_in(w) without reading a row."""
        return np.asarray(2.0 * (self.G @ w - self.c))


def products_of_rows(X: Floats, y: Floats, weight: Floats, x0: float) -> Floats:
    """Return sum weight z z' beside sum weight y z, z = (x0, x): (1+d, 2+d)."""
    Z = np.column_stack((np.full(y.size, x0), X))
    return np.column_stack((Z.T @ (Z * weight[:, np.newaxis]), Z.T @ (y * weight)))
