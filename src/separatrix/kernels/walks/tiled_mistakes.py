"""The mistakes of a line, counted tile by tile, and found in one tile: a search of many blocks.

A search counts the mistakes of every tile of rows. Which of them comes next, by its number among
all or by its place, is then found in one tile that is read again.
"""

from separatrix.kernels._jit import compiled
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import certain_bound, score
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
    rows, y, _, x0, tie, _, weight, _, _, _ = question
    v, bounds, _, _, _ = progress
    certain = certain_bound(bounds[0], bounds[1], v.size)
    for t in range(found.size):
        here = 0
        for i in range(t * tile, min(y.size, (t + 1) * tile)):
            a = y[i] * score(rows, i, v, x0)
            if a > certain:
                continue
            if not a < -certain:
                a = y[i] * signed_score(rows, i, v, x0)
            here += a < 0.0 or (a == 0.0 and tie != y[i])
            if a <= 0.0:
                weighed += weight[i] if weight.size else 1.0
        found[t] = here
    return weighed


@compiled
def mistakes_of_rows(question: Question, progress: Progress, found: Integers) -> int:
    """Write the indices of the rows to correct into `found`; return their number."""
    return all_mistakes(question, progress, found)[0]
