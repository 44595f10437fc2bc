"""Disjoint cores among few rows: what those of a tile prove, by themselves, of every line.

Rows z and -z are a core of two; they are found first. The others come from linear programs on a
pool of rows (`kernels/zero_one/disjoint.py`). Which rows are in the pool together makes the number
of cores: by the score of a good line they are the rows nearest to it, and the fewer of them are
wrong, the more right ones each wrong one is put with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.contradictions import Core, cancels
from separatrix.certificates.fewest_mistakes import Weights, whole_weights
from separatrix.exact.integers import Floats, Indices
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.zero_one.cores import new_program
from separatrix.kernels.zero_one.disjoint import AT_MOST, MOST, pack
from separatrix.zero_one.presolve import groups_of_equal

MOST_DIMENSIONS = 128  # beyond, a linear program takes more pivots than it may
AS_THEY_STAND = 0  # rows by their distance from the line, wrong and right ones alike
RIGHT_FOR_A_WRONG = (AS_THEY_STAND, 4, 20)  # ways to order rows, of which the best is taken


@dataclass(frozen=True, eq=False)
class Packed:
    """Cores that share no weight."""

    bound: Fraction  # exact: every line loses as much
    cores: Sequence[Core]  # (amount, rows) of each: exact, and positions among the rows given
    untouched: Indices


def packed(rows: Floats, weight: Floats, line: Floats, ratio: int) -> Packed:
    """Pack cores of rows z_n (m, D), C-ordered."""
    there = np.flatnonzero(weight > 0.0)
    if there.size == 0:
        return Packed(Fraction(0), (), there)
    units = whole_weights(weight[there])
    rows, left = rows[there] + 0.0, units.whole.copy()  # -0.0 and 0.0 are equal but not their bits
    found = [*_zeros_and_pairs(rows, left)]
    order = _order(rows, line, ratio)
    if rows.shape[1] <= MOST_DIMENSIONS:
        found += _cores(rows, left, order[left[order] > 0])
    return _told(found, units, there, order[left[order] == units.whole[order]])


def _told(
    found: Sequence[tuple[int, tuple[int, ...]]], units: Weights, there: Indices, untouched: Indices
) -> Packed:
    total = sum(amount for amount, _ in found)
    places = there.tolist()
    cores = [(amount * units.unit, tuple(places[k] for k in core)) for amount, core in found]
    return Packed(total * units.unit, cores, there[untouched])


def _zeros_and_pairs(rows: Floats, left: Indices) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the rows of zeros, and pairs z, -z, with their amounts, taken from `left`."""
    first = rows[np.arange(len(rows)), (rows != 0.0).argmax(axis=1)]
    for n in np.flatnonzero(first == 0.0).tolist():
        yield int(left[n]), (n,)
        left[n] = 0
    group, _ = groups_of_equal(rows * np.sign(first)[:, None] + 0.0)
    sides = np.zeros((2, len(rows)), dtype=np.bool_)
    sides[0, group[first > 0.0]] = True
    sides[1, group[first < 0.0]] = True
    has_both = np.asarray(sides[0] & sides[1])
    both = np.flatnonzero(has_both[group] & (first != 0.0))
    waiting: dict[int, list[int]] = {}  # rows of one side, with some weight left
    for n in both.tolist():
        others = waiting.setdefault(int(group[n]), [])
        while left[n] > 0 and others and (first[others[0]] > 0.0) != (first[n] > 0.0):
            amount = int(min(left[n], left[others[0]]))
            left[n] -= amount
            left[others[0]] -= amount
            yield amount, (others[0], n)
            if left[others[0]] == 0:
                del others[0]
        if left[n] > 0:
            others.append(n)


@np.errstate(over="ignore", invalid="ignore")
def _order(rows: Floats, line: Floats, ratio: int) -> Indices:
    """Return the rows in the order in which they come into the pool."""
    scores = signed_scores(rows, len(rows), np.append(0.0, line), 0.0)
    near = np.argsort(np.abs(scores), kind="stable")
    if ratio == AS_THEY_STAND:
        return near
    is_wrong = scores[near] <= 0.0
    wrong, right = near[is_wrong], near[~is_wrong]
    turn = np.concatenate([np.arange(wrong.size) * ratio, np.arange(right.size)])
    return np.concatenate([wrong, right])[np.argsort(turn, kind="stable")]


def _cores(rows: Floats, left: Indices, order: Indices) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield cores of some rows with their amounts, taken from `left`."""
    used = np.flatnonzero(rows.any(axis=0))
    shift = np.frexp(np.abs(rows[:, used]).max(axis=0))[1]
    scaled = np.ascontiguousarray(np.ldexp(rows[:, used], -shift))
    exact = (np.ldexp(scaled, shift) == rows[:, used]).all(axis=1)  # nothing has underflown
    order = order[exact[order]]
    m, dimension = scaled.shape
    if order.size < 2:
        return
    largest = np.abs(scaled).max(axis=1)
    unit = np.ascontiguousarray(scaled.T / np.where(largest > 0.0, largest, 1.0))
    program = new_program(dimension, max(MOST, AT_MOST * dimension) + dimension)
    cores, sizes = np.empty((m, dimension + 1), np.int64), np.empty(m, np.int64)
    amounts, is_sure = np.empty(m, np.int64), np.empty(m, np.bool_)
    n = pack(program, unit, scaled, order, left, cores, sizes, amounts, is_sure)
    for k in range(n):
        core = cores[k, : sizes[k]]
        if is_sure[k] or cancels(scaled[core]):
            yield int(amounts[k]), tuple(core.tolist())
