"""The pictures of the page: the plane of two columns, the scores by class, the best pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from separatrix.data import Floats
from separatrix.kernels.exact import signed_scores
from separatrix.report.displays import CalibrationDisplay, PlaneDisplay, ScoresDisplay
from separatrix.report.drawing import style
from separatrix.report.drawing.units import in_units
from separatrix.report.page.pair import MOST_ROWS, SEARCHES, Pair, best_pair
from separatrix.report.page.rows import RowsOf
from separatrix.report.page.svg import drawn
from separatrix.report.wording import plain
from separatrix.tables.wording import counted
from separatrix.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    """A drawing, and what is said below it.

    Parameters
    ----------
    svg : Markup
    caption : str
    axis : tuple of 6 floats
        Of scores: two sums of points with their places across, and the top and the bottom of the
        axes, in the units of the drawing.
    """

    svg: Markup
    caption: str
    axis: tuple[float, ...] = ()


def plane_picture(verdict: Verdict, rows: RowsOf, name: str) -> Picture | None:
    """Return the plane of the two columns, or of the pair that separates best; None of one.

    `name` begins the ids of the drawing: no other part of the page may use it.
    """
    if rows.X.shape[1] == 2:
        whole = Pair((0, 1), rows.line, verdict.winner.n_errors, 0, 0)
        caption = f"The line of {verdict.winner.name} in the plane of the two columns."
        return _plane(verdict, rows, whole, f"{name}-plane", caption)
    pair = best_pair(rows)
    if pair is None:
        return None
    return _plane(verdict, rows, pair, f"{name}-pair", _rule(verdict, rows, pair))


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
    return Picture(svg, words, _axis_of(display))


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
    """Return two sums with their places, and the top and the bottom of the axes, in points.

    Nothing where a sum leaves float64's range.
    """
    place, (width, height) = display.ax_.get_position(), (72.0 * size for size in SCORES_SIZE)
    left, right = display.ax_.get_xlim()
    ends = display.edges_[[0, -1]]
    across = width * (place.x0 + place.width * (ends - left) / (right - left))
    with np.errstate(over="ignore"):
        sums = in_units(np.append(display.scores, display.threshold)).back(ends)
    down = height * (1.0 - np.array([place.y1, place.y0]))
    found = (sums[0], across[0], sums[1], across[1], *down)
    return tuple(float(value) for value in found) if np.isfinite(found).all() else ()


def _plane(verdict: Verdict, rows: RowsOf, pair: Pair, name: str, caption: str) -> Picture:
    points = rows.columns(pair.columns)
    near, outside = near_rows(points)
    step = math.ceil(near.size / MOST_POINTS)
    chosen = near[::step]
    wrong = rows.y * _scores_in(points, pair) <= 0.0
    a, b = (verdict.features[j] for j in pair.columns)
    display = PlaneDisplay(
        points=points[chosen],
        y=rows.y[chosen],
        weights=pair.weights,
        mistakes=wrong[chosen],
        labels=_labels(verdict),
        names=(a, b),
    )
    said = caption + left_out(outside, step, chosen.size)
    return Picture(
        drawn(
            lambda ax: _plot_plane(display, ax), name=name,
            title=f"The plane of {plain(a)} and {plain(b)}",
            described=f"Rows as points, o for yes and x for no, and a line between them. {said}",
            size=(5.4, 4.6), colours=COLOURS,
        ),
        said,
    )  # fmt: skip


def _plot_plane(display: PlaneDisplay, ax: Axes) -> None:
    """Draw the plane; where mistakes are many their rings step back behind the points."""
    display.plot(ax)
    if display.mistakes.sum() > MANY_MISTAKES:
        display.mistakes_.set_alpha(0.3)


def near_rows(points: Floats) -> tuple[Rows, int]:
    """Return the rows that a picture of points (N, 2) shows, and how many it leaves out.

    All, unless a few far from the others would squeeze these into a corner: where the middle 98 %
    of a column have less than half of its extent, rows further out than half of that are left out.
    """
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


def _scores_in(points: Floats, pair: Pair) -> Floats:
    contiguous = np.ascontiguousarray(points)
    return np.asarray(signed_scores(contiguous, len(points), pair.weights, 1.0))


def _labels(verdict: Verdict) -> tuple[str, str]:
    return plain(verdict.table.no, LONGEST_LABEL), plain(verdict.table.yes, LONGEST_LABEL)


def _rule(verdict: Verdict, rows: RowsOf, pair: Pair) -> str:
    """Return what the pair is, what its line is, and the rule by which it was chosen."""
    a, b = (plain(verdict.features[j]) for j in pair.columns)
    among = (
        f"every {math.ceil(rows.y.size / MOST_ROWS)}th row"
        if rows.y.size > MOST_ROWS
        else "all rows"
    )
    return (
        f"The pair of columns that separates best: {a} and {b}, in which a line of its own makes "
        f"{counted(pair.n_errors, 'mistake')} in {rows.y.size:,}. Chosen by rule: of the "
        f"{pair.n_candidates} columns of numbers that alone make the fewest mistakes, each of the "
        f"{pair.n_pairs} pairs got a line by {SEARCHES} line searches on its number of mistakes "
        f"(over {among}); this pair had the fewest. It is a picture only; the "
        "selected model uses all columns."
    )
