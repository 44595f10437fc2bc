"""Equal rows with opposite labels: the shortest contradiction there is."""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.rows import Floats

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
