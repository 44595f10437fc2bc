"""The sigmoid theta(s) = 1 / (1 + e^-s), and the likelihood of every row under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from separatrix._types import Untyped
from separatrix.data import Floats, Sample
from separatrix.errors import CrossEntropy
from separatrix.report.displays._display import DisplayOfScores, labels_of
from separatrix.report.drawing import style

CURVE = 400  # points of the curve
LEAST_REACH = 6.0  # the curve is drawn at least to here, on both sides


@dataclass
class SigmoidDisplay(DisplayOfScores):
    """P(yes) along the score; each row on the curve, and what it says about its own label.

    The likelihood of a yes row is the height of the curve under it, theta(s); of a no row what is
    left above it, 1 - theta(s) = theta(-s). Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    scores : array (N,)
    y : array (N,) of -1 and +1
    labels : tuple of two str

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    likelihood : array (N,)
        theta(y s).
    log_likelihood : float
        Of all rows: -N E_in under the cross-entropy.
    curve_ : Line2D
    stems_ : dict of -1, +1 -> LineCollection

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import SigmoidDisplay
    >>> picture = SigmoidDisplay.from_predictions(["n", "y"], [0.0, 0.0])
    >>> picture.likelihood.tolist()
    [0.5, 0.5]
    """

    scores: Floats
    y: Floats
    labels: tuple[str, str] = ("no", "yes")

    @classmethod
    def _of(cls, sample: Sample, scores: Floats) -> Self:
        return cls(scores, sample.y, labels_of(sample))

    @property
    def likelihood(self) -> Floats:
        """P(y | x) of every row (N,)."""
        return np.asarray(expit(self.y * self.scores))

    @property
    def log_likelihood(self) -> float:
        """Its logarithm, added up."""
        return -float(CrossEntropy().value(self.y * self.scores).sum())

    def plot(self, ax: Untyped = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        ax = self._draw_on(style.axes_or_new(ax, (6.0, 4.0)))
        reach = max(LEAST_REACH, 1.05 * float(np.abs(self.scores / 2).max()) * 2)
        s = np.linspace(-1.0, 1.0, CURVE + 1) * reach
        (self.curve_,) = ax.plot(
            s, expit(s), color=style.LINE, linewidth=1.8, label="θ(s) = 1 / (1 + e⁻ˢ)"
        )
        ax.axhline(0.5, color=style.BOUND, linewidth=0.8, linestyle=":")
        ax.axvline(0.0, color=style.BOUND, linewidth=0.8, linestyle=":")
        self.stems_ = {sign: self._rows(sign) for sign in (1, -1)}
        ax.set_xlabel("score s = w·x")
        ax.set_ylabel("P(yes | x) = θ(s)")
        ax.set_ylim(-0.04, 1.04)
        style.tidy(ax)
        shown = f"log-likelihood {self.log_likelihood:.4g} = −N E_in".replace("d -", "d −")
        ax.plot([], [], " ", label=style.symbols(shown))
        style.legend_above(ax)
        return self

    def _rows(self, sign: int) -> Untyped:
        """Draw one class: its likelihoods as stems, from the side its label stands for."""
        from matplotlib.collections import LineCollection

        rows = self.y == sign
        scores, heights = self.scores[rows], expit(self.scores[rows])
        foot = 0.0 if sign > 0 else 1.0
        ends = [[(s, foot), (s, height)] for s, height in zip(scores, heights, strict=True)]
        colour = style.COLOURS[sign]
        alpha = float(np.clip(60.0 / self.y.size, 0.08, 0.6))
        stems = LineCollection(ends, colors=colour, linewidths=1.2, alpha=alpha)
        self.ax_.add_collection(stems)
        part = "θ(s)" if sign > 0 else "1 − θ(s)"
        self.ax_.scatter(
            scores, heights, zorder=3, **style.markers(sign, self.y.size),
            label=f"{style.class_name(sign, self.labels)}, likelihood {part}",
        )  # fmt: skip
        return stems
