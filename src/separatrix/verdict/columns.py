"""Rows to learn from, and what one read says of their columns.

Tiles are joined in order (Chan, Golub & LeVeque 1983).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.cached import cached_property
from separatrix.data import Floats, Points, Sample
from separatrix.inference.maximum import label_weights
from separatrix.kernels.rows import standardised
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.scale import Block, Rows, Source
from separatrix.scale.together import Begun, begin
from separatrix.scale.view import SameRows, seen_as
from separatrix.separation.decide import Separability, separability_of
from separatrix.tiles import TILE, stack_of_tiles

LARGEST_EXPONENT = 1000  # of a weight in the units of the table


@dataclass(frozen=True, slots=True)
class Scaling:
    """x -> (x 2^-exponent - mean) / spread per column; constant columns keep their size."""

    exponent: NDArray[np.int64]
    mean: Floats
    spread: Floats

    def apply(self, X: Points) -> Points:
        """Return X (N, d) standardised; of a sparse table only columns with a mean are filled."""
        if sp.issparse(X):
            centred = np.flatnonzero(self.mean)
            filled = self._columns(centred).apply(X[:, centred].toarray())
            return _without(X, centred, self) + _placed(filled, centred, X.shape[1])
        with np.errstate(over="ignore"):  # columns of subnormal numbers only
            factor = np.ldexp(1.0, -self.exponent)
        if not np.isfinite(factor).all():
            X, factor = np.ldexp(X, -self.exponent), np.ones_like(factor)
        return standardised(np.ascontiguousarray(X), factor, self.mean, self.spread)

    def _columns(self, columns: NDArray[np.int64]) -> Scaling:
        return Scaling(self.exponent[columns], self.mean[columns], self.spread[columns])

    def undo(self, weights: Floats) -> Floats:
        """Return the same line (1+d,) for the columns as they were, up to a power of two."""
        slopes = weights[1:] / self.spread
        intercept = weights[0] - float(slopes @ self.mean)
        _, sizes = np.frexp(slopes)
        shift = max(0, int((sizes - self.exponent).max(initial=0)) - LARGEST_EXPONENT)
        return np.append(np.ldexp(intercept, -shift), np.ldexp(slopes, -self.exponent - shift))


def shrunk(X: Floats, exponent: NDArray[np.int64]) -> Floats:
    """Return X 2^-exponent (N, d), a copy: a product rounds as `ldexp` does, in less time."""
    with np.errstate(over="ignore"):  # columns of subnormal numbers only
        factor = np.ldexp(1.0, -exponent)
    if np.isfinite(factor).all():
        return np.asarray(X * factor)
    return np.asarray(np.ldexp(X, -exponent))


def _without(X: sp.csr_array, columns: NDArray[np.int64], scaling: Scaling) -> sp.csr_array:
    """Return the other columns of a sparse table scaled, zeros in these."""
    there = np.isin(X.indices, columns, invert=True)
    ends = np.append(0, np.cumsum(there))[X.indptr]
    places = X.indices[there]
    data = shrunk(X.data[there], scaling.exponent[places]) / scaling.spread[places]
    return sp.csr_array((data, places, ends.astype(X.indptr.dtype)), shape=X.shape)


def _placed(values: Floats, columns: NDArray[np.int64], d: int) -> sp.csr_array:
    """Return values (N, k) in these of d columns, zeros elsewhere."""
    n, k = values.shape
    places, ends = np.tile(columns, n).astype(np.int32), np.arange(n + 1, dtype=np.int32) * k
    return sp.csr_array((values.ravel(), places, ends), shape=(n, d))


def standardised_rows(base: Source, scaling: Scaling) -> Source:
    """Return rows with standardised columns, as PLA and pocket see them."""
    nnz = None if base.nnz is None else base.nnz + base.n * int(np.count_nonzero(scaling.mean))
    return SameRows(base, partial(_scaled, scaling=scaling), dtype=np.dtype(np.float64), nnz=nnz)


def _scaled(rows: Sample, scaling: Scaling) -> Sample:
    return replace(rows, X=scaling.apply(rows.X))


def full_columns(rows: Sample, columns: NDArray[np.int64]) -> Sample:
    """Return sparse rows with some of their columns, dense."""
    return replace(rows, X=rows.X[:, columns].toarray())


NO_SIZE = -5000  # the exponent of a column that is zero

Moments = tuple[float, NDArray[np.int64], Floats, Floats]  # weight, exponents, means, variances


@dataclass(frozen=True, slots=True)
class Columns:
    """The least and largest number of each column, of no rows and of yes rows, and their counts."""

    low: Floats  # (2, d)
    high: Floats  # (2, d)
    before: NDArray[np.int64]  # (tiles + 1, 2) no and yes rows before each tile
    weight: Floats  # (2,) the sums of their weights
    moments: Moments | None  # None of sparse tables
    nonzeros: Floats | None  # (d,) how many numbers of a sparse table's columns are no zeros

    @classmethod
    def of(cls, rows: Rows) -> Columns:
        nothing = np.full((2, rows.d), np.inf)
        none = (0.0, np.full(rows.d, NO_SIZE), np.zeros(rows.d), np.zeros(rows.d))
        sparse = None if rows.source.nnz is None else np.zeros(rows.d)
        of = none if sparse is None else None
        start = nothing, -nothing, np.zeros((0, 2), dtype=np.int64), np.zeros(2), of, sparse
        low, high, counts, weight, moments, nonzeros = rows.reduce(_of_block, _joined, start)
        before = np.concatenate([np.zeros((1, 2), dtype=np.int64), counts]).cumsum(axis=0)
        return cls(low, high, before, weight, moments, nonzeros)

    @property
    def rows(self) -> NDArray[np.int64]:
        """(2,) how many no rows and yes rows there are."""
        return np.asarray(self.before[-1])

    def scaling(self, rows: Rows) -> Scaling:
        """Return how the columns are standardised: by mean and standard deviation.

        Of a sparse table only those are of which most numbers are no zeros, found by a further
        read; the largest number of each other column becomes 1.
        """
        if self.moments is None:
            return self._scaling_of_zeros(rows)
        _, exponent, mean, variance = self.moments
        spread = np.sqrt(variance)
        constant = (self.low.min(axis=0) == self.high.max(axis=0)) | (spread == 0.0)
        exponent, mean = np.where(constant, 0, exponent), np.where(constant, 0.0, mean)
        return Scaling(exponent, mean, np.where(constant, 1.0, spread))

    def _scaling_of_zeros(self, rows: Rows) -> Scaling:
        ends = np.abs(np.concatenate([self.low, self.high]))
        largest = np.where(np.isfinite(ends), ends, 0.0).max(axis=0)
        exponent, mean = np.frexp(largest)[1].astype(np.int64), np.zeros(rows.d)
        spread = np.where(largest == 0.0, 1.0, shrunk(largest, exponent))
        full = np.flatnonzero(2 * self.nonzeros >= rows.n)  # type: ignore[operator]  # it is sparse
        if full.size:
            change = partial(full_columns, columns=full)
            some = seen_as(rows, SameRows(rows.source, change, d=full.size, nnz=None))
            of = Columns.of(some).scaling(some)
            exponent[full], mean[full], spread[full] = of.exponent, of.mean, of.spread
        return Scaling(exponent, mean, spread)


def standardisation(X: Points, weight: Floats | None) -> Scaling:
    """Return how the columns of rows X (N, d) are scaled."""
    weight = np.ones(X.shape[0]) if weight is None else weight
    rows = Rows.of(Sample(X, np.ones(X.shape[0]), np.array([-1.0, 1.0]), weight))
    return Columns.of(rows).scaling(rows)


def _of_block(block: Block) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return what its tiles say of each column (tiles, 5 or 7, d), label counts and weights."""
    X, yes, weight = block.sample.X, block.sample.y > 0.0, block.sample.weight

    def of_tile(tile: slice) -> Floats:
        part, w = np.asarray(X[tile], dtype=np.float64), weight[tile]
        w = w if w.any() else np.ones(w.size)  # they are not counted
        ends = _ends(part, yes[tile])
        size = np.abs(ends[np.isfinite(ends).all(axis=1)]).max(axis=0)
        exponent = np.frexp(size)[1].astype(np.int64)
        seen = shrunk(part, exponent)
        exponent[size == 0.0] = NO_SIZE
        mean = np.average(seen, axis=0, weights=w)
        seen -= mean
        seen *= seen
        return np.stack([*ends, exponent, mean, np.average(seen, axis=0, weights=w)])

    if sp.issparse(X):
        counts = np.bincount(X.indices, minlength=X.shape[1])
        stack = np.concatenate([_ends(X, yes), counts[np.newaxis]])[np.newaxis]
    else:
        stack = stack_of_tiles(block.n, of_tile)
    of_yes = np.add.reduceat(yes.astype(np.int64), np.arange(0, block.n, TILE))
    sizes = np.diff([*range(0, block.n, TILE), block.n])
    return stack, np.column_stack([sizes - of_yes, of_yes]), label_weights(block)


def _ends(X: Points, yes: NDArray[np.bool_]) -> Floats:
    """Return the least numbers of no and yes rows and their largest (4, d); infinite where none."""
    ends = np.repeat([[np.inf], [-np.inf]], 2, axis=0) * np.ones(X.shape[1])
    for label, side in enumerate((X[~yes], X[yes])):
        if side.shape[0]:
            low, high = side.min(axis=0), side.max(axis=0)
            if sp.issparse(side):
                low, high = low.toarray().ravel(), high.toarray().ravel()
            ends[label], ends[2 + label] = low, high
    return ends


def _joined(total: tuple, part: tuple) -> tuple:  # type: ignore[type-arg]  # see `Columns.of`
    """Return what is known of the rows so far and of a further block."""
    low, high, counts, weight, moments, nonzeros = total
    stack, of_tiles, weights = part
    low = np.minimum(low, stack[:, :2].min(axis=0))
    high = np.maximum(high, stack[:, 2:4].max(axis=0))
    weight = weight.copy()
    for of_tile, of_labels in itertools.zip_longest(stack, weights):
        weight += of_labels
        if moments is not None:
            exponent, mean, variance = of_tile[4].astype(np.int64), of_tile[5], of_tile[6]
            moments = _together(moments, (float(of_labels.sum()), exponent, mean, variance))
    if nonzeros is not None:
        nonzeros = nonzeros + stack[:, 4].sum(axis=0)
    return low, high, np.concatenate([counts, of_tiles]), weight, moments, nonzeros


def _together(a: Moments, b: Moments) -> Moments:
    if not a[0] or not b[0]:
        return b if b[0] else a
    exponent = np.maximum(a[1], b[1])
    (p, mean, variance), (q, other, more) = (
        (w, np.ldexp(m, e - exponent), np.ldexp(v, 2 * (e - exponent))) for w, e, m, v in (a, b)
    )
    total, apart = p + q, other - mean
    spread = (variance * p + more * q) / total + apart * apart * (p * q / (total * total))
    return total, exponent, mean + apart * (q / total), spread


def same_columns(rows: Rows, some: Points) -> list[tuple[int, int]]:
    """Return pairs (column, the first that equals it): of some rows, then of all."""
    first: dict[bytes, int] = {}
    pairs = []
    for j, content in enumerate(_contents(some)):
        k = first.setdefault(content, j)
        if k != j:
            pairs.append((j, k))
    if not pairs:
        return pairs
    equal = np.all(rows.map(_equal, pairs), axis=0)
    return [pair for pair, same in zip(pairs, equal, strict=True) if same]


def _contents(X: Points) -> Iterator[bytes]:
    """Yield each column's numbers; of a sparse table those that are not zero, and their rows."""
    if sp.issparse(X):
        columns = X.tocsc()
        for a, b in itertools.pairwise(columns.indptr):
            yield columns.indices[a:b].tobytes() + columns.data[a:b].tobytes()
        return
    for j in range(X.shape[1]):
        yield (X[:, j] + 0.0).tobytes()  # + 0.0: -0 is 0


def _equal(block: Block, pairs: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    X = block.sample.X
    return np.array([not (X[:, [j]] != X[:, [k]]).sum() for j, k in pairs])


@dataclass(frozen=True)
class TrainingRows:
    rows: Rows  # with an intercept, and every weight positive
    sample: Sample | None = None  # all of them, where learners take them from memory at once
    proof: Begun[Separability] | None = None  # whether they are separable, where it is asked

    @classmethod
    def of(cls, sample: Sample, proof: Separability | None = None) -> TrainingRows:
        return cls(Rows.of(sample), sample, None if proof is None else Begun(proof))

    @cached_property
    def separability(self) -> Separability:
        """Whether they are separable; of rows in memory."""
        if self.proof is not None:
            return self.proof.result()
        return separability_of(self.sample)  # type: ignore[arg-type]

    @cached_property
    def collinear(self) -> dict[int, tuple[int, ...]]:
        """The columns that others make up but for rounding; of rows in memory."""
        return collinear_of(self.rows)

    @cached_property
    def begun_columns(self) -> Begun[Columns]:
        return begin(self.rows, partial(Columns.of, self.rows))

    @property
    def columns(self) -> Columns:
        return self.begun_columns.result()

    @cached_property
    def scaling(self) -> Scaling:
        return self.columns.scaling(self.rows)

    @cached_property
    def standardised(self) -> TrainingRows:
        if self.sample is not None:
            return TrainingRows.of(replace(self.sample, X=self.scaling.apply(self.sample.X)))
        return TrainingRows(seen_as(self.rows, standardised_rows(self.rows.source, self.scaling)))
