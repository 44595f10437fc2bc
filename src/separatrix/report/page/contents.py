"""Everything the page shows of one yes / no question, and how the page was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.report.coefficients import coefficient_section, probabilities_section
from separatrix.report.findings import (
    AnyVerdict,
    fewest_in_short,
    fewest_in_words,
    guessing,
    questions_of,
    rare_in_words,
    separability_in_words,
    separable_in_short,
    table_of,
)
from separatrix.report.page.names import Name, Names
from separatrix.report.page.outcomes import costs_of, counts_of, live_data, steps_of
from separatrix.report.page.pictures import calibration_picture, plane_picture, scores_picture
from separatrix.report.page.proof import contradiction, line_of
from separatrix.report.page.rows import RowsOf, answers, applicant
from separatrix.report.question import course_section, finite_section, outside_section
from separatrix.report.sections import (
    beware_section,
    data_section,
    learners_section,
    winner_in_words,
)
from separatrix.report.wording import percent, plain
from separatrix.report.words import ENGLISH_WORDS, Words
from separatrix.tables import Table
from separatrix.tables.wording import counted
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict, Verdict
from separatrix.verdict.folds import SEED

LONGEST_COMMAND = 300
MOST_LABELS = 6  # in the head of the page
FROM_PYTHON = "separatrix.to_html(separatrix.judge(...))"


def headline(verdict: AnyVerdict, words: Words = ENGLISH_WORDS) -> dict[str, Any]:
    """Return the error of the selected model beside that of one answer for every row."""
    best = verdict.winner
    name = words.name(plain(best.name))
    constants: Sequence[LearnerResult | JointResult] = (
        (verdict.commonest,) if isinstance(verdict, MulticlassVerdict) else verdict.constants
    )
    what, found = "Training error", (best.e_in, min(r.e_in for r in constants))
    if best.cv_error is not None:
        what, found = "Cross-validated error", (best.cv_error, guessing(verdict).cv_error or 0.0)
    bars = tuple(
        (name, f"{100.0 * share:.1f} %", round(100.0 * share, 2))
        for name, share in zip((name, words("guessing")), found, strict=True)
    )
    return {
        "what": what,
        "error": bars[0][1],
        "spread": "" if best.cv_spread is None else words("sd", sd=f"{100.0 * best.cv_spread:.1f}"),
        "beside": words("of_rows_wrong", guess=bars[1][1]),
        "bars": bars,
    }


def opening(verdict: Verdict, names: Names) -> dict[str, Any]:
    """Return what a notebook shows of a question."""
    return {
        "yes": names.of(verdict.table.yes),
        "no": names.of(verdict.table.no),
        "figures": figures_of(verdict, RowsOf.of(verdict), ENGLISH_WORDS),
        "line": line_of(verdict, RowsOf.of(verdict), names),
    }


def contents(
    verdict: Verdict, names: Names, prefix: str, words: Words, *, alone: bool = True
) -> dict[str, Any]:
    """Return what the templates show of a question, in the reader's order."""
    table, rows = verdict.table, RowsOf.of(verdict)
    scores = scores_picture(verdict, rows, prefix)
    costs = costs_of(rows)
    return {
        "label": names.of(table.label),
        "yes": names.of(table.yes),
        "no": names.of(table.no),
        "line_word": table.line_word,
        "several_files": bool(table.file_of(0)),
        "of_shown": _of_shown(table, words),
        "rows_shown": _of_shown(table, ENGLISH_WORDS),
        "mistakes_of_all": f"{verdict.winner.n_errors:,} of {table.n_rows:,}",
        "figures": figures_of(verdict, rows, words),
        "answer": [*rare_in_words(verdict), *winner_in_words(verdict)],
        "beware": beware_section(verdict),
        "winner": verdict.winner.name,
        "line": line_of(verdict, rows, names),
        "separable": separability_in_words(verdict),
        "contradiction": contradiction(verdict, rows, names),
        "fewest": fewest_in_words(verdict),
        "finite": finite_section(verdict),
        "inference": coefficient_section(verdict) if alone else None,
        "course": course_section(verdict),
        "learners": learners_section(verdict),
        "outside": outside_section(verdict),
        "probabilities": probabilities_section(verdict),
        "calibration": calibration_picture(verdict, prefix),
        "plane": plane_picture(verdict, rows, prefix),
        "two_columns": rows.X.shape[1] == 2,
        "scores": scores,
        "counts": counts_of(rows),
        "costs": costs,
        "weighted": table.weight is not None,
        "applicant": applicant(verdict, rows, names),
        "answers": answers(verdict, rows, names),
        "data": data_section(verdict),
        "live": live_data(verdict, rows, steps_of(rows, costs), scores.axis, words.controls)
        if alone
        else "",
    }


def _of_shown(table: Table, words: Words) -> str:
    """Return of how many rows a part of the page is, where it is not of all of them."""
    n = table.lines.size
    return words("of_shown", n=f"{n:,}") if n < table.n_rows else ""


def figures_of(verdict: AnyVerdict, rows: RowsOf | None, words: Words) -> list[tuple[str, str]]:
    """Return (what, figure) for the head of the page; `rows` are those of one question."""
    best, table, join = verdict.winner, table_of(verdict), words("comma").join
    used = f"{table.n_rows:,}"
    if table.n_dropped:
        used = words("of_all", used=used, all=f"{table.n_rows_in_file:,}")
    selected = "Selected model", words.name(best.name)
    mistakes = "Mistakes on these rows", f"{best.n_errors:,} ({percent(best.e_in)})"
    columns = "Columns", f"{len(table.columns):,}"
    if isinstance(verdict, MulticlassVerdict):
        asked = questions_of(verdict)
        found = [question.separability.separable for question in asked]
        separable = words("questions_yes", n=found.count(True), all=len(found))
        if None in found:
            separable = join([separable, f"{found.count(None)} {words('not_decided')}"])
        pairs = zip(verdict.table.names, verdict.table.counts.tolist(), strict=True)
        labels = [f"{plain(name, 20)} {count:,}" for name, count in pairs]
        labels[MOST_LABELS:] = ["…"] * (len(labels) > MOST_LABELS)
        of_labels = ("Linearly separable", separable), mistakes, ("Labels", join(labels))
        return [selected, *of_labels, ("Rows", used), columns]
    assert rows is not None  # noqa: S101  # of one question there are some
    held = verdict.winner.held_out  # rows, where there are any
    here = ProbabilityFigures(rows.y, rows.scores, rows.weight, held_out=False)
    auc = (held or here).auc
    return [
        ("Linearly separable", separable_in_short(verdict, words)),
        selected,
        ("AUC", words("auc_left_out" if held else "auc_here", auc=f"{auc:.3f}")),
        mistakes,
        ("Fewest that any line makes", fewest_in_short(verdict, words)),
        ("Rows", words("rows_yes", used=used, yes=f"{verdict.n_yes:,}")),
        columns,
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
