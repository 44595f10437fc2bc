"""The fewest mistakes in two and three dimensions, by a sweep over all cells in whole numbers.

In the plane a line turns once through all critical directions, on which some row has the score 0,
in the order of their angles: O(n log n) (Johnson & Preparata 1978). In space every cell of lines
touches a plane of lines on which one row has the score 0; on it the others are rows in the plane,
and off it, to one side, that row is right: n sweeps, O(n^2 log n).

Rows that are positive multiples of each other are one ray here; of opposite rays one is always
wrong, and what is left counts (`rays_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from flint import fmpz

from separatrix.exact.integers import IntegerRow, dot, primitive, sign

PLACE_BITS = 65
FARTHEST = 1 << 40  # no quotient is that many bits longer, or shorter, than 1

first_of = itemgetter(0)

Ray = tuple[IntegerRow, int]  # a primitive row and its weight > 0
Event = tuple[int, int, int, int]  # a place, b, a and the weight of a ray (a, b)


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
    rays = [
        ([a if up > down else -a for a in ray], abs(up - down))
        for ray, (up, down) in sides.items()
        if up != down
    ]
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
        fewest, where, turn = min(
            (fewest, where, turn), (mistakes, k, 1), (total - mistakes, k, -1)
        )
    return Cell([turn * a for a in _after(critical, where)], fewest)


def _critical(rays: Sequence[Ray]) -> list[tuple[IntegerRow, int]]:
    """Return the critical directions by their angle in [0, pi), and how many more are wrong beyond.

    Those of a ray (a, b) are (-b, a) and (b, -a). The count beyond angle 0 is not needed.
    """
    events = sorted((_place(b, a), b, a, weight) for (a, b), weight in rays if a)
    critical: list[tuple[IntegerRow, int]] = [([1, 0], 0)] if len(events) < len(rays) else []
    for _, near in groupby(events, first_of):
        for _, same in groupby(_in_order(list(near)), first_of):
            beyond = [event for _, event in same]
            _, b, a, _ = beyond[0]
            more = sum(weight if a > 0 else -weight for _, _, a, weight in beyond)
            critical.append(([-b, a] if a > 0 else [b, -a], more))
    return critical


def _place(b: int, a: int) -> int:
    """Return an integer that grows with b / a, and is the same where the first 65 bits are."""
    if not b:
        return 0
    p, q = abs(b), abs(a)
    size = p.bit_length() - q.bit_length()
    shift = PLACE_BITS - size
    first = (p << shift) // q if shift > 0 else p // (q << -shift)
    if first >> PLACE_BITS:  # one bit more
        first, size = first >> 1, size + 1
    place = int(first) + (size + FARTHEST << PLACE_BITS)
    return place if (a > 0) == (b > 0) else -place


def _in_order(events: list[Event]) -> list[tuple[int, Event]]:
    """Return events of one place by their exact angles.

    Quotients of denominators below 2^L are equal or differ by more than 2^-2L.
    """
    if len(events) == 1:
        return [(0, events[0])]
    shift = 2 * max(abs(event[2]).bit_length() for event in events)
    return sorted((((event[1] << shift) // event[2], event) for event in events), key=first_of)


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
    rays = [([fmpz(a) for a in z], weight) for z, weight in rays]  # type: ignore[misc]  # faster
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
