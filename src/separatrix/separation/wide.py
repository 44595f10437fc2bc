"""Fewer rows than columns: in general position some line has any score wanted on every row.

The shortest w with Z w = 1 is Z' a with Z Z' a = 1, a system as large as the rows. Floats solve it;
what they find is a line if every row's score is above 0, which is decided exactly.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.linalg

from separatrix.exact.integers import Floats, fractions_of
from separatrix.exact.signed_rows import SignedRows

LARGE = 1 << 16  # numbers in a table, below which few rows decide at once
LARGEST_EXPONENT = 400  # of a row's length, whose square is in float64's range


def interpolating_line(table: SignedRows) -> list[Fraction] | None:
    """Return a line (D,) that separates, proven; None where rows are dependent, or nearly so."""
    if table.n > table.width or table.n * table.width < LARGE:
        return None
    values = table.floats()
    exponents = np.frexp(np.abs(values).max(axis=1, initial=0.0))[1]
    if not (np.abs(exponents) < LARGEST_EXPONENT).all():
        return None
    unit = np.ldexp(values, -exponents[:, np.newaxis])
    try:
        factor = scipy.linalg.cho_factor(unit @ unit.T, check_finite=False)
    except scipy.linalg.LinAlgError:
        return None
    multipliers = scipy.linalg.cho_solve(factor, np.ones(table.n), check_finite=False)
    line = np.asarray(multipliers @ unit)
    if not np.isfinite(line).all() or table.scan(table.float_weights(line))[0]:
        return None
    return fractions_of(line)


def triangular(points: Floats) -> Floats:
    """Return (n, min(n, k)) rows with the inner products of the points (n, k), up to rounding."""
    if len(points) >= points.shape[1]:
        return points
    triangle = scipy.linalg.qr(points.T, mode="r", check_finite=False)[0]
    return np.ascontiguousarray(triangle[: len(points)].T)
