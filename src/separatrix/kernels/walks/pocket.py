"""The pocket: PLA on the walking weights, and a copy of the best of them by E_in on all rows."""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import Floats, Rows, certain_bound
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    GOING_ON,
    OVERFLOW,
    UPDATES_SPENT,
    all_mistakes,
    correct,
)
from separatrix.kernels.walks.pocket_scan import AT_RANDOM, FROM_HERE, POSITION, SWAPS, UPDATES


@compiled
def _choice(found: NDArray[np.int64], n_found: int, rule: int, position: int, draw: float) -> int:
    """Return the position of the mistake to correct; `found` is in increasing order."""
    if rule == AT_RANDOM:
        return int(found[int(draw * n_found)])
    if rule == FROM_HERE:
        k = np.searchsorted(found[:n_found], position)
        return int(found[k % n_found])
    return int(found[0])


@compiled
def walk_with_pocket(
    rows: Rows,
    y: Floats,
    order: NDArray[np.int64],
    rule: int,
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
    draws: Floats,
    max_updates: int,
) -> tuple[int, int]:
    """Go on for at most `draws.size` updates.

    One scan of all rows at the walking weights serves twice: it weighs their mistakes, so that a
    strictly better v is *copied* into the pocket (best[0] = its weighed mistakes), and it finds the
    mistakes to choose the next from. Returns why the slice ended and its number of updates.
    """
    found = np.empty(order.size, dtype=np.int64)
    n_visited = 0
    while True:
        certain = certain_bound(bounds[0], bounds[1], v.size)
        n_found, weighed = all_mistakes(rows, y, order, v, x0, tie, certain, weight, found)
        if weighed < best[0]:
            best[0] = weighed
            pocket[:] = v
            if state[UPDATES] > 0:
                state[SWAPS] += 1
        if n_found == 0 or best[0] == 0.0:
            return CLEAN_PASS, n_visited
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, n_visited
        if n_visited == draws.size:
            return GOING_ON, n_visited
        p = _choice(found, n_found, rule, state[POSITION], draws[n_visited])
        i = order[p]
        finite = correct(rows, i, y, v, x0, bounds, counts)
        visited[n_visited] = i
        n_visited += 1
        state[UPDATES] += 1
        state[POSITION] = p + 1
        if not finite:
            return OVERFLOW, n_visited
