"""`to_html`: from a verdict to one file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.files import write_atomically
from separatrix.inference.inputs import INTERCEPT
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.model import STRONGEST_FIRST
from separatrix.report.findings import (
    AnyVerdict,
    fewest_in_short,
    fewest_in_words,
    guessing,
    no_of,
    questions_of,
    rare_in_words,
    separability_in_words,
    separable_in_short,
    table_of,
)
from separatrix.report.page.names import Names, three_digits
from separatrix.report.page.outcomes import costs_of, counts_of, live_data, steps_of
from separatrix.report.page.pictures import (
    calibration_picture,
    drawn,
    labels_picture,
    plane_picture,
    scores_picture,
)
from separatrix.report.page.rows import RowsOf, answers, applicant, contradiction, line_of
from separatrix.report.question import course_section, finite_section
from separatrix.report.sections import (
    MOST_SHOWN,
    questions_in_words,
    sections,
    warnings_section,
    winner_in_words,
)
from separatrix.report.wording import Section, percent, plain, seconds
from separatrix.report.words import ENGLISH_WORDS, Words, again, counted, say, speaking, words_of
from separatrix.tables import Table
from separatrix.verdict import JointResult, LearnerResult, MulticlassVerdict, Verdict
from separatrix.verdict.folds import SEED

if TYPE_CHECKING:
    from separatrix.inference.table import CoefficientTable

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


def opening(verdict: Verdict) -> dict[str, Any]:
    """Return what a notebook shows of a question."""
    return {
        "yes": verdict.table.yes,
        "no": no_of(verdict.table),
        "figures": figures_of(verdict, RowsOf.of(verdict), ENGLISH_WORDS),
        "line": line_of(verdict, RowsOf.of(verdict)),
    }


def of_question(verdict: Verdict, rows: RowsOf, prefix: str, words: Words) -> dict[str, Any]:
    """Return what the templates show of every question, alone or among others."""
    table = verdict.table
    return {
        "yes": table.yes,
        "no": no_of(table),
        "line_word": table.line_word,
        "several_files": bool(table.file_of(0)),
        "of_shown": _of_shown(table, words),
        "figures": figures_of(verdict, rows, words),
        "winner": verdict.winner.name,
        "line": line_of(verdict, rows),
        "separable": separability_in_words(verdict),
        "contradiction": contradiction(verdict, rows),
        "fewest": fewest_in_words(verdict),
        "plane": plane_picture(verdict, rows, f"{prefix}-plane"),
        "scores": scores_picture(verdict, rows, f"{prefix}-scores"),
    }


def contents(verdict: Verdict, words: Words) -> dict[str, Any]:
    """Return what the template shows of a question that stands alone."""
    table, rows = verdict.table, RowsOf.of(verdict)
    about, costs = of_question(verdict, rows, "picture", words), costs_of(rows)
    return about | sections(verdict) | {
        "mistakes_of_all": f"{verdict.winner.n_errors:,} of {table.n_rows:,}",
        "answer": [*rare_in_words(verdict), *winner_in_words(verdict)],
        "calibration": calibration_picture(verdict, "picture-calibration"),
        "two_columns": rows.X.shape[1] == 2,
        "counts": counts_of(rows),
        "costs": costs,
        "weighted": table.weight is not None,
        "applicant": applicant(verdict, rows),
        "answers": answers(verdict, rows),
        "live": live_data(
            verdict, rows, steps_of(rows, costs), about["scores"].axis, words.controls
        ),
    }  # fmt: skip


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


def origin(verdict: AnyVerdict, command: str) -> list[tuple[str, str]]:
    """Return (what, value) pairs that say how to make the page again."""
    table = table_of(verdict)
    return [
        ("separatrix", verdict.version),
        ("command", command or say("from Python: {call}", call=FROM_PYTHON)),
        ("data", table.name),
        ("SHA-256 of the data", table.sha256 or say("none: the data were arrays, not a file")),
        ("rows read", counted(table.n_rows_in_file, "row")),
        ("seed", say("{seed} (of the folds and of pocket's draws)", seed=SEED)),
        ("cross-validation", counted(verdict.n_folds, "fold") if verdict.n_folds else say("none")),
    ]


FIGURE = re.compile(r"[<+\N{MINUS SIGN}-]?(?:\d|\.\d|infinity|$)|-$")


def to_html(
    verdict: AnyVerdict,
    path: str | os.PathLike[str] | None = None,
    *,
    command: str = "",
    lang: str = "en",
) -> str:
    """Return the verdict as one HTML page, and write it to `path` if one is given.

    The page needs no other file and makes no network request. The same verdict gives the same
    bytes but for times, which stand in elements of class "took".

    Parameters
    ----------
    verdict : Verdict or MulticlassVerdict
    path : path or None
    command : str
        How the verdict was made, for the last section of the page.
    lang : "en" or "zh-Hant"
        Of the page; what pictures and tables hold stays English.

    Raises
    ------
    InputError
        For another language, and when the file cannot be written; what stood there before still
        does.

    Examples
    --------
    >>> from separatrix import judge
    >>> page = to_html(judge([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]))
    >>> page.startswith("<!doctype html>")
    True
    """
    with speaking(words := words_of(lang)):
        page = _page(verdict, command, words)
    if path is not None:
        write_atomically(path, page)
    return page


def first_screen(verdict: AnyVerdict) -> str:
    """Return the head of the page and the largest weights, for a cell of a notebook."""
    several = isinstance(verdict, MulticlassVerdict)
    alone = [] if several else [opening(question) for question in questions_of(verdict)]
    figures = figures_of(verdict, None, ENGLISH_WORDS) if several else []
    return rendered(
        "notebook.html.j2", ENGLISH_WORDS, "notebook.css", questions=alone, figures=figures,
        beware=warnings_section(verdict), **_head(verdict, ENGLISH_WORDS),
    )  # fmt: skip


def _page(verdict: AnyVerdict, command: str, words: Words) -> str:
    if isinstance(verdict, MulticlassVerdict):
        template, asked = "classes.html.j2", verdict.questions
        shown = _classes(verdict, words) | {
            "asked": questions_in_words(verdict),
            "questions": [
                of_question(question, RowsOf.of(question), f"q{k}", words)
                | {"finite": finite_section(question), "course": course_section(question)}
                for k, question in enumerate(asked[:MOST_SHOWN])
            ],
            "n_more": max(0, len(asked) - MOST_SHOWN),
        }
    else:
        template, shown = "question.html.j2", {"q": contents(verdict, words)}
    return rendered(
        template,
        words,
        **_head(verdict, words),
        **shown,
        origin=origin(verdict, command),
        took=seconds(verdict.seconds),
    )


def _head(verdict: AnyVerdict, words: Words) -> dict[str, Untyped]:
    table = table_of(verdict)
    return {
        "title": f"{plain(table.name)}: {plain(table.label)}",
        "table": table.name,
        "label": table.label,
        "headline": headline(verdict, words),
    }


def rendered(template: str, words: Words, sheet: str = "style.css", **values: Untyped) -> str:
    """Return a page: a template with its values, and our style and script."""
    style, script = _own_text(sheet), _own_text("page.js")
    page = _templates().get_template(template)
    hashes = {"style_hash": digest_of(style), "script_hash": digest_of(script)}
    return str(
        page.render(**_in(words), word=Names(), **hashes, style=style, script=script, **values)
    )


def _in(words: Words) -> dict[str, Untyped]:
    """Return what templates say in a language; sentences that stay English are marked as such."""
    return {
        "lang": words.code,
        "en": lambda text: Markup(' lang="en"') if words.is_foreign(text) else "",
        "say": lambda text, **values: Markup(say(text)).format(**values),  # noqa: S704  # likewise
        "heading": words.heading,
        "named": words.named,
        "asks": lambda phrase, **values: Markup(words.phrases[phrase]).format(**values),  # noqa: S704  # our own; values are escaped
    }


def _classes(verdict: MulticlassVerdict, words: Words) -> dict[str, Untyped]:
    """Return what the page shows of several labels at once."""
    parts = sections(verdict)
    beware = parts.pop("beware", None)
    n_shown = [*parts].index("learners") + 2
    return {
        "about": figures_of(verdict, None, words),
        "beware": beware,
        "picture_of_labels": labels_picture(verdict, "labels-plane"),
        "shown": [*parts.values()][:n_shown],
        "folded": [*parts.values()][n_shown:],
    }


@cache
def _own_text(name: str) -> Markup:
    """Return a style sheet or script of the templates, without comments and indentation."""
    lines = files(__package__).joinpath(f"templates/{name}").read_text("utf-8").splitlines()
    kept = (line.strip() for line in lines)
    text = "\n".join(line for line in kept if line and not line.startswith("//"))
    return Markup(text)  # noqa: S704  # our own file


def digest_of(text: str) -> str:
    """Return the hash by which a page's policy allows its own style or script, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _templates() -> Untyped:
    """Return the templates, which escape every value."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("separatrix.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["spread"] = lambda text: text.replace(" % +- ", " % ± ")
    environment.filters["numeric"] = FIGURE.match  # a number with its unit, set flush right
    environment.filters["digits"] = three_digits
    environment.filters["of"] = counted
    environment.globals["strongest_first"] = STRONGEST_FIRST
    return environment


INTERVALS = (
    "Squares are estimates, lines {level:.6g} % intervals. An arrow is an end that is infinite, "
    "which was decided exactly. "
)
FLOATS = "Finite ends are computed in floating point."
CHECKED = (
    "A green end is proven: the bracket that holds it was checked in exact or ball arithmetic."
)
CLEAREST = " Of {all:,} coefficients the {n} clearest."


def _of_intercept(row: Sequence[str]) -> tuple[str, ...]:
    return (say(INTERCEPT) if row[0] == INTERCEPT else row[0], *row[1:])


def coefficients_page(
    table: CoefficientTable, command: str, digest: str, lang: str, *, proven: bool
) -> str:
    """Return the page of a coefficient table; `digest` of the data is "" without one file."""
    with speaking(words := words_of(lang)):
        return _coefficients_page(table, command, digest, words, proven=proven)


def _coefficients_page(
    table: CoefficientTable, command: str, digest: str, words: Words, *, proven: bool
) -> str:
    from separatrix.report.displays.forest import figures_of as told
    from separatrix.report.displays.forest import forest, shown_rows, size_of

    rows = shown_rows(table)
    caption = say(INTERVALS, level=100.0 * table.level) + say(CHECKED if proven else FLOATS)
    if len(rows) + 1 < len(table.rows):
        caption += say(CLEAREST, all=len(table.rows), n=len(rows))
    described = "; ".join(f"{table.named(row)}: {told(table, row)}" for row in rows)
    picture = drawn(
        lambda ax: forest(table, ax, proven=proven),
        "forest", words.heading("Forest plot"), size_of(table, rows), caption, described,
    )  # fmt: skip
    parts = [
        Section(title, (), tuple(grid.header), tuple(_of_intercept(row) for row in grid.rows))
        for title, grid in table.grids().items()
    ]
    origin = {"separatrix": __version__, "command": command, "data": table.source}
    if digest:
        origin["SHA-256 of the data"] = digest
    return rendered(
        "coefficients.html.j2",
        words,
        title=again(table.title),
        sentences=[*map(again, table.sentences())],
        forest=picture,
        parts=parts,
        below=[*map(again, table.below())],
        origin=list(origin.items()),
        took="",
    )
