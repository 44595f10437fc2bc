"""The cross-entropy of a line in one read of the rows: its error, gradient and curvature.

Rows are taken in blocks that stay in the processor's cache between the score and the sum, so that
memory is read once. A kernel does some of the tiles and writes one sum for each; its caller adds
them in index order, so the bytes depend on no thread. Rows as 16-bit whole numbers give error and
gradient for a quarter of the traffic.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


MOST_ROWS = 64  # of a block, whose sums are taken in 32 bits
LARGEST = 32767.0

Shorts = NDArray[np.float32]


@compiled
def quantise(X: Floats, centre: Floats, step: Floats, rows: NDArray[np.int16]) -> None:
    """Write (x - centre) / step into rows, rounded, and cut off where it is no int16."""
    for i in range(X.shape[0]):
        x, q = X[i], rows[i]
        for j in range(x.size):
            v = (x[j] - centre[j]) / step[j]
            v = v if v < LARGEST else LARGEST
            v = v if v > -LARGEST else -LARGEST
            q[j] = np.int16(np.rint(v))


@part_any_order
def _scores(
    rows: NDArray[np.int16], start: int, stop: int, v: Shorts, first: float, s: Floats
) -> None:
    """Write first + q.v for rows q = start, ..., stop - 1 into s[0], s[1], ..."""
    for i in range(start, stop):
        q = rows[i]
        t = np.float32(0.0)
        for j in range(v.size):
            t += np.float32(q[j]) * v[j]
        s[i - start] = first + t


@part_any_order
def _add(rows: NDArray[np.int16], start: int, stop: int, factors: Floats, g: Shorts) -> None:
    """Add factors[0] q_start + ... to g, four rows at a time."""
    i = start
    while i + 4 <= stop:
        q, r, t, u = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        k = i - start
        a, b = np.float32(factors[k]), np.float32(factors[k + 1])
        c, d = np.float32(factors[k + 2]), np.float32(factors[k + 3])
        for j in range(g.size):
            g[j] += (a * np.float32(q[j]) + b * np.float32(r[j])) + (
                c * np.float32(t[j]) + d * np.float32(u[j])
            )
        i += 4
    while i < stop:
        q, a = rows[i], np.float32(factors[i - start])
        for j in range(g.size):
            g[j] += a * np.float32(q[j])
        i += 1


@compiled
def quantised_cross_entropy_of_tiles(
    table: Table, constant: float, v: Shorts, errors: Floats, gradients: Floats, tile: int,
    first: int, last: int
) -> None:  # fmt: skip
    """As `cross_entropy_of_tiles`, with scores constant + q.v, in floats of 32 bits."""
    rows, y, weight, x0 = table
    block = MOST_ROWS
    a, error, sigma = np.empty(block), np.empty(block), np.empty(block)
    room, of_block = np.empty(block), np.empty(v.size, dtype=np.float32)
    for t in range(first, last):
        end = min((t + 1) * tile, y.size)
        total, of_constant = 0.0, 0.0
        gradient = gradients[t, 1:]
        for j in range(gradient.size):
            gradient[j] = 0.0
        for start in range(t * tile, end, block):
            stop = min(start + block, end)
            n = stop - start
            signs, masses = y[start:stop], weight[start:stop]
            _scores(rows, start, stop, v, constant, a)
            for k in range(n):
                a[k] *= signs[k]
            logistic_parts(a[:n], sigma, room, error)
            for j in range(of_block.size):
                of_block[j] = 0.0
            for k in range(n):
                total += masses[k] * error[k]
                a[k] = -(masses[k] * sigma[k] * signs[k])
                of_constant += x0 * a[k]
            _add(rows, start, stop, a, of_block)
            for j in range(gradient.size):
                gradient[j] += of_block[j]
        errors[t], gradients[t, 0] = total, of_constant
