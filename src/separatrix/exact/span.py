"""The span of integer rows: its exact rank, by way of a few of them, and what it leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

from separatrix._later import flint
from separatrix.exact.integers import (
    PRIME,
    Floats,
    Indices,
    IntegerRow,
    column_exponents,
    columns_by_themselves,
    independent_columns,
    independent_rows,
    integer_rows,
    nullspace,
)
from separatrix.kernels.error_bound import score_error
from separatrix.tiles import one_blas_thread

if TYPE_CHECKING:
    from separatrix.exact.signed_rows import SignedRows


@dataclass(frozen=True)
class Span:
    """The span of all rows, of rank r."""

    columns: list[int]  # r columns in which the rows keep their rank
    aliased: list[int]  # columns j with w_j != 0 for some w that gives every row the score 0


def span(rows: SignedRows) -> Span:
    """Return the exact rank of all rows, by way of a few."""
    width = rows.width
    chosen = _independent(rows, spread(rows.n, 3 * width))
    while len(chosen) < width:
        integers = rows.integers(chosen)
        columns = independent_columns(integers) if chosen else []
        if len(columns) < len(chosen):  # of rows that are dependent modulo the primes alone
            columns = nullspace(integers, width)[1]
        outside = _outside(rows, chosen, integers, columns)
        if not outside:
            return Span(columns, _aliased(integers, columns) if chosen else list(range(width)))
        grown = _independent(rows, chosen + outside)
        # the first one outside is independent whatever it is modulo the prime
        chosen = grown if len(grown) > len(chosen) else chosen + outside[:1]
    return Span(list(range(width)), [])


def spread(n: int, most: int) -> list[int]:
    """Return up to `most` of the indices below n, evenly spread."""
    indices: list[int] = np.unique(np.linspace(0, n - 1, min(n, most)).astype(int)).tolist()
    return indices


def _independent(rows: SignedRows, candidates: Sequence[int]) -> list[int]:
    return [int(candidates[i]) for i in independent_rows(rows.integers(candidates))]


def _outside(
    rows: SignedRows, chosen: Sequence[int], integers: Sequence[IntegerRow], columns: Sequence[int]
) -> list[int]:
    """Return some rows outside the span of the chosen ones, exactly; none if all are inside."""
    # fewer vectors to be orthogonal to than rows to solve for
    if not chosen or rows.n - len(set(chosen)) > rows.width - len(chosen):
        basis = [{j: a for j, a in enumerate(v) if a} for v in nullspace(integers, rows.width)[0]]
        return rows.not_vanishing(basis, 2 * rows.width)
    others = sorted(set(range(rows.n)) - set(chosen))
    inside = combinations(integers, columns, rows.integers(others))
    return [n for n, is_in in zip(others, inside, strict=True) if not is_in]


def combinations(
    integers: Sequence[IntegerRow], columns: Sequence[int], targets: Sequence[IntegerRow]
) -> list[bool]:
    """Return for each target whether it is a combination of the rows, exactly."""
    if not targets:
        return []
    system = flint.fmpz_mat([[row[j] for row in integers] for j in columns])
    right = flint.fmpz_mat([[target[j] for target in targets] for j in columns])
    solved: Any = system.solve(right)
    weights, q = solved.numer_denom()
    sums = (weights.transpose() * flint.fmpz_mat([list(row) for row in integers])).tolist()
    return [
        all(a == q * b for a, b in zip(total, target, strict=True))
        for total, target in zip(sums, targets, strict=True)
    ]


def _aliased(integers: Sequence[IntegerRow], columns: Sequence[int]) -> list[int]:
    """Return the columns j for which the j-th unit vector is outside the span of the rows."""
    width = len(integers[0])
    kept = columns_by_themselves(integers)
    units = [[int(i == j) for i in range(width)] for j in kept]
    inside = combinations(integers, columns, units)
    alone = {j for j, is_in in zip(kept, inside, strict=True) if is_in}
    return [j for j in range(width) if j not in alone]


# Pivots below this part of the largest count as 0; where nothing balances so, the second is tried:
# columns may be independent by no more than that.
LEAST_PIVOTS = (1e-11, 1e-15)


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


SMALLEST, LARGEST = -400, 400  # exponents of numbers whose products stay in float64's range
TRIED = 16  # columns at once that may show which of the others are not determined


def wide_span(rows: Floats) -> Span | None:
    """Return the span of distinct rows (n, D), n < D; None where floats do not show it.

    |I - R A| = e < 1 (largest row sum) shows that A is regular, and A^-1 b within e / (1 - e) |R b|
    of R b (Rump 2010, Acta Numerica 19, section 10).
    """
    n, width = rows.shape
    size = np.frexp(np.abs(rows).max(axis=0))[1]
    if not ((size > SMALLEST) & (size < LARGEST)).all():
        return None
    table = np.ldexp(rows, -size)  # exact but for what underflows, which the bounds allow for
    with one_blas_thread(), np.errstate(all="ignore"):
        for choose in (lambda _: np.arange(n), _pivots):
            columns = choose(table)
            if _surely_aliased(table, columns):
                return Span(columns.tolist(), list(range(width)))
    return None


def _pivots(table: Floats) -> Indices:
    """Return n columns (n,) that Gaussian elimination with pivoting takes for independent."""
    places = scipy.linalg.lu(table.T, p_indices=True, check_finite=False)[0]
    return np.sort(np.argsort(places)[: len(table)])


def _surely_aliased(table: Floats, columns: Indices) -> bool:
    """Whether these columns are surely independent, and no column surely determined."""
    n = len(table)
    A = table[:, columns]
    try:
        R = np.linalg.inv(A)
    except np.linalg.LinAlgError:
        return False
    sizes = np.abs(R)
    off = np.abs(np.eye(n) - R @ A) + score_error(n + 1, sizes @ np.abs(A) + 1.0)
    e = float(off.sum(axis=1).max()) * (1.0 + score_error(n, 1.0))
    if not e < 0.5:
        return False
    others = np.setdiff1d(np.arange(table.shape[1]), columns)
    open_ = np.ones(n, dtype=bool)
    for first in range(0, others.size, TRIED):
        b = table[:, others[first : first + TRIED]]
        found = np.abs(R @ b)
        rounding = score_error(n, sizes @ np.abs(b))
        further = (found + rounding).max(axis=0) * (e / (1.0 - e)) * (1.0 + 1e-12)
        open_ &= ~(found > rounding * (1.0 + 1e-12) + further).any(axis=1)
        if not open_.any():
            return True
    return bool(_aliased_modulo(table, columns, np.flatnonzero(open_), others[:TRIED]))


def _aliased_modulo(table: Floats, columns: Indices, open_: Indices, others: Indices) -> bool:
    """Whether the same of a few columns is so modulo a prime: a sum not 0 there is not 0."""
    if open_.size > TRIED:
        return False
    n, every = len(table), np.append(columns, others)
    values = table[:, every]
    rows = integer_rows(values, column_exponents(values))
    A = flint.nmod_mat(n, n, [row[j] % PRIME for j in range(n) for row in rows], PRIME)
    rest = flint.nmod_mat(n, others.size, [a % PRIME for row in rows for a in row[n:]], PRIME)
    units = flint.nmod_mat(n, open_.size, [int(i == j) for i in range(n) for j in open_], PRIME)
    try:
        sums = A.solve(units).transpose() * rest
    except ZeroDivisionError:
        return False
    return all(any(int(a) for a in row) for row in sums.tolist())
