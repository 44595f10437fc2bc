"""The learning curve of linear regression: what was simulated against what the formula says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from separatrix._types import ArrayLike
from separatrix.data import Floats, InputError
from separatrix.report.displays._display import Display
from separatrix.report.drawing import style
from separatrix.theory import learning_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class LearningCurveDisplay(Display):
    """Squared E_in and E_out by N, simulated, and sigma^2 (1 -/+ (d+1) / N).

    Make one with `from_experiment`.

    Parameters
    ----------
    n : array (K,)
        Rows.
    e_in, e_out : arrays (K,)
        Means of the simulation.
    d : int
        Features, without the constant.
    noise_variance : float
        sigma^2.
    e_in_error, e_out_error : arrays (K,) or None
        Standard errors of those means; bars show three of them.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    lines_ : dict of "e_in", "e_out" -> Line2D
        The formula.
    points_ : dict of "e_in", "e_out" -> ErrorbarContainer
        The simulation.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import LearningCurveDisplay
    >>> picture = LearningCurveDisplay.from_experiment([10, 20], [0.8, 0.9], [1.2, 1.1], d=1)
    >>> picture.ax_.get_xlabel()
    'rows N'
    """

    n: Floats
    e_in: Floats
    e_out: Floats
    d: int
    noise_variance: float = 1.0
    e_in_error: Floats | None = None
    e_out_error: Floats | None = None

    @classmethod
    def from_experiment(
        cls,
        n: ArrayLike,
        e_in: ArrayLike,
        e_out: ArrayLike,
        *,
        d: int,
        noise_variance: float = 1.0,
        e_in_error: ArrayLike | None = None,
        e_out_error: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the means of a simulation (K,) at n rows each, and the formula.

        Raises
        ------
        InputError
            For arrays that do not fit together, or fewer rows than columns.
        """
        rows = _numbers(n, "n", None)
        size = rows.size
        return cls(
            n=rows,
            e_in=_numbers(e_in, "e_in", size),
            e_out=_numbers(e_out, "e_out", size),
            d=d,
            noise_variance=noise_variance,
            e_in_error=None if e_in_error is None else _numbers(e_in_error, "e_in_error", size),
            e_out_error=None if e_out_error is None else _numbers(e_out_error, "e_out_error", size),
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        low, high = float(self.n.min()), float(self.n.max())
        grid = np.linspace(low, max(high, low + 1.0), 300)
        formula = learning_curve(grid, self.d, self.noise_variance)
        ax = self._draw_on(style.axes_or_new(ax, (6.0, 4.0)))
        self.lines_, self.points_ = {}, {}
        ax.axhline(self.noise_variance, color=style.BOUND, linewidth=1.0, linestyle=":",
                   label=f"noise σ² = {self.noise_variance:g}")  # fmt: skip
        for key, values, error, curve, colour, marker, sign in (
            ("e_out", self.e_out, self.e_out_error, formula[1], style.NO, "s", "+"),
            ("e_in", self.e_in, self.e_in_error, formula[0], style.YES, "o", "−"),
        ):
            name = key.replace("e_", "E_")
            (self.lines_[key],) = ax.plot(
                grid, curve, color=colour, linestyle="--" if sign == "+" else "-",
                label=style.symbols(f"{name}: σ² (1 {sign} (d+1)/N)"),
            )  # fmt: skip
            bars = "" if error is None else " ± 3 standard errors"
            self.points_[key] = ax.errorbar(
                self.n, values, yerr=None if error is None else 3.0 * error, fmt=marker,
                color=colour, markersize=5, markerfacecolor="white", capsize=3,
                label=style.symbols(f"{name} simulated{bars}"),
            )  # fmt: skip
        ax.set_xlabel("rows N")
        ax.set_ylabel("mean squared error")
        ax.set_ylim(bottom=0.0)
        style.whole_ticks(ax.yaxis)
        style.tidy(ax)
        style.legend_above(ax)
        return self


def _numbers(values: ArrayLike, name: str, size: int | None) -> Floats:
    """Return a finite array (K,), or refuse it."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or numbers.size == 0 or (size is not None and numbers.size != size):
        wanted = "one or more numbers" if size is None else f"{size} numbers, one for each n"
        raise InputError(f"{name} has shape {numbers.shape}; it must hold {wanted}.")
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} must hold finite numbers; {numbers[~np.isfinite(numbers)][0]} "
                         "is among them.")  # fmt: skip
    return numbers
