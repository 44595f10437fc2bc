"""The voted perceptron (Freund & Schapire 1999): each w votes as long as it lived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from separatrix.plain.score import (
    Labels,
    Row,
    Rows,
    SignOfZero,
    answer,
    exact_score,
    is_mistake,
    moved,
)

Voter = tuple[Row, int]  # weights, and their votes


def voted_perceptron(
    X: Rows,
    y: Labels,
    turns: Iterable[int],
    *,
    sign_of_zero: SignOfZero = "mistake",
    start: Row | None = None,
) -> list[Voter]:
    """Return all weights of PLA's walk over `turns`, each with the visits after which it was w."""
    voters: list[Voter] = [(start or [0] * len(X[0]), 0)]
    streak = 0
    for n in turns:
        if streak == len(X):
            break
        w, votes = voters[-1]
        if is_mistake(w, X[n], y[n], sign_of_zero):
            voters.append((moved(w, y[n], X[n]), 1))
            streak = 0
        else:
            voters[-1] = (w, votes + 1)
            streak += 1
    return voters


def vote(voters: Sequence[Voter], x: Row) -> int:
    """Return the votes for yes less those for no; a zero score votes for neither."""
    return sum(votes * answer(exact_score(w, x), "mistake") for w, votes in voters)
