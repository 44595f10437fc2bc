"""Linear regression (lecture 9): the squared error has its minimum where X'X w = X'y."""

from __future__ import annotations

from fractions import Fraction

from separatrix.plain.elimination import fractions, solve, times
from separatrix.plain.score import Number, Row, Rows


def linear_regression(X: Rows, y: Row) -> list[Number]:
    """Return the exact minimiser of sum (y - w.x)^2, the shortest one where there are many.

    With G = X'X, every w = G v is at a right angle to all that the rows do not see, so the solution
    of G G v = X'y gives the shortest w = G v. Where the columns are independent it is the only one.
    """
    columns = list(zip(*fractions(X), strict=True))
    G = [times(columns, column) for column in columns]
    target = [Fraction(t) for t in y]
    v = solve([times(G, row) for row in G], times(columns, target))
    return times(G, v)
