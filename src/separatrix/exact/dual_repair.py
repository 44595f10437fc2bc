"""Shares on rows that cancel up to rounding, moved on a few rows until they cancel exactly.

A dual point must meet sum m_n a_n x_n = 0 exactly: an error, however small, bounds nothing where w
is unbounded. Floats choose independent rows with room to move; integers solve for the moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.linalg
from flint import fmpz_mat

from separatrix.exact.integers import Floats, column_exponents, integer_rows, whole_multiples
from separatrix.tiles import one_blas_thread

# A pivot of that share of the largest one is none; where nothing balances so, a smaller one counts:
# columns may be independent by no more than that.
NOTHING = (1e-11, 1e-15)


def balanced(points: Floats, mass: Floats, shares: Floats, room: Floats) -> list[Fraction] | None:
    """Return shares near those given with sum_n mass_n share_n points_n = 0, exactly.

    Parameters
    ----------
    points : (N, k)
    mass : (N,) at least 0
    shares : (N,)
    room : (N,) how far each share may move; 0 for those that must not

    Returns
    -------
    N rationals, all but at most k of them as given; None where no rows can carry the moves
    """
    exact = [Fraction(float(a)) for a in shares]
    if points.shape[1] == 0:
        return exact
    used = np.flatnonzero((mass != 0.0) & (shares != 0.0))
    masses = [Fraction(float(m)) for m in mass[used]]
    integers = fmpz_mat(integer_rows(points[used], column_exponents(points)))
    if used.size == 0 or not any(pull := _pull(masses, [exact[n] for n in used], integers)):
        return exact
    for nothing in NOTHING:
        moved = _moved(points, mass, exact, pull, _independent(points, mass * room, nothing))
        if moved is not None:
            return moved
    return None


def _moved(
    points: Floats,
    mass: Floats,
    shares: Sequence[Fraction],
    pull: Sequence[Fraction],
    independent: tuple[list[int], list[int]],
) -> list[Fraction] | None:
    """Return the shares, those of some rows moved until all cancel; None where they do not."""
    exact, (rows, columns) = list(shares), independent
    system = integer_rows(points[rows][:, columns], column_exponents(points)[columns])
    right, below = whole_multiples([-pull[j] for j in columns])
    try:
        solved: Any = fmpz_mat(system).transpose().solve(fmpz_mat([[a] for a in right]))
    except ZeroDivisionError:
        return None
    moves, q = solved.numer_denom()
    for k, n in enumerate(rows):
        exact[n] += Fraction(int(moves[k, 0]), int(q) * below) / Fraction(float(mass[n]))
    # columns that were taken as dependent must balance too; rows moved may have had no share before
    moved = np.flatnonzero((mass != 0.0) & np.array([a != 0 for a in exact]))
    masses = [Fraction(float(m)) for m in mass[moved]]
    integers = fmpz_mat(integer_rows(points[moved], column_exponents(points)))
    return None if any(_pull(masses, [exact[n] for n in moved], integers)) else exact


def _pull(
    mass: Sequence[Fraction], shares: Sequence[Fraction], integers: fmpz_mat
) -> list[Fraction]:
    """Return sum_n mass_n share_n integers_n."""
    whole, below = whole_multiples([m * a for m, a in zip(mass, shares, strict=True)])
    total = fmpz_mat([whole]) * integers
    return [Fraction(int(a), below) for a in total.entries()]


def _independent(points: Floats, room: Floats, nothing: float) -> tuple[list[int], list[int]]:
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
        rank = int((diagonal > diagonal[0] * nothing).sum()) if diagonal.size else 0
        rows = [int(n) for n in usable[pivot[:rank]]]
        _, _, order = scipy.linalg.qr(table[rows], mode="economic", pivoting=True)
    return rows, sorted(int(j) for j in order[:rank])
