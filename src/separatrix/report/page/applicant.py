"""One row explained: its score as a sum of parts, and whether all the best lines agree on it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from separatrix.data import Floats, InputError, Points, SeparatrixWarning
from separatrix.report.page.names import LONGEST, Names, points, rounded
from separatrix.report.page.rows import RowsOf, value_text
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


def nearest_row(rows: RowsOf) -> int:
    """Return the row nearest to the line, the first on a tie."""
    return int(np.argmin(np.abs(rows.scores)))


def applicant(verdict: Verdict, rows: RowsOf, names: Names) -> dict[str, Any]:
    """Return the row nearest to the line, explained."""
    row = nearest_row(rows)
    score = float(rows.scores[row])
    added = [rows.contribution(part) for part in rows.parts]
    beside = [float(v[row] - np.average(v, weights=rows.weight)) for v in added]
    order = sorted(rows.parts, key=lambda part: -abs(beside[part.place]))
    shown, rest = order[:MOST_COLUMNS], order[MOST_COLUMNS:]
    columns = []
    for part in shown:
        text, filled = value_text(verdict, part, row)
        columns.append({
            "name": names.of(part.name), "value": names.of(text, 24), "filled": filled,
            "part": points(float(added[part.place][row])), "beside": points(beside[part.place]),
        })  # fmt: skip
    return {
        "line": int(verdict.table.lines[row]),
        "file": names.of(verdict.table.file_of(row), 40),
        "columns": columns,
        "n_rest": len(rest),
        "rest": points(sum(float(added[part.place][row]) for part in rest)),
        "total": rounded(float(rows.sums[row])),
        "threshold": rounded(rows.threshold),
        "score": points(score),
        "says": score > 0.0,
        "label": bool(rows.y[row] > 0.0),
        "agreement": _agreement(verdict, rows, row),
    }


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
