"""skglm: solvers in Numba, as ours; it penalises or not, with an intercept of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.adapters.scikit_learn import line_of
from benchmarks.answer import Run
from benchmarks.data import Problem
from benchmarks.ladder import at_best_tolerance

IMPORTS = "from skglm import GeneralizedLinearEstimator"
STEPS = 1000


@dataclass(frozen=True)
class Newton:
    """Its proximal Newton; every column is in the working set from the start."""

    name: str = "skglm ProxNewton"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        from skglm import GeneralizedLinearEstimator
        from skglm.datafits import Logistic
        from skglm.penalties import L1_plus_L2
        from skglm.solvers import ProxNewton

        X = sp.csc_matrix(problem.X) if sp.issparse(problem.X) else problem.by_columns
        alpha = 0.0 if np.isinf(problem.C) else 1.0 / (problem.C * problem.y.size)

        def fit(tolerance: float) -> Any:  # noqa: ANN401
            solver = ProxNewton(p0=X.shape[1], tol=tolerance, ws_strategy="fixpoint")
            model = GeneralizedLinearEstimator(Logistic(), L1_plus_L2(alpha, 0.0), solver)
            return model.fit(X, problem.y)

        return at_best_tolerance(fit, line_of, problem)


@dataclass(frozen=True)
class Lbfgs:
    """Without a penalty alone: it has no intercept, and a constant column would be penalised."""

    name: str = "skglm LBFGS"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        from skglm.datafits import Logistic
        from skglm.penalties import L2
        from skglm.solvers import LBFGS

        assert np.isinf(problem.C)
        Z = problem.with_ones

        def fit(tolerance: float) -> Any:  # noqa: ANN401
            solver = LBFGS(max_iter=STEPS, tol=tolerance)
            return solver.solve(Z, problem.y, Logistic(), L2(0.0))[0]

        return at_best_tolerance(fit, np.ravel, problem)
