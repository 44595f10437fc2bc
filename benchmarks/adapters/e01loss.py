"""E01Loss, the only other package that bounds the fewest mistakes: named where it is absent."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.answer import Run
from benchmarks.data import Problem


@dataclass(frozen=True)
class FewestMistakes:
    """No index of packages that was asked has it: nobody has run this adapter."""

    name: str = "E01Loss"
    imports: str = "import E01Loss"

    def prepare(self, problem: Problem) -> Run:  # noqa: ARG002
        import E01Loss

        raise NotImplementedError(f"{E01Loss.__name__} is there: how to ask it is to be written")
