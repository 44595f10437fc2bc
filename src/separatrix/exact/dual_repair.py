"""Dual variables that cancel up to rounding, moved on few independent rows to cancel exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.linalg
from flint import fmpz_mat

from separatrix.exact.integers import Floats, column_exponents, integer_rows, whole_multiples
from separatrix.tiles import one_blas_thread

# Pivots below this part of the largest count as 0; where nothing balances so, the second is tried:
# columns may be independent by no more than that.
LEAST_PIVOTS = (1e-11, 1e-15)


def balanced(points: Floats, mass: Floats, duals: Floats, room: Floats) -> list[Fraction] | None:
    """Return dual variables near those given with sum_n mass_n dual_n points_n = 0, exactly."""
    exact = [Fraction(float(a)) for a in duals]
    if points.shape[1] == 0:
        return exact
    used = np.flatnonzero((mass != 0.0) & (duals != 0.0))
    masses = [Fraction(float(m)) for m in mass[used]]
    integers = fmpz_mat(integer_rows(points[used], column_exponents(points)))
    if used.size == 0 or not any(left := _total(masses, [exact[n] for n in used], integers)):
        return exact
    for least in LEAST_PIVOTS:
        moved = _moved(points, mass, exact, left, independent(points, mass * room, least))
        if moved is not None:
            return moved
    return None


def _moved(
    points: Floats,
    mass: Floats,
    duals: Sequence[Fraction],
    left: Sequence[Fraction],
    independent: tuple[list[int], list[int]],
) -> list[Fraction] | None:
    """Return the dual variables, some moved until all cancel; None where they do not."""
    exact, (rows, columns) = list(duals), independent
    system = integer_rows(points[rows][:, columns], column_exponents(points)[columns])
    right, below = whole_multiples([-left[j] for j in columns])
    try:
        solved: Any = fmpz_mat(system).transpose().solve(fmpz_mat([[a] for a in right]))
    except ZeroDivisionError:
        return None
    moves, q = solved.numer_denom()
    for k, n in enumerate(rows):
        exact[n] += Fraction(int(moves[k, 0]), int(q) * below) / Fraction(float(mass[n]))
    # columns that were taken as dependent must balance too; rows moved may have had 0 before
    moved = np.flatnonzero((mass != 0.0) & np.array([a != 0 for a in exact]))
    masses = [Fraction(float(m)) for m in mass[moved]]
    integers = fmpz_mat(integer_rows(points[moved], column_exponents(points)))
    return None if any(_total(masses, [exact[n] for n in moved], integers)) else exact


def _total(
    mass: Sequence[Fraction], duals: Sequence[Fraction], integers: fmpz_mat
) -> list[Fraction]:
    whole, below = whole_multiples([m * a for m, a in zip(mass, duals, strict=True)])
    total = fmpz_mat([whole]) * integers
    return [Fraction(int(a), below) for a in total.entries()]


def independent(points: Floats, room: Floats, least: float) -> tuple[list[int], list[int]]:
    """Return rows with room to move, and as many columns, that make an independent system."""
    largest = np.abs(points).max(axis=0)
    _, size = np.frexp(np.where(largest > 0, largest, 1.0))
    table = np.ldexp(points, -size)
    usable = np.flatnonzero(room > 0)
    with one_blas_thread():
        _, R, pivot = scipy.linalg.qr(
            (table[usable] * room[usable, np.newaxis]).T, mode="economic", pivoting=True
        )
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > diagonal[0] * least).sum()) if diagonal.size else 0
        rows = [int(n) for n in usable[pivot[:rank]]]
        _, _, order = scipy.linalg.qr(table[rows], mode="economic", pivoting=True)
    return rows, sorted(int(j) for j in order[:rank])
