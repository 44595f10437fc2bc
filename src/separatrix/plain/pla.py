"""The perceptron learning algorithm, PLA (Rosenblatt 1958): correct mistakes until none is left.

Why it stops (Novikoff 1962): let w_f make no mistake. Every update raises w_f.w by at least
rho |w_f| and |w|^2 by at most R^2, and a cosine is at most 1. After T updates from w_0 that is
(w_f.w_0 + T m)^2 <= |w_f|^2 (|w_0|^2 + T R^2) with m = rho |w_f|, the least agreement y w_f.x.
From w_0 = 0 it says T <= (R / rho)^2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from separatrix.plain.score import Labels, Row, Rows, SignOfZero, exact_score, is_mistake, moved
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


def mistake_bound(X: Rows, y: Labels, w_f: Row) -> int:
    """Return floor((R / rho)^2), exactly; ValueError when w_f makes a mistake."""
    m = min(y[n] * exact_score(w_f, X[n]) for n in range(len(X)))
    if m <= 0:
        raise ValueError("w_f does not separate the rows")
    R_squared = max(exact_score(x, x) for x in X)
    rho_squared = m**2 / exact_score(w_f, w_f)
    return math.floor(R_squared / rho_squared)


def mistake_bound_from(X: Rows, y: Labels, w_f: Row, start: Row) -> int:
    """Return the largest T that the two growth lines allow from w_0 = start."""
    m = min(y[n] * exact_score(w_f, X[n]) for n in range(len(X)))
    if m <= 0:
        raise ValueError("w_f does not separate the rows")
    R_squared = max(exact_score(x, x) for x in X)
    along, length_squared = exact_score(w_f, start), exact_score(start, start)

    def possible(T: int) -> bool:
        inner = along + T * m
        return inner <= 0 or inner**2 <= exact_score(w_f, w_f) * (length_squared + T * R_squared)

    T = 1  # possible(0) is Cauchy's inequality; once impossible, always impossible
    while possible(T):
        T *= 2
    low, high = T // 2, T
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if possible(middle) else (low, middle)
    return low
