"""The verdict on a terminal: the same sections, with rich's tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from separatrix.report.text import aligned
from separatrix.report.wording import Section
from separatrix.report.words import Words


def show(parts: Sequence[Section], console: Console, answer: str, words: Words) -> None:
    """Print sections between two lines of the answer; names are never read as markup."""
    console.print(Text(answer, style="bold"), end="\n\n")
    for section in parts:
        console.print(Text(words.heading(section.title), style="bold"))
        _print_sentences(section.sentences, console)
        if section.rows and _fits(section, console.width):
            console.print(_table(section))
        elif section.rows:  # rich would leave columns out: the terminal breaks long lines itself
            for line in aligned(section.header, section.rows):
                console.print(Text(line), soft_wrap=True)
        _print_sentences(section.below, console)
        console.print()
    console.print(Text(answer, style="bold"))


def _print_sentences(sentences: Sequence[str], console: Console) -> None:
    for sentence in sentences:
        console.print(Text(sentence))


def _fits(section: Section, width: int) -> bool:
    """Return whether every column has room; of two the last one may fold."""
    columns = zip(section.header, *section.rows, strict=True)
    widths = [max(map(cell_len, cells)) for cells in columns]
    if len(widths) <= 2:
        widths[-1] = min(widths[-1], 10)
    return sum(widths) + 2 * (len(widths) - 1) <= width


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
