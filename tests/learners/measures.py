"""Measures of one's own, noisy tables, and descent as it is defined."""

import numpy as np

from separatrix import Squared
from separatrix.errors import MEASURES

SMOOTH = ("perceptron", "squared", "cross_entropy")


def noisy(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ np.ones(d) + 1.5 * rng.logistic(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def naive(error, X, y, eta, updates, *, batch=None, unit=False, weight=None, x0=1.0, start=None):
    """w after so many updates: the definition, one batch after the other."""
    Z = np.column_stack((np.full(len(y), x0), X))
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    w = np.zeros(Z.shape[1]) if start is None else np.array(start, dtype=float)
    batch, position = batch or len(y), 0
    for _ in range(updates):
        at = np.arange(position, min(position + batch, len(y)))
        slopes = MEASURES[error].slope(y[at] * (Z[at] @ w))
        g = (weight[at] * slopes * y[at]) @ Z[at] / weight[at].sum()
        size = np.linalg.norm(g) if unit else 1.0
        w = w - eta * g / size if size else w
        position = at[-1] + 1 if at[-1] + 1 < len(y) else 0
    return w


class Own:
    """A measure of a user's own: somebody else's cross-entropy, unknown to the kernels."""

    def value(self, a):
        return np.logaddexp(0.0, -a)

    def slope(self, a):
        return -1.0 / (1.0 + np.exp(a))


class OwnSquared:
    """Likewise."""

    def value(self, a):
        return Squared().value(a)

    def slope(self, a):
        return Squared().slope(a)
