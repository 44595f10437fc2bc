"""Multipliers: one certificate for a refusal, a bound on every margin, and a PLA run cut short.

For lambda >= 0, not all zero, and any unit w,  min_n z_n.w <= |sum lambda_n z_n| / sum lambda_n:
the left side is below any weighted mean of the scores, and that mean is the inner product of w with
a vector. If the vector is 0, no line separates (Gordan 1873); otherwise no line has more margin
than its length. A PLA run gives lambda_n = updates on row n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates.statement import unless_odd
from separatrix.data import InputError, Sample
from separatrix.exact.cancelling import Solved
from separatrix.exact.integers import root_above, squared_length
from separatrix.exact.signed_rows import SignedRows
from separatrix.notebook import Summarised, Summary, data_frame, figure, places
from separatrix.scale import Rows, with_constant
from separatrix.scale.opening import checked_table


@dataclass(frozen=True, repr=False)
class Multipliers(Summarised):
    """Positive integers lambda_n on some rows: no line separates, or none has a larger margin.

    Parameters
    ----------
    rows : distinct indices into X
    multipliers : Python integers > 0, one for each row; many are solved for when they are read
    x0 : 1.0 with an intercept, 0.0 without
    squared_bound : claim that no line has a squared margin above it; 0 claims that none separates;
        None claims nothing
    """

    rows: tuple[int, ...]
    multipliers: Sequence[int]
    x0: float = 1.0
    squared_bound: Fraction | None = None

    def _summary(self) -> Summary:
        bound = "no bound is claimed"
        if self.squared_bound is not None:
            bound = f"no squared margin above {figure(float(self.squared_bound))}"
        return Summary(f"{len(self.rows):,} rows; {bound}", [("rows", places(self.rows))])

    def to_frame(self) -> Untyped:
        """Return the rows and their multipliers as a data frame."""
        return data_frame({"row": list(self.rows), "multiplier": list(self.multipliers)})

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether these are multipliers of the rows of X, y and bound what is claimed.

        Raises
        ------
        InputError
            When X, y are no usable sample.
        """
        sample = checked_table(X, y)
        if not self.fits(sample):
            return False
        bound = self.squared_bound
        return bound is None or self.bound_of(SignedRows(with_constant(sample, self.x0))) <= bound

    def refuses(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether sum lambda_n z_n = 0 exactly: then no line separates X, y."""
        sample = checked_table(X, y)
        return self.fits(sample) and self.cancels(SignedRows(with_constant(sample, self.x0)))

    def cancels(self, rows: SignedRows) -> bool:
        """Return what `refuses` does, for rows of any x0."""
        if not self.fits(rows) or self.x0 != rows.x0:
            return False
        few = self.multipliers
        if isinstance(few, Solved) and few.cancel(rows.floats(np.array(self.rows))):
            return True
        return not any(self._combination(rows))

    def margin_bound_squared(self, X: ArrayLike, y: ArrayLike = None) -> Fraction:
        """Return |sum lambda z|^2 / (sum lambda)^2: no line has a squared margin above it.

        Raises
        ------
        InputError
            When these are no multipliers of rows of X.
        """
        sample = checked_table(X, y)
        if not self.fits(sample):
            raise InputError(
                f"these multipliers do not belong to a table of {sample.n} rows: there must be a "
                "positive integer for each of some distinct row indices."
            )
        return self.bound_of(SignedRows(with_constant(sample, self.x0)))

    def bound_of(self, rows: SignedRows) -> Fraction:
        """Return what `margin_bound_squared` does, for rows that fit."""
        total = sum(int(a) for a in self.multipliers)
        return squared_length(self._combination(rows)) / Fraction(total) ** 2

    def margin_bound(self, X: ArrayLike, y: ArrayLike = None) -> float:
        """Return the bound on every margin, rounded up."""
        return root_above(self.margin_bound_squared(X, y))

    @unless_odd(False)
    def fits(self, sample: Sample | Rows | SignedRows) -> bool:
        """Return whether rows and multipliers are what they must be for a table of that size."""
        rows, few = [whole_number(n) for n in self.rows], self.multipliers
        return (
            len(rows) == len(few) > 0
            and len(set(rows)) == len(rows)
            and all(0 <= n < sample.n for n in rows)
            and self.x0 in (0.0, 1.0)
            and (isinstance(few, Solved) or min(map(whole_number, few)) > 0)
        )

    def _combination(self, rows: SignedRows) -> list[Fraction]:
        return rows.combination(self.rows, [int(a) for a in self.multipliers])


def whole_number(a: ArrayLike) -> int:
    """Return a as a Python integer; `TypeError` for anything else, booleans included."""
    if isinstance(a, bool | np.bool_) or not isinstance(a, int | np.integer):
        raise TypeError(f"{a!r} is not an integer")
    return int(a)


def multipliers_of(
    rows: Sequence[int], multipliers: Sequence[int], x0: float, bound: Fraction | None = None
) -> Multipliers:
    pairs = sorted(zip(rows, multipliers, strict=True))
    return Multipliers(tuple(n for n, _ in pairs), tuple(a for _, a in pairs), x0, bound)
