"""What reads of all rows say: ranges and scales of columns, and the mistakes of lines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, as_rows
from separatrix.inference.maximum_in_blocks import label_weights
from separatrix.kernels.exact import signed_scores
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, stack_of_tiles
from separatrix.verdict.scaling import Scaling


@dataclass(frozen=True, slots=True)
class Ranges:
    """The least and largest number of each column, of yes rows and of no rows, and their counts."""

    low: Floats
    high: Floats
    before: NDArray[np.int64]  # (tiles + 1, 2) no and yes rows before each tile
    weight: Floats  # (2,) the sums of their weights

    @classmethod
    def of(cls, table: Rows) -> Ranges:
        """Return them, from one read of all rows."""
        parts = table.map(_ranges)
        low, high, counts, weights = zip(*parts, strict=True)
        before = np.concatenate([np.zeros((1, 2), dtype=np.int64), *counts]).cumsum(axis=0)
        weight = np.zeros(2)
        for of_tile in itertools.chain.from_iterable(weights):
            weight += of_tile
        return cls(np.min(low, axis=0), np.max(high, axis=0), before, weight)

    @property
    def rows(self) -> NDArray[np.int64]:
        """(2,) how many no rows and yes rows there are."""
        return np.asarray(self.before[-1])

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Which columns have one value only."""
        return np.asarray(self.low.min(axis=0) == self.high.max(axis=0))


def _ranges(block: Block) -> tuple[Floats, Floats, NDArray[np.int64], Floats]:
    X, yes = block.sample.X, block.sample.y > 0.0
    sides = (X[~yes], X[yes])
    low = np.array([part.min(axis=0, initial=np.inf) for part in sides], dtype=np.float64)
    high = np.array([part.max(axis=0, initial=-np.inf) for part in sides], dtype=np.float64)
    of_yes = np.add.reduceat(yes.astype(np.int64), np.arange(0, block.n, TILE))
    sizes = np.diff([*range(0, block.n, TILE), block.n])
    return low, high, np.column_stack([sizes - of_yes, of_yes]), label_weights(block)


def standardisation_in_blocks(table: Rows, ranges: Ranges, total: float) -> Scaling:
    """Return how columns are standardised, from two reads of all rows; see `scaling`."""
    size = np.maximum(np.abs(ranges.low), np.abs(ranges.high)).max(axis=0)
    exponent = np.frexp(size)[1].astype(np.int64)
    mean = table.sum(_moments, exponent, np.zeros(table.d), 1) / total
    spread = np.sqrt(table.sum(_moments, exponent, mean, 2) / total)
    constant = ranges.constant | (spread == 0.0)
    return Scaling(
        np.where(constant, 0, exponent),
        np.where(constant, 0.0, mean),
        np.where(constant, 1.0, spread),
    )


def _moments(block: Block, exponent: NDArray[np.int64], mean: Floats, power: int) -> Floats:
    scaling = Scaling(exponent, mean, np.ones(mean.size))
    X, weight = block.sample.X, block.sample.weight

    def of_tile(tile: slice) -> Floats:
        seen = scaling.apply(X[tile])
        return np.asarray((seen**power * weight[tile, None]).sum(axis=0))

    return stack_of_tiles(block.n, of_tile)


@dataclass(frozen=True, slots=True)
class Mistakes:
    """What lines do on all rows."""

    rows: NDArray[np.int64]
    wrong_yes: NDArray[np.int64]
    wrong_no: NDArray[np.int64]
    weight: tuple[Fraction, ...]  # (lines,) of the mistakes, exact

    @classmethod
    def of(cls, table: Rows, lines: Sequence[Floats]) -> Mistakes:
        """Return them for lines (1+d,), from one read of all rows, every sign exact."""
        parts = table.map(_mistakes, list(lines))
        counts = np.sum([counts for counts, _ in parts], axis=0)
        weighed = [
            sum((Fraction(float(w)) for _, sums in parts for w in sums[k]), Fraction(0))
            for k in range(len(lines))
        ]
        return cls(counts[0], counts[1], counts[2], tuple(weighed))


def _mistakes(block: Block, lines: list[Floats]) -> tuple[NDArray[np.int64], list[Floats]]:
    """Return counts (3, lines), and for each line numbers whose exact sum is the weight."""
    sample = block.sample
    plain = bool((sample.weight == 1.0).all())
    counts = np.zeros((3, len(lines)), dtype=np.int64)
    sums = []
    X = np.asarray(sample.X, dtype=np.float64)
    for k, line in enumerate(lines):
        scores = signed_scores(as_rows(X), block.n, line, 1.0)
        wrong = sample.y * scores <= 0.0
        counts[:, k] = (
            wrong.sum(),
            (scores[sample.y < 0.0] > 0.0).sum(),
            (scores[sample.y > 0.0] <= 0.0).sum(),
        )
        found = np.array([float(wrong.sum())]) if plain else _exactly(sample.weight[wrong])
        sums.append(found)
    return counts, sums


def _exactly(weights: Floats) -> Floats:
    """Return few numbers with the same exact sum (Shewchuk 1997): each no digit of the next."""
    parts: list[float] = []
    for weight in weights.tolist():
        x, kept = weight, []
        for y in parts:
            a, b = (x, y) if abs(x) >= abs(y) else (y, x)
            high = a + b
            low = b - (high - a)
            if low:
                kept.append(low)
            x = high
        parts = [*kept, x]
    return np.array(parts)


def same_columns(table: Rows, some: Floats) -> list[tuple[int, int]]:
    """Return pairs (column, the first that is equal to it), of all rows."""
    first: dict[bytes, int] = {}
    pairs = []
    for j in range(some.shape[1]):
        k = first.setdefault((some[:, j] + 0.0).tobytes(), j)
        if k != j:
            pairs.append((j, k))
    if not pairs:
        return []
    equal = np.all(table.map(_equal, pairs), axis=0)
    return [pair for pair, same in zip(pairs, equal, strict=True) if same]


def _equal(block: Block, pairs: list[tuple[int, int]]) -> NDArray[np.bool_]:
    X = block.sample.X
    return np.array([bool((X[:, j] == X[:, k]).all()) for j, k in pairs])


def scores_in_blocks(table: Rows, line: Floats, step: int) -> tuple[Floats, Floats, Floats]:
    """Return y, the score by a line, and the weight of every step-th row."""
    parts = table.map(_scores, line, step)
    y, scores, weight = (np.concatenate(of) for of in zip(*parts, strict=True))
    return y, scores, weight


def _scores(block: Block, line: Floats, step: int) -> tuple[Floats, Floats, Floats]:
    rows = slice(-block.start % step, None, step)
    X = np.ascontiguousarray(block.sample.X[rows], dtype=np.float64)
    scores = signed_scores(as_rows(X), len(X), line, 1.0)
    return block.sample.y[rows].copy(), scores, block.sample.weight[rows].copy()
