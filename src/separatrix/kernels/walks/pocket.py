"""Walks that look at all rows for each update: PLA at random, the pocket, and its ratchet.

The pocket is PLA on the walking weights, and a copy of the best of them by E_in on all rows.
`walk_searching` is the algorithm. The ways beside it walk the same path faster: `pocket_scan` by a
quantised copy of the rows, or by blocks of weights counted together, `pocket_gram` by the Gram
matrix of few rows. Over a table in blocks the mistakes of every tile are counted; which of
them comes next, by its number among all or by its place, is found in one tile that is read again.
"""

from typing import NamedTuple

import numpy as np

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, certain_bound, rows_of_block, score, scores_of_block
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    CLEAN_PASS,
    COUNTED,
    FROM_HERE,
    GOING_ON,
    OVERFLOW,
    PASSES,
    PASSES_SPENT,
    POCKET_RUN,
    POSITION,
    STREAK,
    SWAPS,
    UPDATES,
    UPDATES_SPENT,
    VISITS,
    Integers,
    Progress,
    Question,
    correct,
    is_exact_mistake,
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


@compiled
def walk_with_ratchet(
    question: Question, progress: Progress, kept: Kept, turns: Integers, max_visits: int
) -> tuple[int, int]:
    """Visit the rows `turns`, correcting mistakes; return why the slice ended, and its updates."""
    rows, y, _, x0, tie, _, _, _, max_updates, _ = question
    v, bounds, state, _, _ = progress
    _, best = kept
    found = np.empty(y.size, dtype=np.int64)
    if best[0] == np.inf:  # the start is the first pocket
        best[0] = all_mistakes(question, progress, found, 0.0)[1]
    made = 0  # weights do not change within a run, so one count decides for as long as it lasts
    for i in turns:
        if best[0] == 0.0:
            return CLEAN_PASS, made
        if state[VISITS] == max_visits:
            return PASSES_SPENT, made
        certain = certain_bound(bounds[0], bounds[1], v.size)
        a = y[i] * score(rows, i, v, x0)
        mistake = not a > certain
        if mistake and not a < -certain:
            mistake = is_exact_mistake(rows, i, y[i], v, x0, tie, 0.0)
        if mistake and state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        state[VISITS] += 1
        if mistake:
            state[STREAK], state[COUNTED] = 0, 0
            made += 1
            if not correct(question, progress, i, made - 1):
                return OVERFLOW, made
            continue
        state[STREAK] += 1
        if state[STREAK] > state[POCKET_RUN] and not state[COUNTED]:
            state[COUNTED] = 1
            _, weighed = all_mistakes(question, progress, found, 0.0)
            if weighed < best[0]:
                keep(progress, kept, weighed)
                state[POCKET_RUN] = state[STREAK]
    return GOING_ON, made
