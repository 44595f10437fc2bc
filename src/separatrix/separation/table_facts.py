"""What is seen before any solver runs: exact rank, radius, equal points with both labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpz_mat

from separatrix.data import Sample
from separatrix.exact.cone import DataRows, signed_rows
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    column_exponents,
    columns_by_themselves,
    independent_columns,
    independent_rows,
    integer_rows,
    nullspace,
    rank_at_least,
    times_power_of_two,
)
from separatrix.exact.signed_rows import longest_square, signed_part
from separatrix.kernels.separation.duplicates import opposite_twins
from separatrix.separation.exact_simplex import Refusal

BLOCK = 4096  # rows whose integers exist at the same time


@dataclass(frozen=True)
class Span:
    """The span of all rows, of rank r.

    Parameters
    ----------
    columns : r columns in which the rows keep their rank
    aliased : columns j with w_j != 0 for some w that gives every row the score 0
    """

    columns: list[int]
    aliased: list[int]


def span(rows: DataRows) -> Span:
    """Return the exact rank of all rows, by way of a few.

    Rows that are independent modulo a prime are so over the rationals. Those found among a few rows
    propose a span; rows outside join them.
    """
    width = rows.values.shape[1]
    present = np.flatnonzero(rows.values.any(axis=1))
    if present.size == 0:
        return Span([], list(range(width)))
    chosen = _independent(rows, present[_spread(present.size, 3 * width)].tolist())
    while len(chosen) < width:
        integers = rows.take(chosen)
        columns = independent_columns(integers)
        outside = _outside(rows, chosen, integers, columns)
        if not outside:
            return Span(columns, _aliased(integers, columns))
        grown = _independent(rows, chosen + outside)
        # the first one outside is independent whatever it is modulo the prime
        chosen = grown if len(grown) > len(chosen) else chosen + outside[:1]
    return Span(list(range(width)), [])


def _spread(n: int, most: int) -> list[int]:
    """Return up to `most` of the indices below n, evenly spread."""
    spread: list[int] = np.unique(np.linspace(0, n - 1, min(n, most)).astype(int)).tolist()
    return spread


def _independent(rows: DataRows, candidates: Sequence[int]) -> list[int]:
    kept = independent_rows(rows.take(list(candidates)))
    return [int(candidates[i]) for i in kept]


def _outside(
    rows: DataRows, chosen: Sequence[int], integers: Sequence[IntegerRow], columns: Sequence[int]
) -> list[int]:
    """Return some rows outside the span of the chosen ones, exactly; none if all are inside."""
    n, width = rows.values.shape
    others = sorted(set(range(n)) - set(chosen))
    if len(others) > width - len(
        chosen
    ):  # fewer vectors to be orthogonal to than rows to solve for
        return not_vanishing(rows, nullspace(integers, width)[0], 2 * width)
    inside = combinations(integers, columns, rows.take(others))
    return [n for n, is_in in zip(others, inside, strict=True) if not is_in]


def combinations(
    integers: Sequence[IntegerRow], columns: Sequence[int], targets: Sequence[IntegerRow]
) -> list[bool]:
    """Return for each target whether it is a combination of the rows, exactly.

    Parameters
    ----------
    integers : r rows that are independent in the r columns
    """
    if not targets:
        return []
    system = fmpz_mat([[row[j] for row in integers] for j in columns])
    right = fmpz_mat([[target[j] for target in targets] for j in columns])
    solved: Any = system.solve(right)
    weights, q = solved.numer_denom()
    sums = (weights.transpose() * fmpz_mat([list(row) for row in integers])).tolist()
    return [
        all(a == q * b for a, b in zip(total, target, strict=True))
        for total, target in zip(sums, targets, strict=True)
    ]


def _aliased(integers: Sequence[IntegerRow], columns: Sequence[int]) -> list[int]:
    """Return the columns j for which the j-th unit vector is outside the span of the rows."""
    width = len(integers[0])
    kept = columns_by_themselves(integers)
    units = [[int(i == j) for i in range(width)] for j in kept]
    alone = {
        j for j, is_in in zip(kept, combinations(integers, columns, units), strict=True) if is_in
    }
    return [j for j in range(width) if j not in alone]


def not_vanishing(rows: DataRows, basis: Sequence[IntegerRow], most: int) -> list[int]:
    """Return up to `most` rows with I_n.v != 0 for some v of the basis, exactly."""
    if not basis:
        return []
    columns = [j for j in range(len(basis[0])) if any(v[j] for v in basis)]
    part = DataRows(rows.values[:, columns], rows.exponents[columns])
    vectors = fmpz_mat([[v[j] for j in columns] for v in basis]).transpose()
    found: list[int] = []
    for start in range(0, len(part.values), BLOCK):
        stop = min(start + BLOCK, len(part.values))
        product = fmpz_mat(part.take(range(start, stop))) * vectors
        found += [start + i for i, row in enumerate(product.tolist()) if any(row)]
        if len(found) >= most:
            return found[:most]
    return found


def contradictions(points: Floats, y: Floats) -> list[Refusal]:
    """Return pairs of equal points (n, d) with opposite labels, one for each such point."""
    bits = np.ascontiguousarray(points + 0.0).view(np.uint64)  # -0.0 and 0.0 differ in their bits
    slots = 1 << int(2 * len(points)).bit_length()
    first = np.full(slots, -1, dtype=np.int64)
    other = first.copy()
    opposite_twins(bits, y, first, other)
    both = np.flatnonzero(other >= 0)
    both = both[np.argsort(other[both])]
    pairs = zip(first[both].tolist(), other[both].tolist(), strict=True)
    return [Refusal([a, b], [1, 1]) for a, b in pairs]


# ---------------------------------------------------------------------- the table


@dataclass(frozen=True)
class Survey:
    """A table under examination; what takes a read of all rows is found when first asked for.

    Parameters
    ----------
    sample, x0 : the table, and 1.0 with an intercept, 0.0 without
    """

    sample: Sample
    x0: float

    @property
    def width(self) -> int:
        """D, the columns of the rows z_n: 1 + d with an intercept, d without."""
        return self.sample.d + int(self.x0)

    @cached_property
    def values(self) -> Floats:
        """The rows z_n: (N, D), a copy of the table."""
        return signed_rows(self.sample, self.x0)

    @cached_property
    def whole(self) -> Span:
        """The span of all rows; a few of them show it when it has the whole width."""
        for few in (self.width + 10, 4 * self.width + 10):
            rows = np.array(_spread(self.sample.n, few))
            values = signed_part(self.sample, self.x0, rows)
            if rank_at_least(integer_rows(values, column_exponents(values))) == self.width:
                return Span(list(range(self.width)), [])
        return span(DataRows(self.values, self.exponents))

    @cached_property
    def exponents(self) -> Indices:
        """Of each column: z_nj = I_nj 2^exponents[j] with integers I_n."""
        return column_exponents(self.values)

    @cached_property
    def radius_squared(self) -> Fraction:
        """R^2, exactly."""
        return longest_square(self.sample, self.x0)

    @cached_property
    def present(self) -> Indices:
        """The rows that are not all zero."""
        if self.x0:
            return np.arange(self.sample.n)
        return np.flatnonzero(self.values.any(axis=1))

    @cached_property
    def kept(self) -> Floats:
        """The rows that are not all zero, in columns in which they keep their rank: (n, r)."""
        return self.values[self.present][:, self.whole.columns]

    @property
    def aliased(self) -> tuple[int, ...]:
        """Indices in (1+d,) of the aliased columns."""
        return tuple(self.index(j) for j in self.whole.aliased)

    def index(self, column: int) -> int:
        """Return the index in (1+d,) of a column of the rows."""
        return column if self.x0 else column + 1

    def weights(self, v: IntegerRow) -> list[Fraction]:
        """Return the weights (D,) of a line in the columns that span; the others get zero."""
        weights = [Fraction(0)] * self.width
        exponents = self.exponents[self.whole.columns]
        for j, a, e in zip(self.whole.columns, v, exponents, strict=True):
            weights[j] = times_power_of_two(Fraction(a), -int(e))
        return weights


def survey(sample: Sample, x0: float) -> Survey:
    """Return what there is to know about a table at a glance."""
    return Survey(sample, x0)
