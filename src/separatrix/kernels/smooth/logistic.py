"""The cross-entropy of a line in one read of the rows: its error, gradient and curvature.

Rows are taken in blocks that stay in the processor's cache between the score and the sum, so that
memory is read once. A kernel does some of the tiles and writes one sum for each; its caller adds
them in index order, so the bytes depend on no thread.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order
from separatrix.kernels.rows import Floats, Rows, add_block, scores_of_block
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.kernels.smooth.table import Table

# A block fills about this many doubles of the cache.
BLOCK_NUMBERS = 1 << 13
MOST_ROWS = 512


class Answers(NamedTuple):
    """What a pass writes for every row: sigma(-a), and weight sigma(a) sigma(-a).

    Both are (N,); the curvature is (0,) where it is not wanted.
    """

    sigma: Floats
    curvature: Floats


@part
def _rows_of_block(rows: Rows, width: int) -> int:
    """Return how many rows make a block: dense rows are added in fours."""
    if isinstance(rows, tuple):
        data, _, indptr = rows
        width = 1 + data.size // indptr.size
    return min(MOST_ROWS, max(4, BLOCK_NUMBERS // width // 4 * 4))


@part
def _row(rows: Rows, i: int) -> tuple[Floats, NDArray[np.uint32]]:
    """Return the values and columns of a sparse row: views, whose index is known not negative."""
    data, indices, indptr = rows
    first, end = indptr[i], indptr[i + 1]
    return data[first:end], indices[first:end]


@part_any_order
def _scores(rows: Rows, start: int, stop: int, w: Floats, x0: float, s: Floats) -> None:
    """Write the scores of rows start, ..., stop - 1 into s[0], s[1], ..."""
    if not isinstance(rows, tuple):
        scores_of_block(rows, start, stop, w, x0, s)
        return
    v = w[1:]
    for i in range(start, stop):
        t = x0 * w[0]
        x, columns = _row(rows, i)
        for p in range(x.size):
            t += x[p] * v[columns[p]]
        s[i - start] = t


@part_any_order
def _add(rows: Rows, start: int, stop: int, factors: Floats, g: Floats, x0: float) -> None:
    """Add factors[0] (x0, x_start) + ... to g."""
    if not isinstance(rows, tuple):
        add_block(rows, start, stop, factors, g, x0)
        return
    h = g[1:]
    for i in range(start, stop):
        a = factors[i - start]
        g[0] += x0 * a
        x, columns = _row(rows, i)
        for p in range(x.size):
            h[columns[p]] += a * x[p]


@part_any_order
def _weighted_sum(masses: Floats, errors: Floats) -> float:
    """Return sum masses errors, in any order: one after the other they would wait in line."""
    total = 0.0
    for k in range(masses.size):
        total += masses[k] * errors[k]
    return total


@compiled
def cross_entropy_of_tiles(
    table: Table,
    w: Floats,
    answers: Answers,
    errors: Floats,
    gradients: Floats,
    tile: int,
    first: int,
    last: int,
) -> None:
    """For tiles first, ..., last - 1 write sum weight ln(1 + e^-a), a = y w.(x0, x).

    `errors` (all tiles,) takes the sums, `gradients` (all tiles, 1+d) their gradients with respect
    to w, which are sums of -weight sigma(-a) y (x0, x).
    """
    rows, y, weight, x0 = table
    block = _rows_of_block(rows, w.size)
    a, error, room = np.empty(block), np.empty(block), np.empty(block)
    for t in range(first, last):
        end = min((t + 1) * tile, y.size)
        total = 0.0
        gradient = gradients[t]
        for j in range(gradient.size):
            gradient[j] = 0.0
        for start in range(t * tile, end, block):
            stop = min(start + block, end)
            n = stop - start
            signs, masses = y[start:stop], weight[start:stop]
            sigma = answers.sigma[start:stop]
            curves = answers.curvature[start:stop] if answers.curvature.size > 0 else room[:n]
            _scores(rows, start, stop, w, x0, a)
            for k in range(n):
                a[k] *= signs[k]
            logistic_parts(a[:n], sigma, curves, error)
            total += _weighted_sum(masses, error)
            for k in range(n):
                curves[k] *= masses[k]
                a[k] = -(masses[k] * sigma[k] * signs[k])
            _add(rows, start, stop, a, gradient, x0)
        errors[t] = total


@compiled
def hessian_product_of_tiles(
    table: Table, v: Floats, curvature: Floats, products: Floats, tile: int, first: int, last: int
) -> None:
    """For tiles first, ..., last - 1 write sum curvature ((x0, x).v) (x0, x) into products."""
    rows, _, _, x0 = table
    block = _rows_of_block(rows, v.size)
    a = np.empty(block)
    for t in range(first, last):
        end = min((t + 1) * tile, curvature.size)
        product = products[t]
        for j in range(product.size):
            product[j] = 0.0
        for start in range(t * tile, end, block):
            stop = min(start + block, end)
            _scores(rows, start, stop, v, x0, a)
            for k in range(stop - start):
                a[k] *= curvature[start + k]
            _add(rows, start, stop, a, product, x0)


@compiled
def hessian_diagonal_of_tiles(
    table: Table, curvature: Floats, squares: Floats, tile: int, first: int, last: int
) -> None:
    """For tiles first, ..., last - 1 write sum curvature (x0^2, x_1^2, ...) into squares."""
    rows, _, _, x0 = table
    for t in range(first, last):
        sums = squares[t]
        for j in range(sums.size):
            sums[j] = 0.0
        rest = sums[1:]
        for i in range(t * tile, min((t + 1) * tile, curvature.size)):
            c = curvature[i]
            sums[0] += c * x0 * x0
            if isinstance(rows, tuple):
                x, columns = _row(rows, i)
                for p in range(x.size):
                    rest[columns[p]] += c * x[p] * x[p]
            else:
                x = rows[i]
                for j in range(x.size):
                    rest[j] += c * x[j] * x[j]
