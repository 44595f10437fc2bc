"""Positive combinations of few rows that cancel: proven by floats, solved for in exact integers.

Multipliers of D + 1 rows have thousands of digits where D is in the hundreds, so they are solved
for only when they are read. That positive ones exist is shown in floats with an error bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._later import flint
from separatrix._types import Untyped
from separatrix.cached import cached_property
from separatrix.exact.integers import (
    Floats,
    IntegerRow,
    column_exponents,
    independent_columns,
    integer_rows,
)
from separatrix.kernels.error_bound import score_error

LATER = 16  # from this many on, multipliers are solved for when they are read

Truths = NDArray[np.bool_]


class Solved(Sequence[int]):
    """Multipliers (p,) that are known to be positive, and are solved for when first read."""

    def __init__(self, rows: Floats) -> None:
        self.rows = rows

    @cached_property
    def exact(self) -> tuple[int, ...]:
        return tuple(_solved(self.rows) or ())

    def cancel(self, rows: Floats) -> bool:
        """Return whether these are the rows, and floats prove that they cancel."""
        return np.array_equal(rows, self.rows) and _surely_cancel(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Untyped) -> Untyped:
        return self.exact[place]

    def __eq__(self, other: object) -> bool:
        return self.exact == (other.exact if isinstance(other, Solved) else other)

    def __hash__(self) -> int:
        return hash(self.exact)

    def __repr__(self) -> str:
        return repr(self.exact)


def refusal_on(rows: Floats) -> Sequence[int] | None:
    """Return positive integers that combine rows (p, D), any p - 1 independent, to 0; or None."""
    if len(rows) == rows.shape[1] + 1 >= LATER and _surely_cancel(rows):
        return Solved(rows)
    found = _solved(rows)
    return None if found is None else tuple(found)


def _solved(rows: Floats) -> IntegerRow | None:
    """Return what `refusal_on` does, in exact arithmetic."""
    integers = integer_rows(rows, column_exponents(rows))
    if len(integers) == 1:
        return None if any(integers[0]) else [1]
    columns = independent_columns(integers[:-1])
    if len(columns) < len(integers) - 1:
        return None
    system = flint.fmpz_mat([[row[j] for row in integers[:-1]] for j in columns])
    answer: Any = system.solve(flint.fmpz_mat([[-integers[-1][j]] for j in columns]))
    solved, q = answer.numer_denom()
    multipliers = [int(a) for a in solved.entries()] + [int(q)]
    if min(multipliers) <= 0 or any(
        (flint.fmpz_mat([multipliers]) * flint.fmpz_mat(integers)).entries()
    ):
        return None
    return multipliers


def _surely_cancel(rows: Floats) -> bool:
    """Return whether D + 1 rows (D + 1, D) surely have a combination > 0 that is 0."""
    try:
        near = np.linalg.solve(rows[:-1].T, -rows[-1])
    except np.linalg.LinAlgError:
        return False
    k = int(np.argmax(np.append(near, 1.0)))  # without it the others are far from collinear
    return bool(surely_inside(np.delete(rows, k, axis=0), -rows[k : k + 1]).all())


def surely_inside(basis: Floats, points: Floats) -> Truths:
    """Return for each point q (m, D) whether it surely is a combination, > 0, of D rows (D, D).

    With M near the inverse of B, and |I - M B| <= a < 1 in the maximum norm, B is invertible and
    |x - M q| <= |M (q - B M q)| / (1 - a) for the solution x of B x = q (Rump 2010, section 10).
    Rounding errors of all products are added.
    """
    size = np.frexp(np.abs(basis).max(axis=0))[1]
    scaled = np.ldexp(basis, -size)
    if not np.array_equal(np.ldexp(scaled, size), basis):  # digits lost: another cone
        return np.zeros(len(points), dtype=np.bool_)
    scaled = np.ldexp(scaled, -np.frexp(np.abs(scaled).max(axis=1))[1][:, None])
    with np.errstate(over="ignore", invalid="ignore"):
        right = np.ldexp(points, -size)
        try:
            inverse = np.linalg.inv(scaled.T)
        except np.linalg.LinAlgError:
            return np.zeros(len(points), dtype=np.bool_)
        each = score_error(len(basis), 1.0, tiny=0.0)
        off = np.abs(np.eye(len(basis)) - inverse @ scaled.T)
        a = 1.01 * (off + each * (np.abs(inverse) @ np.abs(scaled.T) + 1.0)).sum(axis=1).max()
        if not a < 0.5:
            return np.zeros(len(points), dtype=np.bool_)
        x = right @ inverse.T
        rest = np.abs(right - x @ scaled)
        rest += each * (np.abs(x) @ np.abs(scaled) + np.abs(right)) + 1e-290
        bound = 1.01 * (rest @ np.abs(inverse).T).max(axis=1) / (1.0 - a)
        return np.asarray(x.min(axis=1) > 1.01 * bound)
