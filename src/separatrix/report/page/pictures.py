"""The pictures of the page: the plane of two columns, the scores by class, the best pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from separatrix.data import Floats
from separatrix.report.displays import PlaneDisplay, ScoresDisplay, _style
from separatrix.report.page.pair import MOST_ROWS, SEARCHES, Pair, best_pair
from separatrix.report.page.rows import RowsOf
from separatrix.report.page.svg import drawn
from separatrix.report.sections import counted, plain
from separatrix.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 1000
COLOURS = {
    _style.YES: "var(--yes)",
    _style.NO: "var(--no)",
    _style.LINE: "currentColor",
    _style.POCKET: "var(--pocket)",
    _style.ARROW: "var(--arrow)",
    _style.BOUND: "var(--quiet)",
    _style.QUIET: "var(--quiet)",
    _style.YES_SIDE: "var(--yes-side)",
    "#ffffff": "var(--paper)",
    "#000000": "currentColor",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, and what is said below it."""

    svg: Markup
    caption: str


def pictures_of(verdict: Verdict, rows: RowsOf, name: str) -> list[Picture]:
    """Return the plane where there are two columns; else the scores, and the best pair's plane.

    `name` begins the ids of the drawings: no other part of the page may use it.
    """
    if rows.X.shape[1] == 2:
        whole = Pair((0, 1), rows.line, verdict.winner.n_errors, 0, 0)
        caption = f"The line of {verdict.winner.name} in the plane of the two columns."
        return [_plane(verdict, rows, whole, f"{name}-plane", caption)]
    found = [_scores(verdict, rows, f"{name}-scores")]
    pair = best_pair(rows)
    if pair is not None:
        found.append(_plane(verdict, rows, pair, f"{name}-pair", _rule(verdict, rows, pair)))
    return found


def _scores(verdict: Verdict, rows: RowsOf, name: str) -> Picture:
    display = ScoresDisplay(
        scores=rows.scores,
        y=rows.y,
        weight=rows.weight,
        labels=_labels(verdict),
        weighted=verdict.table.weight is not None,
    )
    words = (
        "How many rows have which score (the sum of points less the threshold): yes rows upwards, "
        "no rows downwards. Right of 0 the answer is yes; hatched bars are mistakes."
    )
    return Picture(
        drawn(
            lambda ax: display.plot(ax), name=name, title="Scores by label",
            described=words, size=(6.4, 4.0), colours=_lower(COLOURS),
        ),
        words,
    )  # fmt: skip


def _plane(verdict: Verdict, rows: RowsOf, pair: Pair, name: str, caption: str) -> Picture:
    chosen = np.arange(0, rows.y.size, math.ceil(rows.y.size / MOST_POINTS))
    points = rows.X[:, pair.columns]
    scores = _scores_in(points, pair)
    a, b = (verdict.features[j] for j in pair.columns)
    display = PlaneDisplay(
        points=points[chosen],
        y=rows.y[chosen],
        weights=pair.weights,
        mistakes=(rows.y * scores <= 0.0)[chosen],
        labels=_labels(verdict),
        names=(a, b),
    )
    step = math.ceil(rows.y.size / MOST_POINTS)
    few = "" if step == 1 else f" Every row number {step} is drawn, {counted(chosen.size, 'row')}."
    return Picture(
        drawn(
            lambda ax: display.plot(ax), name=name,
            title=f"The plane of {plain(a)} and {plain(b)}",
            described=f"Rows as points, o for yes and x for no, and a line between them. {caption}",
            size=(6.4, 5.2), colours=_lower(COLOURS),
        ),
        caption + few,
    )  # fmt: skip


def _scores_in(points: Floats, pair: Pair) -> Floats:
    from separatrix.kernels.exact import signed_scores

    contiguous = np.ascontiguousarray(points)
    return np.asarray(signed_scores(contiguous, len(points), pair.weights, 1.0))


def _labels(verdict: Verdict) -> tuple[str, str]:
    return verdict.table.no, verdict.table.yes


def _lower(colours: dict[str, str]) -> dict[str, str]:
    return {colour.lower(): ours for colour, ours in colours.items()}


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
        f"(over {among}); this pair had the fewest. It is a picture, not the line to take."
    )


__all__ = ["Picture", "pictures_of"]
