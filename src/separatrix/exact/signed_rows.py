"""The signed rows z_n = y_n (x0, x_n): a line w is right on row n exactly when z_n.w > 0.

Floats with an error bound choose the rows that can matter; those are done again exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from separatrix.cached import cached_property
from separatrix.data import Points, Sample, dense
from separatrix.data.form import SPARSE_SHARE
from separatrix.exact.float_filter import column_sizes, decided_signs, filtered_scores
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    column_exponents,
    exact_combination,
    exact_score_signs,
    exact_scores,
    independent_columns,
    independent_rows,
    integer_rows,
    largest_square,
    lowest_exponents_of,
    nonzero_products,
    nullspace,
    rank_at_least,
    times_power_of_two,
    whole_exponents,
    whole_multiples,
)
from separatrix.exact.level_elimination import (
    NullSpace,
    not_vanishing,
    null_space,
    rank_of_few,
)
from separatrix.exact.span import Span, combinations, span, spread
from separatrix.exact.sparse_rows import SparseRows
from separatrix.exact.wide_span import wide_span
from separatrix.kernels.error_bound import score_error
from separatrix.kernels.separation.scan import agreements, longest_of_parts, worst_of_parts
from separatrix.tiles import in_threads, n_threads, shares, tiles

T = TypeVar("T")

MOST_PARTS = 256  # into which a scan of all rows is cut
PART = 32  # rows in one of them, at least
SHARED = 1 << 20  # numbers in a table that is worth several threads
DENSE = 1 << 20  # numbers in a sparse table of more columns than rows from which it stays sparse
LARGE = 1 << 16  # numbers in a table of more columns than rows that is worth an inverse in floats
FEWEST_COLUMNS, FEWEST_NUMBERS = 24, 1 << 16  # of a table whose zeros are worth a count
MANY = 2000  # rows of which equal ones are worth finding before integers are made of them


def homogeneous(points: Points, x0: float) -> Floats:
    """Return the rows (x0, x) (m, D), or x when x0 is 0, of points (m, d), dense or sparse."""
    table = dense(points, "an exact look at a sparse table")
    if x0 == 0.0:
        return table
    rows = np.empty((table.shape[0], table.shape[1] + 1))
    rows[:, 0], rows[:, 1:] = x0, table
    return rows


def doubles_of(weights: Sequence[Fraction]) -> Floats | None:
    """Return the weights as doubles if they are all that; else None."""
    try:
        floats = [w.numerator / w.denominator for w in weights]
    except OverflowError:
        return None
    exactly = (
        a.as_integer_ratio() == (w.numerator, w.denominator)
        for a, w in zip(floats, weights, strict=True)
    )
    return np.array(floats) if all(exactly) else None


def _span_of(space: NullSpace) -> Span:
    return Span(space.pivots, sorted(space.free))


class Against(NamedTuple):
    """What shows that a line is not interior to those with z_n.w >= 0."""

    some: bool  # whether some row has a score above 0
    wrong: Indices  # rows with a score below 0, the lowest first
    scores: Floats  # of those, up to one power of two
    outside: list[int]  # rows with a score of 0 on which not all of a basis vanishes

    @property
    def rows(self) -> list[int]:
        return [*self.wrong.tolist(), *self.outside]


@dataclass(frozen=True)
class SignedRows:
    """N rows z_n in D columns: 1 + d with an intercept, d without."""

    sample: Sample  # the table, which should not change
    x0: float  # 1.0 with an intercept, 0.0 without

    @property
    def n(self) -> int:
        return self.sample.n

    @property
    def width(self) -> int:
        return self.sample.d + int(self.x0)

    # ------------------------------------------------------------------ the rows

    def floats(self, rows: Indices | slice = slice(None)) -> Floats:
        """Return some rows (m, D), in doubles. Signs change, nothing rounds."""
        every = isinstance(rows, slice) and rows == slice(None)
        points = homogeneous(self.sample.X if every else self.sample.X[rows], self.x0)
        y = self.sample.y[rows, None]
        return np.multiply(points, y, out=points) if self.x0 else points * y

    def some(self, rows: Indices) -> SignedRows:
        """Return some of the rows, ascending, as a table of their own; itself where it is all."""
        if rows.size == self.n:
            return self
        s = self.sample
        return SignedRows(Sample(s.X[rows], s.y[rows], s.classes, s.weight[rows]), self.x0)

    def again(self) -> SignedRows:
        """Return the same rows, with nothing found of them yet."""
        return SignedRows(self.sample, self.x0)

    @property
    def in_memory(self) -> SignedRows:
        return self

    @property
    def is_sparse(self) -> bool:
        return bool(sp.issparse(self.sample.X))

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield all rows as (m, D) doubles, in fixed tiles of their order, with their indices."""
        for tile in tiles(self.n):
            yield tile, self.floats(tile)

    @cached_property
    def is_mostly_zeros(self) -> bool:
        """Whether nearly all numbers of a table of some size are zeros, be it dense or sparse."""
        X = self.sample.X
        size = X.shape[0] * X.shape[1]
        if X.shape[1] < FEWEST_COLUMNS or size < FEWEST_NUMBERS:
            return False
        if sp.issparse(X):
            return bool(SPARSE_SHARE * X.nnz <= size)
        return all(SPARSE_SHARE * np.count_nonzero(part) <= part.size for part in (X[:PART], X))

    @cached_property
    def sparse(self) -> SparseRows | None:
        """The same rows by their nonzeros; None for dense ones, unless most of them are zeros."""
        X = self.sample.X
        if sp.issparse(X) or self.is_mostly_zeros:
            return SparseRows.signed(sp.csr_array(X), self.sample.y, self.x0)
        return None

    def few(self, rows: Indices | Sequence[int]) -> SparseRows | None:
        """Return some of those, read by themselves where all are not there yet."""
        if "sparse" in self.__dict__ or not self.is_sparse:
            return None if self.sparse is None else self.sparse.take(rows)
        chosen = np.asarray(rows, dtype=np.int64)
        return SparseRows.signed(self.sample.X[chosen], self.sample.y[chosen], self.x0)

    def sparse_floats(self, rows: Indices) -> sp.csr_array:
        """Return some rows (m, D) of a sparse table, in doubles."""
        few = self.few(rows)
        assert few is not None  # noqa: S101  # who asks has seen that rows are sparse
        return sp.csr_array((few.values, few.columns, few.starts), shape=(few.n, self.width))

    @cached_property
    def values(self) -> Floats:
        """All rows: (N, D), a copy of the table."""
        return self.floats()

    @cached_property
    def exponents(self) -> Indices:
        """Of each column: z_nj = I_nj 2^exponents[j] with integers I_n."""
        if self.sparse is not None:
            return self.sparse.exponents
        return whole_exponents(lowest_exponents_of(rows for _, rows in self.blocks()))

    def integers(self, rows: Sequence[int] | Indices) -> list[IntegerRow]:
        return integer_rows(self.floats(np.asarray(rows, dtype=np.int64)), self.exponents)

    @cached_property
    def present(self) -> Indices:
        if self.x0:
            return np.arange(self.n)
        if self.sparse is not None:
            return np.flatnonzero(np.diff(self.sparse.starts))
        return np.flatnonzero(np.concatenate([rows.any(axis=1) for _, rows in self.blocks()]))

    def spread(self, most: int) -> list[int]:
        """Return up to `most` of the rows that are not all zero, evenly spread."""
        few: list[int] = self.present[spread(self.present.size, most)].tolist()
        return few

    def largest_in(self, column: int) -> float:
        """Return max_n |z_nj|."""
        return float(np.abs(self.values[:, column]).max())

    def combination(
        self, rows: Sequence[int] | Indices, multipliers: Sequence[int]
    ) -> list[Fraction]:
        """Return sum_i multipliers[i] z_rows[i] without rounding: (D,)."""
        few = self.few(rows)
        if few is not None:
            return few.combination(multipliers)
        return exact_combination(self.floats(np.asarray(rows, dtype=np.int64)), multipliers)

    def nonzeros_of_combination(
        self, rows: Sequence[int] | Indices, multipliers: Sequence[int]
    ) -> dict[int, Fraction]:
        """Return what differs from zero of that, by column."""
        few = self.few(rows)
        if few is not None:
            return few.nonzeros_of_combination(multipliers)
        return {j: a for j, a in enumerate(self.combination(rows, multipliers)) if a}

    # ------------------------------------------------------------------ lines

    def index(self, column: int) -> int:
        """Return the index in (1+d,) of a column of the rows."""
        return column if self.x0 else column + 1

    def column(self, index: int) -> int:
        """Return the column of the rows that an index in (1+d,) stands for."""
        return index if self.x0 else index - 1

    def columns_of(self, weights: Sequence[T]) -> Sequence[T]:
        """Return the line (D,) of weights (1+d,): without an intercept w_0 counts for nothing."""
        return weights[0 if self.x0 else 1 :]

    def weights(self, line: Sequence[Fraction]) -> list[Fraction]:
        """Return the weights (1+d,) of a line (D,)."""
        return [*([] if self.x0 else [Fraction(0)]), *line]

    def float_weights(self, line: Floats) -> Floats:
        """Return the weights (1+d,) of a line (D,) of doubles."""
        return line if self.x0 else np.append(0.0, line)

    def line_on_span(self, v: IntegerRow) -> list[Fraction]:
        """Return the line (D,) with v (r,) on the integers of the span's columns, 0 elsewhere."""
        line = [Fraction(0)] * self.width
        for j, a in zip(self.span.columns, v, strict=True):
            if a:
                line[j] = Fraction(a)
        return self.line_on_integers(line)

    def line_on_integers(self, v: Sequence[Fraction]) -> list[Fraction]:
        """Return the line (D,) with weights v (D,) on the integer rows I_n."""
        return [
            times_power_of_two(a, -e) if a else a
            for a, e in zip(v, self.exponents.tolist(), strict=True)
        ]

    # ------------------------------------------------------------------ rank and equalities

    @cached_property
    def span(self) -> Span:
        """The span of all rows; a few of them show it when it has the whole width."""
        sparse = self.sparse
        if sparse is not None and sparse.has_levels and sparse.rest.size <= self.n:
            return self._span_by(None)
        if self.n < self.width and self.n * self.width >= LARGE:
            rows = homogeneous(self.sample.X, self.x0)
            found = wide_span(rows) or wide_span(np.unique(rows, axis=0))
            if found is not None:
                return found
        # null vectors of fewer rows than columns are many and long: combinations are shorter
        if sparse is not None and (self.n >= self.width or self.n * self.width >= DENSE):
            return self._span_by(None)
        return self._span_of_few()

    def _span_of_few(self) -> Span:
        for few in (self.width + 10, 4 * self.width + 10):
            if self.rank_of(np.array(spread(self.n, few))) == self.width:
                return Span(list(range(self.width)), [])
        return span(self)

    def _span_by(self, hint: Indices | None) -> Span:
        assert self.sparse is not None  # noqa: S101  # dense rows have another way
        return _span_of(null_space(self.sparse, hint))

    def take_hint(self, rows: Indices) -> None:
        """Find the span by way of these rows, which span much of it: the same, sooner."""
        if self.sparse is not None:
            self.__dict__.setdefault("span", self._span_by(rows))

    def take_span(self, space: NullSpace) -> None:
        """Take the null space of all rows, which is known, for their span."""
        self.__dict__.setdefault("span", _span_of(space))

    def rank_of(self, rows: Indices) -> int:
        """Return the rank of some rows modulo a prime: the exact one is that or more."""
        if self.sparse is not None:
            return rank_of_few(self.sparse.take(rows))
        values = self.floats(rows)
        return rank_at_least(integer_rows(values, column_exponents(values)))

    @property
    def rank(self) -> int:
        return len(self.span.columns)

    @property
    def aliased(self) -> tuple[int, ...]:
        """Indices in (1+d,) of the collinear columns: w_j != 0 for some w with Zw = 0."""
        return tuple(self.index(j) for j in self.span.aliased)

    def equalities(self, rows: Sequence[int] | Indices) -> list[IntegerRow]:
        """Return a basis of the lines on which these rows vanish, on the span's columns: (k, r)."""
        columns = self.span.columns
        if self.sparse is not None:
            vectors = null_space(self.sparse.take(rows).only(columns)).vectors
            return [[vectors[f].get(j, 0) for j in columns] for f in columns if f in vectors]
        whole = [[row[j] for j in columns] for row in self.integers(rows)] if len(rows) else []
        return nullspace(whole, len(columns))[0]

    def spanned(self, rows: Sequence[int], vectors: Sequence[Mapping[int, Fraction]]) -> list[bool]:
        """Return for each vector whether it is a combination of these rows, exactly."""
        exponents = self.exponents.tolist()
        if self.sparse is not None:
            space = null_space(self.sparse.take(rows)).vectors.values()
            by_column: dict[int, list[tuple[int, int]]] = {}
            for k, w in enumerate(space):
                for j, b in w.items():
                    by_column.setdefault(j, []).append((k, b))
            found = []
            for v in vectors:
                whole, _ = whole_multiples(
                    [times_power_of_two(a, -exponents[j]) for j, a in v.items()]
                )
                totals: dict[int, int] = {}
                for j, a in zip(v, whole, strict=True):
                    for k, b in by_column.get(j, ()):
                        totals[k] = totals.get(k, 0) + a * b
                found.append(not any(totals.values()))
            return found
        nothing = Fraction(0)
        targets = [
            whole_multiples(
                [times_power_of_two(v.get(j, nothing), -e) for j, e in enumerate(exponents)]
            )[0]
            for v in vectors
        ]
        integers = self.integers(rows) if rows else []
        if not any(map(any, integers)):
            return [not any(v.values()) for v in vectors]
        chosen = [integers[i] for i in independent_rows(integers)]
        return combinations(chosen, independent_columns(chosen), targets)

    def not_vanishing(
        self,
        basis: Sequence[IntegerRow],
        most: int,
        *,
        columns: Sequence[int] | None = None,
        among: Indices | None = None,
    ) -> list[int]:
        """Return up to `most` rows with I_n.v != 0 for some v of the basis, exactly."""
        if not basis:
            return []
        if self.sparse is not None:
            named = range(self.width) if columns is None else columns
            sparse = [{j: a for j, a in zip(named, v, strict=True) if a} for v in basis]
            some = self.sparse if among is None else self.sparse.take(among)
            found = not_vanishing(some, sparse)[:most]
            return [int(n) for n in (found if among is None else among[found])]
        places = range(self.width) if columns is None else columns
        used = [i for i in range(len(places)) if any(v[i] for v in basis)]
        kept = [places[i] for i in used]
        vectors = [[v[i] for i in used] for v in basis]
        tried = np.arange(self.n) if among is None else among
        outside: list[int] = []
        for tile in tiles(tried.size):
            rows = tried[tile]
            off = nonzero_products(self.floats(rows)[:, kept], self.exponents[kept], vectors)
            outside += rows[off].tolist()
            if len(outside) >= most:
                return outside[:most]
        return outside

    # ------------------------------------------------------------------ scores

    def least(self, line: Sequence[Fraction]) -> tuple[Fraction, Indices]:
        """Return min_n z_n.w exactly, and the rows that can have it, in order."""
        near = self._near_least(line)
        few = self.few(near)
        if few is not None:
            return few.least(line), near
        values = self.floats(near)
        if near.size > MANY:
            values = np.unique(values, axis=0)
        return min(exact_scores(values, line)), near

    def none_is_wrong(self, line: Sequence[Fraction]) -> bool:
        """Return whether z_n.w >= 0 for every row, exactly."""
        if self.sparse is not None:
            return bool((self.sparse.signs(line) >= 0).all())
        return self.least(line)[0] >= 0

    def _near_least(self, line: Sequence[Fraction]) -> Indices:
        """Return the rows whose float score is within rounding of the least."""
        floats = doubles_of(line)
        if floats is not None:
            sample = self.sample
            w = self.float_weights(floats)
            scores, off = agreements(sample.rows, sample.y, w, self.x0)
            if np.isfinite(scores).all() and np.isfinite(off).all():
                with np.errstate(over="ignore"):  # an infinite bound keeps a row
                    return np.flatnonzero(scores - off <= (scores + off).min())
        scores, off = self._filtered(line)
        return np.flatnonzero(scores - off <= (scores + off).min())

    def signs(self, line: Sequence[Fraction]) -> Indices:
        """Return the sign of z_n.w for every row, exactly: (N,)."""
        if self.sparse is not None:
            return self.sparse.signs(line)
        scores, off = self._filtered(line)
        return decided_signs(scores, off, partial(self._exact_signs, line))

    def against(
        self,
        line: Sequence[Fraction],
        basis: Sequence[IntegerRow],
        columns: Sequence[int],
        most: int,
    ) -> Against:
        """Return what shows that a line is not interior to those with z_n.w >= 0, exactly."""
        scores, off = self._filtered(line)
        signs = decided_signs(scores, off, partial(self._exact_signs, line))
        wrong, on_it = np.flatnonzero(signs < 0), np.flatnonzero(signs == 0)
        worst = wrong[np.argsort(scores[wrong], kind="stable")[:most]]
        outside = (
            self.not_vanishing(basis, most, columns=columns, among=on_it) if on_it.size else []
        )
        return Against(bool((signs > 0).any()), worst, scores[worst], outside)

    def _exact_signs(self, line: Sequence[Fraction], rows: Indices) -> Indices:
        parts = [exact_score_signs(self.floats(rows[t]), line) for t in tiles(rows.size)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def scores(self, line: Sequence[Fraction], rows: Indices | None = None) -> list[Fraction]:
        """Return z_n.w of some rows, or of all, without rounding."""
        if self.sparse is not None:
            return (self.sparse if rows is None else self.sparse.take(rows)).scores(line)
        return exact_scores(self.floats(slice(None) if rows is None else rows), line)

    def _filtered(self, line: Sequence[Fraction]) -> tuple[Floats, Floats]:
        """Return float scores and bounds on their errors (N,), up to one power of two."""
        if self.sparse is not None:
            return self.sparse.filtered_scores(line)
        parts = [filtered_scores(rows, line, self._sizes) for _, rows in self.blocks()]
        return np.concatenate([s for s, _ in parts]), np.concatenate([off for _, off in parts])

    @cached_property
    def _sizes(self) -> Indices:
        """Powers of two above the numbers in each column: (D,)."""
        return np.asarray(np.max([column_sizes(rows) for _, rows in self.blocks()], axis=0))

    # ------------------------------------------------------------------ compiled scans

    def scan(self, w: Floats, part: int = 1) -> tuple[int, Indices, Floats]:
        """Return how many rows have z_n.w <= 0, exactly, and the worst row of each part."""
        edges = self._edges
        ends = edges[1:] if part == 1 else edges[:-1] - (-np.diff(edges) // part)
        worst, least = np.empty(ends.size, dtype=np.int64), np.empty(ends.size)
        rows, y = self.sample.rows, self.sample.y

        def read(a: int, b: int) -> int:
            found = worst_of_parts(
                rows, y, w, self.x0, edges[a:b], ends[a:b], worst[a:b], least[a:b]
            )
            return int(found)

        return sum(self._in_parts(read)), worst, least

    @cached_property
    def longest(self) -> Fraction:
        """R^2 = max_n |(x0, x_n)|^2, exactly."""
        edges = self._edges
        longest = np.empty(edges.size - 1)
        rows = self.sample.rows

        def read(a: int, b: int) -> None:
            longest_of_parts(rows, self.x0, edges[a:b], edges[a + 1 : b + 1], longest[a:b])

        self._in_parts(read)
        top = longest.max()
        if not 1e-200 < top < 1e300:  # squares overflow, or vanish
            if self.sparse is not None:
                return largest_square(self.sparse.padded)
            return max(largest_square(block) for _, block in self.blocks())
        off = 2.0 * score_error(self.width, 1.0, tiny=0.0)
        near = np.flatnonzero(longest >= top * (1.0 - off)).tolist()
        if self.is_sparse:
            few = self.few(np.concatenate([np.arange(edges[k], edges[k + 1]) for k in near]))
            assert few is not None  # noqa: S101
            return largest_square(few.padded)
        return max(largest_square(self.floats(slice(edges[k], edges[k + 1]))) for k in near)

    @property
    def _edges(self) -> Indices:
        """The ends of the parts into which a scan is cut, the same on any machine."""
        parts = max(1, min(MOST_PARTS, self.n // PART))
        return np.arange(parts + 1, dtype=np.int64) * self.n // parts

    def _in_parts(self, read: Callable[[int, int], T]) -> list[T]:
        """Return read(a, b) for runs of parts that make up all; in threads where that pays."""
        threads = n_threads() if self.n * (self.sample.d + 1) >= SHARED else 1
        runs = shares(range(self._edges.size - 1), threads)
        return list(in_threads([partial(read, run[0], run[-1] + 1) for run in runs]))
