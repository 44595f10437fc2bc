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

        X = _table(problem)

        def run() -> Answer:
            model = GeneralizedLinearRegressor(family="normal", alpha=0.0)
            model, seconds = timed(model.fit, X, problem.y)
            return Answer(line_of(model), seconds, work=f"{model.n_iter_} steps")

        return run


@dataclass(frozen=True)
class Logistic:
    """`irls-ls` where the matrix of second derivatives fits into memory, else `lbfgs`.

    Parameters
    ----------
    categorical : whether its own matrices of categories are made of the codes, untimed
    """

    solver: str = "irls-ls"
    categorical: bool = False
    imports: str = IMPORTS

    @property
    def name(self) -> str:
        """The peer's name in tables."""
        return f"glum {self.solver}{' categories' if self.categorical else ''}"

    def prepare(self, problem: Problem) -> Run:
        from glum import GeneralizedLinearRegressor

        X = _categorical(problem) if self.categorical else _table(problem)
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


def _table(problem: Problem) -> Any:  # noqa: ANN401
    return sp.csc_matrix(problem.X) if sp.issparse(problem.X) else problem.by_columns


def _categorical(problem: Problem) -> Any:  # noqa: ANN401
    """Return the table as its library of matrices likes it best: codes, and numbers behind them."""
    from tabmat import CategoricalMatrix, DenseMatrix, SplitMatrix

    assert problem.categories is not None
    columns = problem.categories.T
    parts = [CategoricalMatrix(codes, drop_first=True) for codes in columns]
    width = sum(int(codes.max()) for codes in columns)
    numbers = np.asfortranarray(problem.X[:, width:].toarray())
    return SplitMatrix([*parts, DenseMatrix(numbers)])
