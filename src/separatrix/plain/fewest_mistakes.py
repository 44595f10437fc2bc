"""The fewest mistakes of any line, from the definition: by going through all lines that matter.

Turn and shift a line without crossing a row until it lies on as many rows as it can. So only lines
through rows matter. The rows on such a line are then a smaller question of the same kind: the line
may be turned a little about them, either way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from separatrix.plain.elimination import null_space
from separatrix.plain.score import Labels, Number, Row, Rows

Vector = tuple[int, ...]


def in_the_plane(points: Rows, y: Labels) -> int:
    """Return the fewest mistakes of any line on points (x_1, x_2); a point on it is a mistake."""
    best = min(y.count(1), y.count(-1))  # a line far away from all
    at = [(Fraction(a), Fraction(b)) for a, b in points]
    for (p1, p2), (q1, q2) in combinations(sorted(set(at)), 2):
        d1, d2 = q1 - p1, q2 - p2
        side = [d1 * (b - p2) - d2 * (a - p1) for a, b in at]
        along = [d1 * a + d2 * b for a, b in at]
        on_it = [(along[n], y[n]) for n in range(len(y)) if side[n] == 0]
        for sign in (1, -1):
            wrong = sum(1 for n in range(len(y)) if sign * side[n] * y[n] < 0)
            best = min(best, wrong + on_an_axis(on_it))
    return best


def on_an_axis(labelled: Sequence[tuple[Number, int]]) -> int:
    """Return the fewest mistakes when the rows lie on one axis: cut it at one place, either way."""
    best = len(labelled)
    for cut in [-math.inf, *(place for place, _ in labelled)]:
        wrong = sum(1 for place, label in labelled if (1 if place > cut else -1) != label)
        best = min(best, wrong, len(labelled) - wrong)
    return best


def fewest_mistakes(Z: Rows, weights: Row) -> Number:
    """Return the least weight of {n : z_n.w <= 0} over all w, z_n = y_n x_n, in any dimension."""
    return _fewest(tuple(whole(z) for z in Z), tuple(weights))


@lru_cache(maxsize=100_000)
def _fewest(Z: tuple[Vector, ...], weights: tuple[Number, ...]) -> Number:
    zero = sum(a for z, a in zip(Z, weights, strict=True) if not any(z))  # 0.w > 0 for no w
    kept = [(z, a) for z, a in zip(Z, weights, strict=True) if any(z)]
    if not kept:
        return zero
    _, pivots = null_space([z for z, _ in kept], len(Z[0]))
    kept = [(tuple(z[p] for p in pivots), a) for z, a in kept]  # columns that say something
    best: Number = math.inf
    seen = set[Vector]()
    for some in combinations([z for z, _ in kept], len(pivots) - 1):
        edges, _ = null_space(some, len(pivots))
        if len(edges) > 1 or whole(edges[0]) in seen:
            continue
        edge = whole(edges[0])
        seen.add(edge)
        for sign in (1, -1):
            scores = [sign * sum(a * b for a, b in zip(z, edge, strict=True)) for z, _ in kept]
            wrong: Number = sum(a for (_, a), s in zip(kept, scores, strict=True) if s < 0)
            flat = [row for row, s in zip(kept, scores, strict=True) if s == 0]
            if flat and wrong < best:
                wrong += _fewest(tuple(z for z, _ in flat), tuple(a for _, a in flat))
            best = min(best, wrong)
    return zero + best


def whole(v: Row) -> Vector:
    """Return v times the positive number that makes it integers without a common divisor."""
    exact = [Fraction(a) for a in v]
    below = math.lcm(*(a.denominator for a in exact))
    integers = [int(a * below) for a in exact]
    divisor = math.gcd(*integers) or 1
    return tuple(a // divisor for a in integers)
