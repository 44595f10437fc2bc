"""No optimum: the exact direction in which the likelihood grows without end, and the line taken."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, Points, Sample, as_rows, dense
from separatrix.exact.integers import primitive, whole_multiples
from separatrix.kernels.exact import signed_scores
from separatrix.learners.least_squares.normal_equations import doubles
from separatrix.scale import Block, Rows
from separatrix.scale.view import SameRows, seen_as
from separatrix.separation.decide import Separability, separability_of
from separatrix.separation.rounding import as_doubles
from separatrix.tiles import stack_of_tiles, tiles

LARGEST_EXPONENT = 1000  # of a number that is kept as doubles
CERTAIN = 40.0  # an agreement at which sigma(a) is 1 in doubles


def direction_of(proof: Separability, sample: Sample | None = None) -> Floats:
    """Return a diverging line as rows of doubles (m, 1+d): of arrays, whatever their order."""
    if proof.verdict == "separable" and sample is not None:
        proof = separability_of(_distinct(sample))
    assert proof.line is not None  # noqa: S101  # separable and touching have one
    return in_doubles(proof.line)


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of the likelihood where there is no optimum."""

    direction: Floats  # (m, 1+d) as `direction_of` gives it
    line: Floats  # (1+d,) weights for the limit
    n_decided: int
    n_wrong: int

    @classmethod
    def of(cls, table: Rows, rest: Floats, direction: Floats, proof: Separability) -> Limit:
        # a separating line may have any length: one at which its rows are certain, in doubles, is
        # what the limit looks like beside the lines of other labels (one versus the rest)
        separable = proof.verdict == "separable"
        needed = max(table.map(_needed, rest, direction, CERTAIN if separable else 0.0))
        size = math.frexp(np.abs(direction).max())[1]
        least = -50 - size  # a shorter part of the direction would be lost beside the rest
        k = max(least, math.frexp(needed)[1]) if 0.0 < needed < math.inf else least
        parts = [math.ldexp(1.0, min(k + more, 1023 - size)) for more in (0, 1, 4, 16)]
        lines = chain((rest + t * direction[0] for t in parts), [rest + direction[0]])
        tried = []
        for line in chain(lines, _roundings(proof) if separable else ()):
            decided, wrong = table.sum(_decided_and_wrong, line, direction).tolist()
            tried.append(cls(direction, line, int(decided), int(wrong)))
            if not wrong:
                break
        return min(tried, key=lambda limit: limit.n_wrong)


def rows_on(rows: Rows, line: Floats | None) -> Rows:
    """Return the rows, those that are not on a line (m, 1+d) with a weight of 0."""
    if line is None:
        return rows
    source = SameRows(rows.source, partial(_of_line, line=line))
    if rows.in_memory is not None:
        return Rows.of(source.read(0, rows.n))
    return seen_as(rows, source)


def on_line(sample: Sample, line: Floats | None) -> np.ndarray:
    """Return which rows (N,) are on a line, exactly."""
    found = np.ones(sample.n, dtype=np.bool_)
    if line is None:
        return found
    for tile in tiles(sample.n):
        found[tile] = sides(sample.X[tile], line) == 0.0
    return found


def _of_line(rows: Sample, line: Floats) -> Sample:
    """Return rows of which those that are not on a line, exactly, have a weight of 0."""
    return replace(rows, weight=rows.weight * on_line(rows, line))


def _needed(block: Block, rest: Floats, direction: Floats, beyond: float) -> float:
    """Return the largest t at which a decided row y (rest + t direction).x comes to `beyond`."""
    of = block.sample

    def part(tile: slice) -> Floats:
        X, y = of.X[tile], of.y[tile]
        along = y * sides(X, direction)
        lacking = np.full(len(y), beyond)
        if rest.any():
            lacking -= y * signed_scores(as_rows(doubles(X)), len(y), rest, 1.0)
        with np.errstate(over="ignore"):
            return np.array((lacking[along > 0.0] / along[along > 0.0]).max(initial=0.0))

    return float(stack_of_tiles(block.n, part).max())


def _decided_and_wrong(block: Block, line: Floats, direction: Floats) -> Floats:
    """Return how many rows the direction decides, and a line gets wrong: (tiles, 2)."""
    of = block.sample

    def part(tile: slice) -> Floats:
        X, y = of.X[tile], of.y[tile]
        decided = sides(X, direction) != 0.0
        wrong = y * signed_scores(as_rows(doubles(X)), len(y), line, 1.0) <= 0.0
        return np.array([decided.sum(), (decided & wrong).sum()], dtype=np.float64)

    return stack_of_tiles(block.n, part)


def in_doubles(line: Sequence[Fraction]) -> Floats:
    """Return rows of doubles (m, 1+d) that add up to a multiple of a line."""
    whole = primitive(whole_multiples(line)[0])
    size = max(0, max(abs(w) for w in whole).bit_length() - LARGEST_EXPONENT)
    left, parts = list(whole), []
    while any(part := [float(Fraction(w, 1 << size)) for w in left]):
        parts.append(part)
        left = [w - int(Fraction(p) * (1 << size)) for w, p in zip(left, part, strict=True)]
    return np.array(parts)


def sides(points: Points, direction: Floats) -> Floats:
    """Return scores (N,) with the exact sign of x.w for w the sum of the rows of `direction`."""
    points = doubles(points)
    if len(direction) == 1:
        return signed_scores(as_rows(points), points.shape[0], direction[0], 1.0)
    table = dense(points, "an exact answer")
    n, m = len(table), len(direction)
    wide = np.hstack([*[table] * m, np.ones((n, m - 1))])
    weights = np.concatenate((direction[0, :1], *direction[:, 1:], direction[1:, 0]))
    return signed_scores(wide, n, weights, 1.0)


def _distinct(sample: Sample) -> Sample:
    if sp.issparse(sample.X):
        return _distinct_sparse(sample)
    points = sample.X
    first = points[:, 0].copy()
    sides = [np.flatnonzero(sample.y == sign) for sign in (-1.0, 1.0)]
    orders = [rows[np.argsort(first[rows])] for rows in sides]  # a tenth of what lexsort takes
    if all((np.diff(first[order]) > 0.0).all() for order in orders):  # no other column matters
        order = np.concatenate(orders)
        return _of_weight_one(sample, points.take(order, axis=0), sample.y[order])
    table = np.unique(np.column_stack((sample.y, points)), axis=0)
    X = np.ascontiguousarray(table[:, 1:])
    return _of_weight_one(sample, X, table[:, 0].copy())


def _distinct_sparse(sample: Sample) -> Sample:
    """Return the distinct rows in the order of label, then of columns and numbers in turn."""
    X = sample.X
    counts = np.diff(X.indptr)
    places = np.arange(X.indices.size) - np.repeat(X.indptr[:-1], counts)
    keys = np.zeros((2 * int(counts.max(initial=0)) + 1, sample.n))
    rows = np.repeat(np.arange(sample.n), counts)
    keys[0] = sample.y
    keys[2 * places + 1, rows] = X.indices + 1
    keys[2 * places + 2, rows] = X.data
    order = np.lexsort(keys[::-1])
    new = (np.diff(keys[:, order], axis=1) != 0.0).any(axis=0)
    kept = order[np.concatenate(([True], new))]
    return _of_weight_one(sample, X[kept], sample.y[kept])


def _of_weight_one(sample: Sample, X: Points, y: Floats) -> Sample:
    return replace(sample, X=X, y=y, weight=np.ones(y.size))


def _roundings(proof: Separability) -> Iterator[Floats]:
    """Yield doubles near multiples of separating lines: the one at hand, and one of most margin."""
    yield from _roundings_of(proof.line)
    yield from _roundings_of(proof.exact_weights)


def _roundings_of(exact: tuple[Fraction, ...] | None) -> Iterator[Floats]:
    assert exact is not None  # noqa: S101  # separable
    for size in (1, 1 << LARGEST_EXPONENT):  # beside small weights tinier ones would vanish
        yield from (np.array([float(w) for w in line]) for line in as_doubles(exact, size))
