"""What is proven, row by row: those that contradict each other; and the points of the line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
from markupsafe import Markup

from separatrix.data import Floats
from separatrix.report.findings import infinite_weights
from separatrix.report.page.names import Name, Names, figure, minus, points, rounded
from separatrix.report.page.rows import Part, RowsOf, value_text
from separatrix.report.wording import MOST_COLUMNS
from separatrix.tables import CategoryColumn
from separatrix.verdict import Verdict

MOST_ROWS = 40
MOST_SHARES = 3


def contradiction(verdict: Verdict, rows: RowsOf, names: Names) -> dict[str, Any] | None:
    """Return the rows of the refusal with their values; None where there is none."""
    refusal = verdict.separability.refusal
    if refusal is None:
        return None
    at = verdict.table.positions(refusal.rows)
    total = {
        sign: sum(m for m, n in zip(refusal.multipliers, at, strict=True) if rows.y[n] == sign)
        for sign in (-1.0, 1.0)
    }  # whole numbers, which may be longer than a double: divided as such
    share = np.array(
        [m / total[float(rows.y[n])] for m, n in zip(refusal.multipliers, at, strict=True)]
    )
    order = np.lexsort((-share, rows.y[at] < 0.0))  # yes rows first, the weightiest first
    columns = enumerate(verdict.table.columns)  # its own, whatever became of them
    parts = [Part(k, column.name, column, slice(0, 0)) for k, column in columns][:MOST_COLUMNS]
    shown = [
        (
            int(verdict.table.lines[at[k]]),
            bool(rows.y[at[k]] > 0.0),
            f"{100.0 * share[k]:.2f} %",
            tuple(names.of(value_text(verdict, part, int(at[k]))[0], 24) for part in parts),
            names.of(verdict.table.file_of(int(at[k])), 24),
        )
        for k in order[:MOST_ROWS]
    ]
    yes = rows.y[at] > 0.0
    mixed = parts if verdict.encoding.monomials is None else ()
    return {
        "columns": [names.of(part.name, 24) for part in parts],
        "rows": shown,
        # the point that both mixtures are
        "shared": [_mixture(verdict, part, at[yes], share[yes], names) for part in mixed],
        "n_more": len(at) - len(shown),
        "n_more_columns": len(verdict.table.columns) - len(parts),
    }


def _mixture(verdict: Verdict, part: Part, at: np.ndarray, share: Floats, names: Names) -> str:
    """Return the value of the shared point in one column."""
    column = part.column
    if not isinstance(column, CategoryColumn):
        fill = verdict.encoding.columns[part.place].fill
        values = np.where(column.missing, 0.0 if fill is None else fill, column.values)[at]
        return rounded(float(np.dot(values, share)))
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


MOST_LEVELS = 20
MOST_IN_NOTEBOOK = 12
BAR = 50.0  # length of the longest bar, to either side


def line_of(verdict: Verdict, rows: RowsOf, names: Names) -> dict[str, Any]:
    """Return the points table, the strongest columns first."""
    shown = rows.strongest[:MOST_COLUMNS]
    longest = max((_longest(rows, part) for part in shown), default=0.0)
    signs = infinite_weights(verdict)
    columns = [_points(verdict, rows, part, longest, names, signs) for part in shown]
    levels = ((column, level) for column in columns for level in column["levels"])
    return {
        "threshold": rounded(rows.threshold),
        "columns": columns,
        "first": list(islice(levels, MOST_IN_NOTEBOOK)),
        "n_more": len(rows.parts) - len(shown),
        "longest": f"{longest:.3g}",
    }


def _longest(rows: RowsOf, part: Part) -> float:
    if isinstance(part.column, CategoryColumn):
        return float(np.abs(rows.points(part)).max(initial=0.0))
    return float(rows.strength[part.place])


def _points(  # noqa: PLR0917  # one caller
    verdict: Verdict, rows: RowsOf, part: Part, longest: float, names: Names,
    signs: Mapping[int, str],
) -> dict[str, Any]:  # fmt: skip
    spread = float(rows.strength[part.place])
    weights = [float(w) for w in rows.points(part)]
    estimates = [signs.get(j + 1, "") for j in range(part.features.start, part.features.stop)]
    if isinstance(part.column, CategoryColumn):
        known = verdict.encoding.columns[part.place].levels  # type: ignore[union-attr]  # a category's
        named: list[Name | None] = [names.of(level) for level in known]
        found = zip(named, [0.0, *weights], ["", *estimates], strict=False)
        told = [(name, w, sign, w) for name, w, sign in sorted(found, key=lambda one: -one[1])]
    else:
        told = [(None, weights[0], estimates[0], math.copysign(spread, weights[0]))]
    levels = [
        {"name": name, "points": _or_infinite(points(w), sign), "bar": _bar(moved, longest)}
        for name, w, sign, moved in told
    ]
    return {
        "name": names.of(part.name),
        "moves": f"{spread:.3g}",
        "usual": usual_values(part),
        "levels": levels[:MOST_LEVELS],
        "n_levels": min(len(levels), MOST_LEVELS),
        "more_levels": max(0, len(levels) - MOST_LEVELS),
    }


def _or_infinite(used: Markup, estimate: str) -> Markup:
    """Return points, and where the estimate is infinite that beside what the line uses."""
    return Markup("{} ({} used)").format(minus(estimate), used) if estimate else used


def _bar(value: float, longest: float) -> float:
    return round(BAR * (value / longest), 1) if longest else 0.0


def usual_values(part: Part) -> str:
    """Return "12 to 45": where the middle half of a number column's rows are."""
    if isinstance(part.column, CategoryColumn):
        return ""
    values = part.column.values
    present = values[~np.isnan(values)]
    if present.size == 0:
        return ""
    low, high = np.quantile(present, [0.25, 0.75], method="nearest")
    return f"{figure(low, 4)} to {figure(high, 4)}"
