"""Coordinate descent on the 0/1 error itself (Li & Lin 2007): the best point of line after line."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from separatrix.plain.score import (
    Labels,
    Number,
    Row,
    Rows,
    exact_score,
    mistakes,
    moved,
    weight_of,
)


class Descent(NamedTuple):
    """The weights, and what their mistakes weigh."""

    w: Row
    n_errors: Number


def coordinate_descent_01(
    X: Rows,
    y: Labels,
    start: Row,
    searches: Iterable[tuple[Row, float]],
    weight: Row | None = None,
) -> Descent:
    """Search along direction after direction, each with a draw that chooses among equals."""
    best = Descent(start, weight_of(mistakes(start, X, y), weight))
    for direction, draw in searches:
        if best.n_errors == 0:
            break
        found = best_on_line(X, y, best.w, direction, draw, weight)
        if found.n_errors <= best.n_errors and any(found.w):
            best = found
    return best


def best_on_line(  # noqa: PLR0917  # one question
    X: Rows, y: Labels, w: Row, direction: Row, draw: float = 0.0, weight: Row | None = None
) -> Descent:
    """Return a w + t direction with the fewest mistakes of all t, in fractions.

    A row's agreement a + t b changes sign at t = -a / b, and is 0 there, a mistake. So it is
    enough to compare one t between each two neighbouring places and one beyond each end.
    """
    a = [y[n] * exact_score(w, X[n]) for n in range(len(X))]
    b = [y[n] * exact_score(direction, X[n]) for n in range(len(X))]
    places = sorted({-p / q for p, q in zip(a, b, strict=True) if q != 0})
    tried = [Fraction(0)]
    if places:
        first, last = places[0], places[-1]
        middles = [(p + q) / 2 for p, q in pairwise(places)]
        beyond = first - max(Fraction(1), abs(first)), last + max(Fraction(1), abs(last))
        tried = [beyond[0], *middles, beyond[1]]
    weighed = [weight_of([n for n in range(len(a)) if a[n] + t * b[n] <= 0], weight) for t in tried]
    equals = [t for t, errors in zip(tried, weighed, strict=True) if errors == min(weighed)]
    t = equals[int(draw * len(equals))]
    return Descent(
        moved([Fraction(c) for c in w], t, [Fraction(c) for c in direction]), min(weighed)
    )
