"""The line search, L-BFGS and the moved dual point, each alone, against what defines it."""

import numpy as np
import pytest
from scipy.special import expit

from separatrix.learners.logistic.certify import divergences, repaired
from separatrix.learners.logistic.lbfgs import LBFGS
from separatrix.learners.logistic.line_search import Backtracking


def test_the_first_step_that_falls_enough_is_taken():
    def along(t):
        return (10.0 * t - 1.0) ** 2, f"at {t}"  # from 1, least at a tenth

    assert Backtracking(least=1e-3).search(along, 1.0, -20.0) == (0.125, 0.0625, "at 0.125")
    assert Backtracking(least=1e-3, shrink=0.25).search(along, 1.0, -20.0)[0] == 0.0625
    assert Backtracking(least=0.125).search(along, 1.0, -20.0) is None
    # at an eighth it falls by 0.9375 of the 2.5 that the slope promises
    assert Backtracking(least=1e-3, decrease=0.5).search(along, 1.0, -20.0)[0] == 0.0625


def test_equal_values_and_nan_are_no_decrease_and_slack_allows_for_rounding():
    search = Backtracking(least=1e-2)
    assert search.search(lambda t: (1.0, t), 1.0) is None
    assert search.search(lambda t: (np.nan, t), 1.0, -1.0) is None
    assert search.search(lambda t: (1.0, t), 1.0, -1e-30, 1e-15)[0] == 1.0


@pytest.mark.parametrize("size", [4, 1600])
def test_pairs_are_met_exactly_and_the_oldest_is_forgotten(size):
    rng = np.random.default_rng(size)
    curvature = rng.uniform(1.0, 3.0, size)
    inverse = LBFGS(2, lambda q: q / 2.0)
    steps = rng.normal(size=(3, size))
    for step in steps:
        inverse.add(step, curvature * step)
    assert inverse.solve(curvature * steps[2]) == pytest.approx(steps[2])  # the secant equation
    assert len(inverse.pairs) == 2
    inverse.add(steps[0], -steps[0])  # not convex
    assert len(inverse.pairs) == 2


def test_moved_duals_cost_no_less_than_their_divergence():
    rng = np.random.default_rng(0)
    a, y, weight = rng.normal(size=50), rng.choice([-1.0, 1.0], 50), rng.uniform(1.0, 3.0, 50)
    rows, sigma = np.arange(0, 50, 5), expit(-a)
    alpha, moved = sigma.copy(), 0.05 * rng.normal(size=10)
    cost = repaired(alpha, rows, y[rows], weight[rows], moved, 0.25)
    signed = weight * y
    assert signed[rows] * (sigma - alpha)[rows] == pytest.approx(moved)
    least = float(weight @ divergences(alpha, a))
    assert least <= cost - 0.25 <= 1.5 * least
    before = alpha.copy()
    assert repaired(alpha, rows, y[rows], weight[rows], 100.0 * moved, 0.0) == np.inf
    assert np.array_equal(alpha, before)
