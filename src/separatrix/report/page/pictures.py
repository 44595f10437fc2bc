"""The pictures of the page: the plane of two columns, the scores by class, calibration.

The page's policy forbids styles, and its colours change: of matplotlib's SVG every style becomes
attributes, every colour of ours a variable of the page's style sheet, and every number short.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, dense
from separatrix.model import joined
from separatrix.report.displays import CalibrationDisplay, PlaneDisplay, ScoresDisplay
from separatrix.report.displays.scores import beyond_in_words
from separatrix.report.drawing import style
from separatrix.report.findings import no_of
from separatrix.report.page.rows import RowsOf
from separatrix.report.wording import plain
from separatrix.report.words import SPOKEN, counted, say
from separatrix.tables import NumberColumn
from separatrix.verdict import MulticlassVerdict, Verdict

INK = "#010203"  # stands for the colour of text while matplotlib draws
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none", "svg.id": None, "font.size": 11.0, "text.color": INK,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "axes.titlecolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.facecolor": "none", "figure.facecolor": "none",
    "legend.facecolor": "none", "legend.edgecolor": "none", "axes.unicode_minus": True,
}  # fmt: skip
COLOURS = {  # as matplotlib writes them
    INK: "currentColor",
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
UNUSED = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>|(?<=>)\s+(?=<)", re.DOTALL)
NUMBERED = re.compile(r' id="[^"]*_\d+"')  # ids that nothing refers to; others are of the salt
PLACE = r'<use href="[^"]*" x="[^"]*" y="[^"]*"'
ALIKE = re.compile(rf'<g( clip-path="[^"]*")>({PLACE}( [^/]*)/>(?:{PLACE}\3/>)+)</g>')


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, and what is said below it."""

    svg: Markup
    caption: str
    axis: tuple[float, ...] = ()


def drawn(  # noqa: PLR0917  # what every picture has
    draw: Callable[[Untyped], object],
    name: str,
    title: str,
    size: tuple[float, float],
    caption: str,
    described: str = "",
) -> Picture:
    """Return what `draw` draws on the axes it is given; screen readers get its description."""
    made = style.figure_bytes(
        draw, size, "svg", SETTINGS | {"svg.hashsalt": name}, {"Date": None, "Creator": None}
    )
    text = UNUSED.sub("", made.decode())
    text = text[text.index("<svg") :].strip()
    body = re.sub(r"<[^>]+>", lambda tag: _tidy(tag[0]), text[text.index(">") + 1 :])
    # matplotlib wraps marks one by one, and repeats what all of them look like
    body = re.sub(r"(<use [^>]*>)</g><g clip-path=[^>]*>(?=<use )", r"\1", body)
    body = ALIKE.sub(lambda g: f"<g{g[1]}{g[3]}>{g[2].replace(g[3], '')}</g>", body)
    box = re.search(r'viewBox="[^"]*"', text)
    head = f'<svg {box[0] if box else ""} role="img" aria-labelledby="{name}-title {name}-text">'
    told = f'<title id="{name}-title">{escape(title)}</title>'
    told += f'<desc id="{name}-text">{escape(described or caption)}</desc>'
    svg = Markup(head + told + body)  # noqa: S704  # matplotlib has escaped what users wrote
    return Picture(svg, caption)


def _tidy(tag: str) -> str:
    """Return one tag as the page's own."""
    tag = re.sub(r' style="([^"]*)"', lambda style: _attributes(style[1]), tag)
    tag = NUMBERED.sub("", tag).replace("xlink:href", "href")
    tag = re.sub(r"#[0-9a-f]{6}\b", lambda colour: COLOURS.get(colour[0], colour[0]), tag)
    return re.sub(r"-?\d+\.\d+", lambda number: _short(number[0]), tag)


def _attributes(style: str) -> str:
    """Return a style as attributes; the page has a font of its own."""
    parts = dict(part.split(": ", 1) for part in style.split("; "))
    parts.pop("font-family", None)
    if font := parts.pop("font", ""):
        parts["font-size"] = font.partition("px")[0].rpartition(" ")[2]
    return "".join(f' {key}="{value}"' for key, value in parts.items())


def _short(number: str) -> str:
    """Return a number of points to a tenth: finer than any screen shows."""
    text = f"{float(number):.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


Indices = NDArray[np.int64]

PLANE_TITLE = "The plane of {a} and {b}"
MOST_POINTS = 1000
MANY_MISTAKES = 60
SCORES_SIZE = (6.6, 3.1)  # inches
CALIBRATION_SIZE = (4.4, 4.2)
LONGEST_LABEL = 16  # two of them fit above a picture


def plane_picture(verdict: Verdict, rows: RowsOf, name: str) -> Picture | None:
    """Return the plane of the two columns, or of the two strongest; None where there are fewer."""
    whole = rows.X.shape[1] == 2
    parts = ((part, part.column) for part in rows.strongest)
    numbers = (p for p, c in parts if isinstance(c, NumberColumn) and np.unique(c.values).size > 2)
    places = [0, 1] if whole else [part.features.start for part in islice(numbers, 2)]
    if len(places) < 2:
        return None
    points, (a, b) = (
        dense(rows.X[:, places], "a picture of two columns"),
        (verdict.features[j] for j in places),
    )
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

    def draw(ax: Untyped) -> None:
        display.plot(ax)
        if display.mistakes.sum() > MANY_MISTAKES:  # their rings step back behind the points
            display.mistakes_.set_alpha(0.3)

    told = "The line of {model} in the plane of the two columns."
    if not whole:
        told = (
            "The line of {model} in the plane of {a} and {b}, the two strongest columns of "
            "numbers, with all others at their means. Squares are mistakes of the model, which "
            "uses all columns."
        )
    model = SPOKEN.get().name(verdict.winner.name)
    said = say(told, model=model, a=plain(a), b=plain(b))
    said += left_out(outside, step, chosen.size)
    described = say("Rows as points, o for yes and x for no, and a line between them. ") + said
    title = say(PLANE_TITLE, a=plain(a), b=plain(b))
    return drawn(draw, name, title, PLANE_SIZE, said, described)


def scores_picture(verdict: Verdict, rows: RowsOf, name: str) -> Picture:
    """Return the sums of points by label, and the threshold."""
    display = ScoresDisplay(
        scores=rows.sums,
        y=rows.y,
        weight=rows.weight,
        threshold=rows.threshold,
        labels=_labels(verdict),
        weighted=verdict.table.weight is not None,
        what="sum of points",
    )
    words = say(
        "How many rows have which sum of points: yes rows upwards, no rows downwards. Right of the "
        "threshold the answer is yes; hatched bars are mistakes."
    )
    title = say("Sums of points by label")
    made = drawn(display.plot, name, title, SCORES_SIZE, words)
    return Picture(made.svg, words + beyond_in_words(display.n_beyond_), _axis_of(display))


def calibration_picture(verdict: Verdict, name: str) -> Picture | None:
    """Return the reliability curve of the rows left out; None without probabilities."""
    figures = verdict.probabilities
    if figures is None:
        return None
    words = say(
        "How often yes was right, for rows of each probability: on the diagonal the probabilities "
        "are right, within the band chance can explain the rest. Bars: how many rows."
    )
    draw = CalibrationDisplay(figures).plot
    return drawn(draw, name, say("Calibration"), CALIBRATION_SIZE, words)


def _axis_of(display: ScoresDisplay) -> tuple[float, ...]:
    """Return two sums with their places, and the top and the bottom of the axes, in points."""
    place, (width, height) = display.ax_.get_position(), (72.0 * size for size in SCORES_SIZE)
    left, right = display.ax_.get_xlim()
    ends = display.edges_[[0, -1]]
    across = width * (place.x0 + place.width * (ends - left) / (right - left))
    down = height * (1.0 - np.array([place.y1, place.y0]))
    found = (ends[0], across[0], ends[1], across[1], *down)
    return tuple(float(value) for value in found) if np.isfinite(found).all() else ()


def near_rows(points: Floats) -> tuple[Indices, int]:
    """Return the rows that a picture of points (N, 2) shows, and how many it leaves out."""
    low, high = np.quantile(points, [0.01, 0.99], axis=0)
    extent, middle = np.ptp(points, axis=0), high - low
    squeezed = (middle > 0.0) & (2.0 * middle < extent)
    far = squeezed & ((points < low - middle / 2.0) | (points > high + middle / 2.0))
    near = np.flatnonzero(~far.any(axis=1))
    return near, len(points) - near.size


def left_out(outside: int, step: int, n_drawn: int) -> str:
    """Return what a picture leaves out: rows far from the others, and all but one in `step`."""
    said = ""
    if outside:
        rows = counted(outside, "row")
        said += say(" Outside the picture: {rows} far from the others.", rows=rows)
    if step > 1:
        rows = counted(n_drawn, "row")
        said += say(" Of the others one in {step} is drawn: {rows}.", step=step, rows=rows)
    return said


def _labels(verdict: Verdict) -> tuple[str, str]:
    return plain(no_of(verdict.table), LONGEST_LABEL), plain(verdict.table.yes, LONGEST_LABEL)


MOST_LABELS = 8
PLANE_SIZE = (5.4, 4.6)  # inches
GRID = 161  # places across, and up, where boundaries are sought
INKS = (style.YES, style.NO, style.POCKET, style.ARROW, style.LINE, style.QUIET)
SHAPES = ("o", "x", "^", "s", "+", "v", "D", "*")


def labels_picture(verdict: MulticlassVerdict, name: str) -> Picture | None:
    """Return the rows in two columns of numbers; None without these, or for too many labels."""
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
    a, b = columns[first].name, columns[second].name
    points = values[:, [first, second]]
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
        of_all = say("mistakes ({n:,})", n=int(wrong.sum()))
        ax.scatter(missed[:, 0], missed[:, 1], label=of_all, **style.ring(len(rows)))
        ax.set_xlabel(style.plain(a))
        ax.set_ylabel(style.plain(b))
        style.tidy(ax)
        if plane is not None:
            across, up = (np.linspace(a, b, GRID) for a, b in (ax.get_xlim(), ax.get_ylim()))
            grid = np.stack(np.meshgrid(across, up), axis=-1)
            said = plane(grid.reshape(-1, 2)).reshape(GRID, GRID)
            for k in range(len(table.names)):
                if (said == k).any() and (said != k).any():
                    of = (said == k).astype(float)
                    ax.contour(across, up, of, levels=[0.5], colors=[style.LINE], linewidths=1.2)
        style.legend_above(ax, columns=3)

    told = "The rows in two columns, {a} and {b}, and where the answer changes."
    if plane is None:
        told = (
            "The rows in two columns, {a} and {b}: those in which the means of the labels lie "
            "farthest apart (columns standardised). The model uses all columns."
        )
    caption = say(told, a=plain(a), b=plain(b))
    caption += left_out(outside, math.ceil(near.size / MOST_POINTS), rows.size)
    labels = counted(len(table.names), "label")
    described = say("Rows as points, {labels}. ", labels=labels) + caption
    title = say(PLANE_TITLE, a=plain(a), b=plain(b))
    return drawn(draw, name, title, PLANE_SIZE, caption, described)


def _scatter(ax: Untyped, points: Floats, codes: Indices, verdict: MulticlassVerdict) -> None:
    for k, name in enumerate(verdict.table.names):
        shape, ink = SHAPES[k], INKS[k % len(INKS)]
        filled: dict[str, Any] = (
            {"color": ink} if shape in "x+" else {"facecolors": "none", "edgecolors": ink}
        )
        of = codes == k
        label = f"{style.plain(name, 16)} ({int(verdict.table.counts[k]):,})"
        look = {"s": style.markers(1, len(points))["s"], "linewidths": 1.2, **filled}
        ax.scatter(*points[of].T, marker=shape, label=label, **look)
