"""The averaged perceptron: PLA's walk, answered by the mean of its weights.

The mean of w over all visits of a row, each counted after the visit (Freund & Schapire 1999,
section 5; Collins 2002): w_T - (1/V) sum_k (t_k - 1) y x over the updates, made at visits t_k of V.
A clean pass proves separability by the *last* weights; a run cut short bounds every margin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Sample
from separatrix.kernels.walks.perceptron import STREAK
from separatrix.kernels.walks.voting import add_aged
from separatrix.learners._linear import LinearClassifier, in_shapes
from separatrix.learners._parameters import (
    Integers,
    order_of,
    positive,
    question_of,
    refuse_overflow,
    visit_of_rows,
)
from separatrix.learners.walks.outcome import adopt, certificate
from separatrix.learners.walks.partial_fit import InBatches, joined, resumed
from separatrix.learners.walks.run import Run, Slices, Step, in_order
from separatrix.learners.walks.tuning import Tuning
from separatrix.scale import Rows

FIRST_VISIT = np.array([0, -1])  # number and place of the last update before there is one


@final
@dataclass(kw_only=True, eq=False, repr=False)
class AveragedPerceptron(InBatches, LinearClassifier):
    """The mean of PLA's weights over all row visits.

    Plain form: `separatrix.plain.averaged_perceptron`.

    Parameters
    ----------
    visit : {"cyclic", "permuted"}
        The rows in turn, or one fixed random cycle.
    sign_of_zero, learning_rate, init, max_updates, max_iter, fit_intercept, random_state
        As in `Perceptron`.

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

    visit: str = "cyclic"
    sign_of_zero: int | str = "mistake"
    learning_rate: float = 1.0
    init: ArrayLike = None
    max_updates: int | None = None
    max_iter: int | None = 10
    fit_intercept: bool = True
    random_state: Untyped = None

    _tuning = Tuning()
    _of_all_rows = ("counts_",)
    _resumes_from = "_late"

    def _learn_rows(self, rows: Rows) -> Self:
        visit_of_rows(self.visit)
        eta = positive(self.learning_rate, "learning_rate")
        run = Run.of(self, rows, question_of(self, order_of(self, rows)), eta)
        run.walk(_averaging, self._take, late=np.zeros(rows.d + 1), clock=FIRST_VISIT)
        return self

    def _go_on(self, sample: Sample) -> Self:
        run = resumed(self, sample, eta=positive(self.learning_rate, "learning_rate"))
        before = getattr(self, "n_visits_", 0), run.first - 1
        late = getattr(self, "_late", np.zeros(sample.d + 1))
        run.walk(_averaging, late=late, clock=np.array(before))
        self._take(joined(self, run))
        return self

    def _take(self, run: Run) -> None:
        late, made = run.more["late"], visits_made(run)
        adopt(self, run, run.eta * (run.progress.v - late / max(1, made)))
        self.last_coef_, self.last_intercept_ = in_shapes(run.weights)
        self._late, self.n_visits_ = late, made
        self.certificate_ = certificate(run)


def _averaging(at: Slices) -> Step:
    """As `in_order`; also add (t_k - 1) y x of the updates to `late` (1+d,)."""
    of, late, step, number = at.sample, at.more["late"], in_order(at), numbering(at)

    def averaged() -> tuple[int, int]:
        why, made = step()
        visited = at.progress.visited[:made]
        ages = (number(visited) - 1).astype(np.float64)
        add_aged(of.rows, of.y, visited, ages, late, at.question.x0)
        if not np.isfinite(late).all():
            raise refuse_overflow()
        return why, made

    return averaged


def visits_made(run: Run) -> int:
    """Return the visits so far: those up to the last update, and the correct ones since."""
    return int(run.more["clock"][0] + run.progress.state[STREAK])


def numbering(at: Slices) -> Callable[[Integers], Integers]:
    """Return the function from updates in a block to t_k, the numbers of their visits."""
    order, clock = at.question.order, at.more["clock"]
    places = order[:0]  # of the rows in the order; empty for that of the rows
    if order.size:
        places = np.empty(at.n, dtype=np.int64)
        places[order] = np.arange(at.n)

    def number(visited: Integers) -> Integers:
        here = places[visited] if places.size else at.first + visited
        steps = (np.diff(here, prepend=clock[1]) - 1) % at.n + 1
        times: Integers = clock[0] + np.cumsum(steps)
        if visited.size:
            clock[:] = times[-1], here[-1]
        return times

    return number
