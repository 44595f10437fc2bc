"""The scores by class, and the threshold between no and yes: for any number of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.report.displays._display import DisplayOfScores, labels_of, scored
from separatrix.report.drawing import style
from separatrix.tables.wording import counted

FEWEST_BINS, MOST_BINS = 12, 48
MIDDLE = 0.005, 0.995  # scores beyond are counted, not drawn


@dataclass
class ScoresDisplay(DisplayOfScores):
    """Scores of the yes rows upwards, of the no rows downwards, and the threshold.

    Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    scores : array (N,)
    y : array (N,) of -1 and +1
    weight : array (N,)
    threshold : float
        Yes iff the score is above it; a score on it is a mistake, whatever y is.
    labels : tuple of two str
        What no and yes are called.
    weighted : bool
        Whether weights were given.
    what : str
        The label of the axis.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    edges_ : array (K+1,)
        Of the bars; the threshold is one of them, so that mistakes fill bars of their own.
    n_beyond_ : int
        Rows beyond the outer edges: outliers past the 0.5 and 99.5 percentiles are not drawn.
    bars_ : dict of -1, +1 -> BarContainer
    threshold_line_ : Line2D

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import ScoresDisplay
    >>> picture = ScoresDisplay.from_predictions(["n", "n", "y"], [-1.0, 0.5, 2.0])
    >>> picture.n_mistakes
    1.0
    """

    scores: Floats
    y: Floats
    weight: Floats
    threshold: float = 0.0
    labels: tuple[str, str] = ("no", "yes")
    weighted: bool = False
    what: str = "score s"

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        threshold: float = 0.0,
        sample_weight: ArrayLike = None,
        ax: Untyped = None,
    ) -> Self:
        """Draw scores (N,) of rows with labels y (N,).

        Parameters
        ----------
        threshold : float
            Yes iff the score is above it.
        sample_weight : array (N,)
            k stands for k copies of a row.
        ax : Axes
            Where to draw; default a new figure of pyplot's.

        Raises
        ------
        InputError
            For labels, scores or weights that cannot be used.
        """
        sample = scored(y, scores, sample_weight)
        if not np.isfinite(threshold):
            raise InputError(f"threshold={threshold!r} must be a finite number.")
        display = cls._of(sample, sample.X[:, 0])
        display.threshold, display.weighted = float(threshold), sample_weight is not None
        return display.plot(ax)

    @classmethod
    def _of(cls, sample: Sample, scores: Floats) -> Self:
        return cls(scores, sample.y, sample.weight, labels=labels_of(sample))

    @property
    def wrong(self) -> Untyped:
        """Which rows (N,) are mistakes: not strictly on their own side of the threshold."""
        return np.where(self.y > 0, self.scores <= self.threshold, self.scores >= self.threshold)

    @property
    def n_mistakes(self) -> float:
        """The mistakes, their weights added up."""
        return float(self.weight[self.wrong].sum())

    def plot(self, ax: Untyped = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        ax = self._draw_on(style.axes_or_new(ax, (6.0, 3.8)))
        scores, threshold = self.scores, self.threshold
        self.edges_ = edges_at(scores, threshold)
        self.n_beyond_ = int(beyond(scores, self.edges_).sum())
        self.bars_ = {sign: self._bars(sign, scores, threshold) for sign in (1, -1)}
        ax.axhline(0.0, color=style.LINE, linewidth=0.8)
        self.threshold_line_ = ax.axvline(
            threshold, color=style.LINE, linewidth=1.6, linestyle="--",
            label=f"threshold {self.threshold:.3g}".replace("-", "\N{MINUS SIGN}"),
        )  # fmt: skip
        outside = f"\n({counted(self.n_beyond_, 'row')} beyond)" if self.n_beyond_ else ""
        ax.set_xlabel(self.what + outside)
        ax.set_ylabel(f"{'weight of rows' if self.weighted else 'rows'}\n← no    yes →")
        ax.yaxis.set_major_formatter(lambda height, _: f"{abs(height):g}")
        ax.margins(y=0.08)
        style.tidy(ax)
        self._legend()
        return self

    def _bars(self, sign: int, scores: Floats, threshold: float) -> Untyped:
        """Draw one class; bars on the wrong side of the threshold are hatched."""
        rows = self.y == sign
        heights = bar_heights(scores[rows], self.weight[rows], self.edges_, sign)
        left, width = self.edges_[:-1], np.diff(self.edges_)
        middle = left + width / 2
        wrong = middle < threshold if sign > 0 else middle > threshold
        colour = style.COLOURS[sign]
        bars = self.ax_.bar(
            left, sign * heights, width, align="edge", color=colour, alpha=0.75, linewidth=0.6,
            edgecolor="white",
        )  # fmt: skip
        for bar, hatched in zip(bars, wrong, strict=True):
            if hatched:
                bar.set(hatch="////", alpha=1.0, facecolor="white", edgecolor=colour)
        return bars

    def _legend(self) -> None:
        """Add the legend, with whole bars for the classes and a hatched one for their mistakes."""
        from matplotlib.patches import Patch

        n = self.weight.sum()
        handles: list[Any] = []
        for sign, colour in style.COLOURS.items():
            amount = _amount(self.weight[self.y == sign].sum())
            label = f"{style.class_name(sign, self.labels)} ({amount})"
            handles.append(Patch(color=colour, alpha=0.75, label=label))
        mistakes = f"mistakes: {_amount(self.n_mistakes)} of {_amount(n)}"
        handles.append(Patch(facecolor="white", edgecolor=style.LINE, hatch="////", label=mistakes))
        handles.append(self.threshold_line_)
        style.legend_above(self.ax_, handles=handles)


def edges_at(scores: Floats, threshold: float) -> Floats:
    """Return edges of equal bars over the middle 99 % of scores (N,), one at the threshold."""
    low = float(np.quantile(scores, MIDDLE[0], method="lower"))
    high = float(np.quantile(scores, MIDDLE[1], method="higher"))
    low, high = min(low, threshold), max(high, threshold)
    if low == high:
        half = max(abs(threshold), 1.0) / 2
        return np.array([threshold - half, threshold, threshold + half])
    bins = int(np.clip(2 * np.sqrt(scores.size), FEWEST_BINS, MOST_BINS))
    width = (high - low) / bins
    below = int(np.ceil((threshold - low) / width)) + 1
    above = int(np.ceil((high - threshold) / width)) + 1
    steps = np.arange(-below, above + 1)
    return np.asarray(threshold + steps * width)


def bar_heights(scores: Floats, weight: Floats, edges: Floats, sign: int) -> Floats:
    """Return the weight in every bar (K,); a score on an edge belongs to the bar further wrong."""
    inside = ~beyond(scores, edges)
    bars = np.searchsorted(edges, scores[inside], side="left" if sign > 0 else "right") - 1
    bars = np.clip(bars, 0, edges.size - 2)
    return np.bincount(bars, weights=weight[inside], minlength=edges.size - 1).astype(np.float64)


def beyond(scores: Floats, edges: Floats) -> NDArray[np.bool_]:
    """Return which scores (N,) lie beyond the outer edges."""
    return np.asarray((scores < edges[0]) | (scores > edges[-1]))


def beyond_in_words(n: int) -> str:
    """Return how many rows are not drawn; "" where all are."""
    return f" Not drawn: {counted(n, 'row')} beyond the 0.5 and 99.5 percentiles." if n else ""


def _amount(weight: float) -> str:
    """Return a count with commas, a weight with six digits."""
    return f"{weight:,.0f}" if weight == round(weight) else f"{weight:,.6g}"
