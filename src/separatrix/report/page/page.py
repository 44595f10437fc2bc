"""`to_html`: from a verdict to one file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from separatrix._types import Untyped
from separatrix.files import write_atomically
from separatrix.report.classes import MOST_SHOWN, class_sections, question_in_words
from separatrix.report.page.contents import contents
from separatrix.report.page.names import Names
from separatrix.report.page.origin import origin
from separatrix.report.sections import plain, seconds
from separatrix.verdict import MulticlassVerdict, Verdict


def to_html(
    verdict: Verdict | MulticlassVerdict,
    path: str | os.PathLike[str] | None = None,
    *,
    command: str = "",
) -> str:
    """Return the verdict as one HTML page, and write it to `path` if one is given.

    The page needs no other file and asks no host for anything. The same verdict gives the same
    bytes but for times, which stand in elements of class "took".

    Parameters
    ----------
    verdict : Verdict or MulticlassVerdict
    path : path or None
    command : str
        How the verdict was made, for the last section of the page.

    Raises
    ------
    InputError
        When the file cannot be written; what stood there before still does.

    Examples
    --------
    >>> from separatrix import judge
    >>> page = to_html(judge([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]))
    >>> page.startswith("<!doctype html>")
    True
    """
    if isinstance(verdict, MulticlassVerdict):
        page = _classes_page(verdict, command)
    else:
        page = _question_page(verdict, command)
    if path is not None:
        write_atomically(path, page)
    return page


def _question_page(verdict: Verdict, command: str) -> str:
    names = Names()
    return _rendered(
        "question.html.j2",
        title=f"{plain(verdict.table.name)}: {plain(verdict.table.label)}",
        table=names.of(verdict.table.name),
        q=contents(verdict, names, "picture"),
        origin=origin(verdict.version, verdict.table, verdict.n_folds, command, names),
        took=seconds(verdict.seconds),
        names=names,
    )


def _classes_page(verdict: MulticlassVerdict, command: str) -> str:
    names = Names()
    base = verdict.table.base
    return _rendered(
        "classes.html.j2",
        title=f"{plain(base.name)}: {plain(base.label)}",
        table=names.of(base.name),
        label=names.of(base.label),
        sections=class_sections(verdict),
        questions=[
            (question_in_words(verdict.rule, question), contents(question, names, f"q{k}"))
            for k, question in enumerate(verdict.questions[:MOST_SHOWN])
        ],
        n_more=max(0, len(verdict.questions) - MOST_SHOWN),
        origin=origin(verdict.version, base, verdict.n_folds, command, names),
        took=seconds(verdict.seconds),
        names=names,
    )


def _rendered(template: str, **contents_: Untyped) -> str:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return str(
        _templates()
        .get_template(template)
        .render(style=Markup(style), style_hash=digest, **contents_)  # noqa: S704  # our own file
    )


@cache
def _style() -> str:
    lines = files(__package__).joinpath("templates/style.css").read_text("utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())


@cache
def _templates() -> Untyped:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("separatrix.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["spread"] = _spread
    return environment


def _spread(text: str) -> str:
    """Return a sentence or cell of the text report with its "+-" as printers set it."""
    return text.replace(" % +- ", " % ± ")
