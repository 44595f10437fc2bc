"""Contradictory duplicates: equal points with opposite labels, the shortest refusals."""

from __future__ import annotations

import numpy as np

from separatrix.exact.integers import Floats
from separatrix.kernels.separation.duplicates import contradictory_duplicates
from separatrix.separation.exact_simplex import Refusal


def contradictions(points: Floats, y: Floats) -> list[Refusal]:
    """Return pairs of equal points (n, d) with opposite labels, one for each such point."""
    bits = np.ascontiguousarray(points + 0.0).view(np.uint64)  # -0.0 and 0.0 differ in their bits
    slots = 1 << int(2 * len(points)).bit_length()
    first = np.full(slots, -1, dtype=np.int64)
    other = first.copy()
    contradictory_duplicates(bits, y, first, other)
    both = np.flatnonzero(other >= 0)
    both = both[np.argsort(other[both])]
    pairs = zip(first[both].tolist(), other[both].tolist(), strict=True)
    return [Refusal([a, b], [1, 1]) for a, b in pairs]
