"""0/1 coordinate descent: along a line of weights the 0/1 error is piecewise constant.

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
FEW_KEYS = 16  # are left to insertion when sorting
MOST_HALVINGS = 64
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
def _breakpoints(s: Floats, q: Floats, scale: float, at: Floats, bins: Integers) -> None:
    """Write t / (|t| + scale) of each breakpoint t, and its bin: BINS where there is none."""
    for i in range(s.size):
        reach = abs(s[i]) + scale * abs(q[i])
        place = (-s[i] if q[i] > 0.0 else s[i]) / reach if abs(q[i]) > FLAT else 1.0
        at[i] = place
        b = min(BINS - 1, int((place + 1.0) * (BINS // 2)))
        bins[i] = b if abs(q[i]) > FLAT else BINS


@part
def _best_end(
    s: Floats, q: Floats, weight: Integers, bins: Integers, change: Integers
) -> tuple[int, int]:
    """Return the end of bins with the fewest mistakes, and the mistakes one bin to its left."""
    for b in range(BINS + 1):
        change[b] = 0
    now = 0  # mistakes far to the left
    for i in range(s.size):
        up = q[i] > 0.0
        change[bins[i]] += -weight[i] if up else weight[i]
        if bins[i] < BINS:
            now += weight[i] if up else 0
        elif s[i] <= ON_THE_LINE:
            now += weight[i]
    fewest, best, left, before = now, 0, now, now
    for b in range(BINS):
        before, now = now, now + change[b]
        if now < fewest or (now == fewest and abs(b + 1 - BINS // 2) < abs(best - BINS // 2)):
            fewest, best, left = now, b + 1, before
    return best, left


@part
def sort(keys: Floats, row: Integers, n: int) -> None:
    """Sort the keys and what belongs to them (Hoare 1961): a tenth of what np.argsort compiles."""
    later = np.empty(2 * MOST_HALVINGS, dtype=np.int64)  # ends of parts, the larger of two each
    low, high, top = 0, n - 1, 0
    while True:
        while high - low > FEW_KEYS:
            x, y, z = keys[low], keys[(low + high) // 2], keys[high]
            pivot = max(min(x, y), min(max(x, y), z))
            i, j = low, high
            while i <= j:
                while keys[i] < pivot:
                    i += 1
                while keys[j] > pivot:
                    j -= 1
                if i <= j:
                    keys[i], keys[j], row[i], row[j] = keys[j], keys[i], row[j], row[i]
                    i, j = i + 1, j - 1
            if j - low > high - i:
                later[top], later[top + 1], low = low, j, i
            else:
                later[top], later[top + 1], high = i, high, j
            top += 2
        if top == 0:
            break
        top -= 2
        low, high = later[top], later[top + 1]
    for i in range(1, n):
        key, own, k = keys[i], row[i], i
        while k > 0 and keys[k - 1] > key:
            keys[k], row[k] = keys[k - 1], row[k - 1]
            k -= 1
        keys[k], row[k] = key, own


@part
def _best_step(
    s: Floats, q: Floats, weight: Integers, scale: float, at: Floats, bins: Integers,
    change: Integers,
) -> float:  # fmt: skip
    """Return a step t with few mistakes on rows of scores s + t q."""
    _breakpoints(s, q, scale, at, bins)
    best, now = _best_end(s, q, weight, bins, change)
    first, last = max(0, best - 1), min(BINS - 1, best)  # the bins beside that end
    n = 0
    for i in range(s.size):
        n += 1 if first <= bins[i] <= last else 0
    inside, row = np.empty(n), np.empty(n, dtype=np.int64)
    n = 0
    for i in range(s.size):
        if first <= bins[i] <= last:
            inside[n], row[n] = at[i], i
            n += 1
    sort(inside, row, n)
    low, high = first / (BINS // 2) - 1.0, (last + 1) / (BINS // 2) - 1.0
    fewest, widest, place = now + 1, 0.0, 0.5 * (low + high)
    for k in range(n + 1):
        a = low
        if k > 0:
            i = row[k - 1]
            a = inside[k - 1]
            now += -weight[i] if q[i] > 0.0 else weight[i]
        gap = (inside[k] if k < n else high) - a
        if gap > 1e-10 and (now < fewest or (now == fewest and gap > widest)):
            fewest, widest, place = now, gap, a + 0.5 * gap
    return scale * place / (1.0 - min(abs(place), 1.0 - 1e-9))


@compiled
def descend(rows: Floats, weight: Integers, w: Floats, directions: Floats, scales: Floats) -> int:
    """Search along each direction in turn, changing w in place; return the mistakes at the end.

    Parameters
    ----------
    rows : (N, D); weight : (N,) whole numbers; w : (D,)
    directions : (steps, D); scales : (steps,) of the steps that the bins resolve best
    """
    n, dimension = rows.shape
    s, q, at = np.empty(n), np.empty(n), np.empty(n)
    change, bins = np.empty(BINS + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
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
        t = _best_step(s, q, weight, scales[k], at, bins, change)
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
