"""The pocket where one look at all rows serves twice: it counts, and finds what to correct next.

Each update needs the mistakes of *all* rows at the walking weights: their weight for the pocket,
and the next row to correct. A look is a scan of the compact copy (`planes`); for few rows, see
`pocket_gram`. A row whose sign is not certain is decided exactly, so both walk the same path.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, inlined
from separatrix.kernels.rows import Floats, Rows, add_row
from separatrix.kernels.walks.perceptron import CLEAN_PASS, GOING_ON, OVERFLOW, UPDATES_SPENT, grown
from separatrix.kernels.walks.quantised import (
    DOUBTFUL,
    DOUBTS,
    FIRST_BITS,
    LAST_BYTE,
    ONLY_COUNTED,
    TO_CORRECT,
    WORD,
    Flags,
    Planes,
    Singles,
    agreement,
    score_tile,
    tile_weights,
)

# the integers of a run: where the walk stands in `order`, updates T, times the pocket changed
POSITION, UPDATES, SWAPS = 0, 1, 2

# how the next mistake is chosen among all of them
FROM_HERE, FROM_START, AT_RANDOM = 0, 1, 2

LARGEST_WHOLE = 2.0**52  # whole numbers and their sums below this are not rounded


class Question(NamedTuple):
    """What a walk is asked, unchanged while it goes on.

    ``order`` is the walking order, ``tie`` the answer of a zero score while walking, ``weight``
    what a mistake counts (empty: one each), ``whole`` whether all values of the rows are whole
    numbers.
    """

    rows: Rows
    y: Floats
    order: NDArray[np.int64]
    x0: float
    tie: float
    weight: Floats
    whole: bool


class Look(NamedTuple):
    """What a look at all rows leaves: flags in walking order, and how many in each tile."""

    flags: Flags
    found: NDArray[np.int64]
    scores: Singles


@compiled
def sums_are_exact(whole: bool, v: Floats, bounds: Floats) -> bool:
    """Whether no float sum behind a score is rounded: whole numbers, none of them too large."""
    if not whole or not bounds[0] * bounds[1] < LARGEST_WHOLE * LARGEST_WHOLE:
        return not v.any()
    return bool((v == np.rint(v)).all())


@compiled
def settle(
    question: Question, v: Floats, bounds: Floats, start: int, flags: Flags
) -> tuple[int, int]:
    """Decide the doubtful rows; return how many of them are to correct, and how many count.

    `flags` are those of positions start, start + 1, ...
    """
    rows, y, order, x0, tie, _, whole = question
    exact = sums_are_exact(whole, v, bounds)
    to_correct, counted = 0, 0
    words = flags.view(np.uint64)
    for k in range(words.size):
        if not words[k] & DOUBTS:
            continue
        for r in range(k * WORD, min(k * WORD + WORD, order.size - start)):
            if flags[r] != DOUBTFUL:
                continue
            i = order[start + r]
            a = agreement(rows, i, y, v, x0, exact)
            flags[r] = 0
            if a < 0.0 or (a == 0.0 and tie != y[i]):
                flags[r] = TO_CORRECT
                to_correct += 1
            elif a == 0.0:
                flags[r] = ONLY_COUNTED
            counted += flags[r] != 0
    return to_correct, counted


@compiled
def look_over_planes(
    question: Question, planes: Planes, v: Floats, bounds: Floats, weights: Singles, look: Look
) -> tuple[int, int]:
    """Score all rows; return how many are to correct, and how many count as mistakes."""
    steps, scale, slack = planes
    all_flags, found, scores = look
    n, size = question.order.size, scores.size
    n_found, n_counted = 0, 0
    for t in range(found.size):
        start = t * size
        flags = all_flags[start : start + size]
        band = tile_weights(v, scale, slack, t, weights)
        wrong, doubtful = score_tile(steps, t, weights, band, scores, flags)
        found[t] = wrong
        n_counted += wrong
        if doubtful > max(0, start + size - n):  # rows beyond N score 0
            more, counted = settle(question, v, bounds, start, flags)
            found[t] += more
            n_counted += counted
        n_found += found[t]
    return n_found, n_counted


@compiled
def next_flag(flags: Flags, start: int) -> int:
    """Return the first position >= start of a row to correct, or the first of all."""
    for p in range(start, flags.size):
        if flags[p] == TO_CORRECT:
            return p
    p = 0
    while flags[p] != TO_CORRECT:
        p += 1
    return p


@inlined
def numbered_flag(
    flags: Flags, words: NDArray[np.uint64], found: NDArray[np.int64], number: int
) -> int:
    """Return the position of the row to correct that has `number` of them before it.

    ``words`` are the flags, eight at a time.
    """
    t = 0
    while number >= found[t]:
        number -= found[t]
        t += 1
    k = t * (words.size // found.size)
    while True:
        # the product's highest byte is the sum of the eight flags
        here = int(((words[k] & FIRST_BITS) * FIRST_BITS) >> LAST_BYTE)
        if number < here:
            break
        number -= here
        k += 1
    p = k * WORD
    while number > 0 or flags[p] != TO_CORRECT:
        if flags[p] == TO_CORRECT:
            number -= 1
        p += 1
    return p


@compiled
def weighed(question: Question, flags: Flags) -> float:
    """Return what the mistakes weigh, added in walking order."""
    order, weight = question.order, question.weight
    total = 0.0
    for p in range(order.size):
        if flags[p]:
            total += weight[order[p]]
    return total


@compiled
def walk_with_planes(
    question: Question,
    planes: Planes,
    look: Look,
    rule: int,
    v: Floats,
    pocket: Floats,
    best: Floats,
    bounds: Floats,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    visited: NDArray[np.int64],
    draws: Floats,
    max_updates: int,
) -> tuple[int, int]:
    """Go on for at most `draws.size` updates, as `walk_with_pocket` does."""
    rows, y, order, x0, _, weight, _ = question
    flags, found, _ = look
    words = flags.view(np.uint64)
    weights = np.zeros(planes.steps.shape[1], dtype=np.float32)
    for k in range(draws.size + 1):
        n_found, counted = look_over_planes(question, planes, v, bounds, weights, look)
        weight_now = weighed(question, flags) if weight.size else float(counted)
        if weight_now < best[0]:
            keep(v, weight_now, pocket, best, state)
        if n_found == 0 or best[0] == 0.0:
            return CLEAN_PASS, k
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, k
        if k == draws.size:
            break
        if rule == AT_RANDOM:
            p = numbered_flag(flags, words, found, int(draws[k] * n_found))
        else:
            p = next_flag(flags, state[POSITION] if rule == FROM_HERE else 0)
        i = order[p]
        add_row(rows, i, y[i], v, x0)
        bounds[0] = grown(bounds[0], bounds[1])
        counts[i] += 1
        visited[k] = i
        state[UPDATES] += 1
        state[POSITION] = p + 1
        if not bounds[0] < np.inf and not np.isfinite(v).all():
            return OVERFLOW, k + 1
    return GOING_ON, draws.size


@compiled
def keep(v: Floats, weight: float, pocket: Floats, best: Floats, state: NDArray[np.int64]) -> None:
    """Copy v, strictly better than all before, into the pocket; a start is no swap."""
    best[0] = weight
    pocket[:] = v
    if state[UPDATES] > 0:
        state[SWAPS] += 1
