"""Firth's logistic regression: the likelihood times the root of the information's determinant.

The modified score is sum (y01 - p + h (1/2 - p)) x, h = p (1 - p) x' I^-1 x the leverages (Firth
1993). Each step solves I step = score; it is halved while the penalised likelihood falls.
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
    """The weights, l + ln det I / 2 there, and the roots of the diagonal of I^-1."""

    w: Floats
    penalised: float
    standard_errors: Floats


def firth_logistic_regression(X: Sequence[Floats], y: Labels, steps: int = 500) -> Fit:
    """Climb from 0: I step = modified score, halved while l + ln det I / 2 falls."""
    width = len(X[0])
    units = [[float(i == j) for j in range(width)] for i in range(width)]

    def probabilities(w: Floats) -> Floats:
        return [-cross_entropy_slope(-float(score(w, x))) for x in X]

    def information(w: Floats) -> list[Floats]:
        p = probabilities(w)
        return [
            [sum(q * (1 - q) * x[i] * x[j] for q, x in zip(p, X, strict=True))
             for j in range(width)]
            for i in range(width)
        ]  # fmt: skip

    def penalised(w: Floats) -> float:
        likelihood = -sum(cross_entropy(s * float(score(w, x))) for s, x in zip(y, X, strict=True))
        determinant = determinant_of(information(w))
        return likelihood + math.log(determinant) / 2 if determinant > 0 else -math.inf

    w = [0.0] * width
    for _ in range(steps):
        I = information(w)  # noqa: E741  # the field's letter
        modified = [0.0] * width
        for x, sign, p in zip(X, y, probabilities(w), strict=True):
            spread = float(score([float(a) for a in solve(I, x)], x))
            residual = (sign > 0) - p + p * (1 - p) * spread * (0.5 - p)
            modified = [m + residual * a for m, a in zip(modified, x, strict=True)]
        step = [float(a) for a in solve(I, modified)]
        while max(map(abs, step)) > 1e-13 and not penalised(_sum(w, step)) >= penalised(w):
            step = [a / 2 for a in step]
        w = _sum(w, step)
        if max(map(abs, step)) <= 1e-13:
            break
    I = information(w)  # noqa: E741
    return Fit(w, penalised(w), [math.sqrt(float(solve(I, e)[j])) for j, e in enumerate(units)])


def determinant_of(A: Sequence[Floats]) -> float:
    """Return the product of the pivots of a positive definite matrix; 0 where one is not."""
    rows, product = [list(row) for row in A], 1.0
    for k, pivot in enumerate(rows):
        if not pivot[k] > 0:
            return 0.0
        product *= pivot[k]
        for row in rows[k + 1 :]:
            factor = row[k] / pivot[k]
            for j in range(k, len(row)):
                row[j] -= factor * pivot[j]
    return product


def _sum(v: Floats, w: Floats) -> Floats:
    return [a + b for a, b in zip(v, w, strict=True)]
