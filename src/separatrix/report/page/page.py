"""`to_html`: from a verdict to one file that needs nothing else."""

from __future__ import annotations

import os
import re
from functools import cache

from markupsafe import Markup

from separatrix._types import Untyped
from separatrix.files import write_atomically
from separatrix.model import STRONGEST_FIRST
from separatrix.report.findings import AnyVerdict, questions_of, table_of
from separatrix.report.inline import digest_of, own_text, templates
from separatrix.report.page.contents import contents, figures_of, headline, opening, origin
from separatrix.report.page.names import Names, three_digits
from separatrix.report.page.pictures import labels_picture
from separatrix.report.sections import (
    MOST_SHOWN,
    beware_section,
    learners_section,
    questions_in_words,
    sections,
)
from separatrix.report.wording import plain, seconds
from separatrix.report.words import ENGLISH_WORDS, Words, words_of
from separatrix.tables.wording import counted
from separatrix.verdict import MulticlassVerdict

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
        Of the headings.

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
    page = _page(verdict, command, words_of(lang))
    if path is not None:
        write_atomically(path, page)
    return page


def first_screen(verdict: AnyVerdict) -> str:
    """Return the head of the page and the largest weights, for a cell of a notebook."""
    names, several = Names(), isinstance(verdict, MulticlassVerdict)
    alone = [] if several else [opening(question, names) for question in questions_of(verdict)]
    figures = figures_of(verdict, None, ENGLISH_WORDS) if several else []
    return rendered(
        "notebook.html.j2", ENGLISH_WORDS, "notebook.css", questions=alone, figures=figures,
        beware=beware_section(verdict), **_head(verdict, names, ENGLISH_WORDS),
    )  # fmt: skip


def _page(verdict: AnyVerdict, command: str, words: Words) -> str:
    names, asked = Names(), questions_of(verdict)
    several = isinstance(verdict, MulticlassVerdict)
    return rendered(
        "classes.html.j2" if several else "question.html.j2",
        words,
        **_head(verdict, names, words),
        classes=_classes(verdict, words) if isinstance(verdict, MulticlassVerdict) else {},
        asked=questions_in_words(verdict),
        questions=[
            contents(question, names, f"q{k}" if several else "picture", words, alone=not several)
            for k, question in enumerate(asked[:MOST_SHOWN])
        ],
        n_more=max(0, len(asked) - MOST_SHOWN),
        origin=origin(verdict, command, names),
        took=seconds(verdict.seconds),
        names=names,
    )


def _head(verdict: AnyVerdict, names: Names, words: Words) -> dict[str, Untyped]:
    table = table_of(verdict)
    return {
        "title": f"{plain(table.name)}: {plain(table.label)}",
        "table": names.of(table.name),
        "label": names.of(table.label),
        "headline": headline(verdict, words),
    }


def rendered(template: str, words: Words, sheet: str = "style.css", **values: Untyped) -> str:
    """Return a page: a template with its values, and our style and script."""
    style, script = own_text(__package__, sheet), own_text(__package__, "page.js")
    page = _templates().get_template(template)
    hashes = {"style_hash": digest_of(style), "script_hash": digest_of(script)}
    return str(page.render(**_in(words), **hashes, style=style, script=script, **values))


def _in(words: Words) -> dict[str, Untyped]:
    """Return what templates say in a language; sentences that stay English are marked as such."""
    return {
        "lang": words.code,
        "en": "" if words.code == "en" else Markup(' lang="en"'),
        "heading": words.heading,
        "named": lambda cell: words.name(cell.removesuffix(" *")) + cell[len(cell.rstrip(" *")) :],
        "asks": lambda phrase, **values: Markup(words.phrases[phrase]).format(**values),  # noqa: S704  # our own; values are escaped
    }


def _classes(verdict: MulticlassVerdict, words: Words) -> dict[str, Untyped]:
    """Return what the page shows of several labels at once."""
    parts = [part for part in sections(verdict) if part != beware_section(verdict)]
    n_shown = [part.title for part in parts].index(learners_section(verdict).title) + 2
    return {
        "figures": figures_of(verdict, None, words),
        "beware": beware_section(verdict),
        "picture": labels_picture(verdict, "labels"),
        "shown": parts[:n_shown],
        "folded": parts[n_shown:],
    }


@cache
def _templates() -> Untyped:
    environment = templates("separatrix.report.page")
    environment.filters["spread"] = lambda text: text.replace(" % +- ", " % ± ")
    environment.filters["numeric"] = FIGURE.match  # a number with its unit, set flush right
    environment.filters["digits"] = three_digits
    environment.filters["of"] = counted
    environment.globals["strongest_first"] = STRONGEST_FIRST
    return environment
