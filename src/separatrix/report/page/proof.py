"""What is proven beside separability: the fewest mistakes, and whether coefficients exist."""

from __future__ import annotations

from dataclasses import dataclass

from separatrix.report.fewest import bracket_in_short, fewest_in_words
from separatrix.report.page.names import Name, Names
from separatrix.report.sections import MOST_COLUMNS
from separatrix.verdict import Verdict

DIRECTIONS = {1: "grow without end", -1: "fall without end", 0: "grow or fall without end"}


@dataclass(frozen=True, slots=True)
class Bracket:
    """The fewest mistakes that any line makes on these rows."""

    short: str
    sentence: str


def bracket_of(verdict: Verdict) -> Bracket:
    """Return the fewest mistakes that any line makes, in the words of the text report."""
    if verdict.separability.separable:
        return Bracket("0, proven", "The fewest mistakes that any line makes here: none (proven).")
    closed = verdict.fewest_mistakes.proven and verdict.fewest_checked
    short = bracket_in_short(verdict) + (", proven" if closed else "")
    return Bracket(short, " ".join(fewest_in_words(verdict)))


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Whether an error measure has a finite best line here, and which weights have none."""

    sentence: str
    diverging: tuple[tuple[str, tuple[Name, ...]], ...]
    aliased: tuple[Name, ...]
    n_more: int


LONGER = (
    "Coefficients of logistic regression do not exist: {line} can always be made longer, so that "
    "any number printed for the coefficients below depends on when a program stopped."
)
EXIST = {
    "overlapping": "Coefficients of logistic regression exist: in every direction in which they "
    "could grow some row gets worse without end (proven).",
    "separable": LONGER.format(line="a line without mistakes"),
    "touching": LONGER.format(line="a line with rows on it, but none on its wrong side,"),
    "undecided": "Whether coefficients of logistic regression exist is undecided.",
}


def coefficients(verdict: Verdict, names: Names) -> Coefficients:
    """Return which coefficients diverge and which are not determined one by one."""
    proof = verdict.separability
    of = ["(threshold)", *verdict.features]
    found = proof.divergent
    known = proof.diverging if len(found) <= MOST_COLUMNS else {}
    return Coefficients(
        sentence=EXIST[proof.verdict],
        diverging=_by_direction(
            [(names.of(of[j]), _towards(j, known.get(j, 0))) for j in found[:MOST_COLUMNS]]
        ),
        aliased=tuple(names.of(of[j]) for j in proof.aliased[:MOST_COLUMNS]),
        n_more=max(0, len(found) - MOST_COLUMNS) + max(0, len(proof.aliased) - MOST_COLUMNS),
    )


def _by_direction(
    found: list[tuple[Name, int]],
) -> tuple[tuple[str, tuple[Name, ...]], ...]:
    grouped = {
        words: tuple(name for name, direction in found if direction == sign)
        for sign, words in DIRECTIONS.items()
    }
    return tuple((words, group) for words, group in grouped.items() if group)


def _towards(j: int, direction: int) -> int:
    """Return where what is shown goes: the threshold is -w_0."""
    return -direction if j == 0 else direction
