"""A coefficient table as one page: its forest plot, its tables, and how it was made."""

from __future__ import annotations

from separatrix._version import __version__
from separatrix.inference.table import CoefficientTable
from separatrix.report.displays.forest import figures_of, forest, shown_rows, size_of
from separatrix.report.page.contents import LONGEST_COMMAND
from separatrix.report.page.names import Names
from separatrix.report.page.page import rendered
from separatrix.report.page.svg import drawn
from separatrix.report.wording import Section
from separatrix.report.words import words_of

FLOATS = "Finite ends are computed in floating point."
CHECKED = (
    "A green end is proven: the bracket that holds it was checked in exact or ball arithmetic."
)


def coefficients_page(
    table: CoefficientTable, command: str, digest: str, lang: str, *, proven: bool
) -> str:
    """Return the page; `digest` of the data is "" where they are not one file."""
    names, rows = Names(), shown_rows(table)
    few = f" Of {len(table.rows):,} coefficients the {len(rows)} clearest." * (
        len(rows) + 1 < len(table.rows)
    )
    caption = (
        f"Squares are estimates, lines {100.0 * table.level:.6g} % intervals. An arrow is an end "
        f"that is infinite, which was decided exactly. {CHECKED if proven else FLOATS}{few}"
    )
    described = "; ".join(f"{table.named(row)}: {figures_of(table, row)}" for row in rows)
    picture = drawn(
        lambda ax: forest(table, ax, proven=proven),
        "forest", "Forest plot", size_of(table, rows), caption, described,
    )  # fmt: skip
    parts = [
        Section(title, (), tuple(grid.header), tuple(map(tuple, grid.rows)))
        for title, grid in table.grids().items()
    ]
    origin = {"separatrix": __version__, "command": command, "data": table.source}
    if digest:
        origin["SHA-256 of the data"] = digest
    return rendered(
        "coefficients.html.j2",
        words_of(lang),
        title=table.title,
        sentences=table.sentences(),
        forest=picture,
        parts=parts,
        below=table.below(),
        origin=[(what, names.of(value, LONGEST_COMMAND)) for what, value in origin.items()],
        took="",
        names=names,
    )
