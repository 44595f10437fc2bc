"""Gallant's pocket with ratchet: weights that stay right for longer, and are better, are kept.

Minimises the 0/1 error as far as a walk finds it. Rows are visited one by one; a mistake is
corrected as in PLA and ends the *run* of correct rows. When a run becomes longer than the pocket's
had been, all rows are counted, and the pocket takes the walking weights if they have strictly fewer
mistakes (Gallant 1990, "Perceptron-based learning algorithms"). So most weights are never counted:
updates are cheap, but the best line of the walk may be passed by. Stops after the given updates or
visits, or at 0 mistakes. It proves nothing about other lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Recount
from separatrix.data import Floats, Sample
from separatrix.kernels.rows import certain_bound
from separatrix.kernels.walks import perceptron as perceptron_kernel
from separatrix.kernels.walks import ratchet as kernel
from separatrix.kernels.walks.perceptron import all_mistakes
from separatrix.learners._linear import WeightedLinearClassifier
from separatrix.learners._parameters import (
    NO_LIMIT,
    TIES,
    generator,
    in_walk_units,
    limit,
    one_of,
    refuse_overflow,
    row_order,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.trace import CAPACITY, Trace

VISITS: Mapping[object, str] = {"random": "random", "cyclic": "cyclic", "permuted": "permuted"}
STOPPED = {
    perceptron_kernel.UPDATES_SPENT: Stopped.UPDATES_SPENT,
    perceptron_kernel.PASSES_SPENT: Stopped.PASSES_SPENT,
}
SLICE_VISITS = 16384


@final
class RatchetPocket(WeightedLinearClassifier):
    """The line with the fewest mistakes among those that stayed right for long.

    Plain form: `separatrix.plain.ratchet_pocket`.

    Parameters
    ----------
    max_updates : int
    max_iter : int
        Budget of visits, in passes: N rows each.
    visit : {"random", "cyclic", "permuted"}
        "random" draws every row from all of them; the others go on in order.
    sign_of_zero : {"mistake", -1, 1}
        What a zero score answers while walking and in `predict` ("mistake": no); in the count it
        is always a mistake.
    init : None, "regression" or array (1+d,)
    fit_intercept : bool
    random_state : int, RandomState or None

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
        The pocket.
    n_errors_ : float
        Its mistakes on the rows of the fit (their weights added up, if weights were given).
    certificate_ : Recount
        ``certificate_.verify(X, y)`` counts them again.
    n_swaps_ : int
        How often the pocket changed after the start.
    run_length_ : int
        How many rows in a row the pocket had got right when it was taken; 0 for the start.
    last_coef_ : (1, d), last_intercept_ : (1,)
        The walking weights at the end.
    n_updates_, n_visits_, n_iter_ : int
        Updates made; rows visited; passes begun.
    stopped_ : Stopped
    trace_ : Trace

    Notes
    -----
    `sample_weight` (N,) weighs the mistakes that are counted; the walk itself visits rows, not
    copies of rows.

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = RatchetPocket(max_updates=50, random_state=0).fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, str(model.stopped_)
    (2.0, 'the budget of updates was spent')
    """

    def __init__(
        self,
        *,
        max_updates: int = 1000,
        max_iter: int = 1000,
        visit: str = "random",
        sign_of_zero: int | str = "mistake",
        init: ArrayLike = None,
        fit_intercept: bool = True,
        random_state: Untyped = None,
    ) -> None:
        self.max_updates = max_updates
        self.max_iter = max_iter
        self.visit = visit
        self.sign_of_zero = sign_of_zero
        self.init = init
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _learn(self, sample: Sample) -> Self:
        """Visit rows within the budgets; keep weights that stayed right for longest."""
        random = generator(self.random_state)
        visit = one_of(VISITS, self.visit, "visit")
        tie = one_of(TIES, self.sign_of_zero, "sign_of_zero")
        budgets = limit(self.max_updates, "max_updates"), limit(self.max_iter, "max_iter")
        x0 = 1.0 if self.fit_intercept else 0.0
        start = in_walk_units(start_weights(self.init, sample, x0), 1.0)
        run = _Run(sample, x0, tie, start)
        try:
            run.walk(visit, random, *budgets)
        finally:  # of an interrupt too: the pocket so far is the answer so far
            if np.isfinite(run.v).all():
                self._adopt_run(run, start)
        return self

    def _adopt_run(self, run: _Run, start: Floats) -> None:
        self._adopt(run.sample, run.pocket)
        self.last_coef_ = run.v[np.newaxis, 1:].copy()
        self.last_intercept_ = run.v[:1].copy()
        self.n_errors_ = float(run.best[0])
        self.certificate_ = Recount(run.pocket.copy(), self.n_errors_, run.sample.weight, run.x0)
        self.n_swaps_ = int(run.state[kernel.SWAPS])
        self.run_length_ = int(run.state[kernel.POCKET_RUN])
        self.n_updates_ = int(run.state[kernel.UPDATES])
        self.n_visits_ = int(run.state[kernel.VISITS])
        self.n_iter_ = max(1, -(-self.n_visits_ // run.sample.n))
        self.counts_ = run.counts
        self.stopped_ = run.stopped
        rows = np.concatenate(run.visited) if run.visited else np.empty(0, dtype=np.int64)
        self.trace_ = Trace(start, 1.0, rows[:CAPACITY], self.n_updates_, run.v.copy(), run.x0)


class _Run:
    """A run under way: everything that changes from slice to slice."""

    def __init__(self, sample: Sample, x0: float, tie: float, start: Floats) -> None:
        self.sample, self.x0, self.tie = sample, x0, tie
        self.v, self.pocket = start.copy(), start.copy()
        self.state = np.zeros(6, dtype=np.int64)
        self.counts = np.zeros(sample.n, dtype=np.int64)
        self.visited: list[np.ndarray] = []
        self.stopped = Stopped.INTERRUPTED  # until a slice says otherwise
        radius_squared = sample.radius(x0) ** 2 * (1.0 + 1e-12)
        self.bounds = np.array([(start @ start) * (1.0 + 1e-12), radius_squared])
        self.best = np.array([self._weighed_mistakes()])

    def _weighed_mistakes(self) -> float:
        """Return what the mistakes of the start weigh."""
        sample, everything = self.sample, np.arange(self.sample.n)
        certain = certain_bound(self.bounds[0], self.bounds[1], self.v.size)
        _, weighed = all_mistakes(
            sample.rows, sample.y, everything, self.v, self.x0, self.tie, certain, sample.weight,
            np.empty_like(everything),
        )  # fmt: skip
        return float(weighed)

    def walk(
        self, visit: str, random: np.random.Generator, max_updates: int, max_iter: int
    ) -> None:
        """Run slices of compiled work until one of them ends the run."""
        sample = self.sample
        max_visits = min(NO_LIMIT, max_iter * sample.n)
        order = row_order(visit, sample.n, random)
        buffer = np.empty(SLICE_VISITS, dtype=np.int64)
        why, first = perceptron_kernel.GOING_ON, 0
        try:
            while why == perceptron_kernel.GOING_ON:
                if visit == "random":
                    turns = (random.random(SLICE_VISITS) * sample.n).astype(np.int64)
                else:
                    turns = order[np.arange(first, first + SLICE_VISITS) % sample.n]
                first = (first + SLICE_VISITS) % sample.n
                why, k = kernel.walk_with_ratchet(
                    sample.rows, sample.y, turns, self.v, self.pocket, self.best, self.x0, self.tie,
                    sample.weight, self.bounds, self.state, self.counts, buffer, max_updates,
                    max_visits,
                )  # fmt: skip
                self.visited.append(buffer[:k].copy())
        except KeyboardInterrupt:  # a slice is done and its rows are not kept: they are in `buffer`
            made = int(self.state[kernel.UPDATES]) - sum(r.size for r in self.visited)
            self.visited.append(buffer[:made].copy())
            raise
        if why == perceptron_kernel.OVERFLOW:
            raise refuse_overflow()
        self.stopped = self._clean() if why == perceptron_kernel.CLEAN_PASS else STOPPED[why]

    def _clean(self) -> Stopped:
        return Stopped.CLEAN_PASS if self.sample.weight.all() else Stopped.NOTHING_COUNTED
