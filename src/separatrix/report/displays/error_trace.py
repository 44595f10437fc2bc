"""E_in(w_t) along a walk, and the pocket's: the best so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.data import Floats, InputError, Sample, read_arrays
from separatrix.errors import CrossEntropy
from separatrix.inference.probabilities import ProbabilityFigures, probability_figures
from separatrix.report.displays._display import Display, DisplayOfScores, labels_of, trace_of
from separatrix.report.drawing import style
from separatrix.report.words import say
from separatrix.trace import Trace


@dataclass
class ErrorTraceDisplay(Display):
    """The mistakes of every w_t, which go up and down, and those of the pocket, which only fall.

    Make one with `from_estimator` or `from_trace`.

    Parameters
    ----------
    mistakes : int array (T+1,)
        Of `Trace.mistakes`.
    n : int
        Rows.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    walk_, pocket_ : Line2D

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import ErrorTraceDisplay, Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> ErrorTraceDisplay.from_estimator(Perceptron().fit(X, y), X, y).mistakes[-1].item()
    0
    """

    SIZE: ClassVar = (6.0, 3.4)
    mistakes: NDArray[np.int64]
    n: int

    @classmethod
    def from_estimator(
        cls, estimator: Predictor, X: ArrayLike, y: ArrayLike, *, ax: Untyped = None
    ) -> Self:
        """Draw the walk of a fitted PLA or pocket over the rows X (N, d), y (N,) of its fit.

        Every w_t is scored on all rows: N T scores. Of a capped trace the updates kept are
        drawn.

        Raises
        ------
        InputError
            For a learner without a trace, or when these are not the rows of its fit.
        """
        return cls.from_trace(trace_of(estimator), X, y, ax=ax)

    @classmethod
    def from_trace(cls, trace: Trace, X: ArrayLike, y: ArrayLike, *, ax: Untyped = None) -> Self:
        """Draw a walk given by its trace; otherwise as `from_estimator`."""
        sample = read_arrays(X, y)
        return cls(trace.mistakes_in(sample), sample.n).plot(ax)

    @property
    def e_in(self) -> NDArray[np.float64]:
        """E_in(w_t), t = 0 .. T."""
        return self.mistakes / self.n

    @property
    def e_in_of_pocket(self) -> NDArray[np.float64]:
        """The least E_in up to t."""
        return np.minimum.accumulate(self.e_in)

    def _draw(self, ax: Untyped) -> None:
        t = np.arange(len(self.mistakes))
        (self.walk_,) = ax.step(
            t, self.e_in, where="post", color=style.YES, linewidth=1.0,
            label=f"PLA: {self.mistakes[-1]:,} of {self.n:,} at the end",
        )  # fmt: skip
        (self.pocket_,) = ax.step(
            t, self.e_in_of_pocket, where="post", color=style.POCKET, linewidth=2.0, linestyle="--",
            label=f"pocket: {self.mistakes.min():,} of {self.n:,}",
        )  # fmt: skip
        ax.set_ylim(0.0, max(float(self.e_in.max()) * 1.05, 1.0 / self.n))
        style.finish(ax, "updates t", style.symbols("E_in (0/1)"))


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

    SIZE: ClassVar = (6.0, 4.0)
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

    def _draw(self, ax: Untyped) -> None:
        reach = max(LEAST_REACH, 1.05 * float(np.abs(self.scores / 2).max()) * 2)
        s = np.linspace(-1.0, 1.0, CURVE + 1) * reach
        (self.curve_,) = ax.plot(
            s, expit(s), color=style.LINE, linewidth=1.8, label="θ(s) = 1 / (1 + e⁻ˢ)"
        )
        ax.axhline(0.5, color=style.BOUND, linewidth=0.8, linestyle=":")
        ax.axvline(0.0, color=style.BOUND, linewidth=0.8, linestyle=":")
        self.stems_ = {sign: self._rows(sign) for sign in (1, -1)}
        ax.set_ylim(-0.04, 1.04)
        shown = f"log-likelihood {self.log_likelihood:.4g} = −N E_in".replace("d -", "d −")
        ax.plot([], [], " ", label=style.symbols(shown))
        style.finish(ax, "score s = w·x", "P(yes | x) = θ(s)")

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


BINS = 20  # of the histogram of probabilities
HIGHEST = 0.2  # of the picture, for the highest bar


@dataclass
class CalibrationDisplay(Display):
    """The isotonic share of yes over the probability said, its band of chance, and how many rows.

    scikit-learn's display of this name bins probabilities; here isotonic regression chooses the
    bins (Dimitriadis, Gneiting & Jordan 2021). Make one with `from_estimator`, `from_predictions`
    (probabilities of yes) or, for cross-validated ones, `from_verdict`.

    Parameters
    ----------
    figures : ProbabilityFigures
        Of the rows.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    curve_ : Line2D
    band_ : the band's polygon

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import CalibrationDisplay
    >>> picture = CalibrationDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.8])
    >>> picture.figures.reliability.observed.tolist()
    [0.0, 0.5, 0.5, 1.0]
    """

    SIZE: ClassVar = (4.6, 4.4)
    figures: ProbabilityFigures

    @classmethod
    def from_estimator(
        cls, estimator: Predictor, X: Untyped, y: Untyped, *, ax: Untyped = None
    ) -> Self:
        """Draw the probabilities that a fitted classifier gives to rows X (N, d), labels y (N,).

        Raises
        ------
        InputError
            For a learner without probabilities.
        """
        predict = getattr(estimator, "predict_proba", None)
        if predict is None:
            name = type(estimator).__name__
            raise InputError(f"{name} gives no probabilities: LogisticRegression does.")
        return cls.from_predictions(y, predict(X)[:, 1], ax=ax)

    @classmethod
    def from_predictions(cls, y: Untyped, scores: Untyped, *, ax: Untyped = None) -> Self:
        """Draw probabilities of yes (N,) of rows with labels y (N,).

        Raises
        ------
        InputError
            For labels or probabilities that cannot be used.
        """
        return cls(probability_figures(y, scores)).plot(ax)

    @classmethod
    def from_verdict(cls, verdict: Untyped, *, ax: Untyped = None) -> Self:
        """Draw logistic regression on the rows left out, of a verdict that has probabilities.

        Raises
        ------
        InputError
            Where logistic regression has no finite optimum, or the table has several labels.
        """
        found = getattr(verdict, "probabilities", None)
        if isinstance(found, ProbabilityFigures):
            return cls(found).plot(ax)
        raise InputError(
            "the verdict has no probabilities: logistic regression has no finite optimum on its "
            "rows, or there are several questions (draw one of verdict.questions)."
        )

    def _draw(self, ax: Untyped) -> None:
        curve = self.figures.reliability
        p, seen = curve.probability, _bends(curve.observed, curve.lower, curve.upper)
        counts, edges = np.histogram(p, BINS, (0.0, 1.0), weights=curve.weight)
        ax.bar(
            edges[:-1], HIGHEST * counts / counts.max(), width=1.0 / BINS, align="edge",
            color=style.QUIET, alpha=0.35, linewidth=0.0,
        )  # fmt: skip
        ax.plot([0.0, 1.0], [0.0, 1.0], color=style.BOUND, linewidth=0.8, linestyle=":")
        level = say("{percent:g} % band of chance", percent=100 * curve.level)
        self.band_ = ax.fill_between(
            p[seen], curve.lower[seen], curve.upper[seen], color=style.LINE, alpha=0.15,
            linewidth=0.0, label=level,
        )  # fmt: skip
        (self.curve_,) = ax.plot(
            p[seen], curve.observed[seen], color=style.LINE, linewidth=1.6, label=say("observed")
        )
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        style.finish(ax, say("probability of yes"), say("share of yes"))


def _bends(*curves: Floats) -> Untyped:
    """Return the points where one of the curves (m,) changes: what lies between is straight."""
    kept = np.zeros(curves[0].size, dtype=bool)
    kept[[0, -1]] = True
    for curve in curves:
        steps = np.flatnonzero(np.abs(np.diff(curve)) > 1e-3)
        kept[steps] = kept[np.minimum(steps + 1, curve.size - 1)] = True
    return np.flatnonzero(kept)
