"""The line as a table of points: what raises and what lowers the score, in the table's units."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix.report.page.names import Name, Names, points, rounded
from separatrix.report.page.rows import Part, RowsOf
from separatrix.report.wording import MOST_COLUMNS
from separatrix.tables import CategoryColumn
from separatrix.verdict import Verdict

MOST_LEVELS = 20
BAR = 50.0  # length of the longest bar, to either side


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a category, or one unit of a number."""

    name: Name | None
    points: str
    bar: float


@dataclass(frozen=True, slots=True)
class Points:
    """One column: how it moves the score."""

    name: Name
    moves: str
    usual: str
    levels: tuple[Level, ...]
    more_levels: int


@dataclass(frozen=True, slots=True)
class Line:
    """The line: score = sum of points; yes where it exceeds the threshold."""

    threshold: str
    columns: tuple[Points, ...]
    n_more: int


def line_of(verdict: Verdict, rows: RowsOf, names: Names) -> Line:
    """Return the points table, the columns that move the score most first."""
    spread = [rows.spread(part) for part in rows.parts]
    order = sorted(rows.parts, key=lambda part: -spread[part.place])
    shown = order[:MOST_COLUMNS]
    longest = max((_longest(rows, part, spread[part.place]) for part in shown), default=0.0)
    return Line(
        threshold=rounded(-float(rows.line[0])),
        columns=tuple(
            _points(verdict, rows, part, spread[part.place], longest, names) for part in shown
        ),
        n_more=len(order) - len(shown),
    )


def _longest(rows: RowsOf, part: Part, spread: float) -> float:
    if isinstance(part.column, CategoryColumn):
        return float(np.abs(rows.points(part)).max(initial=0.0))
    return spread


def _points(  # noqa: PLR0917  # one caller
    verdict: Verdict, rows: RowsOf, part: Part, spread: float, longest: float, names: Names
) -> Points:
    weights = [float(w) for w in rows.points(part)]
    if isinstance(part.column, CategoryColumn):
        known = verdict.encoding.columns[part.place].levels  # type: ignore[union-attr]  # a category's
        levels = [
            Level(names.of(level), points(w), _bar(w, longest))
            for level, w in zip(known, [0.0, *weights], strict=False)
        ]
    else:
        (weight,) = weights
        bar = _bar(math.copysign(spread, weight), longest)
        levels = [Level(None, points(weight), bar)]
    return Points(
        name=names.of(part.name),
        moves=f"{spread:.3g}",
        usual=_usual(part),
        levels=tuple(levels[:MOST_LEVELS]),
        more_levels=max(0, len(levels) - MOST_LEVELS),
    )


def _bar(value: float, longest: float) -> float:
    return round(BAR * (value / longest), 1) if longest else 0.0


def _usual(part: Part) -> str:
    """Return "12 to 45": where the middle half of a number column's rows are."""
    if isinstance(part.column, CategoryColumn):
        return ""
    values = part.column.values
    present = values[~np.isnan(values)]
    if present.size == 0:
        return ""
    low, high = np.quantile(present, [0.25, 0.75], method="nearest")
    return f"{rounded(float(low), 4)} to {rounded(float(high), 4)}"
