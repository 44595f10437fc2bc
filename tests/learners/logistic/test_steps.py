"""The line search, L-BFGS and the moved dual point, each alone, against what defines it."""

import numpy as np
import pytest
from scipy.special import expit

from separatrix.learners.logistic.objective import bends, divergences
from separatrix.learners.logistic.steps import LBFGS, Backtracking


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
    a = rng.normal(size=50)
    sigma = expit(-a)
    moves = 0.1 * rng.normal(size=50) * sigma * expit(a)
    cost = bends(moves, moves / sigma, moves / (1.0 - sigma))
    least = divergences(sigma + moves, a)
    assert (least <= cost).all()
    assert cost.sum() <= 1.5 * least.sum()
    assert bends(100.0 * moves, 100.0 * moves / sigma, 100.0 * moves / (1.0 - sigma)) is None
