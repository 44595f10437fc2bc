"""What must be known over all rows of a sample: the least score, the longest row, the wrong rows.

Floats with an error bound choose the rows that can matter; those are done again exactly. No copy of
the table is made: rows are read where they are, or a block at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeVar

import numpy as np

from separatrix.data import Sample, dense
from separatrix.exact.integers import (
    UNIT_ROUNDOFF,
    Floats,
    Indices,
    exact_scores,
    largest_square,
    scaled_floats,
    times_power_of_two,
)
from separatrix.kernels.separation.scan import agreements, longest_of_stripes, worst_of_stripes
from separatrix.tiles import in_threads, n_threads, shares

T = TypeVar("T")

BLOCK = 1 << 16  # rows of which copies exist at the same time
MOST_STRIPES = 256
STRIPE = 32  # rows in a stripe, at least
SHARED = 1 << 20  # numbers in a table that is worth several threads
MANY = 2000  # rows of which equal ones are worth finding before integers are made of them


def signed_part(sample: Sample, x0: float, rows: Indices | slice) -> Floats:
    """Return the rows z_n (m, D): y_n (x0, x_n), or y_n x_n when x0 is 0. Nothing rounds."""
    part = sample.X[rows]
    points = dense(part, "an exact look at a sparse table")
    y = sample.y[rows, None]
    return np.hstack([y, points * y]) if x0 else np.asarray(points * y)


def doubles_of(weights: Sequence[Fraction]) -> Floats | None:
    """Return the weights as doubles if they are all that; else None."""
    try:
        floats = np.array([float(w) for w in weights])
    except OverflowError:
        return None
    if all(Fraction(a) == w for a, w in zip(floats.tolist(), weights, strict=True)):
        return floats
    return None


# ---------------------------------------------------------------------- scores


def lowest_scores(
    sample: Sample, x0: float, weights: Sequence[Fraction]
) -> tuple[Fraction, Indices]:
    """Return min_n z_n.w exactly, and the rows that can have it, in order.

    Parameters
    ----------
    weights : (D,) one for each column of the rows z_n
    """
    near = _near_the_least(sample, x0, weights)
    values = signed_part(sample, x0, near)
    if near.size > MANY:
        values = np.unique(values, axis=0)
    return min(exact_scores(values, weights)), near


def _near_the_least(sample: Sample, x0: float, weights: Sequence[Fraction]) -> Indices:
    """Return the rows whose float score is within rounding of the least."""
    floats = doubles_of(weights)
    if floats is not None:
        w = floats if x0 else np.append(0.0, floats)
        scores, off = agreements(sample.rows, sample.y, w, x0)
        if np.isfinite(scores).all() and np.isfinite(off).all():
            with np.errstate(over="ignore"):  # an infinite bound keeps a row
                return np.flatnonzero(scores - off <= (scores + off).min())
    everything = np.arange(sample.n)
    blocks = [everything[start : start + BLOCK] for start in range(0, sample.n, BLOCK)]
    return np.concatenate([b[_near(signed_part(sample, x0, b), weights)] for b in blocks])


def _near(values: Floats, weights: Sequence[Fraction]) -> Indices:
    """Return the positions of the rows (n, D) whose float score is within rounding of the least.

    A float sum of D products is off by at most (D + 2) u times the sum of their magnitudes
    (Higham 2002, section 3.1), plus what underflows.
    """
    _, exponent = np.frexp(np.abs(values).max(axis=0))
    scaled = np.ldexp(values, -exponent)
    shifted = [times_power_of_two(w, int(e)) for w, e in zip(weights, exponent, strict=True)]
    floats = scaled_floats(shifted)
    scores = scaled @ floats
    off = (values.shape[1] + 8) * 2 * UNIT_ROUNDOFF * (np.abs(scaled) @ np.abs(floats)) + 1e-300
    return np.flatnonzero(scores - off <= (scores + off).min())


# ---------------------------------------------------------------------- lengths


def longest_square(sample: Sample, x0: float) -> Fraction:
    """Return R^2 = max_n |(x0, x_n)|^2 exactly."""
    edges = stripe_edges(sample.n)
    longest = np.empty(edges.size - 1)
    rows = sample.rows

    def read(a: int, b: int) -> None:
        longest_of_stripes(rows, x0, edges[a:b], edges[a + 1 : b + 1], longest[a:b])

    by_stripes(sample, edges.size - 1, read)
    top = longest.max()
    if not 1e-200 < top < 1e300:  # squares overflow, or vanish
        return max(
            largest_square(signed_part(sample, x0, slice(start, start + BLOCK)))
            for start in range(0, sample.n, BLOCK)
        )
    off = (sample.d + 8) * 4 * UNIT_ROUNDOFF
    near = np.flatnonzero(longest >= top * (1 - off))
    return max(_longest_near(sample, x0, int(edges[k]), int(edges[k + 1]), off) for k in near)


def _longest_near(sample: Sample, x0: float, a: int, b: int, off: float) -> Fraction:
    """Return the largest exact square among rows a, ..., b - 1 whose float square is near it."""
    values = signed_part(sample, x0, slice(a, b))
    squares = np.einsum("nj,nj->n", values, values)
    return largest_square(values[squares >= squares.max() * (1 - off)])


# ---------------------------------------------------------------------- stripes


def stripe_edges(n: int) -> Indices:
    """Return the ends of the stripes into which n rows are cut, the same on any machine."""
    stripes = max(1, min(MOST_STRIPES, n // STRIPE))
    return np.arange(stripes + 1, dtype=np.int64) * n // stripes


def by_stripes(sample: Sample, stripes: int, read: Callable[[int, int], T]) -> list[T]:
    """Return read(a, b) for runs of stripes that make up all; in threads where that pays."""
    threads = n_threads() if sample.n * (sample.d + 1) >= SHARED else 1
    runs = shares(range(stripes), threads)
    return list(in_threads([partial(read, run[0], run[-1] + 1) for run in runs]))


def exact_signs(points: Floats, weights: Sequence[Fraction]) -> Indices:
    """Return the sign of q.w for every point q (m, D), exactly."""
    if len(points) == 0:
        return np.zeros(0, dtype=np.int64)
    _, exponent = np.frexp(np.abs(points).max(axis=0))
    scaled = np.ldexp(points, -exponent)
    shifted = [times_power_of_two(w, int(e)) for w, e in zip(weights, exponent, strict=True)]
    floats = scaled_floats(shifted)
    scores = scaled @ floats
    off = (points.shape[1] + 8) * 2 * UNIT_ROUNDOFF * (np.abs(scaled) @ np.abs(floats)) + 1e-300
    signs: Indices = np.sign(scores).astype(np.int64)
    doubtful = np.flatnonzero(~(np.abs(scores) > off))
    for n, s in zip(doubtful, exact_scores(points[doubtful], weights), strict=True):
        signs[n] = int(s > 0) - int(s < 0)
    return signs


def read_all(sample: Sample, x0: float, w: Floats, part: int = 1) -> tuple[int, Indices, Floats]:
    """Return how many rows have z_n.w <= 0, exactly, and the worst row of each stripe.

    Parameters
    ----------
    w : (1+d,), w_0 first
    part : read only the first 1 / part of each stripe

    Returns
    -------
    wrong, worst (s,), least (s,) : their number; the row of least agreement in each of s stripes;
        that agreement, a float
    """
    edges = stripe_edges(sample.n)
    ends = edges[1:] if part == 1 else edges[:-1] - (-np.diff(edges) // part)
    worst, least = np.empty(ends.size, dtype=np.int64), np.empty(ends.size)
    rows = sample.rows

    def read(a: int, b: int) -> int:
        found = worst_of_stripes(
            rows, sample.y, w, x0, edges[a:b], ends[a:b], worst[a:b], least[a:b]
        )
        return int(found)

    return sum(by_stripes(sample, ends.size, read)), worst, least


def weights_of(line: Floats, x0: float) -> Floats:
    """Return the (1+d,) weights of a line in the columns of the rows."""
    return line if x0 else np.append(0.0, line)
