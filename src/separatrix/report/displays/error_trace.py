"""E_in(w_t) along a walk, and the pocket's: the best so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Predictor, Untyped
from separatrix.data import read_arrays
from separatrix.report.displays._display import Display, trace_of
from separatrix.report.drawing import style
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

    def plot(self, ax: Untyped = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        ax = self._draw_on(style.axes_or_new(ax, (6.0, 3.4)))
        t = np.arange(len(self.mistakes))
        (self.walk_,) = ax.step(
            t, self.e_in, where="post", color=style.YES, linewidth=1.0,
            label=f"PLA: {self.mistakes[-1]:,} of {self.n:,} at the end",
        )  # fmt: skip
        (self.pocket_,) = ax.step(
            t, self.e_in_of_pocket, where="post", color=style.POCKET, linewidth=2.0, linestyle="--",
            label=f"pocket: {self.mistakes.min():,} of {self.n:,}",
        )  # fmt: skip
        ax.set_xlabel("updates t")
        ax.set_ylabel(style.symbols("E_in (0/1)"))
        ax.set_ylim(0.0, max(float(self.e_in.max()) * 1.05, 1.0 / self.n))
        style.tidy(ax)
        style.legend_above(ax)
        return self
