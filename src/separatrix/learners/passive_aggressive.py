"""Passive-aggressive learning: the least change of w that gives the row at hand a score of 1.

w <- w + tau y x with tau = e / |x|^2, min(C, e / |x|^2) or e / (|x|^2 + 1 / (2 C)), where
e = max(0, 1 - y w.x) and |x|^2 counts the constant 1 of an intercept (Crammer et al. 2006). Sums
are taken in the order of the columns. A line that makes no mistake is proven (`Separation`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Separation
from separatrix.data import Floats, InputError, Sample
from separatrix.kernels.exact import count_mistakes
from separatrix.kernels.rows import squared_lengths
from separatrix.kernels.walks.passive_aggressive import walk_passively
from separatrix.kernels.walks.perceptron import MISTAKES, OVERFLOW
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._parameters import one_of, positive
from separatrix.learners.walks.outcome import adopt_counts
from separatrix.learners.walks.partial_fit import UP, InBatches, joined, resumed
from separatrix.learners.walks.run import Run, Slices, State, Step
from separatrix.scale import Block

# (cap, soft) of tau = min(cap, e / (|x|^2 + soft)), given C
VARIANTS: Mapping[object, Callable[[float], tuple[float, float]]] = {
    "PA": lambda _: (np.inf, 0.0),
    "PA-I": lambda C: (C, 0.0),
    "PA-II": lambda C: (np.inf, 0.5 / C),
}


def _moving(at: Slices) -> Step:
    """Return the step that moves w just far enough for each row."""
    cap, soft = at.more["variant"]
    lengths = squared_lengths(at.sample.rows, at.sample.n, at.question.x0)
    visits = 1 + at.tuning.slice_multiplications // (at.sample.d + 1)

    def step() -> tuple[int, int]:
        why = walk_passively(*at.arguments, lengths, cap, soft, at.first, at.n, visits)
        if why == OVERFLOW:
            raise InputError(
                "the weights overflow float64: some rows of X are as long as 1e154 or as short as "
                "1e-154. Multiply the columns by a power of two (exact, and the same question)."
            )
        return why, 0

    return step


@final
@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressive(InBatches, LinearClassifier):
    """Online learning: the smallest change of w that gives a row the margin 1, limited by C.

    Plain form: `separatrix.plain.passive_aggressive`.

    Parameters
    ----------
    C : float
        How much one row may move w; not used by "PA".
    variant : {"PA-I", "PA", "PA-II"}
        Steps capped by C; not capped; shortened by 1 / (2 C).
    visit : {"cyclic", "permuted"}
    init, max_updates, max_iter, random_state : as in `Perceptron`
    fit_intercept : bool
        The constant 1 then counts in |x|^2, as a feature does.

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
    n_updates_, n_iter_ : int
        Rows that moved w; passes begun.
    stopped_, counts_ : as in `Perceptron`
    certificate_ : Separation or None
        After `partial_fit` None: the rows before are gone.

    Examples
    --------
    >>> model = PassiveAggressive().fit([[-1.0], [1.0]], ["no", "yes"])
    >>> model.coef_.tolist(), model.intercept_.tolist(), str(model.stopped_)
    ([[1.0]], [0.0], 'a whole pass met no mistake')
    """

    C: float = 1.0
    variant: str = "PA-I"
    visit: str = "cyclic"
    init: ArrayLike = None
    max_updates: int | None = None
    max_iter: int | None = 10
    fit_intercept: bool = True
    random_state: Untyped = None

    _steps = staticmethod(_moving)
    _resumes_from = "counts_"

    def _kept(self, _run: Run, _goes_on: bool) -> State:
        return {"variant": self._variant()}

    def _go_on(self, sample: Sample) -> Self:
        run = resumed(self, sample)
        run.walk(_moving, **self._kept(run, True))
        self._take(joined(self, run, int(run.progress.state[MISTAKES])))
        self.certificate_ = None
        return self

    def _variant(self) -> tuple[float, float]:
        """Return (cap, soft) of the steps."""
        return one_of(VARIANTS, self.variant, "variant")(positive(self.C, "C"))

    def _energy(self, radius: float) -> float:
        """Return R^2, max(R^2, 1 / C) or R^2 + 1 / (2 C), rounded up (theorems 2, 4 and 5)."""
        cap, soft = self._variant()
        return max(radius * radius + soft, 1.0 / cap) * UP

    def _take(self, run: Run) -> None:
        self._adopt(run.table, run.weights)
        adopt_counts(self, run)
        right = sum(run.table.map(_mistakes, self._weights())) == 0
        self.certificate_ = Separation(self._weights(), run.question.x0) if right else None


def _mistakes(block: Block, weights: Floats) -> int:
    """Return #{n : y_n w.x_n <= 0}, every sign exact."""
    sample = block.sample
    return int(count_mistakes(sample.rows, sample.y, weights, 1.0))
