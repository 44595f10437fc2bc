"""Numbers too large or too small to be read: in units of a power of ten, and the axis says so.

matplotlib would put the power at the end of the axis, over whatever is there; and of numbers near
1e308 it takes differences that overflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.data import Floats

ALIKE = 100.0  # columns within this factor have the same units
PLAIN = range(-4, 6)  # exponents of numbers that are read at a glance, and drawn as they are


@dataclass(frozen=True, slots=True)
class Units:
    """Values are drawn as multiples of 10^exponent."""

    exponent: int = 0

    def of(self, values: Floats) -> Floats:
        if self.exponent == 0:
            return values
        half = self.exponent // 2  # 10^300 would be fine, 10^-324 would not
        return np.asarray(values / 10.0**half / 10.0 ** (self.exponent - half))

    def back(self, values: Floats) -> Floats:
        """Return values given in these units as they were."""
        half = self.exponent // 2
        return np.asarray(values * 10.0**half * 10.0 ** (self.exponent - half))

    def of_weight(self, weight: float) -> Fraction:
        """Return the weight that values in these units have."""
        return Fraction(float(weight)) * Fraction(10) ** self.exponent

    def label(self, name: str) -> str:
        return f"{name} (in units of 1e{self.exponent})" if self.exponent else name


ONES = Units()


def in_units(values: Floats) -> Units:
    """Return units in which values (N,) can be drawn: their own, where possible."""
    largest = float(np.abs(values).max(initial=0.0))
    exponent = int(np.floor(np.log10(largest))) if largest > 0.0 else 0
    return Units(0 if exponent in PLAIN else exponent)


def in_units_together(points: Floats, always: bool = False) -> tuple[Units, Units]:
    """Return units for two columns (N, 2): the same, unless they are far apart in size."""
    largest = np.abs(points).max(axis=0)
    if always or largest.max() / ALIKE <= largest.min():
        both = in_units(points.ravel())
        return both, both
    return in_units(points[:, 0]), in_units(points[:, 1])


def line_in_units(weights: Floats, units: tuple[Units, ...]) -> Floats:
    """Return the same line (1+k,) for columns in these units."""
    if not any(unit.exponent for unit in units):
        return weights
    exact = [Fraction(float(weights[0]))]
    exact += [unit.of_weight(w) for unit, w in zip(units, weights[1:], strict=True)]
    largest = max(abs(w) for w in exact) or Fraction(1)
    return np.array([float(w / largest) for w in exact])
