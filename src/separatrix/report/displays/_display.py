"""What displays share: the axes that they are drawn on, and how scores become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.data import (
    Floats,
    InputError,
    Sample,
    dense,
    read_arrays,
    read_batch,
    shortened,
)
from separatrix.data.points import finite_column
from separatrix.report.drawing import style
from separatrix.trace import Trace


class Display:
    """A picture that has been, or will be, drawn by `plot`.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    """

    SIZE: ClassVar = style.SIZE  # of a new figure, in inches
    ax_: Untyped
    figure_: Untyped

    def plot(self, ax: Untyped = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        self.ax_ = self._axes(ax)
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self

    def _axes(self, ax: Untyped) -> Untyped:
        return style.axes_or_new(ax, self.SIZE)

    _draw: Untyped  # draws on the axes


class DisplayOfScores(Display):
    """A picture of labels and the scores of their rows."""

    @classmethod
    def from_estimator(
        cls, estimator: Predictor, X: ArrayLike, y: ArrayLike, *, ax: Untyped = None
    ) -> Self:
        """Draw the scores that a fitted learner gives to rows X (N, d) with labels y (N,).

        Raises
        ------
        InputError
            For data that cannot be used, or a learner without scores.
        """
        made: Self = cls._of(*scores_of(estimator, X, y)).plot(ax)
        return made

    @classmethod
    def from_predictions(cls, y: ArrayLike, scores: ArrayLike, *, ax: Untyped = None) -> Self:
        """Draw scores (N,) of rows with labels y (N,).

        Raises
        ------
        InputError
            For labels or scores that cannot be used.
        """
        sample = scored(y, scores)
        made: Self = cls._of(sample, sample.X[:, 0]).plot(ax)
        return made

    _of: Untyped  # a class method: the display of checked rows and their scores (N,)


Column = int | str


def fitted_sample(estimator: Untyped, X: ArrayLike, y: ArrayLike) -> Sample:
    """Return rows checked against a fitted learner, with its labels; one of them is enough."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != 2:
        raise InputError(
            f"{type(estimator).__name__} has no two classes_: pass a fitted yes / no learner."
        )
    return read_batch(estimator, X, y)


def scores_of(estimator: Untyped, X: ArrayLike, y: ArrayLike) -> tuple[Sample, Floats]:
    """Return checked rows and the scores (N,) that a fitted learner gives them."""
    if not hasattr(estimator, "decision_function"):
        raise InputError(
            f"{type(estimator).__name__} has no decision_function: it has no scores to draw."
        )
    sample = fitted_sample(estimator, X, y)
    return sample, finite_column(np.asarray(estimator.decision_function(X)), "the scores")


def scored(y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike = None) -> Sample:
    """Return the checked sample whose only column are the scores (N,)."""
    given = np.asarray(scores)
    if given.ndim != 1:
        raise InputError(f"scores have shape {given.shape}; they must be one number per row.")
    return read_arrays(finite_column(given, "the scores")[:, np.newaxis], y, sample_weight)


def labels_of(sample: Sample) -> tuple[str, str]:
    """Return what no and yes are called."""
    return str(sample.classes[0]), str(sample.classes[1])


def weights_of(estimator: Untyped, d: int) -> Floats:
    """Return the weights (1+d,) of a linear learner, w_0 first."""
    coef = getattr(estimator, "coef_", None)
    if coef is None:
        raise InputError(
            f"{type(estimator).__name__} has no coef_ and no scores: what can be drawn is the line "
            "of a linear learner, or the region of one with decision_function."
        )
    w = np.append(np.ravel(getattr(estimator, "intercept_", 0.0)), np.ravel(coef))
    return checked_weights(w, d, f"the weights of {type(estimator).__name__}")


def trace_of(learner: Untyped) -> Trace:
    """Return the visited rows of a fitted PLA or pocket."""
    trace = getattr(learner, "trace_", None)
    if not isinstance(trace, Trace):
        raise InputError(
            f"{type(learner).__name__} has no trace_: pass a fitted Perceptron or Pocket (a loaded "
            "model has none)."
        )
    return trace


def checked_weights(weights: ArrayLike, d: int, what: str = "weights") -> Floats:
    """Return finite weights (1+d,), or refuse them."""
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (d + 1,):
        raise InputError(
            f"{what} must have shape ({d + 1},), w_0 first, for {d} columns; they have {w.shape}."
        )
    if not np.isfinite(w).all():
        raise InputError(f"{what} must be finite numbers; w_{int(np.argmin(np.isfinite(w)))} is "
                         f"{w[int(np.argmin(np.isfinite(w)))]}.")  # fmt: skip
    return w


def line_or_weights(given: Untyped, d: int, what: str) -> Floats | None:
    """Return weights (1+d,) given as such or as a fitted learner; None for None."""
    if given is None:
        return None
    return weights_of(given, d) if hasattr(given, "coef_") else checked_weights(given, d, what)


def names_for(names: Sequence[Any] | None, X: ArrayLike, d: int) -> tuple[str, ...]:
    """Return one name per column: as given, of a data frame, or x1, x2, ..."""
    if names is None:
        columns = getattr(X, "columns", None)
        return tuple(map(str, columns)) if columns is not None else _numbered(d)
    if isinstance(names, str) or len(names) != d:
        raise InputError(f"names must hold one name for each of the {d} columns of X.")
    return tuple(map(str, names))


def _numbered(d: int) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(1, d + 1))


def two_columns(columns: Sequence[Column], names: Sequence[str]) -> tuple[int, int]:
    """Return the positions of two different columns given by position or name."""
    if isinstance(columns, str) or len(columns) != 2:
        raise InputError(f"columns={columns!r} must be two columns, by position or by name.")
    a, b = (_position(column, names) for column in columns)
    if a == b:
        raise InputError(f"columns={tuple(columns)!r} names one column twice; a plane has two.")
    return a, b


def _position(column: Column, names: Sequence[str]) -> int:
    if isinstance(column, str):
        if names.count(column) == 1:
            return names.index(column)
        known = ", ".join(shortened(repr(name)) for name in names[:10])
        many = "names more than one column" if column in names else "is no column"
        raise InputError(f"{shortened(repr(column))} {many}; the columns are {known}"
                         f"{', ...' if len(names) > 10 else ''}.")  # fmt: skip
    if isinstance(column, bool) or int(column) != column or not -len(names) <= column < len(names):
        raise InputError(
            f"column {column!r} does not exist: X has {len(names)} columns, 0 to {len(names) - 1}."
        )
    return int(column) % len(names)


def plane_of(sample: Sample, columns: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return the points (N, 2) of two columns, and the means (d,) of all."""
    n = float(sample.n)
    a, b = columns
    means = np.asarray((sample.X / n).sum(axis=0), dtype=np.float64).ravel()
    two = sample.X[:, [a, b]]
    return np.asarray(dense(two, "The picture"), dtype=np.float64), means
