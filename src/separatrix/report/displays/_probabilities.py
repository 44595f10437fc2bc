"""What the displays of probabilities share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from separatrix._types import Untyped
from separatrix.data import InputError
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.report.displays._display import DisplayOfScores

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class DisplayOfProbabilities(DisplayOfScores):
    """A picture of what probabilities are worth: made from figures, or from a verdict."""

    figures: ProbabilityFigures

    if TYPE_CHECKING:  # the dataclasses make it

        def __init__(self, figures: ProbabilityFigures) -> None: ...

    @classmethod
    def from_verdict(cls, verdict: Untyped, *, ax: Axes | None = None) -> Self:
        """Draw logistic regression on the rows left out, of a verdict that has probabilities.

        Raises
        ------
        InputError
            Where logistic regression has no finite optimum, or the table has several labels.
        """
        found = getattr(verdict, "probabilities", None)
        if isinstance(found, ProbabilityFigures):
            return cls(found).plot(ax)
        raise InputError(
            "the verdict has no probabilities: logistic regression has no finite optimum on its "
            "rows, or there are several questions (draw one of verdict.questions)."
        )
