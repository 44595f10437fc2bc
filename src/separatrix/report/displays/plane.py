"""The plane of two columns: points, the line, its normal vector, mistakes, the pocket's line.

Of a learner other than a line (votes, kernels) the region is drawn where it says yes. With more
than two columns the line is the cut of the plane with all others at their means, and the picture
says so; mistakes are always those of the whole line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.data import Floats, InputError, Sample, read_arrays
from separatrix.kernels.exact import signed_scores
from separatrix.report.displays._display import (
    Column,
    Display,
    checked_weights,
    fitted_sample,
    labels_of,
    line_or_weights,
    names_for,
    plane_of,
    scores_of,
    two_columns,
    weights_of,
)
from separatrix.report.drawing import style
from separatrix.report.drawing.window import Region, Vectors, window_around
from separatrix.report.words import again, say

ARROW_LENGTH = 0.2  # of the shorter side of the box


@dataclass
class PlaneDisplay(Display):
    """Points of two columns, o for yes and x for no, and a line between them.

    Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    points : array (N, 2)
    y : array (N,) of -1 and +1
    weights : array (3,) or None
        The line in this plane, w_0 first; None where the answer is not a line.
    mistakes : bool array (N,)
        Rows that the learner gets wrong; a score of 0 is a mistake.
    labels, names : tuples of two str
        What no and yes are called, and the two columns.
    pocket : array (3,) or None
        Another line, dashed.
    correcting : int or None
        A row whose y x is added to w.
    others : str
        What the other columns are held at; empty where there are none.
    region : Region or None
        The scores in this plane of a learner other than a line.
    n_answered_right : int
        Mistakes for their score of 0 alone: the learner answers them right, by its sign(0).

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    line_, pocket_line_ : Line2D or None
        In the units of the axes. None where the line misses the window; the picture then says on
        which side all of it lies.
    boundary_ : ContourSet or None
        Where the answers of a learner other than a line change, as fine as a grid of 241 x 241.
    arrow_ : array (2, 2) or None
        w, from where to where: at right angles to the line.
    vectors_ : dict of name -> array (2, 2)
        "w", "x" and "sum" where a correction is shown.
    mistakes_ : PathCollection
        The rings.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import Perceptron, PlaneDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> picture = PlaneDisplay.from_estimator(Perceptron().fit(X, y), X, y)
    >>> picture.ax_.get_xlabel(), int(picture.mistakes.sum())
    ('x1', 0)
    """

    points: Floats
    y: Floats
    weights: Floats | None
    mistakes: Any
    labels: tuple[str, str] = ("no", "yes")
    names: tuple[str, str] = ("x1", "x2")
    pocket: Floats | None = None
    correcting: int | None = None
    others: str = ""
    region: Region | None = None
    n_answered_right: int = 0

    @classmethod
    def from_estimator(
        cls,
        estimator: Predictor,
        X: ArrayLike,
        y: ArrayLike,
        *,
        columns: Sequence[Column] = (0, 1),
        names: Sequence[Any] | None = None,
        pocket: Predictor | Floats | None = None,
        ax: Untyped = None,
    ) -> Self:
        """Draw what a fitted learner answers over rows X (N, d), labels y (N,).

        Of a linear learner its line; of another with scores (VotedPerceptron, DualPerceptron) the
        region where it says yes, and its boundary.

        Parameters
        ----------
        columns : two positions or names
        names : sequence of str (d,)
            Of the columns; default those of a data frame, or x1, x2, ...
        pocket : array (1+d,) or fitted linear learner
            A second line, dashed.
        ax : Axes
            Where to draw; default a new figure of pyplot's.

        Raises
        ------
        InputError
            For data, columns or a learner that cannot be drawn.
        """
        sample, line = fitted_sample(estimator, X, y), None
        if hasattr(estimator, "coef_") or not hasattr(estimator, "decision_function"):
            line = weights_of(estimator, sample.d)
            scores = signed_scores(sample.rows, sample.n, line, 1.0)
        else:
            scores = scores_of(estimator, X, y)[1]
        answer = 1.0 if getattr(estimator, "sign_of_zero_", None) == 1 else -1.0
        right = int(((scores == 0.0) & (sample.y == answer)).sum())
        known = names_for(names, X, sample.d)
        display = cls._of(sample, scores, line, estimator, columns, known, pocket)
        display.n_answered_right = right
        return display.plot(ax)

    @classmethod
    def from_predictions(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        weights: ArrayLike,
        *,
        columns: Sequence[Column] = (0, 1),
        names: Sequence[Any] | None = None,
        pocket: Predictor | Floats | None = None,
        correcting: int | None = None,
        ax: Untyped = None,
    ) -> Self:
        """Draw a line given by its weights (1+d,), w_0 first; otherwise as `from_estimator`.

        Parameters
        ----------
        correcting : int
            A row: y x is shown as a vector added to w, and the line that it leads to. The
            vectors are drawn to one scale of their own, and units on both axes are equally long.

        Raises
        ------
        InputError
            For data, columns or weights that cannot be drawn.
        """
        sample = read_arrays(X, y)
        w = checked_weights(weights, sample.d)
        if correcting is not None and correcting not in range(sample.n):
            raise InputError(f"correcting={correcting!r} is no row: they are 0 to {sample.n - 1}.")
        scores = signed_scores(sample.rows, sample.n, w, 1.0)
        known = names_for(names, X, sample.d)
        display = cls._of(sample, scores, w, None, columns, known, pocket)
        display.correcting = correcting
        return display.plot(ax)

    @classmethod
    def _of(  # noqa: PLR0917  # what both ways to make one have read
        cls,
        sample: Sample,
        scores: Floats,
        line: Floats | None,
        estimator: Untyped,
        columns: Sequence[Column],
        names: Sequence[str],
        pocket: Untyped,
    ) -> Self:
        pair = two_columns(columns, names)
        points, means = plane_of(sample, pair)
        second = line_or_weights(pocket, sample.d, "pocket")
        return cls(
            points=points,
            y=sample.y,
            weights=None if line is None else cut_at(line, pair, means),
            mistakes=sample.y * scores <= 0.0,
            labels=labels_of(sample),
            names=(names[pair[0]], names[pair[1]]),
            pocket=None if second is None else cut_at(second, pair, means),
            others="" if sample.d == 2 else f"the other {sample.d - 2} columns at their means",
            region=Region(estimator, pair, means) if line is None else None,
        )

    def _draw(self, ax: Untyped) -> None:
        self._window = window_around(self.points, equal=self.correcting is not None)
        self.line_: Untyped = None
        self.pocket_line_: Untyped = None
        self.boundary_: Untyped = None
        self.arrow_: Floats | None = None
        self.vectors_: dict[str, Floats] = {}
        self._frame()
        self._points()
        if self.region is not None:
            self._region(self.region)
        if self.weights is not None:  # a line
            weights = self.weights
            ends, side = self._window.cut(weights)
            if len(side):
                self.ax_.fill(*side.T, color=style.YES_SIDE, linewidth=0, zorder=0)
            if len(ends) == 0:
                if not weights.any():
                    self._note(say("w = 0 is no line: every score is 0"))
                elif len(side):
                    self._note(say("the line misses this window: all yes"))
                else:
                    self._note(say("the line misses this window: all no"))
            label = say("the line")
            self.line_ = self._line(weights, color=style.LINE, linewidth=2.0, label=label)
        if self.pocket is not None:
            self.pocket_line_ = self._line(
                self.pocket, color=style.POCKET, linewidth=2.0, linestyle="--",
                label="pocket's line",
            )  # fmt: skip
        if self.correcting is not None and self.weights is not None:
            self._correction(self.correcting, self.weights)
        elif self.line_ is not None:
            start, vectors = self._window.middle(weights), Vectors(self.ax_, self._window)
            step = self._window.from_drawn(ARROW_LENGTH * self._window.normal(weights))
            vectors.place("normal", start, start + step)
            self.arrow_ = vectors.ends["normal"]
            self._named(say("w, the normal vector"), style.ARROW)
        style.legend_above(ax)

    def _frame(self) -> None:
        ax = self.ax_
        self._window.show_on(ax)
        style.whole_ticks(ax.yaxis)
        ax.set_xlabel(style.plain(self.names[0]))
        ax.set_ylabel(style.plain(self.names[1]))
        if self.others:
            ax.annotate(
                say("Line: cut with {others}." if self.region is None
                    else "Region: cut with {others}.", others=again(self.others)),
                (1.0, 0.0), (0, -34), fontsize="small", xycoords="axes fraction",
                textcoords="offset points", ha="right", va="top", color=style.QUIET,
                annotation_clip=False,
            )  # fmt: skip
        style.tidy(ax)

    def _points(self) -> None:
        for sign in style.COLOURS:
            rows = self.y == sign
            self.ax_.scatter(
                *self.points[rows].T, zorder=3, **style.MARKERS[sign],
                label=f"{style.class_name(sign, self.labels)} ({rows.sum():,})",
            )  # fmt: skip
        wrong, n, zeros = self.mistakes, len(self.y), self.n_answered_right
        label = say("mistakes: {wrong} of {n}", wrong=f"{wrong.sum():,}", n=f"{n:,}")
        if zeros:
            label += say(" ({zeros:,} for a score of 0 alone)", zeros=zeros)
        self.mistakes_ = self.ax_.scatter(
            *self.points[wrong].T, label=label, zorder=3.5, **style.ring(n)
        )

    def _region(self, region: Region) -> None:
        """Tint where the learner says yes, and draw where its answers change."""
        across, up, scores = region.on_grid(self._window)
        yes = scores > 0.0
        if yes.all() or not yes.any():
            self._note(f"the boundary misses this window: all {'yes' if yes.any() else 'no'}")
        if yes.any():
            self.ax_.contourf(across, up, scores, levels=[0.0, 2.0], colors=[style.YES_SIDE],
                             zorder=0)  # fmt: skip
        if yes.any() and not yes.all():
            self.boundary_ = self.ax_.contour(
                across, up, scores, levels=[0.0], colors=[style.LINE], linewidths=2.0, zorder=4
            )
            self.ax_.plot([], [], color=style.LINE, linewidth=2.0, label="the boundary")

    def _note(self, sentence: str) -> None:
        self.ax_.text(
            0.5, 0.985, sentence, transform=self.ax_.transAxes, ha="center", va="top",
            fontsize="small", color=style.LINE, zorder=6,
            bbox={"facecolor": "white", "edgecolor": style.QUIET, "boxstyle": "round"},
        )  # fmt: skip

    def _line(self, weights: Floats, **how: Untyped) -> Untyped:
        ends, _ = self._window.cut(weights)
        if len(ends) == 0:
            if how["color"] != style.LINE:  # the first line has a note
                self.ax_.plot([], [], " ", label=f"{how['label']}: misses this window")
            return None
        return self.ax_.plot(*ends.T, zorder=4, **how)[0]

    def _correction(self, row: int, w: Floats) -> None:
        """Draw w, y x at its tip, and their sum: two components of each, to one scale."""
        step = self.y[row] * np.array([1.0, *self.points[row]])
        self._line(
            w + step, color=style.ARROW, linewidth=1.4, linestyle=":",
            label="the line after",
        )  # fmt: skip
        vectors = Vectors(self.ax_, self._window)
        vectors.at(w, step)
        self.vectors_ = {name.strip("+-"): ends for name, ends in vectors.ends.items()}
        self.arrow_ = self.vectors_.get("w")
        self._named("w", style.LINE)
        self._named("y x, added", style.COLOURS[int(self.y[row])])
        self._named("w′ = w + y x", style.ARROW)
        here = self.points[row]
        self.ax_.scatter(
            here[0], here[1], marker="o", s=170, facecolors="none", edgecolors=style.ARROW,
            linewidths=2.0, zorder=5, label="being corrected",
        )  # fmt: skip

    def _named(self, label: str, colour: str) -> None:
        """Add an arrow to the legend."""
        self.ax_.plot([], [], color=colour, marker=r"$\rightarrow$", markersize=14,
                      linestyle="none", label=label)  # fmt: skip


def cut_at(weights: Floats, pair: tuple[int, int], means: Floats) -> Floats:
    """Return the line (3,) in the plane of two columns, all others at their means."""
    others = np.ones(means.size, dtype=bool)
    others[list(pair)] = False
    w_0 = weights[0] + weights[1:][others] @ means[others]
    return np.array([w_0, weights[1 + pair[0]], weights[1 + pair[1]]])
