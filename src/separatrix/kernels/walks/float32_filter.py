"""A floating-point filter for rows that surely are right: float32 scores, many rows at a time.

Once mistakes are rare, a pass is nearly all reading. Rows y (x0, x) / R in float32 take half the
room of their doubles. They stand in blocks of 64, column after column (blocks, 1+d, 64), so that
one instruction scores many rows; for long rows that gains little. A row that the filter does not
pass is scored again in doubles, and exactly where that is needed: so it can neither miss a mistake
nor invent one.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, compiled_any_order
from separatrix.kernels.error_bound import compiled_score_error
from separatrix.kernels.rows import Floats, Rows

Float32s = NDArray[np.float32]

BLOCK = 64
LONGEST = 256  # numbers of a row that is worth it

UNIT_ROUNDOFF_32 = 2.0**-24
LEAST_32 = 2.0**-120  # more than underflow takes from a score, even where subnormals become zero
LARGEST_LENGTH = 1e140  # of weights and rows: squares far from overflow, inverses from underflow


def new_filter(n: int, width: int) -> Float32s:
    """Return room for n rows of 1+d = width numbers."""
    return np.empty((-(-n // BLOCK), width, BLOCK), dtype=np.float32)


@compiled
def fill_filter(
    rows: Rows, y: Floats, order: NDArray[np.int64], x0: float, radius: float, filtered: Float32s
) -> None:
    """Write y (x0, x) / R of the rows into the filter, in `order`; empty for that of the rows."""
    n = y.size
    for p in range(filtered.shape[0] * BLOCK):
        k = min(p, n - 1)
        i = order[k] if order.size else k
        factor = y[i] / radius
        b, lane = p // BLOCK, p % BLOCK
        filtered[b, 0, lane] = factor * x0
        for j in range(rows.shape[1]):
            filtered[b, j + 1, lane] = factor * rows[i, j]


@compiled_any_order
def set_weights(v: Floats, radius: float, margin: float, weights: Float32s) -> float:
    """Write v / |v| into `weights`; return the largest float32 agreement that does not pass.

    That is margin / (|v| R), and a bound on the error of any such agreement: two roundings to
    float32, n products and a sum of n terms in any order, each at most u32 |v| |x| / (|v| R)
    (`kernels/error_bound.py`, which leaves room for the rounding of |v|, R and the bound itself).
    Infinite where |v| is zero or so far from 1 that these floats would not do.
    """
    length_squared = 0.0
    for j in range(v.size):
        length_squared += v[j] * v[j]
    length = np.sqrt(length_squared)
    if not 1.0 / LARGEST_LENGTH < length < LARGEST_LENGTH:
        return np.inf
    scale = 1.0 / length
    for j in range(v.size):
        weights[j] = scale * v[j]
    doubt = compiled_score_error(v.size + 2, 1.0, UNIT_ROUNDOFF_32, LEAST_32)
    return margin / length / radius * (1.0 + 4.0 * UNIT_ROUNDOFF_32) + doubt


@compiled_any_order
def first_held(
    filtered: Float32s, weights: Float32s, bound: float, start: int, stop: int, sums: Float32s
) -> int:
    """Return the first place in [start, stop) whose agreement is not above bound, or stop."""
    limit = np.float32(bound)
    for b in range(start // BLOCK, (stop + BLOCK - 1) // BLOCK):
        for k in range(BLOCK):
            sums[k] = np.float32(0.0)
        for j in range(weights.size):
            w = weights[j]
            for k in range(BLOCK):
                sums[k] += w * filtered[b, j, k]
        held = 0
        for k in range(BLOCK):
            held += not sums[k] > limit
        if held > 0:
            first = max(start - b * BLOCK, 0)
            for k in range(first, BLOCK):
                if not sums[k] > limit:
                    return min(stop, b * BLOCK + k)
    return stop
