"""Logistic regression (lecture 10) by Newton's method: P(yes | x) = theta(w.x), theta the sigmoid.

Minimises the sum of ln(1 + e^(-y w.x)) plus |w|^2 / (2 C), w_0 not counted. Without a penalty there
is a minimum only where the rows overlap (Albert & Anderson 1984); else w grows without end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from separatrix.plain.elimination import solve
from separatrix.plain.error_measures import cross_entropy, cross_entropy_slope
from separatrix.plain.score import Labels, score

Floats = list[float]


class Fit(NamedTuple):
    """The weights, the sum that they minimise, and 1 / sqrt of the curvature for each weight."""

    w: Floats
    error: float
    standard_errors: Floats


def logistic_regression(
    X: Sequence[Floats], y: Labels, C: float = math.inf, steps: int = 30
) -> Fit:
    """Solve H step = -gradient, halve the step while the error grows, and again."""
    width = len(X[0])
    penalty = [0.0] + [1.0 / C] * (width - 1)

    def agreements(w: Floats) -> Floats:
        return [y[n] * float(score(w, X[n])) for n in range(len(X))]

    def error(w: Floats) -> float:
        smooth = sum(p * a * a for p, a in zip(penalty, w, strict=True)) / 2
        return sum(cross_entropy(a) for a in agreements(w)) + smooth

    w = [0.0] * width
    for _ in range(steps):
        theta = [-cross_entropy_slope(a) for a in agreements(w)]
        minus_gradient = [
            sum(theta[n] * y[n] * X[n][j] for n in range(len(X))) - penalty[j] * w[j]
            for j in range(width)
        ]
        H = [
            [sum(t * (1 - t) * x[i] * x[j] for t, x in zip(theta, X, strict=True))
             for j in range(width)]
            for i in range(width)
        ]  # fmt: skip
        for j in range(width):
            H[j][j] += penalty[j]
        step = [float(a) for a in solve(H, minus_gradient)]
        while max(map(abs, step)) > 0 and error(_sum(w, step)) > error(w):
            step = [a / 2 for a in step]
        w = _sum(w, step)
    units = [[float(i == j) for j in range(width)] for i in range(width)]
    return Fit(w, error(w), [math.sqrt(float(solve(H, e)[j])) for j, e in enumerate(units)])


def _sum(v: Floats, w: Floats) -> Floats:
    return [a + b for a, b in zip(v, w, strict=True)]
