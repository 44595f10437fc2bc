"""mlxtend's perceptron: the textbook's lines, each row a call of NumPy; it shuffles every pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.answer import Answer, Run
from benchmarks.data import Problem
from benchmarks.timing import timed_pass


@dataclass(frozen=True)
class OnePass:
    """A pass; fewer of them than ours, since they take so long."""

    passes: int = 2
    name: str = "mlxtend"
    imports: str = "from mlxtend.classifier import Perceptron"

    def prepare(self, problem: Problem) -> Run:
        from mlxtend.classifier import Perceptron

        y = problem.zero_one.astype(int)

        def fit(passes: int) -> Any:  # noqa: ANN401
            return Perceptron(eta=1.0, epochs=passes, random_seed=0).fit(problem.X, y)

        def run() -> Answer:
            model, seconds, whole = timed_pass(fit, self.passes)
            weights = np.append(model.b_, np.ravel(model.w_))
            return Answer(weights, seconds, whole, work=f"{1 + self.passes} passes, shuffled")

        return run
