"""HiGHS through its own package: the linear program of separability without scipy's wrapping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.answer import NOT_SEPARABLE, SEPARABLE, Answer, Run
from benchmarks.data import Problem
from benchmarks.timing import timed


@dataclass(frozen=True)
class Feasible:
    """Any w with Zw >= 1: separable iff there is one."""

    name: str = "highspy, feasible"
    imports: str = "import highspy"

    def prepare(self, problem: Problem) -> Run:
        import highspy

        z = np.ascontiguousarray(problem.z)
        n, width = z.shape
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = width, n
        program.col_cost_ = np.zeros(width)
        program.col_lower_, program.col_upper_ = np.full(width, -np.inf), np.full(width, np.inf)
        program.row_lower_, program.row_upper_ = np.ones(n), np.full(n, np.inf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.arange(0, n * width + 1, width)
        program.a_matrix_.index_ = np.tile(np.arange(width), n)
        program.a_matrix_.value_ = z.ravel()
        claims = {
            highspy.HighsModelStatus.kOptimal: SEPARABLE,
            highspy.HighsModelStatus.kInfeasible: NOT_SEPARABLE,
        }

        def solve() -> highspy.Highs:
            solver = highspy.Highs()
            solver.setOptionValue("output_flag", False)
            solver.setOptionValue("threads", 1)
            solver.passModel(program)
            solver.run()
            return solver

        def run() -> Answer:
            solver, seconds = timed(solve)
            claim = claims.get(solver.getModelStatus())
            line = np.array(solver.getSolution().col_value) if claim == SEPARABLE else None
            return Answer(line, seconds, claim=claim, work=str(solver.getModelStatus()))

        return run
