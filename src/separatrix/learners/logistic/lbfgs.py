"""Limited-memory BFGS: an inverse Hessian from a metric and the latest steps (Nocedal 1980)."""

from __future__ import annotations

from collections.abc import Callable

from scipy.linalg.blas import daxpy

from separatrix.data import Floats

LONG = 1500  # numbers in a vector, from which on BLAS adds multiples sooner


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
            _add(change, q, -shares[-1])
        q = self.metric(q)
        if self.rescaled:
            q = self.rate * q
        for (step, change, bend), share in zip(self.pairs, reversed(shares), strict=True):
            _add(step, q, share - float(change @ q) / bend)
        return q


def _add(v: Floats, to: Floats, factor: float) -> None:
    if v.size > LONG:
        daxpy(v, to, a=factor)
    else:
        to += factor * v
