"""Least squares as a shadow: y, and its foot in the space of the columns (lecture 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, read_points, read_regression
from separatrix.learners.linear_regression import LinearRegression
from separatrix.report.displays._display import Display
from separatrix.report.drawing import style

if TYPE_CHECKING:
    from separatrix._types import ArrayLike, Predictor

CORNER = 0.09  # of the longest arrow, the mark of the right angle
GROUND = 1.15  # how far the plane reaches beyond the arrows
VIEW = {"elev": 18.0, "azim": -58.0}


@dataclass
class ProjectionDisplay(Display):
    """y, its projection H y on the columns of the table, and the residual at right angles to them.

    Three directions of the N-dimensional space of rows are drawn, all lengths and angles true: the
    column of ones, what the other columns add to the mean (both in the plane, which stands for the
    space of all columns), and the residual. Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    y : array (N,)
    predictions : array (N,)
        H y, where H is the hat matrix of the columns.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
        Axes of three dimensions.
    arrows_ : dict of "y", "projection", "residual" -> array (2, 3)
        From where to where.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import LinearRegression
    >>> from separatrix.report.displays import ProjectionDisplay
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0]
    >>> picture = ProjectionDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    >>> round(picture.r_squared, 4)
    0.9643
    """

    y: Floats
    predictions: Floats

    @classmethod
    def from_estimator(
        cls, estimator: Predictor, X: ArrayLike, y: ArrayLike, *, ax: Untyped = None
    ) -> Self:
        """Draw a fitted linear regression with a constant, on the rows X (N, d), y (N,) of its fit.

        Raises
        ------
        InputError
            For data that cannot be used, and predictions that are no projection of y.
        """
        points = read_points(estimator, X)
        _, target, _ = read_regression(LinearRegression(), points, y)
        return cls(target, np.asarray(estimator.predict(X), dtype=np.float64)).plot(ax)

    @classmethod
    def from_predictions(cls, y: ArrayLike, predictions: ArrayLike, *, ax: Untyped = None) -> Self:
        """Draw numbers y (N,) and their least-squares predictions (N,)."""
        column = np.asarray(predictions, dtype=np.float64).reshape(-1, 1)
        points, target, _ = read_regression(LinearRegression(), column, y)
        return cls(target, points[:, 0]).plot(ax)

    @property
    def coordinates(self) -> Floats:
        """Y along the ones, along what the columns add to the mean, along the residual: (3,)."""
        mean = self.predictions.mean()
        lengths = (np.sqrt(self.y.size) * abs(mean), _length(self.predictions - mean))
        return np.array([*lengths, _length(self.y - self.predictions)])

    @property
    def r_squared(self) -> float:
        """The squared cosine of the angle at the mean: 1 where the residual is 0."""
        _, added, left = self.coordinates / (np.abs(self.coordinates).max() or 1.0)
        return float(added**2 / (added**2 + left**2)) if added or left else 1.0

    def plot(self, ax: Untyped = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        left = self.y - self.predictions
        sizes = _length(left) * np.array([np.sqrt(left.size), _length(self.predictions)])
        off = np.abs([left.sum(), left @ self.predictions])
        if (off > 1e-6 * np.maximum(sizes, 1e-300) + 1e-9 * _length(self.y) ** 2).any():
            raise InputError(
                "these predictions are no projection of y: pass those of LinearRegression with its "
                "constant, on the rows of its fit."
            )
        largest = float(np.abs(self.coordinates).max()) or 1.0
        a, b, c = self.coordinates / largest
        axes: Any = self._draw_on(style.solid_axes(ax))
        origin, foot, tip = np.zeros(3), np.array([a, b, 0.0]), np.array([a, b, c])
        self.arrows_ = {
            "y": np.array([origin, tip]) * largest,
            "projection": np.array([origin, foot]) * largest,
            "residual": np.array([foot, tip]) * largest,
        }
        self._plane(max(a, 0.3), max(b, 0.3))
        for ends, colour, label in (
            ((origin, tip), style.LINE, f"y, of length {self._of('y'):.4g}"),
            ((origin, foot), style.YES, f"H y, of length {self._of('projection'):.4g}"),
        ):
            axes.quiver(*ends[0], *(ends[1] - ends[0]), color=colour, linewidth=2.2,
                        arrow_length_ratio=0.07, label=label)  # fmt: skip
        axes.plot(*np.array([foot, tip]).T, color=style.NO, linestyle="--", linewidth=1.8,
                  label=f"y − H y, of length {self._of('residual'):.4g}")  # fmt: skip
        self._right_angle(foot, c)
        mean = np.array([a, 0.0, 0.0])
        axes.plot(*np.array([mean, foot]).T, color=style.QUIET, linestyle=":", linewidth=1.4,
                  label=f"from the mean: R² = {self.r_squared:.4g}")  # fmt: skip
        axes.legend(loc="upper left", **style.LEGEND)
        axes.view_init(**VIEW)
        return self

    def _of(self, name: str) -> float:
        start, end = self.arrows_[name]
        return _length(end - start)

    def _plane(self, a: float, b: float) -> None:
        """Draw the space of the columns, and nothing of a grid that would mean little."""
        axes: Any = self.ax_
        u, v = np.meshgrid([0.0, GROUND * a], [0.0, GROUND * b])
        self.surface_ = axes.plot_surface(
            u, v, np.zeros_like(u), color=style.YES, alpha=0.12, edgecolor=style.QUIET,
            linewidth=0.6, shade=False,
        )  # fmt: skip
        axes.text(GROUND * a, GROUND * b / 2.0, 0.0, "space of the columns", color=style.QUIET,
                  fontsize="small", va="top")  # fmt: skip
        axes.set_box_aspect((GROUND * a, GROUND * b, max(self._height(), 0.2)))
        axes.set_zlim(0.0, max(self._height(), 0.2))
        axes.set_axis_off()

    def _height(self) -> float:
        return float(self.coordinates[2] / (np.abs(self.coordinates).max() or 1.0))

    def _right_angle(self, foot: Floats, height: float) -> None:
        along = -foot / (_length(foot) or 1.0) * CORNER
        up = np.array([0.0, 0.0, min(CORNER, height / 2.0)])
        corner = np.array([foot + along, foot + along + up, foot + up])
        axes: Any = self.ax_
        axes.plot(*corner.T, color=style.QUIET, linewidth=1.0)


def _length(v: Floats) -> float:
    """Return |v|, which does not overflow."""
    largest = float(np.abs(v).max(initial=0.0))
    return largest * float(np.linalg.norm(v / largest)) if largest else 0.0
