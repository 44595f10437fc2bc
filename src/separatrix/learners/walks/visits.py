"""The number of each visit at which a walk made its updates."""

from __future__ import annotations

import numpy as np

from separatrix.kernels.walks.perceptron import STREAK
from separatrix.learners._parameters import Integers
from separatrix.learners.walks.run import Run


class Visits:
    """Numbers the visits of rows 1, 2, 3, ... along an order, from the rows of the updates alone.

    Between two updates the walk meets at most N rows, so the places of two visited rows in the
    order tell how many visits lie between them.
    """

    def __init__(self, run: Run, made: int = 0) -> None:
        n, order = run.sample.n, run.question.order
        self.run, self.last, self.place = run, made, -1
        self.places = order[:0]  # of the rows in the order; empty for that of the rows
        if order.size:
            self.places = np.empty(n, dtype=np.int64)
            self.places[order] = np.arange(n)

    def number(self, visited: Integers) -> Integers:
        """Return t_k, the number of the visit at which each of these updates was made."""
        places = self.places[visited] if self.places.size else visited
        steps = (np.diff(places, prepend=self.place) - 1) % self.run.sample.n + 1
        times = self.last + np.cumsum(steps)
        if visited.size:
            self.last, self.place = int(times[-1]), int(places[-1])
        return times

    @property
    def made(self) -> int:
        """Visits so far: those up to the last update, and the correct ones since."""
        return self.last + int(self.run.progress.state[STREAK])
