"""Passive-aggressive learning: the least change of w that gives the row at hand a score of 1.

Minimises, at every row in turn, |w' - w|^2 / 2 subject to y w'.x >= 1 ("PA"), or with an error
e = max(0, 1 - y w'.x) allowed at the price C e ("PA-I") or C e^2 ("PA-II"). The update is
w <- w + tau y x with tau = e / |x|^2, min(C, e / |x|^2) or e / (|x|^2 + 1 / (2 C)), |x|^2 with the
constant 1 when there is an intercept (Crammer, Dekel, Keshet, Shalev-Shwartz & Singer 2006). It
stops after a pass without an update, or at the budget, which is the usual way and no failure: on
separable data it approaches a margin it may never reach. When its line makes no mistake, that is
proven (`Separation`); else it proves nothing.

Steps are real numbers, so there is no exact path to follow: sums are taken in the order of the
columns, which makes w the same bytes for dense and sparse rows and for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self, final

import numpy as np
from sklearn.utils.metaestimators import available_if

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Separation
from separatrix.data import Floats, InputError, Sample, read_batch
from separatrix.kernels.rows import squared_lengths
from separatrix.kernels.walks import perceptron as codes
from separatrix.kernels.walks.passive_aggressive import walk_passively
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._parameters import (
    generator,
    limit,
    one_of,
    positive,
    row_order,
    start_weights,
    visit_of_rows,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.partial_fit import refuse_loaded, takes_batches, updates_left
from separatrix.learners.walks.pla import SLICE_MULTIPLICATIONS, STOPPED

# (cap, soft) of tau = min(cap, e / (|x|^2 + soft)), given C
VARIANTS: Mapping[object, Callable[[float], tuple[float, float]]] = {
    "PA": lambda _: (np.inf, 0.0),
    "PA-I": lambda C: (C, 0.0),
    "PA-II": lambda C: (np.inf, 0.5 / C),
}


@final
class PassiveAggressive(LinearClassifier):
    """Online learning that does nothing where the score is right and large, else just enough.

    Plain form: `separatrix.plain.passive_aggressive`.

    Parameters
    ----------
    C : float
        How much one row may move w; not used by "PA".
    variant : {"PA-I", "PA", "PA-II"}
        Steps capped by C; not capped; shortened by 1 / (2 C).
    visit : {"cyclic", "permuted"}
        As in `AveragedPerceptron`.
    init : None, "regression" or array (1+d,)
    max_updates, max_iter : budgets in updates and passes; None for none
    fit_intercept : bool
        The constant 1 then counts in |x|^2, as a feature does.
    random_state : int, RandomState or None
        For "permuted".

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
    n_updates_, n_iter_ : int
        Rows that moved w; passes begun.
    stopped_ : Stopped
    counts_ : int array (N,)
        Updates on each row.
    certificate_ : Separation or None
        After `partial_fit` None: the rows before are gone.

    Examples
    --------
    >>> model = PassiveAggressive().fit([[-1.0], [1.0]], ["no", "yes"])
    >>> model.coef_.tolist(), model.intercept_.tolist(), str(model.stopped_)
    ([[1.0]], [0.0], 'a whole pass met no mistake')
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: str = "PA-I",
        visit: str = "cyclic",
        init: ArrayLike = None,
        max_updates: int | None = None,
        max_iter: int | None = 10,
        fit_intercept: bool = True,
        random_state: Untyped = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.visit = visit
        self.init = init
        self.max_updates = max_updates
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _learn(self, sample: Sample) -> Self:
        """Visit rows until a pass without an update or a budget."""
        visit = visit_of_rows(self.visit)
        x0 = 1.0 if self.fit_intercept else 0.0
        w = start_weights(self.init, sample, x0)
        run = _Run(sample, w, x0, row_order(visit, sample.n, generator(self.random_state)))
        budgets = limit(self.max_updates, "max_updates"), limit(self.max_iter, "max_iter")
        try:
            run.walk(*self._rule(), *budgets)
        finally:  # of an interrupted fit nothing is lost: the weights so far are the answer so far
            if run.stopped is not None:
                self._adopt_run(run)
                self.certificate_ = self._separation(sample, x0)
        return self

    @available_if(takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike = None) -> Self:
        """Go on with one pass over more rows X (N, d), y (N,).

        From an unfitted learner, any number of calls equals ``fit`` with ``max_iter=1`` on all
        their rows in turn, bit for bit. ``classes`` are both labels, when the first rows may hold
        only one of them.
        """
        refuse_loaded(self, "counts_")
        sample = read_batch(self, X, y, classes)
        x0 = 1.0 if self.fit_intercept else 0.0
        before = hasattr(self, "counts_")
        w = self._weights() if before else start_weights(self.init, sample, x0)
        run = _Run(sample, w, x0, np.arange(sample.n))
        run.walk(*self._rule(), updates_left(self), 1)
        if run.stopped is Stopped.CLEAN_PASS:  # of this batch only
            run.stopped = Stopped.PASSES_SPENT
        if before:
            run.counts = np.concatenate((self.counts_, run.counts))
            run.state[codes.UPDATES] += self.n_updates_
            run.state[codes.PASSES] = self.n_iter_
        self._adopt_run(run)
        self.certificate_ = None
        return self

    def _rule(self) -> tuple[float, float]:
        """Return cap and soft."""
        return one_of(VARIANTS, self.variant, "variant")(positive(self.C, "C"))

    def _adopt_run(self, run: _Run) -> None:
        self._adopt(run.sample, run.w)
        self.counts_ = run.counts
        self.n_updates_ = int(run.state[codes.UPDATES])
        self.n_iter_ = int(run.state[codes.PASSES])
        self.stopped_ = run.stopped

    def _separation(self, sample: Sample, x0: float) -> Separation | None:
        if self._count_mistakes(sample) > 0:
            return None
        return Separation(self._weights(), x0)


class _Run:
    """A run under way: everything that changes from slice to slice."""

    def __init__(self, sample: Sample, w: Floats, x0: float, order: np.ndarray) -> None:
        self.sample, self.w, self.x0, self.order = sample, w, x0, order
        self.state = np.zeros(4, dtype=np.int64)
        self.counts = np.zeros(sample.n, dtype=np.int64)
        self.stopped: Stopped | None = None

    def walk(self, cap: float, soft: float, max_updates: int, max_passes: int) -> None:
        """Run slices of compiled work until one of them ends the run."""
        sample = self.sample
        lengths = squared_lengths(sample.rows, sample.n, self.x0)
        per_slice = 1 + SLICE_MULTIPLICATIONS // (sample.d + 1)
        try:
            while self.stopped is None:
                why = walk_passively(
                    sample.rows, sample.y, self.order, lengths, self.w, self.x0, cap, soft,
                    self.state, self.counts, max_updates, max_passes, per_slice,
                )  # fmt: skip
                if why == codes.OVERFLOW:
                    raise InputError(
                        "the weights overflow float64: some rows of X are as long as 1e154 or as "
                        "short as 1e-154. Multiply the columns by a power of two (exact, and the "
                        "same question)."
                    )
                self.stopped = STOPPED.get(why)
        except KeyboardInterrupt:
            self.stopped = Stopped.INTERRUPTED
            raise
