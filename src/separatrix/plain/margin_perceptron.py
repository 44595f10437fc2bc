"""The margin perceptron (Krauth & Mezard 1987): PLA that also corrects rows barely right."""

from __future__ import annotations

import math

from separatrix.plain.pla import Run
from separatrix.plain.score import Labels, Number, Row, Rows, exact_score, moved
from separatrix.plain.visits import Visit, in_turn


def margin_perceptron(
    X: Rows,
    y: Labels,
    margin: Number,
    *,
    visit: Visit | None = None,
    start: Row | None = None,
    max_updates: float = math.inf,
) -> Run:
    """Correct rows with y w.x <= margin until there are none; margin 0 is PLA."""
    find = visit or in_turn(range(len(X)))
    w: Row = start or [0] * len(X[0])
    visited: list[int] = []

    def close(n: int) -> bool:
        return y[n] * exact_score(w, X[n]) <= margin

    while True:
        n = find(close)
        if n is None or len(visited) == max_updates:
            return Run(w, visited, n is None)
        w = moved(w, y[n], X[n])
        visited.append(n)
