"""Which way coefficients go that diverge, for rows with levels (Fourier and Motzkin's elimination).

Eliminating a level leaves one condition for each two of its rows, written down where violated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.cached import cached_property
from separatrix.certificates.divergence import Bounded
from separatrix.exact.cone import cone_of_table
from separatrix.exact.integers import Indices, IntegerRow, dot, sign, times_power_of_two
from separatrix.exact.level_elimination import NullSpace, not_vanishing
from separatrix.exact.sparse_rows import SMALL_BITS, SparseRows, Whole
from separatrix.separation.exact_simplex import Line, Refusal, gordan
from separatrix.separation.rounding import simplest_within

ROUNDS = 100
MOST_AT_ONCE = 50  # conditions that join
MOST_COORDINATES = 64

Weights = list[Fraction]
Condition = tuple[int, ...]  # one row or two, whose sum has no level left


@dataclass(frozen=True)
class Side:
    """Lines that differ in the levels by themselves: none of these is 0 on any of them."""

    rest: Weights  # (D,) weights of all others
    places: dict[int, int]  # {column of a level by itself: its place}
    above: list[int | None]
    below: list[int | None]
    unit: int
    way: int  # levels are above 0 (1) or below it (-1) where they may be

    def sign(self, j: int) -> int:
        if j not in self.places:
            return sign(self.rest[j])
        low, high = self.above[self.places[j]], self.below[self.places[j]]
        if self.way > 0:
            return 1 if high is None or high > 0 else -1
        return -1 if low is None or low < 0 else 1

    def line(self) -> Weights:
        line, way = list(self.rest), self.way
        for j, low, high in zip(self.places, self.above, self.below, strict=True):
            if way > 0 and (high is None or high > 0) and (low is None or low < 0):
                line[j] = simplest_within(0, high, self.unit)
            elif way < 0 and (low is None or low < 0) and (high is None or high > 0):
                line[j] = simplest_within(low, 0, self.unit)
            else:
                line[j] = simplest_within(low, high, self.unit)
        return line


@dataclass
class Directions:
    """The lines with Zw >= 0, for rows and the null space of those on which all of them vanish."""

    rows: SparseRows
    free: NullSpace
    known: dict[Condition, IntegerRow] = field(default_factory=dict)

    @cached_property
    def strict(self) -> SparseRows:
        """The rows that can be positive, by their level and the sign of its entry."""
        return self.rows.take(self.names)

    @cached_property
    def names(self) -> Indices:
        strict = not_vanishing(self.rows, list(self.free.vectors.values()))
        group = self._groups_of(strict)
        return np.asarray(strict[np.argsort(group, kind="stable")])

    @cached_property
    def alone(self) -> list[int]:
        """The levels by themselves: columns in which the space has a unit vector."""
        levels = self.rows.levels
        return [j for j, v in self.free.vectors.items() if j in levels and len(v) == 1]

    @cached_property
    def _places_alone(self) -> dict[int, int]:
        return {j: i for i, j in enumerate(self.alone)}

    @cached_property
    def others(self) -> list[int]:
        return [j for j in self.free.vectors if j not in self._places_alone]

    def _groups_of(self, rows: Indices) -> Indices:
        """Return for rows of level i by itself 2 i, or 2 i + 1 where its entry is < 0; else -1."""
        some = self.rows.take(rows)
        place = np.full(len(self.rows.levels) + 1, -1)
        place[np.array(self.alone, dtype=np.int64) - self.rows.levels.start] = np.arange(
            len(self.alone)
        )
        group = 2 * place[some.level]
        negative = some.row_of[some.is_level & (some.values < 0)]
        group[negative] += 1
        return np.asarray(np.maximum(group, -1))

    @cached_property
    def groups(self) -> tuple[Indices, Indices]:
        """Where each group of the strict rows that has any starts, and which group it is."""
        group = self._groups_of(self.names)
        group = group[group >= 0]
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        return starts + (self.names.size - group.size), group[starts]

    @cached_property
    def scales(self) -> tuple[list[int], int]:
        """How often a row counts, so that its level's entry is + or - the second value: (m,)."""
        some = self.strict
        entries = np.ones(some.n, dtype=object)
        at = some.is_level
        entries[some.row_of[at]] = np.abs(some.whole[at].astype(object))
        entries[: self.groups[0][0] if self.groups[0].size else some.n] = 1
        unit = math.lcm(*set(entries.tolist()))
        return [unit // int(a) for a in entries], unit

    @cached_property
    def table(self) -> Whole:
        """The rows, as often as they count, in the other coordinates: (m, q)."""
        columns = []
        for j in self.others:
            v = [0] * self.rows.width
            for i, a in self.free.vectors[j].items():
                v[i] = a
            columns.append(self.strict.whole_scores(v).astype(object))
        table = np.array(columns, dtype=object).reshape(len(columns), self.strict.n).T
        return np.asarray(np.array(self.scales[0], dtype=object)[:, None] * table)

    # ------------------------------------------------------------------ lines

    def sides(self, c: Sequence[int]) -> Iterator[Side]:
        """Yield the lines with these coordinates: levels above 0 where they may be, then below."""
        line = [Fraction(0)] * self.rows.width
        for j, a in zip(self.others, c, strict=True):
            for i, b in self.free.vectors[j].items():
                line[i] += a * b
        above: list[int | None] = [None] * len(self.alone)
        below = above.copy()
        for g, a in zip(self.groups[1].tolist(), self._least(self.scores(c)).tolist(), strict=True):
            if g % 2 == 0:
                above[g // 2] = -a
            else:
                below[g // 2] = a
        for way in (1, -1):
            yield Side(line, self._places_alone, above, below, self.scales[1], way)

    def _least(self, scores: Whole) -> Whole:
        starts = self.groups[0]
        return np.asarray(np.minimum.reduceat(scores, starts) if starts.size else scores[:0])

    def scores(self, c: Sequence[int]) -> Whole:
        """Return the scores of the table's rows: (m,)."""
        if not len(c):
            return np.zeros(self.strict.n, dtype=object)
        if self._largest * max(1, sum(map(abs, c))) < 1 << SMALL_BITS:  # the table fits, too
            return np.asarray(self._narrow @ np.array(c, dtype=np.int64))
        return np.asarray(self.table @ np.array(c, dtype=object))

    @cached_property
    def _largest(self) -> int:
        return int(abs(self.table).max(initial=0))

    @cached_property
    def _narrow(self) -> NDArray[np.int64]:
        """The table, where its numbers are small."""
        return self.table.astype(np.int64)

    # ------------------------------------------------------------------ both ways, or one

    def decide(self, extra: Sequence[IntegerRow]) -> list[int] | dict[int, int] | None:
        """Return coordinates in which all conditions and the extra ones are positive."""
        m = self.strict.n
        for i, row in enumerate(extra):
            if not any(row):
                return {m + i: 1}
        for _ in range(ROUNDS):
            conditions = list(self.known)
            answer = _decide([*self.known.values(), *extra], len(self.others))
            if isinstance(answer, Refusal):
                found: dict[int, int] = {}
                for place, a in zip(answer.rows, answer.multipliers, strict=True):
                    inside = place < len(conditions)
                    for n in conditions[place] if inside else (m + place - len(conditions),):
                        found[n] = found.get(n, 0) + a
                return found
            if answer is None:
                return None
            violated = self.violated(answer)
            if not violated:
                return answer
            for condition in violated:
                self.known[condition] = self.table[list(condition)].sum(axis=0).tolist()
        return None

    def violated(self, c: Sequence[int]) -> list[Condition]:
        """Return the worst conditions that coordinates violate."""
        scores = self.scores(c)
        starts, groups = self.groups
        single = int(starts[0]) if starts.size else scores.size
        found: list[tuple[int, Condition]] = [
            (int(scores[n]), (n,)) for n in np.flatnonzero(scores[:single] <= 0).tolist()
        ]
        least = self._least(scores)
        pairs = np.flatnonzero((groups[:-1] % 2 == 0) & (np.diff(groups) == 1))
        sums = least[pairs] + least[pairs + 1]
        edges = np.append(starts, scores.size)
        for i, s in zip(pairs[sums <= 0].tolist(), sums[sums <= 0].tolist(), strict=True):
            rows = (int(edges[k] + np.argmin(scores[edges[k] : edges[k + 1]])) for k in (i, i + 1))
            found.append((s, tuple(rows)))
        return [condition for _, condition in sorted(found)[:MOST_AT_ONCE]]

    def members(self, j: int, way: int) -> list[int]:
        """Return the places of the rows of a level by itself whose entry has that sign."""
        starts, groups = self.groups
        wanted = 2 * self._places_alone[j] + (0 if way > 0 else 1)
        i = int(np.searchsorted(groups, wanted))
        if i == groups.size or groups[i] != wanted:
            return []
        stop = int(starts[i + 1]) if i + 1 < starts.size else self.strict.n
        return list(range(int(starts[i]), stop))

    def functional(self, j: int) -> IntegerRow:
        """Return weight j as a functional of the other coordinates."""
        return [self.free.vectors[i].get(j, 0) for i in self.others]

    def other_way(self, j: int, side: int) -> list[int] | Bounded | None:
        """Return coordinates of lines with the other sign of weight j, or what excludes these."""
        m, is_alone = self.strict.n, j in self._places_alone
        rows = self.members(j, side) if is_alone else []
        against = [[-side * a for a in self.functional(j)]]
        found = self.decide(self.table[rows].tolist() if is_alone else against)
        if not isinstance(found, dict):
            return found
        times = sum(a for n, a in found.items() if n >= m) * (self.scales[1] if is_alone else 1)
        weights: dict[int, int] = {}
        for n, a in found.items():
            place = n if n < m else rows[n - m] if is_alone else -1
            if place >= 0:
                weights[place] = weights.get(place, 0) + a * self.scales[0][place]
        unit = times_power_of_two(Fraction(times), int(self.rows.exponents[j]))
        names = [int(self.names[n]) for n in weights]
        return Bounded(side, names, list(weights.values()), unit)

    def coordinates(self, line: Sequence[Fraction]) -> list[int]:
        """Return those of a line of the space, times some positive number."""
        parts = [line[j] / self.free.vectors[j][j] for j in self.others]
        q = math.lcm(*(a.denominator for a in parts))
        return [a.numerator * (q // a.denominator) for a in parts]


def around(
    line: Sequence[int], functional: IntegerRow, is_inside: Callable[[IntegerRow], bool]
) -> list[IntegerRow]:
    """Return lines inside a cone on both sides of one inside on which a functional is zero."""
    far = 1
    while True:
        sides = [
            [far * a + way * b for a, b in zip(line, functional, strict=True)] for way in (1, -1)
        ]
        if all(map(is_inside, sides)):
            return sides
        far *= 1 << 8


def _decide(table: list[IntegerRow], width: int) -> list[int] | Refusal | None:
    """Return coordinates positive on all rows, or what refuses it; None at a limit."""
    used = [j for j in range(width) if any(row[j] for row in table)]
    for n, row in enumerate(table):
        if not any(row):
            return Refusal([n], [1])
    if not table:
        return [0] * width
    answer = gordan(cone_of_table([[row[j] for j in used] for row in table]))
    if not isinstance(answer, Line):
        return answer if isinstance(answer, Refusal) else None
    weights = dict(zip(used, answer.v, strict=True))
    return [weights.get(j, 0) for j in range(width)]


def directions(
    rows: SparseRows, free: NullSpace, line: Weights, columns: Sequence[int]
) -> tuple[list[Weights], dict[int, Bounded]]:
    """Return lines, and what bounds weights: each of the columns has both signs, or a bound."""
    found = Directions(rows, free)
    if len(found.others) > MOST_COORDINATES:
        return [line], {}
    c = found.coordinates(line)
    lines, bounds = [line], {}
    ways = {j: {sign(line[j])} - {0} for j in columns}

    lacking = [j for j in columns if len(ways[j]) < 2]

    def add(more: Sequence[int]) -> None:
        for side in found.sides(more):
            new = [j for j in lacking if side.sign(j) not in {*ways[j], 0}]
            for j in new:
                ways[j].add(side.sign(j))
            if new:
                lines.append(side.line())
                lacking[:] = [j for j in lacking if len(ways[j]) < 2]

    add(c)
    for j in columns:
        functional = found.functional(j)
        if not ways[j] and not dot(functional, c):
            for side in around(c, functional, lambda at: not found.violated(at)):
                add(side)
        if len(ways[j]) != 1:
            continue
        (way,) = ways[j]
        answer = found.other_way(j, way)
        if isinstance(answer, Bounded):
            bounds[j] = answer
        elif answer is not None:
            add(answer)
    return lines, bounds
