"""The averaged perceptron: PLA's walk, answered by the mean of its weights.

Minimises nothing of its own: it makes PLA's updates, and its line is the mean of w over all visits
of a row, each counted after the visit. Long-lived weights so weigh most, which is what helps on
data that are not separable (Freund & Schapire 1999, section 5; Collins 2002). It stops as PLA does,
or at the budget, which is the usual way and no failure. A clean pass proves separability by the
*last* weights, not by the mean; a run cut short bounds every margin, as PLA's does.

The mean needs no copies: w is in it once for every visit, so it is w_T - (1/V) sum_k (t_k - 1) y x
over the updates, made at visits t_k of V.
"""

from __future__ import annotations

from typing import Self, final

import numpy as np
from sklearn.utils.metaestimators import available_if

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, Sample, read_batch
from separatrix.kernels.walks.voting import add_aged
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._parameters import (
    TIES,
    generator,
    in_walk_units,
    limit,
    one_of,
    positive,
    refuse_overflow,
    row_order,
    start_weights,
    visit_of_rows,
)
from separatrix.learners.walks.partial_fit import (
    join,
    refuse_loaded,
    resumed,
    takes_batches,
    updates_left,
)
from separatrix.learners.walks.pla import Integers, Step, Visits, Walk


@final
class AveragedPerceptron(LinearClassifier):
    """The mean of PLA's weights over all row visits.

    Plain form: `separatrix.plain.averaged_perceptron`.

    Parameters
    ----------
    visit : {"cyclic", "permuted"}
        The rows in turn, or one fixed random cycle. The other two orders of `Perceptron` search
        for mistakes: they do not visit rows, so there is nothing to average over.
    sign_of_zero, learning_rate, init : as in `Perceptron`
    max_updates, max_iter : budgets in updates and passes; None for none
    fit_intercept : bool
    random_state : int, RandomState or None
        For "permuted".

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
        The mean.
    last_coef_ : (1, d), last_intercept_ : (1,)
        PLA's own weights at the end.
    n_visits_ : int
        V, the visits averaged over.
    n_updates_, n_iter_, stopped_, counts_, trace_ : as in `Perceptron`
    certificate_ : Separation (of the last weights), Multipliers or None

    Examples
    --------
    >>> model = AveragedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.predict([[1, 1], [0, 1]]).tolist(), model.n_updates_, model.n_visits_
    ([1, 0], 18, 34)
    """

    def __init__(
        self,
        *,
        visit: str = "cyclic",
        sign_of_zero: int | str = "mistake",
        learning_rate: float = 1.0,
        init: ArrayLike = None,
        max_updates: int | None = None,
        max_iter: int | None = 10,
        fit_intercept: bool = True,
        random_state: Untyped = None,
    ) -> None:
        self.visit = visit
        self.sign_of_zero = sign_of_zero
        self.learning_rate = learning_rate
        self.init = init
        self.max_updates = max_updates
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _learn(self, sample: Sample) -> Self:
        """Walk until a clean pass or a budget; take the mean."""
        visit = visit_of_rows(self.visit)
        x0 = 1.0 if self.fit_intercept else 0.0
        eta = positive(self.learning_rate, "learning_rate")
        start = in_walk_units(start_weights(self.init, sample, x0), eta)
        random = generator(self.random_state)
        order = None if visit == "cyclic" else row_order(visit, sample.n, random)
        walk = Walk(sample, x0, start, order, one_of(TIES, self.sign_of_zero, "sign_of_zero"))
        budgets = limit(self.max_updates, "max_updates"), limit(self.max_iter, "max_iter")
        late, visits = np.zeros(sample.d + 1), Visits(walk)
        try:
            walk.run(_averaging(walk, walk.step_in_order(*budgets), visits, late))
        finally:  # of an interrupted fit nothing is lost
            if walk.stopped is not None:
                self._adopt_walk(walk, eta, visits.made, late)
        return self

    @available_if(takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike = None) -> Self:
        """Go on with one pass over more rows X (N, d), y (N,), as `Perceptron.partial_fit` does.

        From an unfitted learner, any number of calls equals ``fit`` with ``max_iter=1`` on all
        their rows in turn, bit for bit. ``classes`` are both labels, when the first rows may hold
        only one of them.
        """
        refuse_loaded(self, "_late")
        sample = read_batch(self, X, y, classes)
        walk, eta = resumed(self, sample)
        late = self._late.copy() if hasattr(self, "_late") else np.zeros(sample.d + 1)
        visits = Visits(walk, getattr(self, "n_visits_", 0))
        walk.run(_averaging(walk, walk.step_in_order(updates_left(self), 1), visits, late))
        made = visits.made
        join(self, walk)
        self._adopt_walk(walk, eta, made, late)
        return self

    def _adopt_walk(self, walk: Walk, eta: float, made: int, late: Floats) -> None:
        self._adopt(walk.sample, eta * (walk.v - late / max(1, made)))
        last = eta * walk.v
        self.last_coef_, self.last_intercept_ = last[np.newaxis, 1:].copy(), last[:1].copy()
        self._late, self.n_visits_ = late, made
        self.counts_ = walk.counts
        self.n_updates_, self.n_iter_ = walk.n_updates, walk.n_passes
        self.stopped_ = walk.stopped
        self.trace_ = walk.trace(eta)
        self.certificate_ = walk.certificate()


def _averaging(walk: Walk, step: Step, visits: Visits, late: Floats) -> Step:
    """Return the step that also adds (t_k - 1) y x of its updates to `late` (1+d,)."""
    sample = walk.sample

    def averaged(visited: Integers) -> tuple[int, int]:
        why, k = step(visited)
        ages = (visits.number(visited[:k]) - 1).astype(np.float64)
        add_aged(sample.rows, sample.y, visited[:k], ages, late, walk.x0)
        if not np.isfinite(late).all():
            raise refuse_overflow()
        return why, k

    return averaged
