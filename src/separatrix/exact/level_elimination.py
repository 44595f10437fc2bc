"""The null space of sparse rows, exactly: levels in closed form, the rest over the integers.

Few rows propose, and all are then asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.exact.integers import Indices, IntegerRow, nullspace, rank_at_least
from separatrix.exact.span import Span, spread
from separatrix.exact.sparse_rows import SparseRows

ROWS_A_COLUMN = 2  # to begin with
FEW_OF = 4  # entries in less than one part in FEW_OF are worth a search for their rows

Vector = dict[int, int]  # nonzero integers by their column
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class NullSpace:
    """All w with Zw = 0, for integer rows Z."""

    vectors: dict[int, Vector]  # a basis
    pivots: list[int]  # r columns, ascending, in which the rows keep their rank r

    @property
    def free(self) -> set[int]:
        """The columns j with w_j != 0 for some w of the space."""
        return {j for v in self.vectors.values() for j in v}

    @property
    def span(self) -> Span:
        """That of the rows."""
        return Span(self.pivots, sorted(self.free))


def null_space(rows: SparseRows, hint: Indices | None = None) -> NullSpace:
    keys = key_rows(rows) if hint is None else key_rows(rows) | key_rows(rows, hint)
    others = np.setdiff1d(_NONE if hint is None else hint, list(keys.values()))
    if others.size < rows.rest.size:
        others = np.union1d(others, _first_rows(rows, keys))
    alone: dict[int, Vector] = {j: {j: 1} for j in rows.levels if j not in keys}
    vectors, pivots = _of_reduced(rows, keys, others)
    return NullSpace(alone | vectors, sorted([*keys, *pivots]))


def rank_of_few(rows: SparseRows) -> int:
    """Return the rank of some rows modulo PRIME: the exact one is that or more."""
    keys = key_rows(rows)
    others = _but(rows.n, keys)
    table = _reduced_rows(rows, keys, others)
    return len(keys) + (rank_at_least(table) if table and rows.rest.size else 0)


def spanning_rows(rows: SparseRows, rank: int) -> list[int]:
    """Return rows of the given rank, that of all; few more than needed where few suffice."""
    keys = key_rows(rows)
    first = _first_rows(rows, keys)
    few = np.union1d(first, list(keys.values())).astype(np.int64)
    while few.size < rows.n and rank_of_few(rows.take(few)) < rank:
        spread = np.linspace(0, rows.n - 1, min(rows.n, 2 * few.size)).astype(np.int64)
        few = np.arange(rows.n) if spread.size == rows.n else np.union1d(few, spread)
    return few.tolist()  # type: ignore[no-any-return]


def key_rows(rows: SparseRows, among: Indices | None = None) -> dict[int, int]:
    """Return the first row of each level that has one, of all or of some rows: {column: row}."""
    few = np.arange(rows.n) if among is None else among
    first = np.full(len(rows.levels) + 1, -1)
    first[rows.level[few[::-1]]] = few[::-1]
    return {rows.levels.start + lv: n for lv, n in enumerate(first[:-1].tolist()) if n >= 0}


def _but(n: int, keys: Mapping[int, int]) -> Indices:
    """Return the rows below n that are no key rows."""
    is_other = np.ones(n, dtype=np.bool_)
    is_other[list(keys.values())] = False
    return np.flatnonzero(is_other)


def reduced(rows: SparseRows, keys: Mapping[int, int], n: int) -> Vector:
    """Return a multiple of row n less one of its level's key row: nothing is left in the level."""
    row = dict(rows.row(n))
    key = next((keys[j] for j in row if j in keys), None)
    return reducing(row, keys, {} if key is None else {key: dict(rows.row(key))})[0]


def reducing(
    row: Vector, keys: Mapping[int, int], rows: Mapping[int, Vector]
) -> tuple[Vector, int, int | None, int]:
    """Return a row - b key row, nothing of it left in the level; a, the key row's index, and b."""
    for j, entry in row.items():
        key = keys.get(j)
        if key is not None:
            base = rows[key]
            g = math.gcd(base[j], entry)
            a, b = base[j] // g, entry // g
            left = {i: a * row.get(i, 0) - b * base.get(i, 0) for i in {**row, **base}}
            return {i: c for i, c in left.items() if c}, a, key, b
    return row, 1, None, 0


class _Lifting:
    """What is to stand in the columns of levels so that their key rows vanish."""

    def __init__(self, rows: SparseRows, keys: Mapping[int, int]) -> None:
        """Note the entries of the key rows: {column off the levels: {level: entry}}."""
        self.entries: dict[int, int] = {}
        self.off: dict[int, Vector] = {}
        for j, key in keys.items():
            for i, a in rows.row(key):
                if i == j:
                    self.entries[j] = a
                else:
                    self.off.setdefault(i, {})[j] = a

    def lifted(self, vector: Vector) -> Vector:
        """Return the vector off the levels, completed, as integers without a common factor."""
        totals: Vector = {}
        for i, a in vector.items():
            for j, b in self.off.get(i, {}).items():
                totals[j] = totals.get(j, 0) - a * b
        q = math.lcm(*(abs(self.entries[j]) for j, a in totals.items() if a))
        whole = {j: a * q for j, a in vector.items()}
        whole |= {j: a * q // self.entries[j] for j, a in totals.items() if a}
        g = math.gcd(*whole.values())
        return {j: a // g for j, a in whole.items()}


def _of_reduced(
    rows: SparseRows, keys: Mapping[int, int], chosen: Indices
) -> tuple[dict[int, Vector], list[int]]:
    """Return the null vectors that are nonzero off the levels, and the pivots there."""
    rest, lifting = rows.rest.tolist(), _Lifting(rows, keys)
    while rest:
        table = _reduced_rows(rows, keys, chosen)
        if table and rank_at_least(table) == len(rest):
            break
        basis, pivots = nullspace(table, len(rest))
        free, vectors = set(range(len(rest))).difference(pivots), {}
        for v in basis:
            (place,) = (i for i in free if v[i])
            vectors[rest[place]] = lifting.lifted({rest[i]: a for i, a in enumerate(v) if a})
        outside = not_vanishing(rows, list(vectors.values()))[: 2 * len(rest)]
        if outside.size == 0:
            return vectors, [rest[i] for i in pivots]
        chosen = np.append(chosen, outside)
    return {}, rest


def _first_rows(rows: SparseRows, keys: Mapping[int, int]) -> Indices:
    """Return for each column off the levels a few rows with an entry there, and some more."""
    others = _but(rows.n, keys)
    few = rows.take(others)
    starts, members = few.by_columns
    begin, size = starts[rows.rest], np.diff(starts)[rows.rest]
    parts = [members[begin[size > i] + i] for i in range(ROWS_A_COLUMN)]
    picked = np.unique(np.concatenate(parts))
    more = 10 + max(0, rows.rest.size - picked.size)  # fewer rows than columns have no full rank
    spaced = np.array(spread(others.size, more), dtype=np.int64)
    return np.asarray(others[np.union1d(picked, spaced)])


def _reduced_rows(rows: SparseRows, keys: Mapping[int, int], chosen: Indices) -> list[IntegerRow]:
    """Return reduced rows, off the levels."""
    table = []
    for n in chosen.tolist():
        row = [0] * rows.rest.size
        for j, a in reduced(rows, keys, n).items():
            row[rows.rest_places[j]] = a
        table.append(row)
    return table


def not_vanishing(rows: SparseRows, vectors: Sequence[Mapping[int, int]]) -> Indices:
    """Return the rows with I_n.v != 0 for some of the vectors, exactly."""
    found = np.zeros(rows.n, dtype=np.bool_)
    starts, members = rows.by_columns
    for vector in vectors:
        there = [members[starts[j] : starts[j + 1]] for j in vector]
        if len(vector) == 1:  # of a column by itself
            found[there[0]] = True
            continue
        v = [0] * rows.width
        for j, a in vector.items():
            v[j] = a
        if FEW_OF * sum(part.size for part in there) < rows.columns.size:
            tried = np.unique(np.concatenate(there))
            found[tried[rows.take(tried).whole_scores(v) != 0]] = True
        else:
            found |= rows.whole_scores(v) != 0
    return np.flatnonzero(found)
