"""The dual perceptron (Aizerman, Braverman & Rozonoer 1964): PLA that counts updates per row.

w = sum_n alpha_n y_n x_n, so that w.x = sum_n alpha_n y_n x_n.x needs inner products alone, and a
kernel K(x_n, x) may stand in their place. Here a row has no constant: coef0 plays its part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from separatrix.plain.score import Labels, Number, Row, Rows, SignOfZero, answer, score
from separatrix.plain.visits import Visit, in_turn

Kernel = Callable[[Row, Row], Number]


def linear(coef0: Number = 1) -> Kernel:
    """K(x, x') = coef0 + x.x': PLA with a constant for 1, without one for 0."""
    return lambda a, b: coef0 + score(a, b)


def polynomial(degree: int, gamma: Number, coef0: Number = 1) -> Kernel:
    """K(x, x') = (coef0 + gamma x.x')^degree."""
    return lambda a, b: (coef0 + gamma * score(a, b)) ** degree


def rbf(gamma: float) -> Kernel:
    """K(x, x') = exp(-gamma |x - x'|^2)."""
    return lambda a, b: math.exp(-gamma * (score(a, a) + score(b, b) - 2 * score(a, b)))


class Counts(NamedTuple):
    """alpha, the row of every update, and whether no mistake was left."""

    alpha: list[int]
    visited: list[int]
    done: bool


def dual_perceptron(
    X: Rows,
    y: Labels,
    kernel: Kernel,
    *,
    visit: Visit | None = None,
    sign_of_zero: SignOfZero = "mistake",
    max_updates: float = math.inf,
) -> Counts:
    """Find a mistake n, alpha_n <- alpha_n + 1, and again: all scores change with it."""
    find_mistake = visit or in_turn(range(len(X)))
    scores: list[Number] = [0] * len(X)
    alpha, visited = [0] * len(X), list[int]()

    def wrong(n: int) -> bool:
        return answer(scores[n], sign_of_zero) != y[n]

    while True:
        n = find_mistake(wrong)
        if n is None or len(visited) == max_updates:
            return Counts(alpha, visited, n is None)
        alpha[n] += 1
        visited.append(n)
        for k in range(len(X)):
            scores[k] += y[n] * kernel(X[n], X[k])
