"""The ROC curve, by scikit-learn's display, with DeLong's interval of the area under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from separatrix.data import Floats, Sample
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.report.displays._probabilities import DisplayOfProbabilities
from separatrix.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.metrics import RocCurveDisplay


@dataclass
class RocDisplay(DisplayOfProbabilities):
    """The share of yes rows found against the share of no rows taken for yes, at every threshold.

    Make one with `from_estimator`, `from_predictions` or, for cross-validated scores,
    `from_verdict`.

    Parameters
    ----------
    figures : ProbabilityFigures
        Of the rows.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    curve_ : sklearn.metrics.RocCurveDisplay

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import RocDisplay
    >>> picture = RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> picture.figures.auc
    0.75
    """

    figures: ProbabilityFigures

    @classmethod
    def _of(cls, sample: Sample, scores: Floats) -> Self:
        return cls(ProbabilityFigures(sample.y, scores, np.ones(scores.size), held_out=True))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        from sklearn.metrics import RocCurveDisplay

        ax = self._draw_on(style.axes_or_new(ax, (4.6, 4.4)))
        no, yes = self.figures.curve
        low, high = self.figures.auc_interval
        label = f"AUC {self.figures.auc:.3f} ({low:.3f} to {high:.3f})"
        self.curve_: RocCurveDisplay = RocCurveDisplay(fpr=no, tpr=yes)
        self.curve_.plot(ax=ax, curve_kwargs={"color": style.LINE, "label": label})
        ax.plot([0.0, 1.0], [0.0, 1.0], color=style.BOUND, linewidth=0.8, linestyle=":")
        ax.set_xlabel("share of no rows answered yes")
        ax.set_ylabel("share of yes rows answered yes")
        style.tidy(ax)
        style.legend_above(ax)
        return self
