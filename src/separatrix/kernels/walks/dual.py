"""PLA on scores alone: a row's update adds its row of the Gram matrix to the scores of all rows.

The `rows` of a question are here the rows of the Gram matrix that are at hand: ``rows[slots[i]]``
is that of row i, where slots[i] >= 0. The `v` of the progress are the scores of all rows (N,).
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, inlined
from separatrix.kernels.rows import Floats, Rows, add_row, score_in_order
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    FROM_START,
    GOING_ON,
    PASSES,
    PASSES_SPENT,
    POSITION,
    STREAK,
    UPDATES,
    UPDATES_SPENT,
    Progress,
    Question,
)

# a row of the Gram matrix is wanted that is not at hand; the walk goes on where it stands
ROW_WANTED = 6


@compiled
def products(left: Rows, k: int, right: Rows, n: int, d: int) -> Floats:
    """Return x_k.x_i for row k of `left` and all n rows of `right` (d columns): (n,)."""
    w = np.zeros(d + 1)
    add_row(left, k, 1.0, w, 0.0)
    values = np.empty(n)
    for i in range(n):
        values[i] = score_in_order(right, i, w, 0.0)
    return values


@inlined
def is_wrong(score: float, y: float, tie: float) -> bool:
    """Whether the sign of a score is not y."""
    return tie != y if score == 0.0 else (score > 0.0) != (y > 0.0)


@inlined
def _correct(
    question: Question, progress: Progress, slots: NDArray[np.int64], i: int, made: int
) -> None:
    """Add row i of the Gram matrix, which is at hand, to the scores of all rows."""
    cache, y, _, _, _, _, _, _, _, _ = question
    scores, _, state, counts, visited = progress
    row = cache[slots[i]]
    for j in range(y.size):
        scores[j] += y[i] * row[j]
    state[UPDATES] += 1
    counts[i] += 1
    visited[made] = i


@compiled
def walk_on_gram(
    question: Question, progress: Progress, slots: NDArray[np.int64], max_visits: int
) -> tuple[int, int]:
    """Go on as PLA in order does; return why the slice ended and how many updates it made."""
    _, y, order, _, tie, _, _, rule, max_updates, max_passes = question
    scores, _, state, _, visited = progress
    n = y.size
    made = 0
    for _ in range(max_visits):
        if state[STREAK] == n:
            return CLEAN_PASS, made
        if made == visited.size:
            break
        p = state[POSITION]
        if p == 0 and state[PASSES] == max_passes:
            return PASSES_SPENT, made
        i = order[p]
        wrong = is_wrong(scores[i], y[i], tie)
        if wrong and state[UPDATES] < max_updates and slots[i] < 0:
            return ROW_WANTED, made
        if p == 0:
            state[PASSES] += 1
        if not wrong:
            state[STREAK] += 1
            state[POSITION] = (p + 1) % n
            continue
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        _correct(question, progress, slots, i, made)
        made += 1
        state[STREAK] = 0
        state[POSITION] = 0 if rule == FROM_START else (p + 1) % n
    return GOING_ON, made


@compiled
def walk_on_gram_at_random(
    question: Question, progress: Progress, slots: NDArray[np.int64], draws: Floats
) -> tuple[int, int]:
    """Go on as PLA at random does; `draws`, in [0, 1), are one per update."""
    _, y, _, _, tie, _, _, _, max_updates, max_passes = question
    scores, _, state, _, _ = progress
    n = y.size
    found = np.empty(n, dtype=np.int64)
    made = 0
    while made < draws.size:
        if state[PASSES] == max_passes:
            return PASSES_SPENT, made
        n_found = 0
        for i in range(n):
            if is_wrong(scores[i], y[i], tie):
                found[n_found] = i
                n_found += 1
        state[PASSES] += 1
        if n_found == 0:
            state[STREAK] = n
            return CLEAN_PASS, made
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        i = found[int(draws[made] * n_found)]
        state[POSITION] = i
        if slots[i] < 0:
            state[PASSES] -= 1
            return ROW_WANTED, made
        _correct(question, progress, slots, i, made)
        made += 1
    return GOING_ON, made
