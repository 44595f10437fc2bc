"""The pictures of the page: the plane of two columns, the scores by class, calibration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.displays import CalibrationDisplay, PlaneDisplay, ScoresDisplay
from separatrix.report.displays.scores import beyond_in_words
from separatrix.report.drawing import style
from separatrix.report.page.rows import Part, RowsOf
from separatrix.report.page.svg import drawn
from separatrix.report.wording import plain
from separatrix.tables import NumberColumn
from separatrix.tables.wording import counted
from separatrix.verdict import Verdict

Rows = NDArray[np.int64]

MOST_POINTS = 1000
MANY_MISTAKES = 60
SCORES_SIZE = (6.6, 3.1)  # inches
CALIBRATION_SIZE = (4.4, 4.2)
LONGEST_LABEL = 16  # two of them fit above a picture
COLOURS = {  # as matplotlib writes them
    style.YES.lower(): "var(--yes)",
    style.NO.lower(): "var(--no)",
    style.LINE.lower(): "currentColor",
    style.POCKET.lower(): "var(--pocket)",
    style.ARROW.lower(): "var(--arrow)",
    style.BOUND.lower(): "var(--quiet)",
    style.QUIET.lower(): "var(--quiet)",
    style.YES_SIDE.lower(): "var(--yes-side)",
    "#ffffff": "var(--paper)",
    "#000000": "currentColor",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, and what is said below it."""

    svg: Markup
    caption: str
    axis: tuple[float, ...] = ()


def plane_picture(verdict: Verdict, rows: RowsOf, name: str) -> Picture | None:
    """Return the plane of the two columns, or of the two strongest; None where there are fewer."""
    whole = rows.X.shape[1] == 2
    numbers = islice(filter(_is_number, rows.strongest), 2)
    places = [0, 1] if whole else [part.features.start for part in numbers]
    if len(places) < 2:
        return None
    points, (a, b) = rows.columns(places), (verdict.features[j] for j in places)
    held = 0.0 if whole else float(np.average(rows.sums, weights=rows.weight))
    means = np.average(points, axis=0, weights=rows.weight)
    weights = rows.line[[0, *(j + 1 for j in places)]]
    if not whole:
        weights[0] += held - means @ weights[1:]
    near, outside = near_rows(points)
    step = math.ceil(near.size / MOST_POINTS)
    chosen = near[::step]
    wrong = rows.y * rows.scores <= 0.0
    display = PlaneDisplay(
        points=points[chosen],
        y=rows.y[chosen],
        weights=weights,
        mistakes=wrong[chosen],
        labels=_labels(verdict),
        names=(a, b),
        others="" if whole else "their means",
    )
    said = f"The line of {verdict.winner.name} in the plane of "
    said += "the two columns." if whole else (
        f"{plain(a)} and {plain(b)}, the two strongest columns of numbers, with all others at "
        "their means. Rings are mistakes of the model, which uses all columns."
    )  # fmt: skip
    said += left_out(outside, step, chosen.size)
    svg = drawn(
        lambda ax: _plot_plane(display, ax), name=f"{name}-plane",
        title=f"The plane of {plain(a)} and {plain(b)}",
        described=f"Rows as points, o for yes and x for no, and a line between them. {said}",
        size=(5.4, 4.6), colours=COLOURS,
    )  # fmt: skip
    return Picture(svg, said)


def _is_number(part: Part) -> bool:
    return isinstance(part.column, NumberColumn) and np.unique(part.column.values).size > 2


def scores_picture(verdict: Verdict, rows: RowsOf, name: str) -> Picture:
    """Return the sums of points by label, and the threshold; `name` as in `plane_picture`."""
    display = ScoresDisplay(
        scores=rows.sums,
        y=rows.y,
        weight=rows.weight,
        threshold=rows.threshold,
        labels=_labels(verdict),
        weighted=verdict.table.weight is not None,
        what="sum of points",
    )
    words = (
        "How many rows have which sum of points: yes rows upwards, no rows downwards. Right of the "
        "threshold the answer is yes; hatched bars are mistakes."
    )
    svg = drawn(
        display.plot, name=f"{name}-scores", title="Sums of points by label",
        described=words, size=SCORES_SIZE, colours=COLOURS,
    )  # fmt: skip
    return Picture(svg, words + beyond_in_words(display.n_beyond_), _axis_of(display))


def calibration_picture(verdict: Verdict, name: str) -> Picture | None:
    """Return the reliability curve of the rows left out; None without probabilities."""
    figures = verdict.probabilities
    if figures is None:
        return None
    words = (
        "How often yes was right, for rows of each probability: on the diagonal the probabilities "
        "are right, within the band chance can explain the rest. Bars: how many rows."
    )
    svg = drawn(
        CalibrationDisplay(figures).plot, name=f"{name}-calibration", title="Calibration",
        described=words, size=CALIBRATION_SIZE, colours=COLOURS,
    )  # fmt: skip
    return Picture(svg, words)


def _axis_of(display: ScoresDisplay) -> tuple[float, ...]:
    """Return two sums with their places, and the top and the bottom of the axes, in points."""
    place, (width, height) = display.ax_.get_position(), (72.0 * size for size in SCORES_SIZE)
    left, right = display.ax_.get_xlim()
    ends = display.edges_[[0, -1]]
    across = width * (place.x0 + place.width * (ends - left) / (right - left))
    down = height * (1.0 - np.array([place.y1, place.y0]))
    found = (ends[0], across[0], ends[1], across[1], *down)
    return tuple(float(value) for value in found) if np.isfinite(found).all() else ()


def _plot_plane(display: PlaneDisplay, ax: Untyped) -> None:
    """Draw the plane; where mistakes are many their rings step back behind the points."""
    display.plot(ax)
    if display.mistakes.sum() > MANY_MISTAKES:
        display.mistakes_.set_alpha(0.3)


def near_rows(points: Floats) -> tuple[Rows, int]:
    """Return the rows that a picture of points (N, 2) shows, and how many it leaves out."""
    low, high = np.quantile(points, [0.01, 0.99], axis=0)
    extent, middle = np.ptp(points, axis=0), high - low
    squeezed = (middle > 0.0) & (2.0 * middle < extent)
    far = squeezed & ((points < low - middle / 2.0) | (points > high + middle / 2.0))
    near = np.flatnonzero(~far.any(axis=1))
    return near, len(points) - near.size


def left_out(outside: int, step: int, n_drawn: int) -> str:
    """Return what a picture leaves out: rows far from the others, and all but one in `step`."""
    far = f" Outside the picture: {counted(outside, 'row')} far from the others." if outside else ""
    few = f" Of the others one in {step} is drawn: {counted(n_drawn, 'row')}." if step > 1 else ""
    return far + few


def _labels(verdict: Verdict) -> tuple[str, str]:
    return plain(verdict.table.no, LONGEST_LABEL), plain(verdict.table.yes, LONGEST_LABEL)
