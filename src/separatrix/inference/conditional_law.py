"""The distribution of one sufficient statistic given the others, in whole numbers (Cox 1970).

P(T_j = t) is proportional to c(t) e^(b_j t), c(t) counting the y's with the sums observed, by the
multivariate shift algorithm (Hirji, Mehta & Patel, *JASA* 82, 1987).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from separatrix.data import InputError

MOST_POINTS = 1_000_000  # partial sums of the other columns: about 300 bytes and 2 us each
MOST_BYTES = 1 << 34  # of counts, read or written: a few seconds

Sums = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers as an offset + step k with whole k."""

    step: Fraction
    whole: list[int]  # k of every number

    @classmethod
    def of(cls, values: Iterable[float], *, shift: bool) -> Grid:
        """Return the coarsest grid of values as shortest decimals; with `shift` the least is 0."""
        exact = [Fraction(repr(float(v))) for v in values]
        least = min(exact) if shift else 0
        exact = [v - least for v in exact]
        over = math.lcm(*(v.denominator for v in exact))
        whole = [int(v * over) for v in exact]
        divisor = math.gcd(*whole) or 1
        return cls(Fraction(divisor, over), [k // divisor for k in whole])


@dataclass(frozen=True, slots=True)
class ConditionalLaw:
    """Counts c(t) of the y's that have T = t and all other sums as observed."""

    counts: Mapping[int, int]  # of every t that is possible, in increasing order
    observed: int  # t of the rows themselves


@dataclass(frozen=True, slots=True)
class _Stratum:
    """Rows that agree in every column but the one in question."""

    others: Sums  # the whole numbers of the other columns
    patterns: list[tuple[int, int]]  # (k, rows) of the column in question
    size: int  # rows in all

    @property
    def least(self) -> int:
        return sum(m * min(0, k) for k, m in self.patterns)

    @property
    def most(self) -> int:
        return sum(m * max(0, k) for k, m in self.patterns)

    def packed(self, wanted: set[int], width: int) -> dict[int, int]:
        """Return for every wanted number of yes rows the counts of T - least, `width` bits each."""
        left, seen = self.size, {0: 1}
        first, last = min(wanted), max(wanted)
        for k, m in self.patterns:  # partial numbers of yes rows: counts
            left -= m
            sums: defaultdict[int, int] = defaultdict(int)
            for successes in range(m + 1):
                ways = math.comb(m, successes)
                moved = (successes * k - m * min(0, k)) * width
                for before, counts in seen.items():
                    total = before + successes
                    if first - left <= total <= last and (left or total in wanted):
                        sums[total] += ways * counts << moved
            seen = sums
        return seen


def conditional_law(
    column: Sequence[int],
    others: Sequence[Sums],
    copies: Sequence[int],
    yes: Sequence[bool],
    *,
    most_points: int = MOST_POINTS,
) -> ConditionalLaw:
    """Return the law of T of a column given the T's of the others."""
    grouped: defaultdict[Sums, Counter[int]] = defaultdict(Counter)
    for k, z, m in zip(column, others, copies, strict=True):
        grouped[z][k] += m
    strata = [_Stratum(z, sorted(c.items()), c.total()) for z, c in sorted(grouped.items())]
    answered = [(k, z, m) for k, z, m, v in zip(column, others, copies, yes, strict=True) if v]
    goal = tuple(sum(m * z[i] for _, z, m in answered) for i in range(len(others[0])))
    observed = sum(m * k for k, _, m in answered)
    halves = _halves(strata, goal, most_points)
    live = _meeting(strata, halves, goal)
    settled = _settled(strata, live)
    if settled:
        return ConditionalLaw({observed: settled}, observed)
    packed, width = _total(strata, live, goal)
    low, size = sum(s.least for s in strata), width // 8
    digits = packed.to_bytes(-(-packed.bit_length() // width) * size, "little")
    numbers = (int.from_bytes(digits[i : i + size], "little") for i in range(0, len(digits), size))
    return ConditionalLaw({low + t: c for t, c in enumerate(numbers) if c}, observed)


def _total(
    strata: Sequence[_Stratum], live: Sequence[Sequence[set[Sums]]], goal: Sums
) -> tuple[int, int]:
    """Return the counts of T - least as the digits of one number, and the bits of a digit."""
    width = -(-(sum(s.size for s in strata) + 1) // 8) * 8
    digits = 1 + sum(s.most - s.least for s in strata)
    kept = max(len(layer) for half in live for layer in half)
    added = sum(m * min(s.size, kept) for s in strata for _, m in s.patterns[1:])
    needed = (16 * kept + added) * digits * (width // 8)  # 16: a product, and room for it
    if needed > MOST_BYTES:
        raise InputError(
            f"its statistic may have {digits:,} support points with each of {kept:,} partial sums "
            f"of the other columns, {needed:,} bytes of counts; the limit is {MOST_BYTES:,}. Round "
            "the column, group its values, or use fewer rows."
        )
    first, second = (
        _counts(part, half, width) for part, half in zip(_parts(strata, live), live, strict=True)
    )
    return sum(counts * second[_less(goal, sums)] for sums, counts in first.items()), width


def _settled(strata: Sequence[_Stratum], live: Sequence[Sequence[set[Sums]]]) -> int:
    """Return the number of y's where the other sums leave one T possible by themselves, else 0."""
    count = 1
    for part, half in zip(_parts(strata, live), live, strict=True):
        for stratum, before, after in zip(part, half, half[1:], strict=False):
            if len(before) > 1 or len(after) > 1:
                return 0
            (old,), (new,) = before, after
            ways = [s for s, sums in _steps(new, stratum) if sums == old]
            if len(ways) > 1 or (len(stratum.patterns) > 1 and 0 < ways[0] < stratum.size):
                return 0
            count *= math.comb(stratum.size, ways[0])
    return count


def _parts(
    strata: Sequence[_Stratum], halves: Sequence[Sequence[set[Sums]]]
) -> tuple[Sequence[_Stratum], Sequence[_Stratum]]:
    """Return the strata of the first half, and those of the second from the end of the list."""
    cut = len(halves[0]) - 1
    return strata[:cut], strata[cut:][::-1]


def _halves(
    strata: Sequence[_Stratum], goal: Sums, most_points: int
) -> tuple[list[set[Sums]], list[set[Sums]]]:
    """Return the partial sums after 0, 1, ... strata, from the front and from the back."""
    halves = [[{(0,) * len(goal)}], [{(0,) * len(goal)}]]
    low = [sum(s.size * min(0, s.others[i]) for s in strata) for i in range(len(goal))]
    high = [sum(s.size * max(0, s.others[i]) for s in strata) for i in range(len(goal))]
    ends = [low, low[:]], [high, high[:]]
    first, last = 0, len(strata)
    while first < last:
        side = 0 if len(halves[0][-1]) <= len(halves[1][-1]) else 1
        stratum = strata[first] if side == 0 else strata[last - 1]
        first, last = (first + 1, last) if side == 0 else (first, last - 1)
        lo, hi = ends[0][side], ends[1][side]
        for i, z in enumerate(stratum.others):
            lo[i] -= stratum.size * min(0, z)
            hi[i] -= stratum.size * max(0, z)
        box = [(g - b, g - a) for g, a, b in zip(goal, lo, hi, strict=True)]
        layer: set[Sums] = set()
        for sums in halves[side][-1]:
            layer.update(_within(sums, stratum, box))
        halves[side].append(layer)
        points = sum(len(each) for half in halves for each in half)
        if points > most_points:
            raise InputError(
                f"after {first + len(strata) - last:,} of {len(strata):,} patterns of the other "
                f"columns there are {points:,} partial sums; the limit is {most_points:,}. Exact "
                "tests are for few columns of few values: leave out columns or group their values."
            )
    return halves[0], halves[1]


def _within(sums: Sums, stratum: _Stratum, box: Sequence[tuple[int, int]]) -> Iterator[Sums]:
    """Yield sums + s z for s = 0, ..., size where they lie in the box."""
    least, most = 0, stratum.size
    for a, z, (lo, hi) in zip(sums, stratum.others, box, strict=True):
        if z:  # else the sum stays where it was, in the box
            ends = (lo - a, hi - a) if z > 0 else (a - hi, a - lo)
            least, most = max(least, -(-ends[0] // abs(z))), min(most, ends[1] // abs(z))
    for s in range(least, most + 1):
        yield tuple(a + s * z for a, z in zip(sums, stratum.others, strict=True))


def _meeting(
    strata: Sequence[_Stratum], halves: tuple[list[set[Sums]], list[set[Sums]]], goal: Sums
) -> list[list[set[Sums]]]:
    """Return of both halves the partial sums that are part of some way to the goal."""
    ends = {sums for sums in halves[0][-1] if _less(goal, sums) in halves[1][-1]}
    found = []
    for half, part in zip(halves, _parts(strata, halves), strict=True):
        live = [ends]
        for before, stratum in zip(half[-2::-1], reversed(part), strict=True):
            live.append({old for new in live[-1] for _, old in _steps(new, stratum)} & before)
        found.append(live[::-1])
        ends = {_less(goal, sums) for sums in ends}
    return found


def _steps(sums: Sums, stratum: _Stratum) -> Iterator[tuple[int, Sums]]:
    for s in range(stratum.size + 1):
        yield s, tuple(a - s * z for a, z in zip(sums, stratum.others, strict=True))


def _counts(strata: Sequence[_Stratum], layers: Sequence[set[Sums]], width: int) -> dict[Sums, int]:
    """Return the packed counts of every partial sum of the last layer."""
    seen = dict.fromkeys(layers[0], 1)
    for stratum, layer in zip(strata, layers[1:], strict=True):
        steps = {new: [(s, old) for s, old in _steps(new, stratum) if old in seen] for new in layer}
        wanted = {s for pairs in steps.values() for s, _ in pairs}
        own = stratum.packed(wanted, width) if wanted else {}
        seen = {new: sum(own[s] * seen[old] for s, old in pairs) for new, pairs in steps.items()}
    return seen


def _less(goal: Sums, sums: Sums) -> Sums:
    return tuple(g - a for g, a in zip(goal, sums, strict=True))
