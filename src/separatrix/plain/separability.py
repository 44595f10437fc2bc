"""Is there a line without a mistake? In the plane by separating axes, in general by elimination.

With z_n = y_n x_n the question is whether some w has z_n.w > 0 for every row. If not, some rows
contradict each other: multipliers >= 0, not all 0, with sum_n lambda_n z_n = 0 (Gordan 1873).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from separatrix.plain.score import Labels, Row, Rows

Exact = list[Fraction]


def signed_rows(X: Rows, y: Labels) -> list[Exact]:
    """Return z_n = y_n x_n."""
    return [[y_n * Fraction(a) for a in x] for x, y_n in zip(X, y, strict=True)]


def separable_in_the_plane(yes: Rows, no: Rows) -> bool:
    """Whether a line keeps the points (x_1, x_2) of both labels apart, none of them on it.

    Two convex polygons that do not meet lie apart along the normal of an edge of one of them; where
    all points are on one line, along that line. So the directions between two points, and those at
    right angles to them, are all that need be tried.
    """
    points = [[Fraction(a) for a in x] for x in (*yes, *no)]
    for p, q in combinations(points, 2):
        d1, d2 = q[0] - p[0], q[1] - p[1]
        for a, b in ((d1, d2), (-d2, d1)):
            places = [a * x[0] + b * x[1] for x in points]
            for_yes, for_no = places[: len(yes)], places[len(yes) :]
            if min(for_yes) > max(for_no) or max(for_yes) < min(for_no):
                return True
    return False


class Answer(NamedTuple):
    """A w with z_n.w > 0 for every row, or else the multipliers of a contradiction."""

    line: Exact | None
    multipliers: Exact | None


def separability(Z: Rows) -> Answer:
    """Decide by Fourier and Motzkin: eliminate the last weight from z.w > 0, then the one before.

    Each inequality remembers how it was added up from the rows. What is left in the end is 0 > 0, a
    contradiction, or nothing; then the weights are found from the first to the last. The number of
    inequalities may square in every step: this is for few rows.
    """
    n, width = len(Z), len(Z[0])
    units = [[Fraction(int(i == k)) for k in range(n)] for i in range(n)]
    system = [([Fraction(a) for a in z], unit) for z, unit in zip(Z, units, strict=True)]
    stages = []
    for j in reversed(range(width)):
        stages.append(system)
        up = [row for row in system if row[0][j] > 0]
        down = [row for row in system if row[0][j] < 0]
        system = [row for row in system if row[0][j] == 0]
        for a, from_a in up:
            for b, from_b in down:
                p, q = -b[j], a[j]
                mixed = [p * s + q * t for s, t in zip(a, b, strict=True)]
                size = max(map(abs, mixed)) or Fraction(1)
                source = [(p * s + q * t) / size for s, t in zip(from_a, from_b, strict=True)]
                system.append(([s / size for s in mixed], source))
    if system:
        return Answer(None, system[0][1])
    w = [Fraction(0)] * width
    for j, stage in enumerate(reversed(stages)):
        bounds = [(z[j], -sum(a * b for a, b in zip(z[:j], w, strict=False)) / z[j])
                  for z, _ in stage if z[j] != 0]  # fmt: skip
        above = [bound for a, bound in bounds if a > 0]
        below = [bound for a, bound in bounds if a < 0]
        w[j] = between(max(above, default=None), min(below, default=None))
    return Answer(w, None)


def between(low: Fraction | None, high: Fraction | None) -> Fraction:
    """Return a number above low and below high."""
    if low is not None and high is not None:
        return (low + high) / 2
    return low + 1 if low is not None else high - 1 if high is not None else Fraction(0)


def contradict(Z: Rows, multipliers: Row) -> bool:
    """Whether multipliers >= 0, not all 0, add the rows up to 0: then no line separates them."""
    sums = [sum(m * z[j] for m, z in zip(multipliers, Z, strict=True)) for j in range(len(Z[0]))]
    return min(multipliers) >= 0 and any(multipliers) and not any(sums)
