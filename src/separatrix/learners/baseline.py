"""Always yes, or always no: what any learner has to beat. A line with w = (+-1, 0, ..., 0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix.data import InputError, Sample
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import InMemory, WeightedLinearClassifier


@final
@dataclass(kw_only=True, eq=False, repr=False)
class Baseline(InMemory, WeightedLinearClassifier):
    """The same answer for every row."""

    answer: int = 1

    def _learn(self, sample: Sample) -> Self:
        if self.answer not in (1, -1):
            raise InputError(f"answer={self.answer!r} must be 1 (always yes) or -1 (always no).")
        weights = np.zeros(sample.d + 1)
        weights[0] = self.answer
        self._adopt(sample, weights)
        self.stopped_ = Stopped.NOTHING
        self.n_iter_ = 1
        return self
