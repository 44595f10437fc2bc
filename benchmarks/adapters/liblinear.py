"""LIBLINEAR itself (-s 0, trust-region Newton), with its intercept free of the penalty (-R)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.adapters.scikit_learn import NO_PENALTY
from benchmarks.answer import Run
from benchmarks.data import Floats, Problem
from benchmarks.ladder import at_best_tolerance


@dataclass(frozen=True)
class Logistic:
    """Its own table of nodes is built beforehand and not timed."""

    name: str = "LIBLINEAR"
    imports: str = "import liblinear.liblinearutil"

    def prepare(self, problem: Problem) -> Run:
        from liblinear.liblinearutil import parameter, train
        from liblinear.liblinearutil import problem as nodes_of

        nodes = nodes_of(problem.y, sp.csr_matrix(problem.X), bias=1)
        strength = min(problem.C, NO_PENALTY)

        def fit(tolerance: float) -> Any:  # noqa: ANN401
            return train(nodes, parameter(f"-s 0 -c {strength!r} -e {tolerance!r} -B 1 -R -q"))

        return at_best_tolerance(fit, _line, problem, usual=1e-3)


def _line(model: Any) -> Floats:  # noqa: ANN401
    weights, offset = model.get_decfun()  # positive for the label that comes first in the table
    sign = 1.0 if model.get_labels()[0] == 1 else -1.0
    return sign * np.append(offset, weights)
