"""What is proven beside separability: the fewest mistakes, and whether coefficients exist."""

from __future__ import annotations

from dataclasses import dataclass

from separatrix.report.page.names import Name, Names
from separatrix.report.page.outcomes import Cost
from separatrix.report.page.rows import RowsOf
from separatrix.report.sections import MOST_COLUMNS
from separatrix.verdict import Verdict

NOT_SEARCHED = "fewer were not searched for"
DIRECTIONS = {1: "grow without end", -1: "fall without end", 0: "grow or fall without end"}


@dataclass(frozen=True, slots=True)
class Bracket:
    """The fewest mistakes that any line makes on these rows."""

    short: str
    sentence: str


def bracket_of(verdict: Verdict, rows: RowsOf, costs: list[Cost]) -> Bracket:
    """Return the fewest mistakes that any line makes, as far as they are known."""
    found = getattr(verdict, "fewest_mistakes", None)
    weighed = verdict.table.weight is not None
    what = "mistakes by weight" if weighed else "mistakes"
    if found is not None:
        return _bracket(found.lower, found.upper, bool(found.proven), what, found.reason)
    if verdict.separability.separable:
        return _bracket(0.0, 0.0, True, what, "")
    total = float(rows.weight.sum())
    known = min(*(r.e_in * total for r in verdict.results), _with_another_threshold(costs))
    if weighed or verdict.separability.separable is None:
        return Bracket(f"at most {known:,.6g}", f"A line here makes {what} of {known:,.6g}.")
    return _bracket(1.0, float(round(known)), known < 1.5, what, NOT_SEARCHED)


def _with_another_threshold(costs: list[Cost]) -> float:
    """Return the mistakes of the line to take with its best threshold."""
    same = next(c for c in costs if c.wrong_yes == c.wrong_no)
    return same.cost_then + same.counts.on_line


def _bracket(lower: float, upper: float, proven: bool, what: str, reason: str) -> Bracket:
    low, high = f"{lower:,.10g}", f"{upper:,.10g}"
    if proven and upper == 0.0:
        return Bracket("0, proven", "The fewest mistakes that any line makes here: none (proven).")
    if proven:
        return Bracket(
            f"{high}, proven",
            f"The fewest {what} that any line makes here: exactly {high} (proven: a line makes so "
            "many, and none makes fewer).",
        )
    ended = f" {reason[:1].upper()}{reason[1:]}." if reason else ""
    return Bracket(
        f"{low} to {high}",
        f"The fewest {what} that any line makes here: at least {low} (proven), at most {high} "
        f"(a line that makes so many is known).{ended}",
    )


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
