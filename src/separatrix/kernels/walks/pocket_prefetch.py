"""The pocket where the next mistake needs no look at all rows: walk first, count later, in blocks.

In a fixed order the walk does not depend on the counts. So a block of walking weights is made, and
all of them are counted while a tile of the compact copy (`planes`) is at hand; weights that reach
the pocket's own count are out, and cost no more tiles.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import Floats, certain_bound
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    GOING_ON,
    OVERFLOW,
    UPDATES_SPENT,
    correct,
    first_mistake,
)
from separatrix.kernels.walks.pocket_scan import FROM_HERE, POSITION, UPDATES, Question, settle
from separatrix.kernels.walks.quantised import Planes, score_tile, tile_weights


@compiled
def walk_ahead(
    question: Question,
    rule: int,
    v: Floats,
    bounds: Floats,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    visited: NDArray[np.int64],
    ahead: Floats,
    max_updates: int,
) -> tuple[int, int]:
    """Write v after each of at most ``ahead.shape[0]`` updates; return why it ended, and how many.

    Changes v, bounds, state, counts as `walk_with_pocket` does, but no pocket.
    """
    rows, y, order, x0, tie, _, _ = question
    n = order.size
    for k in range(ahead.shape[0]):
        certain = certain_bound(bounds[0], bounds[1], v.size)
        start = state[POSITION] if rule == FROM_HERE else 0
        p = first_mistake(rows, y, order, start, n, v, x0, tie, 0.0, certain)
        if p == n:
            p = first_mistake(rows, y, order, 0, start, v, x0, tie, 0.0, certain)
            if p == start:
                return CLEAN_PASS, k
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, k
        if not correct(rows, order[p], y, v, x0, bounds, counts):
            return OVERFLOW, k
        visited[k] = order[p]
        ahead[k] = v
        state[UPDATES] += 1
        state[POSITION] = p + 1
    return GOING_ON, ahead.shape[0]


@compiled
def count_ahead(
    question: Question, planes: Planes, ahead: Floats, bounds: Floats, limit: float
) -> NDArray[np.int64]:
    """Return the mistakes of each of these weights (K, 1+d): exact below `limit`, else that much.

    `bounds` hold for all of them.
    """
    steps, scale, slack = planes
    n, size = question.order.size, steps.shape[2]
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
                errors[k] += settle(question, ahead[k], bounds, start, flags)[1]
    return errors
