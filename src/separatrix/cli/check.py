"""`separatrix check`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from separatrix._types import Untyped
from separatrix.cli.options import dialect_options
from separatrix.cli.showing import write_out

if TYPE_CHECKING:
    from separatrix.tables.checking import Check, ColumnCheck

MOST_COLUMNS = 40  # of a screen: those without a suspicion give way first
HEAD = "column", "read as", "example", "missing", "range or levels", "suspicion"


@click.command(short_help="Show what is in a table, what is wrong with it, and how to learn it.")
@click.argument("table", metavar="TABLE")
@click.option("--label", metavar="COL", help="The column to be answered. [default: a guess]")
@dialect_options
def check(table: str, label: str | None, file_format: str | None, **options: Untyped) -> None:
    """Show every column of TABLE, all its problems, and a command that learns from it.

    Nothing is learned yet. The command at the end handles what is listed: copy it, or change it.
    """
    from separatrix.tables.checking import check_table, command
    from separatrix.tables.reading import Reading

    found = check_table(table, label, Reading(format=file_format, **options))
    write_out(text_of(found, command(found, table) if found.options else ""))


def text_of(found: Check, typed: str) -> str:
    """Return the screen."""
    rows = f"{found.n_rows:,} rows, {len(found.columns):,} columns"
    about = f"; {found.label}: {found.labels}" if found.labels else ""
    lines = [f"{found.name}   {rows}{about}", "", *_table(found.columns), ""]
    if found.problems:
        lines.append(f"Problems ({len(found.problems)})")
        lines += [f"  {k}. {problem}" for k, problem in enumerate(found.problems, 1)]
        lines.append("")
    if typed:
        lines += ["Learn with", f"  {typed}", ""]
    else:
        lines += ["No command is proposed: correct what is listed above, and check again.", ""]
    return "\n".join(lines)


def _table(columns: Sequence[ColumnCheck]) -> list[str]:
    """Return the columns as lines; beyond a screen, those with a suspicion first."""
    chosen = list(columns)
    if len(columns) > MOST_COLUMNS:
        chosen = sorted(columns, key=lambda c: not c.suspicion)[:MOST_COLUMNS]
    cells = [
        (_cut(c.name, 18), c.kind, _cut(c.example, 14), f"{c.missing:,}" if c.missing else "",
         _cut(c.holds, 24), c.suspicion) for c in chosen
    ]  # fmt: skip
    wide = [max(len(row[k]) for row in (HEAD, *cells)) for k in range(len(HEAD))]
    lines = ["  ".join(v.ljust(w) for v, w in zip(row, wide, strict=True)).rstrip()
             for row in (HEAD, *cells)]  # fmt: skip
    more = len(columns) - len(chosen)
    return [*lines, *([f"and {more:,} more columns without a suspicion"] if more else [])]


def _cut(text: str, most: int) -> str:
    """Return text that fits, control characters and direction marks shown as their numbers."""
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:most])
    return plain if len(plain) <= most and len(text) <= most else f"{plain[: most - 1]}…"
