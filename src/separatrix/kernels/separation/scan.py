"""One read of all rows: the row of least score in each part, and which ones are not positive.

The read that looks for rows to work on is the proof as well: a score is counted as positive when
its float bound says so, and is otherwise decided again, exactly. Equal rows with opposite labels
are the shortest contradiction there is.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, compiled_any_order, part, part_any_order
from separatrix.kernels.error_bound import LEAST, UNIT_ROUNDOFF, compiled_score_error
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, Rows, doubt, score, squared_length


@part_any_order
def score_and_square(rows: Rows, i: int, w: Floats, x0: float) -> tuple[float, float]:
    """Return the float score w.(x0, x_i) and |(x0, x_i)|^2, in one read of the row."""
    s = x0 * w[0]
    square = x0 * x0
    if isinstance(rows, tuple):
        data, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            s += data[p] * w[indices[p] + 1]
            square += data[p] * data[p]
    else:
        x = rows[i]  # a view: LLVM makes better loops of one index than of two
        v = w[1:]
        for j in range(v.size):
            s += x[j] * v[j]
            square += x[j] * x[j]
    return s, square


@compiled_any_order
def longest_of_parts(
    rows: Rows, x0: float, starts: NDArray[np.int64], stops: NDArray[np.int64], longest: Floats
) -> None:
    """Write the largest float |(x0, x_i)|^2 of each part into `longest`."""
    for k in range(starts.size):
        most = 0.0
        for i in range(starts[k], stops[k]):
            most = max(most, squared_length(rows, i, x0))
        longest[k] = most


@compiled
def worst_of_parts(
    rows: Rows, y: Floats, w: Floats, x0: float, starts: NDArray[np.int64],
    stops: NDArray[np.int64], worst: NDArray[np.int64], least: Floats
) -> int:  # fmt: skip
    """Return the number of rows with y_i w.(x0, x_i) <= 0 in the parts, every sign exact.

    Writes the row of least agreement of each part and that agreement, a float, into `worst` and
    `least`. The magnitudes of a score's products add up to |w| |x| at most.
    """
    length_squared = 0.0
    for j in range(w.size):
        length_squared += w[j] * w[j]
    relative = compiled_score_error(w.size + 1, 1.0, UNIT_ROUNDOFF, 0.0)
    absolute = compiled_score_error(w.size + 1, 0.0, UNIT_ROUNDOFF, LEAST)
    off = relative**2 * length_squared * (1.0 + 1e-9) * 2.0
    tiny = absolute**2 * 2.0 + 1e-290  # squares that underflow are made up for
    wrong = 0
    for k in range(starts.size):
        lowest, place = np.inf, starts[k]
        for i in range(starts[k], stops[k]):
            s, square = score_and_square(rows, i, w, x0)
            a = y[i] * s
            # nan where floats overflow: then neither comparison holds
            if not (a > 0.0 and a * a > off * square + tiny):
                if not (a < 0.0 and a * a > off * square + tiny):
                    a = y[i] * signed_score(rows, i, w, x0)
                if a <= 0.0:
                    wrong += 1
            if a < lowest:
                lowest, place = a, i
        worst[k], least[k] = place, lowest
    return wrong


@compiled
def agreements(rows: Rows, y: Floats, w: Floats, x0: float) -> tuple[Floats, Floats]:
    """Return the float agreements y_i w.(x0, x_i) and bounds on their errors: (n,), (n,)."""
    values, off = np.empty(y.size), np.empty(y.size)
    for i in range(y.size):
        values[i] = y[i] * score(rows, i, w, x0)
        off[i] = doubt(rows, i, w, x0)
    return values, off


Bits = NDArray[np.uint64]

FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, odd
SHIFT = np.uint64(29)


@part
def mixed(state: np.uint64, bits: np.uint64) -> np.uint64:
    """Return the state of a 64-bit hash after another number: a multiply and a shift."""
    product = (state ^ bits) * FACTOR
    return product ^ (product >> SHIFT)


@part
def same(bits: Bits, i: int, j: int) -> bool:
    """Whether two rows are the same."""
    equal = True
    for c in range(bits.shape[1]):
        equal = equal and bits[i, c] == bits[j, c]
    return equal


@compiled
def contradictory_duplicates(
    bits: Bits, y: Floats, first: NDArray[np.int64], other: NDArray[np.int64]
) -> None:
    """Write the first row of each point, and the first equal row of the other label, into slots.

    Parameters
    ----------
    bits : (n, d) the rows' doubles as integers, without -0.0
    first, other : -1 on entry; more than n slots, a power of two of them
    """
    mask = np.uint64(first.size - 1)
    for i in range(bits.shape[0]):
        key = np.uint64(0)
        for j in range(bits.shape[1]):
            key = mixed(key, bits[i, j])
        k = np.int64(key & mask)
        while first[k] >= 0 and not same(bits, first[k], i):
            k = (k + 1) % first.size
        if first[k] < 0:
            first[k] = i
        elif other[k] < 0 and y[i] != y[first[k]]:
            other[k] = i
