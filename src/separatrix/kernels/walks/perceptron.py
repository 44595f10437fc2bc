"""PLA: look for a mistake, add it to the weights, and again, until a whole pass meets none.

The path is canonical. A score is compared with `certain`, a bound on the rounding error that any
score of any row can have (|v| R times the unit roundoff and the number of terms); only a score
inside that band is looked at again, exactly. So summation order, vector width and memory layout
cannot change which row is visited, and weights take one rounding per component and update. For the
same reason rows may be sieved beforehand in float32 (`sieve.py`): it only says which surely agree.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.error_bound import UNDERFLOWN, UNIT_ROUNDOFF
from separatrix.kernels.exact import signed_excess, signed_score
from separatrix.kernels.rows import (
    Floats,
    Rows,
    add_row,
    certain_bound,
    score,
)
from separatrix.kernels.walks.filter import BLOCK, Float32s, first_held, set_mesh

# why a slice of a walk ended
GOING_ON, CLEAN_PASS, UPDATES_SPENT, PASSES_SPENT, OVERFLOW = 0, 1, 2, 3, 4

# the integers of a walk: where it stands, correct rows in a row, updates T, passes begun
POSITION, STREAK, UPDATES, PASSES = 0, 1, 2, 3

TOGETHER = 1024  # updates made with one bound on the rounding error of their scores

# correct rows in a row after which the next ones are sieved: a block costs as much as many rows
PATIENCE, PATIENCE_WITH_LONG_ROWS = 32, 16


@compiled
def is_mistake(
    rows: Rows, i: int, y: Floats, v: Floats, x0: float, tie: float, margin: float
) -> bool:
    """Whether sign(v.x_i) != y_i, decided exactly; sign(0) is `tie`: -1, +1, or 0 for neither.

    With a margin above 0: whether y_i v.x_i <= margin.
    """
    if margin > 0.0:
        return bool(signed_excess(rows, i, y[i], v, x0, margin) <= 0.0)
    s = signed_score(rows, i, v, x0)
    h = tie if s == 0.0 else (1.0 if s > 0.0 else -1.0)
    return h != y[i]


@compiled
def first_mistake(
    rows: Rows,
    y: Floats,
    order: NDArray[np.int64] | None,
    start: int,
    stop: int,
    v: Floats,
    x0: float,
    tie: float,
    margin: float,
    certain: float,
) -> int:
    """Return the first position in [start, stop) whose row is a mistake, or stop.

    ``order`` None is the order of the rows, and compiles to a loop without the lookup.
    """
    slack = certain + 4.0 * UNIT_ROUNDOFF * margin
    above, below = margin + slack, margin - slack
    for p in range(start, stop):
        i = p if order is None else order[p]
        a = y[i] * score(rows, i, v, x0)
        if a > above:
            continue
        if a < below or is_mistake(rows, i, y, v, x0, tie, margin):
            return p
    return stop


@compiled
def all_mistakes(
    rows: Rows,
    y: Floats,
    order: NDArray[np.int64],
    v: Floats,
    x0: float,
    tie: float,
    certain: float,
    weight: Floats,
    found: NDArray[np.int64],
) -> tuple[int, float]:
    """Write the positions of all mistakes into `found`; return their number and E_in's weight.

    The weight counts every row with y s <= 0, zero scores included, whatever `tie` says.
    """
    n_found = 0
    weighed = 0.0
    for p in range(order.size):
        i = order[p]
        a = y[i] * score(rows, i, v, x0)
        if a > certain:
            continue
        if not a < -certain:
            a = y[i] * signed_score(rows, i, v, x0)
        if a < 0.0 or (a == 0.0 and tie != y[i]):
            found[n_found] = p
            n_found += 1
        if a <= 0.0:
            weighed += weight[i]
    return n_found, weighed


@compiled
def grown(length_squared: float, radius_squared: float) -> float:
    """Return a bound on |v + y x|^2 after a mistake: y v.x <= 0, so at most |v|^2 + R^2.

    With a margin the caller's R^2 is R^2 + 2 margin: too large where R alone would do, never small.
    """
    return (length_squared + radius_squared) * (1.0 + 1e-14) + UNDERFLOWN


@compiled
def correct(
    rows: Rows, i: int, y: Floats, v: Floats, x0: float, bounds: Floats, counts: NDArray[np.int64]
) -> bool:
    """V <- v + y_i (1, x_i), counted; return whether v still is finite."""
    add_row(rows, i, y[i], v, x0)
    bounds[0] = grown(bounds[0], bounds[1])
    counts[i] += 1
    # while the bound on |v|^2 is finite, so is every component
    return bool(bounds[0] < np.inf or np.isfinite(v).all())


@compiled
def correct_certain(
    rows: Rows,
    y: Floats,
    order: NDArray[np.int64] | None,
    sieve: Float32s | None,
    radius: float,
    start: int,
    stop: int,
    calm: bool,
    v: Floats,
    x0: float,
    margin: float,
    certain: float,
    counts: NDArray[np.int64],
    visited: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Correct the mistakes of places start, ..., stop - 1 in their order, v changing under way.

    Ends at the first row in doubt, the first mistake for which there is no room in `visited`, or
    stop. Returns where, how many mistakes were corrected, and the place of the last of them. One
    loop scores and corrects, so that a mistake costs little more than its update; it holds no exact
    arithmetic, which is rare and would take its registers. ``certain`` must hold for all the
    weights under way.

    With a sieve, the rows behind some that passed (`calm`: before start, too) are sieved first.
    """
    slack = certain + 4.0 * UNIT_ROUNDOFF * margin
    above, below = margin + slack, margin - slack
    made, last, p = 0, start - 1, start
    if sieve is not None:
        sums, mesh = np.empty(BLOCK, dtype=np.float32), np.empty(v.size, dtype=np.float32)
        bound = set_mesh(v, radius, margin, mesh)
        patience = PATIENCE if sieve.ndim == 3 else PATIENCE_WITH_LONG_ROWS
        sieved_from = start if calm else start + patience
        stale = False
    while p < stop:
        if sieve is not None and p >= sieved_from:
            if stale:
                bound, stale = set_mesh(v, radius, margin, mesh), False
            if bound < np.inf:
                p = first_held(sieve, mesh, bound, p, stop, sums)
                if p == stop:
                    break
            sieved_from = p + patience
        i = p if order is None else order[p]
        a = y[i] * score(rows, i, v, x0)
        if a > above:
            p += 1
            continue
        if not a < below or made == visited.size:
            break
        add_row(rows, i, y[i], v, x0)
        counts[i] += 1
        visited[made] = i
        made += 1
        last = p
        p += 1
        if sieve is not None:
            stale, sieved_from = True, p + patience
    return p, made, last


@compiled
def walk_in_order(
    rows: Rows,
    y: Floats,
    order: NDArray[np.int64] | None,
    sieve: Float32s | None,
    radius: float,
    restart: bool,
    v: Floats,
    x0: float,
    tie: float,
    margin: float,
    bounds: Floats,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    visited: NDArray[np.int64],
    max_updates: int,
    max_passes: int,
    max_visits: int,
) -> tuple[int, int]:
    """Go on walking in a fixed order (naive when `restart`: from row 1 after every update).

    ``order`` None is the order of the rows; ``sieve`` (see `sieve.py`) holds the rows in that order
    or is None: what is None compiles to a loop without it. A row with y v.x <= margin counts as a
    mistake (margin 0: as `tie` says).

    Changes v, bounds = [|v|^2 bound, R^2], state and counts (updates per row) in place and writes
    the rows of this slice's updates into `visited`; returns why it ended and how many those are.
    """
    n = y.size
    n_visited = 0
    visits = 0
    while True:
        if state[STREAK] == n:
            return CLEAN_PASS, n_visited
        if n_visited == visited.size or visits >= max_visits:
            return GOING_ON, n_visited
        if state[POSITION] == 0:
            if state[PASSES] == max_passes:
                return PASSES_SPENT, n_visited
            state[PASSES] += 1
        start, streak = state[POSITION], state[STREAK]
        stop = min(n, start + min(n - streak, max_visits - visits))
        # mistakes are corrected together under one bound on the |v| that they can lead to
        room = min(TOGETHER, visited.size - n_visited, max_updates - state[UPDATES])
        reached = (bounds[0] + room * bounds[1]) * (1.0 + 1e-14)
        if restart or not reached < np.inf:
            room, reached = 0, bounds[0]
        certain = certain_bound(reached, bounds[1], v.size)
        p, made, last = correct_certain(
            rows, y, order, sieve, radius, start, stop, streak >= PATIENCE, v, x0, margin, certain,
            counts, visited[n_visited : n_visited + room],
        )  # fmt: skip
        bounds[0] = grown(bounds[0], made * bounds[1])
        visits += p - start
        n_visited += made
        state[UPDATES] += made
        state[STREAK] = p - last - 1 if made > 0 else streak + p - start
        state[POSITION] = p % n
        if p == stop:
            continue
        # one that was left: in doubt, or without room
        i = p if order is None else order[p]
        if not is_mistake(rows, i, y, v, x0, tie, margin):
            state[STREAK] += 1
            state[POSITION] = (p + 1) % n
            visits += 1
            continue
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, n_visited
        if n_visited == visited.size:
            return GOING_ON, n_visited
        finite = correct(rows, i, y, v, x0, bounds, counts)
        visited[n_visited] = i
        n_visited += 1
        visits += 1
        state[UPDATES] += 1
        state[STREAK] = 0
        state[POSITION] = 0 if restart else (p + 1) % n
        if not finite:
            return OVERFLOW, n_visited


@compiled
def walk_at_random(
    rows: Rows,
    y: Floats,
    order: NDArray[np.int64],
    v: Floats,
    x0: float,
    tie: float,
    bounds: Floats,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    visited: NDArray[np.int64],
    draws: Floats,
    max_updates: int,
    max_passes: int,
    max_visits: int,
) -> tuple[int, int]:
    """Go on walking, each time correcting a mistake drawn uniformly from all there are.

    `draws` are uniform in [0, 1), one per update of this slice; the rest is as in `walk_in_order`.
    """
    n = order.size
    found = np.empty(n, dtype=np.int64)
    ones = np.ones(n)
    n_visited = 0
    visits = 0
    while n_visited < draws.size and visits < max_visits:
        if state[PASSES] == max_passes:
            return PASSES_SPENT, n_visited
        certain = certain_bound(bounds[0], bounds[1], v.size)
        n_found, _ = all_mistakes(rows, y, order, v, x0, tie, certain, ones, found)
        visits += n
        state[PASSES] += 1
        if n_found == 0:
            state[STREAK] = n
            return CLEAN_PASS, n_visited
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, n_visited
        i = order[found[int(draws[n_visited] * n_found)]]
        finite = correct(rows, i, y, v, x0, bounds, counts)
        visited[n_visited] = i
        n_visited += 1
        state[UPDATES] += 1
        if not finite:
            return OVERFLOW, n_visited
    return GOING_ON, n_visited
