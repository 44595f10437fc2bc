"""The scores by class with their threshold, and the error measures against the agreement y s."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.errors import CrossEntropy, ErrorMeasure, PerceptronError, Squared, ZeroOne
from separatrix.report.displays._display import DisplayOfScores, labels_of, scored
from separatrix.report.drawing import style
from separatrix.report.words import again, counted, say

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

    SIZE: ClassVar = (6.0, 3.8)
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

    def _draw(self, ax: Untyped) -> None:
        scores, threshold = self.scores, self.threshold
        self.edges_ = edges_at(scores, threshold)
        self.n_beyond_ = int(beyond(scores, self.edges_).sum())
        self.bars_ = {sign: self._bars(sign, scores, threshold) for sign in (1, -1)}
        ax.axhline(0.0, color=style.LINE, linewidth=0.8)
        self.threshold_line_ = ax.axvline(
            threshold, color=style.LINE, linewidth=1.6, linestyle="--",
            label=say("threshold {at:.3g}", at=self.threshold).replace("-", "\N{MINUS SIGN}"),
        )  # fmt: skip
        across = again(self.what)
        if self.n_beyond_:
            across += "\n" + say("({rows} beyond)", rows=counted(self.n_beyond_, "row"))
        ax.set_xlabel(across)
        weighted, plain = "weight of rows\n← no    yes →", "rows\n← no    yes →"
        ax.set_ylabel(say(weighted if self.weighted else plain))
        ax.yaxis.set_major_formatter(lambda height, _: f"{abs(height):g}")
        ax.margins(y=0.08)
        style.tidy(ax)
        self._legend()

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

        handles: list[Any] = []
        for sign, colour in style.COLOURS.items():
            amount = _amount(self.weight[self.y == sign].sum())
            label = f"{style.class_name(sign, self.labels)} ({amount})"
            handles.append(Patch(color=colour, alpha=0.75, label=label))
        wrong, n = _amount(self.n_mistakes), _amount(self.weight.sum())
        mistakes = say("mistakes: {wrong} of {n}", wrong=wrong, n=n)
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
    rows = counted(n, "row")
    said = say(" Not drawn: {rows} beyond the 0.5 and 99.5 percentiles.", rows=rows)
    return said if n else ""


def _amount(weight: float) -> str:
    """Return a count with commas, a weight with six digits."""
    return f"{weight:,.0f}" if weight == round(weight) else f"{weight:,.6g}"


LN2 = math.log(2.0)
HIGHEST = 4.0  # of what is drawn
# name, measure, its colour and dashes
CURVES: tuple[tuple[str, ErrorMeasure, str, str], ...] = (
    ("0/1", ZeroOne(), style.LINE, "-"),
    ("perceptron", PerceptronError(), style.ARROW, "-."),
    ("squared", Squared(), style.POCKET, "--"),
    ("cross-entropy", CrossEntropy(), style.YES, ":"),
)


@dataclass
class ErrorMeasuresDisplay(DisplayOfScores):
    """Every measure as a function of a; beside it what bounds 0/1 from above and what does not.

    ``ErrorMeasuresDisplay().plot()`` needs no data; `from_estimator` and `from_predictions` add
    E_in of one line under every measure and where its rows are.

    Parameters
    ----------
    agreements : array (N,) or None
    lowest, highest : float
        The range of a.

    Attributes
    ----------
    axes_ : list of two Axes, ax_ : the first, figure_ : Figure
    curves_, bounds_ : dicts of name -> Line2D
        Left and right; the 0/1 error on the right too.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import ErrorMeasuresDisplay
    >>> sorted(ErrorMeasuresDisplay().plot().bounds_)
    ['0/1', 'cross-entropy / ln 2', 'perceptron', 'squared']
    """

    agreements: Floats | None = None
    lowest: float = -2.0
    highest: float = 3.0

    @classmethod
    def _of(cls, sample: Sample, scores: Floats) -> Self:
        return cls(sample.y * scores)

    def _axes(self, ax: Untyped) -> Untyped:
        if not -math.inf < self.lowest < 0.0 < self.highest < math.inf:
            raise InputError(
                f"lowest={self.lowest!r} and highest={self.highest!r} must be finite numbers on "
                "both sides of 0."
            )
        self.axes_ = style.side_by_side(ax, 2, (7.5, 4.4))
        return self.axes_[0]

    def _draw(self, left: Untyped) -> None:
        right = self.axes_[1]
        self.curves_ = {name: self._curve(left, name, m, c, d) for name, m, c, d in CURVES}
        self.bounds_ = {}
        for name, measure, colour, dashes in CURVES:
            scale = LN2 if name == "cross-entropy" else 1.0
            label = f"{name} / ln 2" if scale != 1.0 else name
            self.bounds_[label] = self._curve(right, label, measure, colour, dashes, scale)
        self._gap(right)
        if self.agreements is not None:
            self._rows()
        for axes in self.axes_:
            axes.set_xlabel("agreement a = y s")
            axes.set_xlim(self.lowest, self.highest)
            axes.set_ylim(-0.12, HIGHEST)
            style.tidy(axes)
            style.legend_above(axes, 1)
        left.set_ylabel("error of one answer, err(a)")

    def _curve(  # noqa: PLR0917  # a line of the table above
        self,
        ax: Untyped,
        name: str,
        measure: ErrorMeasure,
        colour: str,
        dashes: str,
        scale: float = 1.0,
    ) -> Untyped:
        a = np.linspace(self.lowest, self.highest, 501)
        a = np.unique(np.concatenate([a, [0.0, np.nextafter(0.0, 1.0)]]))  # the step, upright
        label = name
        if self.agreements is not None and scale == 1.0 and ax is self.ax_:
            mean = float(measure.value(self.agreements).mean())
            label = style.symbols(f"{name}: E_in = {mean:.3g}")
        return ax.plot(
            a, measure.value(a) / scale, color=colour, linestyle=dashes, label=label,
            linewidth=2.2 if name == "0/1" else 1.8,
        )[0]  # fmt: skip

    def _gap(self, ax: Untyped) -> None:
        """Tint where the perceptron error lies below the 0/1 error: it is not a bound."""
        a = np.linspace(max(self.lowest, -1.0), 0.0, 101)
        ax.fill_between(
            a, PerceptronError().value(a), ZeroOne().value(a), color=style.ARROW, alpha=0.18,
            linewidth=0, label="perceptron < 0/1: no bound",
        )  # fmt: skip

    def _rows(self) -> None:
        """Draw where the rows are, as a rug; those beyond the range at its ends."""
        assert self.agreements is not None  # noqa: S101  # the caller has looked
        inside = np.clip(self.agreements, self.lowest, self.highest)
        self.rug_ = self.ax_.plot(
            inside, np.full(inside.size, -0.06), "|", color=style.QUIET, markersize=7, alpha=0.5,
            clip_on=False,
        )[0]  # fmt: skip
