"""The mistakes of a line, counted tile by tile, and found in one tile: a search of many blocks.

A search counts the mistakes of every tile of rows. Which of them comes next, by its number among
all or by its place, is then found in one tile that is read again.
"""

import numpy as np

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, certain_bound, rows_of_block, scores_of_block
from separatrix.kernels.walks.perceptron import Integers, Progress, Question
from separatrix.kernels.walks.perceptron_random import all_mistakes


@compiled
def count_mistakes_of_tiles(
    question: Question, progress: Progress, tile: int, found: Integers, weighed: float
) -> float:
    """Write how many rows of each tile are to correct into `found`; return E_in's weight.

    The weights of mistakes (y s <= 0, whatever `tie` says) are added to `weighed` in the order of
    the rows. The order of the visits is that of the rows.
    """
    rows, y, _, x0, _, _, weight, _, _, _ = question
    v, bounds, _, _, _ = progress
    certain = certain_bound(bounds[0], bounds[1], v.size)
    size = rows_of_block(v.size)
    scores = np.empty(size)
    for t in range(found.size):
        found[t] = 0
        end = min(y.size, (t + 1) * tile)
        for start in range(t * tile, end, size):
            stop = min(end, start + size)
            scores_of_block(rows, start, stop, v, x0, scores)
            wrong, doubtful = 0, 0
            for k in range(stop - start):
                a = y[start + k] * scores[k]
                wrong += a < -certain
                doubtful += not abs(a) > certain
            if doubtful == 0 and weight.size == 0:
                found[t] += wrong
                weighed += wrong
            else:
                here, weighed = _settled(question, v, certain, start, stop, scores, weighed)
                found[t] += here
    return weighed


@part
def _settled(
    question: Question,
    v: Floats,
    certain: float,
    start: int,
    stop: int,
    scores: Floats,
    weighed: float,
) -> tuple[int, float]:
    """Return how many of rows start, ..., stop - 1 are to correct, and the weight with theirs.

    Scores in doubt are decided exactly: here, where they do not take the registers of the others.
    """
    rows, y, _, x0, tie, _, weight, _, _, _ = question
    here = 0
    for i in range(start, stop):
        a = y[i] * scores[i - start]
        if not abs(a) > certain:
            a = y[i] * signed_score(rows, i, v, x0)
        here += a < 0.0 or (a == 0.0 and tie != y[i])
        if a <= 0.0:
            weighed += weight[i] if weight.size else 1.0
    return here, weighed


@compiled
def mistakes_of_rows(question: Question, progress: Progress, found: Integers) -> int:
    """Write the indices of the rows to correct into `found`; return their number."""
    return all_mistakes(question, progress, found)[0]
