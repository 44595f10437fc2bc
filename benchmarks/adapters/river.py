"""river's perceptron: made for streams, one row at a time, each a dictionary of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.answer import Answer, Run
from benchmarks.data import Problem
from benchmarks.timing import timed_pass


@dataclass(frozen=True)
class OnePass:
    """A pass; the dictionaries are made beforehand and not timed."""

    passes: int = 2
    name: str = "river"
    imports: str = "from river.linear_model import Perceptron"

    def prepare(self, problem: Problem) -> Run:
        from river.linear_model import Perceptron

        rows = [dict(enumerate(row)) for row in problem.X.tolist()]
        labels = (problem.y > 0.0).tolist()

        def fit(passes: int) -> Any:  # noqa: ANN401
            model = Perceptron()
            for _ in range(passes):
                for row, label in zip(rows, labels, strict=True):
                    model.learn_one(row, label)
            return model

        def run() -> Answer:
            model, seconds, whole = timed_pass(fit, self.passes)
            weights = [model.weights.get(j, 0.0) for j in range(problem.X.shape[1])]
            line = np.append(model.intercept, weights)
            return Answer(line, seconds, whole, work=f"{1 + self.passes} passes")

        return run
