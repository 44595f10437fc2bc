"""Lines that make few mistakes: a local search on the 0/1 error itself, from many starts.

Random coordinate descent (Li & Lin 2007), `kernels/mistake_descent.py`. What counts as a mistake is
decided in floats: these lines are proposals, and what is claimed of them is recounted exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from separatrix.exact.integers import Floats, Indices
from separatrix.kernels.zero_one.local_search import descend
from separatrix.tiles import in_threads
from separatrix.zero_one.presolve import CountedRows

STEPS_A_START = 400
STARTS_A_TEAM = 4  # go on side by side, from what the team before them found
ENOUGH_ROWS = 20_000  # to see which way a line should go


def best_line(rows: CountedRows, start: Floats | None, steps: int, seed: int) -> Floats:
    """Return the best line (D,) that so many steps find, in scaled columns."""
    best = np.zeros(rows.dimension)
    for best in better_lines(rows, start, steps, seed):  # noqa: B007  # the last is the best
        pass
    return best


def better_lines(
    rows: CountedRows, start: Floats | None, steps: int, seed: int
) -> Iterator[Floats]:
    """Yield after each team of starts the best line (D,) so far, in scaled columns."""
    scaled = rows.of_unit_length
    hunt = _LineHunt(scaled, rows.weight)
    total = int(rows.weight.sum())
    share = rows.weight / total
    few = slice(None, None, 1 + rows.n // ENOUGH_ROWS)
    likely = _likely(scaled[few], share[few] / share[few].sum())
    starts = [likely, scaled.T @ share] if start is None else [start]
    fewest, best, k = total + 1, starts[0], 0
    while steps > 0 and fewest > 0:
        team = []
        for _ in range(min(STARTS_A_TEAM, -(-steps // STEPS_A_START))):
            random = np.random.default_rng((seed, k))
            w = starts[k].copy() if k < len(starts) else _shaken(best, random, k)
            team.append(partial(hunt.descended, w, min(steps, STEPS_A_START), random))
            steps, k = steps - STEPS_A_START, k + 1
        for mistakes, w in in_threads(team):
            if mistakes < fewest:
                fewest, best = mistakes, w
        yield best


@dataclass(frozen=True, eq=False)
class _LineHunt:
    """Rows (n, D) of length 1 and their weights (n,)."""

    rows: Floats
    weight: Indices

    def descended(self, w: Floats, steps: int, random: np.random.Generator) -> tuple[int, Floats]:
        """Return the mistakes, and the line, after some steps from w, which is changed."""
        if not np.isfinite(w).all() or np.abs(w).max() < 1e-12:
            w = random.standard_normal(w.size)
        scales = 10.0 ** random.uniform(-3.0, 0.5, steps)
        directions = _directions(self.rows, steps, random)
        return int(descend(self.rows, self.weight, w, directions, scales)), w


def _shaken(best: Floats, random: np.random.Generator, k: int) -> Floats:
    step: Floats = random.standard_normal(best.size)
    return step if k % 3 == 0 else best + step * 10.0 ** random.uniform(-2.5, -0.3)


def _directions(rows: Floats, steps: int, random: np.random.Generator) -> Floats:
    """Return directions (steps, D): at random, along an axis, along a row, between two rows."""
    n, dimension = rows.shape
    directions = random.standard_normal((steps, dimension))
    directions[1::4] = np.eye(dimension)[random.integers(dimension, size=len(directions[1::4]))]
    directions[2::4] = rows[random.integers(n, size=len(directions[2::4]))]
    pairs = random.integers(n, size=(2, len(directions[3::4])))
    directions[3::4] = rows[pairs[0]] - rows[pairs[1]]
    return directions


def _likely(rows: Floats, share: Floats) -> Floats:
    """Return the logistic line after a few Newton steps with a breath of L2."""
    w = np.zeros(rows.shape[1])
    ridge = 1e-6 * np.eye(w.size)
    for _ in range(10):
        p = 1.0 / (1.0 + np.exp(np.clip(rows @ w, -30.0, 30.0)))
        slope = rows.T @ (share * p) - 1e-6 * w
        curvature = (rows * (share * p * (1.0 - p))[:, None]).T @ rows + ridge
        w = w + np.linalg.solve(curvature, slope)
    return w
