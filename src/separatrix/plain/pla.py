"""The perceptron learning algorithm, PLA (Rosenblatt 1958): correct mistakes until none is left."""

from __future__ import annotations

import math
from typing import NamedTuple

from separatrix.plain.score import Labels, Row, Rows, SignOfZero, is_mistake, moved
from separatrix.plain.visits import Visit, in_turn


class Run(NamedTuple):
    """Weights at the end, the row of every update, and whether no mistake was left."""

    w: Row
    visited: list[int]
    done: bool


def pla(
    X: Rows,
    y: Labels,
    *,
    visit: Visit | None = None,
    sign_of_zero: SignOfZero = "mistake",
    start: Row | None = None,
    max_updates: float = math.inf,
) -> Run:
    """Find a mistake, w <- w + y x, and again. `visit` finds it (`visits`; cyclic by default)."""
    find_mistake = visit or in_turn(range(len(X)))
    w: Row = start or [0] * len(X[0])
    visited: list[int] = []

    def wrong(n: int) -> bool:
        return is_mistake(w, X[n], y[n], sign_of_zero)

    while True:
        n = find_mistake(wrong)
        if n is None or len(visited) == max_updates:
            return Run(w, visited, n is None)
        w = moved(w, y[n], X[n])
        visited.append(n)
