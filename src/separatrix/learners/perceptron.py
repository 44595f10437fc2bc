"""The perceptron learning algorithm (PLA): find a mistake, w <- w + eta y x, until there is none.

On separable data it stops after at most (R / rho)^2 updates (Novikoff 1962; Lin, *Machine Learning
Foundations*, lecture 2). A clean pass proves separability (`Separation`); a run cut short proves
that no line has a margin above |w_T - w_0| / (eta T) (`Multipliers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, final

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Sample, ignored, read_sample, warn
from separatrix.data.points import FLOATS
from separatrix.kernels.walks.perceptron import AT_RANDOM, FROM_HERE, FROM_START
from separatrix.learners._linear import LinearClassifier, NotConvergedWarning
from separatrix.learners._parameters import generator, one_of, question_of
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.outcome import ways_on
from separatrix.learners.walks.partial_fit import InBatches
from separatrix.learners.walks.run import Run
from separatrix.learners.walks.searches import Search
from separatrix.scale import Rows

RULES: Mapping[object, int] = {
    "cyclic": FROM_HERE,
    "naive": FROM_START,
    "permuted": FROM_HERE,
    "random": AT_RANDOM,
}


@final
@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(InBatches, LinearClassifier):
    """The perceptron learning algorithm (PLA): canonical path, replayable trace, proven result.

    Plain form: `separatrix.plain.pla`.

    Parameters
    ----------
    visit : {"cyclic", "naive", "permuted", "random"}
        Where the next mistake is looked for: from the next row on; from row 1 again; along one
        fixed random cycle; uniformly among all current mistakes.
    sign_of_zero : {"mistake", -1, 1}
        What a zero score answers in the walk and in `predict` ("mistake": one in the walk, no in
        `predict`); E_in counts it as a mistake in any case.
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
    `fit` takes no `sample_weight`: k copies of a row are k visits in turn. A table in blocks is
    walked along the same path, bit for bit ("permuted" is refused, "random" reads it once for each
    update), and keeps `counts_` and multipliers that take at most an eighth of the memory budget.

    Examples
    --------
    >>> model = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.predict([[1, 1], [0, 1]]).tolist(), model.n_updates_, str(model.stopped_)
    ([1, 0], 18, 'a whole pass met no mistake')
    """

    visit: str = "cyclic"
    sign_of_zero: int | str = "mistake"
    learning_rate: float = 1.0
    init: ArrayLike = None
    max_updates: int | None = None
    max_iter: int | None = 1000
    time_limit: float | None = None
    fit_intercept: bool = True
    random_state: Untyped = None

    def _learn_rows(self, rows: Rows) -> Self:
        rule = one_of(RULES, self.visit, "visit")
        run: Run
        if rule == AT_RANDOM:
            run = search = Search.of(self, rows, question_of(self, rule=rule))
            search.search(search.step(generator(self.random_state)), self._take, self.time_limit)
        else:
            run = self._walked(rows, rule)
        if self.stopped_ is not Stopped.CLEAN_PASS and not ignored(NotConvergedWarning):
            warn(
                f"PLA is not done: {self.stopped_} after {self.n_updates_} updates in "
                f"{self.n_iter_} passes. {ways_on(run, self._weights())}",
                NotConvergedWarning,
            )
        return self

    def _read(self, X: ArrayLike, y: ArrayLike) -> Sample:
        return read_sample(self, X, y, kept=FLOATS)  # float32 stays as it is
