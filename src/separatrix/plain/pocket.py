"""The pocket algorithm and its ratchet (Gallant 1990): PLA that keeps the best weights it met.

The pocket counts the mistakes on all rows after every update; the ratchet only after a longer run
of correct answers than the pocket had.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
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


class Ratchet(NamedTuple):
    """The pocket, what its mistakes weigh, its run of correct rows, and the last weights."""

    w: Row
    n_errors: Number
    run_length: int
    last: Row
    visited: list[int]


def ratchet_pocket(
    X: Rows,
    y: Labels,
    turns: Iterable[int],
    *,
    max_updates: float = math.inf,
    sign_of_zero: SignOfZero = "mistake",
    weight: Row | None = None,
) -> Ratchet:
    """Visit the rows `turns`; the pocket changes after a longer run, if fewer mistakes are made."""
    w: Row = [0] * len(X[0])
    best, fewest, longest, run = w, weight_of(mistakes(w, X, y), weight), 0, 0
    visited: list[int] = []
    for n in turns:
        wrong = is_mistake(w, X[n], y[n], sign_of_zero)
        if fewest == 0 or (wrong and len(visited) == max_updates):
            break
        if wrong:
            w, run = moved(w, y[n], X[n]), 0
            visited.append(n)
            continue
        run += 1
        if run > longest:
            counted = weight_of(mistakes(w, X, y), weight)
            if counted < fewest:
                best, fewest, longest = w, counted, run
    return Ratchet(best, fewest, longest, w, visited)
