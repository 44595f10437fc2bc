"""A forest plot: estimates with their intervals one below the other, odds ratios on a log axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN
from typing import Any

from separatrix._types import Untyped
from separatrix.inference.inputs import INTERCEPT
from separatrix.inference.printing import rounded
from separatrix.inference.table import CoefficientRow, CoefficientTable, Ends
from separatrix.report.drawing import style
from separatrix.report.question import clearest

MOST_ROWS = 100
BEYOND = 2.0  # times the extent of the estimates: how far an interval is followed
LEAST_EXTENT = math.log(4.0)
WIDEST = 300.0  # of a logarithmic axis on either side: matplotlib's margins need room in doubles
LONGEST_NAME = 50
WIDE = "\N{CJK RADICAL REPEAT}"  # from here on letters are twice as wide
NONE = (math.nan, math.nan), (math.nan, math.nan)  # no bracket at either end
ESTIMATE, INFINITE = "estimate", "infinite (proven)"
FURTHER, PROVEN, END = "goes on beyond the axis", "proven end", "_end"
LOOKS: dict[str, dict[str, Any]] = {
    ESTIMATE: {"marker": "s", "color": style.YES, "markersize": 5.5},
    INFINITE: {"color": style.LINE, "markersize": 7},
    FURTHER: {"color": style.LINE, "markersize": 7, "markerfacecolor": "white"},
    PROVEN: {"marker": "|", "color": style.POCKET, "markersize": 10, "markeredgewidth": 2.4},
    END: {"marker": "|", "color": style.LINE, "markersize": 5},
}


def forest(table: CoefficientTable, ax: Untyped = None, *, proven: bool = False) -> Untyped:
    """Draw a table without its intercept, of many rows the clearest: `CoefficientTable.plot`."""
    rows = shown_rows(table)
    ax = style.axes_or_new(ax, size_of(table, rows))
    view = _view(rows)
    handles: dict[str, Untyped] = {}

    def across(value: float) -> float:
        return math.exp(min(max(value, -WIDEST), WIDEST)) if table.logistic else value

    ax.set_xscale("log" if table.logistic else "linear")
    ax.axvline(across(0.0), color=style.BOUND, linewidth=0.8, zorder=0)
    for place, row in enumerate(rows):
        marks = _marks(row, view, table.brackets.get(row.name, NONE) if proven else NONE)
        ends = [across(at) for name, at, _ in marks if name != ESTIMATE]
        ax.plot(ends, [place] * len(ends), color=style.LINE, linewidth=1.3, zorder=2)
        for name, at, look in marks:
            drawn = ax.plot(
                [across(at)], [place], linestyle="", clip_on=False, zorder=3, label=name, **look
            )
            handles.setdefault(name, drawn[0])
        if not marks:
            said = "infinite, no interval" if math.isinf(row.estimate) else "not determined"
            ax.text(
                across(view[0]), place, f" {said}", va="center", color=style.QUIET, size="small"
            )
    ax.set_xlim(*map(across, view))
    ax.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    _write(ax, table, rows)
    style.legend_above(ax, 4, [handles[name] for name in LOOKS if name in handles and name != END])
    return ax


def shown_rows(table: CoefficientTable) -> tuple[CoefficientRow, ...]:
    return clearest([row for row in table.rows if row.name != INTERCEPT], MOST_ROWS)


def size_of(table: CoefficientTable, rows: Sequence[CoefficientRow]) -> tuple[float, float]:
    """Return the size of a plot of rows, in inches: names and figures beside it have room."""
    texts = [(table.named(row)[:LONGEST_NAME], figures_of(table, row)) for row in rows]
    longest = [
        max((sum(1 + (c > WIDE) for c in t) for t in side), default=0)
        for side in zip(*texts, strict=True)
    ]
    return 2.7 + 0.085 * sum(longest), 1.1 + 0.26 * max(len(rows), 2)


def _view(rows: Sequence[CoefficientRow]) -> Ends:
    """Return what the axis shows: 0, every estimate, and ends that are not far from these."""
    ends = [v for row in rows for v in (row.lower, row.upper) if math.isfinite(v)]
    centres = [0.0, *(row.estimate for row in rows if math.isfinite(row.estimate))]
    nearest = [min((row.lower, row.upper), key=abs) for row in rows if math.isinf(row.estimate)]
    centres += filter(math.isfinite, nearest)
    low, high = min(centres), max(centres)
    extent = max(high - low, LEAST_EXTENT)
    inside = [v for v in ends if low - BEYOND * extent <= v <= high + BEYOND * extent]
    low, high = min([low, *inside]), max([high, *inside])
    margin = 0.08 * max(high - low, LEAST_EXTENT)
    return low - margin, high + margin


def _marks(
    row: CoefficientRow, view: Ends, proven: tuple[Ends, Ends]
) -> list[tuple[str, float, dict[str, Any]]]:
    """Return what is drawn of a row: the name of each mark, where it is, and its look."""
    marks = []
    if not any(map(math.isnan, (row.estimate, row.lower, row.upper))):
        for end, bracket, arrow in zip((row.lower, row.upper), proven, "<>", strict=True):
            at = min(max(end, view[0]), view[1])
            name = FURTHER if end != at else END if math.isnan(sum(bracket)) else PROVEN
            name = INFINITE if math.isinf(end) else name
            look = {"marker": arrow} if end != at else {}
            marks.append((name, at, LOOKS[name] | look))
    if math.isfinite(row.estimate):
        marks.append((ESTIMATE, row.estimate, LOOKS[ESTIMATE]))
    return marks


def _write(ax: Untyped, table: CoefficientTable, rows: Sequence[CoefficientRow]) -> None:
    """Write names to the left, figures to the right, and what the axis is below."""
    what = "odds ratio" if table.logistic else "coefficient"
    ax.set_xlabel(f"{what}, {100.0 * table.level:.6g} % {table.bases['interval']} interval")
    if table.logistic:
        style.log_ticks(ax.xaxis)
    ax.set_yticks(range(len(rows)), [style.plain(table.named(row), LONGEST_NAME) for row in rows])
    right = ax.secondary_yaxis("right")
    right.set_yticks(range(len(rows)), [figures_of(table, row) for row in rows])
    for axis in (ax, right):
        axis.tick_params(axis="y", length=0, pad=8)
        axis.spines[["top", "right", "left"]].set_visible(False)


def figures_of(table: CoefficientTable, row: CoefficientRow) -> str:
    """Return "0.959 (0.871 to 1.04)", as the tables round it."""
    values = row.odds_ratio, row.odds_ratio_lower, row.odds_ratio_upper
    if not table.logistic:
        values = row.estimate, row.lower, row.upper
    estimate, low, high = (
        "-" if math.isnan(v) else "\N{INFINITY}" if math.isinf(v) else rounded(v, 3, way)
        for v, way in zip(values, (ROUND_HALF_EVEN, *table.outwards), strict=True)
    )
    return estimate if low == high == "-" else f"{estimate} ({low} to {high})"


def forest_bytes(table: CoefficientTable, path: str, *, proven: bool) -> bytes:
    """Return the plot as the kind of file that a name asks for."""
    size = size_of(table, shown_rows(table))
    return style.picture_bytes(lambda ax: forest(table, ax, proven=proven), size, path)
