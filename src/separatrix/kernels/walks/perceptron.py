"""PLA: visit rows, add each mistake to the weights, and go on until a whole pass meets none.

Rows may be a block of a longer table: places count from its first row, and a walk goes on in the
next block where it left the one before. Learners call in slices: a call goes on from where
`Progress` stands and returns why it ended, and how many updates it made.

The path is canonical: a sign is that of the float score, unless a bound on the rounding error that
any score of any row can have (`rows.certain_bound`, from a bound on |v|^2 that grows with the
updates) leaves it in doubt; then it is decided exactly. So summation order, vector width and layout
cannot change which row is visited; weights take one rounding per component and update. For speed
one loop scores and corrects, many mistakes under one bound; and once mistakes are rare, rows that
surely are right are passed over by their float32 scores (`float32_filter`).
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, inlined, part
from separatrix.kernels.error_bound import UNDERFLOWN, UNIT_ROUNDOFF
from separatrix.kernels.exact import signed_excess, signed_score
from separatrix.kernels.rows import Floats, Rows, add_row, certain_bound, score
from separatrix.kernels.walks.float32_filter import BLOCK, Float32s, first_held, set_weights

T = TypeVar("T")
Integers = NDArray[np.int64]

# why a slice of a walk ended; ELSEWHERE: the next row is not in this block
GOING_ON, CLEAN_PASS, UPDATES_SPENT, PASSES_SPENT, OVERFLOW, ELSEWHERE = 0, 1, 2, 3, 4, 5

# Progress.state: where the walk stands, correct rows in a row, updates T, passes begun, times that
# a pocket changed, and, of the ratchet, visits, the run of the pocket, whether v has been counted;
# of a passive-aggressive walk the updates on rows whose score was not right, and of a walk in order
# the rows that were decided exactly
POSITION, STREAK, UPDATES, PASSES, SWAPS, VISITS, POCKET_RUN, COUNTED = 0, 1, 2, 3, 4, 5, 6, 7
MISTAKES, DECIDED = 5, 6

# where the next mistake is searched for: from the next row on, from row 1, or drawn among all
FROM_HERE, FROM_START, AT_RANDOM = 0, 1, 2


class Question(NamedTuple):
    """What is asked of a walk, unchanged while it goes on."""

    rows: Rows
    y: Floats
    order: Integers  # of the visits; empty for that of the rows
    x0: float
    tie: float  # what a zero score answers: -1, +1, or 0 for neither
    margin: float  # above 0: rows with y v.x <= margin are mistakes
    weight: Floats  # what a mistake counts for a pocket; empty for one each
    rule: int  # where the next mistake is searched for
    max_updates: int
    max_passes: int


class Progress(NamedTuple):
    """Where a walk stands."""

    v: Floats  # (1+d,) weights
    bounds: Floats  # on |v|^2 and R^2
    state: Integers
    counts: Integers  # updates per row
    visited: Integers  # room for the rows of the updates of a slice


def plain(fields: T) -> T:
    """Return it as kernels receive it: Numba types plain tuples four times faster."""
    return tuple(fields)  # type: ignore[return-value, arg-type]


@part
def is_exact_mistake(
    rows: Rows, i: int, y: float, v: Floats, x0: float, tie: float, margin: float
) -> bool:
    """Whether sign(v.x_i) != y, or y v.x_i <= margin, decided without rounding."""
    if margin > 0.0:
        return bool(signed_excess(rows, i, y, v, x0, margin) <= 0.0)
    s = signed_score(rows, i, v, x0)
    h = tie if s == 0.0 else (1.0 if s > 0.0 else -1.0)
    return h != y


@part
def grown(length_squared: float, radius_squared: float) -> float:
    """Return a bound on |v + y x|^2 after a mistake: y v.x <= margin, R^2 stands for R^2 + 2 m."""
    return (length_squared + radius_squared) * (1.0 + 1e-14) + UNDERFLOWN


@inlined
def correct(question: Question, progress: Progress, i: int, made: int) -> bool:
    """Add y (1, x) of row i to v, the update `made` of a slice; return whether v stays finite."""
    rows, y, _, x0, _, _, _, _, _, _ = question
    v, bounds, state, counts, visited = progress
    add_row(rows, i, y[i], v, x0)
    bounds[0] = grown(bounds[0], bounds[1])
    state[UPDATES] += 1
    counts[i] += 1
    visited[made] = i
    finite = True
    if not bounds[0] < np.inf:  # while the bound on |v|^2 is finite, so is every component
        for j in range(v.size):
            finite = finite and bool(np.isfinite(v[j]))
    return finite


TOGETHER = 1024  # updates made with one bound on the rounding error of their scores

# correct rows in a row after which the next ones are filtered: a block costs as much as many rows
PATIENCE = 32


@part
def correct_certain(
    question: Question, progress: Progress, order: Integers | None, start: int, stop: int,
    certain: float, made: int, room: int
) -> tuple[int, int, int]:  # fmt: skip
    """Correct the mistakes of places start, ..., stop - 1, up to the first row in doubt.

    Returns where it ended, the updates of the slice (`made` before), and the last mistake's place.
    Exact arithmetic would take the loop's registers, even as a call from here (a factor of 2).
    `order` None is that of the rows: that loop does not look it up (up to a third faster).
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
        if room == 0 or not a < below:
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
def visit_in_doubt(
    question: Question, progress: Progress, first: int, n: int, made: int
) -> tuple[int, int]:
    """Visit the row where the walk stands, deciding it exactly."""
    rows, y, order, x0, tie, margin, _, rule, max_updates, _ = question
    v, _, state, _, _ = progress
    p = state[POSITION]
    i = order[p - first] if order.size else p - first
    state[DECIDED] += 1
    if not is_exact_mistake(rows, i, y[i], v, x0, tie, margin):
        state[STREAK] += 1
        state[POSITION] = (p + 1) % n
        return GOING_ON, made
    if state[UPDATES] == max_updates:
        return UPDATES_SPENT, made
    finite = correct(question, progress, i, made)
    state[STREAK] = 0
    state[POSITION] = 0 if rule == FROM_START else (p + 1) % n
    return GOING_ON if finite else OVERFLOW, made + 1


@compiled
def walk_in_order(  # noqa: PLR0912  # a loop with several ends
    question: Question,
    progress: Progress,
    filtered: Float32s,
    radius: float,
    first: int,
    n: int,
    max_visits: int,
) -> tuple[int, int]:
    """Visit up to `max_visits` rows in order, those from `first` on of a table of n; correct."""
    _, y, order, _, _, margin, _, rule, max_updates, max_passes = question
    v, bounds, state, _, visited = progress
    together = 1 if rule == FROM_START else TOGETHER
    bound, stale = np.inf, True
    weights, sums = np.empty(v.size, dtype=np.float32), np.empty(BLOCK, dtype=np.float32)
    patience = PATIENCE if filtered.size else n
    made, visits = 0, 0
    while made < visited.size and visits < max_visits:
        place, streak = state[POSITION], state[STREAK]
        if streak == n:
            return CLEAN_PASS, made
        if place == 0 and state[PASSES] == max_passes:
            return PASSES_SPENT, made
        start = place - first
        if not 0 <= start < y.size:
            return ELSEWHERE, made
        if place == 0:
            state[PASSES] += 1
        stop = min(y.size, start + min(n - streak, max_visits - visits))
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
        if order.size:
            p, made, last = correct_certain(
                question, progress, order, start, stop, certain, made, room
            )
        else:
            p, made, last = correct_certain(
                question, progress, None, start, stop, certain, made, room
            )
        visits += p - start
        place = (first + p) % n
        state[POSITION], state[STREAK] = place, streak + p - start
        if made > before:
            stale = True
            bounds[0] = grown(bounds[0], (made - before) * bounds[1])
            state[UPDATES] += made - before
            state[STREAK] = p - last - 1
            state[POSITION] = 0 if rule == FROM_START else place
        if p == stop or made == before + room > before:
            continue
        # one that was left: in doubt, or without room
        why, made = visit_in_doubt(question, progress, first, n, made)
        if why != GOING_ON:
            return why, made
        visits, stale = visits + 1, True
    return GOING_ON, made
