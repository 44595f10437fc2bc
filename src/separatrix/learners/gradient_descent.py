"""Gradient descent on any differentiable error measure (lectures 10 and 11).

w <- w - eta grad E_in(w), E_in the *mean* over rows: of all at once (batch), a few (mini-batch) or
one (online). It stops when the full gradient is no longer than tol, or when its updates are spent.
It proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, final

import numpy as np
from sklearn.utils.metaestimators import available_if

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, NotConvergedWarning, warn
from separatrix.errors import MEASURES, CrossEntropy, Differentiable, PerceptronError, ZeroOne
from separatrix.learners._parameters import (
    generator,
    in_walk_units,
    limit,
    not_negative,
    one_of,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import WeightedLinearClassifier, probabilities
from separatrix.learners.descent.mean_error import MeanError, Step
from separatrix.learners.descent.run import (
    NOISE,
    SAFE,
    Descent,
    Rate,
    checked_rate,
    lipschitz_of_mean,
    lipschitz_of_rows,
)
from separatrix.scale import Rows
from separatrix.tiles import one_blas_thread

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
