"""The floating-point filter: signs by floats where a bound on their error allows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from separatrix.exact.integers import (
    Floats,
    Indices,
    exact_score_signs,
    scaled_floats,
    sign,
    times_power_of_two,
)
from separatrix.kernels.error_bound import score_error


def column_sizes(values: Floats) -> Indices:
    """Return e (D,) with every |values[n, j]| < 2^e_j, for values (n, D) of n >= 1 rows."""
    return np.asarray(np.frexp(np.abs(values).max(axis=0))[1], dtype=np.int64)


def filtered_scores(
    values: Floats, weights: Sequence[Fraction], sizes: Indices
) -> tuple[Floats, Floats]:
    """Return float scores of the rows (n, D), and bounds on their errors: (n,), (n,)."""
    scaled = np.ldexp(values, -sizes)
    shifted = [times_power_of_two(w, int(e)) for w, e in zip(weights, sizes, strict=True)]
    floats = scaled_floats(shifted)
    return scaled @ floats, score_error(len(floats), np.abs(scaled) @ np.abs(floats))


def decided_signs(
    scores: Floats, off: Floats, exact: Callable[[Indices], Iterable[int] | Indices]
) -> Indices:
    """Return the signs (n,) of scores known up to `off`."""
    signs: Indices = np.sign(scores).astype(np.int64)
    doubtful = np.flatnonzero(~(np.abs(scores) > off))
    found = exact(doubtful)
    signs[doubtful] = found if isinstance(found, np.ndarray) else [sign(s) for s in found]
    return signs


def exact_signs(points: Floats, weights: Sequence[Fraction]) -> Indices:
    """Return the sign of q.w for every point q (m, D), exactly."""
    if len(points) == 0:
        return np.zeros(0, dtype=np.int64)
    scores, off = filtered_scores(points, weights, column_sizes(points))
    return decided_signs(scores, off, lambda places: exact_score_signs(points[places], weights))
