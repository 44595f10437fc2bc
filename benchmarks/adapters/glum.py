"""glum: generalised linear models by iteratively reweighted least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.adapters.scikit_learn import line_of
from benchmarks.answer import Answer, Run
from benchmarks.data import Problem
from benchmarks.ladder import at_best_tolerance
from benchmarks.timing import timed

IMPORTS = "from glum import GeneralizedLinearRegressor"
STEPS = 1000


@dataclass(frozen=True)
class LeastSquares:
    name: str = "glum"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        from glum import GeneralizedLinearRegressor

        def run() -> Answer:
            model = GeneralizedLinearRegressor(family="normal", alpha=0.0)
            model, seconds = timed(model.fit, problem.by_columns, problem.y)
            return Answer(line_of(model), seconds, work=f"{model.n_iter_} steps")

        return run


@dataclass(frozen=True)
class Logistic:
    """`irls-ls` where the matrix of second derivatives fits into memory, else `lbfgs`."""

    solver: str = "irls-ls"
    imports: str = IMPORTS

    @property
    def name(self) -> str:
        """The peer's name in tables."""
        return f"glum {self.solver}"

    def prepare(self, problem: Problem) -> Run:
        from glum import GeneralizedLinearRegressor

        X = sp.csc_matrix(problem.X) if sp.issparse(problem.X) else problem.by_columns
        settings = {
            "family": "binomial",
            "alpha": 0.0 if np.isinf(problem.C) else 1.0 / (problem.C * problem.y.size),
            "solver": self.solver,
            "max_iter": STEPS,
        }

        def fit(tolerance: float) -> Any:  # noqa: ANN401
            model = GeneralizedLinearRegressor(gradient_tol=tolerance, **settings)
            return model.fit(X, problem.zero_one)

        return at_best_tolerance(fit, line_of, problem)
