"""The picture of a table of several labels: its rows in two columns, and which are mistakes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.model import joined
from separatrix.report.drawing import style
from separatrix.report.page.pictures import COLOURS, MOST_POINTS, Picture, left_out, near_rows
from separatrix.report.page.svg import drawn
from separatrix.report.wording import plain
from separatrix.tables import NumberColumn
from separatrix.tables.wording import counted
from separatrix.verdict import MulticlassVerdict

Codes = NDArray[np.int64]

MOST_LABELS = 8
SIZE = (5.4, 4.6)  # inches
GRID = 161  # places across, and up, where boundaries are sought
INKS = (style.YES, style.NO, style.POCKET, style.ARROW, style.LINE, style.QUIET)
SHAPES = ("o", "x", "^", "s", "+", "v", "D", "*")


def labels_picture(verdict: MulticlassVerdict, name: str) -> Picture | None:
    """Return the rows in two columns of numbers, each label with a shape and a colour of its own.

    None where there are fewer than two such columns, or more labels than shapes. `name` begins the
    ids of the drawing.
    """
    table = verdict.table
    columns = [c for c in table.base.columns if isinstance(c, NumberColumn)]
    columns = [c for c in columns if np.unique(c.values[~c.missing]).size > 2]
    if len(columns) < 2 or len(table.names) > MOST_LABELS:
        return None
    values = np.column_stack([column.values for column in columns])
    mean, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    Z = np.nan_to_num((values - mean) / np.where(spread > 0.0, spread, 1.0))
    means = np.array([Z[table.codes == k].mean(axis=0) for k in range(int(table.codes.max()) + 1)])
    first, second = sorted(np.argsort(-means.var(axis=0), kind="stable")[:2].tolist())
    pair = first, second
    a, b = (columns[k].name for k in pair)
    points = values[:, list(pair)]
    known = np.flatnonzero(np.isfinite(points).all(axis=1))
    near, outside = near_rows(points[known])
    rows = known[near][:: math.ceil(near.size / MOST_POINTS)]
    X = verdict.encoding.encode(table.base.columns, table.base.lines, table.base.line_word)
    answer = joined(verdict.rule, verdict.winner.learners, np.arange(len(table.names)))
    wrong = answer.predict(X) != table.codes
    plane = answer.predict if X.shape[1] == 2 else None  # the whole answer is in the picture

    def draw(ax: Untyped) -> None:
        _scatter(ax, points[rows], table.codes[rows], verdict)
        missed = points[rows][wrong[rows]]
        of_all = f"mistakes ({int(wrong.sum()):,})"
        ax.scatter(missed[:, 0], missed[:, 1], label=of_all, **style.ring(len(rows)))
        ax.set_xlabel(style.plain(a))
        ax.set_ylabel(style.plain(b))
        style.tidy(ax)
        if plane is not None:
            n_labels = len(table.names)
            across, up = (np.linspace(a, b, GRID) for a, b in (ax.get_xlim(), ax.get_ylim()))
            grid = np.stack(np.meshgrid(across, up), axis=-1)
            said = plane(grid.reshape(-1, 2)).reshape(GRID, GRID)
            for k in range(n_labels):
                if (said == k).any() and (said != k).any():
                    of = (said == k).astype(float)
                    ax.contour(across, up, of, levels=[0.5], colors=[style.LINE], linewidths=1.2)
        style.legend_above(ax, columns=3)

    caption = (
        f"The rows in two columns, {plain(a)} and {plain(b)}"
        + (
            ", and where the answer changes."
            if plane is not None
            else ": those in which the means of the labels lie farthest apart (columns "
            "standardised). The model uses all columns."
        )
        + left_out(outside, math.ceil(near.size / MOST_POINTS), rows.size)
    )
    svg = drawn(
        draw, name=f"{name}-plane", title=f"The plane of {plain(a)} and {plain(b)}",
        described=f"Rows as points, {counted(len(table.names), 'label')}. {caption}",
        size=SIZE, colours=COLOURS,
    )  # fmt: skip
    return Picture(svg, caption)


def _scatter(ax: Untyped, points: Floats, codes: Codes, verdict: MulticlassVerdict) -> None:
    for k, name in enumerate(verdict.table.names):
        shape, ink = SHAPES[k], INKS[k % len(INKS)]
        filled: dict[str, Any] = (
            {"color": ink} if shape in "x+" else {"facecolors": "none", "edgecolors": ink}
        )
        of = codes == k
        label = f"{style.plain(name, 16)} ({int(verdict.table.counts[k]):,})"
        size = style.markers(1, len(points))["s"]
        ax.scatter(
            points[of, 0],
            points[of, 1],
            marker=shape,
            s=size,
            linewidths=1.2,
            label=label,
            **filled,
        )
