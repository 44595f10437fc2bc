"""Everything the page shows of one yes / no question, and how the page was made."""

from __future__ import annotations

from typing import Any

from separatrix.report.page.applicant import applicant
from separatrix.report.page.line import line_of
from separatrix.report.page.names import Name, Names
from separatrix.report.page.outcomes import Counts, costs_of, shares
from separatrix.report.page.pictures import pictures_of
from separatrix.report.page.proof import bracket_of, coefficients, contradiction
from separatrix.report.page.rows import RowsOf
from separatrix.report.question import course_section, outside_section, separability_in_words
from separatrix.report.sections import (
    AnyVerdict,
    beware_section,
    data_section,
    learners_section,
    table_of,
    winner_in_words,
)
from separatrix.report.wording import mistakes, percent, with_spread
from separatrix.tables.wording import counted
from separatrix.verdict import Verdict
from separatrix.verdict.folds import SEED

FOUND = {  # in the lead, in the figures
    "separable": ("A line separates all {rows} (proven)", "yes, proven"),
    "touching": ("No line separates the {rows} (proven)", "no, proven"),
    "overlapping": ("No line separates the {rows} (proven)", "no, proven"),
    "undecided": ("Whether a line separates the {rows} is undecided", "undecided"),
}
LONGEST_COMMAND = 300
FROM_PYTHON = "separatrix.to_html(separatrix.judge(...))"


def contents(verdict: Verdict, names: Names, prefix: str) -> dict[str, Any]:
    """Return what the templates show of a question, in the reader's order.

    Sections and sentences are those of the text report, word for word; `prefix` begins the ids of
    the drawings.
    """
    table, rows = verdict.table, RowsOf.of(verdict)
    counts = Counts.of(rows.scores, rows.y)
    bracket = bracket_of(verdict)
    return {
        "label": names.of(table.label),
        "yes": names.of(table.yes),
        "no": names.of(table.no),
        "line_word": table.line_word,
        "lead": _lead(verdict),
        "figures": _key_figures(verdict, bracket.short),
        "answer": winner_in_words(verdict),
        "beware": beware_section(verdict),
        "winner": verdict.winner.name,
        "line": line_of(verdict, rows, names),
        "separable": separability_in_words(verdict),
        "contradiction": contradiction(verdict, rows, names),
        "bracket": bracket,
        "coefficients": coefficients(verdict, names),
        "course": course_section(verdict),
        "learners": learners_section(verdict),
        "outside": outside_section(verdict),
        "pictures": pictures_of(verdict, rows, prefix),
        "counts": counts,
        "shares": shares(counts),
        "costs": costs_of(rows),
        "weighted": table.weight is not None,
        "applicant": applicant(verdict, rows, names),
        "data": data_section(verdict),
    }


def _lead(verdict: Verdict) -> str:
    """Return the answer in one sentence."""
    best = verdict.winner
    rows = counted(verdict.table.y.size, "row")
    found = FOUND[verdict.separability.verdict][0].format(rows=rows)
    here = f"{found}; the line to take, {best.name}, makes {mistakes(best)} on them"
    if best.cv_error is None:
        return f"{here}."
    if best in verdict.constants:
        return (
            f"{found}; no line did better on rows left out than {best.name}, which errs "
            f"{percent(best.cv_error)}."
        )
    always = min((r.cv_error for r in verdict.constants if r.cv_error is not None), default=None)
    return (
        f"{here} and errs {percent(best.cv_error)} on rows left out, where the same answer for "
        f"everybody errs {percent(always)}."
    )


def _key_figures(verdict: Verdict, fewest: str) -> list[tuple[str, str]]:
    """Return (what, figure) for the head of the page."""
    best = verdict.winner
    return [
        ("rows", f"{verdict.table.y.size:,} ({verdict.n_yes:,} yes)"),
        ("separable", FOUND[verdict.separability.verdict][1]),
        ("mistakes on these rows", f"{best.n_errors:,} ({percent(best.e_in)})"),
        ("fewest any line can make", fewest),
        ("error on rows left out", with_spread(best).replace("+-", "±")),
    ]


def origin(verdict: AnyVerdict, command: str, names: Names) -> list[tuple[str, Name]]:
    """Return (what, value) pairs that say how to make the page again."""
    table = table_of(verdict)
    said = [
        ("separatrix", verdict.version),
        ("command", command or f"from Python: {FROM_PYTHON}"),
        ("data", table.name),
        ("SHA-256 of the data", table.sha256 or "none: the data were arrays, not a file"),
        ("rows read", counted(table.n_rows_in_file, "row")),
        ("seed", f"{SEED} (of the folds and of pocket's draws)"),
        ("cross-validation", counted(verdict.n_folds, "fold") if verdict.n_folds else "none"),
    ]
    return [(what, names.of(value, LONGEST_COMMAND)) for what, value in said]
