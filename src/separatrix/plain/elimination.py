"""Gauss's elimination: what decides exactly when the numbers are Fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from separatrix.plain.score import Number, Row, Rows, score


def reduced(rows: Rows, width: int) -> tuple[list[list[Number]], list[int]]:
    """Return the reduced rows of full rank and, for each, the column in which it alone is not 0."""
    left, done, pivots = [list(row) for row in rows], list[list[Number]](), list[int]()
    for j in range(width):
        sizes = [max(row[j], -row[j]) for row in left]
        if not any(sizes):
            continue
        row = left.pop(sizes.index(max(sizes)))  # the largest: with floats the least rounding
        row = [a / row[j] for a in row]
        left, done = _without(left, row, j), [*_without(done, row, j), row]
        pivots.append(j)
    return done, pivots


def _without(rows: Rows, pivot: Row, j: int) -> list[list[Number]]:
    """Take as much of the pivot row from each row as makes its column j zero."""
    return [[a - row[j] * b for a, b in zip(row, pivot, strict=True)] for row in rows]


def fractions(rows: Rows) -> list[list[Number]]:
    """Return the rows as Fractions, so that no step rounds."""
    return [[Fraction(a) for a in row] for row in rows]


def null_space(rows: Rows, width: int) -> tuple[list[list[Number]], list[int]]:
    """Return a basis of all w with row.w = 0, exactly, and the pivot columns of the rows."""
    kept, pivots = reduced(fractions(rows), width)
    basis = []
    for free in sorted(set(range(width)) - set(pivots)):
        w: list[Number] = [Fraction(int(j == free)) for j in range(width)]
        for row, j in zip(kept, pivots, strict=True):
            w[j] = -row[free]
        basis.append(w)
    return basis, pivots


def solve(A: Rows, b: Row) -> list[Number]:
    """Return a w with A w = b, its free weights 0; rounded when the numbers are floats."""
    width = len(A[0])
    rows, pivots = reduced([[*row, c] for row, c in zip(A, b, strict=True)], width)
    w: list[Number] = [0] * width
    for row, j in zip(rows, pivots, strict=True):
        w[j] = row[-1]
    return w


def times(A: Sequence[Row], w: Row) -> list[Number]:
    """Return A w."""
    return [score(row, w) for row in A]
