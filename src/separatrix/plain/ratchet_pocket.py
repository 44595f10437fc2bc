"""Gallant's ratchet (1990): all rows are counted only after a longer run of correct answers."""

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
