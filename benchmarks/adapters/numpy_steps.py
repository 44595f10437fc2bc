"""Gradient descent on the cross-entropy as everybody writes it: ten lines of NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.timing import timed_pass


@dataclass(frozen=True)
class GradientStep:
    """A step; the column of ones is made beforehand and not timed."""

    steps: int
    name: str = "NumPy"
    imports: str = "import numpy"

    def prepare(self, problem: Problem) -> Run:
        Z = np.column_stack((np.ones(problem.y.size), problem.X))

        def run() -> Answer:
            w, seconds, whole = timed_pass(lambda k: _descended(Z, problem.y, k), self.steps)
            return Answer(w, seconds, whole, work=f"{1 + self.steps} updates")

        return run


def _descended(Z: Floats, y: Floats, steps: int, eta: float = 0.1) -> Floats:
    """Return w after so many steps."""
    w = np.zeros(Z.shape[1])
    for _ in range(steps):
        pull = -y / (1.0 + np.exp(y * (Z @ w)))
        w -= eta * (pull @ Z) / y.size
    return w
