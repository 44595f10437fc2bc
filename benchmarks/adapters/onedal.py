"""Intel's oneDAL, through scikit-learn-intelex: scikit-learn's words, its own compiled solvers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from benchmarks.adapters.scikit_learn import line_of
from benchmarks.answer import Answer, Run
from benchmarks.data import Problem
from benchmarks.ladder import at_best_tolerance
from benchmarks.timing import timed

IMPORTS = "from sklearnex.linear_model import LinearRegression"
STEPS = 3000


@dataclass(frozen=True)
class LeastSquares:
    name: str = "oneDAL"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        from sklearnex.linear_model import LinearRegression

        hold_threads()

        def run() -> Answer:
            model, seconds = timed(LinearRegression().fit, problem.X, problem.y)
            return Answer(line_of(model), seconds)

        return run


@dataclass(frozen=True)
class Logistic:
    name: str = "oneDAL lbfgs"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        from sklearnex.linear_model import LogisticRegression

        hold_threads()
        settings = {"C": problem.C, "solver": "lbfgs", "max_iter": STEPS}

        def fit(tolerance: float) -> Any:  # noqa: ANN401
            return LogisticRegression(tol=tolerance, **settings).fit(problem.X, problem.y)

        return at_best_tolerance(fit, line_of, problem)


def hold_threads() -> None:
    """Give oneDAL as many threads as everybody has: its pool does not read the environment."""
    from daal4py import daalinit

    daalinit(int(os.environ.get("OMP_NUM_THREADS", "1")))
