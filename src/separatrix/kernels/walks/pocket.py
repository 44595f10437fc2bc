"""The pocket: PLA on the walking weights, and a copy of the best of them by E_in on all rows.

`walk_with_pocket` is the algorithm. The ways beside it walk the same path faster: `pocket_scan` by
a quantised copy of the rows, `pocket_gram` by the Gram matrix of few rows, `pocket_ahead` by
blocks of weights counted together.
"""

from typing import NamedTuple

import numpy as np

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.rows import Floats
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    CLEAN_PASS,
    FROM_HERE,
    GOING_ON,
    OVERFLOW,
    POSITION,
    SWAPS,
    UPDATES,
    UPDATES_SPENT,
    Integers,
    Progress,
    Question,
    correct,
)
from separatrix.kernels.walks.perceptron_random import all_mistakes


class Kept(NamedTuple):
    """The pocket (1+d,), and what its mistakes weigh: best (1,)."""

    pocket: Floats
    best: Floats


@part
def keep(progress: Progress, kept: Kept, weight: float) -> None:
    """Copy v, strictly better than all before, into the pocket; a start is no swap."""
    v, _, state, _, _ = progress
    pocket, best = kept
    best[0] = weight
    for j in range(v.size):
        pocket[j] = v[j]
    if state[UPDATES] > 0:
        state[SWAPS] += 1


@part
def choice(found: Integers, n_found: int, rule: int, position: int, draw: float) -> int:
    """Return the position of the mistake to correct; `found` is in increasing order."""
    if rule == AT_RANDOM:
        return int(found[int(draw * n_found)])
    k = 0
    while rule == FROM_HERE and k < n_found and found[k] < position:
        k += 1
    return int(found[k % n_found])


@compiled
def walk_with_pocket(
    question: Question, progress: Progress, kept: Kept, draws: Floats
) -> tuple[int, int]:
    """Go on for at most `draws.size` updates; return why the slice ended, and its updates.

    One scan of all rows at the walking weights serves twice: it weighs their mistakes, so that a
    strictly better v is *copied* into the pocket, and finds the mistakes to choose the next from.
    """
    rows, y, order, x0, _, _, _, rule, max_updates, _ = question
    v, bounds, state, counts, visited = progress
    _, best = kept
    found = np.empty(order.size, dtype=np.int64)
    made = 0
    while True:
        n_found, weighed = all_mistakes(question, progress, found)
        if weighed < best[0]:
            keep(progress, kept, weighed)
        if n_found == 0 or best[0] == 0.0:
            return CLEAN_PASS, made
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        if made == draws.size:
            return GOING_ON, made
        p = choice(found, n_found, rule, state[POSITION], draws[made])
        state[POSITION] = p + 1
        i = order[p]
        finite = correct(rows, i, y[i], v, x0, bounds)
        state[UPDATES] += 1
        counts[i] += 1
        visited[made] = i
        made += 1
        if not finite:
            return OVERFLOW, made
