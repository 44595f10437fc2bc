"""The answer in one sentence, and the figures that go with it."""

from __future__ import annotations

from separatrix.report.page.proof import Bracket
from separatrix.report.sections import percent, with_spread
from separatrix.tables.wording import counted
from separatrix.verdict import Verdict

FOUND = {
    "separable": "A line separates all {rows} (proven)",
    "touching": "No line separates the {rows} (proven)",
    "overlapping": "No line separates the {rows} (proven)",
    "undecided": "Whether a line separates the {rows} is undecided",
}
SEPARABLE = {
    "separable": "yes, proven",
    "touching": "no, proven",
    "overlapping": "no, proven",
    "undecided": "undecided",
}


def lead(verdict: Verdict) -> str:
    """Return the answer in one sentence."""
    best = verdict.winner
    n = verdict.table.y.size
    found = FOUND[verdict.separability.verdict].format(rows=counted(n, "row"))
    here = "no mistake" if best.n_errors == 0 else counted(best.n_errors, "mistake")
    if best.cv_error is None:
        return f"{found}; the line to take, {best.name}, makes {here} on them."
    if best in verdict.constants:
        return (
            f"{found}; no line did better on rows left out than {best.name}, which errs "
            f"{percent(best.cv_error)}."
        )
    always = min((r.cv_error for r in verdict.constants if r.cv_error is not None), default=None)
    return (
        f"{found}; the line to take, {best.name}, makes {here} on them and errs "
        f"{percent(best.cv_error)} on rows left out, where the same answer for everybody errs "
        f"{percent(always)}."
    )


def key_figures(verdict: Verdict, bracket: Bracket) -> list[tuple[str, str]]:
    """Return (what, figure) for the head of the page."""
    best = verdict.winner
    table = verdict.table
    return [
        ("rows", f"{table.y.size:,} ({verdict.n_yes:,} yes)"),
        ("separable", SEPARABLE[verdict.separability.verdict]),
        ("mistakes on these rows", f"{best.n_errors:,} ({percent(best.e_in)})"),
        ("fewest any line can make", bracket.short),
        ("error on rows left out", with_spread(best).replace("+-", "±")),
    ]
