"""Backtracking line search: halve a step until the objective falls enough (Armijo 1966)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Backtracking:
    """The first t of 1, shrink, shrink^2, ... with f(t) < f(0) + decrease t f'(0) + slack."""

    least: float  # t from which on the search gives up
    shrink: float = 0.5  # factor between two tries
    decrease: float = 1e-4  # share of the decrease promised by the slope that is required

    def search(
        self, along: Callable[[float], tuple[float, P]], value: float, slope: float = 0.0,
        slack: float = 0.0
    ) -> tuple[float, float, P] | None:  # fmt: skip
        """Return t, the value there, and what comes with it; None where no t is accepted."""
        t = 1.0
        while t > self.least:
            moved, place = along(t)
            if moved < value + self.decrease * t * slope + slack:
                return t, moved, place
            t *= self.shrink
        return None
