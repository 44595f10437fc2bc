"""Where a learner other than a line says yes, in the plane of two columns, on a grid."""

from __future__ import annotations

import copy

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.report.drawing.window import Window

GRID = 241  # points along each side of a window
VALUES_TOGETHER = 2**22  # of the rows that are scored in one go
LEAST = 1e-9  # of the largest score: what a score of zero is drawn as, on the side of its answer


class Region:
    """The scores of a fitted learner in a plane, all other columns at their means."""

    def __init__(self, estimator: Untyped, pair: tuple[int, int], means: Floats) -> None:
        self.estimator = copy.copy(estimator)
        vars(self.estimator).pop("feature_names_in_", None)  # rows of a grid have no names
        self.zero_is_yes = getattr(estimator, "sign_of_zero_", None) == 1
        self.pair, self.means = pair, means

    def scores(self, points: Floats) -> Floats:
        """Return the scores of points (m, 2) of the plane: (m,)."""
        together = max(1, VALUES_TOGETHER // self.means.size)
        made = []
        for start in range(0, len(points), together):
            some = points[start : start + together]
            rows = np.tile(self.means, (len(some), 1))
            rows[:, list(self.pair)] = some
            made.append(np.asarray(self.estimator.decision_function(rows), dtype=np.float64))
        return np.concatenate(made)

    def on_grid(self, window: Window) -> tuple[Floats, Floats, Floats]:
        """Return a grid over a window, (GRID,) and (GRID,), and the scores there, (GRID, GRID)."""
        across, up = (np.linspace(window.low[k], window.low[k] + window.size[k], GRID)
                      for k in (0, 1))  # fmt: skip
        a, b = np.meshgrid(across, up)
        scores = self.scores(np.column_stack((a.ravel(), b.ravel()))).reshape(a.shape)
        scores = scores / max(float(np.abs(scores).max()), 5e-324)
        return across, up, np.where(scores == 0.0, LEAST if self.zero_is_yes else -LEAST, scores)
