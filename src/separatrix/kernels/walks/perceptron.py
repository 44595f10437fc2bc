"""PLA: visit rows, add each mistake to the weights, and go on until a whole pass meets none.

`walk_in_order` is the algorithm, and the reference that tests compare with. Learners call
`perceptron_fused`, which walks the same path faster, or `perceptron_random`, which draws among all
mistakes. They do so in slices: a call goes on from where `Progress` stands and returns why it
ended, and how many updates it made.

The path is canonical: signs are certain (`certain_sign`), so summation order, vector width and
layout cannot change which row is visited; weights take one rounding per component and update.
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, inlined
from separatrix.kernels.rows import Floats, Rows, add_row, certain_bound
from separatrix.kernels.walks.certain_sign import grown, is_mistake

T = TypeVar("T")
Integers = NDArray[np.int64]

# why a slice of a walk ended
GOING_ON, CLEAN_PASS, UPDATES_SPENT, PASSES_SPENT, OVERFLOW = 0, 1, 2, 3, 4

# Progress.state: where the walk stands, correct rows in a row, updates T, passes begun, times that
# a pocket changed, and, of the ratchet, visits, the run of the pocket, whether v has been counted;
# of a passive-aggressive walk the updates on rows whose score was not right
POSITION, STREAK, UPDATES, PASSES, SWAPS, VISITS, POCKET_RUN, COUNTED = 0, 1, 2, 3, 4, 5, 6, 7
MISTAKES = 5

# where the next mistake is searched for: from the next row on, from row 1, or drawn among all
FROM_HERE, FROM_START, AT_RANDOM = 0, 1, 2


class Question(NamedTuple):
    """What is asked of a walk, unchanged while it goes on.

    Kernels receive it as a plain tuple (`plain`), which Numba types four times faster, so they
    unpack it by position.

    `order` is that of the visits; empty for the order of the rows. A zero score answers `tie`: -1,
    +1, or 0 for neither; with a margin above 0, rows with y v.x <= margin are mistakes. `weight` is
    what a mistake counts for a pocket; empty for one each.
    """

    rows: Rows
    y: Floats
    order: Integers
    x0: float
    tie: float
    margin: float
    weight: Floats
    rule: int
    max_updates: int
    max_passes: int


class Progress(NamedTuple):
    """Where a walk stands: weights v (1+d,), bounds on |v|^2 and R^2, `state`, updates per row.

    `visited` takes the rows of the updates of a slice.
    """

    v: Floats
    bounds: Floats
    state: Integers
    counts: Integers
    visited: Integers


def plain(fields: T) -> T:
    """Return a named tuple as a plain one, as kernels receive it."""
    return tuple(fields)  # type: ignore[return-value, arg-type]


@compiled
def walk_in_order(question: Question, progress: Progress, max_visits: int) -> tuple[int, int]:
    """Visit up to `max_visits` rows in their order and correct the mistakes."""
    rows, y, order, x0, tie, margin, _, rule, max_updates, max_passes = question
    v, bounds, state, counts, visited = progress
    n, made = y.size, 0
    for _ in range(max_visits):
        if state[STREAK] == n:
            return CLEAN_PASS, made
        if made == visited.size:
            break
        p = state[POSITION]
        if p == 0:
            if state[PASSES] == max_passes:
                return PASSES_SPENT, made
            state[PASSES] += 1
        i = order[p] if order.size else p
        certain = certain_bound(bounds[0], bounds[1], v.size)
        if not is_mistake(rows, i, y[i], v, x0, tie, margin, certain):
            state[STREAK] += 1
            state[POSITION] = (p + 1) % n
            continue
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        finite = correct(rows, i, y[i], v, x0, bounds)
        state[UPDATES] += 1
        state[STREAK] = 0
        state[POSITION] = 0 if rule == FROM_START else (p + 1) % n
        counts[i] += 1
        visited[made] = i
        made += 1
        if not finite:
            return OVERFLOW, made
    return GOING_ON, made


@inlined
def correct(rows: Rows, i: int, y: float, v: Floats, x0: float, bounds: Floats) -> bool:
    """Add y (1, x_i) to v; return whether v stays finite."""
    add_row(rows, i, y, v, x0)
    bounds[0] = grown(bounds[0], bounds[1])
    finite = True
    if not bounds[0] < np.inf:  # while the bound on |v|^2 is finite, so is every component
        for j in range(v.size):
            finite = finite and bool(np.isfinite(v[j]))
    return finite
