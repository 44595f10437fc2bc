"""The fewest mistakes of any line, for the verdict: searched within a limit, then checked.

The search starts from the lines that the learners found, so that its best line is never worse than
theirs. Without a limit of the user's it may look at so many boxes as take about a second, a number
that depends on the table alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.data import Floats, Sample
from separatrix.separation.decide import Separability
from separatrix.verdict.candidates import ROW, LearnerResult
from separatrix.zero_one.bracket import Progress
from separatrix.zero_one.limits import Limits, nodes_of, seconds_of
from separatrix.zero_one.minimum_errors import ErrorBracket, fewest_mistakes
from separatrix.zero_one.problem import Question
from separatrix.zero_one.proof import Unproven

MOST_NODES = 2_000  # where the user sets no limit
NODE_MULTIPLICATIONS = 2**30
# numbers of the table times boxes: what is checked at once takes a few seconds of whole numbers
CHECK_WORK = 2**26
CHECK_BOXES = 256  # reading the table again costs as much as this many whole boxes
OPEN_SHARE = 4  # one box in this many has all of its rows open, about


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to look for the fewest mistakes.

    Parameters
    ----------
    limits : Limits
    asked : bool
        Whether the user set a limit: then Ctrl-C ends the search and not the verdict.
    """

    limits: Limits
    asked: bool

    @classmethod
    def of(cls, seconds: Untyped, nodes: Untyped, n: int, d: int) -> Effort:
        """Check what the user gave; None, None is a limit by the size (n, d) of the table.

        Raises
        ------
        InputError
            Naming the parameter.
        """
        asked = seconds is not None or nodes is not None
        if not asked:
            nodes = max(1, min(MOST_NODES, NODE_MULTIPLICATIONS // (n * (d + ROW))))
        limits = Limits(seconds_of(seconds, "fewest_seconds"), nodes_of(nodes, "fewest_nodes"))
        return cls(limits, asked)

    def shared(self, questions: int) -> Effort:
        """Return what each of several questions gets."""
        limits = self.limits
        seconds = None if limits.seconds is None else limits.seconds / questions
        return replace(
            self, limits=replace(limits, seconds=seconds, nodes=limits.nodes // questions)
        )


@dataclass(frozen=True, slots=True)
class Fewest:
    """How few mistakes (by weight) any line can make.

    Parameters
    ----------
    bracket : ErrorBracket
        A proven bound, and the best line found.
    checked : bool
        Whether the certificate of that bound was written and checked, in whole numbers; otherwise
        it rests on the search's own arithmetic, rounded outwards.
    """

    bracket: ErrorBracket
    checked: bool


def fewest_of(
    sample: Sample,
    proof: Separability,
    results: Sequence[LearnerResult],
    effort: Effort,
    tell: Callable[[str], None],
) -> Fewest:
    """Return the bracket, its certificate checked where that takes a few seconds at most.

    Raises
    ------
    KeyboardInterrupt
        When the search is interrupted and the user set no limit for it.
    """
    lines: list[Floats] = [r.weights for r in results]
    if proof.separable and proof.weights is not None:
        lines.append(proof.weights)

    tell("the fewest mistakes of any line")
    separating = proof.line if proof.separable else None
    question = Question(sample, 1.0, effort.limits)
    bracket = fewest_mistakes(question, told_to(tell), lines, separating=separating)
    if bracket.interrupted and not effort.asked:
        raise KeyboardInterrupt
    if not _quick_to_check(bracket, sample):
        return Fewest(bracket, checked=False)
    tell("checking the fewest mistakes")
    return Fewest(_checked(bracket, sample), checked=True)


def told_to(tell: Callable[[str], None]) -> Progress:
    """Return what tells both bounds of the search."""
    return lambda lower, upper: tell(
        f"the fewest mistakes of any line: between {lower:.10g} and {upper:.10g}"
    )


def _quick_to_check(bracket: ErrorBracket, sample: Sample) -> bool:
    boxes = 0 if bracket.by_cores else bracket.nodes // OPEN_SHARE
    numbers = sample.n * (sample.d + 1)
    if sp.issparse(sample.X):
        numbers = sample.n + sample.X.nnz
    return bool((boxes + CHECK_BOXES) * numbers <= CHECK_WORK)


def _checked(bracket: ErrorBracket, sample: Sample) -> ErrorBracket:
    """Return the bracket after checking its certificate: nothing false is called proven."""
    try:
        good = bracket.certificate.verify(sample.X, sample.y, sample.weight)
    except Unproven:
        good = False
    if not good:
        raise RuntimeError(
            "fewest mistakes: the certificate did not verify; please report this table"
        )
    return bracket
