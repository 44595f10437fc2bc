"""The voted perceptron: PLA's walk, answered by a vote of all its weights.

Every w_k that PLA ever had votes with as many votes as visits of a row it survived, c_k: the answer
is the sign of sum_k c_k sign(w_k.x) (Freund & Schapire 1999). The walk is run again over the new
rows, so that every vote is an exact sign and memory stays O(d). It proves what PLA proves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, as_rows, read_points
from separatrix.kernels.walks.voting import poll
from separatrix.learners._linear import YesNoClassifier
from separatrix.learners._parameters import NO_LIMIT, order_of, question_of, visit_of_rows
from separatrix.learners.averaged_perceptron import FIRST_VISIT, numbering, visits_made
from separatrix.learners.walks.outcome import adopt_counts, certificate
from separatrix.learners.walks.run import Run, in_order
from separatrix.learners.walks.tuning import Tuning
from separatrix.scale import Rows


@final
@dataclass(kw_only=True, eq=False, repr=False)
class VotedPerceptron(YesNoClassifier):
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

    _tuning = Tuning()
    _of_all_rows = ("counts_",)

    def _learn_rows(self, rows: Rows) -> Self:
        visit_of_rows(self.visit)
        run = Run.of(self, rows, question_of(self, order_of(self, rows)))
        run.capacity = NO_LIMIT  # all updates are noted: every one has votes
        run.walk(in_order, self._take, clock=FIRST_VISIT)
        return self

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
