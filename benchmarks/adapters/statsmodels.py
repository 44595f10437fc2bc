"""statsmodels: OLS by QR or pseudo-inverse, Logit by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.answer import Answer, Run
from benchmarks.data import Problem
from benchmarks.ladder import at_best_tolerance
from benchmarks.timing import timed

IMPORTS = "from statsmodels.api import OLS"


@dataclass(frozen=True)
class LeastSquares:
    method: str = "qr"  # or "pinv", its default
    imports: str = IMPORTS

    @property
    def name(self) -> str:
        """The peer's name in tables."""
        return f"statsmodels {self.method}"

    def prepare(self, problem: Problem) -> Run:
        from statsmodels.api import OLS

        Z = problem.with_ones

        def run() -> Answer:
            model, seconds = timed(lambda: OLS(problem.y, Z).fit(method=self.method))
            return Answer(model.params, seconds)

        return run


@dataclass(frozen=True)
class Logistic:
    """Without a penalty, which its Newton does not know; without its standard errors either."""

    name: str = "statsmodels Logit"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        from statsmodels.api import Logit

        Z, y = problem.with_ones, problem.zero_one

        def fit(tolerance: float) -> Any:  # noqa: ANN401
            settings = {"tol": tolerance, "maxiter": 100, "skip_hessian": True, "disp": 0}
            return Logit(y, Z).fit(method="newton", **settings)

        return at_best_tolerance(fit, lambda model: model.params, problem, usual=1e-3)
