"""The claim of the fewest mistakes: a line, their exact weight, and why no line makes fewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import ArrayLike
from separatrix.certificates.statement import doubles, unless_odd
from separatrix.data import InputError, Sample, read_arrays
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    dyadic,
    fractions_of,
)
from separatrix.exact.signed_rows import SignedRows, doubles_of
from separatrix.kernels.exact import signed_scores
from separatrix.notebook import Summarised, Summary, figure
from separatrix.verify import CannotCheck, Refuted, mistakes_shown


@dataclass(frozen=True, eq=False, repr=False)
class FewestMistakes(Summarised):
    """The claim that a line makes mistakes of weight `upper`, and no line less than `lower`.

    Parameters
    ----------
    weights : (1+d,) w_0 first: doubles, or Fractions where doubles make more mistakes
    lower, upper : sums of row weights, exact
    proof : of the lower bound: nested lists of integers, which `verify.mistakes_shown` reads
    cost_wrong_yes, cost_wrong_no : factors of the row weights
    x0 : 1.0 with an intercept, 0.0 without
    unit : what the proof counts weights in, rounded down
    """

    weights: Floats | Sequence[Fraction]
    lower: Fraction
    upper: Fraction
    proof: list[Any] = field(repr=False)
    cost_wrong_yes: float
    cost_wrong_no: float
    x0: float
    unit: Fraction

    def _summary(self) -> Summary:
        lower, upper = figure(float(self.lower)), figure(float(self.upper))
        return Summary(
            f"any line makes at least {lower} mistakes",
            [("this line makes", upper), ("costs", f"{self.cost_wrong_yes:g} for a wrong yes, "
              f"{self.cost_wrong_no:g} for a wrong no")],
        )  # fmt: skip

    def verify(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> bool:
        """Return whether both bounds hold for these rows, in whole numbers only.

        Raises
        ------
        InputError
            When X, y, sample_weight cannot be used.
        """
        return self._holds(read_arrays(X, y, sample_weight))

    @unless_odd(False)
    def _holds(self, sample: Sample) -> bool:
        costs = [self.cost_wrong_yes, self.cost_wrong_no]
        if self.x0 not in (0.0, 1.0) or min(fractions_of(costs)) <= 0:
            return False
        tally = Tally(sample, float(self.x0), *doubles(costs, 2).tolist())
        if not self._line_holds(tally):
            return False
        units = tally.units
        if units.unit != self.unit:
            units = unrounded_weights(tally.weight)
        try:
            shown = mistakes_shown(
                _whole_rows(tally.rows), units.whole.tolist(), self.proof, width=tally.rows.width
            )
        except (Refuted, CannotCheck):
            return False
        return units.unit == self.unit and self.lower <= shown * units.unit

    def _line_holds(self, tally: Tally) -> bool:
        """Return whether the mistakes of the line weigh `upper`."""
        if len(self.weights) != tally.sample.d + 1:
            return False
        exact = fractions_of(self.weights)
        floats = doubles_of(exact)
        return tally.mistakes(exact if floats is None else floats) == self.upper


def _whole_rows(rows: SignedRows) -> list[IntegerRow] | list[dict[int, int]]:
    """Return all integer rows; of a sparse table by the places of their numbers."""
    if sp.issparse(rows.sample.X) and rows.sparse is not None:
        return [dict(rows.sparse.row(n)) for n in range(rows.n)]
    return rows.integers(np.arange(rows.n))


class Tally:
    """Weighs mistakes exactly."""

    def __init__(self, sample: Sample, x0: float, wrong_yes: float, wrong_no: float) -> None:
        self.sample, self.rows = sample, SignedRows(sample, x0)
        self.weight = sample.weight * np.where(sample.y > 0, wrong_no, wrong_yes)
        vanished = (self.weight == 0.0) & (sample.weight != 0.0)
        if not np.isfinite(self.weight).all() or vanished.any() or not self.weight.any():
            raise InputError("sample_weight times cost leaves float64's range: scale the costs.")
        self.units = whole_weights(self.weight)

    def mistakes(self, line: Floats | Sequence[Fraction]) -> Fraction:
        """Return the weight of mistakes of a line (1+d,), every sign exact."""
        wrong = self._wrong(line)
        if self.units.exact:
            return int(self.units.whole[wrong].sum()) * self.units.unit
        return sum((Fraction(w) for w in self.weight[wrong].tolist()), Fraction(0))

    def _wrong(self, line: Floats | Sequence[Fraction]) -> NDArray[np.bool_]:
        """Return (N,) the rows with z_n.w <= 0, every sign exact."""
        sample = self.sample
        if isinstance(line, np.ndarray):
            scores = signed_scores(sample.rows, sample.n, line, self.rows.x0)
            return np.asarray(sample.y * scores <= 0.0)
        return np.asarray(self.rows.signs(self.rows.columns_of(line)) <= 0)


@dataclass(frozen=True, eq=False)
class Weights:
    """Row weights as whole multiples of a unit."""

    # (N,) int64, or integers of any size; weight = whole * unit, rounded down unless `exact`
    whole: Indices
    unit: Fraction  # the multiple
    exact: bool  # whether nothing was rounded


def whole_weights(weight: Floats) -> Weights:
    """Return weights (N,), not all zero, as whole multiples of the largest unit that fits."""
    mantissa, exponent = dyadic(weight)
    lowest = int(exponent[mantissa != 0].min())
    highest = int((np.frexp(weight)[1])[mantissa != 0].max())
    excess = highest - lowest + (weight.size - 1).bit_length() - 61
    if excess <= 0:
        return _multiples(mantissa, exponent)
    unit = lowest + excess
    whole = np.floor(np.ldexp(weight, -unit)).astype(np.int64)
    return Weights(whole, Fraction(2) ** unit, exact=False)


def unrounded_weights(weight: Floats) -> Weights:
    """Return weights (N,), not all zero, as whole multiples of a unit, however far apart."""
    mantissa, exponent = dyadic(weight)
    return _multiples(mantissa.astype(object), exponent.astype(object))


def _multiples(mantissa: Indices, exponent: Indices) -> Weights:
    """Return mantissa * 2^exponent (N,) as whole multiples of the largest unit that divides all."""
    lowest = int(exponent[mantissa != 0].min())
    whole = mantissa << np.where(mantissa == 0, 0, exponent - lowest)
    divisor = int(np.gcd.reduce(whole))
    return Weights(whole // divisor, divisor * Fraction(2) ** lowest, exact=True)
