"""The primal heuristic: 0/1 coordinate descent from many starts, for good incumbents.

Random coordinate descent on the 0/1 error itself (Li & Lin 2007), `kernels/zero_one/
local_search.py`. Mistakes are counted in floats here: the lines are proposals, and every mistake of
theirs that is reported is counted again exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from separatrix.exact.integers import Floats, Indices
from separatrix.kernels.zero_one.local_search import descend
from separatrix.tiles import in_threads
from separatrix.zero_one.presolve import MergedRows

STEPS_A_START = 400
STARTS_A_TEAM = 4  # descend side by side, all from what the team before them found
ENOUGH_ROWS = 20_000  # for the first line


def best_line(rows: MergedRows, start: Floats | None, steps: int, seed: int) -> Floats:
    """Return the best line (D,) that this number of steps finds, in scaled columns."""
    best = np.zeros(rows.dimension)
    for best in better_lines(rows, start, steps, seed):  # noqa: B007  # the last is the best
        pass
    return best


def better_lines(rows: MergedRows, start: Floats | None, steps: int, seed: int) -> Iterator[Floats]:
    """Yield after each team of starts the best line (D,) so far, in scaled columns."""
    scaled = rows.of_unit_length
    total = int(rows.weight.sum())
    share = rows.weight / total
    if start is None:
        few = slice(None, None, 1 + rows.n // ENOUGH_ROWS)
        logistic = _logistic_line(scaled[few], share[few] / share[few].sum())
        starts = [logistic, scaled.T @ share]
    else:
        starts = [start]
    fewest, best, k = total + 1, starts[0], 0
    while steps > 0 and fewest > 0:
        team = []
        for _ in range(min(STARTS_A_TEAM, -(-steps // STEPS_A_START))):
            random = np.random.default_rng((seed, k))
            w = starts[k].copy() if k < len(starts) else _perturbed(best, random, k)
            team.append(
                partial(_descent, scaled, rows.weight, w, min(steps, STEPS_A_START), random)
            )
            steps, k = steps - STEPS_A_START, k + 1
        for mistakes, w in in_threads(team):
            if mistakes < fewest:
                fewest, best = mistakes, w
        yield best


def _descent(
    rows: Floats, weight: Indices, w: Floats, steps: int, random: np.random.Generator
) -> tuple[int, Floats]:
    """Return the mistakes and the line after some steps from w, which changes in place."""
    if not np.isfinite(w).all() or np.abs(w).max() < 1e-12:
        w = random.standard_normal(w.size)
    scales = 10.0 ** random.uniform(-3.0, 0.5, steps)
    return int(descend(rows, weight, w, _directions(rows, steps, random), scales)), w


def _perturbed(best: Floats, random: np.random.Generator, k: int) -> Floats:
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


def _logistic_line(rows: Floats, share: Floats) -> Floats:
    """Return the line (D,) of a slightly regularised logistic regression after ten Newton steps."""
    w = np.zeros(rows.shape[1])
    ridge = 1e-6 * np.eye(w.size)
    for _ in range(10):
        p = 1.0 / (1.0 + np.exp(np.clip(rows @ w, -30.0, 30.0)))
        slope = rows.T @ (share * p) - 1e-6 * w
        curvature = (rows * (share * p * (1.0 - p))[:, None]).T @ rows + ridge
        w = w + np.linalg.solve(curvature, slope)
    return w
