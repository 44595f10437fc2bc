"""The signed rows of a table in blocks: nothing that is kept grows with N."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeVar, cast

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike
from separatrix.cached import cached_property
from separatrix.data import InputError, Sample, in_form, may_be_sparse, read_arrays
from separatrix.data.form import SPARSE_SHARE
from separatrix.exact.float_filter import filtered_scores
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    exact_scores,
    largest_square,
    lowest_exponents_of,
    whole_exponents,
)
from separatrix.exact.signed_rows import (
    FEWEST_COLUMNS,
    FEWEST_NUMBERS,
    MANY,
    PART,
    Against,
    SignedRows,
    doubles_of,
)
from separatrix.exact.span import Span, spread
from separatrix.kernels.error_bound import score_error
from separatrix.kernels.separation.scan import agreements, longest_of_parts, worst_of_parts
from separatrix.scale import Block, Rows
from separatrix.scale.opening import is_beyond_memory, table_in_blocks
from separatrix.tiles import in_threads, n_threads, tiles

T = TypeVar("T")

MOST_NEAR = 1 << 14  # rows of least score that are named
SHARED = 1 << 16  # rows of a block that are worth several threads

Line = Sequence[Fraction]


def checked_table(X: ArrayLike, y: ArrayLike) -> Sample:
    """Return the rows of a question: a checked sample, or a table in blocks in its stead."""
    if not is_beyond_memory(X):
        return read_arrays(X, y)
    table = table_in_blocks(X, y)
    if table.classes is None:
        raise InputError(f"{table.source.described}: y holds numbers, and labels are asked for.")
    if table.fits_in_memory:
        return whole_sample(table)
    return cast("Sample", table)


def taken(table: Rows, rows: Indices) -> Sample:
    """Return some rows, in doubles."""
    sample = table.take(rows)
    return replace(sample, X=np.asarray(sample.X, dtype=np.float64))


def whole_sample(table: Rows) -> Sample:
    """Return all rows, in doubles, in the form that arrays have."""
    sample = table.whole()
    return (
        sample
        if sp.issparse(sample.X)
        else replace(sample, X=in_form(np.array(sample.X, dtype=np.float64)))
    )


def signed_rows(sample: Sample | Rows, x0: float) -> SignedRows:
    if isinstance(sample, Rows):
        return RowsInBlocks(sample, x0)
    return SignedRows(sample, x0)


@dataclass(frozen=True)
class RowsInBlocks(SignedRows):
    """N rows z_n that are read in blocks."""

    sample: Rows  # type: ignore[assignment]  # what reads arrays of it is overridden

    # ------------------------------------------------------------------ the rows

    def floats(self, rows: Indices | slice = slice(None)) -> Floats:
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(self.n), dtype=np.int64)
        return SignedRows(self.sample.take(rows), self.x0).floats()

    def some(self, rows: Indices) -> SignedRows:
        return SignedRows(taken(self.sample, rows), self.x0)

    def again(self) -> SignedRows:
        """Return the same rows, if their files have not changed."""
        self.sample.source.refuse_changed()
        return self

    @cached_property
    def in_memory(self) -> SignedRows:
        """All rows, in memory: for a table of which that is known to be little."""
        return SignedRows(whole_sample(self.sample), self.x0)

    @property
    def is_sparse(self) -> bool:
        return False

    @cached_property
    def is_mostly_zeros(self) -> bool:
        """As of rows in memory, unless the numbers that are no zeros take much of the budget."""
        n, d = self.sample.shape
        if d < FEWEST_COLUMNS or n * d < FEWEST_NUMBERS:
            return False
        first = self.sample.source.read(0, min(PART, n)).X
        if not may_be_sparse(n, d) and SPARSE_SHARE * np.count_nonzero(first) > first.size:
            return False
        kept = self.sample.nonzeros
        return kept is not None and SPARSE_SHARE * kept.X.nnz <= n * d

    @property
    def sparse(self) -> None:
        return

    def few(self, rows: Indices | Sequence[int]) -> None:  # noqa: ARG002
        return

    @cached_property
    def exponents(self) -> Indices:
        return whole_exponents(np.min(self.sample.map(_lowest, self.x0), axis=0))

    def spread(self, most: int) -> list[int]:
        if self.x0:
            return spread(self.n, most)
        count = np.cumsum([0, *self.sample.map(_count_present)])
        if count[-1] == 0:
            return []
        chosen = np.array(spread(int(count[-1]), most))
        edges = dict(zip((a for a, _ in self.sample.ranges), count.tolist(), strict=False))
        found = self.sample.map(_present, edges, chosen)
        return [n for part in found for n in part]

    def largest_in(self, column: int) -> float:
        return max(self.sample.map(_largest_in, column, self.x0))

    @cached_property
    def span(self) -> Span:
        return self._span_of_few()

    def not_vanishing(
        self,
        basis: Sequence[IntegerRow],
        most: int,
        *,
        columns: Sequence[int] | None = None,
        among: Indices | None = None,
    ) -> list[int]:
        if not basis or among is not None:
            return super().not_vanishing(basis, most, columns=columns, among=among)
        broadcast = basis, most, columns, self.exponents, self.x0
        found: list[int] = self.sample.fold(
            _not_vanishing, [], *broadcast, done=partial(_as_many, most=most)
        )
        return found[:most]

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
        before = np.cumsum([0, *(rows.size for rows in near)]).tolist()
        if any(part.is_cut and n < MOST_NEAR for part, n in zip(parts, before[1:], strict=True)):
            near = [part.rows for part in self._nearest(line, floats, sizes, threshold)]
        return least, np.concatenate(near)[:MOST_NEAR]

    def _nearest(
        self, line: Line, floats: Floats | None, sizes: Indices | None, most: float | None = None
    ) -> list[Nearest]:
        """Return the rows of least score of every block; nothing where floats overflow."""
        w = None if floats is None else self.float_weights(floats)
        found = self.sample.map(_nearest, list(line), w, sizes, self.x0, most)
        parts = [Nearest(*part) for part in found if part is not None]
        return parts if len(parts) == len(found) else []

    def against(
        self, line: Line, basis: Sequence[IntegerRow], columns: Sequence[int], most: int
    ) -> Against:
        broadcast = line, basis, columns, most, self._sizes, self.exponents, self.x0
        some, wrong, scores, outside = zip(*self.sample.map(_against, *broadcast), strict=True)
        rows, all_scores = np.concatenate(wrong), np.concatenate(scores)
        worst = np.argsort(all_scores, kind="stable")[:most]
        off = [n for part in outside for n in part]
        return Against(any(some), rows[worst], all_scores[worst], off[:most])

    @cached_property
    def _sizes(self) -> Indices:
        return np.asarray(np.max(self.sample.map(_sizes, self.x0), axis=0))

    # ------------------------------------------------------------------ compiled scans

    def scan(self, w: Floats, part: int = 1) -> tuple[int, Indices, Floats]:
        edges = self._edges
        ends = edges[1:] if part == 1 else edges[:-1] - (-np.diff(edges) // part)
        some = None
        if part > 1 and self.sample.source.seeks:
            some = list(zip(edges[:-1].tolist(), ends.tolist(), strict=True))
        worst, least = edges[:-1].copy(), np.full(ends.size, np.inf)
        wrong = 0
        found = self.sample.map(_scanned, w, self.x0, edges[:-1], ends, ranges=some)
        for count, parts, rows, scores in found:
            wrong += count
            for k, n, a in zip(parts, rows, scores, strict=True):
                if a < least[k]:
                    worst[k], least[k] = n, a
        return wrong, worst, least

    @cached_property
    def longest(self) -> Fraction:
        """R^2 = max_n |(x0, x_n)|^2, exactly; refuses rows that do not count, by the way."""
        edges = self._edges
        found = self.sample.map(_longest, self.x0, edges)
        if any(light for light, _, _ in found):
            raise InputError(
                f"{self.sample.source.described}: some rows have weight 0, and whether a line "
                "separates is asked of all rows. Leave those out first."
            )
        longest = np.zeros(edges.size - 1)
        for _, parts, lengths in found:
            np.maximum.at(longest, parts, lengths)
        top = longest.max()
        off = 2.0 * score_error(self.width, 1.0, tiny=0.0)
        usual = 1e-200 < top < 1e300  # or squares overflow, or vanish
        near = np.flatnonzero(longest >= top * (1.0 - off)) if usual else np.arange(longest.size)
        some = None
        if self.sample.source.seeks:
            some = list(zip(edges[near].tolist(), edges[near + 1].tolist(), strict=True))
        return max(self.sample.map(_largest_square, self.x0, edges, near, ranges=some))


# ---------------------------------------------------------------------- of one block


class Nearest(NamedTuple):
    """The rows of a block whose float score is within rounding of the least."""

    threshold: float  # the least of score + bound
    rows: Indices
    lower: Floats
    is_cut: bool  # whether there are more
    least: Fraction  # the least score, exactly


def _lowest(block: Block, x0: float) -> Indices:
    rows = SignedRows(block.sample, x0)
    return lowest_exponents_of(part for _, part in rows.blocks())


def _sizes(block: Block, x0: float) -> Indices:
    return SignedRows(block.sample, x0)._sizes


def _largest_in(block: Block, column: int, x0: float) -> float:
    parts = SignedRows(block.sample, x0).blocks()
    return max(float(np.abs(part[:, column]).max()) for _, part in parts)


def _count_present(block: Block) -> int:
    return int(SignedRows(block.sample, 0.0).present.size)


def _present(block: Block, before: dict[int, int], chosen: Indices) -> list[int]:
    """Return rows by their place among those of the table that are not all zero."""
    rows, first = SignedRows(block.sample, 0.0).present, before[block.start]
    here = chosen[(first <= chosen) & (chosen < first + rows.size)] - first
    found: list[int] = (block.start + rows[here]).tolist()
    return found


def _rows_with(block: Block, exponents: Indices, x0: float) -> SignedRows:
    """Return the rows of a block, whose integers are those of the table."""
    rows = SignedRows(block.sample, x0)
    rows.__dict__["exponents"] = exponents
    return rows


def _not_vanishing(  # noqa: PLR0917  # a step of a fold
    block: Block,
    found: list[int],
    basis: Sequence[IntegerRow],
    most: int,
    columns: Sequence[int] | None,
    exponents: Indices,
    x0: float,
) -> list[int]:
    rows = _rows_with(block, exponents, x0)
    every = np.arange(block.n)
    more = rows.not_vanishing(basis, most - len(found), columns=columns, among=every)
    return [*found, *(block.start + n for n in more)]


def _as_many(found: list[int], most: int) -> bool:
    return len(found) >= most


def _against(  # noqa: PLR0917
    block: Block,
    line: Line,
    basis: Sequence[IntegerRow],
    columns: Sequence[int],
    most: int,
    sizes: Indices,
    exponents: Indices,
    x0: float,
) -> Against:
    rows = _rows_with(block, exponents, x0)
    rows.__dict__["_sizes"] = sizes
    some, wrong, scores, outside = rows.against(line, basis, columns, most)
    return Against(some, block.start + wrong, scores, [block.start + n for n in outside])


def _nearest(  # noqa: PLR0917
    block: Block,
    line: Line,
    w: Floats | None,
    sizes: Indices | None,
    x0: float,
    most: float | None,
) -> tuple[float, Indices, Floats, bool, Fraction] | None:
    rows = SignedRows(block.sample, x0)
    if w is not None:
        scores, off = agreements(block.sample.rows, block.sample.y, w, x0)
        if not (np.isfinite(scores).all() and np.isfinite(off).all()):
            return None
    else:
        assert sizes is not None  # noqa: S101
        parts = [filtered_scores(part, line, sizes) for _, part in rows.blocks()]
        scores, off = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    with np.errstate(over="ignore"):  # an infinite bound keeps a row
        lower, threshold = scores - off, float((scores + off).min())
    del scores, off
    near = np.flatnonzero(lower <= (threshold if most is None else most))
    named = near[:MOST_NEAR]
    lowest = lower[named]
    del lower
    least = Fraction(0)
    if most is None:
        values = rows.floats(near)
        if near.size > MANY:
            values = np.unique(values, axis=0)
        least = min(exact_scores(values, line))
    return threshold, block.start + named, lowest, near.size > named.size, least


def _pieces(block: Block, starts: Indices, ends: Indices) -> tuple[Indices, Indices, Indices]:
    """Return the parts of a table within a block, cut where threads take turns."""
    k = np.flatnonzero((starts < block.stop) & (ends > block.start))
    first = np.maximum(starts[k], block.start) - block.start
    last = np.minimum(ends[k], block.stop) - block.start
    cuts = _turns(block).tolist()
    pieces = [
        (part, a, b)
        for part, start, stop in zip(k.tolist(), first.tolist(), last.tolist(), strict=True)
        for a, b in _cut(start, stop, cuts)
    ]
    parts, begin, end = np.array(pieces, dtype=np.int64).reshape(-1, 3).T
    return parts, np.ascontiguousarray(begin), np.ascontiguousarray(end)


def _cut(start: int, stop: int, cuts: list[int]) -> list[tuple[int, int]]:
    edges = [start, *(c for c in cuts if start < c < stop), stop]
    return [(a, b) for a, b in pairwise(edges) if a < b]


def _in_threads(block: Block, first: Indices, read: Callable[[slice], T]) -> list[T]:
    cuts = np.searchsorted(first, _turns(block))
    edges = [0, *cuts.tolist(), first.size]
    return list(in_threads([partial(read, slice(a, b)) for a, b in pairwise(edges) if a < b]))


def _turns(block: Block) -> Indices:
    """Return the first rows of all threads but one."""
    threads = n_threads() if block.n >= SHARED else 1
    return np.arange(1, threads) * block.n // threads


def _scanned(
    block: Block, w: Floats, x0: float, starts: Indices, ends: Indices
) -> tuple[int, Indices, Indices, Floats]:
    """Return how many rows are wrong; of each piece its part, its worst row and the score of it."""
    parts, first, last = _pieces(block, starts, ends)
    worst, least = np.empty(parts.size, dtype=np.int64), np.empty(parts.size)
    sample = block.sample

    def read(run: slice) -> int:
        found = worst_of_parts(
            sample.rows, sample.y, w, x0, first[run], last[run], worst[run], least[run]
        )
        return int(found)

    wrong = sum(_in_threads(block, first, read))
    return wrong, parts, block.start + worst, least


def _longest(block: Block, x0: float, edges: Indices) -> tuple[bool, Indices, Floats]:
    """Return whether some row has no weight, and the largest float |z|^2 of each piece."""
    parts, first, last = _pieces(block, edges[:-1], edges[1:])
    longest, sample = np.empty(parts.size), block.sample

    def read(run: slice) -> None:
        longest_of_parts(sample.rows, x0, first[run], last[run], longest[run])

    _in_threads(block, first, read)
    return bool((sample.weight == 0.0).any()), parts, longest


def _largest_square(block: Block, x0: float, edges: Indices, near: Indices) -> Fraction:
    """Return the largest |z_n|^2 of some parts, exactly."""
    a, b = edges[near] - block.start, edges[near + 1] - block.start
    rows = SignedRows(block.sample, x0)
    found = [
        largest_square(rows.floats(slice(start + t.start, start + t.stop)))
        for start, stop in zip(np.maximum(a, 0).tolist(), b.clip(max=block.n).tolist(), strict=True)
        for t in tiles(stop - start)
    ]
    return max(found, default=Fraction(0))
