"""The floor: one read of the matrix by a compiled sum. No pass over the data can cost less
(of a sparse table: its values, without their places).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numba import njit

from benchmarks.answer import Answer, Run
from benchmarks.data import Problem
from benchmarks.timing import timed


@dataclass(frozen=True)
class OneRead:
    name: str = "one read"
    imports: str = ""

    def prepare(self, problem: Problem) -> Run:
        X = problem.X
        parts = (X.data, X.indices) if sp.issparse(X) else (X.ravel(),)

        def read() -> None:
            for part in parts:
                _sum(part)

        def run() -> Answer:
            read()  # a pass follows a pass: what fits into the caches is there already
            _, seconds = timed(read)
            return Answer(None, seconds, work="a sum")

        return run


# A sum in any order fills whole vector registers, so that reading is what limits it; Numba does so
# for an index but not for `for value in values`, which is six times slower.
@njit(fastmath={"reassoc", "nsz"}, cache=True)
def _sum(values: np.ndarray) -> float:
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total
