"""Descent on the 0/1 error itself: the best point of a line through w, from sorted breakpoints."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import Floats, Rows, certain_bound, scores_of_block
from separatrix.kernels.zero_one.local_search import sort

Integers = NDArray[np.int64]


class Question(NamedTuple):
    """What is minimised: the weight (N,) of the rows with y w.(x0, x) <= 0.

    ``radius_squared`` is at least the largest squared length of a row (x0, x).
    """

    rows: Rows
    y: Floats
    x0: float
    weight: Floats
    radius_squared: float


@part
def agreements(question: Question, w: Floats, into: Floats) -> None:
    """Write y (w.x) of all rows."""
    y = question.y
    scores_of_block(question.rows, 0, y.size, w, question.x0, into)
    for i in range(y.size):
        into[i] *= y[i]


@compiled
def count_exactly(question: Question, w: Floats, a: Floats) -> float:
    """Write the agreements into `a`; return what the rows with y w.x <= 0, exactly, weigh."""
    rows, y, x0, weight, radius_squared = question
    agreements(question, w, a)
    length_squared, nothing = 0.0, True
    for j in range(w.size):
        length_squared += w[j] * w[j]
        nothing = nothing and w[j] == 0.0
    certain = certain_bound(length_squared * (1.0 + 1e-12), radius_squared, w.size)
    total = 0.0
    for i in range(y.size):
        if nothing:
            a[i] = 0.0
        elif not abs(a[i]) > certain:
            a[i] = y[i] * signed_score(rows, i, w, x0)
        if a[i] <= 0.0:
            total += weight[i]
    return total


@part
def best_step(a: Floats, b: Floats, weight: Floats, draw: float) -> float:
    """Return a t at which the rows with a + t b <= 0 weigh least; `draw` chooses among equals.

    A row changes sides at t = -a / b. Between two neighbouring breakpoints nothing changes, and
    *on* one a row has score 0, a mistake: so middles of intervals are all there is to compare.
    """
    at, jump, by_place = np.empty(a.size), np.empty(a.size), np.empty(a.size, dtype=np.int64)
    n = 0
    for i in range(a.size):
        t = -a[i] / b[i] if b[i] != 0.0 else np.inf
        if abs(t) < np.inf and weight[i] > 0.0:
            at[n], by_place[n] = t, n
            jump[n] = -weight[i] if b[i] > 0.0 else weight[i]
            n += 1
    if n == 0:
        return 0.0
    sort(at, by_place, n)
    # what mistakes weigh in the interval before each breakpoint, from 0 at the far left
    height, least, n_least = 0.0, 0.0, 1
    for turn in range(2):
        height = 0.0
        wanted = int(draw * n_least)
        n_least = 0
        for k in range(n + 1):
            is_interval = k in (0, n) or at[k] > at[k - 1]
            if is_interval and turn == 0 and height < least:
                least, n_least = height, 0
            if is_interval and height == least:
                if turn == 1 and n_least == wanted:
                    return _middle(at, k, n)
                n_least += 1
            if k < n:
                height += jump[by_place[k]]
    return 0.0


@part
def _middle(at: Floats, k: int, n: int) -> float:
    """Return a point before the k-th breakpoint and after the one before it."""
    if k == 0:
        return at[0] - max(1.0, abs(at[0]))
    last = at[k - 1]
    return last + (max(1.0, abs(last)) if k == n else 0.5 * (at[k] - last))


@compiled
def descend(question: Question, w: Floats, directions: Floats, draws: Floats, best: Floats) -> int:
    """Search along each of the directions (K, 1+d); return how many searches were made."""
    n = question.y.size
    a, b, tried = np.empty(n), np.empty(n), np.empty(w.size)
    best[0] = count_exactly(question, w, a)
    for k in range(draws.size):
        if best[0] == 0.0:
            return k
        agreements(question, directions[k], b)
        t = best_step(a, b, question.weight, draws[k])
        largest = 0.0
        for j in range(w.size):
            tried[j] = w[j] + t * directions[k, j]
            if abs(tried[j]) > largest or np.isnan(tried[j]):  # a NaN stays
                largest = abs(tried[j])
        if not 0.0 < largest < np.inf:
            continue
        # the same line in weights of size 1: times a power of two, exact
        _, exponent = math.frexp(largest)
        for j in range(w.size):
            tried[j] *= math.ldexp(1.0, -exponent)
        height = count_exactly(question, tried, b)
        if height <= best[0]:
            best[0] = height
            for j in range(w.size):
                w[j] = tried[j]
            a, b = b, a
    return int(draws.size)
