"""Ten-line oracles in exact arithmetic: what the compiled learners must do, row by row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def exact_rows(X, x0=1):
    return [[Fraction(x0), *(Fraction(float(v)) for v in row)] for row in X]


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def wrong(z, y, v, sign_of_zero):
    s = dot(z, [Fraction(float(c)) for c in v])
    h = (
        0
        if s == 0 and sign_of_zero == "mistake"
        else sign_of_zero
        if s == 0
        else 1
        if s > 0
        else -1
    )
    return h != y


def pla(X, y, order, *, naive=False, sign_of_zero="mistake", start=None, max_updates=500, x0=1.0):
    """Rows visited and v after PLA; one float rounding per component, signs in fractions."""
    Z, n = exact_rows(X, int(x0)), len(X)
    v = np.zeros(X.shape[1] + 1) if start is None else np.array(start, dtype=float)
    visited, position, streak = [], 0, 0
    while streak < n and len(visited) <= max_updates:
        i = order[position]
        if wrong(Z[i], y[i], v, sign_of_zero):
            if len(visited) == max_updates:
                return visited, v, False
            v = v + y[i] * np.concatenate(([x0], X[i]))
            visited.append(i)
            position, streak = 0 if naive else (position + 1) % n, 0
        else:
            position, streak = (position + 1) % n, streak + 1
    return visited, v, streak == n


def mistakes(X, y, v, sign_of_zero="mistake"):
    return [i for i, z in enumerate(exact_rows(X)) if wrong(z, y[i], v, sign_of_zero)]
