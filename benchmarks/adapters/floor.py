"""The floor: one read of the matrix by a compiled sum. No pass over the data can cost less
(of a sparse table: its values, without their places).
"""

from __future__ import annotations

from dataclasses import dataclass

import scipy.sparse as sp
from numba import njit

from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.timing import timed


@dataclass(frozen=True)
class OneRead:
    name: str = "one read"
    imports: str = ""

    def prepare(self, problem: Problem) -> Run:
        flat = problem.X.data if sp.issparse(problem.X) else problem.X.ravel()

        def run() -> Answer:
            _sum(flat)  # a pass follows a pass: what fits into the caches is there already
            _, seconds = timed(_sum, flat)
            return Answer(None, seconds, work="a sum")

        return run


# A sum in any order fills whole vector registers, so that reading is what limits it; Numba does so
# for an index but not for `for value in values`, which is six times slower.
@njit(fastmath={"reassoc", "nsz"}, cache=True)
def _sum(values: Floats) -> float:
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total
