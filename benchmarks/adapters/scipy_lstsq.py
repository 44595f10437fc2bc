"""scipy's least squares by a QR decomposition with column pivoting."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.linalg import lstsq

from benchmarks.answer import Answer, Run
from benchmarks.data import Problem
from benchmarks.timing import timed


@dataclass(frozen=True)
class Pivoted:
    name: str = "SciPy gelsy"
    imports: str = "from scipy.linalg import lstsq"

    def prepare(self, problem: Problem) -> Run:
        Z = problem.with_ones

        def run() -> Answer:
            (w, _, rank, _), seconds = timed(
                lambda: lstsq(Z, problem.y, lapack_driver="gelsy", check_finite=False)
            )
            return Answer(w, seconds, work=f"rank {rank}")

        return run
