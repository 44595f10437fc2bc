"""Gallant's pocket with ratchet: weights that stay right for longer, and are better, are kept.

Rows are counted only when a run of correct rows becomes longer than the pocket's had been; it takes
the walking weights if they make strictly fewer mistakes (Gallant 1990). It proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Sample
from separatrix.kernels.walks import pocket as kernel
from separatrix.kernels.walks.perceptron import POCKET_RUN
from separatrix.kernels.walks.perceptron import VISITS as VISITS_MADE
from separatrix.learners._parameters import (
    NO_LIMIT,
    Integers,
    generator,
    one_of,
    order_of,
    question_of,
)
from separatrix.learners._weighted import InMemory, WeightedLinearClassifier
from separatrix.learners.walks.run import Step
from separatrix.learners.walks.searches import PocketRun
from separatrix.learners.walks.tuning import PocketTuning
from separatrix.scale import Rows

VISITS: Mapping[object, str] = {"random": "random", "cyclic": "cyclic", "permuted": "permuted"}


@final
@dataclass(kw_only=True, eq=False, repr=False)
class RatchetPocket(InMemory, WeightedLinearClassifier):
    """Gallant's pocket algorithm with ratchet: fewest mistakes among lines with long correct runs.

    Plain form: `separatrix.plain.pocket`.

    Parameters
    ----------
    max_updates : int
    max_iter : int
        Budget of visits, in passes: N rows each.
    visit : {"random", "cyclic", "permuted"}
        "random" draws every row from all of them; the others go on in order.
    sign_of_zero, init, fit_intercept, random_state : as in `Pocket`

    Attributes
    ----------
    coef_, intercept_, n_errors_, certificate_, n_swaps_, last_coef_, last_intercept_, trace_
        As of `Pocket`.
    run_length_ : int
        How many rows in a row the pocket had got right when it was taken; 0 for the start.
    n_updates_, n_visits_, n_iter_ : int
        Updates made; rows visited; passes begun.
    stopped_ : Stopped

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = RatchetPocket(max_updates=50, random_state=0).fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, str(model.stopped_)
    (2.0, 'the budget of updates was spent')
    """

    max_updates: int = 1000
    max_iter: int = 1000
    visit: str = "random"
    sign_of_zero: int | str = "mistake"
    init: ArrayLike = None
    fit_intercept: bool = True
    random_state: Untyped = None

    _tuning = PocketTuning()
    _because = " (it draws each row from all of them, and counts them all in between)"

    def _learn(self, sample: Sample) -> Self:
        random = generator(self.random_state)
        visit = one_of(VISITS, self.visit, "visit")
        rows = Rows.of(sample)
        run = PocketRun.of(self, rows, question_of(self))
        run.until_done(_step(run, visit, order_of(self, rows, random), random), self._take)
        return self

    def _take(self, run: PocketRun) -> None:
        run.adopt_pocket(self)
        self.run_length_ = int(run.progress.state[POCKET_RUN])
        self.n_visits_ = int(run.progress.state[VISITS_MADE])
        self.n_iter_ = max(1, -(-self.n_visits_ // run.sample.n))


def _step(run: PocketRun, visit: str, cycle: Integers, random: np.random.Generator) -> Step:
    """Return the step that visits the next rows: drawn from all of them, or in order."""
    n, size = run.sample.n, run.tuning.slice_visits
    max_visits = min(NO_LIMIT, run.question.max_passes * n)
    order, first = cycle if cycle.size else np.arange(n), 0

    def step() -> tuple[int, int]:
        nonlocal first
        if visit == "random":
            turns = (random.random(size) * n).astype(np.int64)
        else:
            turns = order[np.arange(first, first + size) % n]
        first = (first + size) % n
        return kernel.walk_with_ratchet(*run.arguments, run.kept, turns, max_visits)

    return step
