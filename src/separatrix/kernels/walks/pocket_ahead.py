"""The pocket where the next mistake needs no scan of all rows: walk first, count later, in blocks.

In a fixed order the walk does not depend on the counts. So a block of walking weights is made, and
all of them are counted while a tile of the quantised copy is in the cache; weights that reach the
pocket's own count are out, and cost no more tiles.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import Floats, certain_bound, score
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    FROM_HERE,
    GOING_ON,
    OVERFLOW,
    POSITION,
    UPDATES,
    UPDATES_SPENT,
    Progress,
    Question,
    correct,
    is_exact_mistake,
)
from separatrix.kernels.walks.pocket_scan import settle
from separatrix.kernels.walks.quantised import Tiles, score_tile, tile_weights


@compiled
def first_mistake(question: Question, progress: Progress, start: int, stop: int) -> int:
    """Return the first position in [start, stop) whose row is a mistake, or stop."""
    rows, y, order, x0, tie, _, _, _, _, _ = question
    v, bounds, _, _, _ = progress
    certain = certain_bound(bounds[0], bounds[1], v.size)
    for p in range(start, stop):
        i = order[p]
        a = y[i] * score(rows, i, v, x0)
        if a > certain:
            continue
        if a < -certain or is_exact_mistake(rows, i, y[i], v, x0, tie, 0.0):
            return p
    return stop


@compiled
def walk_ahead(question: Question, progress: Progress, ahead: Floats) -> tuple[int, int]:
    """Write v after each of at most `len(ahead)` updates; return why it ended, and how many."""
    _, _, order, _, _, _, _, rule, max_updates, _ = question
    v, _, state, _, _ = progress
    n = order.size
    for k in range(ahead.shape[0]):
        start = state[POSITION] if rule == FROM_HERE else 0
        p = first_mistake(question, progress, start, n)
        if p == n:
            p = first_mistake(question, progress, 0, start)
            if p == start:
                return CLEAN_PASS, k
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, k
        state[POSITION] = p + 1
        if not correct(question, progress, order[p], k):
            return OVERFLOW, k
        for j in range(v.size):
            ahead[k, j] = v[j]
    return GOING_ON, ahead.shape[0]


@compiled
def count_ahead(
    question: Question, tiles: Tiles, ahead: Floats, bounds: Floats, limit: float
) -> NDArray[np.int64]:
    """Return the mistakes of weights (K, 1+d): exact below `limit`, else that much."""
    steps, scale, slack, whole = tiles
    _, y, _, _, _, _, _, _, _, _ = question
    n, size = y.size, steps.shape[2]
    weights = np.zeros(steps.shape[1], dtype=np.float32)
    scores, flags = np.empty(size, dtype=np.float32), np.empty(size, dtype=np.uint8)
    errors = np.zeros(ahead.shape[0], dtype=np.int64)
    for t in range(steps.shape[0]):
        start = t * size
        for k in range(errors.size):
            if errors[k] >= limit:
                continue
            band = tile_weights(ahead[k], scale, slack, t, weights)
            wrong, doubtful = score_tile(steps, t, weights, band, scores, flags)
            errors[k] += wrong
            if doubtful > max(0, start + size - n):  # rows beyond N score 0
                errors[k] += settle(question, ahead[k], bounds, whole, start, flags)[1]
    return errors
