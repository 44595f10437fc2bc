"""What is minimised: the error of one answer, as a function of a = y w.x (lecture 11)."""

from __future__ import annotations

import math
from collections.abc import Callable

from separatrix.plain.score import Labels, Number, Row, Rows, exact_score


def zero_one(a: Number) -> int:
    """1 for a mistake; a zero score is one."""
    return 1 if a <= 0 else 0


def perceptron(a: Number) -> Number:
    """max(0, -a)."""
    return max(0, -a)


def squared(a: Number) -> Number:
    """(1 - a)^2, which is (y - w.x)^2 for y = -1 or +1."""
    return (1 - a) ** 2


def cross_entropy(a: Number) -> float:
    """ln(1 + e^-a), written so that nothing overflows."""
    return max(0.0, float(-a)) + math.log1p(math.exp(-abs(float(a))))


def perceptron_slope(a: Number) -> int:
    """-1 for a <= 0: a zero score is a mistake to be corrected."""
    return -1 if a <= 0 else 0


def squared_slope(a: Number) -> Number:
    """-2 (1 - a)."""
    return 2 * (a - 1)


def cross_entropy_slope(a: Number) -> float:
    """-theta(-a), theta(s) = 1 / (1 + e^-s)."""
    return -1 / (1 + math.exp(a)) if a < 700 else 0.0


ERROR: dict[str, Callable[[Number], Number]] = {
    "zero_one": zero_one,
    "perceptron": perceptron,
    "squared": squared,
    "cross_entropy": cross_entropy,
}
SLOPE: dict[str, Callable[[Number], Number]] = {
    "perceptron": perceptron_slope,
    "squared": squared_slope,
    "cross_entropy": cross_entropy_slope,
}


def E_in(w: Row, X: Rows, y: Labels, name: str) -> float:  # noqa: N802  # the field's name
    """Return the mean error over the rows."""
    return float(sum(ERROR[name](y[n] * exact_score(w, X[n])) for n in range(len(X)))) / len(X)
