"""The verdict as plain text: for pipes, files and logs."""

from __future__ import annotations

import textwrap

from separatrix.report.sections import AnyVerdict, sections
from separatrix.report.wording import Section

WIDTH = 100


def to_text(verdict: AnyVerdict) -> str:
    """Return the verdict as plain text, ending in a newline."""
    return "\n".join(section_text(section) for section in sections(verdict))


def section_text(section: Section) -> str:
    """Return one section: its title, wrapped sentences, an aligned table, sentences below it."""
    lines = [section.title.upper(), *wrapped(section.sentences)]
    if section.rows:
        lines += [*([""] if section.sentences else []), *aligned(section.header, section.rows)]
    if section.below:
        lines += ["", *wrapped(section.below)]
    return "\n".join(lines) + "\n"


def wrapped(sentences: tuple[str, ...]) -> list[str]:
    """Return sentences as lines of at most WIDTH characters, a new one for each."""
    return [
        line for s in sentences for line in textwrap.wrap(s, WIDTH, break_on_hyphens=False) or [""]
    ]


def aligned(header: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return a table with columns padded to their widest cell."""
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]
