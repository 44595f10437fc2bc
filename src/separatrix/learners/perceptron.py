"""The perceptron learning algorithm (PLA).

Minimises the 0/1 error when the data are separable: find a mistake, w <- w + eta y x, until a whole
pass meets none. It stops by itself exactly then, after at most (R / rho)^2 updates (Novikoff 1962;
Lin, *Machine Learning Foundations*, lecture 2); else a budget stops it, and `stopped_` says which.
A clean pass proves separability (`Separation`); a run cut short proves that no line has a margin
above |w_T - w_0| / (eta T) (`Multipliers`).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Self, final

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from separatrix._types import ArrayLike, Untyped
from separatrix.data import NotConvergedWarning, Sample, read_batch, read_rows
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._parameters import (
    TIES,
    column_sizes,
    generator,
    in_walk_units,
    limit,
    one_of,
    positive,
    row_order,
    start_weights,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.partial_fit import (
    join,
    refuse_loaded,
    resumed,
    takes_batches,
    updates_left,
)
from separatrix.learners.walks.pla import Step, Walk

VISITS: Mapping[object, str] = {visit: visit for visit in ("cyclic", "naive", "permuted", "random")}

IN_ROW_ORDER = ("cyclic", "naive")
FAR_APART = 10.0  # column sizes


@final
class Perceptron(LinearClassifier):
    """PLA, with its path canonical, its trace replayable and its result proven.

    Plain form: `separatrix.plain.pla`.

    Parameters
    ----------
    visit : {"cyclic", "naive", "permuted", "random"}
        Where the next mistake is looked for: from the next row on; from row 1 again; along one
        fixed random cycle; uniformly among all current mistakes.
    sign_of_zero : {"mistake", -1, 1}
        What a zero score answers, in the walk and in `predict`, exports and model files.
        "mistake": in the walk it is one, whatever y is, and `predict` says no. E_in counts it as
        a mistake in any case: under +1, `score` may be 1 where E_in is not 0.
    learning_rate : float
        eta. From a zero start it never changes the path, only the length of w.
    init : None, "regression" or array (1+d,)
        w_0: zero, the least-squares line on y = -1 / +1, or given (w_0 first).
    max_updates, max_iter, time_limit : budgets in updates, passes and seconds; None for none
        With a time limit the result depends on the machine.
    fit_intercept : bool
    random_state : int, RandomState or None
        For "permuted" and "random".

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,), threshold_ : float
    n_updates_ : int
        T, the mistakes corrected.
    n_iter_ : int
        Passes: scans of the data begun (naive and random order: T + 1 when it ends by itself).
    stopped_ : Stopped
        Why it stopped; ``str(stopped_)`` is a sentence.
    certificate_ : Separation, Multipliers or None
        What the run proves; check it with ``certificate_.verify(X, y)``.
    counts_ : int array (N,)
        Updates on each row; their sum is T.
    trace_ : Trace
        Replays every w_t bit for bit.

    Warns
    -----
    NotConvergedWarning
        When a budget ended before a clean pass.

    Notes
    -----
    `fit` takes no `sample_weight`: k copies of a row are visited k times in turn, which is not the
    path of any weighting of one visit.

    Examples
    --------
    >>> model = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.predict([[1, 1], [0, 1]]).tolist(), model.n_updates_, str(model.stopped_)
    ([1, 0], 18, 'a whole pass met no mistake')
    """

    def __init__(
        self,
        *,
        visit: str = "cyclic",
        sign_of_zero: int | str = "mistake",
        learning_rate: float = 1.0,
        init: ArrayLike = None,
        max_updates: int | None = None,
        max_iter: int | None = 1000,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        random_state: Untyped = None,
    ) -> None:
        self.visit = visit
        self.sign_of_zero = sign_of_zero
        self.learning_rate = learning_rate
        self.init = init
        self.max_updates = max_updates
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _learn(self, sample: Sample) -> Self:
        """Walk until a clean pass or a budget."""
        x0 = 1.0 if self.fit_intercept else 0.0
        eta = positive(self.learning_rate, "learning_rate")
        visit = one_of(VISITS, self.visit, "visit")
        check_random_state(self.random_state)
        random = None if visit in IN_ROW_ORDER else generator(self.random_state)
        start = in_walk_units(start_weights(self.init, sample, x0), eta)
        order = None if random is None else row_order(visit, sample.n, random)
        tie = one_of(TIES, self.sign_of_zero, "sign_of_zero")
        walk = Walk(sample, x0, start, order, tie)
        try:
            walk.run(self._step(walk, visit, random), self.time_limit)
        finally:  # of an interrupted fit nothing is lost: the weights so far are the answer so far
            if walk.stopped is not None:
                self._adopt_walk(walk, eta)
        if self.stopped_ is not Stopped.CLEAN_PASS:
            warnings.warn(
                f"PLA is not done: {self.stopped_} after {self.n_updates_} updates in "
                f"{self.n_iter_} passes. {_ways_on(sample, self._count_mistakes(sample))}",
                NotConvergedWarning,
                stacklevel=3,
            )
        return self

    def _read(self, X: ArrayLike, y: ArrayLike) -> Sample:
        return read_rows(self, X, y)  # float32 stays as it is

    @available_if(takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike = None) -> Self:
        """Go on with one pass over more rows X (N, d), y (N,).

        From an unfitted learner, any number of calls equals ``fit`` with ``max_iter=1`` on all
        their rows in turn, bit for bit: weights, updates, counts and trace, whose row numbers go on
        from call to call. After `fit` it goes on from where that ended. Only ``visit="cyclic"``
        can: the other orders need all rows at once.

        Parameters
        ----------
        classes : array (2,)
            Both labels, when the first rows may hold only one of them.
        """
        refuse_loaded(self, "trace_")
        sample = read_batch(self, X, y, classes)
        walk, eta = resumed(self, sample)
        walk.run(walk.step_in_order(updates_left(self), 1))
        join(self, walk)
        self._adopt_walk(walk, eta)
        return self

    def _step(self, walk: Walk, visit: str, random: np.random.Generator | None) -> Step:
        budgets = limit(self.max_updates, "max_updates"), limit(self.max_iter, "max_iter")
        if visit == "random" and random is not None:
            return walk.step_at_random(*budgets, random)
        return walk.step_in_order(*budgets, restart=visit == "naive")

    def _adopt_walk(self, walk: Walk, eta: float) -> None:
        self._adopt(walk.sample, eta * walk.v)
        self.counts_ = walk.counts
        self.n_updates_, self.n_iter_ = walk.n_updates, walk.n_passes
        self.stopped_ = walk.stopped
        self.trace_ = walk.trace(eta)
        self.certificate_ = walk.certificate()


def _ways_on(sample: Sample, mistakes: int) -> str:
    """Return what helps where PLA did not end by itself, and what each gives on these rows."""
    sizes = column_sizes(sample.X)
    sizes = sizes[sizes > 0.0]
    with np.errstate(over="ignore"):
        apart = sizes.max() / sizes.min() if sizes.size else 1.0
    if apart >= FAR_APART:
        scaling = (
            f"The largest values of the columns differ by a factor of {apart:.3g}: dividing each "
            "column by its own may take far fewer updates (if a line separates the rows)."
        )
    else:
        scaling = (
            f"The columns differ in size by a factor of {apart:.3g} only: scaling them helps "
            "little."
        )
    return (
        "This does not say whether the data are separable: separatrix.separability does, with a "
        f"proof. The last line makes {mistakes:,} mistakes in {sample.n:,} rows; Pocket keeps the "
        f"best line that it meets. {scaling}"
    )
