"""The moved dual point, against what defines it."""

import numpy as np
from scipy.special import expit

from separatrix.learners.logistic.objective import bends, divergences


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
