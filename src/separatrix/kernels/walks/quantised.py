"""Quantised rows: a copy of dense rows in 16 bits, by which most signs of scores are certain.

Rows stand in tiles, column by column, as 16-bit whole numbers times a power of two of each tile's
column: a quarter of the memory of the rows, and one instruction works on many rows at once. A score
computed from the copy is off by at most a *band* that is known; a row whose score lies inside the
band is decided from the rows themselves, exactly. So the copy decides speed alone, never a sign.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, compiled_any_order, part, widest
from separatrix.kernels.rows import Floats

TILE_ROWS = 2048  # of 16-bit scores: accumulators and flags of a tile stay in the nearest cache

# a flag says whether a row is to be corrected (by the rule for sign(0)), is a zero that only counts
# as a mistake, or is not decided yet; eight flags are read at a time, as one word
TO_CORRECT, ONLY_COUNTED, DOUBTFUL = 1, 2, 4
WORD = 8
FIRST_BITS = np.uint64(0x0101010101010101)
DOUBTS = np.uint64(0x0404040404040404)
LAST_BYTE = np.uint64(56)

STEPS = 32767.0
ROWS_AT_ONCE = 32  # while the copy is made: what is read by column was just read by row
SINGLE_ROUNDOFF = 2.0**-24
# beyond these a scaled weight may have overflowed or lost digits to underflow
LEAST_WEIGHT, LARGEST_WEIGHT = 1e-200, 1e200

Flags = NDArray[np.uint8]
Singles = NDArray[np.float32]
Steps = NDArray[np.int16]


class Tiles(NamedTuple):
    """The quantised copy: steps (tiles, columns, rows of a tile), scale and slack (tiles, columns).

    Columns are 1+d, filled up with zeros to a multiple of three. `whole` says whether all values of
    the rows are whole numbers.
    """

    steps: Steps
    scale: Floats
    slack: Floats
    whole: bool


@compiled
def fill_tiles(rows: Floats, y: Floats, order: NDArray[np.int64], x0: float, tiles: Tiles) -> bool:
    """Write y (x0, x) = scale steps in walking order into zeros; return if all values are whole."""
    steps, scale, slack, _ = tiles
    n, size = order.size, steps.shape[2]
    whole = True
    # half a step; a rounding of each weight, of each product and of each sum, and a few to spare
    off = 0.5 + 1.1 * (steps.shape[1] + 4) * SINGLE_ROUNDOFF * STEPS
    block = np.empty((ROWS_AT_ONCE, rows.shape[1] + 1))
    sides = np.empty(ROWS_AT_ONCE)
    for t in range(steps.shape[0]):
        start, stop = t * size, min(n, t * size + size)
        _scale_columns(rows, order, start, stop, x0, scale[t])
        for j in range(slack.shape[1]):
            slack[t, j] = off
        for first in range(start, stop, ROWS_AT_ONCE):
            k = min(ROWS_AT_ONCE, stop - first)
            for r in range(k):
                i = order[first + r]
                sides[r] = y[i]
                block[r, 0] = x0
                for j in range(rows.shape[1]):
                    block[r, j + 1] = rows[i, j]
                    whole = whole and rows[i, j] == np.rint(rows[i, j])
            for j in range(block.shape[1]):
                inverse = 1.0 / scale[t, j] if scale[t, j] > 0.0 else 0.0
                for r in range(k):
                    steps[t, j, first - start + r] = np.rint(sides[r] * (block[r, j] * inverse))
    return whole


@part
def _scale_columns(
    rows: Floats, order: NDArray[np.int64], start: int, stop: int, x0: float, scale: Floats
) -> None:
    """Write the power of two of which the largest of a column is at most STEPS; 0 for zeros."""
    largest = np.zeros(rows.shape[1])
    for p in range(start, stop):
        i = order[p]
        for j in range(largest.size):
            value = abs(rows[i, j])
            largest[j] = value if value > largest[j] else largest[j]
    for j in range(largest.size + 1):
        top = abs(x0) if j == 0 else largest[j - 1]
        fraction, exponent = math.frexp(top)
        if fraction * 2.0**15 > STEPS:
            exponent += 1
        if top > 0.0:  # not so small that its inverse overflows
            scale[j] = math.ldexp(1.0, max(exponent - 15, -1022))


@compiled
def tile_weights(w: Floats, scale: Floats, slack: Floats, t: int, weights: Singles) -> float:
    """Write w in units of tile t, at most 1; return the band of its scores, inf for no bound."""
    top = 0.0
    off = 0.0
    for j in range(w.size):
        u = abs(w[j] * scale[t, j])
        top = max(top, u)
        off += u * slack[t, j]
    if not LEAST_WEIGHT < top < LARGEST_WEIGHT:
        for j in range(weights.size):
            weights[j] = 0.0
        return np.inf
    shrink = 1.0 / top
    for j in range(w.size):
        weights[j] = w[j] * scale[t, j] * shrink
    return off * shrink * (1.0 + 1e-6) + w.size * 1e-33  # single-precision products may underflow


@widest
@compiled_any_order
def score_tile(
    steps: Steps, t: int, weights: Singles, band: float, scores: Singles, flags: Flags
) -> tuple[int, int]:
    """Score the rows of tile t; flag the certain mistakes; return their number, and the doubtful.

    Three columns at a time (their number is a multiple of three), so that sums are loaded and
    stored once for three products. Counted in single precision, exact up to 2^24: counters as wide
    as the scores keep the loop at full vector width.
    """
    high = np.float32(band)
    low = -high
    one, none = np.float32(1.0), np.float32(0.0)
    wrong, not_right = none, none
    no_flag, wrong_flag, doubt_flag = np.uint8(0), np.uint8(TO_CORRECT), np.uint8(DOUBTFUL)
    plane = steps[t]
    last = plane.shape[0] - 3
    for j in range(0, last, 3):
        a, b, c = plane[j], plane[j + 1], plane[j + 2]
        u, v, w = weights[j], weights[j + 1], weights[j + 2]
        if j == 0:
            for r in range(scores.size):
                scores[r] = u * np.float32(a[r]) + v * np.float32(b[r]) + w * np.float32(c[r])
        else:
            for r in range(scores.size):
                scores[r] += u * np.float32(a[r]) + v * np.float32(b[r]) + w * np.float32(c[r])
    a, b, c = plane[last], plane[last + 1], plane[last + 2]
    u, v, w = weights[last], weights[last + 1], weights[last + 2]
    for r in range(scores.size):
        s = u * np.float32(a[r]) + v * np.float32(b[r]) + w * np.float32(c[r])
        if last > 0:
            s += scores[r]
        scores[r] = s
        flag = doubt_flag if s <= high else no_flag
        flags[r] = wrong_flag if s < low else flag
        wrong += one if s < low else none
        not_right += one if s <= high else none
    return int(wrong), int(not_right) - int(wrong)
