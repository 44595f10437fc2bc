"""What everybody writes in ten lines of NumPy: descent on the cross-entropy, least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.timing import timed, timed_pass


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


@dataclass(frozen=True)
class LeastSquares:
    """`lstsq`: singular values, every direction kept that doubles can tell from none."""

    name: str = "NumPy lstsq"
    imports: str = "import numpy"

    def prepare(self, problem: Problem) -> Run:
        Z = problem.with_ones

        def run() -> Answer:
            (w, _, rank, _), seconds = timed(lambda: np.linalg.lstsq(Z, problem.y, rcond=None))
            return Answer(w, seconds, work=f"rank {rank}")

        return run


@dataclass(frozen=True)
class NormalEquations:
    """Z'Z w = Z'y, with nothing looked at: no check of the data, no rank, no second look.

    Not a peer, since it gives no digit on nearly collinear columns and does not say so; but the
    product Z'Z is what every fast way has to pay.
    """

    name: str = "bare normal equations"
    imports: str = "import numpy"

    def prepare(self, problem: Problem) -> Run:
        Z = problem.with_ones

        def run() -> Answer:
            w, seconds = timed(lambda: np.linalg.solve(Z.T @ Z, Z.T @ problem.y))
            return Answer(w, seconds, work="no checks")

        return run
