"""Passive-aggressive steps: leave a row with a score beyond 1 alone, else move just far enough."""

import numpy as np

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.rows import Floats, Rows, add_row, score_in_order
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    ELSEWHERE,
    GOING_ON,
    MISTAKES,
    OVERFLOW,
    PASSES,
    PASSES_SPENT,
    POSITION,
    STREAK,
    UPDATES,
    UPDATES_SPENT,
    Progress,
    Question,
)


@part
def _finite(rows: Rows, i: int, w: Floats) -> bool:
    """Whether the weights are finite that adding row i has changed."""
    if isinstance(rows, tuple):
        _, indices, indptr = rows
        v = w[1:]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            if not np.isfinite(v[indices[p]]):
                return False
        return bool(np.isfinite(w[0]))
    finite = True
    for j in range(w.size):
        finite = finite and np.isfinite(w[j])
    return finite


@compiled
def walk_passively(
    question: Question, progress: Progress, lengths: Floats, cap: float, soft: float, first: int,
    n: int, max_visits: int
) -> int:  # fmt: skip
    """Visit up to `max_visits` rows; one with e = 1 - y w.x > 0 moves w. Return why it ended."""
    rows, y, order, x0, _, _, _, _, max_updates, max_passes = question
    w, _, state, counts, _ = progress
    for _ in range(max_visits):
        if state[STREAK] == n:
            return CLEAN_PASS
        place = state[POSITION]
        if place == 0 and state[PASSES] == max_passes:
            return PASSES_SPENT
        p = place - first
        if not 0 <= p < y.size:
            return ELSEWHERE
        if place == 0:
            state[PASSES] += 1
        i = order[p] if order.size else p
        error = 1.0 - y[i] * score_in_order(rows, i, w, x0)
        if not error <= 0.0 and lengths[i] > 0.0:
            if state[UPDATES] == max_updates:
                return UPDATES_SPENT
            tau = min(cap, error / (lengths[i] + soft))
            add_row(rows, i, tau * y[i], w, x0)
            if not _finite(rows, i, w):
                return OVERFLOW
            state[UPDATES] += 1
            state[MISTAKES] += 1 if error >= 1.0 else 0
            counts[i] += 1
            state[STREAK] = 0
        else:
            state[STREAK] += 1
        state[POSITION] = (place + 1) % n
    return GOING_ON
