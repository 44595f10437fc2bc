"""The verdict on a terminal: the same sections, with rich's tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from separatrix.report.sections import Section


def show(parts: Sequence[Section], console: Console) -> None:
    """Print sections; names from the data are never read as markup."""
    for section in parts:
        console.print(Text(section.title, style="bold"))
        _print_sentences(section.sentences, console)
        if section.rows:
            console.print(_table(section))
        _print_sentences(section.below, console)
        console.print()


def _print_sentences(sentences: Sequence[str], console: Console) -> None:
    for sentence in sentences:
        console.print(Text(sentence))


def _table(section: Section) -> RichTable:
    """Return a table whose numbers are never broken over lines; only the last column may fold."""
    table = RichTable(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for k, name in enumerate(section.header):
        last = k == len(section.header) - 1
        table.add_column(name, overflow="fold", no_wrap=not last or len(section.header) > 2)
    for row in section.rows:
        style = "green" if row[0].endswith(" *") else None
        table.add_row(*(Text(cell) for cell in row), style=style)
    return table
