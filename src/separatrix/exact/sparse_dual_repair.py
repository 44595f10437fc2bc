"""Dual repair of rows with levels: one row of each level balances it, few others all the rest."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.linalg
from flint import fmpz_mat

from separatrix.exact.dual_repair import LEAST_PIVOTS
from separatrix.exact.integers import Floats, Indices, fractions_of, whole_multiples
from separatrix.exact.sparse_rows import SparseRows
from separatrix.tiles import one_blas_thread

MOST_NUMBERS = 1 << 22  # of the reduced rows among which independent ones are chosen
EACH = 4  # rows for each column where those of all rows are more


def balanced_levels(
    rows: SparseRows, mass: Floats, duals: Floats, room: Floats
) -> list[Fraction] | None:
    """Return dual variables near those given with sum_n mass_n dual_n z_n = 0, exactly."""
    exact, masses = fractions_of(duals), fractions_of(mass)
    left = _total(rows, masses, exact)
    if not any(left):
        return exact
    key = _key_rows(rows, mass * room)
    if any(left[j] for i, j in enumerate(rows.levels) if key[i] < 0):
        return None
    for least in LEAST_PIVOTS:
        moves = _moves(rows, left, key, _independent(rows, key, mass * room, least))
        if moves is None:
            continue
        moved = list(exact)
        for n, t in moves.items():
            moved[n] += t / masses[n]
        if not any(_total(rows, masses, moved)):
            return moved
    return None


def _total(
    rows: SparseRows, masses: Sequence[Fraction], duals: Sequence[Fraction]
) -> list[Fraction]:
    """Return sum_n mass_n dual_n z_n (D,) in units of the integer rows."""
    whole, below = whole_multiples([m * a for m, a in zip(masses, duals, strict=True)])
    total = [0] * rows.width
    times = [whole[n] for n in rows.row_of.tolist()]
    for j, a, m in zip(rows.columns.tolist(), rows.whole.tolist(), times, strict=True):
        total[j] += a * m
    return [Fraction(a, below) for a in total]


def _key_rows(rows: SparseRows, room: Floats) -> Indices:
    """Return the row of most room of each level, -1 where none has any."""
    weight = np.zeros(rows.n)
    at = rows.is_level
    np.add.at(weight, rows.row_of[at], np.abs(rows.values[at]))
    weight *= room
    order = np.lexsort((-weight, rows.level))
    level, first = np.unique(rows.level[order], return_index=True)
    key = np.full(len(rows.levels) + 1, -1, dtype=np.int64)
    key[level] = np.where(weight[order[first]] > 0.0, order[first], -1)
    return key[:-1]


def _independent(
    rows: SparseRows, key: Indices, room: Floats, least: float
) -> tuple[list[int], list[int]]:
    """Return rows that are no key rows, and columns off the levels: an independent system."""
    k = rows.rest.size
    usable = room > 0.0
    usable[key[key >= 0]] = False
    with_level = np.flatnonzero(rows.level < len(rows.levels))
    usable[with_level] &= key[rows.level[with_level]] >= 0
    others = np.flatnonzero(usable)
    if others.size * k > MOST_NUMBERS:
        others = _few(rows, others, room)
    table = _reduced_floats(rows, key, others)
    size = np.abs(table).max(axis=0, initial=0.0)
    table = np.ldexp(table, -np.frexp(np.where(size > 0.0, size, 1.0))[1])
    with one_blas_thread():
        _, R, pivot = scipy.linalg.qr(
            (table * room[others, np.newaxis]).T, mode="economic", pivoting=True
        )
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > diagonal[0] * least).sum()) if diagonal.size else 0
        if rank == 0:
            return [], []
        _, _, order = scipy.linalg.qr(table[pivot[:rank]], mode="economic", pivoting=True)
    return others[pivot[:rank]].tolist(), sorted(rows.rest[order[:rank]].tolist())


def _few(rows: SparseRows, others: Indices, room: Floats) -> Indices:
    """Return for each column off the levels some rows of most room, and as many of all."""
    some = rows.take(others)
    falling = np.argsort(-room[others], kind="stable")
    place = np.empty(others.size, dtype=np.int64)
    place[falling] = np.arange(others.size)
    order = np.lexsort((place[some.row_of], some.columns))
    column = some.columns[order]
    rank = np.arange(order.size) - np.searchsorted(column, column)
    kept = (rank < EACH) & np.isin(column, some.rest)
    spread = np.linspace(0, others.size - 1, min(others.size, EACH * rows.rest.size)).astype(int)
    found: Indices = others[np.unique(np.concatenate((some.row_of[order[kept]], spread)))]
    return found


def _reduced_floats(rows: SparseRows, key: Indices, others: Indices) -> Floats:
    """Return rows, less their multiple of their level's key row, off the levels: (m, k)."""
    place = np.full(rows.width, -1, dtype=np.int64)
    place[rows.rest] = np.arange(rows.rest.size)

    def off_levels(chosen: Indices) -> tuple[Floats, Floats]:
        some = rows.take(chosen)
        table, entry = np.zeros((chosen.size, rows.rest.size)), np.zeros(chosen.size)
        at = place[some.columns] >= 0
        table[some.row_of[at], place[some.columns[at]]] = some.values[at]
        entry[some.row_of[~at]] = some.values[~at]
        return table, entry

    table, entry = off_levels(others)
    has = np.flatnonzero(entry)
    keys, of_keys = off_levels(key[rows.level[others[has]]])
    table[has] -= (entry[has] / of_keys)[:, np.newaxis] * keys
    return table


def _moves(
    rows: SparseRows,
    left: Sequence[Fraction],
    key: Indices,
    independent: tuple[list[int], list[int]],
) -> dict[int, Fraction] | None:
    """Return t_n with sum t_n z_n = -left, on the rows that are independent and the key rows."""
    chosen, columns = independent
    first = rows.levels.start if len(rows.levels) else 0
    entries = {int(n): dict(rows.row(int(n))) for n in key[key >= 0]}
    entries |= {n: dict(rows.row(n)) for n in chosen}
    needed = {j: -left[j] for j in columns}
    for i, n in enumerate(key.tolist()):
        if n >= 0 and left[first + i]:
            share = left[first + i] / entries[n][first + i]
            for j in needed:
                needed[j] += share * entries[n].get(j, 0)
    system, scale = [], []
    for n in chosen:
        level = int(rows.level[n])
        row, base, b, a = entries[n], {}, 0, 1
        if level < len(rows.levels):
            base, b = entries[int(key[level])], entries[n][first + level]
            a = base[first + level]
        system.append([a * row.get(j, 0) - b * base.get(j, 0) for j in columns])
        scale.append(a)
    found: list[Fraction] = []
    if chosen:
        right, below = whole_multiples([needed[j] for j in columns])
        try:
            solved: Any = fmpz_mat(system).transpose().solve(fmpz_mat([[a] for a in right]))
        except ZeroDivisionError:
            return None
        numbers, q = solved.numer_denom()
        found = [Fraction(int(a), int(q) * below) for a in numbers.entries()]
    moves = {n: t * a for n, t, a in zip(chosen, found, scale, strict=True)}
    of_levels = {i: left[first + i] for i in range(len(rows.levels)) if left[first + i]}
    for n, t in moves.items():
        level = int(rows.level[n])
        if level < len(rows.levels):
            of_levels[level] = of_levels.get(level, Fraction(0)) + t * entries[n][first + level]
    for level, total in of_levels.items():
        n = int(key[level])
        moves[n] = -total / entries[n][first + level]
    return moves
