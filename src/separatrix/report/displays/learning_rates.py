"""The learning rate of gradient descent: too small, right, too large, proportional to |grad|.

The first three go eta far at every step, w <- w - eta grad / |grad|: too short steps do not arrive,
too long ones jump over the minimum again and again. Steps proportional to |grad| shorten by
themselves: w <- w - eta grad, the usual rule (lecture 10).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, NotConvergedWarning, Sample, read_arrays
from separatrix.errors import CrossEntropy, PerceptronError, Squared
from separatrix.learners.gradient_descent import GradientDescent
from separatrix.report.displays._display import Display
from separatrix.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = ("too small", "right", "too large", "proportional to |grad|")
STEPS = ("unit", "unit", "unit", "gradient")
DRAWN: tuple[dict[str, Any], ...] = (
    {"color": style.BOUND, "linestyle": "-."},
    {"color": style.POCKET, "linestyle": "-"},
    {"color": style.NO, "linestyle": "-", "linewidth": 1.2},
    {"color": style.YES, "linestyle": "--"},
)
# the largest curvature that each measure has anywhere; the perceptron error has none
CURVATURE: Mapping[str, float] = {
    Squared.name: 2.0, CrossEntropy.name: 0.25, PerceptronError.name: 1.0,
}  # fmt: skip
ROUGHLY = 200  # steps to find how far away the minimum is


@dataclass
class LearningRatesDisplay(Display):
    """E_in by step, for four ways to choose how far a step goes. Run by `GradientDescent`.

    Parameters
    ----------
    e_in : dict of name -> array (K+1,)
        After 0, 1, ..., K steps; shorter where the weights overflowed.
    rates : dict of name -> float
        eta.
    error : str
        Name of the measure.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    lines_ : dict of name -> Line2D

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from separatrix import GradientDescent, LearningRatesDisplay
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> picture = LearningRatesDisplay.from_estimator(GradientDescent(), X, y, steps=20)
    >>> list(picture.e_in)
    ['too small', 'right', 'too large', 'proportional to |grad|']
    """

    e_in: dict[str, Floats]
    rates: dict[str, float]
    error: str

    @classmethod
    def from_estimator(
        cls,
        estimator: GradientDescent,
        X: ArrayLike,
        y: ArrayLike,
        *,
        rates: ArrayLike = None,
        steps: int = 50,
        ax: Axes | None = None,
    ) -> Self:
        """Run descent four times on rows X (N, d), y (N,) and draw E_in after every step.

        Parameters
        ----------
        estimator : GradientDescent
            Whose error measure, start and intercept are used; it is not changed.
        rates : four floats
            eta of the four; default by the curvature and the distance to the minimum.
        steps : int
            K.

        Raises
        ------
        InputError
            For data, rates or steps that cannot be used.
        """
        if isinstance(steps, bool) or int(steps) != steps or steps < 1:
            raise InputError(f"steps={steps!r} must be a whole number, 1 or more.")
        sample = read_arrays(X, y)
        base = clone(estimator).set_params(batch_size=None, tol=0.0)
        chosen = _rates(base, sample, int(steps)) if rates is None else _given(rates)
        runs = {
            name: e_in_by_step(
                clone(base).set_params(step=step, learning_rate=eta), sample, int(steps)
            )
            for name, step, eta in zip(NAMES, STEPS, chosen, strict=True)
        }
        name = base.error if isinstance(base.error, str) else getattr(base.error, "name", "E_in")
        return cls(runs, dict(zip(NAMES, chosen, strict=True)), str(name)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it (again), on the axes given or on a new figure; return the display."""
        ax = self._draw_on(style.axes_or_new(ax, (6.0, 4.0)))
        self.lines_ = {}
        for (name, values), how in zip(self.e_in.items(), DRAWN, strict=True):
            label = style.symbols(f"{name}: η = {self.rates[name]:.3g}")
            drawn: dict[str, Any] = {"linewidth": 1.8, **how}
            (self.lines_[name],) = ax.plot(np.arange(values.size), values, label=label, **drawn)
        ax.set_xlabel("step")
        ax.set_ylabel(style.symbols(f"E_in ({self.error.replace('_', '-')})"))
        self._limits()
        style.whole_ticks(ax.yaxis)
        style.tidy(ax)
        style.legend_above(ax)
        return self

    def _limits(self) -> None:
        """Leave room for where all begin and end; a run that explodes leaves at the top."""
        first = max(float(values[0]) for values in self.e_in.values())
        top = max(2.5 * first, *(float(v[-1]) for n, v in self.e_in.items() if n == "right"))
        most = max(float(values.max()) for values in self.e_in.values())
        least = min(float(values.min()) for values in self.e_in.values())
        top = min(top, most) if top > 0.0 else most
        room = max(0.05 * (top - least), 1e-3 * abs(top), 1e-12)
        self.ax_.set_ylim(least - room, top + room)


def e_in_by_step(learner: Untyped, sample: Sample, steps: int) -> Floats:
    """Return E_in after 0, 1, ... steps of batch descent: (steps+1,), shorter if it overflowed."""
    errors = []
    w = learner.init
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        for k in range(steps + 1):
            learner.set_params(init=w, max_updates=0 if k == 0 else 1)
            learner.fit(sample.X, sample.y)
            if k and learner.n_updates_ == 0 and learner.gradient_norm_ > 0.0:
                break  # the weights would overflow
            if not np.isfinite(learner.e_in_):
                break
            errors.append(learner.e_in_)
            w = np.append(learner.intercept_, learner.coef_[0])
    return np.array(errors)


def _rates(base: Untyped, sample: Sample, steps: int) -> tuple[float, float, float, float]:
    """Return four rates that show the four cases on these rows."""
    gram = _largest_eigenvalue(sample, bool(base.fit_intercept))
    curvature = CURVATURE.get(base.error if isinstance(base.error, str) else base.error.name, 2.0)
    by_gradient = 1.0 / max(curvature * gram, 1e-300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        found = clone(base).set_params(
            step="gradient", learning_rate=by_gradient, max_updates=max(ROUGHLY, steps)
        )
        ended = found.fit(sample.X, sample.y)
        began = clone(found).set_params(max_updates=0).fit(sample.X, sample.y)
    far = np.append(ended.intercept_, ended.coef_[0]) - np.append(began.intercept_, began.coef_[0])
    distance = float(np.linalg.norm(far)) or 1.0
    return 0.3 * distance / steps, 2.0 * distance / steps, 1.2 * distance, by_gradient


def _largest_eigenvalue(sample: Sample, fit_intercept: bool) -> float:
    """Return the largest eigenvalue of the mean of x x' over the rows, the constant counted."""
    size = sample.d + fit_intercept
    v = np.ones(size) / np.sqrt(size)
    X, value = sample.X, 0.0
    for _ in range(100):  # a power iteration: two digits are enough here
        u = X @ v[fit_intercept:] + (v[0] if fit_intercept else 0.0)
        back = X.T @ u / sample.n
        v = np.append(u.mean(), back) if fit_intercept else np.asarray(back)
        value = float(np.linalg.norm(v))
        if value == 0.0:
            break
        v = v / value
    return value


def _given(rates: ArrayLike) -> tuple[float, ...]:
    values = np.asarray(rates, dtype=np.float64)
    if values.shape != (len(NAMES),) or not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(
            f"rates={rates!r} must be four positive numbers: too small, right, too large, and one "
            "for steps proportional to |grad|."
        )
    return tuple(float(value) for value in values)
