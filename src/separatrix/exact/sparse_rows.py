"""Signed rows by their nonzeros, the levels of the widest category eliminated in closed form.

With a *key row* for each level, a row is a multiple of its key row plus a *reduced row* in the k
other columns: the rank of all rows is the number of levels plus the rank of the reduced rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.cached import cached_property
from separatrix.data import Sample, disjoint_runs
from separatrix.exact.integers import (
    ZEROS,
    Floats,
    Indices,
    IntegerRow,
    dyadic,
    scaled_floats,
    times_power_of_two,
    whole_exponents,
    whole_multiples,
)
from separatrix.kernels.error_bound import score_error
from separatrix.tiles import tiles

Whole = NDArray[Any]  # int64, or object where Python's integers are needed

SMALL_BITS = 62  # of integers that int64 holds with their sign
FEW_REST, MOST_REST = 256, 2500  # columns that are no levels


@dataclass(frozen=True)
class SparseRows:
    """N rows in D columns, by their nonzeros."""

    starts: Indices  # (N+1,); columns, values : (nnz,) doubles, columns ascending within a row
    columns: Indices
    values: Floats
    width: int  # D
    runs: tuple[range, ...]  # runs of columns of which every row has at most one nonzero
    exponents: Indices  # (D,) of each column: z_nj = I_nj 2^exponents[j] with integers I_n

    @classmethod
    def signed(cls, sample: Sample) -> SparseRows:
        """Return the rows z_n = y_n (x0, x_n); points that are sparse are canonical CSR."""
        X, y, shift = sp.csr_array(sample.X), sample.y, int(sample.x0)
        starts, n = X.indptr.astype(np.int64), len(y)
        sizes = np.diff(starts)
        values, columns = X.data * np.repeat(y, sizes), X.indices.astype(np.int64) + shift
        if shift:
            values = np.insert(values, starts[:-1], y)
            columns = np.insert(columns, starts[:-1], 0)
            starts = starts + np.arange(n + 1)
        runs = (range(run.start + shift, run.stop + shift) for run in disjoint_runs(X))
        width = X.shape[1] + shift
        lowest = np.full(width, ZEROS)
        for part in tiles(values.size):
            np.minimum.at(lowest, columns[part], dyadic(values[part])[1])
        return cls(starts, columns, values, width, tuple(runs), whole_exponents(lowest))

    @property
    def n(self) -> int:
        return self.starts.size - 1

    def take(self, rows: Indices | Sequence[int]) -> SparseRows:
        """Return the rows of those indices: these themselves where all are asked for in order."""
        if len(rows) == self.n and np.array_equal(rows, np.arange(self.n)):
            return self
        places, starts = self.places(rows)
        few = replace(self, starts=starts, columns=self.columns[places], values=self.values[places])
        few.__dict__["whole"] = self.whole[places]
        return few

    def only(self, columns: Sequence[int]) -> SparseRows:
        kept = np.zeros(self.width, dtype=np.bool_)
        kept[list(columns)] = True
        here = kept[self.columns]
        starts = np.append(0, np.cumsum(here))[self.starts]
        return replace(self, starts=starts, columns=self.columns[here], values=self.values[here])

    def places(self, rows: Indices | Sequence[int]) -> tuple[Indices, Indices]:
        """Return where the entries of some rows stand, and where each row starts among them."""
        chosen = np.asarray(rows, dtype=np.int64)
        begin, sizes = self.starts[chosen], self.starts[chosen + 1] - self.starts[chosen]
        starts = np.append(0, np.cumsum(sizes))
        return np.arange(starts[-1]) + np.repeat(begin - starts[:-1], sizes), starts

    @cached_property
    def _used(self) -> list[int]:
        return np.unique(self.columns).tolist()  # type: ignore[no-any-return]

    @cached_property
    def row_of(self) -> Indices:
        """The row of each entry: (nnz,)."""
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    @cached_property
    def by_columns(self) -> tuple[Indices, Indices]:
        """Where each column starts, and the rows of its entries: (D+1,), (nnz,)."""
        table = sp.csr_array((self.values, self.columns, self.starts), (self.n, self.width))
        turned = table.tocsc()
        return turned.indptr.astype(np.int64), turned.indices.astype(np.int64)

    # ------------------------------------------------------------------ integers

    @cached_property
    def bits(self) -> int:
        """How many the largest of those entries has, or more."""
        return int((np.frexp(self.values)[1] - self.exponents[self.columns]).max(initial=0))

    @cached_property
    def whole(self) -> Whole:
        """The entries of the integer rows I_n: (nnz,)."""
        lowest = self.exponents[self.columns]
        kind = np.int64 if self.bits <= SMALL_BITS else object
        made = np.empty(self.values.size, dtype=kind)
        for part in tiles(made.size):
            mantissa, exponent = dyadic(self.values[part])
            made[part] = mantissa.astype(kind) << (exponent - lowest[part]).astype(kind)
        return made

    def row(self, n: int) -> list[tuple[int, int]]:
        part = slice(self.starts[n], self.starts[n + 1])
        return list(zip(self.columns[part].tolist(), self.whole[part].tolist(), strict=True))

    def combination(self, multipliers: Sequence[int]) -> list[Fraction]:
        sums = [Fraction(0)] * self.width
        for j, a in self.nonzeros_of_combination(multipliers).items():
            sums[j] = a
        return sums

    def nonzeros_of_combination(self, multipliers: Sequence[int]) -> dict[int, Fraction]:
        total: dict[int, int] = {}
        times = [multipliers[n] for n in self.row_of.tolist()]
        for j, a, m in zip(self.columns.tolist(), self.whole.tolist(), times, strict=True):
            total[j] = total.get(j, 0) + a * m
        exponents = self.exponents
        return {
            j: times_power_of_two(Fraction(a), int(exponents[j])) for j, a in total.items() if a
        }

    def whole_scores(self, v: IntegerRow) -> Whole:
        """Return I_n.v for every row: (N,), exactly."""
        largest = max([1, *map(abs, v)])  # entries by themselves are to fit, too
        sizes = np.diff(self.starts)
        narrow = largest * max(1, int(sizes.max(initial=0)) << self.bits) < 1 << SMALL_BITS
        kind = np.int64 if narrow else object
        weights, scores = np.array(v, dtype=kind), np.zeros(self.n, dtype=kind)
        counts = np.array([a != 0 for a in v])
        for rows in tiles(self.n):
            ends = self.starts[rows.start : rows.stop + 1]
            kept = ends[0] + np.flatnonzero(counts[self.columns[ends[0] : ends[-1]]])
            first = np.searchsorted(kept, ends)
            present = np.flatnonzero(np.diff(first))
            if present.size:
                products = self.whole[kept].astype(kind) * weights[self.columns[kept]]
                scores[rows.start + present] = np.add.reduceat(products, first[present])
        return scores

    def signs(self, weights: Sequence[Fraction]) -> Indices:
        scores = self.whole_scores(self._on_integers(weights)[0])
        return (scores > 0).astype(np.int64) - (scores < 0).astype(np.int64)

    def scores(self, weights: Sequence[Fraction]) -> list[Fraction]:
        v, q = self._on_integers(weights)
        return [Fraction(int(s), q) for s in self.whole_scores(v)]

    def least(self, weights: Sequence[Fraction]) -> Fraction:
        v, q = self._on_integers(weights)
        return Fraction(int(min(self.whole_scores(v).tolist())), q)

    def _on_integers(self, weights: Sequence[Fraction]) -> tuple[IntegerRow, int]:
        """Return integers v and q with z_n.w = I_n.v / q: 0 where no row has an entry."""
        v, used = [0] * self.width, self._used
        exponents = self.exponents[used].tolist()
        parts = zip(used, exponents, strict=True)
        whole, q = whole_multiples([times_power_of_two(weights[j], e) for j, e in parts])
        for j, a in zip(used, whole, strict=True):
            v[j] = a
        return v, q

    def filtered_scores(self, weights: Sequence[Fraction]) -> tuple[Floats, Floats]:
        """Return float scores and bounds on their errors: (N,), (N,), up to a power of two."""
        shifted = [
            times_power_of_two(w, int(e)) if w else w
            for w, e in zip(weights, self.sizes, strict=True)
        ]
        scaled = np.ldexp(self.values, -self.sizes[self.columns])
        products = scaled * scaled_floats(shifted)[self.columns]
        scores: Floats = np.bincount(self.row_of, products, self.n).astype(np.float64)
        size = np.bincount(self.row_of, np.abs(products), self.n)
        return scores, score_error(self.width, np.asarray(size, dtype=np.float64))

    @cached_property
    def sizes(self) -> Indices:
        """Powers of two above the numbers in each column: (D,)."""
        largest = np.zeros(self.width)
        np.maximum.at(largest, self.columns, np.abs(self.values))
        return np.asarray(np.frexp(largest)[1], dtype=np.int64)

    @cached_property
    def padded(self) -> Floats:
        """The values alone, rows filled up with zeros: (N, most nonzeros of a row)."""
        sizes = np.diff(self.starts)
        table = np.zeros((self.n, int(sizes.max(initial=1))))
        table[self.row_of, np.arange(self.values.size) - self.starts[self.row_of]] = self.values
        return table

    # ------------------------------------------------------------------ levels

    @cached_property
    def levels(self) -> range:
        return max(self.runs, key=len, default=range(0))

    @property
    def has_levels(self) -> bool:
        """Whether to eliminate them pays: other columns are few, or no more than they are."""
        k = self.width - len(self.levels)
        return len(self.levels) > 0 and k <= min(MOST_REST, max(FEW_REST, len(self.levels)))

    @cached_property
    def level(self) -> Indices:
        """The level of each row, counted from 0; the number of levels where it has none: (N,)."""
        level = np.full(self.n, len(self.levels), dtype=np.int64)
        at = self.is_level
        level[self.row_of[at]] = self.columns[at] - self.levels.start
        return level

    @cached_property
    def is_level(self) -> NDArray[np.bool_]:
        """Which entries stand in columns of levels: (nnz,)."""
        return (self.columns >= self.levels.start) & (self.columns < self.levels.stop)

    @cached_property
    def rest(self) -> Indices:
        return np.setdiff1d(np.arange(self.width), np.arange(len(self.levels)) + self.levels.start)

    @cached_property
    def rest_places(self) -> dict[int, int]:
        """The place of each of those columns among them."""
        return {j: i for i, j in enumerate(self.rest.tolist())}
