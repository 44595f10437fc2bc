"""PLA with scoring and correcting fused: many mistakes under one error bound, and a float filter.

The path is that of `perceptron.walk_in_order`. What it adds is speed: one loop scores and corrects,
so that a mistake costs little more than its update; and once mistakes are rare, rows that surely
are right are passed over by their float32 scores (`float32_filter`).
"""

import numpy as np

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.error_bound import UNIT_ROUNDOFF
from separatrix.kernels.rows import add_row, certain_bound, score
from separatrix.kernels.walks.certain_sign import grown, is_exact_mistake
from separatrix.kernels.walks.float32_filter import BLOCK, Float32s, first_held, set_weights
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    FROM_START,
    GOING_ON,
    OVERFLOW,
    PASSES,
    PASSES_SPENT,
    POSITION,
    STREAK,
    UPDATES,
    UPDATES_SPENT,
    Integers,
    Progress,
    Question,
    correct,
)

TOGETHER = 1024  # updates made with one bound on the rounding error of their scores

# correct rows in a row after which the next ones are filtered: a block costs as much as many rows
PATIENCE, PATIENCE_WITH_LONG_ROWS = 32, 16


@compiled
def first_mistake(question: Question, progress: Progress, start: int, stop: int) -> int:
    """Return the first position in [start, stop) whose row is a mistake, or stop."""
    rows, y, order, x0, tie, margin, _, _, _, _ = question
    v, bounds, _, _, _ = progress
    slack = certain_bound(bounds[0], bounds[1], v.size) + 4.0 * UNIT_ROUNDOFF * margin
    above, below = margin + slack, margin - slack
    for p in range(start, stop):
        i = order[p] if order.size else p
        a = y[i] * score(rows, i, v, x0)
        if a > above:
            continue
        if a < below or is_exact_mistake(rows, i, y[i], v, x0, tie, margin):
            return p
    return stop


@part
def correct_certain(
    question: Question,
    progress: Progress,
    order: Integers | None,
    start: int,
    stop: int,
    certain: float,
    made: int,
    room: int,
) -> tuple[int, int, int]:
    """Correct the mistakes of places start, ..., stop - 1 in their order, v changing under way.

    Ends at the first row in doubt, after `room` > 0 updates, or at stop. Returns where, the updates
    of the slice (`made` before), and the place of the last mistake. Exact arithmetic would take the
    loop's registers, even as a call from here (a factor of 2): it is left to the caller. `order`
    None is that of the rows, and compiles to a loop that does not look it up (up to a third
    faster). `certain` must hold for all the weights under way.
    """
    rows, y, _, x0, _, margin, _, _, _, _ = question
    v, _, _, counts, visited = progress
    slack = certain + 4.0 * UNIT_ROUNDOFF * margin
    above, below = margin + slack, margin - slack
    full = made + room
    last, p = start - 1, start
    while p < stop:
        i = p if order is None else order[p]
        a = y[i] * score(rows, i, v, x0)
        if a > above:
            p += 1
            continue
        if not a < below:
            break
        add_row(rows, i, y[i], v, x0)
        counts[i] += 1
        visited[made] = i
        made += 1
        last = p
        p += 1
        if made == full:
            break
    return p, made, last


@part
def visit_in_doubt(question: Question, progress: Progress, made: int) -> tuple[int, int]:
    """Visit the row where the walk stands, deciding it exactly."""
    rows, y, order, x0, tie, margin, _, rule, max_updates, _ = question
    v, bounds, state, counts, visited = progress
    p = state[POSITION]
    i = order[p] if order.size else p
    if not is_exact_mistake(rows, i, y[i], v, x0, tie, margin):
        state[STREAK] += 1
        state[POSITION] = (p + 1) % y.size
        return GOING_ON, made
    if state[UPDATES] == max_updates:
        return UPDATES_SPENT, made
    finite = correct(rows, i, y[i], v, x0, bounds)
    state[UPDATES] += 1
    state[STREAK] = 0
    state[POSITION] = 0 if rule == FROM_START else (p + 1) % y.size
    counts[i] += 1
    visited[made] = i
    return GOING_ON if finite else OVERFLOW, made + 1


@compiled
def walk_in_order_fused(  # noqa: PLR0912  # a loop with several ends
    question: Question, progress: Progress, filtered: Float32s, radius: float, max_visits: int
) -> tuple[int, int]:
    """Go on as `walk_in_order` does; `filtered` holds the rows in float32, or nothing."""
    _, y, order, _, _, margin, _, rule, max_updates, max_passes = question
    v, bounds, state, _, visited = progress
    n, together = y.size, 1 if rule == FROM_START else TOGETHER
    bound, stale = np.inf, True
    weights, sums = np.empty(v.size, dtype=np.float32), np.empty(BLOCK, dtype=np.float32)
    patience = PATIENCE_WITH_LONG_ROWS if filtered.shape[1] == 1 else PATIENCE
    patience = patience if filtered.size else n
    made, visits = 0, 0
    while made < visited.size and visits < max_visits:
        start, streak = state[POSITION], state[STREAK]
        if streak == n:
            return CLEAN_PASS, made
        if start == 0:
            if state[PASSES] == max_passes:
                return PASSES_SPENT, made
            state[PASSES] += 1
        stop = min(n, start + min(n - streak, max_visits - visits))
        if streak >= patience:
            if stale:
                bound, stale = set_weights(v, radius, margin, weights), False
            if bound < np.inf:
                p = first_held(filtered, weights, bound, start, stop, sums)
                visits += p - start
                streak += p - start
                start = p
        # then the filter again: its row, likely a mistake, and as many right rows as it waits for
        stop = min(stop, start + (patience - streak if streak < patience else patience + 1))
        # mistakes are corrected together under one bound on the |v| that they can lead to
        room = min(together, visited.size - made, max_updates - state[UPDATES])
        reached = (bounds[0] + room * bounds[1]) * (1.0 + 1e-14)
        if not reached < np.inf:
            room, reached = 0, bounds[0]
        certain = certain_bound(reached, bounds[1], v.size)
        before = made
        if room == 0:
            p, last = first_mistake(question, progress, start, stop), start - 1
        elif order.size:
            p, made, last = correct_certain(
                question, progress, order, start, stop, certain, made, room
            )
        else:
            p, made, last = correct_certain(
                question, progress, None, start, stop, certain, made, room
            )
        visits += p - start
        state[POSITION], state[STREAK] = p % n, streak + p - start
        if made > before:
            stale = True
            bounds[0] = grown(bounds[0], (made - before) * bounds[1])
            state[UPDATES] += made - before
            state[STREAK] = p - last - 1
            state[POSITION] = 0 if rule == FROM_START else p % n
        if p == stop or made == before + room > before:
            continue
        # one that was left: in doubt, or without room
        why, made = visit_in_doubt(question, progress, made)
        if why != GOING_ON:
            return why, made
        visits, stale = visits + 1, True
    return GOING_ON, made
