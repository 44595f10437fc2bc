"""One row explained: its score as a sum of parts, and whether all the best lines agree on it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats, InputError, Points, SeparatrixWarning
from separatrix.report.page.names import LONGEST, Name, Names, points, rounded
from separatrix.report.page.rows import Part, RowsOf, value_text
from separatrix.report.wording import MOST_COLUMNS, plain
from separatrix.separation.decide import separability
from separatrix.verdict import Verdict
from separatrix.version_space.agreement import agree

SAME = (
    "Were its label not known, it would be {label} all the same: every line that {best} the other "
    "{rows} says {label} to it (proven)."
)
EITHER = (
    "Were its label not known, the other {rows} would not decide it: among the lines that {best} "
    "them some say {yes} to it and some say {no} (proven)."
)
SEPARATING = ("separates", "separate")
OF_FEWEST = ("makes the fewest mistakes on", "make the fewest mistakes on")
UNDECIDED = (
    "Whether a line separates these rows is undecided, so nothing is said about what the best "
    "lines agree on."
)
OPEN = (
    "No line separates these rows, and whether all lines with the fewest mistakes agree on it is "
    "open."
)
MOST_NODES = 4_000  # boxes of lines for the fewest mistakes of the other rows


@dataclass(frozen=True, slots=True)
class Item:
    """One column of a row."""

    name: Name
    value: Name
    filled: bool
    part: str
    beside: str


@dataclass(frozen=True, slots=True)
class Applicant:
    """A row and how the line answers it."""

    line: int  # where it stands in its file
    file: Name  # of a table of several files; else empty
    items: tuple[Item, ...]  # the columns that moved it most from the average row first
    n_rest: int
    rest: str  # what the columns not shown add; "" when all are shown
    total: str
    threshold: str
    score: str  # the total less the threshold
    says: bool
    label: bool
    agreement: str


def nearest_row(rows: RowsOf) -> int:
    """Return the row nearest to the line, the first on a tie."""
    return int(np.argmin(np.abs(rows.scores)))


def applicant(verdict: Verdict, rows: RowsOf, names: Names) -> Applicant:
    """Return the row nearest to the line, explained."""
    row = nearest_row(rows)
    score = float(rows.scores[row])
    added = [rows.contribution(part) for part in rows.parts]
    beside = [float(v[row] - np.average(v, weights=rows.weight)) for v in added]
    order = sorted(rows.parts, key=lambda part: -abs(beside[part.place]))
    shown, rest = order[:MOST_COLUMNS], order[MOST_COLUMNS:]
    return Applicant(
        line=int(verdict.table.lines[row]),
        file=names.of(verdict.table.file_of(row), 40),
        items=tuple(
            _item(verdict, part, row, float(added[part.place][row]), beside[part.place], names)
            for part in shown
        ),
        n_rest=len(rest),
        rest=points(sum(float(added[part.place][row]) for part in rest)),
        total=rounded(float(rows.sums[row])),
        threshold=rounded(rows.threshold),
        score=points(score),
        says=score > 0.0,
        label=bool(rows.y[row] > 0.0),
        agreement=_agreement(verdict, rows, row),
    )


def _item(  # noqa: PLR0917  # one caller
    verdict: Verdict, part: Part, row: int, added: float, beside: float, names: Names
) -> Item:
    text, filled = value_text(verdict, part, row)
    return Item(names.of(part.name), names.of(text, 24), filled, points(added), points(beside))


def _agreement(verdict: Verdict, rows: RowsOf, row: int) -> str:
    """Return whether all the best lines for the other rows agree on this one."""
    proof = verdict.separability
    if proof.verdict == "undecided":
        return UNDECIDED
    bracket = verdict.fewest_mistakes
    if not proof.separable and (verdict.table.weight is not None or not bracket.proven):
        return OPEN
    others = np.delete(np.arange(rows.y.size), row)
    X, y = rows.X[others], rows.y[others]
    if np.unique(y).size < 2:
        return (
            f"It is the only row with its label, so the other {_rows(verdict)} have one answer "
            "only."
        )
    return _asked(verdict, X, y, rows.X[[row]])


def _asked(verdict: Verdict, X: Points, y: Floats, x: Points) -> str:
    """Return what all the best lines for rows X (m, d) say of one more (1, d)."""
    separable = verdict.separability.separable or separability(X, y).separable
    best = SEPARATING if separable else OF_FEWEST
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always", SeparatrixWarning)
        try:
            (found,) = agree(X, y, x, max_nodes=MOST_NODES)
        except InputError as error:
            return f"Whether the best lines agree on it could not be decided: {error}"
    if met:
        return f"Whether the best lines agree on it was not decided: {met[0].message}"
    labels = {"yes": plain(verdict.table.yes, LONGEST), "no": plain(verdict.table.no, LONGEST)}
    if str(found) in labels:  # the user's own words: with --yes no, "no" is the yes
        return SAME.format(label=labels[str(found)], best=best[0], rows=_rows(verdict))
    return EITHER.format(best=best[1], rows=_rows(verdict), **labels)


def _rows(verdict: Verdict) -> str:
    """Return "rows", and of a table in blocks which they are."""
    table = verdict.table
    return "rows" if table.lines.size == table.n_rows else "rows that are shown here"
