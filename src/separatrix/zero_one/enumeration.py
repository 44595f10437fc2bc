"""The fewest mistakes by enumeration of all cells of lines, in whole numbers of any size.

For tables on which floats fail: their values are too far apart in size, or their weights. A few
rows are enumerated by their minors, whatever the dimension (`few_rows.py`); more of them where they
span a plane or a space (`sweep.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.fewest_mistakes import Tally, unrounded_weights
from separatrix.exact.integers import Floats, IntegerRow, dot, integer_rows, nearest_double
from separatrix.separation.rounding import as_doubles, normalised
from separatrix.zero_one.core_packing import Disjunction, Packing
from separatrix.zero_one.few_rows import FewRows
from separatrix.zero_one.limits import Budget
from separatrix.zero_one.presolve import MergedRows, presolve
from separatrix.zero_one.sweep import fewest_in_plane, fewest_in_space, rays_of

FEW = 13  # rows: a dozen, and a new one (see `version_space`)
MOST_SWEEPS = 1_000  # of as many rays: five seconds, or twenty where numbers are long
MOST_IN_PLANE = 200_000  # rows: some seconds


@dataclass(frozen=True, eq=False)
class Enumeration:
    """The fewest mistakes of all lines."""

    fewest: Fraction  # what they weigh, exactly
    line: tuple[Fraction, ...]  # (1+d,) a line that makes no more
    packing: Packing | Disjunction | None  # why no line makes fewer, for the merged rows
    unit: Fraction  # what the packing counts in
    at_least: Fraction  # what was proven of every line before

    def in_doubles(self, tally: Tally) -> Floats | None:
        """Return doubles near the line that make no more mistakes either, if any are found."""
        exact = list(self.line)
        for near in (exact, normalised(exact), *as_doubles(exact)):
            doubles = np.array([nearest_double(w) for w in near])
            if np.isfinite(doubles).all() and tally.mistakes(doubles) == self.fewest:
                return doubles
        return None


def within_reach(rows: MergedRows, most: float) -> bool:
    """Return whether the rows are so few, or in so few dimensions, that they can be enumerated."""
    if rows.n <= FEW:
        return True
    if rows.dimension <= 2:
        return rows.n <= MOST_IN_PLANE
    return rows.dimension == 3 and rows.n <= min(MOST_SWEEPS, most)


def enumerated(tally: Tally, at_least: Fraction, budget: Budget) -> Enumeration:
    """Return the fewest mistakes on rows that are within reach."""
    table, units = tally.rows, unrounded_weights(tally.weight)
    columns = table.span.columns
    values = np.ascontiguousarray(table.values[:, columns])
    left = presolve(values, units.whole, table.exponents[columns])
    line, fewest = [0] * len(columns), 0
    packing: Packing | Disjunction | None = Packing(0, ())
    if left.rows is not None:
        part, chosen, _ = left.rows.part(np.arange(left.rows.n))
        least = math.ceil(at_least / units.unit) - left.base
        short, fewest, packing = _fewest(part, least, budget)
        for j, a in zip(chosen, short, strict=True):
            line[j] = a
    counted = np.unique(values[np.flatnonzero(tally.weight)], axis=0)
    counted = counted[counted.any(axis=1)]
    line = _off_rows(line, integer_rows(counted, table.exponents[columns]))
    weights = table.weights(table.line_on_span(line))
    if not any(weights):  # all rows are zero: any line is as good
        weights[-1] = Fraction(1)
    total = (fewest + left.base) * units.unit
    found = Enumeration(total, tuple(weights), packing, units.unit, at_least)
    if tally.mistakes(found.line) != found.fewest:
        raise RuntimeError("the fewest mistakes: a line of them is not; please report this table")
    return found


def _fewest(
    rows: MergedRows, least: int, budget: Budget
) -> tuple[IntegerRow, int, Packing | Disjunction | None]:
    """Return a line (r,) with the fewest mistakes, their weight, and why there are no fewer."""
    integers, weights = rows.integers(np.arange(rows.n)), rows.weight.tolist()
    if rows.n <= FEW:
        few = FewRows.of(integers, weights)
        return few.line(), few.fewest, few.proof()
    rays, base = rays_of(integers, weights)
    if rows.dimension == 1:
        return rays[0][0] if rays else [0], base, None
    if rows.dimension == 2:
        cell = fewest_in_plane(rays)
    else:
        cell = fewest_in_space(rays, least - base, budget.check_time)
    return cell.line, cell.mistakes + base, None


def _off_rows(line: IntegerRow, rows: list[IntegerRow]) -> IntegerRow:
    """Return a line near this one that no row lies on; those off it keep their side."""
    on_it = [row for row in rows if not dot(row, line)]
    if not on_it:
        return line
    t = 1  # of 1, t, t^2, ...: each row is 0 there for fewer t than there are columns
    while any(dot(row, _powers(t, len(line))) == 0 for row in on_it):
        t += 1
    nudge = _powers(t, len(line))
    sides = [(abs(dot(row, nudge)), abs(dot(row, line))) for row in rows]
    times = 1 + max((a // b for a, b in sides if b), default=0)
    return [times * a + b for a, b in zip(line, nudge, strict=True)]


def _powers(t: int, n: int) -> IntegerRow:
    return [t**k for k in range(n)]
