"""The verdict as plain text: for pipes, files and logs."""

from __future__ import annotations

import textwrap

from separatrix.report.sections import Section, sections
from separatrix.verdict import Verdict

WIDTH = 100


def to_text(verdict: Verdict) -> str:
    """Return the verdict as plain text, ending in a newline."""
    return "\n".join(section_text(section) for section in sections(verdict))


def section_text(section: Section) -> str:
    """Return one section: its title, wrapped sentences, an aligned table."""
    lines = [section.title.upper()]
    for sentence in section.sentences:
        lines += textwrap.wrap(sentence, WIDTH, break_long_words=True) or [""]
    if section.rows:
        lines += ["", *aligned(section.header, section.rows)]
    return "\n".join(lines) + "\n"


def aligned(header: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return a table with columns padded to their widest cell."""
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]
