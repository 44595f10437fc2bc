"""Local search on the 0/1 error itself: along a line of weights it is piecewise constant.

From w along u the score of row n is s_n + t q_n, so its sign changes at the breakpoint
t_n = -s_n / q_n only (random coordinate descent, Li & Lin 2007). The breakpoints are put into bins
by t / (|t| + scale), which is exact about the mistakes at the ends of the bins; those in the bins
beside the best end are then sorted, and the middle of the widest best interval is taken, so that
ties go on moving.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ON_THE_LINE = 1e-11  # a smaller score counts as a mistake: this search only proposes
FLAT = 1e-13
BINS = 256
ANEW = 32  # steps after which scores are computed anew


@part_any_order
def _scores(rows: Floats, w: Floats, scores: Floats) -> None:
    for i in range(rows.shape[0]):
        s = 0.0
        for j in range(rows.shape[1]):
            s += rows[i, j] * w[j]
        scores[i] = s


@part
def _mistakes(scores: Floats, weight: Integers) -> int:
    total = 0
    for i in range(scores.size):
        total += weight[i] if scores[i] <= ON_THE_LINE else 0
    return total


@part
def _breakpoints(s: Floats, q: Floats, scale: float, at: Floats) -> None:
    """Write t / (|t| + scale) of each breakpoint t, in (-1, 1); 2 where there is none."""
    for i in range(s.size):
        reach = abs(s[i]) + scale * abs(q[i])
        at[i] = (-s[i] if q[i] > 0.0 else s[i]) / reach if abs(q[i]) > FLAT else 2.0


@part
def _best_step(
    s: Floats, q: Floats, weight: Integers, scale: float, at: Floats, change: Integers
) -> float:
    """Return a step t with few mistakes on rows of scores s + t q."""
    _breakpoints(s, q, scale, at)
    for b in range(BINS):
        change[b] = 0
    now = 0  # mistakes far to the left
    for i in range(s.size):
        if at[i] < 2.0:
            b = min(BINS - 1, int((at[i] + 1.0) * (BINS // 2)))
            change[b] += -weight[i] if q[i] > 0.0 else weight[i]
            now += weight[i] if q[i] > 0.0 else 0
        elif s[i] <= ON_THE_LINE:
            now += weight[i]
    fewest, best, before = now, 0, 0
    left = now
    for b in range(BINS):  # the end between bins b and b + 1
        now += change[b]
        if now < fewest or (now == fewest and abs(b + 1 - BINS // 2) < abs(best - BINS // 2)):
            fewest, best = now, b + 1
    first, last = max(0, best - 1), min(BINS, best + 1)
    for b in range(first):
        left += change[b]
    before = left
    n = 0
    for i in range(s.size):
        if at[i] < 2.0 and first <= min(BINS - 1, int((at[i] + 1.0) * (BINS // 2))) < last:
            n += 1
    inside, row = np.empty(n), np.empty(n, dtype=np.int64)
    n = 0
    for i in range(s.size):
        if at[i] < 2.0 and first <= min(BINS - 1, int((at[i] + 1.0) * (BINS // 2))) < last:
            inside[n], row[n] = at[i], i
            n += 1
    order = np.argsort(inside)
    low, high = first / (BINS // 2) - 1.0, last / (BINS // 2) - 1.0
    fewest, widest, place, now = before, 0.0, 0.5 * (low + high), before
    for k in range(n + 1):
        a = inside[order[k - 1]] if k > 0 else low
        b_ = inside[order[k]] if k < n else high
        if k > 0:
            i = row[order[k - 1]]
            now += -weight[i] if q[i] > 0.0 else weight[i]
        if b_ - a > 1e-10 and (now < fewest or (now == fewest and b_ - a > widest)):
            fewest, widest, place = now, b_ - a, 0.5 * (a + b_)
    return scale * place / (1.0 - min(abs(place), 1.0 - 1e-9))


@compiled
def descend(rows: Floats, weight: Integers, w: Floats, directions: Floats, scales: Floats) -> int:
    """Search along each direction in turn, changing w in place; return the mistakes at the end.

    Parameters
    ----------
    rows : (N, D); weight : (N,) whole numbers; w : (D,)
    directions : (steps, D); scales : (steps,) of the steps that the bins tell apart best
    """
    n, dimension = rows.shape
    s, q, at = np.empty(n), np.empty(n), np.empty(n)
    change = np.empty(BINS, dtype=np.int64)
    _scores(rows, w, s)
    fewest = _mistakes(s, weight)
    for k in range(directions.shape[0]):
        if k % ANEW == 0:
            length = 0.0
            for j in range(dimension):
                length += w[j] * w[j]
            length = np.sqrt(length)
            for j in range(dimension):
                w[j] /= length
            _scores(rows, w, s)
            fewest = _mistakes(s, weight)
        _scores(rows, directions[k], q)
        t = _best_step(s, q, weight, scales[k], at, change)
        mistakes = 0
        for i in range(n):
            mistakes += weight[i] if s[i] + t * q[i] <= ON_THE_LINE else 0
        if mistakes <= fewest:
            fewest = mistakes
            for i in range(n):
                s[i] += t * q[i]
            for j in range(dimension):
                w[j] += t * directions[k, j]
    return fewest
