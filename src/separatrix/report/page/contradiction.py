"""Rows that contradict each other: a mixture of the yes rows is a mixture of the no rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats
from separatrix.report.page.figures import rounded
from separatrix.report.page.names import Name, Names
from separatrix.report.page.rows import Part, RowsOf, value_text
from separatrix.report.sections import MOST_COLUMNS
from separatrix.tables import CategoryColumn
from separatrix.verdict import Verdict

MOST_ROWS = 40
MOST_SHARES = 3


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Rows of which a mixture of the yes rows equals a mixture of the no rows.

    Parameters
    ----------
    columns : tuple of Name
    rows : tuple of (line, label, share of its side, values)
    shared : tuple of str
        The point that both mixtures are; none where it is one of products of columns.
    n_more, n_more_columns : int
        Rows and columns that are not shown.
    """

    columns: tuple[Name, ...]
    rows: tuple[tuple[int, bool, str, tuple[Name, ...]], ...]
    shared: tuple[str, ...]
    n_more: int
    n_more_columns: int


def contradiction(verdict: Verdict, rows: RowsOf, names: Names) -> Contradiction | None:
    """Return the rows of the refusal with their values; None where there is none."""
    refusal = verdict.separability.refusal
    if refusal is None:
        return None
    at = np.asarray(refusal.rows)
    share = _shares(rows, at, refusal.multipliers)
    order = np.lexsort((-share, rows.y[at] < 0.0))  # yes rows first, the weightiest first
    parts = _columns(verdict)[:MOST_COLUMNS]
    shown = [
        (
            int(verdict.table.lines[at[k]]),
            bool(rows.y[at[k]] > 0.0),
            f"{100.0 * share[k]:.2f} %",
            tuple(names.of(value_text(verdict, part, int(at[k]))[0], 24) for part in parts),
        )
        for k in order[:MOST_ROWS]
    ]
    yes = rows.y[at] > 0.0
    return Contradiction(
        columns=tuple(names.of(part.name, 24) for part in parts),
        rows=tuple(shown),
        shared=(
            tuple(_mixture(verdict, part, at[yes], share[yes], names) for part in parts)
            if verdict.encoding.monomials is None
            else ()
        ),
        n_more=len(at) - len(shown),
        n_more_columns=len(verdict.table.columns) - len(parts),
    )


def _columns(verdict: Verdict) -> list[Part]:
    """Return the table's own columns, whatever became of them."""
    columns = enumerate(verdict.table.columns)
    return [Part(k, column.name, column, slice(0, 0)) for k, column in columns]


def _shares(rows: RowsOf, at: np.ndarray, multipliers: tuple[int, ...]) -> Floats:
    """Return each row's share of the mixture of its side (m,): both sides sum to 1."""
    total = {
        sign: sum(m for m, n in zip(multipliers, at, strict=True) if rows.y[n] == sign)
        for sign in (-1.0, 1.0)
    }  # whole numbers, which may be longer than a double: divided as such
    return np.array([m / total[float(rows.y[n])] for m, n in zip(multipliers, at, strict=True)])


def _mixture(verdict: Verdict, part: Part, at: np.ndarray, share: Floats, names: Names) -> str:
    """Return the value of the shared point in one column."""
    column = part.column
    if not isinstance(column, CategoryColumn):
        fill = verdict.encoding.columns[part.place].fill
        values = np.where(column.missing, 0.0 if fill is None else fill, column.values)[at]
        return rounded(float(np.dot(values, share)), 5)
    weights: dict[str, float] = {}
    for n, s in zip(at, share, strict=True):
        level = value_text(verdict, part, int(n))[0]
        weights[level] = weights.get(level, 0.0) + float(s)
    found = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
    if len(found) == 1:
        return names.of(found[0][0], 24).short
    mixed = [f"{100.0 * s:.0f} % {names.of(level, 16).short}" for level, s in found[:MOST_SHARES]]
    more = len(found) - len(mixed)
    return ", ".join(mixed) + (f", {more} more" if more else "")
