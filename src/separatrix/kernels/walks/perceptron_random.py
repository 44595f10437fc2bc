"""PLA that draws the row to correct uniformly from all current mistakes."""

import numpy as np

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, certain_bound, score
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    GOING_ON,
    OVERFLOW,
    PASSES,
    PASSES_SPENT,
    STREAK,
    UPDATES,
    UPDATES_SPENT,
    Integers,
    Progress,
    Question,
    correct,
)


@part
def all_mistakes(question: Question, progress: Progress, found: Integers) -> tuple[int, float]:
    """Write the positions of all mistakes into `found`; return their number and E_in's weight.

    The weight counts every row with y s <= 0, zero scores included, whatever `tie` says.
    """
    rows, y, order, x0, tie, _, weight, _, _, _ = question
    v, bounds, _, _, _ = progress
    certain = certain_bound(bounds[0], bounds[1], v.size)
    n_found = 0
    weighed = 0.0
    for p in range(y.size):
        i = order[p] if order.size else p
        a = y[i] * score(rows, i, v, x0)
        if a > certain:
            continue
        if not a < -certain:
            a = y[i] * signed_score(rows, i, v, x0)
        if a < 0.0 or (a == 0.0 and tie != y[i]):
            found[n_found] = p
            n_found += 1
        if a <= 0.0:
            weighed += weight[i] if weight.size else 1.0
    return n_found, weighed


@compiled
def walk_at_random(
    question: Question, progress: Progress, draws: Floats, max_visits: int
) -> tuple[int, int]:
    """Go on until the draws, uniform in [0, 1) and one per update, or `max_visits` are used up."""
    rows, y, order, x0, _, _, _, _, max_updates, max_passes = question
    v, bounds, state, counts, visited = progress
    n = y.size
    found = np.empty(n, dtype=np.int64)
    made, visits = 0, 0
    while made < draws.size and visits < max_visits:
        if state[PASSES] == max_passes:
            return PASSES_SPENT, made
        n_found, _ = all_mistakes(question, progress, found)
        visits += n
        state[PASSES] += 1
        if n_found == 0:
            state[STREAK] = n
            return CLEAN_PASS, made
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        p = found[int(draws[made] * n_found)]
        i = order[p] if order.size else p
        finite = correct(rows, i, y[i], v, x0, bounds)
        state[UPDATES] += 1
        counts[i] += 1
        visited[made] = i
        made += 1
        if not finite:
            return OVERFLOW, made
    return GOING_ON, made
