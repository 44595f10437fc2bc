"""The span of fewer rows than columns, shown by floats: an approximate inverse and its residual.

|I - R A| = e < 1 (largest row sum) shows that A is regular, and A^-1 b within e / (1 - e) |R b| of
R b (Rump 2010, Acta Numerica 19, section 10).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from flint import nmod_mat

from separatrix.exact.integers import PRIME, Floats, Indices, column_exponents, integer_rows
from separatrix.exact.span import Span
from separatrix.kernels.error_bound import score_error
from separatrix.tiles import one_blas_thread

SMALLEST, LARGEST = -400, 400  # exponents of numbers whose products stay in float64's range
TRIED = 16  # columns at once that may show which of the others are not determined


def wide_span(rows: Floats) -> Span | None:
    """Return the span of distinct rows (n, D), n < D; None where floats do not show it."""
    n, width = rows.shape
    size = np.frexp(np.abs(rows).max(axis=0))[1]
    if not ((size > SMALLEST) & (size < LARGEST)).all():
        return None
    table = np.ldexp(rows, -size)  # exact but for what underflows, which the bounds allow for
    with one_blas_thread(), np.errstate(all="ignore"):
        for choose in (lambda _: np.arange(n), _pivots):
            columns = choose(table)
            if _aliased(table, columns):
                return Span(columns.tolist(), list(range(width)))
    return None


def _pivots(table: Floats) -> Indices:
    """Return n columns (n,) that Gaussian elimination with pivoting takes for independent."""
    places = scipy.linalg.lu(table.T, p_indices=True, check_finite=False)[0]
    return np.sort(np.argsort(places)[: len(table)])


def _aliased(table: Floats, columns: Indices) -> bool:
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
    A = nmod_mat(n, n, [row[j] % PRIME for j in range(n) for row in rows], PRIME)
    rest = nmod_mat(n, others.size, [a % PRIME for row in rows for a in row[n:]], PRIME)
    units = nmod_mat(n, open_.size, [int(i == j) for i in range(n) for j in open_], PRIME)
    try:
        sums = A.solve(units).transpose() * rest
    except ZeroDivisionError:
        return False
    return all(any(int(a) for a in row) for row in sums.tolist())
