"""Walks that look at all rows for each update: PLA at random, and the pocket.

The pocket is PLA on the walking weights, and a copy of the best of them by E_in on all rows.
`walk_searching` is the algorithm. The ways beside it walk the same path faster: `pocket_scan` by a
quantised copy of the rows, `pocket_gram` by the Gram matrix of few rows, `pocket_ahead` by blocks
of weights counted together. Over a table in blocks the mistakes of every tile are counted; which of
them comes next, by its number among all or by its place, is found in one tile that is read again.
"""

from typing import NamedTuple

import numpy as np

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, certain_bound, rows_of_block, scores_of_block
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    CLEAN_PASS,
    FROM_HERE,
    GOING_ON,
    OVERFLOW,
    PASSES,
    PASSES_SPENT,
    POSITION,
    SWAPS,
    UPDATES,
    UPDATES_SPENT,
    Integers,
    Progress,
    Question,
    correct,
)


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
def all_mistakes(
    question: Question, progress: Progress, found: Integers, weighed: float
) -> tuple[int, float]:
    """Write the positions of all mistakes into `found`; return their number, and E_in's weight.

    What they weigh is added to `weighed`.
    """
    rows, y, order, x0, tie, _, weight, _, _, _ = question
    v, bounds, _, _, _ = progress
    certain = certain_bound(bounds[0], bounds[1], v.size)
    begun = v.any()  # before the first update all rows are on the line
    size = y.size if order.size else rows_of_block(v.size)
    scores = np.empty(size)
    n_found = 0
    for start in range(0, y.size, size):
        stop = min(y.size, start + size)
        scores_of_block(rows, start, stop, v, x0, scores)
        for p in range(start, stop):
            i = order[p] if order.size else p
            a = y[i] * scores[i - start]
            found[n_found] = p
            # no branch asks for the sign: a processor guesses one row in ten wrong
            if abs(a) > certain:
                n_found += a < 0.0
                weighed += (a < 0.0) * (weight[i] if weight.size else 1.0)
                continue
            a = y[i] * signed_score(rows, i, v, x0) if begun else 0.0
            n_found += a < 0.0 or (a == 0.0 and tie != y[i])
            if a <= 0.0:
                weighed += weight[i] if weight.size else 1.0
    return n_found, weighed


@compiled
def walk_searching(
    question: Question, progress: Progress, kept: Kept, draws: Floats
) -> tuple[int, int]:
    """Go on for up to `draws.size` updates, a scan of all rows each: PLA where best is -inf."""
    _, _, order, _, _, _, _, rule, max_updates, max_passes = question
    _, _, state, _, _ = progress
    _, best = kept
    found = np.empty(order.size, dtype=np.int64)
    for made in range(draws.size):
        if state[PASSES] == max_passes:
            return PASSES_SPENT, made
        n_found, weighed = all_mistakes(question, progress, found, 0.0)
        state[PASSES] += 1
        if weighed < best[0]:
            keep(progress, kept, weighed)
        if n_found == 0 or best[0] == 0.0:
            return CLEAN_PASS, made
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        p = choice(found, n_found, rule, state[POSITION], draws[made])
        state[POSITION] = p + 1
        if not correct(question, progress, order[p], made):
            return OVERFLOW, made + 1
    return GOING_ON, draws.size
