"""The pocket algorithm (Gallant 1990): PLA that keeps a copy of the best weights it met."""

from __future__ import annotations

from typing import NamedTuple

from separatrix.plain.score import (
    Labels,
    Number,
    Row,
    Rows,
    SignOfZero,
    is_mistake,
    mistakes,
    moved,
    weight_of,
)
from separatrix.plain.visits import Visit


class Pocket(NamedTuple):
    """The pocket, what its mistakes weigh, how often it changed; the walk it was found on."""

    w: Row
    n_errors: Number
    swaps: int
    last: Row
    visited: list[int]


def pocket(
    X: Rows,
    y: Labels,
    visit: Visit,
    max_updates: int,
    *,
    sign_of_zero: SignOfZero = "mistake",
    start: Row | None = None,
    weight: Row | None = None,
) -> Pocket:
    """Correct a mistake, count all mistakes again, keep the weights if they make fewer."""
    w: Row = start or [0] * len(X[0])
    best, fewest, swaps = w, weight_of(mistakes(w, X, y), weight), 0
    visited: list[int] = []

    def wrong(n: int) -> bool:
        return is_mistake(w, X[n], y[n], sign_of_zero)

    while fewest > 0 and len(visited) < max_updates:
        n = visit(wrong)
        if n is None:
            break
        w = moved(w, y[n], X[n])
        visited.append(n)
        counted = weight_of(mistakes(w, X, y), weight)
        if counted < fewest:
            best, fewest, swaps = w, counted, swaps + 1
    return Pocket(best, fewest, swaps, w, visited)
