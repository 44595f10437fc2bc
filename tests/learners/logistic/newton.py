"""Tables, and what plain Newton says of them."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import LogisticGap, LogisticRegression, Stopped


def noisy(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ np.ones(d) + 1.5 * rng.logistic(size=n) > 0, 1, 0)
    return X, y


def table(seed, n=6000, d=5, strength=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(strength * (X.sum(axis=1) - 0.5) + rng.logistic(size=n) > 0, 1, 0)


def newton_logistic(X, y, weight, C, x0, start):  # noqa: PLR0917
    """Plain Newton for the cross-entropy near its optimum: weights, standard errors, the sum."""
    z = np.where(y == np.max(y), 1.0, -1.0)[:, None] * np.column_stack((np.full(len(X), x0), X))
    m = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    scale = np.abs(z).max(axis=0) + (np.abs(z).max(axis=0) == 0)
    z, penalty = z / scale, 1.0 / (C * scale**2)
    penalty[0] = 0.0 if x0 else 1.0

    def value(w):
        return m @ np.logaddexp(0.0, -z @ (w * scale)) + penalty @ (w * scale) ** 2 / 2.0

    v = start * scale
    for _ in range(8):
        theta = 1.0 / (1.0 + np.exp(z @ v))
        H = (z * (m * theta * (1.0 - theta))[:, None]).T @ z + np.diag(penalty)
        v = v + np.linalg.solve(H, z.T @ (m * theta) - penalty * v)
    return v / scale, np.sqrt(np.diag(np.linalg.inv(H))) / scale, value


def same_as_naive(X, y, weight=None, *, C=np.inf, intercept=True, **options):
    """Fit, and compare weights and errors with plain Newton; return the fit."""
    fit = LogisticRegression(C=C, fit_intercept=intercept, tol=1e-10, **options)
    fit.fit(X, y, sample_weight=weight)
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    w = np.concatenate((fit.intercept_, fit.coef_[0]))
    best, errors, value = newton_logistic(dense, y, weight, C, float(intercept), w)
    assert isinstance(fit.certificate_, LogisticGap)
    assert fit.stopped_ is Stopped.CERTIFIED
    assert value(w) - value(best) <= fit.certificate_.gap * value(w) + 1e-13 * value(w)
    far = np.sqrt(2.0 * fit.certificate_.gap * value(w))  # in standard errors, at most
    assert (np.abs(w - best) <= errors * (1.1 * far + 1e-6)).all()
    if np.isinf(C):
        ours = fit.standard_errors_[0 if intercept else 1 :]
        assert ours == pytest.approx(errors[0 if intercept else 1 :], rel=1e-4)
    else:
        assert np.isnan(fit.standard_errors_).all()
    return fit
