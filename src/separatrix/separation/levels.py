"""Tables with categories: a verdict from one fit, proven with the levels eliminated in closed form.

1. *Counting*: rows of a column whose entries all have one sign can be positive, and go.
2. *One fit* of the rows that stay (`level_fit`) tells those that cancel from those that do not.
3. *Few rows*: r independent ones and another r cancel (Steinitz 1913); integers solve for them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._later import flint
from separatrix.exact.integers import (
    Floats,
    Indices,
    independent_columns,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.level_elimination import (
    NullSpace,
    key_rows,
    not_vanishing,
    null_space,
    reducing,
)
from separatrix.exact.sparse_rows import SparseRows, Whole
from separatrix.kernels.separation.levels import (
    NO_ROW,
    Basis,
    first_basis,
    move_into_basis,
    one_way_columns,
)
from separatrix.separation.exact_simplex import Refusal
from separatrix.separation.level_fit import (
    Coordinates,
    Proposal,
    coordinates_of,
    fits,
    to_vertex,
)
from separatrix.separation.rounding import LARGEST, simplest_within

TOLERANCE = 1e-9
BY_STEPS = 64  # columns that are no levels, from which on a vertex is neared by an interior method
NOTHING = 1e-6  # of a weight there, of about 1 and more
UNIT = 1 << 30  # to which weights are rounded
OF_KIND, OF_COLUMN = 6, 32  # rows drawn of each level and label, and for each other column
MANY_MORE = 3  # times those drawn: fewer rows are decided as a whole

Multiples = dict[int, int]
Weights = list[Fraction]
NO_ROWS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Cancelled:
    """Rows on which every w with Zw >= 0 vanishes."""

    equalities: Multiples
    refusal: Refusal | None  # one on at most r + 1 rows; None where there are none
    free: NullSpace  # their null space
    independent: Indices  # rows that span them

    def renamed(self, names: Indices) -> Cancelled:
        """Return the same of row names[n] for row n."""
        refusal = self.refusal
        if refusal is not None:
            refusal = Refusal([int(names[n]) for n in refusal.rows], refusal.multipliers)
        equalities = {int(names[n]): m for n, m in self.equalities.items()}
        return Cancelled(equalities, refusal, self.free, names[self.independent])


@dataclass(frozen=True)
class Found:
    """How far sparse rows can be separated."""

    line: Weights | None
    fixed: Indices  # the rows on which every w with Zw >= 0 vanishes
    cancelled: Cancelled  # what shows that


def decided_by_levels(sparse: SparseRows, constant: bool) -> Found | None:
    """Return how far the rows can be separated; None where nothing that floats propose holds."""
    step, order = counted(sparse)
    present = np.diff(sparse.starts) > 0
    core = np.flatnonzero((step < 0) & present)
    found = _of_core(sparse.take(core), constant)
    if found is None:
        return None
    line, fixed, cancelled = found.line, core[found.fixed], found.cancelled.renamed(core)
    if not present.all():  # no line is positive on a row of zeros: it is a refusal by itself
        empty = np.flatnonzero(~present)
        few, refusal = {int(empty[0]): 1}, Refusal([int(empty[0])], [1])
        cancelled = replace(cancelled, equalities=cancelled.equalities or few, refusal=refusal)
        fixed = np.union1d(fixed, empty)
    if order.size:
        line = _undone(sparse, step, order, line or [Fraction(0)] * sparse.width)
    return Found(line, fixed, cancelled) if _holds(sparse, line, fixed) else None


def _holds(sparse: SparseRows, line: Weights | None, fixed: Indices) -> bool:
    """Return whether a line is 0 on the fixed rows and positive on all others, exactly."""
    right = np.ones(sparse.n, dtype=np.bool_)
    right[fixed] = False
    if line is None:
        return not right.any()
    scores = sparse.whole_scores(whole_multiples(line)[0])
    return bool(((scores > 0) == right).all() and ((scores == 0) != right).all())


# ---------------------------------------------------------------------- counting


def counted(sparse: SparseRows) -> tuple[Indices, Indices]:
    """Return at which step each row goes by counting (-1: it stays), and each step's column."""
    step, order = np.full(sparse.n, -1), np.empty(sparse.width, dtype=np.int64)
    signs = np.sign(sparse.values).astype(np.int64)
    steps = one_way_columns(sparse.starts, sparse.columns, signs, *sparse.by_columns, step, order)
    return step, order[:steps]


def _undone(sparse: SparseRows, step: Indices, order: Indices, line: Weights) -> Weights:
    """Return the line with least whole weights, last step to first, that make its rows positive."""
    weights, q = whole_multiples(line)  # q times the line
    gone = np.flatnonzero(step >= 0)
    gone = gone[np.argsort(step[gone], kind="stable")]
    places, starts = sparse.places(gone)
    row_of, columns = np.repeat(np.arange(gone.size), np.diff(starts)), sparse.columns[places]
    at, steps = np.full(sparse.width, -1), np.arange(order.size + 1)
    ends, at[order] = np.searchsorted(step[gone], steps), steps[:-1]
    behind = at[columns] - step[gone][row_of]  # steps of an entry's column behind its row's
    entries = sparse.whole[places[behind == 0]].astype(object)
    scores = sparse.whole_scores([0 if t >= 0 else w for w, t in zip(weights, at, strict=True)])
    scores = scores[gone].astype(object)
    later = np.flatnonzero(behind > 0)
    later = later[np.argsort(at[columns[later]], kind="stable")]
    cuts = np.searchsorted(at[columns[later]], steps)
    for t in reversed(range(order.size)):
        here, there = slice(ends[t], ends[t + 1]), later[cuts[t] : cuts[t + 1]]
        least = max([0, *(-scores[here] // (q * np.abs(entries[here])))])
        way = -1 if (entries[here] < 0).any() else 1
        weights[int(order[t])] = weight = way * (least + 1) * q
        scores[row_of[there]] += sparse.whole[places[there]].astype(object) * weight
    return [Fraction(a, q) for a in weights]


# ---------------------------------------------------------------------- rows that stay


def _of_core(rows: SparseRows, constant: bool) -> Found | None:
    """Return how far rows can be separated that all stay; None if unsure."""
    if rows.n == 0:
        return Found(None, NO_ROWS, Cancelled({}, None, null_space(rows), NO_ROWS))
    few = _drawn(rows)
    if few.size < rows.n // MANY_MORE:
        found = _of_core(rows.take(few), constant)
        if found is not None:
            strict = not_vanishing(rows, list(found.cancelled.free.vectors.values()))
            fixed = np.setdiff1d(np.arange(rows.n), strict, assume_unique=True)
            if _holds(rows, found.line, fixed):
                return Found(found.line, fixed, found.cancelled.renamed(few))
    at = coordinates_of(rows, constant)
    tried = (_decided(at, constant, proposed) for proposed in fits(at))
    with np.errstate(over="ignore", invalid="ignore"):  # in far-apart units; integers decide
        return next((found for found in tried if found is not None), None)


def _drawn(rows: SparseRows) -> Indices:
    """Return some rows of each level and label, at even steps."""
    positive = rows.values[rows.starts[:-1]] > 0.0
    kind = 2 * rows.level + positive
    order = np.argsort(kind, kind="stable")
    counts = np.bincount(kind)
    wanted = max(OF_KIND, OF_COLUMN * rows.rest.size // int(np.count_nonzero(counts)))
    place = np.arange(rows.n) - np.repeat(np.cumsum(counts) - counts, counts)
    step = np.repeat(-(-counts // wanted), counts)
    return np.sort(order[place % np.maximum(step, 1) == 0])


def _decided(at: Coordinates, constant: bool, proposed: Proposal) -> Found | None:
    """Return how far rows none of which goes by counting can be separated; None if unsure."""
    rows = at.sparse
    if proposed.fixed.size:
        cancelled = cancelling(at, constant, proposed)
    else:
        cancelled = Cancelled({}, None, null_space(rows.take(NO_ROWS)), NO_ROWS)
    if cancelled is None:
        return None
    free = cancelled.free.vectors
    strict = not_vanishing(rows, list(free.values()))
    is_other = np.ones(rows.n, dtype=np.bool_)
    is_other[strict] = False
    fixed = np.flatnonzero(is_other)
    if strict.size == 0:
        return Found(None, fixed, cancelled)
    touched = set(rows.columns.tolist())
    vectors = {j: v for j, v in free.items() if j in touched or len(v) > 1}
    remaining = rows.take(strict)
    lines = (line_between(remaining, vectors, direction) for direction in proposed.lines)
    for line in lines:
        if line is not None and _holds(rows, line, fixed):
            return Found(line, fixed, cancelled)
    return None


# ---------------------------------------------------------------------- rows that cancel


def cancelling(at: Coordinates, constant: bool, proposed: Proposal) -> Cancelled | None:
    """Return what the fixed rows of a proposal show, if they cancel; None if unsure."""
    names, multipliers = proposed.fixed, proposed.multipliers[proposed.fixed]
    if not multipliers.min() > 0.0:
        return None
    if names.size < at.sparse.n:
        at = coordinates_of(at.sparse.take(names), constant)
    basis = basis_of(at, multipliers)
    independent = _rows_of(basis)
    free = null_space(at.sparse, independent)
    if independent.size != len(free.pivots):
        return None
    few = balanced(at, multipliers, basis)
    refusal = None if few is None else shortest(at.sparse, few, constant)
    if few is None or refusal is None:
        return None
    return Cancelled(few, refusal, free, independent).renamed(names)


def basis_of(at: Coordinates, weights: Floats) -> Basis:
    """Return independent rows that span all as far as floats see, those of most weight first."""
    n_levels, k = at.shape
    basis = Basis(np.full(n_levels, NO_ROW), np.full(k, NO_ROW), np.eye(k))
    first_basis(at.rows, np.argsort(-weights, kind="stable"), basis, TOLERANCE)
    return basis


def _rows_of(basis: Basis) -> Indices:
    rows = np.concatenate([basis.key, basis.slot])
    return np.asarray(rows[rows != NO_ROW])


def balanced(at: Coordinates, multipliers: Floats, basis: Basis) -> Multiples | None:
    """Return positive integers on at most 2 r rows that cancel, the basis among them."""
    base = _rows_of(basis)
    x = multipliers * (2.0 / multipliers[base].min())
    x[base] -= 1.0
    moved = _vertex(at, x)
    moved[base] = 0.0
    others = np.flatnonzero(moved)
    weights = {int(n): max(1, round(moved[n] * UNIT)) for n in others}
    goal: dict[int, int] = {}
    for n, m in weights.items():
        for j, a in at.sparse.row(n):
            goal[j] = goal.get(j, 0) - m * a
    solved = combined(at.sparse, base, goal)
    if solved is None or min(solved[0].values()) <= 0 or len(weights) > base.size:
        return None
    return _primitive({n: m * solved[1] for n, m in weights.items()} | solved[0])


def shortest(rows: SparseRows, equalities: Multiples, constant: bool) -> Refusal | None:
    """Return positive integers on at most r + 1 rows that cancel: a vertex of those given."""
    names = list(equalities)
    extended = _with_ones(rows.take(names))
    at = coordinates_of(extended, constant)
    top = max(m.bit_length() for m in equalities.values())
    weights = np.array([float(m >> max(0, top - 900)) for m in equalities.values()])
    weights *= weights.size / weights.sum()
    solved = combined(extended, np.flatnonzero(_vertex(at, weights)), {rows.width: 1})
    found = None if solved is None else _primitive(solved[0])
    return None if found is None else Refusal([names[n] for n in found], list(found.values()))


def _with_ones(rows: SparseRows) -> SparseRows:
    """Return the rows with one more column, of ones."""
    return SparseRows(
        rows.starts + np.arange(rows.n + 1),
        np.insert(rows.columns, rows.starts[1:], rows.width),
        np.insert(rows.values, rows.starts[1:], 1.0),
        rows.width + 1,
        rows.runs,
        np.append(rows.exponents, 0),
    )


def _vertex(at: Coordinates, x: Floats) -> Floats:
    """Return weights >= 0 with the same sum x_n z_n on independent rows, as far as floats see."""
    moved = x.copy()
    if at.shape[1] >= BY_STEPS:
        moved = to_vertex(at, x)
        moved[moved < NOTHING] = 0.0
    order = np.argsort(-moved, kind="stable")
    move_into_basis(at.rows, order, basis_of(at, moved), moved, TOLERANCE)
    return np.where(moved > NOTHING, moved, 0.0)


def _primitive(weights: Mapping[int, int]) -> Multiples | None:
    """Return the weights without zeros and common factor; None where one is below zero."""
    kept = {n: a for n, a in sorted(weights.items()) if a}
    if not kept or min(kept.values()) < 0:
        return None
    g = math.gcd(*kept.values())
    return {n: a // g for n, a in kept.items()}


def combined(
    sparse: SparseRows, support: Indices, goal: Mapping[int, int]
) -> tuple[Multiples, int] | None:
    """Return integers m and q > 0 with sum m_n I_n = q goal on independent rows; None if unsure."""
    keys = key_rows(sparse, np.sort(support))
    rows = {n: dict(sparse.row(n)) for n in support.tolist()}
    common = math.lcm(*(rows[n][j] for j, n in keys.items()))
    left, shares = {j: a * common for j, a in goal.items()}, {}
    for j, n in keys.items():
        shares[n] = left.get(j, 0) // rows[n][j]
        if shares[n]:
            for i, a in rows[n].items():
                left[i] = left.get(i, 0) - shares[n] * a
    others = sorted(set(rows) - set(keys.values()))
    parts = [reducing(rows[n], keys, rows) for n in others]
    target = {j: a for j, a in left.items() if a}
    solution = _solution([row for row, *_ in parts], target)
    if solution is None:
        return None
    solved, q = solution
    weights = {n: q * a for n, a in shares.items()}
    for n, c, (_, a, key, b) in zip(others, solved, parts, strict=True):
        weights[n] = weights.get(n, 0) + a * c
        if key is not None:
            weights[key] -= b * c
    way = 1 if q * common > 0 else -1
    return {n: way * a for n, a in weights.items()}, abs(q * common)


def _solution(table: list[Multiples], target: Multiples) -> tuple[list[int], int] | None:
    """Return integers c and q with sum c_i table[i] = q target, a sparse system; None if unsure."""
    if not table:
        return None if target else ([], 1)
    columns = sorted({j for row in table for j in row})
    if not set(target) <= set(columns):
        return None
    place = {j: i for i, j in enumerate(columns)}
    dense = [[0] * len(columns) for _ in table]
    for line, row in zip(dense, table, strict=True):
        for j, a in row.items():
            line[place[j]] = a
    places: Sequence[int] = range(len(columns))
    if len(table) != len(columns):
        places = independent_columns(dense)
    if len(places) != len(table):
        return None
    system = flint.fmpz_mat([[row[i] for row in dense] for i in places])
    try:
        answer: Any = system.solve(flint.fmpz_mat([[target.get(columns[i], 0)] for i in places]))
    except ZeroDivisionError:
        return None
    solved, q = answer.numer_denom()
    return [int(a) for a in solved.entries()], int(q)


# ---------------------------------------------------------------------- a line


def line_between(
    rows: SparseRows, vectors: Mapping[int, Multiples], direction: Floats
) -> Weights | None:
    """Return a line of the space that is positive on all rows, of few digits; None if unsure."""
    start, stop = rows.levels.start, rows.levels.stop
    levels = [j for j, v in vectors.items() if start <= j < stop and len(v) == 1]
    others = [j for j in vectors if j not in set(levels)]
    unit = np.ldexp(direction[others], rows.sizes[others])
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = unit / np.abs(unit).max(initial=0.0)
    if not np.isfinite(unit).all():
        return None
    shifts = rows.exponents[others] - rows.sizes[others]
    is_alone = np.zeros(len(rows.levels) + 1, dtype=np.bool_)
    is_alone[np.array(levels, dtype=np.int64) - start] = True
    for largest in LARGEST if others else LARGEST[:1]:
        line = [Fraction(0)] * rows.width
        for j, a, e in zip(others, np.rint(unit * largest).tolist(), shifts.tolist(), strict=True):
            weight = times_power_of_two(Fraction(int(a)), e) / vectors[j][j] if a else 0
            for i, b in vectors[j].items() if weight else ():
                line[i] += weight * b
        whole, q = whole_multiples(line)
        scores = rows.whole_scores(whole)
        if (scores[~is_alone[rows.level]] <= 0).any():
            continue
        found = _levels_between(rows, scores, q, is_alone)
        if found is not None:
            for j, a in found.items():
                line[j] = a
            return line
    return None


def _levels_between(
    rows: SparseRows, scores: Whole, q: int, is_alone: NDArray[np.bool_]
) -> dict[int, Fraction] | None:
    """Return weights of the levels by themselves that make their rows positive; None if none do."""
    at = np.flatnonzero(rows.is_level & is_alone[rows.level[rows.row_of]])
    columns, entries = rows.columns[at], rows.whole[at]
    unit = math.lcm(*np.unique(np.abs(entries)).tolist())
    ratios = scores[rows.row_of[at]].astype(object) * (unit // np.abs(entries).astype(object))
    order = np.lexsort((entries > 0, columns))
    group = (2 * columns + (entries > 0))[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    least = np.minimum.reduceat(ratios[order], starts).tolist() if starts.size else []
    bounds = dict(zip(group[starts].tolist(), least, strict=True))
    if any(bounds.get(g ^ 1, 1 - a) + a <= 0 for g, a in bounds.items()):
        return None
    found = {}
    for j in {g // 2 for g in bounds}:
        low, high = bounds.get(2 * j + 1), bounds.get(2 * j)
        found[j] = simplest_within(None if low is None else -low, high, q * unit)
    return found
