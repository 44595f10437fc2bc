"""Descent on the 0/1 error itself: the best point of a line through w, from sorted breakpoints."""

import math

import numpy as np

from separatrix.kernels._jit import compiled
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, Rows, certain_bound, scores_of_block


@compiled
def agreements(rows: Rows, y: Floats, w: Floats, x0: float, into: Floats) -> None:
    """Write y (w.x) of all rows."""
    scores_of_block(rows, 0, y.size, w, x0, into)
    for i in range(y.size):
        into[i] *= y[i]


@compiled
def count_exactly(
    rows: Rows, y: Floats, w: Floats, x0: float, weight: Floats, radius_squared: float, a: Floats
) -> float:
    """Write the agreements into `a`; return what the rows with y w.x <= 0, exactly, weigh."""
    agreements(rows, y, w, x0, a)
    if not w.any():
        a[:] = 0.0
        return float(weight.sum())
    length_squared = 0.0
    for j in range(w.size):
        length_squared += w[j] * w[j]
    certain = certain_bound(length_squared * (1.0 + 1e-12), radius_squared, w.size)
    total = 0.0
    for i in range(y.size):
        if not abs(a[i]) > certain:
            a[i] = y[i] * signed_score(rows, i, w, x0)
        if a[i] <= 0.0:
            total += weight[i]
    return total


@compiled
def best_step(a: Floats, b: Floats, weight: Floats, draw: float) -> float:
    """Return a t at which the rows with a + t b <= 0 weigh least; `draw` chooses among equals.

    A row changes sides at t = -a / b. Between two neighbouring breakpoints nothing changes, and
    *on* one a row has score 0, a mistake: so middles of intervals are all there is to compare.
    """
    at, jump = np.empty(a.size), np.empty(a.size)
    n = 0
    for i in range(a.size):
        t = -a[i] / b[i] if b[i] != 0.0 else np.inf
        if abs(t) < np.inf and weight[i] > 0.0:
            at[n] = t
            jump[n] = -weight[i] if b[i] > 0.0 else weight[i]
            n += 1
    if n == 0:
        return 0.0
    by_place = np.argsort(at[:n])
    # what mistakes weigh in the interval before each breakpoint, from 0 at the far left
    height, least, n_least = 0.0, 0.0, 1
    for turn in range(2):
        height = 0.0
        wanted = int(draw * n_least)
        n_least = 0
        for k in range(n + 1):
            is_interval = k in (0, n) or at[by_place[k]] > at[by_place[k - 1]]
            if is_interval and turn == 0 and height < least:
                least, n_least = height, 0
            if is_interval and height == least:
                if turn == 1 and n_least == wanted:
                    return _middle(at, by_place, k, n)
                n_least += 1
            if k < n:
                height += jump[by_place[k]]
    return 0.0


@compiled
def _middle(at: Floats, by_place: np.ndarray, k: int, n: int) -> float:
    """Return a point before the k-th breakpoint and after the one before it."""
    if k == 0:
        first = at[by_place[0]]
        return float(first - max(1.0, abs(first)))
    last = at[by_place[k - 1]]
    if k == n:
        return float(last + max(1.0, abs(last)))
    return float(last + 0.5 * (at[by_place[k]] - last))


@compiled
def descend(
    rows: Rows,
    y: Floats,
    w: Floats,
    x0: float,
    weight: Floats,
    radius_squared: float,
    directions: Floats,
    draws: Floats,
    best: Floats,
) -> int:
    """Search along each of the directions (K, 1+d); return how many searches were made.

    w and best[0] = what its mistakes weigh, counted exactly, change in place; a point that rounding
    makes worse than w is not taken. Ends early when no mistake is left.
    """
    a, b, fresh = np.empty(y.size), np.empty(y.size), np.empty(y.size)
    best[0] = count_exactly(rows, y, w, x0, weight, radius_squared, a)
    for k in range(draws.size):
        if best[0] == 0.0:
            return k
        agreements(rows, y, directions[k], x0, b)
        t = best_step(a, b, weight, draws[k])
        tried = w + t * directions[k]
        largest = np.abs(tried).max()
        if not 0.0 < largest < np.inf:
            continue
        # the same line in weights of size 1: times a power of two, exact
        _, exponent = math.frexp(largest)
        tried *= math.ldexp(1.0, -exponent)
        height = count_exactly(rows, y, tried, x0, weight, radius_squared, fresh)
        if height <= best[0]:
            best[0] = height
            w[:] = tried
            a, fresh = fresh, a
    return int(draws.size)
