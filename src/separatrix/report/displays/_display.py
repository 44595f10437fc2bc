"""What displays share: the axes that they are drawn on, and how scores become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.data import Floats, Sample
from separatrix.report.displays._reading import scored, scores_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display:
    """A picture that has been, or will be, drawn by `plot`.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    """

    ax_: Axes
    figure_: Figure

    def _draw_on(self, ax: Axes) -> Axes:
        """Keep the axes, or the first of several, and their figure; return them."""
        self.ax_ = ax
        self.figure_ = ax.figure  # type: ignore[assignment]  # a subfigure has the same calls
        return ax


class DisplayOfScores(Display):
    """A picture of labels and the scores of their rows."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Predictor,
        X: ArrayLike,
        y: ArrayLike,
        *,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the scores that a fitted learner gives to rows X (N, d) with labels y (N,).

        Raises
        ------
        InputError
            For data that cannot be used, or a learner without scores.
        """
        return cls._of(*scores_of(estimator, X, y)).plot(ax)

    @classmethod
    def from_predictions(cls, y: ArrayLike, scores: ArrayLike, *, ax: Untyped = None) -> Self:
        """Draw scores (N,) of rows with labels y (N,).

        Raises
        ------
        InputError
            For labels or scores that cannot be used.
        """
        sample = scored(y, scores)
        return cls._of(sample, sample.X[:, 0]).plot(ax)

    @classmethod
    def _of(cls, sample: Sample, scores: Floats) -> Self:
        """Return the display of checked rows and their scores (N,)."""
        raise NotImplementedError

    def plot(self, ax: Untyped = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        raise NotImplementedError
