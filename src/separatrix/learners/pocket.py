"""The pocket algorithm: PLA on mistakes, keeping a copy of the best weights seen.

Minimises the 0/1 error as far as a walk of so many updates finds it (Gallant 1990; Lin, *Machine
Learning Foundations*, lecture 2). Stops after the given updates, or at 0 mistakes. After every
update all rows are recounted, which is why it is slower than PLA on separable data. It proves
nothing about other lines: how few mistakes *any* line can make is another question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Recount
from separatrix.data import Floats, Sample
from separatrix.kernels.walks import pocket_scan as kernel
from separatrix.learners._linear import WeightedLinearClassifier
from separatrix.learners._parameters import (
    TIES,
    generator,
    in_walk_units,
    limit,
    one_of,
    row_order,
    start_weights,
)
from separatrix.learners.walks.pocket import PocketRun
from separatrix.trace import CAPACITY, Trace

RULES: Mapping[object, int] = {
    "cyclic": kernel.FROM_HERE,
    "naive": kernel.FROM_START,
    "permuted": kernel.FROM_HERE,
    "random": kernel.AT_RANDOM,
}


@final
class Pocket(WeightedLinearClassifier):
    """The best line that a PLA walk of `max_updates` updates meets.

    Plain form: `separatrix.plain.pocket`.

    Parameters
    ----------
    max_updates : int
    visit : {"random", "cyclic", "naive", "permuted"}
        Which mistake is corrected next, as in `Perceptron`.
    sign_of_zero : {"mistake", -1, 1}
        What a zero score answers while walking and in `predict` ("mistake": no); in the count it
        is always a mistake.
    init : None, "regression" or array (1+d,)
    fit_intercept : bool
    random_state : int, RandomState or None

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
        The pocket: a copy of the best weights, recounted on all rows.
    n_errors_ : float
        Its mistakes on the rows of the fit (their weights added up, if weights were given).
    certificate_ : Recount
        ``certificate_.verify(X, y)`` counts them again.
    n_swaps_ : int
        How often the pocket changed after the start.
    last_coef_ : (1, d), last_intercept_ : (1,)
        The walking weights at the end, usually worse.
    n_updates_, n_iter_ : int
        Updates made; scans of the data, one per update and one at the start.
    stopped_ : Stopped
    trace_ : Trace

    Notes
    -----
    `sample_weight` (N,) weighs the mistakes that are counted; the walk itself visits rows, not
    copies of rows, so a weight of 2 is not the same as the row twice.

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = Pocket(max_updates=50, random_state=0).fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, str(model.stopped_)
    (1.0, 'the budget of updates was spent')
    """

    def __init__(
        self,
        *,
        max_updates: int = 1000,
        visit: str = "random",
        sign_of_zero: int | str = "mistake",
        init: ArrayLike = None,
        fit_intercept: bool = True,
        random_state: Untyped = None,
    ) -> None:
        self.max_updates = max_updates
        self.visit = visit
        self.sign_of_zero = sign_of_zero
        self.init = init
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _learn(self, sample: Sample) -> Self:
        """Walk for a budget of updates; keep a copy of the best weights."""
        random = generator(self.random_state)
        rule = one_of(RULES, self.visit, "visit")
        tie = one_of(TIES, self.sign_of_zero, "sign_of_zero")
        max_updates = limit(self.max_updates, "max_updates")
        x0 = 1.0 if self.fit_intercept else 0.0
        start = in_walk_units(start_weights(self.init, sample, x0), 1.0)
        order = row_order(self.visit, sample.n, random)
        run = PocketRun(sample, x0, start, tie)
        try:
            run.walk(rule, order, random, max_updates)
        except KeyboardInterrupt:  # nothing is lost: the pocket so far is the answer so far
            self._adopt_run(run, start)
            raise
        self._adopt_run(run, start)
        return self

    def _adopt_run(self, run: PocketRun, start: Floats) -> None:
        self._adopt(run.sample, run.pocket)
        self.last_coef_ = run.v[np.newaxis, 1:].copy()
        self.last_intercept_ = run.v[:1].copy()
        self.n_errors_ = float(run.best[0])
        self.certificate_ = Recount(run.pocket.copy(), self.n_errors_, run.sample.weight, run.x0)
        self.n_swaps_ = int(run.state[kernel.SWAPS])
        self.n_updates_ = int(run.state[kernel.UPDATES])
        self.n_iter_ = self.n_updates_ + 1
        self.counts_ = run.counts
        self.stopped_ = run.stopped
        rows = np.concatenate(run.visited) if run.visited else np.empty(0, dtype=np.int64)
        self.trace_ = Trace(start, 1.0, rows[:CAPACITY], self.n_updates_, run.v.copy(), run.x0)
