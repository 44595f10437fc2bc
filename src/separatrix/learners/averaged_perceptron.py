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

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, Sample
from separatrix.kernels.walks.voting import add_aged
from separatrix.learners._linear import LinearClassifier, in_shapes
from separatrix.learners._parameters import (
    cycle_of,
    positive,
    question_of,
    refuse_overflow,
    visit_of_rows,
)
from separatrix.learners.walks.in_blocks import (
    NO_ROWS,
    Asked,
    RunInBlocks,
    State,
    begun,
    ended,
    refuse_cycle,
)
from separatrix.learners.walks.partial_fit import InBatches, join, resumed
from separatrix.learners.walks.pla import adopt, certificate, in_order
from separatrix.learners.walks.run import Run, Step
from separatrix.learners.walks.tuning import Tuning
from separatrix.learners.walks.visits import Visits
from separatrix.scale import Block, Rows


@final
class AveragedPerceptron(InBatches, LinearClassifier):
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

    _tuning = Tuning()
    _of_all_rows = ("counts_",)
    _resumes_from = "_late"

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
        order = cycle_of(visit_of_rows(self.visit), sample.n, self.random_state)
        eta = positive(self.learning_rate, "learning_rate")
        run = Run.of(self, sample, question_of(self, sample, order), eta)
        late, visits = np.zeros(sample.d + 1), Visits(run)
        run.until_done(
            _averaging(run, visits, late), lambda run: self._take(run, visits.made, late)
        )
        return self

    def _learn_in_blocks(self, table: Rows) -> Self:
        """Walk over a table in blocks, as over one in memory."""
        self._note_blocks(table)
        refuse_cycle(visit_of_rows(self.visit))
        eta = positive(self.learning_rate, "learning_rate")
        run = RunInBlocks.over(self, table, question_of(self, NO_ROWS), eta)
        run.walk(
            _average_block,
            lambda run: self._take(run, run.state["visits"], run.state["late"]),
            late=np.zeros(table.d + 1),
            visits=0,
        )
        return self

    def _go_on(self, sample: Sample) -> Self:
        run = resumed(self, sample)
        late = self._late.copy() if hasattr(self, "_late") else np.zeros(sample.d + 1)
        visits = Visits(run, getattr(self, "n_visits_", 0))
        run.until_done(_averaging(run, visits, late))
        made = visits.made
        join(self, run)
        self._take(run, made, late)
        return self

    def _take(self, run: Run, made: int, late: Floats) -> None:
        adopt(self, run, run.eta * (run.progress.v - late / max(1, made)))
        self.last_coef_, self.last_intercept_ = in_shapes(run.weights)
        self._late, self.n_visits_ = late, made
        self.certificate_ = certificate(run)


def _averaging(run: Run, visits: Visits, late: Floats) -> Step:
    """Return the step that also adds (t_k - 1) y x of its updates to `late` (1+d,)."""
    sample, step = run.sample, in_order(run)

    def averaged() -> tuple[int, int]:
        why, made = step()
        visited = run.progress.visited[:made]
        ages = (visits.number(visited) - 1).astype(np.float64)
        add_aged(sample.rows, sample.y, visited, ages, late, run.question.x0)
        if not np.isfinite(late).all():
            raise refuse_overflow()
        return why, made

    return averaged


def _average_block(block: Block, state: State, asked: Asked) -> State:
    """Return where the walk and its sums stand after a block."""
    run, late = begun(block, state, asked), state["late"].copy()
    visits = Visits(run, state["visits"])
    run.until_done(_averaging(run, visits, late))
    after = ended(block, state, asked, run)
    return {**after, "late": late, "visits": visits.made - after["beyond"]}
