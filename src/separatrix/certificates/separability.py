"""The claim that rows can be separated, or touch, or overlap, with its witness.

With z_n = y_n (1, x_n), N rows of rank r (Albert & Anderson 1984):

- *separable*: some w has Zw > 0; the witness is w.
- *touching* (quasi-complete separation): none has, but some w has Zw >= 0, Zw != 0; the witness is
  such a w with the most rows positive, and lambda > 0 on rows with sum lambda_n z_n = 0 that span
  all rows on which w is zero.
- *overlapping*: Zw >= 0 only where Zw = 0; the witness is lambda > 0 on rows of the whole rank r
  with sum lambda_n z_n = 0.

Doubles are taken as the rationals they are, and no solver takes part in the check.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.divergence import diverging
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.statement import (
    Claim,
    hexadecimals,
    null_space,
    unless_odd,
    with_multipliers,
)
from separatrix.data import InputError, Sample
from separatrix.exact.integers import Floats, Indices, fractions_of, root_above, squared_length
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import Rows, with_constant
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


@dataclass(frozen=True, eq=False)
class Witness:
    """Rows that a positive combination cancels: sum multipliers[i] z_rows[i] = 0."""

    rows: Indices  # (m,) indices into X, ascending
    multipliers: Sequence[int]  # m Python integers > 0; many are solved for when read


@dataclass(frozen=True, eq=False)
class SeparabilityClaim:
    """A verdict with its witness."""

    verdict: str  # "separable", "touching", "overlapping" or "undecided"
    separable: bool | None  # True, False, or None when undecided
    # (1+d,) exact weights of the line on which the verdict rests, w_0 first; None unless separable
    # or touching. Without an intercept w_0 is 0.
    line: tuple[Fraction, ...] | None
    witness: Witness  # rows and multipliers; empty when separable or undecided
    # a refusal on at most rank + 1 rows; None unless touching or overlapping
    refusal: Multipliers | None
    rank: int  # r, exact
    aliased: tuple[int, ...]  # indices of collinear columns: w_j != 0 for some w with Zw = 0
    # indices in (1+d,) of the coefficients without a finite optimum, aliased ones not among them;
    # empty when overlapping or undecided
    divergent: tuple[int, ...]
    radius: float  # radius, radius_squared: R = max_n |z_n|, rounded up, and its square, exact
    radius_squared: Fraction
    reason: str  # which limit was met; "" unless undecided
    x0: float  # 1.0 with an intercept, 0.0 without

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether everything claimed holds for X, y, recomputed in exact arithmetic.

        That is the parameters above, recomputed without any solver; an undecided result claims no
        line and no refusal. Margin, street and directions are claims of their own, each with a
        `verify` of its own.
        """
        table = checked_table(X, y)
        if self.x0 not in (0.0, 1.0) or self.verdict not in VERDICTS:
            return False
        rows = SignedRows(with_constant(table, float(self.x0)))
        return self._common(rows) and VERDICTS[self.verdict](self, rows)

    @property
    def exact_weights(self) -> tuple[Fraction, ...] | None:
        """(1+d,) weights, w_0 first, of the line that is claimed."""
        return self.line

    def claim(self, sample: Sample | Rows) -> list[Claim]:
        """Return what a proof file says of it, for its sample; nothing where it is undecided."""
        if self.verdict == "undecided":
            return []
        weights = {"weights": hexadecimals(self.exact_weights)}
        if self.verdict == "separable":
            return [{"kind": "separable", **weights}]
        few = self.refusal
        refused = {} if few is None else with_multipliers(few.rows, few.multipliers)
        if self.verdict == "touching":
            return [{"kind": "touching", **weights, **refused}]
        rows = self.witness.rows.tolist()
        spanning = {
            "kind": "overlapping",
            "null_space": null_space(sample, rows),
            **with_multipliers(rows, self.witness.multipliers),
        }
        if few is None or len(few.rows) == len(rows):
            return [spanning]
        return [{"kind": "not separable", **refused}, spanning]

    def witness_holds(self, rows: SignedRows) -> bool:
        """Return whether the line separates, or the refusal cancels: one read of the table."""
        if self.verdict == "separable":
            line = self._exact_line(rows)
            return line is not None and rows.separated_by(line)
        if self.refusal is None:
            return self.verdict == "undecided"
        return self.refusal.cancels(rows)

    def _common(self, rows: SignedRows) -> bool:
        """Return whether radius, rank and aliased columns are right."""
        return (
            self.radius_squared == rows.longest
            and self.radius == root_above(rows.longest)
            and self.rank == rows.rank
            and tuple(self.aliased) == rows.aliased
            and (self.verdict == "undecided") == bool(self.reason)
        )

    def _separable(self, rows: SignedRows) -> bool:
        return (
            self.separable is True
            and self.witness_holds(rows)
            and self.refusal is None
            and self._no_witness()
            and set(self.divergent) == set(range(rows.index(0), rows.d + 1)) - set(rows.aliased)
        )

    def _touching(self, rows: SignedRows) -> bool:
        line, support = self._exact_line(rows), self.witness.rows.tolist()
        if line is None or not self._refused(rows):
            return False
        found = diverging(rows, line, support)
        return found is not None and found[0] and set(self.divergent) == found[1]

    def _overlapping(self, rows: SignedRows) -> bool:
        return (
            self.line is None
            and not self.divergent
            and self._refused(rows)
            and rows.rank_of(self.witness.rows) == self.rank
        )

    def _undecided(self, _: SignedRows) -> bool:
        return (
            self.separable is None
            and self.line is None
            and self.refusal is None
            and not self.divergent
            and self._no_witness()
        )

    def _exact_line(self, rows: SignedRows) -> list[Fraction] | None:
        """Return the exact weights (D,) of the line when they fit the table."""
        if self.line is None:
            return None
        exact = exact_weights(self.line, rows.d, rows.x0)
        return exact if rows.x0 or self.line[0] == 0 else None

    def _no_witness(self) -> bool:
        return len(self.witness.rows) == len(self.witness.multipliers) == 0

    def _refused(self, rows: SignedRows) -> bool:
        """Return whether witness and refusal cancel exactly."""
        witness = Multipliers(tuple(self.witness.rows.tolist()), self.witness.multipliers, rows.x0)
        few = self.refusal
        return (
            self.separable is False
            and few is not None
            and few.x0 == rows.x0
            and few.squared_bound == 0
            and len(few.rows) <= self.rank + 1
            and all(m.cancels(rows) for m in (witness, few))
        )


VERDICTS = {
    "separable": SeparabilityClaim._separable,  # of this file
    "touching": SeparabilityClaim._touching,
    "overlapping": SeparabilityClaim._overlapping,
    "undecided": SeparabilityClaim._undecided,
}
