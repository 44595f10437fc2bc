"""Rows of a table with categories: each has at most one level, and a sparse rest of few columns.

Row n is a_n e_l + b_n: the entry a_n in the column of its level l of one category, and b_n in k
other columns. A square matrix whose blocks are the levels is eliminated in closed form, level by
level; what is left has k columns.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.rows import Floats, Rows

Indices = NDArray[np.int64]

NO_ROW = -1
LEAST_CURVATURE = 1e-300  # of a level whose rows weigh nothing


class Levelled(NamedTuple):
    """N rows by their levels."""

    level: Indices  # (N,) below K; K for rows without one
    entries: Floats  # (N,) a_n; 0 without a level
    starts: Indices  # starts, columns, values: (N+1,), (m,), (m,) the rests b_n
    columns: Indices
    values: Floats
    # first, members: (K+2,), (N,) rows first[l], ... of members are those of level l
    first: Indices
    members: Indices


@compiled
def one_way_columns(
    starts: Indices, columns: Indices, signs: Indices, column_starts: Indices,
    column_rows: Indices, step: Indices, order: Indices
) -> int:  # fmt: skip
    """Take away, in turn, columns without entries of both signs, and all rows on them.

    Writes for each row the step at which it went (-1: it stays) and for each step the column;
    returns the number of steps. Each row and each column is visited once.

    Parameters
    ----------
    starts, columns, signs : rows by their entries, of which only the sign counts
    column_starts, column_rows : the rows of each column
    """
    width = column_starts.size - 1
    counts = np.zeros((width, 2), dtype=np.int64)
    for p in range(columns.size):
        counts[columns[p], 1 if signs[p] > 0 else 0] += 1
    waiting = np.empty(width, dtype=np.int64)
    known = np.zeros(width, dtype=np.bool_)
    end = 0
    for j in range(width):
        if (counts[j, 0] == 0) != (counts[j, 1] == 0):
            waiting[end] = j
            known[j] = True
            end += 1
    done = 0
    k = 0
    while k < end:
        j = waiting[k]
        k += 1
        if counts[j, 0] + counts[j, 1] == 0:  # its rows have gone with other columns
            continue
        for q in range(column_starts[j], column_starts[j + 1]):
            n = column_rows[q]
            if step[n] >= 0:
                continue
            step[n] = done
            for p in range(starts[n], starts[n + 1]):
                i = columns[p]
                counts[i, 1 if signs[p] > 0 else 0] -= 1
                if not known[i] and (counts[i, 0] == 0) != (counts[i, 1] == 0):
                    waiting[end] = i
                    known[i] = True
                    end += 1
        order[done] = j
        done += 1
    return done


@compiled
def scores_of_levels(rows: Levelled, u: Floats, v: Floats, scores: Floats) -> None:
    """Write the float scores a_n u_l + b_n.v of all rows: (N,), for a line (K,), (k,)."""
    for n in range(scores.size):
        level = rows.level[n]
        s = rows.entries[n] * u[level] if level < u.size else 0.0
        for p in range(rows.starts[n], rows.starts[n + 1]):
            s += rows.values[p] * v[rows.columns[p]]
        scores[n] = s


@part
def _add_row(rows: Levelled, n: int, weight: float, target: float, S: Floats, g: Floats) -> None:
    """Add weight b_n b_n' to the lower triangle of S, unless that is (0, 0); target b_n to g."""
    for p in range(rows.starts[n], rows.starts[n + 1]):
        j, b = rows.columns[p], rows.values[p]
        g[j] += target * b
        if S.size:
            for q in range(rows.starts[n], p + 1):  # columns ascend within a row
                S[j, rows.columns[q]] += weight * b * rows.values[q]


@compiled
def normal_equations(
    rows: Levelled, weights: Floats, target: Floats, S: Floats, g: Floats, slopes: Floats,
    curvatures: Floats,
) -> None:  # fmt: skip
    """Write the normal equations sum weights_n z_n z_n.w = sum target_n z_n, levels eliminated.

    Parameters
    ----------
    weights, target : (N,), (N,)
    S, g : (k, k) or (0, 0), (k,), both zero: S v = g is left to solve, S by its lower triangle
    slopes, curvatures : (K,) of the levels alone
    """
    n_levels, k = slopes.size, g.size
    sums, touched = np.zeros(k), np.empty(k, dtype=np.int64)
    is_touched = np.zeros(k, dtype=np.bool_)
    for level in range(n_levels + 1):
        slope, curvature, size = 0.0, LEAST_CURVATURE, 0
        for q in range(rows.first[level], rows.first[level + 1]):
            n = rows.members[q]
            _add_row(rows, n, weights[n], target[n], S, g)
            if level == n_levels:
                continue
            a, h = rows.entries[n], weights[n]
            slope += target[n] * a
            curvature += h * a * a
            for p in range(rows.starts[n], rows.starts[n + 1]):
                j = rows.columns[p]
                if not is_touched[j]:
                    is_touched[j] = True
                    touched[size] = j
                    size += 1
                sums[j] += h * a * rows.values[p]
        if level == n_levels:
            break
        slopes[level], curvatures[level] = slope, curvature
        _take_off_level(touched[:size], sums, slope, curvature, S, g)
        for j in touched[:size]:
            sums[j] = 0.0
            is_touched[j] = False


@part
def _take_off_level(
    touched: Indices, sums: Floats, slope: float, curvature: float, S: Floats, g: Floats
) -> None:
    """Eliminate one level: S -= sums sums' / curvature, g -= sums slope / curvature."""
    for j in touched:
        factor = sums[j] / curvature
        g[j] -= factor * slope
        if S.size:
            for i in touched:
                if i <= j:
                    S[j, i] -= factor * sums[i]


@compiled
def weights_of_levels(
    rows: Levelled, weights: Floats, v: Floats, slopes: Floats, curvatures: Floats, u: Floats
) -> None:
    """Write the weights of the levels (K,) that solve the normal equations, given the others."""
    for level in range(u.size):
        left = slopes[level]
        for q in range(rows.first[level], rows.first[level + 1]):
            n = rows.members[q]
            t = 0.0
            for p in range(rows.starts[n], rows.starts[n + 1]):
                t += rows.values[p] * v[rows.columns[p]]
            left -= weights[n] * rows.entries[n] * t
        u[level] = left / curvatures[level]


class Basis(NamedTuple):
    """Independent rows: one key row a level, and up to k others.

    A row is its level's key row times a factor plus a *reduced* row, which has k columns. `inverse`
    turns that into coordinates on the reduced rows of the slots.
    """

    key: Indices  # (K,) row, or NO_ROW
    slot: Indices  # (k,) row, or NO_ROW where a unit vector stands
    inverse: Floats  # (k, k); reduced @ inverse are the coordinates


@part
def _add_coordinates(rows: Levelled, basis: Basis, n: int, factor: float, beta: Floats) -> None:
    """Add to beta (k,) the coordinates of factor b_n."""
    for p in range(rows.starts[n], rows.starts[n + 1]):
        inverse = basis.inverse[rows.columns[p]]
        b = factor * rows.values[p]
        for i in range(beta.size):
            beta[i] += b * inverse[i]


@part
def _coordinates(rows: Levelled, basis: Basis, n: int, beta: Floats) -> None:
    """Write the coordinates (k,) of the reduced row n, whose level has a key row."""
    for i in range(beta.size):
        beta[i] = 0.0
    _add_coordinates(rows, basis, n, 1.0, beta)
    level = rows.level[n]
    if level < basis.key.size:
        key = basis.key[level]
        _add_coordinates(rows, basis, key, -rows.entries[n] / rows.entries[key], beta)


@part
def _enter(basis: Basis, n: int, place: int, beta: Floats) -> None:
    """Let a row with these coordinates into a slot."""
    one = 1.0 / beta[place]
    for j in range(beta.size):
        row = basis.inverse[j]
        t = row[place] * one
        if t != 0.0:
            for i in range(beta.size):
                row[i] -= beta[i] * t
            row[place] = t
    basis.slot[place] = n


@compiled
def first_basis(rows: Levelled, order: Indices, basis: Basis, tolerance: float) -> int:
    """Fill a basis of no rows with independent ones, first come first kept; return their number."""
    n_levels, k = basis.key.size, basis.slot.size
    beta = np.empty(k)
    found, filled = 0, 0
    for n in order:
        level = rows.level[n]
        if level < n_levels and basis.key[level] == NO_ROW:
            basis.key[level] = n
            found += 1
            continue
        if filled == k:
            continue
        _coordinates(rows, basis, n, beta)
        best, place = tolerance, -1
        for i in range(k):
            if basis.slot[i] == NO_ROW and abs(beta[i]) > best:
                best, place = abs(beta[i]), i
        if place >= 0:
            _enter(basis, n, place, beta)
            filled += 1
            found += 1
    return found


@part
def _make_key(rows: Levelled, basis: Basis, level: int, place: int) -> None:
    """Let the row of a slot, which is of this level, and the key row change places."""
    key, row = basis.key[level], basis.slot[place]
    a = rows.entries[row]
    factor = -a / rows.entries[key]
    for j in range(basis.slot.size):
        inverse = basis.inverse[j]
        t = 0.0
        for i in range(basis.slot.size):
            other = basis.slot[i]
            if other != NO_ROW and rows.level[other] == level:
                t += inverse[i] * rows.entries[other] / a
        inverse[place] = t * factor
    basis.key[level], basis.slot[place] = row, key


@part
def _at_keys(
    rows: Levelled, basis: Basis, n: int, beta: Floats, gamma: Floats, listed: Indices
) -> int:
    """Write the coordinates of row n on key rows: these make up for what the slots hold."""
    n_levels, size = basis.key.size, 0
    for i in range(-1, beta.size):  # the row itself, then the slots
        row = n if i < 0 else basis.slot[i]
        factor = 1.0 if i < 0 else -beta[i]
        if row == NO_ROW or factor == 0.0 or rows.level[row] == n_levels:
            continue
        level = rows.level[row]
        seen = False
        for q in range(size):
            seen = seen or listed[q] == level
        if not seen:
            listed[size] = level
            size += 1
        gamma[level] += factor * rows.entries[row] / rows.entries[basis.key[level]]
    return size


@part
def _first_to_vanish(
    basis: Basis, beta: Floats, gamma: Floats, listed: Indices, x: Floats, step: float, tiny: float
) -> tuple[float, int, bool]:
    """Return how far a row may go, at most `step`; what then has weight 0, and if it is a key."""
    place, at_key = NO_ROW, False
    for i in range(beta.size):
        row = basis.slot[i]
        if row != NO_ROW and beta[i] < -tiny and x[row] < -beta[i] * step:
            step, place = x[row] / -beta[i], i
    for level in listed:
        key = basis.key[level]
        if gamma[level] < -tiny and x[key] < -gamma[level] * step:
            step, place, at_key = x[key] / -gamma[level], level, True
    return step, place, at_key


@part
def _move(
    basis: Basis, step: float, beta: Floats, gamma: Floats, listed: Indices, x: Floats
) -> None:
    """Add step times the coordinates of a row to the weights of the basis, which stay >= 0."""
    for i in range(beta.size):
        row = basis.slot[i]
        if row != NO_ROW:
            x[row] = max(0.0, x[row] + step * beta[i])
    for level in listed:
        key = basis.key[level]
        x[key] = max(0.0, x[key] + step * gamma[level])


@part
def _replace(
    rows: Levelled, basis: Basis, place: int, at_key: bool, n: int, gamma: Floats, beta: Floats
) -> None:
    """Let a row with these coordinates into the basis for that of a slot, or for a key row."""
    if at_key:
        level, best, place = place, 0.0, NO_ROW
        for i in range(beta.size):
            row = basis.slot[i]
            if row != NO_ROW and rows.level[row] == level and abs(beta[i]) >= best:
                best, place = abs(beta[i]), i
        if place == NO_ROW:  # the row that enters is of that level itself
            basis.key[level] = n
            return
        _make_key(rows, basis, level, place)
        beta[place] = gamma[level]
    _enter(basis, n, place, beta)


@compiled
def move_into_basis(rows: Levelled, order: Indices, basis: Basis, x: Floats, least: float) -> int:
    """Move weights x >= 0 (N,) of rows outside a basis into it, sum x_n z_n unchanged.

    x stays >= 0: where a row of the basis would fall below, it leaves, and the row enters (the
    simplex method with generalised upper bounds, Dantzig & Van Slyke 1967). Returns how often.
    """
    n_levels, k = basis.key.size, basis.slot.size
    beta, gamma = np.empty(k), np.zeros(n_levels)
    levels, entered = np.empty(k + 1, dtype=np.int64), 0
    inside = np.zeros(x.size, dtype=np.bool_)
    for n in basis.key:
        inside[n] = inside[n] or n != NO_ROW
    for n in basis.slot:
        inside[n] = inside[n] or n != NO_ROW
    for n in order:
        if x[n] <= 0.0 or inside[n]:
            continue
        _coordinates(rows, basis, n, beta)
        listed = levels[: _at_keys(rows, basis, n, beta, gamma, levels)]
        tiny = 1.0
        for i in range(k):
            tiny = max(tiny, abs(beta[i]))
        tiny *= least
        step, place, at_key = _first_to_vanish(basis, beta, gamma, listed, x, x[n], tiny)
        _move(basis, step, beta, gamma, listed, x)
        x[n] -= step
        if place == NO_ROW:
            x[n] = 0.0
        else:
            entered += 1
            inside[n] = True
            leaving = basis.key[place] if at_key else basis.slot[place]
            x[leaving], inside[leaving] = 0.0, False
            _replace(rows, basis, place, at_key, n, gamma, beta)
        for level in listed:
            gamma[level] = 0.0
    return entered


@part
def _level_of(rows: Rows, i: int, columns: tuple[int, int]) -> int:
    """Return the level of row i, counted from 0; the number of levels where it has none."""
    start, stop = columns
    if isinstance(rows, tuple):
        _, indices, indptr = rows
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            k = np.int64(indices[p])  # an unsigned index less a signed number is a float
            if start <= k < stop:
                return int(k - start)
    else:
        for j in range(start, stop):
            if rows[i, j] != 0.0:
                return j - start
    return stop - start


@part
def _root(parent: Indices, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = int(parent[node])
    return node


@compiled
def pairs_of_cells(
    rows: Rows, y: Floats, start: int, columns: tuple[int, int], others: tuple[int, int],
    largest: int, first: Indices, parent: Indices, is_pair: Indices, single: Indices, left: Indices
) -> None:  # fmt: skip
    """Find cells of two categories that have both labels, and that connect all levels as a forest.

    Parameters
    ----------
    start : the index in the table of row 0
    columns, others : where the levels of either category start and stop; a row may have none of
        them, and the second category may have no levels
    largest : a cell of which more rows are looked for; its levels are connected already
    first : (cells, 2) the first row of each cell and label, -1 without one
    parent : (levels,) of each level among those that are connected
    is_pair : (cells,) 1 for the others of the forest
    single : (2, m) rows of the largest cell
    left : (3,) how many connections and how many rows of the largest cell are left to be found
    """
    n_others = others[1] - others[0] + 1
    n_levels = columns[1] - columns[0] + 1
    for i in range(y.size):
        if left[0] == 0 and left[1] == 0 and left[2] == 0:
            break
        a, b = _level_of(rows, i, columns), _level_of(rows, i, others)
        cell, label = a * n_others + b, 1 if y[i] > 0.0 else 0
        if cell == largest and left[1 + label] > 0:
            left[1 + label] -= 1
            single[label, left[1 + label]] = start + i
        if first[cell, label] >= 0:
            continue
        first[cell, label] = start + i
        if first[cell, 1 - label] >= 0:
            a, b = _root(parent, a), _root(parent, n_levels + b)
            if a != b:
                parent[a] = b
                left[0] -= 1
                is_pair[cell] = 1
