"""What linear regression leaves over: residuals y - w.x, as lengths along y."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.data import Floats, InputError, Points, dense, read_numbers, read_points
from separatrix.report.displays._display import Display, names_for
from separatrix.report.drawing import style

PREDICTED = "predicted"
GRID = 8  # lines of the plane over two features
ELEVATION = 20.0  # degrees, of the eye
AZIMUTHS = (-60.0, -30.0, -120.0, -150.0, 30.0, 60.0, 120.0, 150.0)


class DisplayOfNumbers(Display):
    """A picture of numbers y (N,) and what a linear regression predicts."""

    _of: Untyped  # a class method: the display of y (N,) and its predictions (N,)

    @classmethod
    def from_predictions(cls, y: ArrayLike, predictions: ArrayLike, *, ax: Untyped = None) -> Self:
        """Draw y (N,) and what was predicted (N,), by least squares for a projection.

        Raises
        ------
        InputError
            For numbers that cannot be used.
        """
        points, target = read_numbers(np.reshape(predictions, (-1, 1)), y)
        made: Self = cls._of(target, points[:, 0]).plot(ax)
        return made


def _predicted(estimator: Untyped, X: ArrayLike, y: ArrayLike) -> tuple[Points, Floats, Floats]:
    """Return rows (N, d) and their y (N,), checked, and what is predicted (N,)."""
    points = read_points(estimator, X)
    _, target = read_numbers(points, y)
    return points, target, np.asarray(estimator.predict(X), dtype=np.float64)


@dataclass
class ResidualsDisplay(DisplayOfNumbers):
    """Rows, the line or plane of linear regression, and the residual of every row.

    One feature: the line. Two: the plane, in three dimensions. More: y against what is predicted.
    Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    features : array (N, k), k = 1 or 2
        What stands along the axes; the predictions themselves where they are 3 or more.
    y : array (N,)
    predictions : array (N,)
    names : tuple of str (k+1,)
        Of the axes.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    residuals : array (N,)
        y - predictions.
    segments_ : LineCollection
        From each prediction to y.
    line_ : Line2D or None, surface_ : Poly3DCollection or None

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import LinearRegression, ResidualsDisplay
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0]
    >>> picture = ResidualsDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    >>> picture.residuals.round(3).tolist()
    [0.167, -0.333, 0.167]
    """

    features: Floats
    y: Floats
    predictions: Floats
    names: tuple[str, ...] = ("x1", "y")

    @classmethod
    def from_estimator(
        cls,
        estimator: Predictor,
        X: ArrayLike,
        y: ArrayLike,
        *,
        names: Sequence[Any] | None = None,
        ax: Untyped = None,
    ) -> Self:
        """Draw the residuals of a fitted linear regression on rows X (N, d), numbers y (N,).

        Parameters
        ----------
        names : sequence of str (d,)
            Of the columns.
        ax : Axes
            Of three dimensions for two features. Default a new figure of pyplot's.

        Raises
        ------
        InputError
            For data that cannot be used.
        """
        points, target, predictions = _predicted(estimator, X, y)
        known = names_for(names, X, points.shape[1])
        if points.shape[1] > 2:
            return cls._of(target, predictions).plot(ax)
        return cls(dense(points, "The picture"), target, predictions, (*known, "y")).plot(ax)

    @classmethod
    def _of(cls, y: Floats, predictions: Floats) -> Self:
        return cls(predictions[:, np.newaxis], y, predictions, (PREDICTED, "y"))

    @property
    def residuals(self) -> Floats:
        """Y - w.x (N,)."""
        return np.asarray(self.y - self.predictions)

    def _axes(self, ax: Untyped) -> Untyped:
        if self.features.shape[1] == 2:
            return style.solid_axes(ax)
        if ax is not None and ax.name == "3d":
            raise InputError("one feature needs axes of two dimensions.")
        return style.axes_or_new(ax)

    def _draw(self, ax: Untyped) -> None:
        self.line_: Untyped = None
        self.surface_: Any = None
        self._draw_solid() if self.features.shape[1] == 2 else self._draw_flat()
        root = _length(self.residuals) / self.y.size**0.5
        said = f"root of the mean squared residual: {root:.4g}"
        ax.set_title(said, fontsize="medium", loc="left")

    def _draw_flat(self) -> None:
        from matplotlib.collections import LineCollection

        ax, x = self.ax_, self.features[:, 0]
        ends = np.stack([np.column_stack([x, self.predictions]), np.column_stack([x, self.y])], 1)
        self.segments_: Any = LineCollection(
            list(ends), colors=style.NO, linewidths=1.2, label="residuals, y − w·x"
        )
        ax.add_collection(self.segments_)
        ax.scatter(x, self.y, zorder=3, label="rows", **style.markers(1, x.size))
        order = np.argsort(x, kind="stable")[[0, -1]]
        (self.line_,) = ax.plot(
            x[order], self.predictions[order], color=style.LINE, linewidth=1.8, label="w·x"
        )
        ax.set_xlabel(style.plain(self.names[0]))
        ax.set_ylabel(style.plain(self.names[-1]))
        style.whole_ticks(ax.yaxis)
        ax.margins(0.06)
        style.tidy(ax)
        ax.legend(loc="best", **style.LEGEND)

    def _draw_solid(self) -> None:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        ax: Any = self.ax_
        a, b = self.features.T
        ends = np.stack([np.column_stack([a, b, v]) for v in (self.predictions, self.y)], axis=1)
        self.segments_ = Line3DCollection(
            list(ends), colors=style.NO, linewidths=1.2, label="residuals, y − w·x"
        )
        ax.add_collection3d(self.segments_)
        above = self.y >= self.predictions
        for rows, filled in ((above, style.YES), (~above, "white")):
            ax.scatter(
                a[rows], b[rows], self.y[rows], s=18, depthshade=False, facecolor=filled,
                edgecolor=style.YES, label="rows above w·x" if filled == style.YES else "below",
            )  # fmt: skip
        for axis, name in zip("xyz", self.names, strict=True):
            getattr(ax, f"set_{axis}label")(style.plain(name))
        ax.legend(loc="upper left", **style.LEGEND)
        ax.view_init(elev=ELEVATION, azim=self._plane())

    def _plane(self) -> float:
        """Draw the plane over the rows; return a direction in which its edge is not all of it."""
        lows, sizes = self.features.min(axis=0), np.ptp(self.features, axis=0)
        unit = np.where(sizes > 0.0, sizes, 1.0)
        columns = np.column_stack([np.ones(self.y.size), (self.features - lows) / unit])
        w = np.linalg.lstsq(columns, self.predictions, rcond=None)[0]
        u, v = np.meshgrid(np.linspace(0, 1, GRID), np.linspace(0, 1, GRID))
        ax: Any = self.ax_
        self.surface_ = ax.plot_surface(
            lows[0] + u * sizes[0], lows[1] + v * sizes[1], w[0] + w[1] * u + w[2] * v,
            color=style.QUIET, alpha=0.25, edgecolor=style.QUIET, linewidth=0.3, shade=False,
        )  # fmt: skip
        slopes, turned = w[1:] / (np.ptp(self.y) or 1.0), np.radians(AZIMUTHS)
        facing = np.tan(np.radians(ELEVATION)) - (
            slopes[0] * np.cos(turned) + slopes[1] * np.sin(turned)
        )
        return float(AZIMUTHS[int(np.argmax(np.abs(facing).round(6)))])


CORNER = 0.09  # of the longest arrow, the mark of the right angle
GROUND = 1.15  # how far the plane reaches beyond the arrows
VIEW = {"elev": 18.0, "azim": -58.0}


@dataclass
class ProjectionDisplay(DisplayOfNumbers):
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

    def _axes(self, ax: Untyped) -> Untyped:
        return style.solid_axes(ax)

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
        return cls._of(*_predicted(estimator, X, y)[1:]).plot(ax)

    @classmethod
    def _of(cls, y: Floats, predictions: Floats) -> Self:
        return cls(y, predictions)

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

    def _draw(self, axes: Untyped) -> None:
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
        origin, foot, tip = np.zeros(3), np.array([a, b, 0.0]), np.array([a, b, c])
        self.arrows_ = {
            "y": np.array([origin, tip]) * largest,
            "projection": np.array([origin, foot]) * largest,
            "residual": np.array([foot, tip]) * largest,
        }
        self._plane(max(a, 0.3), max(b, 0.3), max(float(c), 0.2))
        y, projection, residual = (_length(end - start) for start, end in self.arrows_.values())
        for end, colour, label in (
            (tip, style.LINE, f"y, of length {y:.4g}"),
            (foot, style.YES, f"H y, of length {projection:.4g}"),
        ):
            axes.quiver(*origin, *end, color=colour, linewidth=2.2, arrow_length_ratio=0.07,
                        label=label)  # fmt: skip
        axes.plot(*np.array([foot, tip]).T, color=style.NO, linestyle="--", linewidth=1.8,
                  label=f"y − H y, of length {residual:.4g}")  # fmt: skip
        along, up = (
            -foot / (_length(foot) or 1.0) * CORNER,
            np.array([0.0, 0.0, min(CORNER, c / 2)]),
        )
        corner = np.array([foot + along, foot + along + up, foot + up])  # of a right angle
        axes.plot(*corner.T, color=style.QUIET, linewidth=1.0)
        mean = np.array([a, 0.0, 0.0])
        axes.plot(*np.array([mean, foot]).T, color=style.QUIET, linestyle=":", linewidth=1.4,
                  label=f"from the mean: R² = {self.r_squared:.4g}")  # fmt: skip
        axes.legend(loc="upper left", **style.LEGEND)
        axes.view_init(**VIEW)

    def _plane(self, a: float, b: float, height: float) -> None:
        """Draw the space of the columns, and nothing of a grid that would mean little."""
        axes: Any = self.ax_
        u, v = np.meshgrid([0.0, GROUND * a], [0.0, GROUND * b])
        self.surface_ = axes.plot_surface(
            u, v, np.zeros_like(u), color=style.YES, alpha=0.12, edgecolor=style.QUIET,
            linewidth=0.6, shade=False,
        )  # fmt: skip
        axes.text(GROUND * a, GROUND * b / 2.0, 0.0, "space of the columns", color=style.QUIET,
                  fontsize="small", va="top")  # fmt: skip
        axes.set_box_aspect((GROUND * a, GROUND * b, height))
        axes.set_zlim(0.0, height)
        axes.set_axis_off()


def _length(v: Floats) -> float:
    """Return |v|, which does not overflow."""
    largest = float(np.abs(v).max(initial=0.0))
    return largest * float(np.linalg.norm(v / largest)) if largest else 0.0
