"""Multipliers: one certificate for a refusal, a bound on every margin, and a PLA run cut short.

The margin of a line w is min_n z_n.w / |w|.

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
from separatrix.certificates.statement import Claim, unless_odd, with_multipliers
from separatrix.data import InputError, Sample, read_arrays
from separatrix.exact.cancelling import Solved
from separatrix.exact.integers import fractions_of, root_above, squared_length
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
