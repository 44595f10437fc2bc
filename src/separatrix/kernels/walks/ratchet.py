"""Gallant's ratchet: the pocket changes after a longer run of correct rows, if the count agrees."""

import numpy as np

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import certain_bound, score
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    COUNTED,
    GOING_ON,
    OVERFLOW,
    PASSES_SPENT,
    POCKET_RUN,
    STREAK,
    UPDATES,
    UPDATES_SPENT,
    VISITS,
    Integers,
    Progress,
    Question,
    correct,
    is_exact_mistake,
)
from separatrix.kernels.walks.pocket import Kept, all_mistakes, keep


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
