"""The claim of the fewest mistakes: a line, their exact weight, and why no line makes fewer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.multipliers import whole_number
from separatrix.certificates.statement import Claim, doubles, hexadecimal, unless_odd
from separatrix.data import InputError, Sample, as_rows, read_arrays
from separatrix.exact.integers import (
    Floats,
    Indices,
    column_exponents,
    dyadic,
    fractions_of,
    integer_rows,
    nullspace,
)
from separatrix.exact.signed_block import SHARED, signed
from separatrix.exact.signed_rows import SignedRows, doubles_of
from separatrix.kernels.exact import count_mistakes, signed_scores
from separatrix.notebook import Summarised, Summary, figure
from separatrix.scale import Block, Rows, with_constant
from separatrix.scale.opening import checked_table
from separatrix.tiles import in_threads, n_threads, shares
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

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> bool:
        """Return whether both bounds hold for these rows, in whole numbers only.

        Raises
        ------
        InputError
            When X, y, sample_weight cannot be used.
        """
        sample, costs = read_arrays(X, y, sample_weight), [self.cost_wrong_yes, self.cost_wrong_no]
        if self.x0 not in (0.0, 1.0) or min(fractions_of(costs)) <= 0:
            return False
        tally = Tally(with_constant(sample, float(self.x0)), *doubles(costs, 2).tolist())
        if len(self.weights) != sample.d + 1:
            return False
        exact = fractions_of(self.weights)
        floats = doubles_of(exact)
        if tally.mistakes(exact if floats is None else floats) != self.upper:
            return False
        units = tally.units
        if units.unit != self.unit:
            units = unrounded_weights(tally.weight)
        try:
            rows, whole = _whole_rows(tally.rows), units.whole.tolist()
            shown = mistakes_shown(rows, whole, self.proof, tally.rows.width)
        except (Refuted, CannotCheck):
            return False
        return units.unit == self.unit and self.lower <= shown * units.unit


def _whole_rows(rows: SignedRows) -> list[dict[int, int]]:
    """Return all integer rows by the places of their numbers."""
    if rows.is_sparse and rows.sparse is not None:
        return [dict(rows.sparse.row(n)) for n in range(rows.n)]
    return [{j: a for j, a in enumerate(z) if a} for z in rows.integers(np.arange(rows.n))]


class Tally:
    """Weighs mistakes exactly."""

    def __init__(self, sample: Sample, wrong_yes: float, wrong_no: float) -> None:
        self.sample, self.rows = sample, SignedRows(sample)
        self.weight = sample.weight * np.where(sample.y > 0, wrong_no, wrong_yes)
        vanished = (self.weight == 0.0) & (sample.weight != 0.0)
        if not np.isfinite(self.weight).all() or vanished.any() or not self.weight.any():
            raise InputError("sample_weight times cost leaves float64's range: scale the costs.")
        self.units = whole_weights(self.weight)

    def mistakes(self, line: Floats | Sequence[Fraction]) -> Fraction:
        """Return the weight of mistakes of a line (1+d,), every sign exact."""
        sample = self.sample
        if isinstance(line, np.ndarray):
            scores = signed_scores(sample.rows, sample.n, line, sample.x0)
            wrong = np.asarray(sample.y * scores <= 0.0)
        else:
            wrong = np.asarray(self.rows.signs(self.rows.columns_of(line)) <= 0)
        if self.units.exact:
            return int(self.units.whole[wrong].sum()) * self.units.unit
        return sum((Fraction(w) for w in self.weight[wrong].tolist()), Fraction(0))


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


Core = tuple[Fraction, tuple[int, ...]]  # what each of the rows gives, and the rows


@dataclass(frozen=True, eq=False, repr=False)
class Contradictions(Summarised):
    """The claim that a line makes mistakes of weight `upper`, and no line less than `lower`."""

    weights: Floats  # (1+d,) w_0 first
    lower: Fraction  # lower, upper: sums of row weights, exact; `lower` is what the sets show
    upper: Fraction
    cores: Sequence[Core] = field(repr=False)  # (amount, rows) of each set
    cost_wrong_yes: float = 1.0  # cost_wrong_yes, cost_wrong_no: factors of the row weights
    cost_wrong_no: float = 1.0
    x0: float = 1.0  # 1.0 with an intercept, 0.0 without

    def _summary(self) -> Summary:
        lower, upper = figure(float(self.lower)), figure(float(self.upper))
        return Summary(
            f"any line makes at least {lower} mistakes",
            [("this line makes", upper), ("sets of rows that contradict", f"{len(self.cores):,}")],
        )

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether both bounds hold for these rows, in whole numbers only.

        X, y are arrays, or X is a table in blocks.
        """
        sample = X if isinstance(X, Rows) else checked_table(X, y)
        costs = doubles([self.cost_wrong_yes, self.cost_wrong_no], 2).tolist()
        amounts = fractions_of([amount for amount, _ in self.cores])
        odd = any(amount <= 0 for amount in amounts) or min(costs) <= 0.0
        if self.x0 not in (0.0, 1.0) or odd:
            return False
        sample = with_constant(sample, self.x0)
        (upper,) = mistakes_of_lines(sample, costs, [doubles(self.weights, sample.d + 1)])
        claimed, lower = fractions_of([self.upper, self.lower])
        named = sorted({whole_number(n) for _, rows in self.cores for n in rows})
        if upper != claimed or lower > min(sum(amounts), upper):
            return False
        if not named or not 0 <= named[0] <= named[-1] < sample.n:
            return not named
        ids = np.array(named, dtype=np.int64)
        part = (sample if isinstance(sample, Rows) else Rows.of(sample)).some(ids)
        return self._all_contradict(part, {n: k for k, n in enumerate(named)}, costs)

    def _all_contradict(self, part: Sample, place: dict[int, int], costs: Sequence[float]) -> bool:
        """Return whether each set contradicts itself, and no row gives more than its weight."""
        z, given = signed(part), defaultdict[int, Fraction](Fraction)
        for amount, rows in self.cores:
            at = [place[n] for n in rows]
            if len(set(at)) < len(at) or not cancels(z[at]):
                return False
            for k in at:
                given[k] += amount
        weight = Tally(part, *costs).weight
        return all(sum_ <= Fraction(float(weight[k])) for k, sum_ in given.items())

    @property
    def claims(self) -> list[Claim]:
        """What a proof file says of it: where mistakes cost the same, and each row its weight."""
        cores = [{"rows": list(rows), "share": hexadecimal(amount)} for amount, rows in self.cores]
        return [
            {"kind": "mistakes", "weights": [float(w) for w in self.weights]},
            {"kind": "mistakes at least", "cores": cores},
        ]


def cancels(rows: Floats) -> bool:
    """Return whether multipliers > 0 cancel rows (k, D) of rank k - 1, exactly."""
    integers = integer_rows(rows, column_exponents(rows))
    basis, _ = nullspace([list(column) for column in zip(*integers, strict=True)], len(rows))
    return len(basis) == 1 and (all(a > 0 for a in basis[0]) or all(a < 0 for a in basis[0]))


def mistakes_of_lines(
    sample: Sample | Rows, costs: Sequence[float], lines: Sequence[Floats]
) -> list[Fraction]:
    """Return the weight of the mistakes of each line (1+d,), exactly."""
    rows = sample if isinstance(sample, Rows) else Rows.of(sample)
    found = rows.map(_mistakes, list(lines), *costs)
    return [sum(each, Fraction(0)) for each in zip(*found, strict=True)]


def _mistakes(
    block: Block, lines: Sequence[Floats], wrong_yes: float, wrong_no: float
) -> list[Fraction]:
    sample = block.sample
    weight: Any = sample.weight
    if wrong_yes != wrong_no or not (weight == weight[0]).all():
        tally = Tally(sample, wrong_yes, wrong_no)
        return [tally.mistakes(w) for w in lines]

    def count(run: Sequence[int], w: Floats) -> int:
        part = slice(run[0], run[-1] + 1)
        return int(count_mistakes(as_rows(sample.X[part]), sample.y[part], w, sample.x0))

    runs = shares(range(block.n), n_threads() if block.n * (sample.d + 1) >= SHARED else 1)
    of_one = Fraction(float(weight[0]) * wrong_yes)
    return [sum(in_threads([partial(count, run, w) for run in runs])) * of_one for w in lines]


@dataclass(frozen=True, slots=True)
class Recount:
    """The claim that a line makes mistakes of weight `n_errors`; a row on the line counts as one.

    Parameters
    ----------
    weights : (1+d,), w_0 first
    n_errors : the weights of the rows it is wrong on, added up
    sample_weight : (N,); None for the weights of the table that it is checked with
    x0 : 1.0 with an intercept, 0.0 without
    """

    weights: Floats
    n_errors: float
    sample_weight: Floats | None
    x0: float = 1.0

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether the count is right, every sign exact, up to the rounding of its sum.

        X, y are arrays, or X is a table in blocks.

        Raises
        ------
        InputError
            When X, y are no usable sample.
        """
        sample: Sample | Rows = checked_table(X, y)
        if self.sample_weight is not None:
            rows = sample.as_arrays() if isinstance(sample, Rows) else sample
            sample = replace(rows, weight=doubles(self.sample_weight, rows.n))
            if (sample.weight < 0.0).any():
                return False
        if self.x0 not in (0.0, 1.0):
            return False
        lines = [doubles(self.weights, sample.d + 1)]
        (counted,) = mistakes_of_lines(with_constant(sample, float(self.x0)), (1.0, 1.0), lines)
        (told,) = fractions_of([self.n_errors])
        rounding = 0 if counted.denominator == 1 else Fraction(sample.n, 2**52)
        return abs(told - counted) <= rounding * counted
