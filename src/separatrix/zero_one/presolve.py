"""The rows whose mistakes are counted: equal rows as one, opposite rows cancelled, whole weights.

Rows z and -z are never both right, so of each such pair the lesser weight is a mistake of every
line, and only the difference is left to count. A row of zeros is a mistake of every line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from separatrix.exact.integers import Floats, Indices, IntegerRow, dyadic, integer_rows, nullspace
from separatrix.kernels.exact import signed_scores

LARGEST_TOTAL = 1 << 62  # of whole weights: their sums are int64


@dataclass(frozen=True, eq=False)
class Weights:
    """Row weights as whole multiples of a unit.

    Parameters
    ----------
    whole : (N,) int64, or integers of any size; weight = whole * unit, rounded down unless `exact`
    unit : the multiple
    exact : whether nothing was rounded
    """

    whole: Indices
    unit: Fraction
    exact: bool


def whole_weights(weight: Floats) -> Weights:
    """Return weights (N,), not all zero, as whole multiples of the largest unit that fits.

    Their sum must stay below 2^62; weights that need more digits than that are rounded down, so
    that what is proven of them is proven of the given ones.
    """
    mantissa, exponent = dyadic(weight)
    lowest = int(exponent[mantissa != 0].min())
    highest = int((np.frexp(weight)[1])[mantissa != 0].max())
    excess = highest - lowest + (weight.size - 1).bit_length() - 61
    unit = lowest + max(0, excess)
    if excess <= 0:
        whole = mantissa << np.where(mantissa == 0, 0, exponent - lowest)
        divisor = int(np.gcd.reduce(whole))
        return Weights(whole // divisor, divisor * Fraction(2) ** unit, exact=True)
    whole = np.floor(np.ldexp(weight, -unit)).astype(np.int64)
    return Weights(whole, Fraction(2) ** unit, exact=False)


def exact_weights(weight: Floats) -> Weights:
    """Return weights (N,), not all zero, as whole multiples of a unit, however far apart."""
    mantissa, exponent = dyadic(weight)
    lowest = int(exponent[mantissa != 0].min())
    shift = np.where(mantissa == 0, 0, exponent - lowest)
    whole = mantissa.astype(object) << shift.astype(object)
    divisor = math.gcd(*whole.tolist())
    return Weights(whole // divisor, divisor * Fraction(2) ** lowest, exact=True)


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Rows of positive weight, none of them zero, no two of them equal or opposite.

    Parameters
    ----------
    values : (n, D) in columns in which the rows keep their rank
    weight : (n,) int64, or integers of any size
    rows : (n,) their numbers in the table they come from
    exponents : (D,) values[n, j] is a whole multiple of 2^exponents[j]
    """

    values: Floats
    weight: Indices
    rows: Indices
    exponents: Indices

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def dimension(self) -> int:
        """D, the rank."""
        return int(self.values.shape[1])

    @cached_property
    def scaled(self) -> Floats:
        """The rows with every column divided by a power of two: largest entry in [1/2, 1)."""
        return np.ldexp(self.values, -self.column_shift)

    @cached_property
    def of_unit_length(self) -> Floats:
        """The scaled rows divided by their lengths; halved or doubled first: squares underflow."""
        shift = np.frexp(np.abs(self.scaled).max(axis=1))[1]
        rows = np.ldexp(self.scaled, -shift[:, None])
        unit: Floats = rows / np.sqrt(np.square(rows).sum(axis=1))[:, None]
        return unit

    @cached_property
    def column_shift(self) -> Indices:
        """The powers of two that `scaled` divides by."""
        shift: Indices = np.frexp(np.abs(self.values).max(axis=0))[1].astype(np.int64)
        return shift

    def integers(self, rows: Indices) -> list[IntegerRow]:
        """Return rows as integers: column j divided by 2^exponents[j]."""
        return integer_rows(self.values[rows], self.exponents)

    def wrong(self, weights: Floats) -> np.ndarray:
        """Return (n,) whether z_n.w <= 0, every sign exact."""
        padded = np.concatenate(([0.0], weights))
        scores: Floats = signed_scores(np.ascontiguousarray(self.values), self.n, padded, 0.0)
        return scores <= 0.0

    def mistakes(self, weights: Floats) -> int:
        """Return the weight of the rows with z_n.w <= 0, exactly; all of it for no numbers."""
        if not np.isfinite(weights).all():
            return int(self.weight.sum())
        return int(self.weight[self.wrong(weights)].sum())

    def part(self, rows: Indices) -> tuple[CountedRows, list[int], list[IntegerRow]]:
        """Return some of the rows in columns that keep their rank, these and the relations.

        A relation is an integer vector b with z.b = 0 for each of the rows; there is one for every
        other column, which is zero in the others of them.
        """
        relations, columns = nullspace(self.integers(rows), self.dimension)
        chosen = np.array(columns, dtype=np.int64)
        values = np.ascontiguousarray(self.values[np.ix_(rows, chosen)])
        part = CountedRows(values, self.weight[rows], self.rows[rows], self.exponents[chosen])
        return part, columns, relations


@dataclass(frozen=True, eq=False)
class Count:
    """What there is to count in a table.

    Parameters
    ----------
    rows : CountedRows, or None when nothing is left to decide
    base : weight of the mistakes that every line makes
    """

    rows: CountedRows | None
    base: int


def count_rows(values: Floats, weight: Indices, exponents: Indices) -> Count:
    """Merge the rows (N, D) of whole weights (N,): see above. Rows of weight 0 are left out."""
    present = np.flatnonzero(weight)
    zero = ~values[present].any(axis=1)
    base = int(weight[present[zero]].sum())
    present = present[~zero]
    if present.size == 0:
        return Count(None, base)
    z = values[present] + 0.0  # -0.0 and 0.0 are equal but their bits are not
    first_entry = z[np.arange(present.size), (z != 0.0).argmax(axis=1)]
    sign = np.sign(first_entry)
    group, first = _groups(z * sign[:, None] + 0.0)
    net = np.zeros(first.size, dtype=weight.dtype)
    total = np.zeros(first.size, dtype=weight.dtype)
    np.add.at(net, group, weight[present] * sign.astype(np.int64).astype(weight.dtype))
    np.add.at(total, group, weight[present])
    base += int((total - np.abs(net)).sum()) // 2
    left = np.flatnonzero(net)
    order = left[np.argsort(first[left])]
    kept = first[order]
    if kept.size == 0:
        return Count(None, base)
    turned = np.sign(net[order]).astype(np.float64) * sign[kept]
    rows = CountedRows(z[kept] * turned[:, None], np.abs(net[order]), present[kept], exponents)
    return Count(rows, base)


def _groups(points: Floats) -> tuple[Indices, Indices]:
    """Return of each row the number of its group of equal rows, and the first row of each group."""
    bits = points.view(np.uint64)
    factors = np.random.default_rng(0).integers(1, 2**63, points.shape[1], dtype=np.uint64) | 1
    key = (bits ^ (bits >> np.uint64(29))) @ factors
    ordered = np.sort(key)
    if (ordered[1:] != ordered[:-1]).all():  # no two rows are equal
        return np.arange(key.size), np.arange(key.size)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    if not np.array_equal(points[first[group]], points):  # two hashes met: compare whole rows
        _, first, group = np.unique(points, axis=0, return_index=True, return_inverse=True)
    return group.reshape(-1), first
