"""The signed rows z_n = y_n (x0, x_n) of a table: a line is right on row n when z_n.w > 0.

A table in memory is one block; what it is asked is put together from what each block says
(`signed_block.py`), and nothing that is kept grows with N, unless nonzeros are kept instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from separatrix.cached import cached_property
from separatrix.data import InputError, Sample
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    column_exponents,
    exact_combination,
    exact_scores,
    integer_rows,
    nullspace,
    rank_at_least,
    times_power_of_two,
    whole_exponents,
    whole_multiples,
)
from separatrix.exact.level_elimination import NullSpace, null_space, rank_of_few
from separatrix.exact.signed_block import (
    MOST_NEAR,
    Against,
    Line,
    Nearest,
    SignedBlock,
    homogeneous,
    signed,
)
from separatrix.exact.span import Span, span, spread, wide_span
from separatrix.exact.sparse_rows import SparseRows
from separatrix.kernels.error_bound import score_error
from separatrix.scale import Block, Rows

T = TypeVar("T")

Vector = Mapping[int, int]  # nonzero integers by their column

MOST_PARTS = 256  # into which a scan of all rows is cut
PART = 32  # rows in one of them, at least
DENSE = 1 << 20  # numbers in a sparse table of more columns than rows from which it stays sparse
LARGE = 1 << 16  # numbers in a table of more columns than rows that is worth an inverse in floats
FEW_OF = 8  # rows of a table mostly of zeros, for one in which its full column rank is looked for


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


class SignedRows:
    """N rows z_n in D columns: 1 + d with an intercept, d without.

    Parameters
    ----------
    table : the rows, which should not change
    """

    def __init__(self, table: Sample | Rows) -> None:
        self.table = table if isinstance(table, Rows) else Rows.of(table)
        self.n, self.d, self.x0 = self.table.n, self.table.d, self.table.x0
        self.width = self.d + int(self.x0)
        sample = self.table.in_memory
        self._whole = None if sample is None else SignedBlock(sample, is_table=True)

    def _map(
        self, of: Callable[..., T], *given: object, ranges: list[tuple[int, int]] | None = None
    ) -> list[T]:
        """Return of(block, *given) for the signed rows of every block."""
        return self.table.map(_of_block, of, self._whole, *given, ranges=ranges)

    # ------------------------------------------------------------------ the rows

    def floats(self, rows: Indices | None = None) -> Floats:
        """Return some rows (m, D), or all, in doubles. Signs change, nothing rounds."""
        if self._whole is not None:
            return self._whole.floats(slice(None) if rows is None else rows)
        some = self.table.whole() if rows is None else self.table.take(rows)
        return signed(some)

    def some(self, rows: Indices) -> SignedRows:
        """Return some of the rows, ascending, as a table of their own; itself where it is all."""
        if rows.size == self.n:
            return SignedRows(self.table.as_arrays()) if self._whole is None else self
        return SignedRows(self.table.some(rows))

    def again(self) -> SignedRows:
        """Return the same rows, with nothing found of those in memory; others have not changed."""
        self.table.source.refuse_changed()
        return self if self._whole is None else SignedRows(self.table)

    @property
    def n_numbers(self) -> int:
        """How many numbers the rows hold: of sparse ones those that are not zero."""
        nnz = self.table.source.nnz
        return self.n * self.width if nnz is None else int(nnz)

    @property
    def is_sparse(self) -> bool:
        return self._whole is not None and self._whole.is_sparse

    @property
    def is_mostly_zeros(self) -> bool:
        """Whether nearly all numbers of a table of some size in memory are zeros."""
        return self._whole is not None and self._whole.is_mostly_zeros

    @property
    def sparse(self) -> SparseRows | None:
        """All rows in memory by their nonzeros; None unless they are sparse, or mostly zeros."""
        return None if self._whole is None else self._whole.sparse

    def _few(self, rows: Sequence[int] | Indices) -> SparseRows | None:
        return None if self._whole is None else self._whole.few(rows)

    def sparse_floats(self, rows: Indices) -> sp.csr_array:
        """Return some rows (m, D) of a sparse table, in doubles."""
        few = self._few(rows)
        assert few is not None  # noqa: S101  # who asks has seen that rows are sparse
        return sp.csr_array((few.values, few.columns, few.starts), shape=(few.n, self.width))

    @cached_property
    def exponents(self) -> Indices:
        """Of each column: z_nj = I_nj 2^exponents[j] with integers I_n."""
        if self.sparse is not None:
            return self.sparse.exponents
        return whole_exponents(np.min(self._map(SignedBlock.lowest), axis=0))

    @cached_property
    def _sizes(self) -> Indices | None:
        """Powers of two above the numbers in each column (D,); None where nonzeros tell them."""
        if self.sparse is not None:
            return None
        return np.asarray(np.max(self._map(SignedBlock.sizes), axis=0))

    def integers(self, rows: Sequence[int] | Indices) -> list[IntegerRow]:
        return integer_rows(self.floats(np.asarray(rows, dtype=np.int64)), self.exponents)

    @cached_property
    def present(self) -> Indices:
        """The rows that are not all zero."""
        return np.concatenate(self._map(SignedBlock.present))

    def combination(
        self, rows: Sequence[int] | Indices, multipliers: Sequence[int]
    ) -> list[Fraction]:
        """Return sum_i multipliers[i] z_rows[i] without rounding: (D,)."""
        few = self._few(rows)
        if few is not None:
            return few.combination(multipliers)
        return exact_combination(self.floats(np.asarray(rows, dtype=np.int64)), multipliers)

    def nonzeros_of_combination(
        self, rows: Sequence[int] | Indices, multipliers: Sequence[int]
    ) -> dict[int, Fraction]:
        """Return what differs from zero of that, by column."""
        few = self._few(rows)
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

    def weights(self, line: Line) -> list[Fraction]:
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

    def line_on_integers(self, v: Line) -> list[Fraction]:
        """Return the line (D,) with weights v (D,) on the integer rows I_n."""
        return [
            times_power_of_two(a, -e) if a else a
            for a, e in zip(v, self.exponents.tolist(), strict=True)
        ]

    # ------------------------------------------------------------------ rank and equalities

    @cached_property
    def span(self) -> Span:
        """The span of all rows; a few of them show it when it has the whole width."""
        if self.is_mostly_zeros and self._few_have_width(self.n // FEW_OF):
            return Span(list(range(self.width)), [])
        sparse, numbers = self.sparse, self.n * self.width
        if sparse is not None and sparse.has_levels and sparse.rest.size <= self.n:
            return null_space(sparse).span
        if self._whole is not None and self.n < self.width and numbers >= LARGE:
            rows = homogeneous(self._whole.sample.X, self.x0)
            found = wide_span(rows) or wide_span(np.unique(rows, axis=0))
            if found is not None:
                return found
        # null vectors of fewer rows than columns are many and long: combinations are shorter
        if sparse is not None and (self.n >= self.width or numbers >= DENSE):
            return null_space(sparse).span
        if self._few_have_width(self.n):
            return Span(list(range(self.width)), [])
        return span(self)

    def _few_have_width(self, most: int) -> bool:
        """Whether at most `most` rows, evenly spread, have full column rank."""
        sizes = (times * self.width + 10 for times in (1, 4, 16))
        tried = (np.array(spread(self.n, min(size, most))) for size in sizes)
        return any(self.rank_of(rows) == self.width for rows in tried if rows.size >= self.width)

    def take_span(self, space: NullSpace) -> None:
        """Take the null space of all rows, which is known, for their span."""
        self.__dict__.setdefault("span", space.span)

    def rank_of(self, rows: Indices) -> int:
        """Return the rank of some rows modulo a prime: the exact one is that or more."""
        few = self._few(rows)
        if few is not None:
            return rank_of_few(few)
        values = self.floats(rows)
        return rank_at_least(integer_rows(values, column_exponents(values)))

    @property
    def rank(self) -> int:
        return len(self.span.columns)

    @property
    def aliased(self) -> tuple[int, ...]:
        """Indices in (1+d,) of the collinear columns: w_j != 0 for some w with Zw = 0."""
        return tuple(self.index(j) for j in self.span.aliased)

    def equalities(self, rows: Sequence[int] | Indices) -> list[Vector]:
        """Return a basis of the lines on the span's columns on which the integer rows vanish."""
        return self._vanishing(rows, self.span.columns)

    def _vanishing(self, rows: Sequence[int] | Indices, columns: Sequence[int]) -> list[Vector]:
        if self.sparse is not None:
            vectors = null_space(self.sparse.take(rows).only(columns)).vectors
            return [vectors[j] for j in columns if j in vectors]
        whole = [[row[j] for j in columns] for row in self.integers(rows)] if len(rows) else []
        basis = nullspace(whole, len(columns))[0]
        return [{j: a for j, a in zip(columns, v, strict=True) if a} for v in basis]

    def spanned(self, rows: Sequence[int], vectors: Sequence[Mapping[int, Fraction]]) -> list[bool]:
        """Return for each vector whether it is a combination of these rows, exactly."""
        if not len(rows):
            return [not any(v.values()) for v in vectors]
        by_column: dict[int, list[tuple[int, int]]] = {}
        for k, w in enumerate(self._vanishing(rows, range(self.width))):
            for j, b in w.items():
                by_column.setdefault(j, []).append((k, b))
        exponents, found = self.exponents.tolist(), []
        for v in vectors:
            whole, _ = whole_multiples([times_power_of_two(a, -exponents[j]) for j, a in v.items()])
            totals: dict[int, int] = {}
            for j, a in zip(v, whole, strict=True):
                for k, b in by_column.get(j, ()):
                    totals[k] = totals.get(k, 0) + a * b
            found.append(not any(totals.values()))
        return found

    def not_vanishing(self, basis: Sequence[Vector], most: int) -> list[int]:
        """Return up to `most` rows with I_n.v != 0 for some v of the basis, exactly."""
        if not basis:
            return []
        return self.table.fold(
            _not_vanishing, list[int](), self._whole, basis, most, self.exponents,
            done=partial(_as_many, most=most),
        )  # fmt: skip

    # ------------------------------------------------------------------ scores

    def least(self, line: Line) -> tuple[Fraction, Indices]:
        """Return min_n z_n.w exactly, and the first rows that can have it, in order."""
        floats, sizes = doubles_of(line), None
        parts = [] if floats is None else self._nearest(line, floats, sizes)
        if not parts:
            floats, sizes = None, self._sizes
            parts = self._nearest(line, floats, sizes)
        least, threshold = min(part.least for part in parts), min(part.threshold for part in parts)
        near = [part.rows[part.lower <= threshold] for part in parts]
        upto = np.cumsum([rows.size for rows in near]).tolist()
        if any(part.is_cut and n < MOST_NEAR for part, n in zip(parts, upto, strict=True)):
            near = [part.rows for part in self._nearest(line, floats, sizes, threshold)]
        return least, np.concatenate(near)[:MOST_NEAR]

    def separated_by(self, line: Line) -> bool:
        """Return whether z_n.w > 0 for every row, exactly."""
        floats = doubles_of(line)
        if floats is None:
            return self.least(line)[0] > 0
        return self.scan(self.float_weights(floats))[0] == 0

    def _nearest(
        self, line: Line, floats: Floats | None, sizes: Indices | None, most: float | None = None
    ) -> list[Nearest]:
        """Return the rows of least score of every block; nothing where floats overflow."""
        w = None if floats is None else self.float_weights(floats)
        found = self._map(SignedBlock.nearest, list(line), w, sizes, most)
        parts = [Nearest(*part) for part in found if part is not None]
        return parts if len(parts) == len(found) else []

    def signs(self, line: Line) -> Indices:
        """Return the sign of z_n.w for every row, exactly: (N,)."""
        return np.concatenate(self._map(SignedBlock.signs, list(line), self._sizes))

    def scores(self, line: Line, rows: Indices) -> list[Fraction]:
        """Return z_n.w of some rows without rounding."""
        few = self._few(rows)
        return exact_scores(self.floats(rows), line) if few is None else few.scores(line)

    def against(self, line: Line, basis: Sequence[Vector], most: int) -> Against:
        """Return what shows that a line is not interior to those with z_n.w >= 0, exactly."""
        found = self._map(SignedBlock.against, line, basis, most, self._sizes, self.exponents)
        some, wrong, scores, outside = zip(*found, strict=True)
        rows, all_scores = np.concatenate(wrong), np.concatenate(scores)
        worst = np.argsort(all_scores, kind="stable")[:most]
        off = [n for part in outside for n in part]
        return Against(any(some), rows[worst], all_scores[worst], off[:most])

    # ------------------------------------------------------------------ compiled scans

    @cached_property
    def _edges(self) -> Indices:
        """The ends of the parts into which a scan is cut, the same on any machine."""
        parts = max(1, min(MOST_PARTS, self.n // PART))
        return np.arange(parts + 1, dtype=np.int64) * self.n // parts

    def _ranges(self, starts: Indices, ends: Indices) -> list[tuple[int, int]] | None:
        """Return parts as ranges to read; None for all blocks where that is as quick."""
        if len(self.table.ranges) == 1 or not self.table.source.seeks:
            return None
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def scan(self, w: Floats, part: int = 1) -> tuple[int, Indices, Floats]:
        """Return how many rows have z_n.w <= 0, exactly, and the worst row of each part."""
        starts, ends = self._edges[:-1], self._edges[1:]
        if part > 1:  # of the first rows of each part
            ends = starts + -(-(ends - starts) // part)
        some = self._ranges(starts, ends) if part > 1 else None
        found = self._map(SignedBlock.scan, w, starts, ends, ranges=some)
        wrong = sum(each[0] for each in found)
        if len(found) == 1 and found[0][1].size == ends.size:  # each part is one piece
            return wrong, *found[0][2:]
        parts, rows, scores = (np.concatenate([each[k] for each in found]) for k in (1, 2, 3))
        worst, least = starts.copy(), np.full(ends.size, np.inf)
        np.minimum.at(least, parts, scores)
        first = np.flatnonzero(scores == least[parts])[::-1]  # of equal scores the first is last
        worst[parts[first]] = rows[first]
        return wrong, worst, least

    @cached_property
    def longest(self) -> Fraction:
        """R^2 = max_n |(x0, x_n)|^2, exactly; refuses rows of blocks that do not count, as well."""
        starts, ends = self._edges[:-1], self._edges[1:]
        found = self._map(SignedBlock.longest, self._edges)
        if self._whole is None and any(light for light, _, _ in found):
            raise InputError(
                f"{self.table.source.described}: some rows have weight 0, and whether a line "
                "separates is asked of all rows. Leave those out first."
            )
        longest = np.zeros(ends.size)
        for _, parts, lengths in found:
            np.maximum.at(longest, parts, lengths)
        top = longest.max()
        if 1e-200 < top < 1e300:  # or squares overflow, or vanish
            off = 2.0 * score_error(self.width, 1.0, tiny=0.0)
            near = np.flatnonzero(longest >= top * (1.0 - off))
            starts, ends = starts[near], ends[near]
        some = self._ranges(starts, ends)
        return max(self._map(SignedBlock.largest_square, starts, ends, ranges=some))


def _of_block(block: Block, of: Callable[..., T], whole: SignedBlock | None, *given: object) -> T:
    return of(whole or SignedBlock(block.sample, block.start), *given)


def _not_vanishing(  # noqa: PLR0917  # a step of a fold
    block: Block, found: list[int], whole: SignedBlock | None,
    basis: Sequence[Vector], most: int, exponents: Indices,
) -> list[int]:  # fmt: skip
    rows = whole or SignedBlock(block.sample, block.start)
    return [*found, *rows.not_vanishing(basis, most - len(found), exponents)]


def _as_many(found: list[int], most: int) -> bool:
    return len(found) >= most
