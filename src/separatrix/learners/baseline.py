"""Always yes, or always no: what any learner has to beat. A line with w = (+-1, 0, ..., 0)."""

from __future__ import annotations

from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike
from separatrix.data import InputError, read_sample
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._stopping import Stopped


@final
class Baseline(LinearClassifier):
    """The same answer for everybody.

    Parameters
    ----------
    answer : {1, -1}
        1 for always ``classes_[1]`` ("yes"), -1 for always ``classes_[0]``.
    """

    def __init__(self, *, answer: int = 1) -> None:
        self.answer = answer

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> Self:
        """Note the labels of rows X (N, d) and y (N,); nothing is learned."""
        if self.answer not in (1, -1):
            raise InputError(f"answer={self.answer!r} must be 1 (always yes) or -1 (always no).")
        sample = read_sample(self, X, y, sample_weight)
        weights = np.zeros(sample.d + 1)
        weights[0] = self.answer
        self._adopt(sample, weights)
        self.stopped_ = Stopped.NOTHING
        self.n_iter_ = 1
        return self
