"""Where a walk other than a single line says yes, update by update: votes and kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats

VALUES_KEPT = 2**24  # of rows of a Gram matrix


class Ground(Protocol):
    """The scores of points (m, 2) after t updates and `part` of the next: (m,)."""

    def scores(self, points: Floats, t: int, part: float = 0.0) -> Floats:
        """Return them; calls with the same points and a growing t cost the updates between."""
        ...


class Votes:
    """The votes of w_0, ..., w_t, as the voted perceptron counts them.

    Parameters
    ----------
    path : array (T+1, 3)
    votes : int array (T+1,)
    """

    def __init__(self, path: Floats, votes: NDArray[np.int64]) -> None:
        self.path, self.votes = path, votes
        self.seen = _Seen()

    def scores(self, points: Floats, t: int, part: float = 0.0) -> Floats:  # noqa: ARG002
        """Return votes for yes less those for no; they change only with a whole update."""
        sums, first = self.seen.up_to(points, t + 1)
        for k in range(first, t + 1):
            sums += self.votes[k] * np.sign(self.path[k, 0] + points @ self.path[k, 1:])
        return sums


class Images:
    """The scores sum alpha_n y_n K(x_n, x) of the dual perceptron.

    Parameters
    ----------
    learner : DualPerceptron, fitted to
    points, y : arrays (N, 2), (N,)
    """

    def __init__(self, learner: Untyped, points: Floats, y: Floats) -> None:
        self.rows, self.points, self.y = learner.visited_, points, y
        self.kernel = learner.kernel_of(points)
        self.seen = _Seen()

    def scores(self, points: Floats, t: int, part: float = 0.0) -> Floats:
        """Return them, `part` of the next update's row of the Gram matrix added."""
        sums, first = self.seen.up_to(points, t)
        row = self.kernel.against(points)
        self._add(sums, row, first, t)
        if part == 0.0:
            return sums
        return np.asarray(sums + part * self.y[self.rows[t]] * row(int(self.rows[t])))

    def score_of(self, n: int, t: int) -> float:
        """Return the score of the learner's own point n after t updates."""
        one = np.zeros(1)
        self._add(one, self.kernel.against(self.points[[n]]), 0, t)
        return float(one[0])

    def _add(self, sums: Floats, row: Callable[[int], Floats], first: int, t: int) -> None:
        """Add the updates from `first` to t, rows of one point together."""
        for i, times in zip(*np.unique(self.rows[first:t], return_counts=True), strict=True):
            sums += times * self.y[i] * row(int(i))

    def mistakes(self) -> NDArray[np.int64]:
        """Return how many of the learner's own points each state gets wrong: int64 (T+1,)."""
        row, known = self.kernel.against(self.points), dict[int, Floats]()
        scores, wrong = np.zeros(self.y.size), [self.y.size]
        for i in self.rows.tolist():
            step = known[i] if i in known else row(i)
            if len(known) * self.y.size < VALUES_KEPT:
                known[i] = step
            scores += self.y[i] * step
            wrong.append(int((self.y * scores <= 0.0).sum()))
        return np.array(wrong, dtype=np.int64)


class _Seen:
    """Sums over the first updates, kept for the points last scored."""

    def __init__(self) -> None:
        self.points, self.done = np.empty(0), 0
        self.sums = np.empty(0)

    def up_to(self, points: Floats, t: int) -> tuple[Floats, int]:
        """Return the sums so far, to be added to, and the first update not in them."""
        if self.points is not points or self.done > t:
            self.points, self.done, self.sums = points, 0, np.zeros(len(points))
        first, self.done = self.done, t
        return self.sums, first
