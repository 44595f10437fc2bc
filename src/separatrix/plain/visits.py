"""Which mistake is corrected next: the four orders of visiting rows.

Each is a function that is given "is row n a mistake?" and returns a row that is one, or None when a
search of all rows met none. A learner calls it once for every update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

IsMistake = Callable[[int], bool]
Visit = Callable[[IsMistake], int | None]


def in_turn(order: Sequence[int]) -> Visit:
    """Go on from the row after the last one: cyclic for 0, ..., N - 1, else permuted."""
    position = 0

    def find(is_mistake: IsMistake) -> int | None:
        nonlocal position
        for _ in order:
            n = order[position]
            position = (position + 1) % len(order)
            if is_mistake(n):
                return n
        return None

    return find


def naive(n_rows: int) -> Visit:
    """Begin at the first row again after every update."""
    return lambda is_mistake: next(filter(is_mistake, range(n_rows)), None)


def random(n_rows: int, draws: Iterable[float]) -> Visit:
    """Take one of all current mistakes, by a draw from [0, 1) for each update."""
    draw = iter(draws)

    def find(is_mistake: IsMistake) -> int | None:
        wrong = [n for n in range(n_rows) if is_mistake(n)]
        return wrong[int(next(draw) * len(wrong))] if wrong else None

    return find
