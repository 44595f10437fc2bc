"""scipy's HiGHS on the whole linear program of separability, in both of its usual forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from benchmarks.answer import NOT_SEPARABLE, SEPARABLE, Answer, Run
from benchmarks.data import Problem
from benchmarks.timing import timed

IMPORTS = "from scipy.optimize import linprog"
INFEASIBLE = 2  # scipy's status
TOLERANCE = 1e-7  # HiGHS's own: a t below it says nothing


@dataclass(frozen=True)
class LargestLeastScore:
    """Largest t with Zw >= t and |w_j| <= 1: separable iff t > 0."""

    name: str = "HiGHS, max t"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        n, width = problem.X.shape[0], problem.X.shape[1] + 1
        program = {
            "c": np.append(np.zeros(width), -1.0),
            "A_ub": np.column_stack([-problem.z, np.ones(n)]),
            "b_ub": np.zeros(n),
            "bounds": [(-1.0, 1.0)] * width + [(None, None)],
        }

        def run() -> Answer:
            result, seconds = timed(_solve, program)
            if result.status != 0:
                return Answer(None, seconds, work=f"status {result.status}")
            t = result.x[-1]
            work = f"t = {t:.3g}"
            if t <= TOLERANCE:
                return Answer(None, seconds, claim=NOT_SEPARABLE, work=work)
            return Answer(result.x[:-1], seconds, claim=SEPARABLE, work=work)

        return run


@dataclass(frozen=True)
class Feasible:
    """Any w with Zw >= 1: separable iff there is one."""

    name: str = "HiGHS, feasible"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        n, width = problem.X.shape[0], problem.X.shape[1] + 1
        program = {
            "c": np.zeros(width),
            "A_ub": -problem.z,
            "b_ub": -np.ones(n),
            "bounds": [(None, None)] * width,
        }

        def run() -> Answer:
            result, seconds = timed(_solve, program)
            if result.status == 0:
                return Answer(result.x, seconds, claim=SEPARABLE, work="feasible")
            claim = NOT_SEPARABLE if result.status == INFEASIBLE else None
            return Answer(None, seconds, claim=claim, work=f"status {result.status}")

        return run


def _solve(program: dict) -> object:
    return linprog(**program, method="highs")
