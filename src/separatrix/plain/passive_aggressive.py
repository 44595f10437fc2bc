"""Passive-aggressive learning: the least change of w that gives the row at hand the score 1.

Crammer, Dekel, Keshet, Shalev-Shwartz & Singer 2006.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from separatrix.plain.score import Labels, Number, Row, Rows, moved, score


def passive_aggressive(
    X: Rows,
    y: Labels,
    turns: Iterable[int],
    *,
    variant: Literal["PA", "PA-I", "PA-II"] = "PA-I",
    C: Number = 1,
    start: Row | None = None,
) -> Row:
    """Return w after visiting the rows `turns`: w <- w + tau y x where 1 - y w.x > 0."""
    w: Row = start or [0] * len(X[0])
    for n in turns:
        error = 1 - y[n] * score(w, X[n])
        length_squared = score(X[n], X[n])
        if error <= 0 or length_squared == 0:
            continue
        tau = {
            "PA": error / length_squared,
            "PA-I": min(C, error / length_squared),
            "PA-II": error / (length_squared + 1 / (2 * C)),
        }[variant]
        w = moved(w, tau * y[n], X[n])
    return w
