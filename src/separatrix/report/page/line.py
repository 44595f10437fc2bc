"""The line as a table of points: what raises and what lowers the score, in the table's units."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
from markupsafe import Markup

from separatrix.report.page.names import Name, Names, figure, minus, points, rounded
from separatrix.report.page.rows import Part, RowsOf
from separatrix.report.question import infinite_weights
from separatrix.report.wording import MOST_COLUMNS
from separatrix.tables import CategoryColumn
from separatrix.verdict import Verdict

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
        levels = [
            _level(names.of(level), _or_infinite(points(w), sign), _bar(w, longest))
            for level, w, sign in sorted(
                zip(known, [0.0, *weights], ["", *estimates], strict=False),
                key=lambda found: -found[1],
            )
        ]
    else:
        (weight,) = weights
        bar = _bar(math.copysign(spread, weight), longest)
        levels = [_level(None, _or_infinite(points(weight), estimates[0]), bar)]
    return {
        "name": names.of(part.name),
        "moves": f"{spread:.3g}",
        "usual": usual_values(part),
        "levels": levels[:MOST_LEVELS],
        "n_levels": min(len(levels), MOST_LEVELS),
        "more_levels": max(0, len(levels) - MOST_LEVELS),
    }


def _level(name: Name | None, shown: Markup, bar: float) -> dict[str, Any]:
    return {"name": name, "points": shown, "bar": bar}


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
