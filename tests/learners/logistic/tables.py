"""Noisy tables, and lines as one vector."""

import numpy as np


def noisy(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ np.ones(d) + 1.5 * rng.logistic(size=n) > 0, 1, 0)
    return X, y
