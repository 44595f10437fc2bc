"""The seam between dense and sparse rows: scores, their magnitude, rows added to weights.

``isinstance(rows, tuple)`` is decided when Numba compiles, so kernels are written once for both
kinds and the machine code of each has no branch. Values may be float32: each is widened before it
is multiplied, so that they give what the same values as doubles would.

Sparse rows are (data, indices, indptr) with *unsigned* indices. A signed index may be negative,
which in Python counts from the end, and the code for that makes a pass three times slower. Unsigned
and signed integers together become floats, so nothing may be added to such an index: ``v = w[1:]``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import ask_ahead, compiled, compiled_any_order, part, part_any_order
from separatrix.kernels.error_bound import LEAST, UNDERFLOWN, UNIT_ROUNDOFF, compiled_score_error

Floats = NDArray[np.float64]

# Numba types a dense array and a tuple apart; Python's own type checker need not.
Rows = Any

# Rows x_n, dense or sparse; numbers y_n to fit (N,), -1 or +1 for yes / no; weights (N,); x0, the
# constant before each row. A plain tuple: entering a kernel with a named one takes 1 us longer.
Table = tuple[Rows, Floats, Floats, float]

# Blocks of rows that are scored and then summed stay in the cache, and are small, so that the next
# comes while one is worked on. Their rows are a multiple of 4, so that rows are added up in the
# same groups whatever the block.
BLOCK_NUMBERS = 1 << 12
LEAST_ROWS, MOST_ROWS = 32, 512


@part_any_order
def score(rows: Rows, i: int, w: Floats, x0: float) -> float:
    """Return the float score w.(1, x_i), summed in any order."""
    s = x0 * w[0]
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        v = w[1:]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            s += data[p] * v[indices[p]]
    else:
        for j in range(rows.shape[1]):
            s += rows[i, j] * w[j + 1]
    return s


@part
def score_in_order(rows: Rows, i: int, w: Floats, x0: float) -> float:
    """Return w.(1, x_i) summed in the order of the columns: same bytes, dense and sparse."""
    s = x0 * w[0]
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        v = w[1:]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            s += data[p] * v[indices[p]]
    else:
        for j in range(rows.shape[1]):
            s += rows[i, j] * w[j + 1]
    return s


@part_any_order
def doubt(rows: Rows, i: int, w: Floats, x0: float) -> float:
    """Return a bound on the rounding error of `score`; inf or nan where floats overflow."""
    m = abs(x0 * w[0])
    n = 1
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        v = w[1:]
        n += int(indptr[i + 1]) - int(indptr[i])
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            m += abs(data[p] * v[indices[p]])
    else:
        n += rows.shape[1]
        for j in range(rows.shape[1]):
            m += abs(rows[i, j] * w[j + 1])
    return compiled_score_error(n, m, UNIT_ROUNDOFF, LEAST)


@compiled
def add_row(rows: Rows, i: int, factor: float, w: Floats, x0: float) -> None:
    """Add factor (1, x_i) to w: for -1 and +1 one rounding per component, else two."""
    w[0] += factor * x0
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        v = w[1:]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            v[indices[p]] += factor * data[p]
    else:
        for j in range(rows.shape[1]):
            w[j + 1] += factor * rows[i, j]


@part
def rows_of_block(width: int) -> int:
    """Return how many rows of 1 + d = `width` numbers are scored, and then summed, together."""
    return min(MOST_ROWS, max(LEAST_ROWS, BLOCK_NUMBERS // width // 4 * 4))


@compiled_any_order
def scores_of_block(
    rows: Rows, start: int, stop: int, w: Floats, x0: float, scores: Floats
) -> None:
    """Write the float scores of rows start, ..., stop - 1, four dense rows at a time."""
    i = start
    if not isinstance(rows, tuple):
        v = w[1:]
        row_size = rows.shape[1] * rows.itemsize
        while i + 4 <= stop:
            ask_ahead(rows.ctypes.data + i * row_size, 4 * row_size)
            x, y, z, u = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            a = x0 * w[0]
            b, c, d = a, a, a
            for j in range(v.size):
                a += x[j] * v[j]
                b += y[j] * v[j]
                c += z[j] * v[j]
                d += u[j] * v[j]
            k = i - start
            scores[k], scores[k + 1], scores[k + 2], scores[k + 3] = a, b, c, d
            i += 4
    while i < stop:
        scores[i - start] = score(rows, i, w, x0)
        i += 1


@compiled_any_order
def add_block(rows: Rows, start: int, stop: int, factors: Floats, g: Floats, x0: float) -> None:
    """Add factors[0] (1, x_start) + ... to g, four dense rows at a time."""
    i = start
    if not isinstance(rows, tuple):
        h = g[1:]
        while i + 4 <= stop:
            x, y, z, u = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            k = i - start
            a, b, c, d = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
            g[0] += x0 * ((a + b) + (c + d))
            for j in range(h.size):
                h[j] += (a * x[j] + b * y[j]) + (c * z[j] + d * u[j])
            i += 4
    while i < stop:
        add_row(rows, i, factors[i - start], g, x0)
        i += 1


@compiled
def standardised(X: Floats, factor: Floats, mean: Floats, spread: Floats) -> Floats:
    """Return (X factor - mean) / spread, column by column: (n, d)."""
    found = np.empty(X.shape)
    for i in range(X.shape[0]):
        x, z = X[i], found[i]
        for j in range(factor.size):
            z[j] = (x[j] * factor[j] - mean[j]) / spread[j]
    return found


@compiled
def write_centred(X: Floats, centre: Floats, scale: Floats, out: Floats) -> None:
    """Write (X - centre) scale, column by column, into the last columns of out."""
    first = out.shape[1] - X.shape[1]
    for i in range(X.shape[0]):
        x, z = X[i], out[i, first:]
        for j in range(x.size):
            z[j] = (x[j] - centre[j]) * scale[j]


@part_any_order
def squared_length(rows: Rows, i: int, x0: float) -> float:
    """Return |(x0, x_i)|^2, rounded."""
    s = x0 * x0
    if isinstance(rows, tuple):
        data, _, indptr = rows
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            s += np.float64(data[p]) * np.float64(data[p])
    else:
        for j in range(rows.shape[1]):
            s += np.float64(rows[i, j]) * np.float64(rows[i, j])
    return s


@compiled
def squared_lengths(rows: Rows, n: int, x0: float) -> Floats:
    """Return |(x0, x_i)|^2 of all rows (n,), each summed in the order of its columns."""
    lengths = np.empty(n)
    for i in range(n):
        lengths[i] = x0 * x0
        if isinstance(rows, tuple):
            data, _, indptr = rows
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                lengths[i] += data[p] * data[p]
        else:
            for j in range(rows.shape[1]):
                lengths[i] += rows[i, j] * rows[i, j]
    return lengths


@compiled
def largest_squared_length(rows: Rows, n: int, x0: float) -> float:
    """Return R^2 = max_i |(x0, x_i)|^2, rounded."""
    best = 0.0
    for i in range(n):
        best = max(best, squared_length(rows, i, x0))
    return best


@part
def certain_of(w: Floats, radius_squared: float) -> float:
    """Return `certain_bound` for weights w, and rows of which the longest has such a square."""
    length_squared = 0.0
    for j in range(w.size):
        length_squared += w[j] * w[j]
    return certain_bound(length_squared * (1.0 + 1e-12), radius_squared * (1.0 + 1e-12), w.size)


@compiled
def certain_bound(length_squared: float, radius_squared: float, n_terms: int) -> float:
    """Return a score size above which the sign of a float score is certain, for every row.

    The magnitudes of a score's products add up to |v| R at most. Not finite when squares overflow,
    and then every row is decided exactly. Squares that underflow are made up for.
    """
    length = np.sqrt(length_squared + UNDERFLOWN)
    reach = length * np.sqrt(radius_squared + UNDERFLOWN) * (1.0 + 1e-12)
    return compiled_score_error(n_terms, reach, UNIT_ROUNDOFF, LEAST)
