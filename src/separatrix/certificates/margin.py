"""The largest margin of any line, between a line that has almost all of it and a proof of the rest.

The margin of a line w is min_n z_n.w / |w|. Multipliers bound it from above (`multipliers.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.statement import Claim, unless_odd, with_multipliers
from separatrix.data import Sample, read_arrays
from separatrix.exact.integers import fractions_of, squared_length
from separatrix.exact.signed_rows import SignedRows
from separatrix.notebook import Summarised, Summary, figure
from separatrix.scale import with_constant
from separatrix.scale.opening import checked_table


@dataclass(frozen=True, repr=False)
class Margin(Summarised):
    """A line that separates and multipliers, between which the largest margin lies."""

    # (D,) exact weights of the line, w_0 first; without an intercept there is no w_0
    weights: list[Fraction]
    rho_squared: Fraction  # its squared margin
    proof: Multipliers  # multipliers; no line has a squared margin above proof.squared_bound

    def _summary(self) -> Summary:
        least, most = (float(value) ** 0.5 for value in (self.rho_squared, self.bound))
        return Summary(f"at least {figure(least)}", [("no line has more than", figure(most))])

    @property
    def bound(self) -> Fraction:
        """No line has a larger squared margin."""
        assert self.proof.squared_bound is not None  # noqa: S101  # always claimed here
        return self.proof.squared_bound

    def closes(self, tolerance: float) -> bool:
        """Return whether upper <= (1 + tolerance) lower."""
        return self.bound <= self.rho_squared * Fraction(1 + tolerance) ** 2

    def claim(self) -> Claim:
        """Return what a proof file says of it: no line has much more margin than this one."""
        return {
            "kind": "margin at most",
            **with_multipliers(self.proof.rows, self.proof.multipliers),
        }

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether both bounds hold, recomputed in exact arithmetic."""
        table, proof, weights = checked_table(X, y), self.proof, fractions_of(self.weights)
        if not proof.fits(table):
            return False
        rows = SignedRows(with_constant(table, float(proof.x0)))
        return (
            proof.squared_bound is not None
            and proof.squared_bound >= proof.bound_of(rows)
            and len(weights) == rows.width
            and 0 < self.rho_squared == squared_margin(rows.least(weights)[0], weights)
        )


def squared_margin(least: Fraction, weights: Sequence[Fraction]) -> Fraction:
    """Return the squared margin of a line whose least score is this; 0 if it does not separate."""
    return least**2 / squared_length(weights) if least > 0 else Fraction(0)


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

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether the street is empty and no other is wider, in exact arithmetic."""
        sample = read_arrays(X, y)
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
        return 0 < width == self.width_squared and self.bound >= 4 * points.margin_bound_squared(
            sample
        )


def classes_of(sample: Sample) -> list[Sample]:
    """Return the yes rows and the no rows."""
    return [sample.at(sample.y == side) for side in (1.0, -1.0)]


def width_squared(classes: Sequence[Sample], direction: Sequence[Fraction]) -> Fraction:
    """Return the squared width of the empty street across a direction; 0 where rows lie in it."""
    width = sum(
        (SignedRows(with_constant(side, 0.0)).least(direction)[0] for side in classes), Fraction(0)
    )
    return width**2 / squared_length(direction) if width > 0 and any(direction) else Fraction(0)


def distance_squared(sample: Sample, rows: Sequence[int], multipliers: Sequence[int]) -> Fraction:
    """Return |p - q|^2 for p = sum lambda x / sum lambda over yes rows, q likewise over no rows."""
    of_yes = (sample.y[np.array(rows, dtype=np.int64)] > 0.0).tolist()
    whole = [int(a) for a in multipliers]
    yes = sum(a for a, is_yes in zip(whole, of_yes, strict=True) if is_yes)
    no = sum(whole) - yes
    shares = [a * (no if is_yes else yes) for a, is_yes in zip(whole, of_yes, strict=True)]
    difference = SignedRows(with_constant(sample, 0.0)).combination(rows, shares)
    return squared_length(difference) / Fraction(yes * no) ** 2
