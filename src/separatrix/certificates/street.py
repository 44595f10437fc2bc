"""The widest empty street between two classes in x: an empty one, and two points it lies between.

Its width is the distance of the two convex hulls (Vapnik & Chervonenkis 1974): no street is wider
than the distance of a point of one hull and a point of the other. Without an intercept its middle
goes through the origin, and it is twice as wide as the largest margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.fields import unless_odd
from separatrix.certificates.multipliers import Multipliers
from separatrix.data import Sample, read_arrays
from separatrix.exact.integers import Indices, fractions_of, squared_length
from separatrix.exact.signed_rows import SignedRows


@dataclass(frozen=True)
class Street:
    """An empty street and two points between which the widest one lies."""

    direction: list[Fraction]  # (d,) exact; the street lies across it
    width_squared: Fraction  # of the empty street across it, exactly
    bound: Fraction  # no street has a larger squared width
    # multipliers that show it: those of the yes rows weigh one point, of the no rows another
    points: Multipliers

    def closes(self, tolerance: float) -> bool:
        """Return whether upper <= (1 + tolerance) lower."""
        return self.bound <= self.width_squared * Fraction(1 + tolerance) ** 2

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether the street is empty and no other is wider, in exact arithmetic."""
        return self.holds(read_arrays(X, y))

    @unless_odd(False)
    def holds(self, sample: Sample) -> bool:
        """Return what `verify` does, for a sample already checked."""
        points, direction = self.points, fractions_of(self.direction)
        if not points.fits(sample) or len(direction) != sample.d:
            return False
        if points.x0:
            if len(set(sample.y[list(points.rows)].tolist())) < 2:
                return False
            width = width_squared(classes_of(sample), direction)
            return 0 < width == self.width_squared and self.bound >= distance_squared(
                sample, points.rows, points.multipliers
            )
        width = width_squared([sample] * 2, direction)
        return 0 < width == self.width_squared and self.bound >= 4 * points.bound_squared_of(sample)


def part_of(sample: Sample, rows: Indices) -> Sample:
    return replace(sample, X=sample.X[rows], y=sample.y[rows], weight=sample.weight[rows])


def classes_of(sample: Sample) -> list[Sample]:
    """Return the yes rows and the no rows."""
    return [part_of(sample, np.flatnonzero(sample.y == side)) for side in (1.0, -1.0)]


def width_squared(classes: Sequence[Sample], direction: Sequence[Fraction]) -> Fraction:
    """Return the squared width of the empty street across a direction; 0 where rows lie in it."""
    width = sum((SignedRows(side, 0.0).least(direction)[0] for side in classes), Fraction(0))
    return width**2 / squared_length(direction) if width > 0 and any(direction) else Fraction(0)


def distance_squared(sample: Sample, rows: Sequence[int], multipliers: Sequence[int]) -> Fraction:
    """Return |p - q|^2 for p = sum lambda x / sum lambda over yes rows, q likewise over no rows."""
    of_yes = (sample.y[np.array(rows, dtype=np.int64)] > 0.0).tolist()
    whole = [int(a) for a in multipliers]
    yes = sum(a for a, is_yes in zip(whole, of_yes, strict=True) if is_yes)
    no = sum(whole) - yes
    shares = [a * (no if is_yes else yes) for a, is_yes in zip(whole, of_yes, strict=True)]
    difference = SignedRows(sample, 0.0).combination(rows, shares)
    return squared_length(difference) / Fraction(yes * no) ** 2
