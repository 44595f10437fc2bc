"""The pocket algorithm: PLA on mistakes, keeping a copy of the best weights seen.

After every update all rows are counted again (Gallant 1990; Lin, *Machine Learning Foundations*,
lecture 2). It proves nothing about other lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self, final

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Recount
from separatrix.learners._linear import OverRows
from separatrix.learners._parameters import generator, one_of, order_of, question_of
from separatrix.learners._weighted import WeightedLinearClassifier
from separatrix.learners.perceptron import RULES
from separatrix.learners.walks.pocket import fastest
from separatrix.learners.walks.searches import PocketRun
from separatrix.learners.walks.tuning import PocketTuning
from separatrix.scale import Rows


@final
@dataclass(kw_only=True, eq=False, repr=False)
class Pocket(OverRows, WeightedLinearClassifier):
    """The pocket algorithm: the best line in a run of PLA of `max_updates` updates.

    Plain form: `separatrix.plain.pocket`.

    Parameters
    ----------
    max_updates : int
    visit : {"random", "cyclic", "naive", "permuted"}
        Which mistake is corrected next, as in `Perceptron`.
    sign_of_zero : {"mistake", -1, 1}
        As in `Perceptron`; in the count a zero score is always a mistake.
    init, fit_intercept, random_state : as in `Perceptron`

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
        PLA's weights at the end, usually worse.
    n_updates_, n_iter_ : int
        Updates made; scans of the data, one per update and one at the start.
    stopped_ : Stopped
    trace_ : Trace

    Notes
    -----
    `sample_weight` (N,) weighs the mistakes that are counted; the walk itself visits rows, not
    copies of rows. A table in blocks is read once for each update.

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = Pocket(max_updates=50, random_state=0).fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, str(model.stopped_)
    (1.0, 'the budget of updates was spent')
    """

    max_updates: int = 1000
    visit: str = "random"
    sign_of_zero: int | str = "mistake"
    init: ArrayLike = None
    fit_intercept: bool = True
    random_state: Untyped = None

    certificate_: Recount = field(init=False)
    _tuning = PocketTuning()
    _of_all_rows = ("counts_",)

    def _learn_in_blocks(self, table: Rows) -> Self:
        super()._learn_in_blocks(table)
        self.certificate_ = replace(self.certificate_, sample_weight=None)  # the table brings them
        return self

    def _learn_rows(self, rows: Rows) -> Self:
        random = generator(self.random_state)
        rule = one_of(RULES, self.visit, "visit")
        question = question_of(self, order_of(self, rows, random), rule=rule)
        run = PocketRun.of(self, rows, question)
        run.search(fastest(run, random), self._take)
        return self

    def _take(self, run: PocketRun) -> None:
        run.adopt_pocket(self)
        self.n_iter_ = self.n_updates_ + 1
