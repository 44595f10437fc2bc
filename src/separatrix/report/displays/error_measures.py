"""The error measures against the agreement a = y s, and which of them bound the 0/1 error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.errors import CrossEntropy, ErrorMeasure, PerceptronError, Squared, ZeroOne
from separatrix.report.displays._display import DisplayOfScores
from separatrix.report.drawing import style

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

    def plot(self, ax: Untyped | None = None) -> Self:
        """Draw it (again), on two axes given or on a new figure; return the display."""
        if not -math.inf < self.lowest < 0.0 < self.highest < math.inf:
            raise InputError(
                f"lowest={self.lowest!r} and highest={self.highest!r} must be finite numbers on "
                "both sides of 0."
            )
        self.axes_ = style.side_by_side(ax, 2, (7.5, 4.4))
        left, right = self.axes_
        self._draw_on(left)
        self.curves_ = {name: self._curve(self.ax_, name, m, c, d) for name, m, c, d in CURVES}
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
        self.ax_.set_ylabel("error of one answer, err(a)")
        return self

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
