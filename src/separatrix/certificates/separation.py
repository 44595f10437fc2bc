"""The certificate that a line separates, and what follows from it: margin and mistake bound.

With rho = min_n z_n.w / |w| and R = max_n |z_n| (both with the constant counted), PLA makes at most
floor(R^2 / rho^2) updates from w = 0 (Novikoff 1962). For doubles, rho^2 and R^2 are rationals.
From v_0 != 0 (in units of the learning rate) with a = w.v_0 / |w| it makes at most

    [R^2 - 2 rho a + sqrt((R^2 - 2 rho a)^2 + 4 rho^2 (|v_0|^2 - a^2))] / (2 rho^2):

`verify.most_updates` says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike
from separatrix.data import InputError
from separatrix.exact.integers import Floats, fractions_of, squared_length
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import with_constant
from separatrix.scale.opening import checked_table
from separatrix.verify import most_updates


@dataclass(frozen=True, eq=False)
class Separation:
    """The claim that a line separates: z_n.w > 0 for every row, z_n = y_n (1, x_n).

    Parameters
    ----------
    weights : (1+d,), w_0 first: doubles or Fractions, taken as the rationals they are
    x0 : 1.0 with an intercept, 0.0 without (w_0 then has no effect and counts for nothing)
    """

    weights: Floats | Sequence[Fraction]
    x0: float = 1.0

    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether the line has every row strictly on its right side, exactly.

        Raises
        ------
        InputError
            When X, y are no usable sample.
        """
        sample = checked_table(X, y)
        exact = exact_weights(self.weights, sample.d, self.x0)
        return exact is not None and SignedRows(with_constant(sample, self.x0)).separated_by(exact)

    def rho_squared(self, X: ArrayLike, y: ArrayLike = None) -> Fraction:
        """Return (min_n z_n.w)^2 / |w|^2; `InputError` when the line does not separate."""
        sample = checked_table(X, y)
        exact = exact_weights(self.weights, sample.d, self.x0)
        if exact is None:
            raise InputError(
                f"w must hold {sample.d + 1} finite numbers, w_0 first, for a table of {sample.d} "
                "features."
            )
        least, _ = SignedRows(with_constant(sample, self.x0)).least(exact)
        if least <= 0:
            raise InputError(
                "w does not separate these data: some row has a score of zero or is on the wrong "
                "side, so there is no margin and no mistake bound. separability(X, y) finds a line "
                "that separates, if there is one."
            )
        return least**2 / squared_length(exact)

    def radius_squared(self, X: ArrayLike, y: ArrayLike) -> Fraction:
        """Return max_n |z_n|^2."""
        return SignedRows(with_constant(checked_table(X, y), self.x0)).longest

    def mistake_bound(self, X: ArrayLike, y: ArrayLike, start: ArrayLike = None) -> int:
        """Return PLA's most updates from zero, or from v_0 = w_0 / eta (1+d,); exact.

        `InputError` when the line does not separate.
        """
        sample = checked_table(X, y)
        rho_squared = self.rho_squared(sample)
        rows = SignedRows(with_constant(sample, self.x0))
        radius_squared = rows.longest
        if start is None:
            return math.floor(radius_squared / rho_squared)
        weights = exact_weights(self.weights, sample.d, self.x0)
        v_0 = exact_weights(start, sample.d, self.x0)
        if weights is None or v_0 is None:
            raise InputError(f"a start must hold {sample.d + 1} finite numbers, w_0 first.")
        return most_updates(weights, rows.least(weights)[0], radius_squared, v_0)


def mistake_bound(X: ArrayLike, y: ArrayLike, w: ArrayLike, start: ArrayLike = None) -> int:
    """Return floor(R^2 / rho^2), exact: PLA from zero makes at most this many updates.

    Parameters
    ----------
    X, y : a table (N, d) and its N labels
    w : (1+d,) weights of a line that separates them, w_0 first
    start : (1+d,) w_0 / learning_rate when PLA starts elsewhere; None for zero

    Raises
    ------
    InputError
        When w does not separate, or X, y are no usable sample.

    Examples
    --------
    >>> mistake_bound([[0.0, 0.0], [1.0, 1.0]], [-1, 1], [-1.0, 1.0, 1.0])
    9
    """
    return Separation(w).mistake_bound(X, y, start)


def exact_weights(weights: ArrayLike, d: int, x0: float) -> list[Fraction] | None:
    """Return the weights that count as rationals, or None when they do not fit d features."""
    try:
        if x0 not in (0.0, 1.0) or np.ndim(weights) != 1 or len(weights) != d + 1:
            return None
        exact = fractions_of(weights)
    except (TypeError, ValueError, OverflowError):
        return None
    return exact if x0 else exact[1:]
