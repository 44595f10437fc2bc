"""Medians of columns of any length, outside each of several folds of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats

BITS = 64
DIGIT = 8  # bits
SIGN = np.uint64(1 << 63)

Folded = tuple[Floats, NDArray[np.int64]]  # numbers of rows (n, d), and the fold each is in (n,)


def medians(parts: Callable[[], Iterator[Folded]], d: int, folds: int = 1) -> Floats:
    """Return the medians of the columns outside each fold (folds, d), 0 of nothing but NaN.

    The bits of a double, as an integer that orders as the numbers do, are fixed eight at a time:
    each pass counts what the next digit is among the numbers that share the digits before.
    """
    there = np.zeros((d, folds + 1), dtype=np.int64)
    for values, fold_of in parts():
        for j, column in enumerate(values.T):
            there[j] += np.bincount(fold_of[~np.isnan(column)], minlength=folds + 1)
    counts = (there.sum(axis=1, keepdims=True) - there[:, :folds]).T
    pair = _ranked(parts, np.stack([np.maximum(counts - 1, 0) // 2, counts // 2], axis=-1))
    with np.errstate(over="ignore"):
        found = pair.mean(axis=-1)
    found = np.where(np.isfinite(found), found, 2.0 * (pair / 2.0).mean(axis=-1))
    return np.where(counts, found, 0.0)


def _ranked(parts: Callable[[], Iterator[Folded]], rank: NDArray[np.int64]) -> Floats:
    """Return the numbers of these ranks (folds, d, 2), from 0, of each column outside each fold."""
    folds = len(rank)
    left, prefix = rank.copy(), np.zeros(rank.shape, dtype=np.uint64)
    for shift in range(BITS - DIGIT, -1, -DIGIT):
        seen = np.zeros((*rank.shape, 1 << DIGIT), dtype=np.int64)
        for values, fold_of in parts():
            for j, column in enumerate(values.T):
                there = ~np.isnan(column)
                keys = _keys(column[there]) >> np.uint64(shift)
                slots = (fold_of[there] << DIGIT) + (keys & np.uint64((1 << DIGIT) - 1)).view("i8")
                for known in np.unique(prefix[:, j]):
                    same = keys >> np.uint64(DIGIT) == known
                    of = np.bincount(slots[same], minlength=(folds + 1) << DIGIT)
                    of = of.reshape(folds + 1, 1 << DIGIT)
                    k, which = np.nonzero(prefix[:, j] == known)
                    seen[k, j, which] += of.sum(axis=0) - of[k]
        upto = np.cumsum(seen, axis=-1)
        digit = np.minimum((upto <= left[..., np.newaxis]).sum(axis=-1), (1 << DIGIT) - 1)
        before = np.take_along_axis(upto, np.maximum(digit - 1, 0)[..., np.newaxis], axis=-1)
        left -= np.where(digit > 0, before[..., 0], 0)
        prefix = (prefix << np.uint64(DIGIT)) | digit.astype(np.uint64)
    bits = np.where(prefix & SIGN, prefix ^ SIGN, ~prefix)
    return bits.view(np.float64)


def _keys(values: Floats) -> NDArray[np.uint64]:
    """Return integers that order as the numbers do."""
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # + 0.0: -0 is 0
    return np.where(bits & SIGN, ~bits, bits | SIGN)
