"""What claims say in a proof file.

Whole numbers and rationals are written in hexadecimal ("-1f/3"), which any length reads quickly;
doubles as decimal text that reads back to the same double. `proof.schema.json` is the format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, Sample, is_sparse
from separatrix.exact import level_elimination
from separatrix.exact.integers import Floats, fractions_of, independent_rows, nullspace
from separatrix.exact.signed_rows import SignedRows, doubles_of
from separatrix.scale import Rows

Claim = dict[str, Any]
Vector = list[str] | dict[str, list[Any]]


def hexadecimal(value: Fraction | int) -> str:
    """Return "-1f" or "-1f/3"."""
    value = Fraction(value)
    above = format(value.numerator, "x")
    return above if value.denominator == 1 else f"{above}/{value.denominator:x}"


def hexadecimals(values: Sequence[Fraction | int] | None) -> list[str]:
    return [hexadecimal(value) for value in values or ()]


def vector(values: Sequence[Fraction | int]) -> Vector:
    """Return the numbers of a vector (1+d,), of many zeros by their indices."""
    there = [j for j, value in enumerate(values) if value]
    if there and is_sparse(1, len(values) - 1, len(there)):
        return {"indices": there, "values": hexadecimals([values[j] for j in there])}
    return hexadecimals(values)


def with_multipliers(rows: Sequence[int], multipliers: Sequence[int]) -> Claim:
    return {
        "rows": [int(n) for n in rows],
        "multipliers": [hexadecimal(int(a)) for a in multipliers],
    }


def null_space(sample: Sample | Rows, rows: Sequence[int]) -> list[Vector]:
    """Return a basis of the lines that vanish on these rows, hence on all."""
    table = SignedRows(sample)
    if table.is_sparse and table.sparse is not None:
        found = level_elimination.null_space(table.sparse.take(rows)).vectors.values()
        basis = [[v.get(j, 0) for j in range(table.width)] for v in found]
    else:
        integers = table.integers(rows)
        basis, _ = nullspace([integers[i] for i in independent_rows(integers)], table.width)
    units = [Fraction(2) ** int(-e) for e in table.exponents]
    first = [] if table.x0 else [0]
    return [
        vector([*first, *(a * unit for a, unit in zip(null, units, strict=True))]) for null in basis
    ]


def numbers(values: Sequence[Fraction]) -> list[float | str]:
    """Return rationals as doubles where they are some, else in hexadecimal."""
    return [number(value) for value in values]


def number(value: Fraction) -> float | str:
    nearest = float(value)
    return nearest if Fraction(nearest) == value else hexadecimal(value)


ODD = TypeError, ValueError, AttributeError, ArithmeticError, LookupError

F = TypeVar("F", bound=Callable[..., Untyped])


def unless_odd(refuted: Untyped) -> Callable[[F], F]:
    """Let a check return `refuted` where a field holds something of another kind, not raise."""

    def of(check: F) -> F:
        @wraps(check)
        def checked(*arguments: Untyped, **named: Untyped) -> Untyped:
            try:
                return type(refuted)(check(*arguments, **named))
            except InputError:  # about the table
                raise
            except ODD:
                return refuted

        return cast("F", checked)

    return of


def doubles(numbers: ArrayLike, size: int) -> Floats:
    """Return `size` finite numbers that are doubles; `ValueError` where they are anything else."""
    are_doubles = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
    found = numbers if are_doubles else doubles_of(fractions_of(numbers))
    if found is None or found.shape != (size,) or not np.isfinite(found).all():
        raise ValueError("not doubles, or not as many as there should be")
    return np.asarray(found)
