"""The cross-entropy of a line in one read of the rows: its error, gradient and curvature.

Rows are taken in blocks that stay in the processor's cache between the score and the sum, so that
memory is read once. A kernel does some of the tiles and writes one sum for each; its caller adds
them in index order, so the bytes depend on no thread.
"""

from typing import NamedTuple

import numpy as np

from separatrix.kernels._jit import compiled, part_any_order
from separatrix.kernels.rows import Floats, Table, add_block, rows_of_block, scores_of_block
from separatrix.kernels.smooth.sigmoid import logistic_parts


class Answers(NamedTuple):
    """What a pass writes for every row: sigma(-a), and weight sigma(a) sigma(-a).

    Both are (N,); the curvature is (0,) where it is not wanted.
    """

    sigma: Floats
    curvature: Floats


@part_any_order
def _weighted_sum(masses: Floats, errors: Floats) -> float:
    """Return sum masses errors, in any order: one after the other they would wait in line."""
    total = 0.0
    for k in range(masses.size):
        total += masses[k] * errors[k]
    return total


@compiled
def cross_entropy_of_tiles(
    table: Table, w: Floats, answers: Answers, errors: Floats, gradients: Floats, tile: int,
    first: int, last: int
) -> None:  # fmt: skip
    """Write sum weight ln(1 + e^-a), a = y w.(x0, x), of tiles, and their gradients."""
    rows, y, weight, x0 = table
    block = rows_of_block(w.size)
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
            scores_of_block(rows, start, stop, w, x0, a)
            for k in range(n):
                a[k] *= signs[k]
            logistic_parts(a[:n], sigma, curves, error)
            total += _weighted_sum(masses, error)
            for k in range(n):
                curves[k] *= masses[k]
                a[k] = -(masses[k] * sigma[k] * signs[k])
            add_block(rows, start, stop, a, gradient, x0)
        errors[t] = total


@compiled
def hessian_product_of_tiles(
    table: Table, v: Floats, curvature: Floats, products: Floats, tile: int, first: int, last: int
) -> None:
    """For tiles first, ..., last - 1 write sum curvature ((x0, x).v) (x0, x) into products."""
    rows, _, _, x0 = table
    block = rows_of_block(v.size)
    a = np.empty(block)
    for t in range(first, last):
        end = min((t + 1) * tile, curvature.size)
        product = products[t]
        for j in range(product.size):
            product[j] = 0.0
        for start in range(t * tile, end, block):
            stop = min(start + block, end)
            scores_of_block(rows, start, stop, v, x0, a)
            for k in range(stop - start):
                a[k] *= curvature[start + k]
            add_block(rows, start, stop, a, product, x0)


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
                data, indices, indptr = rows
                for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                    rest[indices[p]] += c * data[p] * data[p]
            else:
                x = rows[i]
                for j in range(x.size):
                    rest[j] += c * x[j] * x[j]
