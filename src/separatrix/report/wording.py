"""What a report is made of: sections, their text, and the words and figures that they share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from separatrix.inference.printing import Grid
from separatrix.inference.printing import width as width  # noqa: PLC0414  # likewise
from separatrix.report.words import ENGLISH_WORDS, SPOKEN, Words, again, say
from separatrix.tables.wording import plain as plain  # noqa: PLC0414  # for all reports

if TYPE_CHECKING:
    from separatrix.verdict import JointResult, LearnerResult

WIDTH = 100
MOST_OF_A_SENTENCE = 1000  # lines
MOST_COLUMNS = 40
MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report: a title, sentences, perhaps a table, and sentences below it."""

    title: str
    sentences: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    below: tuple[str, ...] = ()


def percent(share: float | None) -> str:
    """Return a share as a percentage with two decimals."""
    return "-" if share is None else f"{100 * share:.2f} %"


def with_spread(r: LearnerResult | JointResult) -> str:
    """Return the error on rows left out: "3.00 % +- 4.47", or "-"."""
    spread = "" if r.cv_spread is None else f" +- {100 * r.cv_spread:.2f}"
    return percent(r.cv_error) + spread


def seconds(value: float) -> str:
    """Return a duration in words that fit a column."""
    return f"{value:.2f} s" if value >= 0.1 else f"{1000 * value:.1f} ms"


def joined(items: Sequence[str], most: int = MOST_LINES) -> str:
    """Return "a, b and c", shortened."""
    words = SPOKEN.get()
    if words is not ENGLISH_WORDS:
        return words.listed(items, most)
    if len(items) > most:
        return ", ".join(items[:most]) + f" and {len(items) - most} more"
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + f" and {items[-1]}"


def short(value: Fraction) -> str:
    """Return a rational with six digits, however large or small it is."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 6, MAX_EMAX, MIN_EMIN
        text = f"{Decimal(value.numerator) / Decimal(value.denominator):g}"
    return text.lower()


def bound_in_words(n: int) -> str:
    """Return "2,000", and a bound of more than a hundred digits to six of them."""
    return f"{n:,}" if n < 10**100 else f"about {short(Fraction(n))}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Return a finding as a sentence that is safe to show."""
    shown = capital(plain(again(text), 600))
    return shown if shown.endswith(("?", "？")) else say("{s}.", s=shown)


# a word, a figure with its per cent sign, or one wide character
UNITS = re.compile(r"\s+|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+(?: %)?|\S")
NO_BEGINNING = set("，。、；：）」』！？")
NO_END = set("（「『")


def fitted(text: str, columns: int) -> str:
    """Return text of at most `columns` columns, with an ellipsis where it was cut."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def folded(text: str, columns: int, most: int) -> list[str]:
    """Return at most `most` lines of at most `columns` columns; the last one is cut if need be."""
    lines, line = [], ""
    for unit in _units(text):
        if line and width(line + unit.rstrip()) > columns:
            lines.append(line.rstrip())
            line = ""
        line += unit if line else unit.lstrip()
        while width(line.rstrip()) > columns:  # one word longer than a line
            head = fitted(line, columns + 1)[:-1]
            lines.append(head)
            line = line[len(head) :]
    lines = [*lines, line.rstrip()] if line.strip() else lines
    if len(lines) > most:
        rest = f"{lines[most - 1]} {lines[most]}"
        units = _units(rest)
        while width("".join(units).rstrip()) >= columns:
            units.pop()
        kept = "".join(units).rstrip()
        cut = fitted(rest, columns).removesuffix("…") if 2 * width(kept) < columns else kept
        lines = [*lines[: most - 1], f"{cut}…"]
    elif len(lines) > 1 and not any(map(str.isalpha, lines[-1])):  # "50 %" or "...)" alone
        *before, last = [unit for unit in _units(lines[-2]) if unit.strip()]
        if before and lines[-2].endswith(f" {last}"):
            moved = f"{last} {lines[-1]}"
            if width(moved) <= columns:
                lines[-2:] = [lines[-2].removesuffix(last).rstrip(), moved]
    return lines


def beside(label: str, lines: Sequence[str], indent: int) -> list[str]:
    """Return lines that begin at a column, the first behind a label."""
    first = label + " " * (indent - width(label))
    return [(first if k == 0 else " " * indent) + line for k, line in enumerate(lines)]


def _units(text: str) -> list[str]:
    """Return what may stand on a line together: words, and wide characters with their marks."""
    units: list[str] = []
    for found in UNITS.findall(text):
        glued = found[0] in NO_BEGINNING or (units and units[-1][-1:] in NO_END)
        if units and glued:
            units[-1] += found
        else:
            units.append(found)
    return units


def section_text(section: Section, words: Words = ENGLISH_WORDS, columns: int = WIDTH) -> str:
    """Return one section: its title, wrapped sentences, an aligned table, sentences below it."""
    lines = [words.heading(section.title).upper(), *wrapped(section.sentences, columns)]
    if section.rows:
        lines += [""] * bool(section.sentences)
        header, first = [*map(words.heading, section.header)], section.header[0]
        rows = section.rows
        if first == "learner":
            rows = tuple((words.named(row[0]), *row[1:]) for row in rows)
        lines += Grid(header, rows).lines(of_text=True)
    if section.below:
        lines += ["", *wrapped(section.below, columns)]
    return "\n".join(lines) + "\n"


def wrapped(sentences: Sequence[str], columns: int = WIDTH) -> list[str]:
    """Return sentences as lines of limited width, each sentence on a new line."""
    return [line for text in sentences for line in folded(text, columns, MOST_OF_A_SENTENCE)]
