"""A line's score w.x, what its sign says, and what a mistake is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

Number = float | Fraction  # a type for readers: an int is a float here
Row = Sequence[Number]
Rows = Sequence[Row]
Labels = Sequence[int]
SignOfZero = Literal[-1, 1, "mistake"]


def with_constant(X: Iterable[Row], x0: int = 1) -> list[list[Number]]:
    """Return the rows (x0, x_1, ..., x_d); x0 = 0 is for lines through the origin."""
    return [[x0, *x] for x in X]


def score(w: Row, x: Row) -> Number:
    """Return w.x, added up in the order of the columns, rounded where the numbers round."""
    return sum(a * b for a, b in zip(w, x, strict=True))


def exact_score(w: Row, x: Row) -> Fraction:
    """Return w.x, every float taken as the rational number that it is."""
    return sum((Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=True)), Fraction(0))


def answer(s: Number, sign_of_zero: SignOfZero) -> int:
    """Return the sign of a score: -1 or +1, or 0 where a zero score is a mistake whatever y is."""
    if s == 0:
        return 0 if sign_of_zero == "mistake" else sign_of_zero
    return 1 if s > 0 else -1


def is_mistake(w: Row, x: Row, y: int, sign_of_zero: SignOfZero = "mistake") -> bool:
    """Whether sign(w.x) is not y."""
    return answer(exact_score(w, x), sign_of_zero) != y


def mistakes(w: Row, X: Rows, y: Labels, sign_of_zero: SignOfZero = "mistake") -> list[int]:
    """Return the numbers of the rows that are mistakes; E_in counts zero scores among them."""
    return [n for n in range(len(X)) if is_mistake(w, X[n], y[n], sign_of_zero)]


def weight_of(rows: Iterable[int], weight: Row | None) -> Number:
    """Return what these rows weigh: their number, unless weights are given."""
    return sum(1 if weight is None else weight[n] for n in rows)


def moved(w: Row, step: Number, x: Row) -> list[Number]:
    """Return w + step x."""
    return [a + step * b for a, b in zip(w, x, strict=True)]
