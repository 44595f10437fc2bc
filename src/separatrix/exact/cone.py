"""The rows z_n whose half-spaces {w : z_n.w > 0} are intersected, as floats and as integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.cached import cached_property
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    column_exponents,
    dot,
    dyadic,
    integer_rows,
    primitive,
    scaled_floats,
    times_power_of_two,
)
from separatrix.exact.signed_block import decided_signs
from separatrix.kernels.error_bound import score_error


@dataclass(frozen=True)
class IntegerRows:
    """Rows of doubles, column j divided by 2^exponents[j], and rows of integers behind them."""

    values: Floats  # (m, k); exponents : (k,)
    exponents: Indices
    written: list[IntegerRow]  # rows m, m + 1, ... as integers

    def take(self, rows: Sequence[int]) -> list[IntegerRow]:
        m = len(self.values)
        of_doubles = np.array([n for n in rows if n < m], dtype=np.int64)
        taken = iter(integer_rows(self.values[of_doubles], self.exponents))
        return [next(taken) if n < m else self.written[n - m] for n in rows]

    def only(self, columns: Sequence[int]) -> IntegerRows:
        written = [[row[j] for j in columns] for row in self.written]
        return IntegerRows(self.values[:, columns], self.exponents[columns], written)

    def with_row(self, row: IntegerRow) -> IntegerRows:
        return IntegerRows(self.values, self.exponents, [*self.written, row])


@dataclass(frozen=True)
class Cone:
    """n nonzero rows in k columns."""

    exact: IntegerRows  # the rows as integers, row n = I_n
    floats: Floats  # (n, k), floats[n, j] = I_n[j] 2^(column_shift[j] - row_shift[n]), rounded once
    column_shift: Indices
    row_shift: Indices

    @property
    def n(self) -> int:
        return int(self.floats.shape[0])

    @property
    def k(self) -> int:
        return int(self.floats.shape[1])

    @cached_property
    def magnitudes(self) -> Floats:
        return np.abs(self.floats)

    def line_from_floats(self, u: Floats) -> IntegerRow:
        """Return the line whose weights on `floats` are exactly u (k,)."""
        mantissa, exponent = dyadic(u)
        exponent = exponent + self.column_shift
        lowest = exponent[mantissa != 0].min()
        shifts = np.where(mantissa == 0, 0, exponent - lowest).tolist()
        return primitive([m << e for m, e in zip(mantissa.tolist(), shifts, strict=True)])

    @cached_property
    def least_row_shift(self) -> int:
        """The row shift of the smallest row: `size` counts from there."""
        return int(self.row_shift.min())

    def size(self, n: int) -> int:
        """Return the power of two by which row n is larger than the smallest row."""
        return 1 << (int(self.row_shift[n]) - self.least_row_shift)

    def float_weights(self, v: Sequence[int], level: int = 0) -> tuple[Floats, float]:
        """Return weights u (k,) on `floats` proportional to the line v, one rounding each."""
        parts = [
            times_power_of_two(Fraction(a), -int(c))
            for a, c in zip(v, self.column_shift, strict=True)
        ]
        parts.append(times_power_of_two(Fraction(level), -self.least_row_shift))
        rounded = scaled_floats(parts)
        return rounded[:-1], float(rounded[-1])

    def float_scores(self, u: Floats, level: float = 0.0) -> tuple[Floats, Floats]:
        """Return floats @ u - level and error bounds (n,) for weights rounded once."""
        size = self.magnitudes @ np.abs(u) + abs(level)
        return self.floats @ u - level, score_error(self.k + 1, size)

    def signs(self, v: Sequence[int]) -> Indices:
        """Return the exact sign of I_n.v for every row: (n,)."""
        scores, off = self.float_scores(self.float_weights(v)[0])
        return decided_signs(
            scores, off, lambda rows: (dot(row, v) for row in self.exact.take(rows.tolist()))
        )

    def with_row(self, row: IntegerRow) -> Cone:
        """Return the cone with one more row, whose index is n."""
        mantissa, exponent = float_parts([row])
        shifted = exponent + self.column_shift
        top = int(shifted[mantissa != 0].max())
        return Cone(
            self.exact.with_row(row),
            np.vstack([self.floats, np.ldexp(mantissa, shifted - top)]),
            self.column_shift,
            np.append(self.row_shift, top),
        )


def cone_of_data(values: Floats) -> Cone:
    """Return the cone of nonzero rows of doubles (n, k), no column of zeros."""
    exponents = column_exponents(values)
    mantissa, exponent = np.frexp(values)
    return _scaled_cone(
        IntegerRows(values, exponents, []), mantissa, exponent.astype(np.int64), exponents
    )


def cone_of_table(table: list[IntegerRow]) -> Cone:
    """Return the cone of nonzero rows of integers, no column of zeros."""
    mantissa, exponent = float_parts(table)
    zeros = np.zeros(len(table[0]), dtype=np.int64)
    rows = IntegerRows(np.zeros((0, zeros.size)), zeros, table)
    return _scaled_cone(rows, mantissa, exponent, zeros)


def _scaled_cone(exact: IntegerRows, mantissa: Floats, exponent: Indices, whole: Indices) -> Cone:
    """Return the cone of rows mantissa 2^exponent whose integers are divided by 2^whole[j]."""
    low = np.iinfo(np.int64).min // 2
    size = np.where(mantissa == 0, low, exponent).max(axis=0)
    unit = np.ldexp(mantissa, exponent - size)
    mean_square = np.einsum("nj,nj->j", unit, unit) / len(unit)
    size = size + np.rint(np.log2(mean_square) / 2).astype(np.int64)
    row_size = np.where(mantissa == 0, low, exponent - size).max(axis=1)
    floats = np.ldexp(mantissa, exponent - size - row_size[:, None])
    return Cone(exact, floats, whole - size, row_size)


def float_parts(table: list[IntegerRow]) -> tuple[Floats, Indices]:
    """Return m (n, k) and exponents with table = m 2^exponents up to one rounding, |m| < 1."""
    entries = [a for row in table for a in row]
    if max(map(int.bit_length, entries)) <= 1000:
        mantissa, exponent = np.frexp(np.array(table, dtype=np.float64))
        return mantissa, exponent.astype(np.int64)
    flat = [_float_part(a) for a in entries]
    shape = (len(table), len(table[0]))
    parts = np.array([m for m, _ in flat]).reshape(shape)
    return parts, np.array([e for _, e in flat], dtype=np.int64).reshape(shape)


def _float_part(a: int) -> tuple[float, int]:
    bits = a.bit_length()
    excess = max(0, bits - 64)
    return float(np.ldexp(float(abs(a) >> excess), excess - bits)) * (1 if a >= 0 else -1), bits
