"""Why PLA stops: w_f.w_t grows at least linearly, |w_t|^2 at most linearly; and the angle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from separatrix._types import ArrayLike, Predictor
from separatrix.data import Floats, InputError
from separatrix.report.displays._display import Display
from separatrix.report.displays._reading import checked_weights, trace_of
from separatrix.report.drawing import style
from separatrix.report.drawing.units import in_units
from separatrix.separation.decide import separability
from separatrix.trace import Growth, Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@dataclass
class GrowthDisplay(Display):
    """The two curves of the convergence proof with their lines, and the angle between w_t and w_f.

    Make one with `from_estimator` or `from_trace`.

    Parameters
    ----------
    growth : Growth
        Of `Trace.growth`.

    Attributes
    ----------
    axes_ : list of three Axes, ax_ : the first of them, figure_ : Figure
    curves_, lines_ : dicts of "inner", "length", "cosine" -> Line2D
        What happened, and the bound on it.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import GrowthDisplay, Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> picture = GrowthDisplay.from_estimator(Perceptron().fit(X, y), X, y)
    >>> bool((picture.growth.inner >= picture.growth.inner_lower - 1e-9).all())
    True
    """

    growth: Growth

    @classmethod
    def from_estimator(
        cls,
        estimator: Predictor,
        X: ArrayLike,
        y: ArrayLike,
        *,
        target: Floats | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the walk of a fitted PLA over the rows X (N, d), y (N,) of its fit.

        Parameters
        ----------
        target : array (1+d,)
            w_f, a line that separates, w_0 first; default the one of `separability`,
            made as long as 1.
        ax : Axes, or three
            Where to draw; one is divided into three. Default a new figure of pyplot's.

        Raises
        ------
        InputError
            When no line separates and no target is given, or these are not the rows of the fit.
        """
        return cls.from_trace(trace_of(estimator), X, y, target, ax=ax)

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        X: ArrayLike,
        y: ArrayLike,
        target: Floats | None = None,
        *,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw a walk given by its trace; otherwise as `from_estimator`."""
        if target is None:
            found = separability(X, y, fit_intercept=trace.x0 != 0.0)
            if found.separable and found.weights is not None:
                largest = np.abs(found.weights).max()  # its length means nothing: 1 reads best
                target = found.weights / largest / np.linalg.norm(found.weights / largest)
        if target is None:
            raise InputError(
                "no line is known to separate these rows, so that there is no w_f to grow "
                "towards: pass target, weights (1+d,) with w_0 first."
            )
        w_f = checked_weights(target, trace.start.size - 1, "target")
        if not w_f.any():
            raise InputError("target is 0 everywhere: that is no line to grow towards.")
        return cls(trace.growth(X, y, w_f)).plot(ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        self.axes_ = style.stack(ax, 3, (6.0, 6.6))
        self._draw_on(self.axes_[0])
        self.curves_, self.lines_ = {}, {}
        for axes, part in zip(self.axes_, parts(self.growth), strict=True):
            self.curves_[part.key], self.lines_[part.key] = draw_part(axes, part)
            axes.tick_params(labelbottom=axes is self.axes_[-1])
        self.axes_[-1].set_xlabel("updates t")
        return self


class Part(NamedTuple):
    """A curve (T+1,) and the line that it keeps to one side of."""

    key: str
    name: str
    values: Floats
    bound_name: str
    bound: Floats


def parts(growth: Growth) -> tuple[Part, ...]:
    """Return the three curves with their lines, named as the proof names them."""
    g = growth
    begun = g.inner[0] != 0.0 or g.length_squared[0] != 0.0
    more = ("w_f·w_0 + ", "|w_0|² + ", "from both lines") if begun else ("", "", "√t ρ / R")
    return (
        Part("inner", "w_f·w_t", g.inner, f"at least {more[0]}t η ρ |w_f|", g.inner_lower),
        Part("length", "|w_t|²", g.length_squared, f"at most {more[1]}t η² R²",
             g.length_squared_upper),
        Part("cosine", "cos(w_f, w_t)", g.cosine, f"at least {more[2]}", g.cosine_lower),
    )  # fmt: skip


def draw_part(ax: Axes, part: Part) -> tuple[Line2D, Line2D]:
    """Draw one curve and its line."""
    scale = in_units(np.append(part.values, part.bound))
    t = np.arange(len(part.values))
    (bound,) = ax.plot(
        t,
        scale.of(part.bound),
        color=style.BOUND,
        linestyle="--",
        label=style.symbols(part.bound_name),
    )
    (curve,) = ax.plot(
        t, scale.of(part.values), color=style.YES, linewidth=1.8, label=style.symbols(part.name)
    )
    ax.set_ylabel(scale.label(style.symbols(part.name)))
    if part.key == "cosine":
        ax.axhline(1.0, color=style.QUIET, linewidth=0.6)
        ax.set_ylim(min(0.0, *part.values, *part.bound) - 0.03, 1.08)
    style.tidy(ax)
    ax.legend(loc="best", handles=[curve, bound], **style.LEGEND)
    return curve, bound
