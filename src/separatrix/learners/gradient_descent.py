"""Gradient descent on any differentiable error measure (lectures 10 and 11).

w <- w - eta grad E_in(w), E_in the *mean* over rows: of all at once (batch), a few (mini-batch) or
one (online). It stops when the full gradient is no longer than tol, or when its updates are spent.
It proves nothing.

L is a certified bound on how fast the gradient of E_in changes (Nesterov 2004, section 1.2.3).
Where err'' <= c, L = c lambda_max(mean z z'), z = (x0, x); no step with eta <= 2 / L goes uphill.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, final

import numpy as np
from sklearn.utils.metaestimators import available_if

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, warn
from separatrix.errors import MEASURES, CrossEntropy, Differentiable, PerceptronError, ZeroOne
from separatrix.kernels.smooth import gradient as kernel
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners._parameters import (
    generator,
    in_walk_units,
    limit,
    not_negative,
    one_of,
    positive,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import WeightedLinearClassifier, probabilities
from separatrix.learners.mean_error import Gradients, GramGradients, MeanError, Order, Step
from separatrix.scale import Rows
from separatrix.tiles import one_blas_thread

SAFE = "safe"
NOISE = 1e-9  # of E_in, or of the first gradient: less may be rounding


@dataclass
class Descent:
    """Descent under way: v in units of `scale`, so that w = scale v."""

    step: Step
    v: Floats
    tol: float
    max_updates: int
    scale: float = 1.0
    updates: int = 0
    passes: int = 0
    norm: float = math.nan
    stopped: Stopped = Stopped.INTERRUPTED  # until the run says otherwise
    bounces: bool = False  # the last step of all rows turned back and did not shorten the gradient

    @property
    def weights(self) -> Floats:
        return self.scale * self.v

    def by_all_rows(self, of: Gradients) -> None:
        """Step along the full gradient until it is short, or the updates are spent."""
        g = of.gradient(self.v)
        first = least = float(kernel.length(g))
        while not self._done(g):
            after = self.step.taken(self.v, g)
            self.passes += 1
            if not np.isfinite(after).all():
                self.stopped = Stopped.OVERFLOW
                return
            self.v = after
            self.updates += 1
            before, g = g, of.gradient(self.v)
            norm = float(kernel.length(g))
            self.bounces = bool(norm > max(0.99 * least, NOISE * first) and before @ g < 0.0)
            least = min(least, norm)

    def by_batches(self, of: MeanError, batch: int, order_of_pass: Callable[[], Order]) -> None:
        """Step along the gradients of batches; before every pass take the full one."""
        while not self._done(of.gradient(self.v)):
            rows = order_of_pass()
            self.passes += 1
            before, order = self.v.copy(), rows[: (self.max_updates - self.updates) * batch]
            of.descend(self.v, order, batch, self.step)
            if self._overflown():
                self.v = before
                self.updates += self._up_to_overflow(of, order, batch)
                self.norm = float(kernel.length(of.gradient(self.v)))
                self.stopped = Stopped.OVERFLOW
                return
            self.updates += -(-len(order) // batch)

    def _up_to_overflow(self, of: MeanError, order: Order, batch: int) -> int:
        """Make those of a pass's updates after which w is finite, found by halving."""
        done, size = 0, 1 << len(order).bit_length()
        while size:
            kept = self.v.copy()
            of.descend(self.v, order[done * batch : (done + size) * batch], batch, self.step)
            if self._overflown():
                self.v = kept
            else:
                done += size
            size //= 2
        return done

    def _overflown(self) -> bool:
        return not np.isfinite(self.weights.sum()) and not np.isfinite(self.weights).all()

    def _done(self, g: Floats) -> bool:
        """Return whether the full gradient at w ends the run, and note why."""
        self.norm = float(kernel.length(g))
        if self.norm <= self.tol:
            self.stopped = Stopped.SMALL_GRADIENT
        elif self.updates >= self.max_updates:
            self.stopped = Stopped.UPDATES_SPENT
        else:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Rate:
    eta: float
    largest: float | None  # eta_max = 2 / L; None where there is no bound L

    @classmethod
    def of(cls, asked: object, lipschitz: float | None) -> Rate:
        """Return the rate given: a number, or 1 / L for "safe"."""
        largest = None
        if lipschitz is not None:
            largest = 2.0 / lipschitz if lipschitz > 0.0 else math.inf
        if asked != SAFE:
            return cls(checked_rate(asked), largest)
        if largest is None:
            raise InputError(
                "learning_rate='safe' is 1 / L, L a bound on how fast the gradient changes. There "
                "is none for the perceptron error, whose slope jumps at 0 (online, every rate "
                "gives the same path from w = 0), for unit steps, and for an error measure "
                "without `largest_curvature`. Give a number."
            )
        if largest == 0.0 or lipschitz is None:
            raise InputError(
                "learning_rate='safe' is 1 / L, and L overflows here: divide large columns of X "
                "by a power of two."
            )
        return cls(1.0 / lipschitz if 0.0 < largest / 2.0 < math.inf else 1.0, largest)

    def sentence(self) -> str:
        """Return the rate, the largest that is safe, and what to do."""
        if self.largest is None:
            return f"Lower learning_rate ({self.eta!r})."
        return (
            f"Lower learning_rate ({self.eta!r}): eta_max = 2 / L is {self.largest:.6g} here, and "
            "learning_rate='safe' takes 1 / L."
        )


def checked_rate(asked: object) -> float:
    if isinstance(asked, str):
        raise InputError(f"learning_rate={asked!r} must be a positive number or 'safe'.")
    return positive(asked, "learning_rate")


WIDEST_GRAM = 1000  # weights, constant included: d^2 doubles and ten products of such matrices
SQUARINGS = 10
ROUNDOFF = 2.0**-52  # twice the unit roundoff
LEAST_DOUBLE = 2.0**-1074


def lipschitz_of_rows(error: MeanError) -> float | None:
    """Return a bound on L of the error of every single row, and so of every batch."""
    size = error.radius**2 * (1.0 + (error.width + 7) * ROUNDOFF)
    return _with_curvature(error.measure, size)


def lipschitz_of_mean(error: MeanError, of: Gradients, max_updates: int) -> float | None:
    """Return a bound on L of E_in over all rows, which rounding cannot have made too small."""
    return _with_curvature(error.measure, _largest_eigenvalue_of_gram(error, of, max_updates))


def _with_curvature(measure: Differentiable, size: float) -> float | None:
    curvature = getattr(measure, "largest_curvature", None)
    if curvature is None:
        return None
    bound = float(curvature) * size * (1.0 + ROUNDOFF) + (LEAST_DOUBLE if size > 0.0 else 0.0)
    return bound if math.isfinite(bound) else math.inf


def _largest_eigenvalue_of_gram(of_rows: MeanError, of: Gradients, max_updates: int) -> float:
    """Return an upper bound on lambda_max(mean z z')."""
    n, width, top, total = of_rows.n, of_rows.width, of_rows.top, of_rows.total
    if top == 0.0:
        return 0.0
    trace = of_rows.rows.x0 + of_rows.squares / total
    underflow = 8.0 * (n * width * (1.0 + top) / total + 1.0) * LEAST_DOUBLE
    error = (n + width + 8) * ROUNDOFF * trace + width * underflow
    gram = of if isinstance(of, GramGradients) else None
    if gram is None and of_rows.dense and width <= min(WIDEST_GRAM, max_updates):
        gram = of_rows.gram()
    return trace + error if gram is None else min(trace, largest_eigenvalue_bound(gram.G)) + error


def largest_eigenvalue_bound(G: Floats, squarings: int = SQUARINGS) -> float:
    """Return an upper bound on |lambda| of a symmetric G: |G^(2^k)|^(1 / 2^k) after k squarings."""
    d = G.shape[0]
    largest = float(np.abs(G).max())
    if largest == 0.0:
        return 0.0
    B = G / largest
    length = float(np.linalg.norm(B)) * (1.0 + (d * d + 8) * ROUNDOFF)
    norm: float = largest * length
    if squarings == 0:
        return norm
    B /= length
    square = largest_eigenvalue_bound(B @ B, squarings - 1)
    return norm * math.sqrt(square + (d + 8) * ROUNDOFF)


DIFFERENTIABLE: Mapping[object, Any] = {
    name: measure for name, measure in MEASURES.items() if hasattr(measure, "slope")
}
STEPS: Mapping[object, bool] = {"gradient": False, "unit": True}


def gives_probabilities(learner: Untyped) -> bool:
    """Return True, or raise `InputError` where scores are no log odds; for `available_if`."""
    if not (isinstance(learner.error, CrossEntropy) or learner.error == CrossEntropy.name):
        raise InputError(
            f"error={learner.error!r} makes scores that are not log odds, so there is no "
            "predict_proba: use error='cross_entropy'."
        )
    return True


@final
@dataclass(kw_only=True, eq=False, repr=False)
class GradientDescent(WeightedLinearClassifier):
    """Gradient descent on an error measure, with batches and steps of a chosen kind.

    Plain form: `separatrix.plain.gradient_descent`.

    Parameters
    ----------
    error : {"perceptron", "squared", "cross_entropy"} or an object
        What is minimised: a name, or anything with ``value(a)`` and ``slope(a)``, arrays (N,) ->
        (N,) of the agreements a = y s. The 0/1 error is refused.
    learning_rate : float or "safe"
        eta, for the gradient of the *mean*: where others sum over rows with step mu, eta = mu N.
        "safe" is 1 / L, L a certified bound on how fast the gradient changes: for all rows
        c lambda_max(mean z z') (or its trace), for batches c max |z|^2, z = (1, x), with c = 2 for
        the squared error, 1 / 4 for cross-entropy, the ``largest_curvature`` of an own measure.
        Refused for the perceptron error and for unit steps.
    max_updates : int or None
    batch_size : None or int
        Rows of an update: None for all of them, 1 for online descent.
    shuffle : bool
        Whether each pass of batches has a random order of its own, or the order of the rows.
    step : {"gradient", "unit"}
        "unit" goes learning_rate far whatever |grad| is: w <- w - eta grad / |grad|.
    tol : float
        Stop when |grad E_in| over all rows is at most this. Looked at once per pass.
    init, fit_intercept, random_state : as in `Perceptron`, for `shuffle`

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,), threshold_ : float
    n_updates_, n_iter_ : int
        Steps made; scans of the rows begun to make them (batch descent: one per step).
    stopped_ : Stopped
    e_in_, gradient_norm_ : float
        Mean error of the line returned, in the measure that was minimised, and |grad E_in| there.
    learning_rate_ : float
        eta as used.
    max_learning_rate_ : float or None
        eta_max = 2 / L: up to there no step of batch descent goes uphill. None where L is.

    Warns
    -----
    NotConvergedWarning
        When the weights would overflow, the learning rate is too large, or the updates were spent
        before the gradient came down to a tol above 0.

    Notes
    -----
    The slope of the perceptron error at a = 0 is -1, and the sign of every score is exact: online
    descent with eta = 1 goes through PLA's own weights, until the full gradient vanishes.

    Batch descent on the squared error takes its gradients from the Gram matrix for a dense table
    with N >= 4 (1 + d) when max_updates >= 1 + d. In batch descent a `sample_weight` of k stands
    for k copies of the row; mini-batch and online descent refuse weights other than 1.

    A table in blocks gives the bytes of the same rows in memory; batches go through it without
    `shuffle`, with a batch_size that divides 4096.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> model = GradientDescent(learning_rate=1.0, max_updates=500).fit(X, y)
    >>> model.predict(X).tolist(), str(model.stopped_)
    ([0, 0, 1, 1], 'the budget of updates was spent')
    """

    error: Untyped = "cross_entropy"
    learning_rate: float | str = 0.1
    max_updates: int | None = 1000
    batch_size: int | None = None
    shuffle: bool = False
    step: str = "gradient"
    tol: float = 0.0
    init: ArrayLike = None
    fit_intercept: bool = True
    random_state: Untyped = None

    def _learn_rows(self, rows: Rows) -> Self:
        measure, batch = differentiable(self.error), _batch_size(self.batch_size)
        unit = one_of(STEPS, self.step, "step")
        if self.learning_rate != SAFE:
            checked_rate(self.learning_rate)
        budget, tol = limit(self.max_updates, "max_updates"), not_negative(self.tol, "tol")
        with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
            error = MeanError(rows, measure)
            if batch is not None:
                error.refuse_batch(batch)
            start = start_weights(self.init, rows)
            of = error.of_all_rows(budget) if batch is None else error
            if unit:
                bound = None
            elif batch is None:
                bound = lipschitz_of_mean(error, of, budget)
            else:
                bound = lipschitz_of_rows(error)
            rate = Rate.of(self.learning_rate, bound)
            self.learning_rate_, self.max_learning_rate_ = rate.eta, rate.largest
            at_start = error.value(start)
            run = _descent(measure, batch, Step(rate.eta, unit), start, (tol, budget))
            try:
                if batch is None:
                    run.by_all_rows(of)
                else:
                    shuffle = generator(self.random_state) if self.shuffle else None
                    run.by_batches(error, min(batch, rows.n), partial(error.order, shuffle))
            except KeyboardInterrupt:  # nothing is lost: the weights so far are the answer so far
                self._adopt_run(run, error)
                raise
            self._adopt_run(run, error)
        trouble = _trouble(run, rate, (at_start, self.e_in_), measure, tol)
        if trouble:
            warn(trouble, NotConvergedWarning)
        return self

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return P(classes_[0] | x) and P(classes_[1] | x) of rows X (N, d): (N, 2)."""
        return probabilities(self.decision_function(X))

    def _adopt_run(self, run: Descent, error: MeanError) -> None:
        self._adopt(error.rows, run.weights)
        self.n_updates_, self.n_iter_ = run.updates, run.passes
        self.stopped_, self.gradient_norm_ = run.stopped, run.norm
        self.e_in_ = error.value(run.weights)


def _descent(
    measure: Differentiable, batch: int | None, step: Step, start: Floats, until: tuple[float, int]
) -> Descent:
    """Return the descent from w_0 = start; online on the perceptron error in units of eta."""
    if batch != 1 or step.unit or not isinstance(measure, PerceptronError):
        return Descent(step, start, *until)
    return Descent(Step(1.0, unit=False), in_walk_units(start, step.eta), *until, step.eta)


def _trouble(
    run: Descent, rate: Rate, e_in: tuple[float, float], measure: Differentiable, tol: float
) -> str | None:
    """Return the warning for a run that did not go downhill to its end, or None."""
    not_done = f"Gradient descent is not done: {run.stopped} after {run.updates} updates."
    start, end = e_in
    if run.stopped is Stopped.OVERFLOW:
        return f"{not_done} {rate.sentence()} Or divide large columns of X by a power of two."
    # the perceptron error is 0 at w = 0 and as long as w: it says nothing about the rate
    if not isinstance(measure, PerceptronError) and not end <= start + NOISE * abs(start):
        return (
            f"Gradient descent ended above its start: E_in is {end:.6g} after {run.updates} "
            f"updates and was {start:.6g}. {rate.sentence()}"
        )
    if run.bounces and rate.largest is not None and rate.eta > rate.largest:
        return (
            f"Gradient descent goes back and forth: after {run.updates} updates |grad| is "
            f"{run.norm:.3g}, and the last step did not shorten it. {rate.sentence()}"
        )
    if run.stopped is Stopped.UPDATES_SPENT and tol > 0.0:
        return f"{not_done} |grad| is {run.norm:.3g}: raise max_updates or tol ({tol:.3g})."
    return None


def differentiable(error: Untyped) -> Differentiable:
    """Return the error measure, or refuse it with the reason."""
    if isinstance(error, ZeroOne) or (isinstance(error, str) and error == ZeroOne.name):
        raise InputError(
            "error='zero_one' is piecewise constant: its slope is 0 almost everywhere and says "
            "nothing, so there is nothing to descend. Choose 'perceptron', 'squared' or "
            "'cross_entropy', or minimise mistakes with Perceptron or Pocket."
        )
    measure = one_of(DIFFERENTIABLE, error, "error") if isinstance(error, str) else error
    if isinstance(measure, type):
        raise InputError(f"error={measure.__name__} is a class: pass one of its objects.")
    for wanted in ("value", "slope"):
        if not callable(getattr(measure, wanted, None)):
            raise InputError(
                f"error={error!r} has no {wanted}(a): pass a name ('perceptron', 'squared', "
                "'cross_entropy') or an object with value(a) and slope(a)."
            )
    made: Differentiable = measure
    return made


def _batch_size(value: Untyped) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or int(value) != value or value < 1:
        raise InputError(f"batch_size={value!r} must be a whole number, 1 or more, or None.")
    return int(value)
