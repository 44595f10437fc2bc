"""The pocket on few rows: an update adds one row of the Gram matrix to the scores of all rows.

Scores and Gram rows are kept as 32-bit whole numbers of small steps. Adding them is exact, so a
score is off by half a step for each rounded row that was added; a row inside that band is decided
exactly. Every so often the scores are computed anew.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order
from separatrix.kernels.rows import Floats, add_row, scores_of_block
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    CLEAN_PASS,
    FROM_HERE,
    GOING_ON,
    POSITION,
    UPDATES,
    UPDATES_SPENT,
    Progress,
    Question,
    grown,
)
from separatrix.kernels.walks.pocket import Kept, keep
from separatrix.kernels.walks.pocket_scan import next_flag, numbered_flag, settle, weighed
from separatrix.kernels.walks.quantised import DOUBTFUL, TO_CORRECT, Flags

RENEWED = 256  # updates after which scores are computed anew
LARGEST = 2.0**30  # steps: no sum of a score and a Gram row leaves 32 bits
ROUNDING = 0.501  # of a step: to the nearest, and far more than doubles of this size are off by

Steps = NDArray[np.int32]


def steps_in_one(radius_squared: float, start_squared: float, max_updates: int) -> float:
    """Return how many steps make 1, such that no score of so many updates leaves 32 bits.

    |v_T|^2 <= |v_0|^2 + T R^2, so a score is at most |v_T| R, and a Gram entry at most R^2.
    0 where R^2 is beyond all reason.
    """
    if not 1e-200 < radius_squared < 1e200:
        return 0.0
    reach = np.sqrt((start_squared + (max_updates + 1.0) * radius_squared) * radius_squared)
    return float(LARGEST / (reach + radius_squared))


class Gram(NamedTuple):
    """Scores (N,) and rows of the Gram matrix (N+1, N) in walking order, in steps: `unit` in 1.

    Row p holds position p's where known[p]; rows are made when first needed. The last row stays
    zero: adding it counts scores just computed anew. Scores are padded to whole words of flags.
    """

    rows: Steps
    known: Flags
    scores: Steps
    flags: Flags
    unit: float


@part
def renew(question: Question, v: Floats, unit: float, wide: Floats, scores: Steps) -> None:
    """Write y (w.x) in steps of all rows in walking order; wide (N,) is overwritten."""
    rows, y, order, x0, _, _, _, _, _, _ = question
    scores_of_block(rows, 0, order.size, v, x0, wide)
    for p in range(order.size):
        scores[p] = np.int32(np.rint(y[order[p]] * wide[order[p]] * unit))


@part
def fill_gram_row(question: Question, gram: Gram, p: int, z: Floats, wide: Floats) -> None:
    """Write y_i y_p (x_i.x_p) in steps of all rows in walking order; z (1+d,) is overwritten."""
    rows, y, order, x0, _, _, _, _, _, _ = question
    gram_rows, known, _, _, unit = gram
    i = order[p]
    for j in range(z.size):
        z[j] = 0.0
    add_row(rows, i, y[i], z, x0)
    renew(question, z, unit, wide, gram_rows[p])
    known[p] = 1


@part_any_order
def add_and_flag(rows: Steps, p: int, band: int, scores: Steps, flags: Flags) -> tuple[int, int]:
    """Add row p of the Gram matrix to the scores; flag and count as `score_tile` does."""
    row = rows[p]
    high, low = np.int32(band), np.int32(-band)
    one, none = np.float32(1.0), np.float32(0.0)
    wrong, not_right = none, none
    no_flag, wrong_flag, doubt_flag = np.uint8(0), np.uint8(TO_CORRECT), np.uint8(DOUBTFUL)
    for r in range(scores.size):
        s = np.int32(scores[r] + row[r])
        scores[r] = s
        flag = doubt_flag if s <= high else no_flag
        flags[r] = wrong_flag if s < low else flag
        wrong += one if s < low else none
        not_right += one if s <= high else none
    return int(wrong), int(not_right) - int(wrong)


@compiled
def walk_with_gram(
    question: Question, progress: Progress, kept: Kept, gram: Gram, draws: Floats
) -> tuple[int, int]:
    """Go on for at most `draws.size` updates, as `walk_searching` does."""
    rows, y, order, x0, _, _, weight, rule, max_updates, _ = question
    v, bounds, state, counts, visited = progress
    gram_rows, known, scores, flags, unit = gram
    _, best = kept
    found = np.empty(1, dtype=np.int64)
    words = flags.view(np.uint64)
    beyond = flags.size - order.size  # these positions score 0
    none = gram_rows.shape[0] - 1
    z, wide = np.empty(v.size), np.empty(order.size)
    p, error = none, 0.0
    for k in range(draws.size + 1):
        if k % RENEWED == 0:
            renew(question, v, unit, wide, scores)
            p, error = none, 0.0
        error += ROUNDING
        found[0], doubtful = add_and_flag(gram_rows, p, int(error), scores, flags)
        counted = found[0]
        if doubtful > beyond:
            more, also = settle(question, v, bounds, False, 0, flags)
            found[0] += more
            counted += also
        weight_now = weighed(question, flags) if weight.size else float(counted)
        if weight_now < best[0]:
            keep(progress, kept, weight_now)
        if found[0] == 0 or best[0] == 0.0:
            return CLEAN_PASS, k
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, k
        if k == draws.size:
            break
        if rule == AT_RANDOM:
            p = numbered_flag(flags, words, found, int(draws[k] * found[0]))
        else:
            p = next_flag(flags, state[POSITION] if rule == FROM_HERE else 0)
        state[POSITION] = p + 1
        if not known[p]:
            fill_gram_row(question, gram, p, z, wide)
        i = order[p]
        add_row(rows, i, y[i], v, x0)
        bounds[0] = grown(bounds[0], bounds[1])
        state[UPDATES] += 1
        counts[i] += 1
        visited[k] = i
    return GOING_ON, draws.size
