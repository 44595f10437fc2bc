"""The floor: one read of the matrix by a compiled sum. No pass over the data can cost less."""

from __future__ import annotations

from dataclasses import dataclass

from numba import njit

from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.timing import timed


@dataclass(frozen=True)
class OneRead:
    name: str = "one read"
    imports: str = ""

    def prepare(self, problem: Problem) -> Run:
        flat = problem.X.ravel()

        def run() -> Answer:
            _, seconds = timed(_sum, flat)
            return Answer(None, seconds, work="a sum")

        return run


# a sum in any order uses whole vector registers: then memory is what limits it
@njit(fastmath={"reassoc", "nsz"}, cache=True)
def _sum(values: Floats) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
