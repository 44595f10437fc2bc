"""Medians of columns that do not fit into memory, found digit by digit.

The bits of a double, as an integer that orders as the numbers do, are fixed twelve at a time: each
pass counts what the next digit is among the numbers that share the digits before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats

BITS = 64
DIGIT = 8  # bits
SIGN = np.uint64(1 << 63)


def medians(parts: Callable[[], Iterator[Floats]], d: int) -> Floats:
    """Return the median of each column (d,) without its NaN, 0 for a column of nothing else."""
    counts = np.zeros(d, dtype=np.int64)
    for values in parts():
        counts += (~np.isnan(values)).sum(axis=0)
    low = _ranked(parts, np.maximum(counts - 1, 0) // 2)
    high = _ranked(parts, counts // 2) if (counts % 2 == 0).any() else low
    found = np.zeros(d)
    for j in np.flatnonzero(counts):
        pair = np.array([low[j], high[j]] if counts[j] % 2 == 0 else [low[j]])
        with np.errstate(over="ignore"):
            median = float(np.mean(pair))
        found[j] = median if np.isfinite(median) else 2.0 * float(np.mean(pair / 2.0))
    return found


def _ranked(parts: Callable[[], Iterator[Floats]], rank: NDArray[np.int64]) -> Floats:
    """Return the number of this rank (from 0) of each column (d,)."""
    d = rank.size
    left, prefix = rank.copy(), np.zeros(d, dtype=np.uint64)
    for shift in range(BITS - DIGIT, -1, -DIGIT):
        seen = np.zeros((d, 1 << DIGIT), dtype=np.int64)
        for values in parts():
            keys = _keys(values)
            digits = ((keys >> np.uint64(shift)) & np.uint64((1 << DIGIT) - 1)).astype(np.int64)
            share = ~np.isnan(values)
            if shift + DIGIT < BITS:
                share &= (keys >> np.uint64(shift + DIGIT)) == prefix
            for j in range(d):
                seen[j] += np.bincount(digits[share[:, j], j], minlength=1 << DIGIT)
        upto = np.cumsum(seen, axis=1)
        digit = np.minimum((upto <= left[:, None]).sum(axis=1), (1 << DIGIT) - 1)
        left -= np.where(digit > 0, upto[np.arange(d), np.maximum(digit - 1, 0)], 0)
        prefix = (prefix << np.uint64(DIGIT)) | digit.astype(np.uint64)
    bits = np.where(prefix & SIGN, prefix ^ SIGN, ~prefix)
    return bits.view(np.float64)


def _keys(values: Floats) -> NDArray[np.uint64]:
    """Return integers that order as the numbers do."""
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # + 0.0: -0 is 0
    return np.where(bits & SIGN, ~bits, bits | SIGN)
