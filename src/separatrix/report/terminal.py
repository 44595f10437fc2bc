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
        for sentence in section.sentences:
            console.print(Text(sentence))
        if section.rows:
            console.print(_table(section))
        console.print()


def _table(section: Section) -> RichTable:
    table = RichTable(show_edge=False, pad_edge=False, header_style="dim")
    for k, name in enumerate(section.header):
        table.add_column(name, overflow="fold", no_wrap=k == 0)
    for row in section.rows:
        style = "green" if row[0].endswith(" *") else None
        table.add_row(*(Text(cell) for cell in row), style=style)
    return table
