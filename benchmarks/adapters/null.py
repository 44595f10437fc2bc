"""The null peer: it receives the data and does nothing, so its time is the harness's own."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.timing import timed


@dataclass(frozen=True)
class Null:
    name: str = "null"
    imports: str = ""

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            _, seconds = timed(_receive, problem.X, problem.y)
            return Answer(None, seconds, work="nothing")

        return run


def _receive(_X: Floats, _y: Floats) -> None:
    """Take the data and give nothing back."""
