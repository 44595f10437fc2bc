"""Rows as 16-bit whole numbers: the cross-entropy of a line for a quarter of the traffic."""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, compiled_any_order
from separatrix.kernels.rows import Floats
from separatrix.kernels.smooth.sigmoid import logistic_parts

MOST_ROWS = 64  # of a block, whose sums are taken in 32 bits
LARGEST = 32767.0

Shorts = NDArray[np.float32]


@compiled
def make_coarse(X: Floats, centre: Floats, step: Floats, coarse: NDArray[np.int16]) -> None:
    """Write (x - centre) / step into `coarse`, rounded, and cut off where it is no int16."""
    for i in range(X.shape[0]):
        x, q = X[i], coarse[i]
        for j in range(x.size):
            v = (x[j] - centre[j]) / step[j]
            v = v if v < LARGEST else LARGEST
            v = v if v > -LARGEST else -LARGEST
            q[j] = np.int16(np.rint(v))


@compiled_any_order
def _coarse_scores(
    coarse: NDArray[np.int16], start: int, stop: int, v: Shorts, first: float, s: Floats
) -> None:
    for i in range(start, stop):
        q = coarse[i]
        t = np.float32(0.0)
        for j in range(v.size):
            t += np.float32(q[j]) * v[j]
        s[i - start] = first + t


@compiled_any_order
def _coarse_add(
    coarse: NDArray[np.int16], start: int, stop: int, factors: Floats, g: Shorts
) -> None:
    i = start
    while i + 4 <= stop:
        q, r, t, u = coarse[i], coarse[i + 1], coarse[i + 2], coarse[i + 3]
        k = i - start
        a, b = np.float32(factors[k]), np.float32(factors[k + 1])
        c, d = np.float32(factors[k + 2]), np.float32(factors[k + 3])
        for j in range(g.size):
            g[j] += (a * np.float32(q[j]) + b * np.float32(r[j])) + (
                c * np.float32(t[j]) + d * np.float32(u[j])
            )
        i += 4
    while i < stop:
        q, a = coarse[i], np.float32(factors[i - start])
        for j in range(g.size):
            g[j] += a * np.float32(q[j])
        i += 1


@compiled
def coarse_cross_entropy_of_tiles(
    coarse: NDArray[np.int16],
    y: Floats,
    weight: Floats,
    v: Shorts,
    constant: float,
    x0: float,
    tile: int,
    first: int,
    last: int,
    errors: Floats,
    pulls: Floats,
) -> None:
    """As `cross_entropy_of_tiles`, with scores constant + coarse.v, in floats of 32 bits.

    Reads a quarter of the memory; sums of a block are short, those of blocks are not.
    """
    block = MOST_ROWS
    a, error, theta = np.empty(block), np.empty(block), np.empty(block)
    room, part = np.empty(block), np.empty(v.size, dtype=np.float32)
    for t in range(first, last):
        end = min((t + 1) * tile, y.size)
        total = 0.0
        pulls[t] = 0.0
        for start in range(t * tile, end, block):
            stop = min(start + block, end)
            n = stop - start
            signs, masses = y[start:stop], weight[start:stop]
            _coarse_scores(coarse, start, stop, v, constant, a)
            for k in range(n):
                a[k] *= signs[k]
            logistic_parts(a[:n], theta, room, error)
            part[:] = 0.0
            for k in range(n):
                total += masses[k] * error[k]
                a[k] = masses[k] * theta[k] * signs[k]
                pulls[t, 0] += x0 * a[k]
            _coarse_add(coarse, start, stop, a, part)
            pulls[t, 1:] += part
        errors[t] = total
