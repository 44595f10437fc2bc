"""The margin perceptron: PLA that corrects rows on the right side too, while they are close.

w <- w + eta y x while some row has y w.x <= margin (Krauth & Mezard 1987; Li et al. 2002). From
zero it stops after at most (R^2 + 2 m) / rho^2 updates, m = margin / eta, and its line then has at
least the margin rho m / (R^2 + 2 m) of the best line's rho. It proves what PLA proves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, final

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, Sample, warn
from separatrix.kernels.walks.perceptron import FROM_HERE, FROM_START
from separatrix.kernels.walks.voting import mistakes_of_updates
from separatrix.learners._linear import LinearClassifier, NotConvergedWarning
from separatrix.learners._parameters import not_negative, one_of, positive
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.partial_fit import UP, InBatches, joined, resumed
from separatrix.learners.walks.run import Slices, Step, in_order
from separatrix.scale import Rows

RULES: Mapping[object, int] = {"cyclic": FROM_HERE, "naive": FROM_START, "permuted": FROM_HERE}

LARGEST_MARGIN = 2.0**1000


@final
@dataclass(kw_only=True, eq=False, repr=False)
class MarginPerceptron(InBatches, LinearClassifier):
    """PLA until every row has y w.x above a fixed margin; in units of eta, that is decided exactly.

    Plain form: `separatrix.plain.margin_perceptron`.

    Parameters
    ----------
    margin : float
        A row with y w.x <= margin is corrected; well above R^2 eta the line has about half the
        largest margin there is, well below it is PLA's.
    visit : {"cyclic", "naive", "permuted"}
    learning_rate, init, max_updates, max_iter, time_limit, fit_intercept, random_state
        As in `Perceptron`. From zero, `learning_rate` and `margin` matter by their ratio alone.

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
    n_updates_, n_iter_, stopped_, counts_, trace_ : as in `Perceptron`
    certificate_ : Separation, Multipliers or None
        ``certificate_.rho_squared(X, y)`` is the margin reached, as an exact rational.

    Warns
    -----
    NotConvergedWarning
        When a budget ended before a clean pass.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = MarginPerceptron(margin=10).fit(X, y)
    >>> plain = MarginPerceptron(margin=0).fit(X, y)
    >>> model.certificate_.rho_squared(X, y) > plain.certificate_.rho_squared(X, y)
    True
    """

    margin: float = 1.0
    visit: str = "cyclic"
    learning_rate: float = 1.0
    init: ArrayLike = None
    max_updates: int | None = None
    max_iter: int | None = 1000
    time_limit: float | None = None
    fit_intercept: bool = True
    random_state: Untyped = None

    def _learn_rows(self, rows: Rows) -> Self:
        self._walked(rows, one_of(RULES, self.visit, "visit"), self._margin())
        if self.stopped_ is not Stopped.CLEAN_PASS:
            warn(
                f"the margin is not reached on every row: {self.stopped_} after {self.n_updates_} "
                f"updates in {self.n_iter_} passes. This does not say whether the data are "
                "separable: separatrix.separability does.",
                NotConvergedWarning,
            )
        return self

    def _margin(self) -> float:
        """Return the margin in units of the learning rate."""
        eta = positive(self.learning_rate, "learning_rate")
        margin = not_negative(self.margin, "margin") / eta
        if margin > LARGEST_MARGIN:
            raise InputError("margin / learning_rate overflows float64: use a smaller margin.")
        return margin

    def _go_on(self, sample: Sample) -> Self:
        run = resumed(self, sample, self._margin())
        run.walk(_counting, wrong=0)
        self._take(joined(self, run, run.more["wrong"]))
        return self

    def _energy(self, radius: float) -> float:
        """Return R^2 + 2 m, rounded up: over rho^2 it bounds even the updates."""
        return (radius * radius + 2.0 * self._margin()) * UP


def _counting(at: Slices) -> Step:
    """As `in_order`; also count the updates on rows that were on the wrong side."""
    of, v, step = at.sample, at.progress.v.copy(), in_order(at)

    def counted() -> tuple[int, int]:
        why, made = step()
        visited = at.progress.visited[:made]
        at.more["wrong"] += mistakes_of_updates(of.rows, of.y, visited, v, at.question.x0)
        v[:] = at.progress.v
        return why, made

    return counted
