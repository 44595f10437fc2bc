"""scipy's HiGHS on the whole linear program of separability, in both of its usual forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

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


@dataclass(frozen=True)
class DetectSeparation:
    """Max sum Zw with 0 <= Zw <= 1, sparse, as R's detectseparation has it: 0 if rows overlap.

    Parameters
    ----------
    method : of `linprog`, which takes both bounds as rows; "" for rows with two bounds (`milp`)
    """

    method: str = ""
    imports: str = IMPORTS

    @property
    def name(self) -> str:
        """What stands in the table."""
        return f"HiGHS, {self.method or 'two-sided rows'}"

    def prepare(self, problem: Problem) -> Run:
        n = problem.y.size
        Z = sp.csr_array(sp.hstack([np.ones((n, 1)), sp.csr_array(problem.X)], format="csr"))
        Z = sp.csr_array(sp.diags_array(problem.y) @ Z)
        c = -np.asarray(Z.sum(axis=0)).ravel()
        twice, ends = sp.vstack([-Z, Z], format="csr"), np.repeat([0.0, 1.0], n)
        rows, anything = LinearConstraint(Z.tocsc(), 0.0, 1.0), Bounds(-np.inf, np.inf)

        def solve() -> object:
            if self.method:
                return linprog(c, A_ub=twice, b_ub=ends, bounds=(None, None), method=self.method)
            return milp(c, constraints=rows, bounds=anything)

        def run() -> Answer:
            result, seconds = timed(solve)
            if result.status != 0:
                return Answer(None, seconds, work=f"status {result.status}")
            total = float(-result.fun)
            # above 0 some coefficient has no finite optimum: whether a line separates is not told
            claim = NOT_SEPARABLE if total <= TOLERANCE else None
            return Answer(None, seconds, claim=claim, work=f"sum {total:.4g}")

        return run


def _solve(program: dict) -> object:
    return linprog(**program, method="highs")
