"""The fewest mistakes of any line, for the verdict: searched within a limit, then checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain

import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.data import Floats, Sample
from separatrix.scale import Rows
from separatrix.separation.decide import Separability
from separatrix.tiles import TILE
from separatrix.verdict.candidates import ROW
from separatrix.zero_one.limits import NO_LIMITS, Limits, nodes_of, seconds_of
from separatrix.zero_one.minimum_errors import ErrorBracket, fewest_mistakes
from separatrix.zero_one.problem import Question
from separatrix.zero_one.proof import Unproven
from separatrix.zero_one.strategy import Progress

MOST_NODES = 2_000  # where the user sets no limit
# numbers (a row has ROW more than its columns): larger tables are not searched for boxes, which
# prove nothing there in a second, and beyond the second size, with copies of the table, in minutes
BOXES, BOXES_ASKED = 2**18, 2**22
NODE_MULTIPLICATIONS = 2**27
# of rows in tiles, where the user sets no limit: two seconds or so, and the tiles that they are
# enough for grow fewer by the square of the columns
TILE_MULTIPLICATIONS = 2**27
# numbers of the table times boxes: what is checked at once takes a few seconds of whole numbers
CHECK_WORK = 2**26
# of the memory budget that sparse rows may take, for those with the same levels to be compared:
# what is made of them takes as much several times
LEVELS_SHARE = 6
CHECK_CORES = 2**9  # a product of whole numbers costs as much as so many doubles
CHECK_BOXES = 256  # reading the table again costs as much as this many whole boxes
OPEN_SHARE = 4  # one box in this many has all of its rows open, about


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to look for the fewest mistakes."""

    limits: Limits
    asked: bool  # whether the user set a limit: then Ctrl-C ends the search and not the verdict

    @classmethod
    def of(cls, seconds: Untyped, nodes: Untyped, n: int, d: int) -> Effort:
        """Check what the user gave; None, None is a limit by the size (n, d) of the table."""
        asked = seconds is not None or nodes is not None
        if not asked:
            numbers = n * (d + ROW)
            nodes = min(MOST_NODES, NODE_MULTIPLICATIONS // max(1, numbers))
            if numbers > BOXES:
                nodes = max(1, TILE_MULTIPLICATIONS // (TILE * (d + 1) ** 2))
        limits = Limits(seconds_of(seconds, "fewest_seconds"), nodes_of(nodes, "fewest_nodes"))
        return cls(limits, asked)

    def shared(self, questions: int) -> Effort:
        """Return what each of several questions gets."""
        seconds, nodes = self.limits.seconds, self.limits.nodes
        seconds = None if seconds is None else seconds / questions
        return replace(self, limits=Limits(seconds, nodes // questions))


@dataclass(frozen=True, slots=True)
class Fewest:
    """How few mistakes (by weight) any line can make."""

    bracket: ErrorBracket  # a proven bound, and the best line found
    checked: bool  # whether the certificate of that bound was written and checked, in whole numbers


def fewest_of(
    table: Sample | Rows,
    proof: Separability,
    lines: Iterable[Floats],
    effort: Effort,
    tell: Callable[[str], None],
) -> Fewest:
    """Return the bracket, its certificate checked where that takes a few seconds at most."""
    asked, limits = effort.asked, effort.limits
    most = BOXES_ASKED if asked and limits.seconds != 0.0 else BOXES
    is_few = table.n * (table.d + ROW) <= most
    if isinstance(table, Rows):
        of_zeros = table.source.nnz is not None and table.take_at_most(LEVELS_SHARE)
        table = table.as_arrays() if is_few or of_zeros else table
    elif not (is_few or sp.issparse(table.X)):
        table = Rows.of(table)
    tell("the fewest mistakes of any line")
    separating = proof.line if proof.separable else None
    widest = [] if separating is None or proof.weights is None else [proof.weights]
    known = chain(widest, lines)  # which may wait for other runs: some rows are read before
    question = Question(table, limits)
    bracket = fewest_mistakes(
        question, told_to(tell, limits), known, separating=separating, proof=proof
    )
    if bracket.interrupted and not asked:
        raise KeyboardInterrupt
    if isinstance(table, Rows) and proof.separable:
        return Fewest(bracket, checked=True)  # the proof was
    if not _quick_to_check(bracket, table):
        return Fewest(bracket, checked=False)
    tell("checking the fewest mistakes")
    try:
        if isinstance(table, Rows):
            good = bracket.contradictions.verify(table)
        else:
            good = bracket.certificate.verify(table.X, table.y, table.weight)
    except Unproven:
        good = False
    if not good:  # nothing false is called proven
        raise RuntimeError(
            "fewest mistakes: the certificate did not verify; please report this table"
        )
    return Fewest(bracket, checked=True)


def told_to(tell: Callable[[str], None], limits: Limits) -> Progress:
    """Return what tells both bounds of the search, and how one without a limit is ended."""
    end = " (no limit: Ctrl-C ends the search and keeps both)" if limits == NO_LIMITS else ""
    return lambda lower, upper: tell(
        f"the fewest mistakes of any line: between {lower:.10g} and {upper:.10g}{end}"
    )


def _quick_to_check(bracket: ErrorBracket, sample: Sample | Rows) -> bool:
    if isinstance(sample, Rows):
        return bracket.lower * (sample.d + 1) ** 2 * CHECK_CORES <= CHECK_WORK
    boxes = 0 if bracket.by_cores else bracket.nodes // OPEN_SHARE
    numbers = sample.n * (sample.d + 1)
    if sp.issparse(sample.X):
        numbers = sample.n + sample.X.nnz
    return bool((boxes + CHECK_BOXES) * numbers <= CHECK_WORK)
