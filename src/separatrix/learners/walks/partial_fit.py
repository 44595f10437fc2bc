"""Rows that come in batches: one pass over each, as if over all of them in turn."""

from __future__ import annotations

import numpy as np

from separatrix._types import Untyped
from separatrix.data import InputError, Sample
from separatrix.kernels.walks.perceptron import PASSES, UPDATES
from separatrix.learners._parameters import (
    TIES,
    in_walk_units,
    limit,
    one_of,
    positive,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.pla import Walk
from separatrix.trace import CAPACITY, Trace


def takes_batches(learner: Untyped) -> bool:
    """Return True, or raise `InputError` where a pass over a batch is no part of one over all rows.

    For scikit-learn's `available_if`: a learner that cannot has no `partial_fit`, and the
    AttributeError's cause says why.
    """
    if learner.visit != "cyclic":
        raise InputError(
            f"partial_fit goes on row by row, and visit={learner.visit!r} needs all rows at once: "
            "use visit='cyclic', or fit."
        )
    if isinstance(learner.init, str):
        raise InputError(
            f"partial_fit cannot start from init={learner.init!r}, which needs all rows at once: "
            "use None or an array, or fit."
        )
    return True


def refuse_loaded(learner: Untyped, state: str) -> None:
    """Raise `InputError` for a learner from a file, which lacks the `state` to go on from."""
    if hasattr(learner, "coef_") and not hasattr(learner, state):
        raise InputError(
            "this learner was loaded from a file, which keeps the weights and not the walk: start "
            "a new one with init=np.concatenate((model.intercept_, model.coef_[0]))."
        )


def resumed(learner: Untyped, sample: Sample) -> tuple[Walk, float]:
    """Return the walk over a batch, from where the learner's trace ends, and its eta."""
    tie = one_of(TIES, learner.sign_of_zero, "sign_of_zero")
    before: Trace | None = getattr(learner, "trace_", None)
    if before is not None:
        return Walk(sample, before.x0, before.end.copy(), None, tie), before.learning_rate
    x0 = 1.0 if learner.fit_intercept else 0.0
    eta = positive(learner.learning_rate, "learning_rate")
    start = in_walk_units(start_weights(learner.init, sample, x0), eta)
    return Walk(sample, x0, start, None, tie), eta


def updates_left(learner: Untyped) -> int:
    """Return what is left of the budget of updates."""
    return max(0, limit(learner.max_updates, "max_updates") - getattr(learner, "n_updates_", 0))


def join(learner: Untyped, walk: Walk) -> None:
    """Make the walk over a batch the walk over all rows so far, in place."""
    spent = walk.stopped is Stopped.UPDATES_SPENT
    before: Trace | None = getattr(learner, "trace_", None)
    if before is not None:
        spent = spent or learner.stopped_ is Stopped.UPDATES_SPENT
        room = max(0, CAPACITY - before.rows.size)
        new = np.concatenate([before.rows[:0], *walk.rows])[:room] + learner.counts_.size
        walk.rows = [before.rows, new]
        walk.start = before.start
        walk.counts = np.concatenate((learner.counts_, walk.counts))
        walk.state[UPDATES] += before.n_updates
        walk.state[PASSES] = learner.n_iter_
    # one pass over a batch proves nothing about the rows before it
    walk.stopped = Stopped.UPDATES_SPENT if spent else Stopped.PASSES_SPENT
