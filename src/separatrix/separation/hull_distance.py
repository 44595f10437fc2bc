"""How far apart the two classes are: the width of the widest empty street between them, in x.

This is what support vector machines maximise: (min over yes rows of u.x) - (max over no rows of
u.x) over directions |u| = 1, which is the distance of the two convex hulls (Vapnik & Chervonenkis
1974). It is *not* twice the margin rho of the mistake bound, which counts the constant 1 as one
more coordinate. Both bounds are exact: the lower one that of a direction found, the upper one the
distance of two points found, one in each hull. Of a long table a few rows are asked first; all of
them are read only to name those that stand in that street, and to measure it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix.data import Sample
from separatrix.exact.integers import Indices, root_below, scaled_floats
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation.max_margin import TOLERANCE, rows_to_begin_with, widest

STEPS = (10, 16, 22, 30)  # bits by which the constant exceeds the features, in turn
LONG = 1 << 13  # rows of a table of which a few are asked first
ROUNDS = 30  # in which rows join those few


@dataclass(frozen=True)
class Street:
    """A direction and two points between which the widest street lies.

    Parameters
    ----------
    direction : (d,) exact; the street lies across it
    width_squared : of the empty street across it, exactly
    bound : the squared distance of a point of each hull: no street is wider
    """

    direction: list[Fraction]
    width_squared: Fraction
    bound: Fraction

    def closes(self, tolerance: float) -> bool:
        """Return whether upper <= (1 + tolerance) lower."""
        return self.bound <= self.width_squared * Fraction(1 + tolerance) ** 2


def widest_street(sample: Sample, line: Sequence[Fraction], tolerance: float = TOLERANCE) -> Street:
    """Return the bracket of the street's width, closed to the tolerance unless a limit is met.

    Parameters
    ----------
    line : (1+d,) weights that separate, w_0 first
    """
    if sample.n < LONG:
        return _of_all(sample, line, tolerance)
    sides = [np.flatnonzero(sample.y == sign) for sign in (1.0, -1.0)]
    classes = [_part(sample, rows) for rows in sides]
    table = SignedRows(sample, 1.0)
    asked = rows_to_begin_with(table, line, table.least(line)[1])
    asked = np.union1d(asked, [rows[0] for rows in sides])
    for _ in range(ROUNDS):
        found = _of_all(_part(sample, asked), line, tolerance / 2)
        inside = [
            rows[_inside(side, _part(sample, rows[np.isin(rows, asked)]), found, tolerance / 8)]
            for rows, side in zip(sides, classes, strict=True)
        ]
        more = np.setdiff1d(np.concatenate(inside), asked)
        if more.size == 0:
            break
        asked = np.union1d(asked, more)
    directions = (found.direction, list(line[1:]))
    widths = [_width_squared(classes, direction) for direction in directions]
    best = int(widths[1] > widths[0])  # where rounds did not suffice
    return replace(found, direction=directions[best], width_squared=widths[best])


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
    """Do so with all rows at once.

    The larger the constant beside the features, the less its weight counts in the length of w: the
    line of largest margin tends to the middle of the street, and its multipliers to two points.
    """
    classes = [_part(sample, np.flatnonzero(sample.y == sign)) for sign in (1.0, -1.0)]
    largest = float(np.abs(sample.X.data if sp.issparse(sample.X) else sample.X).max())
    direction = list(line[1:])
    best = Street(direction, _width_squared(classes, direction), _centres_apart(sample))
    for bits in STEPS:
        exponent = int(np.frexp(largest)[1]) + bits
        if exponent > 1000:
            break
        constant = float(np.ldexp(1.0, exponent))
        tall = replace(sample, X=_with_constant(sample, constant))
        found = widest(
            SignedRows(tall, 0.0), [*line[1:], line[0] / Fraction(constant)], tolerance / 4
        )
        direction = found.weights[:-1]
        width = _width_squared(classes, direction)
        bound = _distance_squared(sample, found.proof.rows, found.proof.multipliers)
        if width > best.width_squared:
            best = replace(best, direction=direction, width_squared=width)
        best = replace(best, bound=min(best.bound, bound))
        if best.closes(tolerance):
            break
    return best


def _with_constant(sample: Sample, constant: float) -> np.ndarray | sp.csr_array:
    column = np.full((sample.n, 1), constant)
    if sp.issparse(sample.X):
        return sp.csr_array(sp.hstack([sample.X, sp.csr_array(column)]))
    return np.hstack([sample.X, column])


def _width_squared(classes: Sequence[Sample], direction: Sequence[Fraction]) -> Fraction:
    """Return the squared width of the empty street across a direction; 0 where there is none."""
    width = sum((SignedRows(side, 0.0).least(direction)[0] for side in classes), Fraction(0))
    length_squared = sum((a * a for a in direction), Fraction(0))
    return width**2 / length_squared if width > 0 and length_squared else Fraction(0)


def _part(sample: Sample, rows: Indices) -> Sample:
    return replace(sample, X=sample.X[rows], y=sample.y[rows], weight=sample.weight[rows])


def _centres_apart(sample: Sample) -> Fraction:
    """Return the squared distance of the first yes row and the first no row: a bound to begin."""
    first = [int(np.argmax(sample.y == sign)) for sign in (1.0, -1.0)]
    return _distance_squared(sample, first, [1, 1])


def _distance_squared(sample: Sample, rows: Sequence[int], multipliers: Sequence[int]) -> Fraction:
    """Return |p - q|^2 for p = sum lambda x / sum lambda over yes rows, q likewise over no rows.

    Parameters
    ----------
    rows : of both classes
    multipliers : > 0
    """
    of_yes = sample.y[np.array(rows, dtype=np.int64)] > 0.0
    total = [
        sum(int(a) for a, yes in zip(multipliers, of_yes, strict=True) if yes == side)
        for side in (True, False)
    ]
    shares = [
        int(a) * (total[1] if yes else total[0]) for a, yes in zip(multipliers, of_yes, strict=True)
    ]
    difference = SignedRows(sample, 0.0).combination(rows, shares)
    scale = Fraction(total[0] * total[1]) ** 2
    return sum((a * a for a in difference), Fraction(0)) / scale
