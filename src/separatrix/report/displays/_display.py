"""What displays share: the axes that they are drawn on, and how scores become one."""

from __future__ import annotations

from typing import Self

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.report.displays._reading import scored, scores_of


class Display:
    """A picture that has been, or will be, drawn by `plot`.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    """

    ax_: Untyped
    figure_: Untyped

    def _draw_on(self, ax: Untyped) -> Untyped:
        """Keep the axes, or the first of several, and their figure; return them."""
        self.ax_ = ax
        self.figure_ = ax.figure
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
        ax: Untyped = None,
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
    plot: Untyped
