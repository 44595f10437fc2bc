"""Rows that may be moved, few and independent, so that sums over all rows are met exactly."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from separatrix.exact.integers import Floats
from separatrix.tiles import one_blas_thread

# Pivots below this part of the largest count as 0; where nothing balances so, the second is tried:
# columns may be independent by no more than that.
LEAST_PIVOTS = (1e-11, 1e-15)


def independent(points: Floats, room: Floats, least: float) -> tuple[list[int], list[int]]:
    """Return rows with room to move, and as many columns, that make an independent system."""
    largest = np.abs(points).max(axis=0)
    _, size = np.frexp(np.where(largest > 0, largest, 1.0))
    table = np.ldexp(points, -size)
    usable = np.flatnonzero(room > 0)
    with one_blas_thread():
        _, R, pivot = scipy.linalg.qr(
            (table[usable] * room[usable, np.newaxis]).T, mode="economic", pivoting=True
        )
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > diagonal[0] * least).sum()) if diagonal.size else 0
        rows = [int(n) for n in usable[pivot[:rank]]]
        _, _, order = scipy.linalg.qr(table[rows], mode="economic", pivoting=True)
    return rows, sorted(int(j) for j in order[:rank])
