"""The averaged perceptron (Freund & Schapire 1999): the mean of PLA's weights over all visits."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from separatrix.plain.score import Labels, Row, Rows, SignOfZero, is_mistake, moved


class Average(NamedTuple):
    """The mean, exactly; PLA's own weights at the end; visits and updates made."""

    w: list[Fraction]
    last: Row
    visits: int
    visited: list[int]


def averaged_perceptron(
    X: Rows,
    y: Labels,
    turns: Iterable[int],
    *,
    sign_of_zero: SignOfZero = "mistake",
    start: Row | None = None,
) -> Average:
    """Visit the rows `turns` as PLA does, until N in a row were right; average after each visit."""
    w: Row = start or [0] * len(X[0])
    total = [Fraction(0)] * len(w)
    visits, streak = 0, 0
    visited: list[int] = []
    for n in turns:
        if streak == len(X):
            break
        visits, streak = visits + 1, streak + 1
        if is_mistake(w, X[n], y[n], sign_of_zero):
            w, streak = moved(w, y[n], X[n]), 0
            visited.append(n)
        total = [t + Fraction(a) for t, a in zip(total, w, strict=True)]
    return Average([t / visits for t in total], w, visits, visited)
