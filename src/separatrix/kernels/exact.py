"""The sign of a score, exactly: a float where it is certain, a long accumulator where it is not.

Every product of two doubles is an integer multiple of 2^-2148 below 2^2048, so a row of 32-bit
limbs holds any such sum without rounding, overflow or underflow (Kulisch's long accumulator). It
costs a few microseconds and is asked only for scores smaller than their own error bound.
"""

import math

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.error_bound import LEAST
from separatrix.kernels.rows import (
    Floats,
    Rows,
    certain_of,
    doubt,
    largest_squared_length,
    score,
    score_in_order,
)

MASK = (1 << 32) - 1
LOWEST = -2272  # a multiple of 32 not above (-1073 - 1073) - 106, the least exponent of a piece
N_LIMBS = 142  # up to 2^2272: the largest product and any number of carries
HALF = (1 << 26) - 1


@part
def new_accumulator() -> NDArray[np.int64]:
    """Return an accumulator holding 0: limb k stands for 2^(32 k + LOWEST)."""
    limbs = np.empty(N_LIMBS, dtype=np.int64)
    for k in range(N_LIMBS):
        limbs[k] = 0
    return limbs


@part
def _add_piece(limbs: NDArray[np.int64], piece: np.int64, exponent: int, sign: int) -> None:
    """Add sign * piece * 2^exponent for 0 <= piece < 2^54. A limb grows by less than 2^33."""
    k = (exponent - LOWEST) // 32
    r = (exponent - LOWEST) % 32
    low = (piece & MASK) << r
    high = (piece >> 32) << r
    limbs[k] += sign * (low & MASK)
    limbs[k + 1] += sign * ((low >> 32) + (high & MASK))
    limbs[k + 2] += sign * (high >> 32)


@part
def add_product(limbs: NDArray[np.int64], a: float, b: float) -> None:
    """Add a * b, both finite, without any rounding."""
    if a == 0.0 or b == 0.0:
        return
    mantissa_a, exponent_a = math.frexp(a)
    mantissa_b, exponent_b = math.frexp(b)
    whole_a = np.int64(math.ldexp(abs(mantissa_a), 53))
    whole_b = np.int64(math.ldexp(abs(mantissa_b), 53))
    low_a, high_a = whole_a & HALF, whole_a >> 26
    low_b, high_b = whole_b & HALF, whole_b >> 26
    exponent = exponent_a + exponent_b - 106
    sign = 1 if (mantissa_a > 0.0) == (mantissa_b > 0.0) else -1
    _add_piece(limbs, low_a * low_b, exponent, sign)
    _add_piece(limbs, low_a * high_b, exponent + 26, sign)
    _add_piece(limbs, high_a * low_b, exponent + 26, sign)
    _add_piece(limbs, high_a * high_b, exponent + 52, sign)


@part
def rounded(limbs: NDArray[np.int64]) -> float:
    """Return the accumulated sum as a double: its sign is exact, its value good to a few ulp."""
    carry = 0
    for k in range(N_LIMBS):  # bring every limb but the last into [0, 2^32)
        total = limbs[k] + carry
        limbs[k] = total & MASK
        carry = total >> 32
    # two's complement: a negative sum has borrowed from above the last limb
    negative = carry < 0
    if negative:
        borrow = 1
        for k in range(N_LIMBS):
            total = (MASK - limbs[k]) + borrow
            limbs[k] = total & MASK
            borrow = total >> 32
    value = 0.0
    nonzero = False
    for k in range(N_LIMBS - 1, -1, -1):
        if limbs[k] != 0:
            nonzero = True
            value += math.ldexp(float(limbs[k]), 32 * k + LOWEST)
    if nonzero and value == 0.0:
        value = LEAST  # the sum underflows; its sign does not
    return -value if negative else value


@part
def add_score(limbs: NDArray[np.int64], rows: Rows, i: int, w: Floats, x0: float) -> None:
    """Add w.(1, x_i) without any rounding."""
    add_product(limbs, x0, w[0])
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        v = w[1:]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            add_product(limbs, np.float64(data[p]), v[indices[p]])
    else:
        for j in range(rows.shape[1]):
            add_product(limbs, np.float64(rows[i, j]), w[j + 1])


@part
def has_products(rows: Rows, i: int, w: Floats, x0: float) -> bool:
    """Whether w.(1, x_i) has a product of numbers that are not 0."""
    found = bool(x0 != 0.0) and bool(w[0] != 0.0)
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        v = w[1:]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            found = found or (data[p] != 0.0 and v[indices[p]] != 0.0)
    else:
        for j in range(rows.shape[1]):
            found = found or (rows[i, j] != 0.0 and w[j + 1] != 0.0)
    return found


@part
def exact_score(rows: Rows, i: int, w: Floats, x0: float) -> float:
    """Return w.(1, x_i) computed without rounding, then rounded once: the sign is exact."""
    if not has_products(rows, i, w, x0):  # as of most rows of a table of categories
        return 0.0
    limbs = new_accumulator()
    add_score(limbs, rows, i, w, x0)
    return rounded(limbs)


@part
def signed_score(rows: Rows, i: int, w: Floats, x0: float) -> float:
    """Return w.(1, x_i), a float whose *sign* is that of the exact score."""
    s = score_in_order(rows, i, w, x0)
    if abs(s) > doubt(rows, i, w, x0) and abs(s) < np.inf:
        return s
    return exact_score(rows, i, w, x0)


@part
def signed_excess(rows: Rows, i: int, y: float, w: Floats, x0: float, margin: float) -> float:
    """Return y w.(1, x_i) - margin, a float whose *sign* is exact."""
    s = y * score_in_order(rows, i, w, x0) - margin
    if abs(s) > doubt(rows, i, w, x0) and abs(s) < np.inf:
        return s
    limbs = new_accumulator()
    add_score(limbs, rows, i, w, x0)
    add_product(limbs, -y * margin, 1.0)
    return y * rounded(limbs)


@compiled
def signed_scores(rows: Rows, n: int, w: Floats, x0: float) -> Floats:
    """Return the scores of all n rows, each with its exact sign: (n,)."""
    scores = np.empty(n)
    certain = certain_of(w, largest_squared_length(rows, n, x0))
    for i in range(n):
        s = score_in_order(rows, i, w, x0)
        scores[i] = s if abs(s) > certain else signed_score(rows, i, w, x0)
    return scores


@compiled
def count_mistakes(rows: Rows, y: Floats, w: Floats, x0: float) -> int:
    """Return #{i : y_i w.(1, x_i) <= 0}, every sign exact: a zero score is a mistake."""
    certain = certain_of(w, largest_squared_length(rows, y.size, x0))
    mistakes = 0
    for i in range(y.size):
        a = y[i] * score(rows, i, w, x0)
        if a > certain:
            continue
        if a < -certain or y[i] * signed_score(rows, i, w, x0) <= 0.0:
            mistakes += 1
    return mistakes
