"""Rows that cancel of a table with categories: pairs of the same levels and opposite labels.

The sum of such a pair has nothing left in its levels, nor in the constant. In the k other columns
few rows of one cell balance pairs of cells that connect all levels: of m levels (having none is one
more in each category) m - 1 pairs have the rank of all levels, and k more rows that of all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix.certificates.multipliers import Multipliers, multipliers_of
from separatrix.data.points import disjoint_runs
from separatrix.exact.cone import Cone, cone_of_table
from separatrix.exact.integers import Indices, column_exponents, integer_rows, rank_at_least
from separatrix.exact.level_elimination import NullSpace
from separatrix.exact.signed_rows import SignedRows
from separatrix.exact.sparse_rows import Whole
from separatrix.kernels.separation.levels import pairs_of_cells
from separatrix.scale import Block
from separatrix.separation.exact_simplex import Refusal, balanced, gordan

LOOKED_AT = 4  # rows for each column, by which it is seen which columns are levels
MOST_REST = 32  # other columns: of more of them all rows have shorter combinations
MOST_CELLS = 1 << 18  # of two categories
OF_LARGEST = 16  # rows of each label of the largest cell, for each other column
RANKED = 4  # vectors for each column, of which the rank is asked

# what `pairs_of_cells` writes: first, parent, is_pair, single, left
Drawn = tuple[Indices, Indices, Indices, Indices, Indices]


@dataclass(frozen=True)
class Levels:
    """The categories with most levels, one or two, and rows of them."""

    columns: range
    others: range  # of the second category; empty without one
    pairs: Indices  # (m, 2) rows of both labels, of cells that connect levels; the largest is last
    single: Indices  # rows of the largest cell
    rows: Indices  # those, and the first one of each level and label, ascending
    are_paired: bool  # whether each level has a pair

    @classmethod
    def of(cls, table: SignedRows) -> Levels | None:
        """Return them; None without categories, or with many other columns."""
        columns, others, largest = _categories(table)
        rest = table.d - len(columns) - len(others)
        if len(columns) == 0 or not 0 < rest <= MOST_REST:
            return None
        a, b = len(columns) + 1, len(others) + 1
        parent, wanted = np.arange(a + b), OF_LARGEST * (rest + 1)
        parent[largest // b] = a + largest % b
        drawn: Drawn = (
            np.full((a * b, 2), -1),
            parent,
            np.zeros(a * b, dtype=np.int64),
            np.full((2, wanted), -1),
            np.array([a + b - 2, wanted, wanted]),
        )
        parts = (columns.start, columns.stop), (others.start, others.stop), largest
        first, _, is_pair, single, _ = table.table.fold(_draw, drawn, *parts, done=_has_all)
        cells = np.append(np.flatnonzero(is_pair), largest)  # a forest
        pairs, single = first[cells], single[single >= 0]
        earliest = np.where(first >= 0, first, table.n).reshape(a, b, 2)
        of_levels = np.vstack([earliest.min(axis=1), earliest.min(axis=0)])
        seen = np.flatnonzero((of_levels < table.n).any(axis=1))
        are_paired = (pairs >= 0).all() and np.isin(seen, [*(cells // b), *(a + cells % b)]).all()
        rows = np.unique(np.concatenate([of_levels.ravel(), pairs.ravel(), single]))
        rows = rows[(rows >= 0) & (rows < table.n)]
        return cls(columns, others, pairs, single, rows, bool(are_paired))


def _categories(table: SignedRows) -> tuple[range, range, int]:
    """Return the columns of the two categories with most levels, and their cell of most rows."""
    few = np.linspace(0, table.n - 1, min(table.n, LOOKED_AT * table.width)).astype(np.int64)
    X = sp.csr_array(table.table.some(np.unique(few)).X)
    entry = np.zeros(table.d)
    entry[X.indices] = X.data
    varying = np.unique(X.indices[entry[X.indices] != X.data])
    runs = [run for run in disjoint_runs(X) if not np.isin(varying, run).any()]
    columns, others = [*sorted(runs, key=len, reverse=True), range(0), range(0)][:2]
    counts = np.bincount(X.indices, minlength=table.d)
    columns, others = _with_unseen(columns, others, counts), _with_unseen(others, columns, counts)
    if (len(columns) + 1) * (len(others) + 1) > MOST_CELLS:
        others = range(0)
    cell = level_of(X, columns) * (len(others) + 1) + level_of(X, others)
    return columns, others, int(np.argmax(np.bincount(cell)))


def _with_unseen(run: range, other: range, counts: Indices) -> range:
    """Return the run and columns of zeros before it: levels of none of the rows looked at."""
    start = run.start
    while len(run) and start > 0 and start != other.stop and counts[start - 1] == 0:
        start -= 1
    return range(start, run.stop)


def level_of(X: sp.csr_array, columns: range) -> Indices:
    """Return the level of each row, counted from 0; the number of levels where it has none."""
    level = np.full(X.shape[0], len(columns))
    at = (X.indices >= columns.start) & (X.indices < columns.stop)
    level[rows_of_entries(X)[at]] = X.indices[at] - columns.start
    return level


def rows_of_entries(X: sp.csr_array) -> Indices:
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))


def _draw(
    block: Block, drawn: Drawn, columns: tuple[int, int], others: tuple[int, int], largest: int
) -> Drawn:
    first, parent, is_pair, single, left = (a.copy() for a in drawn)
    rows, y = block.sample.rows, block.sample.y
    pairs_of_cells(
        rows, y, block.start, columns, others, largest, first, parent, is_pair, single, left
    )
    return first, parent, is_pair, single, left


def _has_all(drawn: Drawn) -> bool:
    return not drawn[-1].any()


def pairs_that_cancel(table: SignedRows, levels: Levels) -> tuple[Multipliers, Multipliers] | None:
    """Return rows that cancel and have the whole rank, and few that cancel; None if unsure."""
    units = _Units.of(table, levels) if levels.are_paired else None
    whole = None if units is None else units.whole()
    return None if units is None or whole is None else (whole, units.few() or whole)


def _are_levels(X: sp.csr_array, x0: float, levels: Levels) -> bool:
    """Whether each row has at most one level of a category, and each level one entry.

    Without a constant, and with rows of no level in either category, pairs have less rank.
    """
    at, row_of = np.isin(X.indices, [*levels.columns, *levels.others]), rows_of_entries(X)
    columns, entries = X.indices[at], X.data[at]
    entry = np.zeros(X.shape[1])
    entry[columns] = entries
    some = [level_of(X, run) < len(run) for run in (levels.columns, levels.others)]
    is_usual = (np.bincount(row_of[at], minlength=X.shape[0]) == np.sum(some, axis=0)).all()
    has_all = x0 > 0.0 or any(of.all() for of in some)
    return bool(is_usual and has_all and (entry[columns] == entries).all())


@dataclass(frozen=True)
class _Units:
    """Rows of the largest cell, and pairs of other cells."""

    table: SignedRows
    rows: list[list[int]]  # (m,) of the table: single ones of the largest cell, pairs
    sums: Whole  # (m, 1+k) of each, in one column for that cell and those that are no levels
    single: Indices  # which units are single rows
    pairs: Indices  # which are pairs; the last one is of the largest cell

    @classmethod
    def of(cls, table: SignedRows, levels: Levels) -> _Units | None:
        """Return them; None where levels are no more than they seemed to be."""
        pairs, single = levels.pairs, levels.single
        rows = np.concatenate([single, pairs[:, 0], pairs[:, 1]])
        sample = table.table.some(rows)
        X = sp.csr_array(sample.X)
        if not _are_levels(X, table.x0, levels):
            return None
        rest = np.setdiff1d(np.arange(table.d), [*levels.columns, *levels.others])
        points = np.column_stack([np.arange(rows.size) < single.size, X[:, rest].toarray()])
        whole = np.array(integer_rows(points, column_exponents(points)), dtype=object)
        whole = np.where(sample.y[:, None] > 0, whole, -whole)
        of_single, of_no, of_yes = np.split(whole, [single.size, single.size + len(pairs)])
        return cls(
            table,
            [*single[:, None].tolist(), *pairs.tolist()],
            np.vstack([of_single, of_no + of_yes]),
            np.arange(single.size),
            single.size + np.arange(len(pairs)),
        )

    def whole(self) -> Multipliers | None:
        """Return multipliers of rows that have the rank of the table; None if unsure."""
        others = self.pairs[:-1]
        every = np.append(self.single, others)
        for base, among in ((self.pairs, self.pairs), (others, self.single), (others, every)):
            used, cone = self._cone(np.union1d(base, among))
            if cone is None:
                continue
            places = [np.flatnonzero(np.isin(used, some)) for some in (base, among)]
            found = balanced(cone, places[0], places[1])
            if found is None:
                continue
            zero = np.setdiff1d(base, used)  # pairs of equal rows
            units = np.append(used[found.rows], zero)
            ranked = self.sums[units[-RANKED * self.sums.shape[1] :]].tolist()
            rank = base.size + rank_at_least(ranked)
            if rank == self.table.width:
                self.table.take_span(NullSpace({}, list(range(rank))))
            if rank == self.table.rank:
                return self._multipliers(units, [*found.multipliers, *[1] * zero.size])
        return None

    def few(self) -> Multipliers | None:
        """Return multipliers of few rows: of the largest cell if they cancel."""
        used, _ = self._cone(self.pairs)
        if used.size < self.pairs.size:
            return self._multipliers(np.setdiff1d(self.pairs, used)[:1], [1])
        for among in (self.single, np.append(self.single, self.pairs[:-1])):
            used, cone = self._cone(among)
            found = None if cone is None else gordan(cone)
            if isinstance(found, Refusal):
                return self._multipliers(used[found.rows], found.multipliers)
        return None

    def _cone(self, among: Indices) -> tuple[Indices, Cone | None]:
        """Return those of some sums that are not zero, and their cone; None without any."""
        used = among[self.sums[among].any(axis=1)]
        sums = self.sums[used]
        columns = sums.any(axis=0)
        return used, cone_of_table(sums[:, columns].tolist()) if used.size else None

    def _multipliers(self, units: Indices, multipliers: Sequence[int]) -> Multipliers:
        weights = {
            row: a for n, a in zip(units.tolist(), multipliers, strict=True) for row in self.rows[n]
        }
        return multipliers_of(list(weights), list(weights.values()), self.table.x0, Fraction(0))
