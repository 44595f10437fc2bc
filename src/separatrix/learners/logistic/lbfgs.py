"""Limited-memory BFGS: what the latest steps tell of the curvature."""

from __future__ import annotations

from collections.abc import Callable

from separatrix.data import Floats


class Pairs:
    """Limited-memory BFGS (Nocedal 1980): the latest steps, and how the gradient turned on them.

    Parameters
    ----------
    memory : how many steps to remember
    solve : a metric, nearly the inverse Hessian
    rough : whether the metric is to be multiplied by what the latest pair shows
    """

    def __init__(self, memory: int, solve: Callable[[Floats], Floats], *, rough: bool) -> None:
        self.memory, self.solve, self.rough, self.rate = memory, solve, rough, 1.0
        self.pairs: list[tuple[Floats, Floats, float]] = []

    def add(self, step: Floats, turn: Floats) -> None:
        """Remember a step and the turn of minus the gradient on it, where that is convex."""
        bend = float(step @ turn)
        if bend > 0.0:
            self.pairs = [*self.pairs[1 - self.memory :], (step, turn, bend)]
            if self.rough:
                self.rate = bend / float(turn @ self.solve(turn))

    def step(self, pull: Floats) -> Floats:
        """Return the step from a place with this minus gradient."""
        q = pull.copy()
        shares = []
        for step, turn, bend in reversed(self.pairs):
            shares.append(float(step @ q) / bend)
            q -= shares[-1] * turn
        q = self.rate * self.solve(q)
        for (step, turn, bend), share in zip(self.pairs, reversed(shares), strict=True):
            q += (share - float(turn @ q) / bend) * step
        return q
