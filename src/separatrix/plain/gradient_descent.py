"""Gradient descent (lectures 10, 11): w <- w - eta grad E_in(w), on all rows, a few, or one.

`online` on the perceptron error with eta = 1 makes PLA's updates; on the cross-entropy it is
stochastic logistic regression; `batch` on the squared error is linear regression step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from separatrix.plain.score import Labels, Number, Row, Rows, exact_score, moved

Slope = Callable[[Number], Number]


def gradient(w: Row, X: Rows, y: Labels, slope: Slope, rows: Sequence[int]) -> Row:
    """Return the mean over the rows of err'(y w.x) y x."""
    g: Row = [0] * len(w)
    for n in rows:
        pull = y[n] * slope(y[n] * exact_score(w, X[n]))
        g = moved(g, pull / len(rows), X[n])
    return g


def batch(X: Rows, y: Labels, slope: Slope, eta: Number, start: Row, *, updates: int) -> Row:
    """Step down the gradient of all rows."""
    w = start
    for _ in range(updates):
        w = moved(w, -eta, gradient(w, X, y, slope, range(len(X))))
    return w


def mini_batch(
    X: Rows, y: Labels, slope: Slope, eta: Number, start: Row, *, batches: Iterable[Sequence[int]]
) -> Row:
    """Step down the gradient of a few rows after the other."""
    w = start
    for rows in batches:
        w = moved(w, -eta, gradient(w, X, y, slope, rows))
    return w


def online(
    X: Rows, y: Labels, slope: Slope, eta: Number, start: Row, *, turns: Iterable[int]
) -> Row:
    """Step down the gradient of one row after the other: stochastic gradient descent."""
    w = start
    for n in turns:
        w = moved(w, -eta * (y[n] * slope(y[n] * exact_score(w, X[n]))), X[n])
    return w
