"""The signed rows of one block: what a read of all rows does in each of them.

Floats with an error bound choose the rows that can matter; those are done again exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from separatrix.cached import cached_property
from separatrix.data import Points, Sample, dense
from separatrix.data.points import SPARSE_SHARE
from separatrix.exact import level_elimination
from separatrix.exact.integers import (
    Floats,
    Indices,
    exact_score_signs,
    largest_square,
    least_score,
    lowest_exponents,
    nonzero_products,
    scaled_floats,
    sign,
    times_power_of_two,
)
from separatrix.exact.sparse_rows import SparseRows
from separatrix.kernels.error_bound import score_error
from separatrix.kernels.separation.scan import agreements, longest_of_parts, worst_of_parts
from separatrix.tiles import in_threads, n_threads, shares, tiles


def column_sizes(values: Floats) -> Indices:
    """Return e (D,) with every |values[n, j]| < 2^e_j, for values (n, D) of n >= 1 rows."""
    return np.asarray(np.frexp(np.abs(values).max(axis=0))[1], dtype=np.int64)


def filtered_scores(
    values: Floats, weights: Sequence[Fraction], sizes: Indices
) -> tuple[Floats, Floats]:
    """Return float scores of the rows (n, D), and bounds on their errors: (n,), (n,)."""
    scaled = np.ldexp(values, -sizes)
    shifted = [times_power_of_two(w, int(e)) for w, e in zip(weights, sizes, strict=True)]
    floats = scaled_floats(shifted)
    return scaled @ floats, score_error(len(floats), np.abs(scaled) @ np.abs(floats))


def decided_signs(
    scores: Floats, off: Floats, exact: Callable[[Indices], Iterable[int] | Indices]
) -> Indices:
    """Return the signs (n,) of scores known up to `off`."""
    signs: Indices = np.sign(scores).astype(np.int64)
    doubtful = np.flatnonzero(~(np.abs(scores) > off))
    found = exact(doubtful)
    signs[doubtful] = found if isinstance(found, np.ndarray) else [sign(s) for s in found]
    return signs


def exact_signs(points: Floats, weights: Sequence[Fraction]) -> Indices:
    """Return the sign of q.w for every point q (m, D), exactly."""
    if len(points) == 0:
        return np.zeros(0, dtype=np.int64)
    scores, off = filtered_scores(points, weights, column_sizes(points))
    return decided_signs(scores, off, lambda places: exact_score_signs(points[places], weights))


T = TypeVar("T")

PART = 32  # rows of a dense table whose zeros are counted first
SHARED = 1 << 20  # numbers in a block that is worth several threads
FEWEST_COLUMNS, FEWEST_NUMBERS = 24, 1 << 16  # of a table whose zeros are worth a count
MOST_NEAR = 1 << 14  # rows of least score that are named

Line = Sequence[Fraction]


class Nearest(NamedTuple):
    """The rows of a block whose float score is within rounding of the least."""

    threshold: float  # the least of score + bound
    rows: Indices  # of the table
    lower: Floats  # score - bound of each
    is_cut: bool  # whether there are more
    least: Fraction  # the least score, exactly


class Against(NamedTuple):
    """What shows that a line is not interior to those with z_n.w >= 0."""

    some: bool  # whether some row has a score above 0
    wrong: Indices  # rows with a score below 0, the lowest first
    scores: Floats  # of those, up to one power of two
    outside: list[int]  # rows with a score of 0 on which not all of a basis vanishes

    @property
    def rows(self) -> list[int]:
        return [*self.wrong.tolist(), *self.outside]


def homogeneous(points: Points, x0: float) -> Floats:
    """Return the rows (x0, x) (m, D), or x when x0 is 0, of points (m, d), dense or sparse."""
    table = dense(points, "an exact look at a sparse table")
    if x0 == 0.0:
        return table
    rows = np.empty((table.shape[0], table.shape[1] + 1))
    rows[:, 0], rows[:, 1:] = x0, table
    return rows


def signed(sample: Sample) -> Floats:
    """Return the rows z_n (m, D), in doubles. Signs change, nothing rounds."""
    points, y = homogeneous(sample.X, sample.x0), sample.y[:, None]
    return np.multiply(points, y, out=points) if sample.x0 else points * y


@dataclass(frozen=True)
class SignedBlock:
    """Rows z_n = y_n (x0, x_n) next to one another, dense or sparse."""

    sample: Sample
    start: int = 0  # index of the first one in the table
    is_table: bool = False  # whether they are all rows: their nonzeros may then be looked at alone

    @property
    def n(self) -> int:
        return self.sample.n

    @property
    def x0(self) -> float:
        return self.sample.x0

    # ------------------------------------------------------------------ the rows

    def floats(self, rows: Indices | slice = slice(None)) -> Floats:
        whole = isinstance(rows, slice) and rows == slice(None)
        return signed(self.sample if whole else self.sample.at(rows))

    def tiles(self) -> Iterator[Floats]:
        for tile in tiles(self.n):
            yield self.floats(tile)

    @property
    def is_sparse(self) -> bool:
        return self.is_table and bool(sp.issparse(self.sample.X))

    @cached_property
    def is_mostly_zeros(self) -> bool:
        """Whether nearly all numbers of a table of some size are zeros, be it dense or sparse."""
        X = self.sample.X
        size = X.shape[0] * X.shape[1]
        if not self.is_table or X.shape[1] < FEWEST_COLUMNS or size < FEWEST_NUMBERS:
            return False
        if sp.issparse(X):
            return bool(SPARSE_SHARE * X.nnz <= size)
        return all(SPARSE_SHARE * np.count_nonzero(part) <= part.size for part in (X[:PART], X))

    @cached_property
    def sparse(self) -> SparseRows | None:
        """The same rows by their nonzeros; None for dense ones, unless most of them are zeros."""
        if self.is_sparse or self.is_mostly_zeros:
            return SparseRows.signed(self.sample)
        return None

    def few(self, rows: Indices | Sequence[int]) -> SparseRows | None:
        """Return some of those, read by themselves where all are not there yet."""
        if not (self.is_sparse or self.is_mostly_zeros):
            return None
        if "sparse" in self.__dict__ and self.sparse is not None:
            return self.sparse.take(rows)
        return SparseRows.signed(self.sample.at(np.asarray(rows, dtype=np.int64)))

    def lowest(self) -> Indices:
        return np.asarray(np.min([lowest_exponents(rows) for rows in self.tiles()], axis=0))

    def sizes(self) -> Indices:
        """Return powers of two above the numbers in each column: (D,)."""
        return np.asarray(np.max([column_sizes(rows) for rows in self.tiles()], axis=0))

    def present(self) -> Indices:
        """Return the rows that are not all zero."""
        if self.x0:
            return np.arange(self.start, self.start + self.n)
        if self.sparse is not None:
            return np.flatnonzero(np.diff(self.sparse.starts))
        found = np.concatenate([rows.any(axis=1) for rows in self.tiles()])
        return self.start + np.flatnonzero(found)

    def not_vanishing(
        self,
        basis: Sequence[Mapping[int, int]],
        most: int,
        exponents: Indices,
        among: Indices | None = None,
    ) -> list[int]:
        """Return up to `most` rows, of some of them, with I_n.v != 0 for some v of the basis."""
        if not basis:
            return []
        if self.sparse is not None:
            some = self.sparse if among is None else self.sparse.take(among)
            rows = level_elimination.not_vanishing(some, basis)[:most]
            return (rows if among is None else among[rows]).tolist()  # type: ignore[no-any-return]
        used = sorted({j for v in basis for j in v})
        vectors = [[v.get(j, 0) for j in used] for v in basis]
        found: list[int] = []
        for tile in tiles(self.n if among is None else among.size):
            some_rows = self.floats(tile if among is None else among[tile])[:, used]
            off = nonzero_products(some_rows, exponents[used], vectors)
            places = tile.start + off if among is None else among[tile][off]
            found += (self.start + places).tolist()
            if len(found) >= most:
                break
        return found[:most]

    # ------------------------------------------------------------------ scores

    def filtered(self, line: Line, sizes: Indices | None) -> tuple[Floats, Floats]:
        """Return float scores and bounds on their errors (n,), up to one power of two."""
        if self.sparse is not None:
            return self.sparse.filtered_scores(line)
        assert sizes is not None  # noqa: S101
        parts = [filtered_scores(rows, line, sizes) for rows in self.tiles()]
        return np.concatenate([s for s, _ in parts]), np.concatenate([off for _, off in parts])

    def nearest(
        self, line: Line, w: Floats | None, sizes: Indices | None, most: float | None
    ) -> tuple[float, Indices, Floats, bool, Fraction] | None:
        """Return a `Nearest`, of scores up to `most`; None where those of w, the line, overflow."""
        if w is not None:
            scores, off = agreements(self.sample.rows, self.sample.y, w, self.x0)
            if not (np.isfinite(scores).all() and np.isfinite(off).all()):
                return None
        else:
            scores, off = self.filtered(line, sizes)
        with np.errstate(over="ignore"):  # an infinite bound keeps a row
            lower, threshold = scores - off, float((scores + off).min())
        near = np.flatnonzero(lower <= (threshold if most is None else most))
        named = near[:MOST_NEAR]
        least = self._least(line, near) if most is None else Fraction(0)
        return threshold, self.start + named, lower[named], near.size > named.size, least

    def _least(self, line: Line, rows: Indices) -> Fraction:
        few = self.few(rows)
        if few is not None:
            return few.least(line)
        return min(least_score(self.floats(rows[t]), line) for t in tiles(rows.size))

    def signs(self, line: Line, sizes: Indices | None) -> Indices:
        return self._signed_scores(line, sizes)[0]

    def _signed_scores(self, line: Line, sizes: Indices | None) -> tuple[Indices, Floats]:
        """Return the signs of all scores, exactly, and the scores up to one power of two."""
        if self.sparse is not None:  # few numbers a row: integers take no longer than floats
            signs = self.sparse.signs(line)
            wrong = bool((signs < 0).any())
            return signs, self.filtered(line, sizes)[0] if wrong else np.zeros(self.n)
        scores, off = self.filtered(line, sizes)
        return decided_signs(scores, off, partial(self._exact_signs, line)), scores

    def _exact_signs(self, line: Line, rows: Indices) -> Indices:
        parts = [exact_score_signs(self.floats(rows[t]), line) for t in tiles(rows.size)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def against(
        self,
        line: Line,
        basis: Sequence[Mapping[int, int]],
        most: int,
        sizes: Indices | None,
        exponents: Indices,
    ) -> Against:
        signs, scores = self._signed_scores(line, sizes)
        wrong, on_it = np.flatnonzero(signs < 0), np.flatnonzero(signs == 0)
        worst = wrong[np.argsort(scores[wrong], kind="stable")[:most]]
        outside = self.not_vanishing(basis, most, exponents, on_it)
        return Against(bool((signs > 0).any()), self.start + worst, scores[worst], outside)

    # ------------------------------------------------------------------ compiled scans

    def _pieces(self, starts: Indices, ends: Indices) -> tuple[Indices, Indices, Indices]:
        """Return the parts of the table that are here, cut where threads share the block."""
        if self.is_table and not self._is_shared:
            return np.arange(starts.size), starts, ends
        k = np.flatnonzero((starts < self.start + self.n) & (ends > self.start))
        first = np.maximum(starts[k] - self.start, 0)
        size = np.minimum(ends[k] - self.start, self.n) - first
        cuts = n_threads() if self._is_shared else 1
        edges = first[:, None] + size[:, None] * np.arange(cuts + 1) // cuts
        return np.repeat(k, cuts), edges[:, :-1].ravel(), edges[:, 1:].ravel()

    @property
    def _is_shared(self) -> bool:
        return self.n * (self.sample.d + 1) >= SHARED

    def _in_threads(self, n: int, read: Callable[[slice], T]) -> list[T]:
        runs = shares(range(n), n_threads() if self._is_shared else 1)
        return list(in_threads([partial(read, slice(run[0], run[-1] + 1)) for run in runs if run]))

    def scan(
        self, w: Floats, starts: Indices, ends: Indices
    ) -> tuple[int, Indices, Indices, Floats]:
        """Return how many rows are wrong; of each piece its part, its worst row and that score."""
        parts, first, last = self._pieces(starts, ends)
        worst, least = np.empty(parts.size, dtype=np.int64), np.empty(parts.size)
        rows, y, x0 = self.sample.rows, self.sample.y, self.x0

        def read(run: slice) -> int:
            found = worst_of_parts(rows, y, w, x0, first[run], last[run], worst[run], least[run])
            return int(found)

        wrong = sum(self._in_threads(parts.size, read))
        return wrong, parts, self.start + worst, least

    def longest(self, edges: Indices) -> tuple[bool, Indices, Floats]:
        """Return whether some row has no weight, and the largest float |z|^2 of each piece."""
        parts, first, last = self._pieces(edges[:-1], edges[1:])
        longest, rows = np.empty(parts.size), self.sample.rows

        def read(run: slice) -> None:
            longest_of_parts(rows, self.x0, first[run], last[run], longest[run])

        self._in_threads(parts.size, read)
        return bool((self.sample.weight == 0.0).any()), parts, longest

    def largest_square(self, starts: Indices, ends: Indices) -> Fraction:
        """Return the largest |z_n|^2 of the rows of some parts, exactly."""
        first = np.maximum(starts - self.start, 0).tolist()
        last = np.minimum(ends - self.start, self.n).tolist()
        parts = [(a, b) for a, b in zip(first, last, strict=True) if a < b]
        if parts and (self.is_sparse or self.is_mostly_zeros):
            few = self.few(np.concatenate([np.arange(a, b) for a, b in parts]))
            assert few is not None  # noqa: S101
            return largest_square(few.padded)
        found = [
            largest_square(self.floats(slice(a + t.start, a + t.stop)))
            for a, b in parts
            for t in tiles(b - a)
        ]
        return max(found, default=Fraction(0))
