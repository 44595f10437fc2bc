"""The plane of two columns: points, the line, its normal vector, mistakes, the pocket's line.

Of a learner other than a line (votes, kernels) the region is drawn where it says yes. With more
than two columns the line is the cut of the plane with all others at their means, and the picture
says so; mistakes are always those of the whole line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.data import Floats, InputError, Sample, read_arrays
from separatrix.kernels.exact import signed_scores
from separatrix.report.displays._display import (
    Column,
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
from separatrix.report.drawing.plane_picture import Correction, PlanePicture
from separatrix.report.drawing.window import Region


class PlaneDisplay(PlanePicture):
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
    correction : Correction or None
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
    arrow_ : Annotation or None
        w, at right angles to the line: from ``arrow_.xyann`` to ``arrow_.xy``.
    vectors_ : dict of name -> Annotation
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
        sample = fitted_sample(estimator, X, y)
        known = names_for(names, X, sample.d)
        pair = two_columns(columns, known)
        look: dict[str, Any] = {"weights": None}
        if hasattr(estimator, "coef_") or not hasattr(estimator, "decision_function"):
            weights = weights_of(estimator, sample.d)
            scores = signed_scores(sample.rows, sample.n, weights, 1.0)
            look["weights"] = cut_at(weights, pair, plane_of(sample, pair)[1])
        else:
            _, scores = scores_of(estimator, X, y)
            look["region"] = Region(estimator, pair, plane_of(sample, pair)[1])
        answer = 1.0 if getattr(estimator, "sign_of_zero_", None) == 1 else -1.0
        right = int(((scores == 0.0) & (sample.y == answer)).sum())
        look["n_answered_right"] = right
        return cls._drawn(sample, scores, known, pair, pocket, look, ax)

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
        learning_rate: float = 1.0,
        ax: Untyped = None,
    ) -> Self:
        """Draw a line given by its weights (1+d,), w_0 first; otherwise as `from_estimator`.

        Parameters
        ----------
        correcting : int
            A row: eta y x is shown as a vector added to w, and the line that it leads to. The
            vectors are drawn to one scale of their own, and units on both axes are equally long.
        learning_rate : float
            eta of that correction.

        Raises
        ------
        InputError
            For data, columns or weights that cannot be drawn.
        """
        sample = read_arrays(X, y)
        w = checked_weights(weights, sample.d)
        known = names_for(names, X, sample.d)
        pair = two_columns(columns, known)
        look: dict[str, Any] = {"weights": cut_at(w, pair, plane_of(sample, pair)[1])}
        if correcting is not None:
            look["correction"] = _correction(sample, pair, correcting, learning_rate)
        scores = signed_scores(sample.rows, sample.n, w, 1.0)
        return cls._drawn(sample, scores, known, pair, pocket, look, ax)

    @classmethod
    def _drawn(  # noqa: PLR0917  # what both ways to make one have read
        cls,
        sample: Sample,
        scores: Floats,
        names: Sequence[str],
        pair: tuple[int, int],
        pocket: Untyped,
        look: dict[str, Any],
        ax: Untyped,
    ) -> Self:
        points, means = plane_of(sample, pair)
        second = line_or_weights(pocket, sample.d, "pocket")
        display = cls(
            points=points,
            y=sample.y,
            mistakes=sample.y * scores <= 0.0,
            labels=labels_of(sample),
            names=(names[pair[0]], names[pair[1]]),
            pocket=None if second is None else cut_at(second, pair, means),
            others="" if sample.d == 2 else f"the other {sample.d - 2} columns at their means",
            **look,
        )
        return display.plot(ax)


def cut_at(weights: Floats, pair: tuple[int, int], means: Floats) -> Floats:
    """Return the line (3,) in the plane of two columns, all others at their means."""
    others = np.ones(means.size, dtype=bool)
    others[list(pair)] = False
    w_0 = weights[0] + weights[1:][others] @ means[others]
    return np.array([w_0, weights[1 + pair[0]], weights[1 + pair[1]]])


def _correction(sample: Sample, pair: tuple[int, int], row: int, eta: float) -> Correction:
    if isinstance(row, bool) or int(row) != row or not 0 <= row < sample.n:
        raise InputError(f"correcting={row!r} is no row: they are 0 to {sample.n - 1}.")
    point, _ = plane_of(sample, pair)
    return Correction(int(row), eta * sample.y[row] * np.array([1.0, *point[row]]))
