"""The averaged and the voted perceptron: PLA's walk, answered by all its weights.

The mean of w over all visits of a row, each counted after the visit (Freund & Schapire 1999,
section 5; Collins 2002): w_T - (1/V) sum_k (t_k - 1) y x over the updates, made at visits t_k of V.
A clean pass proves separability by the *last* weights; a run cut short bounds every margin.

Every w_k that PLA ever had votes with as many votes as visits of a row it survived, c_k: the answer
is the sign of sum_k c_k sign(w_k.x) (Freund & Schapire 1999). The walk is run again over the new
rows, so that every vote is an exact sign and memory stays O(d). It proves what PLA proves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, as_rows, read_points
from separatrix.kernels.walks.perceptron import STREAK
from separatrix.kernels.walks.voting import add_aged, poll
from separatrix.learners._linear import LinearClassifier, YesNoClassifier, in_shapes
from separatrix.learners._parameters import (
    NO_LIMIT,
    Integers,
    refuse_overflow,
)
from separatrix.learners.walks.outcome import Walker, adopt, adopt_counts, certificate
from separatrix.learners.walks.partial_fit import InBatches
from separatrix.learners.walks.run import Run, Slices, State, Step, in_order
from separatrix.learners.walks.tuning import Tuning

FIRST_VISIT = np.array([0, -1])  # number and place of the last update before there is one


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

    _steps = staticmethod(_averaging)
    _resumes_from = "_late"

    def _kept(self, run: Run, goes_on: bool) -> State:
        if not goes_on:
            return {"late": np.zeros(run.start.size), "clock": FIRST_VISIT}
        return {"late": self._late, "clock": np.array((self.n_visits_, run.first - 1))}

    def _take(self, run: Run) -> None:
        late, made = run.more["late"], visits_made(run)
        adopt(self, run, run.eta * (run.progress.v - late / max(1, made)))
        self.last_coef_, self.last_intercept_ = in_shapes(run.weights)
        self._late, self.n_visits_ = late, made
        self.certificate_ = certificate(run)


@final
@dataclass(kw_only=True, eq=False, repr=False)
class VotedPerceptron(Walker, YesNoClassifier):
    """A vote of all weights of a PLA run, each weighed by the rows it got right in a row, plus one.

    Plain form: `separatrix.plain.voted_perceptron`. A prediction costs T predictions of a line.

    Parameters
    ----------
    visit : {"cyclic", "permuted"}
        As in `AveragedPerceptron`. There is no learning rate: it would change no vote.
    sign_of_zero, init, max_updates, max_iter, fit_intercept, random_state : as in `Perceptron`

    Attributes
    ----------
    votes_ : int array (T+1,)
        c_k, the visits of w_k; their sum is the number of visits.
    n_updates_, n_iter_, stopped_, counts_ : as in `Perceptron`
    certificate_ : Separation (of the last weights), Multipliers or None
    expected_error_bound_ : float or None
        2 (T + 1) / (N + 1) after a single pass from zero, else None. It bounds E[E_out] in the
        mean over samples of independent rows, not of one (Freund & Schapire 1999, section 3).

    Examples
    --------
    >>> model = VotedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.predict([[1, 1], [0, 1]]).tolist(), model.n_updates_, int(model.votes_.sum())
    ([1, 0], 18, 34)
    """

    visit: str = "cyclic"
    sign_of_zero: int | str = "mistake"
    init: ArrayLike = None
    max_updates: int | None = None
    max_iter: int | None = 10
    fit_intercept: bool = True
    random_state: Untyped = None

    _tuning = Tuning(trace_capacity=NO_LIMIT)  # all updates are noted: every one has votes

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the votes for yes less those for no, divided by all votes: (N,) in [-1, 1], exact.

        Weights whose score is zero vote for neither; `predict` answers 0 by the `sign_of_zero`.
        """
        points = read_points(self, X)
        trained, signs, visited, start, x0 = self._walk
        sums = poll(
            as_rows(points), points.shape[0], as_rows(trained), signs, visited, self.votes_,
            start, x0,
        )  # fmt: skip
        return sums / max(1, int(self.votes_.sum()))

    def _kept(self, _run: Run, _goes_on: bool) -> State:
        return {"clock": FIRST_VISIT}

    def _take(self, run: Run) -> None:
        table, x0 = run.table, run.question.x0
        visited = run.visited()
        times = numbering(run)(visited)
        self._take_labels(table)
        self.votes_ = np.diff(np.concatenate(([1], times, [visits_made(run) + 1])))
        support, places = np.unique(visited, return_inverse=True)
        room = 8 * support.size * (table.d + 2)
        if table.in_memory is None and room > table.budget:
            raise InputError(
                f"the votes need the {support.size:,} rows that were corrected, which takes "
                f"{room:,} bytes, more than the memory budget. Lower max_updates or max_iter, or "
                "use AveragedPerceptron, which keeps one line."
            )
        of = table.take(support)
        self._walk = (of.X, of.y, places, run.start, x0)
        adopt_counts(self, run)
        self.certificate_ = certificate(run)
        once = self.n_iter_ == 1 and self.votes_.sum() == table.n
        plain = self.init is None and run.question.tie == 0.0
        bound = 2.0 * (self.n_updates_ + 1) / (table.n + 1)
        self.expected_error_bound_ = bound if once and plain else None
