"""Where to step, and how far.

Limited-memory BFGS: an inverse Hessian from a metric and the latest steps (Nocedal 1980).
Backtracking: shorten a step until the objective falls enough (Armijo 1966).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from separatrix.data import Floats


class LBFGS:
    """The two-loop recursion over the latest pairs (step, change of the gradient on it)."""

    def __init__(
        self, memory: int, solve: Callable[[Floats], Floats], *, rescaled: bool = False
    ) -> None:
        self.memory, self.metric, self.rescaled, self.rate = memory, solve, rescaled, 1.0
        self.pairs: list[tuple[Floats, Floats, float]] = []

    def add(self, step: Floats, change: Floats) -> None:
        """Remember a step and the change of the gradient on it, where that is convex."""
        bend = float(step @ change)
        if bend > 0.0:
            self.pairs = [*self.pairs[1 - self.memory :], (step, change, bend)]
            if self.rescaled:
                self.rate = bend / float(change @ self.metric(change))

    def solve(self, gradient: Floats) -> Floats:
        q = gradient.copy()
        shares = []
        for step, change, bend in reversed(self.pairs):
            shares.append(float(step @ q) / bend)
            q -= shares[-1] * change
        q = self.metric(q)
        if self.rescaled:
            q = self.rate * q
        for (step, change, bend), share in zip(self.pairs, reversed(shares), strict=True):
            q += (share - float(change @ q) / bend) * step
        return q


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
