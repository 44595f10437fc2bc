"""Gallant's ratchet: the pocket changes after a longer run of correct rows, if the count agrees."""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import Floats, Rows, certain_bound
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    GOING_ON,
    OVERFLOW,
    PASSES_SPENT,
    UPDATES_SPENT,
    all_mistakes,
    correct,
    first_mistake,
)

# the integers of a run: updates T, rows visited, correct rows in a row, the run of the pocket,
# whether these weights have been counted, times the pocket changed
UPDATES, VISITS, RUN, POCKET_RUN, COUNTED, SWAPS = 0, 1, 2, 3, 4, 5


@compiled
def walk_with_ratchet(
    rows: Rows,
    y: Floats,
    turns: NDArray[np.int64],
    v: Floats,
    pocket: Floats,
    best: Floats,
    x0: float,
    tie: float,
    weight: Floats,
    bounds: Floats,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    visited: NDArray[np.int64],
    max_updates: int,
    max_visits: int,
) -> tuple[int, int]:
    """Visit the rows `turns`, correcting mistakes; return why the slice ended, and its updates.

    Weights do not change within a run, so one count of all rows (best[0] is the pocket's) decides
    for as long as the run lasts.
    """
    everything = np.arange(y.size)
    found = np.empty(y.size, dtype=np.int64)
    n_visited = 0
    for k in range(turns.size):
        if best[0] == 0.0:
            return CLEAN_PASS, n_visited
        if state[VISITS] == max_visits:
            return PASSES_SPENT, n_visited
        certain = certain_bound(bounds[0], bounds[1], v.size)
        is_correct = first_mistake(rows, y, turns, k, k + 1, v, x0, tie, 0.0, certain) > k
        if not is_correct and state[UPDATES] == max_updates:
            return UPDATES_SPENT, n_visited
        state[VISITS] += 1
        if is_correct:
            state[RUN] += 1
            if state[RUN] > state[POCKET_RUN] and not state[COUNTED]:
                state[COUNTED] = 1
                _, weighed = all_mistakes(rows, y, everything, v, x0, tie, certain, weight, found)
                if weighed < best[0]:
                    best[0] = weighed
                    pocket[:] = v
                    state[POCKET_RUN] = state[RUN]
                    state[SWAPS] += 1
            continue
        visited[n_visited] = turns[k]
        n_visited += 1
        state[UPDATES] += 1
        state[RUN], state[COUNTED] = 0, 0
        if not correct(rows, turns[k], y, v, x0, bounds, counts):
            return OVERFLOW, n_visited
    return GOING_ON, n_visited
