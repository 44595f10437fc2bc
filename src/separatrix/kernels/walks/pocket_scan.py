"""The pocket where one scan of all rows serves twice: it counts, and finds what to correct next.

Each update needs the mistakes of *all* rows at the walking weights: their weight for the pocket,
and the next row to correct. They are scored by the quantised copy (`quantised`); a row whose sign
is not certain is decided exactly, so the path is that of `pocket.walk_searching`.

In a fixed order the walk does not depend on the counts. So a block of walking weights is made, and
all of them are counted while a tile of the copy is in the cache; weights that reach the pocket's
own count are out, and cost no more tiles.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, inlined, part, widest
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, certain_bound, score, score_in_order
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    CLEAN_PASS,
    FROM_HERE,
    GOING_ON,
    OVERFLOW,
    POSITION,
    UPDATES,
    UPDATES_SPENT,
    Integers,
    Progress,
    Question,
    correct,
    is_exact_mistake,
)
from separatrix.kernels.walks.pocket import Kept, keep
from separatrix.kernels.walks.quantised import (
    DOUBTFUL,
    DOUBTS,
    FIRST_BITS,
    LAST_BYTE,
    ONLY_COUNTED,
    TO_CORRECT,
    WORD,
    Flags,
    Singles,
    Tiles,
    score_tile,
    tile_weights,
)

LARGEST_WHOLE = 2.0**52  # whole numbers and their sums below this are not rounded


class Scan(NamedTuple):
    """What a scan of all rows leaves: flags in walking order, and how many in each tile."""

    flags: Flags
    found: Integers
    scores: Singles


@part
def sums_are_exact(whole: bool, v: Floats, bounds: Floats) -> bool:
    """Whether no float sum behind a score is rounded: whole numbers, none of them too large."""
    small = bounds[0] * bounds[1] < LARGEST_WHOLE * LARGEST_WHOLE
    for j in range(v.size):
        exact = v[j] == np.rint(v[j]) if whole and small else v[j] == 0.0
        if not exact:
            return False
    return True


@part
def settle(
    question: Question, v: Floats, bounds: Floats, whole: bool, start: int, flags: Flags
) -> tuple[int, int]:
    """Decide the doubtful rows; return how many of them are to correct, and how many count."""
    rows, y, order, x0, tie, _, _, _, _, _ = question
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
            if exact:
                a = y[i] * score_in_order(rows, i, v, x0)
            else:
                a = y[i] * signed_score(rows, i, v, x0)
            flags[r] = 0
            if a < 0.0 or (a == 0.0 and tie != y[i]):
                flags[r] = TO_CORRECT
                to_correct += 1
            elif a == 0.0:
                flags[r] = ONLY_COUNTED
            counted += flags[r] != 0
    return to_correct, counted


@widest
@part
def scan_tiles(
    question: Question, progress: Progress, tiles: Tiles, weights: Singles, scan: Scan
) -> tuple[int, int]:
    """Score all rows; return how many are to correct, and how many count as mistakes."""
    steps, scale, slack, whole = tiles
    all_flags, found, scores = scan
    _, y, _, _, _, _, _, _, _, _ = question
    v, bounds, _, _, _ = progress
    n, size = y.size, scores.size
    n_found, n_counted = 0, 0
    for t in range(found.size):
        start = t * size
        flags = all_flags[start : start + size]
        band = tile_weights(v, scale, slack, t, weights)
        wrong, doubtful = score_tile(steps, t, weights, band, scores, flags)
        found[t] = wrong
        n_counted += wrong
        if doubtful > max(0, start + size - n):  # rows beyond N score 0
            more, counted = settle(question, v, bounds, whole, start, flags)
            found[t] += more
            n_counted += counted
        n_found += found[t]
    return n_found, n_counted


@part
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
def numbered_flag(flags: Flags, words: NDArray[np.uint64], found: Integers, number: int) -> int:
    """Return the position of the row to correct that has `number` of them before it."""
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


@part
def weighed(question: Question, flags: Flags) -> float:
    """Return what the mistakes weigh, added in walking order."""
    _, _, order, _, _, _, weight, _, _, _ = question
    total = 0.0
    for p in range(order.size):
        if flags[p]:
            total += weight[order[p]]
    return total


@widest
@compiled
def walk_with_tiles(
    question: Question, progress: Progress, kept: Kept, tiles: Tiles, scan: Scan, draws: Floats
) -> tuple[int, int]:
    """Go on for at most `draws.size` updates, as `walk_searching` does."""
    _, _, order, _, _, _, weight, rule, max_updates, _ = question
    _, _, state, _, _ = progress
    _, best = kept
    steps, _, _, _ = tiles
    flags, found, _ = scan
    words = flags.view(np.uint64)
    weights = np.zeros(steps.shape[1], dtype=np.float32)
    for k in range(draws.size + 1):
        n_found, counted = scan_tiles(question, progress, tiles, weights, scan)
        weight_now = weighed(question, flags) if weight.size else float(counted)
        if weight_now < best[0]:
            keep(progress, kept, weight_now)
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
        state[POSITION] = p + 1
        if not correct(question, progress, order[p], k):
            return OVERFLOW, k + 1
    return GOING_ON, draws.size


@part
def first_mistake(question: Question, progress: Progress, start: int, stop: int) -> int:
    """Return the first position in [start, stop) whose row is a mistake, or stop."""
    rows, y, order, x0, tie, _, _, _, _, _ = question
    v, bounds, _, _, _ = progress
    certain = certain_bound(bounds[0], bounds[1], v.size)
    for p in range(start, stop):
        i = order[p]
        a = y[i] * score(rows, i, v, x0)
        if a > certain:
            continue
        if a < -certain or is_exact_mistake(rows, i, y[i], v, x0, tie, 0.0):
            return p
    return stop


@compiled
def walk_ahead(question: Question, progress: Progress, ahead: Floats) -> tuple[int, int]:
    """Write v after each of at most `len(ahead)` updates; return why it ended, and how many."""
    _, _, order, _, _, _, _, rule, max_updates, _ = question
    v, _, state, _, _ = progress
    n = order.size
    for k in range(ahead.shape[0]):
        start = state[POSITION] if rule == FROM_HERE else 0
        p = first_mistake(question, progress, start, n)
        if p == n:
            p = first_mistake(question, progress, 0, start)
            if p == start:
                return CLEAN_PASS, k
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, k
        state[POSITION] = p + 1
        if not correct(question, progress, order[p], k):
            return OVERFLOW, k
        for j in range(v.size):
            ahead[k, j] = v[j]
    return GOING_ON, ahead.shape[0]


@widest
@compiled
def count_ahead(
    question: Question, tiles: Tiles, ahead: Floats, bounds: Floats, limit: float
) -> NDArray[np.int64]:
    """Return the mistakes of weights (K, 1+d): exact below `limit`, else that much."""
    steps, scale, slack, whole = tiles
    _, y, _, _, _, _, _, _, _, _ = question
    n, size = y.size, steps.shape[2]
    weights = np.zeros(steps.shape[1], dtype=np.float32)
    scores, flags = np.empty(size, dtype=np.float32), np.empty(size, dtype=np.uint8)
    errors = np.zeros(ahead.shape[0], dtype=np.int64)
    for t in range(steps.shape[0]):
        start = t * size
        for k in range(errors.size):
            if errors[k] >= limit:
                continue
            band = tile_weights(ahead[k], scale, slack, t, weights)
            wrong, doubtful = score_tile(steps, t, weights, band, scores, flags)
            errors[k] += wrong
            if doubtful > max(0, start + size - n):  # rows beyond N score 0
                errors[k] += settle(question, ahead[k], bounds, whole, start, flags)[1]
    return errors
