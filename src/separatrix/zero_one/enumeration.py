"""The fewest mistakes of all cells of lines, in whole numbers, for tables on which floats fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._later import flint
from separatrix.cached import cached_property
from separatrix.certificates.fewest_mistakes import Tally, unrounded_weights
from separatrix.exact.integers import (
    Floats,
    IntegerRow,
    dot,
    integer_rows,
    nearest_double,
    primitive,
    sign,
)
from separatrix.separation.rounding import as_doubles, normalised
from separatrix.zero_one.core_packing import PARTS, Disjunction, Packing
from separatrix.zero_one.limits import Budget
from separatrix.zero_one.problem import MergedRows, presolve


def members(rows: int) -> list[int]:
    """Return the positions of the bits that are set."""
    return [i for i in range(rows.bit_length()) if rows >> i & 1]


def bits_of(rows: Iterable[int]) -> int:
    return sum(1 << i for i in rows)


class Minors:
    """A few rows by all their minors: which contradict each other, and a line for the others.

    Any r + 1 rows of rank r have one relation, whose coefficients are their r x r minors with
    alternating signs (Bjorner et al. 1999); every least core (a set with sum lambda_n z_n = 0,
    lambda >= 0) is the support of one. Rows without a core can all be right (Gordan 1873).
    """

    def __init__(self, rows: Sequence[IntegerRow]) -> None:
        self.rows, self.n, self.rank = rows, len(rows), len(rows[0])
        self.zero, minors = flint.fmpz(0), {0: flint.fmpz(1)}
        table = [[flint.fmpz(a) for a in row] for row in rows]
        for j in range(self.rank):  # expanded along column j, from those of the columns before it
            grown: dict[int, flint.fmpz] = {}
            for some, minor in minors.items():
                for i, row in enumerate(table):
                    if row[j] and not some >> i & 1:
                        term = minor * row[j]
                        behind = (some >> i).bit_count()
                        key = some | 1 << i
                        grown[key] = grown.get(key, self.zero) + (-term if behind & 1 else term)
            minors = {some: minor for some, minor in grown.items() if minor}
        self.minors = minors

    @cached_property
    def cores(self) -> dict[int, int]:
        """The least cores: the rows of each, and rank + 1 rows whose relation it is."""
        found: dict[int, int] = {}
        for chosen in combinations(range(self.n), self.rank + 1):
            every = bits_of(chosen)
            signs = [sign(a) for a in self._relation(every)]
            if any(signs) and not (1 in signs and -1 in signs):
                core = bits_of(i for i, s in zip(chosen, signs, strict=True) if s)
                found.setdefault(core, every)
        return found

    def _relation(self, rows: int) -> list[flint.fmpz]:
        """Return the coefficients of rank + 1 rows with which they cancel; zeros for more such."""
        minors = [self.minors.get(rows ^ 1 << i, self.zero) for i in members(rows)]
        return [-a if k & 1 else a for k, a in enumerate(minors)]

    def multipliers(self, core: int) -> list[int]:
        """Return positive integers that cancel the rows of a core."""
        return primitive([abs(int(a)) for a in self._relation(self.cores[core]) if a])

    @cached_property
    def separable(self) -> NDArray[np.bool_]:
        """For each of the 2^n sets of rows whether some line has all of them on its right side."""
        contradicts = np.zeros(1 << self.n, dtype=np.bool_)
        contradicts[list(self.cores)] = True
        for i in range(self.n):
            halves = contradicts.reshape(-1, 2, 1 << i)
            halves[:, 1] |= halves[:, 0]
        return ~contradicts

    def line(self, right: int) -> IntegerRow:
        """Return a line (r,) with these rows on its right side and all others on its wrong one."""
        sides = [1 if right >> i & 1 else -1 for i in range(self.n)]
        edges = list(self._edges(sides))
        sizes = [max(map(abs, edge)).bit_length() for edge in edges]
        shifts = [max(sizes) - size for size in sizes]  # all edges count about alike
        scaled = [[a << e for a in edge] for edge, e in zip(edges, shifts, strict=True)]
        total = [sum(column, self.zero) for column in zip(*scaled, strict=True)]
        basis = members(next(iter(self.minors)))
        system = flint.fmpz_mat([self.rows[i] for i in basis])
        answer: Any = system.solve(flint.fmpz_mat([[total[i]] for i in basis]))
        solved, _ = answer.numer_denom()
        return primitive([int(a) for a in solved.entries()])

    def _edges(self, sides: Sequence[int]) -> Iterator[list[flint.fmpz]]:
        """Yield the scores (n,) of the edges of the cone of lines with rows on these sides."""
        for chosen in combinations(range(self.n), self.rank - 1):
            on_it = bits_of(chosen)
            scores = [self.zero if on_it >> i & 1 else self._score(on_it, i) for i in range(self.n)]
            signs = {sign(a) * s for a, s in zip(scores, sides, strict=True)} - {0}
            if len(signs) == 1:
                (turn,) = signs
                yield [turn * a for a in scores]

    def _score(self, on_it: int, i: int) -> flint.fmpz:
        """Return the score of a row on the line that rank - 1 rows lie on."""
        minor = self.minors.get(on_it | 1 << i, self.zero)
        return -minor if (on_it >> i).bit_count() & 1 else minor


FEW = 13  # rows: a dozen, and a new one (see `version_space`)
MOST_SWEEPS = 1_000  # of as many rays: five seconds, or twenty where numbers are long
MOST_IN_PLANE = 200_000  # rows: some seconds


@dataclass(frozen=True, eq=False)
class Enumeration:
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
    values = np.ascontiguousarray(table.floats()[:, columns])
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
    t, nudge = 1, [1] * len(line)  # 1, t, t^2, ...: each row is 0 there for fewer t than columns
    while any(dot(row, nudge) == 0 for row in on_it):
        t += 1
        nudge = [t**k for k in range(len(line))]
    sides = [(abs(dot(row, nudge)), abs(dot(row, line))) for row in rows]
    times = 1 + max((a // b for a, b in sides if b), default=0)
    return [times * a + b for a, b in zip(line, nudge, strict=True)]


Ray = tuple[IntegerRow, int]  # a primitive row and its weight > 0


@dataclass(frozen=True)
class Cell:
    """A line (r,) of integers that no ray lies on, and what its mistakes weigh."""

    line: IntegerRow
    mistakes: int


def rays_of(rows: Sequence[IntegerRow], weights: Sequence[int]) -> tuple[list[Ray], int]:
    """Return the rays of rows (n, r), none zero, and the weight of the mistakes that all make."""
    sides: dict[tuple[int, ...], list[int]] = {}
    for row, weight in zip(rows, weights, strict=True):
        ray = primitive(row)
        turn = next(sign(a) for a in ray if a)
        both = sides.setdefault(tuple(turn * a for a in ray), [0, 0])
        both[turn < 0] += weight
    left = {ray: up - down for ray, (up, down) in sides.items() if up != down}
    rays = [([a if more > 0 else -a for a in ray], abs(more)) for ray, more in left.items()]
    return rays, sum(min(both) for both in sides.values())


def fewest_in_plane(rays: Sequence[Ray]) -> Cell:
    """Return the best line (2,) for rays (n, 2), some of which may be parallel."""
    critical = _critical(rays)
    if not critical:
        return Cell([1, 0], 0)
    total = sum(weight for _, weight in rays)
    first = _after(critical, 0)
    mistakes = sum(weight for ray, weight in rays if dot(ray, first) < 0)
    fewest, where, turn = min((mistakes, 0, 1), (total - mistakes, 0, -1))
    for k, (_, more) in enumerate(critical[1:], 1):
        mistakes += more
        best = fewest, where, turn
        fewest, where, turn = min(best, (mistakes, k, 1), (total - mistakes, k, -1))
    return Cell([turn * a for a in _after(critical, where)], fewest)


def _critical(rays: Sequence[Ray]) -> list[tuple[IntegerRow, int]]:
    """Return the critical directions by angle in [0, pi), and how many more are wrong beyond."""
    critical: list[tuple[IntegerRow, int]] = [([1, 0], 0)] if any(not z[0] for z, _ in rays) else []
    turned = [(a, b, weight) if a > 0 else (-a, -b, -weight) for (a, b), weight in rays if a]
    turned.sort(key=cmp_to_key(_slopes))
    for a, b, weight in turned:
        (x, y), more = critical[-1] if critical else ([0, 0], 0)
        if y and y * b == -x * a:
            critical[-1] = [x, y], more + weight
        else:
            critical.append(([-b, a], weight))
    return critical


def _slopes(p: tuple[int, int, int], q: tuple[int, int, int]) -> int:
    """Return the sign of b / a of p less that of q, where both a are positive."""
    return p[1] * q[0] - q[1] * p[0]


def _after(critical: Sequence[tuple[IntegerRow, int]], k: int) -> IntegerRow:
    """Return a direction between a critical one and the next."""
    (x, y), _ = critical[k]
    if len(critical) == 1:
        return [-y, x]
    (p, q), _ = critical[(k + 1) % len(critical)]
    turn = 1 if k + 1 < len(critical) else -1
    size, other = max(abs(x), abs(y)).bit_length(), max(abs(p), abs(q)).bit_length()
    up, down = max(other - size, 0), max(size - other, 0)
    return [(x << up) + turn * (p << down), (y << up) + turn * (q << down)]


def fewest_in_space(rays: Sequence[Ray], best: int, watch: Callable[[], None]) -> Cell:
    """Return the best line (3,) for rays (n, 3), no two of them parallel."""
    found: tuple[Cell, int] | None = None
    rays = [([flint.fmpz(a) for a in z], weight) for z, weight in rays]  # type: ignore[misc]  # faster
    for i in range(len(rays)):
        watch()
        cell = fewest_in_plane(_on_plane(rays, i))
        if found is None or cell.mistakes < found[0].mistakes:
            found = cell, i
        if found[0].mistakes <= best:
            break
    return Cell([1, 0, 0], 0) if found is None else _lifted(rays, *found)


def _on_plane(rays: Sequence[Ray], i: int) -> list[Ray]:
    """Return the other rays on the plane of the lines on which ray i has the score 0."""
    z = rays[i][0]
    c, p, q = _axes(z)
    a, b, top = z[p], z[q], z[c]
    return [
        ([top * x[p] - a * x[c], top * x[q] - b * x[c]], weight)
        for k, (x, weight) in enumerate(rays)
        if k != i
    ]


def _axes(z: IntegerRow) -> tuple[int, int, int]:
    """Return an axis on which z is not 0, and the two others."""
    c = next(j for j, a in enumerate(z) if a)
    p, q = (j for j in range(3) if j != c)
    return c, p, q


def _lifted(rays: Sequence[Ray], cell: Cell, i: int) -> Cell:
    """Return the line in space, moved off the plane so far that ray i alone changes its side."""
    z = rays[i][0]
    c, p, q = _axes(z)
    u, v = cell.line
    w = [0, 0, 0]
    w[p], w[q], w[c] = u * z[c], v * z[c], -u * z[p] - v * z[q]
    others = [x for k, (x, _) in enumerate(rays) if k != i]
    times = 1 + max((abs(dot(x, z)) // abs(dot(x, w)) for x in others), default=0)
    line = [int(times * a + b) for a, b in zip(w, z, strict=True)]
    return Cell(primitive(line), cell.mistakes)


@dataclass(frozen=True, eq=False)
class FewRows:
    """Rows (n, r) of rank r, no two of them opposite, and their weights > 0."""

    minors: Minors
    weights: Sequence[int]
    right: int  # rows that a line with the fewest mistakes has on its right side, as bits
    fewest: int  # the weight of the others

    @classmethod
    def of(cls, rows: Sequence[IntegerRow], weights: Sequence[int]) -> FewRows:
        minors = Minors(rows)
        gains = [0]
        for weight in weights:
            gains += [gain + weight for gain in gains]
        right = max(np.flatnonzero(minors.separable).tolist(), key=gains.__getitem__)
        return cls(minors, weights, right, gains[-1] - gains[right])

    def line(self) -> IntegerRow:
        """Return a line (r,) with these mistakes; no row lies on it."""
        return self.minors.line(self.right)

    def proof(self) -> Packing | Disjunction:
        return self._branch(0, 0)

    def _branch(self, wrong: int, right: int) -> Packing | Disjunction:
        """Return why the lines that are wrong on some rows and right on others make no fewer."""
        due = (self.fewest - sum(self.weights[i] for i in members(wrong))) * PARTS
        left = {i: weight * PARTS for i, weight in enumerate(self.weights)}
        used: list[tuple[int, int]] = []
        cores = [core for core in self.minors.cores if not core & wrong]
        cores.sort(key=lambda core: ((core & ~right).bit_count(), core))
        for core in cores:
            if due <= 0:
                break
            amount = min((left[i] for i in members(core & ~right)), default=due)
            for i in members(core & ~right):
                left[i] -= amount
            if amount:
                used.append((amount, core))
                due -= amount
        if due <= 0:
            of = self.minors.multipliers
            amounts = ((amount, tuple(members(core)), tuple(of(core))) for amount, core in used)
            return Packing(self.fewest, tuple(amounts))
        # the row of the shortest core that most of the others have too
        row = max(members(cores[0] & ~right), key=lambda i: sum(core >> i & 1 for core in cores))
        bit = 1 << row
        return Disjunction(row, self._branch(wrong | bit, right), self._branch(wrong, right | bit))
