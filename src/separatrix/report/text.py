"""The verdict as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from separatrix.inference.printing import Grid
from separatrix.report.findings import AnyVerdict
from separatrix.report.screen import summary
from separatrix.report.sections import sections
from separatrix.report.wording import Section, folded
from separatrix.report.words import LANGUAGES, Words, words_of

WIDTH = 100
MOST_OF_A_SENTENCE = 1000  # lines
ENGLISH = LANGUAGES["en"]


def to_text(verdict: AnyVerdict, *, lang: str = "en") -> str:
    """Return all that was found as plain text, the answer in its first and in its last line.

    `str(verdict)` is the answer in at most 15 lines. `lang` is that of headings: "en" or "zh-Hant".

    Raises
    ------
    InputError
        For another language.
    """
    words = words_of(lang)
    return full_text(sections(verdict), summary(verdict, words), words)


def full_text(parts: Sequence[Section], answer: str, words: Words, columns: int = WIDTH) -> str:
    """Return sections between two lines of the answer, ending in a newline."""
    told = (section_text(part, words, columns) for part in parts)
    return "\n".join([f"{answer}\n", *told, f"{answer}\n"])


def section_text(section: Section, words: Words = ENGLISH, columns: int = WIDTH) -> str:
    """Return one section: its title, wrapped sentences, an aligned table, sentences below it."""
    lines = [words.heading(section.title).upper(), *wrapped(section.sentences, columns)]
    if section.rows:
        lines += [""] * bool(section.sentences)
        lines += Grid(section.header, section.rows).lines(of_text=True)
    if section.below:
        lines += ["", *wrapped(section.below, columns)]
    return "\n".join(lines) + "\n"


def wrapped(sentences: tuple[str, ...], columns: int = WIDTH) -> list[str]:
    """Return sentences as lines of limited width, each sentence on a new line."""
    return [line for text in sentences for line in folded(text, columns, MOST_OF_A_SENTENCE)]
