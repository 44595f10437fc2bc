"""Exact products of doubles and integers, by float products of short limbs (Ozaki et al. 2012).

Sums of products of limbs stay below 2^53, so that floats multiply and add without any rounding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

LARGE = 1 << 15  # numbers in a table that is worth cutting
MOST_BITS = 256  # of a whole number in the table
MOST_BITS_OF_VECTOR = 4096
LARGEST_EXPONENT = 1000  # of a power of two that is multiplied by
EXACT_BITS = 53  # of integers that doubles hold


def whole_product(
    values: Floats, exponents: Indices, vector: Sequence[int], *, of_rows: bool
) -> list[int] | None:
    """Return values 2^-exponents (n, D) times a vector, exactly; None if small, or too long."""
    if values.size < LARGE:
        return None
    _, size = np.frexp(values)
    bits = int((size - exponents).max())
    bits_of_vector = max((abs(a).bit_length() for a in vector), default=0)
    if bits > MOST_BITS or bits_of_vector > MOST_BITS_OF_VECTOR:
        return None
    width = (EXACT_BITS - len(vector).bit_length()) // 2
    factors = _limbs(vector, width, -(-bits_of_vector // width))
    left = np.ldexp(values, -exponents)
    n_limbs = -(-bits // width)
    sums = np.zeros((n_limbs + len(factors), values.shape[1 if of_rows else 0]), dtype=np.int64)
    for k in reversed(range(n_limbs)):
        limb = np.trunc(np.ldexp(left, -width * k))
        left -= np.ldexp(limb, width * k)
        product = factors @ (limb if of_rows else limb.T)
        sums[k : k + len(factors)] += product.astype(np.int64)
    total = np.zeros(sums.shape[1], dtype=object)
    for digits in sums[::-1]:
        total = (total << width) + digits.astype(object)
    return [int(a) for a in total]


def short_product(values: Floats, exponents: Indices, vector: Sequence[int]) -> Floats | None:
    """Return the same, I v (n,), where floats hold all of it; else None."""
    bits_of_vector = max((abs(a).bit_length() for a in vector), default=0)
    room = EXACT_BITS - bits_of_vector - len(vector).bit_length()
    if room < 1 or not (np.abs(exponents) < LARGEST_EXPONENT).all():
        return None
    with np.errstate(over="ignore"):
        whole = values * np.ldexp(1.0, -exponents)
    if not (np.abs(whole) < 2.0**room).all():
        return None
    return np.asarray(whole @ np.array([float(a) for a in vector]))


def _limbs(vector: Sequence[int], width: int, count: int) -> Floats:
    """Return integers as limbs (count, n) of `width` bits, the lowest first, each with the sign."""
    limbs = np.zeros((max(1, count), len(vector)))
    mask = (1 << width) - 1
    for i, a in enumerate(vector):
        left, sign, k = abs(a), 1 if a > 0 else -1, 0
        while left:
            limbs[k, i] = sign * (left & mask)
            left >>= width
            k += 1
    return limbs
