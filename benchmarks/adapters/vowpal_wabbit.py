"""Vowpal Wabbit: one pass of online learning over its own binary cache of the table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.timing import timed_pass

CONSTANT = 11650396  # the number of its constant feature


@dataclass(frozen=True)
class OnePass:
    """A pass of its own update (adaptive, hinge), in float32; text is parsed in the first alone."""

    passes: int = 8
    name: str = "Vowpal Wabbit"
    imports: str = "from vowpalwabbit import Workspace"

    def prepare(self, problem: Problem) -> Run:
        from vowpalwabbit import Workspace

        folder = TemporaryDirectory()  # lives as long as `fit` does
        _write(problem, Path(folder.name, "table"))

        def fit(passes: int) -> Any:  # noqa: ANN401
            files = f"-d {folder.name}/table --cache_file {folder.name}/cache -k"
            how = f"--passes {passes} --holdout_off --loss_function hinge --quiet"
            return Workspace(f"{files} {how}")

        def run() -> Answer:
            model, seconds, whole = timed_pass(fit, self.passes)
            weights = _line(model, problem.X.shape[1])
            model.finish()
            return Answer(weights, seconds, whole, work=f"{1 + self.passes} passes, adaptive")

        return run


def _write(problem: Problem, table: Path) -> None:
    """Write the table in its text format; its hash of a whole number is that number."""
    with table.open("w", encoding="ascii") as file:
        for label, row in zip(problem.y.astype(int), problem.X.tolist(), strict=True):
            values = " ".join(f"{j}:{value!r}" for j, value in enumerate(row))
            file.write(f"{label} | {values}\n")


def _line(model: Any, d: int) -> Floats:  # noqa: ANN401
    return np.array([model.get_weight(j) for j in (CONSTANT, *range(d))], dtype=np.float64)
