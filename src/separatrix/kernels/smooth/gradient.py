"""The gradient of a mean error in one read of the rows, and the small steps of descent.

A gradient is a sum over rows of err'(a_n) y_n (1, x_n). Rows are taken in blocks that stay in the
processor's cache between the score and the sum, so memory is read once. Blocks make up the fixed
tiles, and the tiles' sums are added in index order, so the bytes depend on no thread.
"""

import math

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import (
    Floats,
    Rows,
    Table,
    add_block,
    add_row,
    certain_of,
    rows_of_block,
    score,
    scores_of_block,
)
from separatrix.kernels.smooth.sigmoid import logistic_slopes

# the error measures whose slopes are compiled
PERCEPTRON, SQUARED, CROSS_ENTROPY = 0, 1, 2


@part
def _slope_at(measure: int, a: float) -> float:
    """Return err'(a)."""
    if measure == PERCEPTRON:
        return -1.0 if a <= 0.0 else 0.0
    if measure == SQUARED:
        return 2.0 * (a - 1.0)
    return -1.0 / (1.0 + math.exp(a))


@part
def _factors(measure: int, s: Floats, y: Floats, weight: Floats, out: Floats) -> None:
    """Write weight y err'(y s) for scores s, each measure in a loop of its own: without branches.

    Arrays are views of one block: an index that starts at 0 is known not to be negative. `out` is
    none of the others: a loop that writes where it reads is not made into one of whole registers.
    """
    if measure == CROSS_ENTROPY:
        logistic_slopes(s, y, weight, out)
    elif measure == PERCEPTRON:
        for k in range(s.size):
            out[k] = (-1.0 if s[k] * y[k] <= 0.0 else 0.0) * (y[k] * weight[k])
    else:
        for k in range(s.size):
            out[k] = 2.0 * (s[k] * y[k] - 1.0) * (y[k] * weight[k])


@part
def _exact_signs(
    rows: Rows, start: int, n: int, w: Floats, x0: float, bound: float, s: Floats
) -> None:
    """Replace those of the scores s[:n] of rows start, ... that are within `bound` of 0."""
    for k in range(n):
        if not abs(s[k]) > bound:
            s[k] = signed_score(rows, start + k, w, x0)


@compiled
def gradients_of_tiles(
    table: Table, w: Floats, measure: int, radius_squared: float, start: int, stop: int, tile: int
) -> Floats:
    """Return sum weight_n y_n err'(y_n s_n) (x0, x_n) over each tile of rows start, ..., stop - 1.

    The perceptron error's slope jumps at 0, so for it the signs of all scores are exact; the rows'
    largest squared length, `radius_squared`, says which floats cannot decide. Shape (tiles, 1+d).
    """
    rows, y, weight, x0 = table
    block = rows_of_block(w.size)
    a, factors = np.empty(block), np.empty(block)
    sums = np.zeros(((stop - start + tile - 1) // tile, w.size))
    bound = certain_of(w, radius_squared) if w.any() else -1.0  # all scores are 0, exactly
    for t in range(sums.shape[0]):
        last = min(start + (t + 1) * tile, stop)
        for first in range(start + t * tile, last, block):
            end = min(first + block, last)
            scores_of_block(rows, first, end, w, x0, a)
            if measure == PERCEPTRON:
                _exact_signs(rows, first, end - first, w, x0, bound, a)
            n = end - first
            _factors(measure, a[:n], y[first:end], weight[first:end], factors[:n])
            add_block(rows, first, end, factors, sums[t], x0)
    return sums


@part
def _factor(table: Table, i: int, w: Floats, measure: int) -> float:
    """Return y_i err'(y_i s_i): what row (x0, x_i) is multiplied by in the gradient."""
    rows, y, _, x0 = table
    s = signed_score(rows, i, w, x0) if measure == PERCEPTRON else score(rows, i, w, x0)
    return y[i] * _slope_at(measure, y[i] * s)


@compiled
def length(g: Floats) -> float:
    """Return |g|, without overflow or underflow of the squares."""
    largest = 0.0
    for j in range(g.size):
        size = abs(g[j])
        if not size < np.inf:
            return np.inf
        largest = size if size > largest else largest
    if largest == 0.0:
        return 0.0
    s = 0.0
    for j in range(g.size):
        s += (g[j] / largest) ** 2
    return largest * np.sqrt(s)


@compiled
def take_step(w: Floats, g: Floats, eta: float, unit: bool) -> None:
    """Subtract eta g, or eta g / |g|, from w (nothing where g = 0)."""
    size = length(g) if unit else 1.0
    if size == 0.0:
        return
    for j in range(w.size):
        w[j] -= eta * (g[j] / size)


@compiled
def descend(
    table: Table, order: NDArray[np.int64], batch: int, w: Floats, measure: int, eta: float,
    unit: bool
) -> None:  # fmt: skip
    """Change w by one update for each `batch` rows of `order`. Weights of rows take no part."""
    rows, _, _, x0 = table
    g = np.zeros(w.size)
    for first in range(0, order.size, batch):
        n = min(batch, order.size - first)
        if n == 1 and not unit:
            i = order[first]
            add_row(rows, i, -eta * _factor(table, i, w, measure), w, x0)
        else:
            for j in range(g.size):
                g[j] = 0.0
            for p in range(first, first + n):
                i = order[p]
                add_row(rows, i, _factor(table, i, w, measure) / n, g, x0)
            take_step(w, g, eta, unit)
