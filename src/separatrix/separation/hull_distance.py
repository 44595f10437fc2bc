"""How far apart the two classes are: the width of the widest empty street between them, in x.

This is what support vector machines maximise: (min over yes rows of u.x) - (max over no rows of
u.x) over directions |u| = 1, which is the distance of the two convex hulls (Vapnik & Chervonenkis
1974). It is *not* twice the margin rho of the mistake bound, which counts the constant 1 as one
more coordinate. Both bounds are exact: the lower one that of a direction found, the upper one the
distance of two points found, one in each hull. Of a long table a few rows are taken first;
all of them are read only to name those that stand in that street, and to measure it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix.certificates.margin import (
    Margin,
    Street,
    classes_of,
    distance_squared,
    part_of,
    width_squared,
)
from separatrix.certificates.multipliers import multipliers_of
from separatrix.data import Sample
from separatrix.exact.integers import Indices, root_below, scaled_floats
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation.constraint_generation import generate_constraints
from separatrix.separation.float_lp import Working
from separatrix.separation.max_margin import TOLERANCE, maximum_margin, rows_to_begin_with

STEPS = (10, 16, 22, 30)  # bits by which the constant exceeds the features, in turn
LONG = 1 << 13  # rows of a table of which a few are taken first
ROUNDS = 30  # in which rows join those few


def street_through_origin(found: Margin) -> Street:
    """Return the widest street whose middle goes through the origin, by the largest margin."""
    return Street(found.weights, 4 * found.rho_squared, 4 * found.bound, found.proof)


def hull_distance(sample: Sample, line: Sequence[Fraction], tolerance: float = TOLERANCE) -> Street:
    """Return the bracket of the street's width, closed to the tolerance unless a limit is met."""
    if sample.n < LONG:
        return _of_all(sample, line, tolerance)
    sides = [np.flatnonzero(sample.y == side) for side in (1.0, -1.0)]
    classes = [part_of(sample, rows) for rows in sides]
    table = SignedRows(sample, 1.0)
    near = rows_to_begin_with(table, line, table.least(line)[1])
    few = Working(np.union1d(near, [rows[0] for rows in sides]))

    def solve() -> tuple[tuple[Street, Indices], Indices]:
        taken = np.sort(few.rows)
        found = _of_all(part_of(sample, taken), line, tolerance / 2)
        inside = [
            rows[_inside(side, part_of(sample, rows[np.isin(rows, taken)]), found, tolerance / 8)]
            for rows, side in zip(sides, classes, strict=True)
        ]
        return (found, taken), few.lacks(np.concatenate(inside))

    found, taken = generate_constraints(solve, few.add, ROUNDS)
    rows = taken[list(found.points.rows)]
    points = multipliers_of(rows.tolist(), found.points.multipliers, 1.0)
    directions = (found.direction, list(line[1:]))
    widths = [width_squared(classes, direction) for direction in directions]
    best = int(widths[1] > widths[0])  # where rounds did not suffice
    return Street(directions[best], widths[best], found.bound, points)


def _inside(side: Sample, few: Sample, found: Street, slack: float) -> Indices:
    """Return rows of a class that stand in a street found from a few of them, as floats see it."""
    direction = scaled_floats(found.direction)
    length = float(np.linalg.norm(direction))
    if not length > 0.0:
        return np.zeros(0, dtype=np.int64)
    w = np.append(0.0, direction / length)
    _, worst, least = SignedRows(side, 0.0).scan(w)
    level = SignedRows(few, 0.0).scan(w)[2].min() - slack * root_below(found.width_squared)
    inside: Indices = worst[least < level]
    return inside


def _of_all(sample: Sample, line: Sequence[Fraction], tolerance: float) -> Street:
    """Do so with all rows at once."""
    classes = classes_of(sample)
    largest = float(np.abs(sample.X.data if sp.issparse(sample.X) else sample.X).max())
    direction = list(line[1:])
    first = multipliers_of([int(np.argmax(sample.y == side)) for side in (1.0, -1.0)], [1, 1], 1.0)
    apart = distance_squared(sample, first.rows, first.multipliers)
    best = Street(direction, width_squared(classes, direction), apart, first)
    for bits in STEPS:
        exponent = int(np.frexp(largest)[1]) + bits
        if exponent > 1000:
            break
        constant = float(np.ldexp(1.0, exponent))
        tall = replace(sample, X=_with_constant(sample, constant))
        high = [*line[1:], line[0] / Fraction(constant)]
        found = maximum_margin(SignedRows(tall, 0.0), high, tolerance / 4)
        direction = found.weights[:-1]
        width = width_squared(classes, direction)
        points = replace(found.proof, x0=1.0, squared_bound=None)
        bound = distance_squared(sample, points.rows, points.multipliers)
        if width > best.width_squared:
            best = replace(best, direction=direction, width_squared=width)
        if bound < best.bound:
            best = replace(best, bound=bound, points=points)
        if best.closes(tolerance):
            break
    return best


def _with_constant(sample: Sample, constant: float) -> np.ndarray | sp.csr_array:
    column = np.full((sample.n, 1), constant)
    if sp.issparse(sample.X):
        return sp.csr_array(sp.hstack([sample.X, sp.csr_array(column)]))
    return np.hstack([sample.X, column])
