"""Random tables for inference, and the profile likelihood by another optimiser."""

from dataclasses import replace

import numpy as np

from separatrix.data import Sample
from separatrix.inference.intervals import intervals
from separatrix.inference.maximum import Maximum
from separatrix.learners.logistic.problem import without

LABELS = np.array([0, 1])


def sample_of(X, y, weight=None):
    """A sample of rows X (N, d) and signs y."""
    X, y = np.ascontiguousarray(X, dtype=float), np.asarray(y, dtype=float)
    return Sample(X, y, LABELS, np.ones(len(y)) if weight is None else np.asarray(weight, float))


def drawn(seed, kinds=("noisy", "small", "rare", "separated", "far", "weighed", "collinear")):
    """A table of one of the kinds, and which."""
    rng = np.random.default_rng(seed)
    kind = kinds[seed % len(kinds)]
    n, d = int(rng.integers(12, 60)), int(rng.integers(1, 5))
    X = rng.standard_normal((n, d)).round(2)
    score = X @ rng.standard_normal(d) + rng.standard_normal()
    weight = np.ones(n)
    if kind == "small":  # few rows of small whole numbers: separated in many ways
        n = int(rng.integers(4, 11))
        X = rng.integers(-2, 3, (n, d)).astype(float)
        score, weight = rng.standard_normal(n), np.ones(n)
    if kind == "rare":
        X[:, 0] = 0.0
        X[: int(rng.integers(2, 4)), 0] = 1.0
    y = np.where(score + rng.logistic(size=n) > 0, 1.0, -1.0)
    if kind == "separated":
        y = np.where(score > 0, 1.0, -1.0)
        y[0] *= rng.choice((-1.0, 1.0))
    if kind == "far":
        X[:, 0] += 30.0
    if kind == "weighed":
        weight = rng.integers(0, 4, n).astype(float) + rng.choice((0.0, 0.5), n)
    if kind == "collinear" and d > 1:
        X[:, -1] = 2.0 * X[:, 0] + 1.0
    y[:2] = 1.0, -1.0
    weight[:2] = np.maximum(weight[:2], 1.0)
    return sample_of(X, y, weight), kind


def log_likelihood(sample, x0, b):
    """l(b), straight from the formula."""
    a = sample.y * (x0 * b[0] + sample.X @ b[1:])
    return -float(sample.weight @ np.logaddexp(0.0, -a))


def profile(sample, x0, j, v, left_out=()):
    """sup of l over b with b_j = v, by another optimiser in orthonormal columns."""
    table = np.column_stack((np.full(sample.n, x0), sample.X))
    others = [k for k in range(table.shape[1]) if k not in (j, *left_out) and (x0 or k)]
    Q, _ = np.linalg.qr(table[:, others] * np.sqrt(sample.weight)[:, None])
    basis = np.linalg.lstsq(table[:, others] * np.sqrt(sample.weight)[:, None], Q, rcond=None)[0]
    M = table[:, others] @ basis
    offset = v * table[:, j]

    def parts(c):
        a = sample.y * (offset + M @ c)
        sigma = np.exp(-np.logaddexp(0.0, a))
        rest = np.exp(-np.logaddexp(0.0, -a))
        value = float(sample.weight @ np.logaddexp(0.0, -a))
        gradient = -M.T @ (sample.weight * sigma * sample.y)
        return value, gradient, (M * (sample.weight * sigma * rest)[:, None]).T @ M

    if not others:
        return -parts(np.zeros(0))[0]
    far = max(1.0, np.abs(offset).max())
    aims = [t * sample.y for t in (0.0, 1.0, 10.0, far)]
    starts = [np.linalg.lstsq(M, aim - offset, rcond=None)[0] for aim in aims]
    return -min(_least(parts, first) for first in starts)


def _least(parts, c, most=400):
    """The least value by damped Newton steps (Levenberg 1944, Marquardt 1963)."""
    ridge = 1.0
    value, gradient, H = parts(c)
    for _ in range(most):
        step = -np.linalg.solve(H + ridge * np.eye(c.size), gradient)
        found = parts(c + step)
        if found[0] < value:
            c, ridge = c + step, max(ridge / 10.0, 1e-15)
            value, gradient, H = found
        else:
            ridge *= 4.0
        if ridge > 1e30 or not np.abs(step).max() > 1e-12 * np.abs(c).max():
            break
    return value


def supremum(sample, x0):
    """l*, of rows with positive weights."""
    if sample.d == 0 and not x0:
        return float(-np.log(2.0) * sample.weight.sum())
    return Maximum.of(replace(sample, x0=x0)).log_likelihood


def likelihood_ratio(sample, x0, columns):
    """2 (l* - sup {l(b) : b_j = 0 for these j}), by two suprema."""
    sample = sample.only(sample.weight > 0.0)
    fewer = without(sample, {j: () for j in columns if j})
    return max(0.0, 2.0 * (supremum(sample, x0) - supremum(fewer, 0.0 if 0 in columns else x0)))


def likelihood_intervals(sample, x0, level=0.95):
    """The likelihood intervals of a sample in memory."""
    return intervals.likelihood_intervals(Maximum.of(replace(sample, x0=x0)), level)


def meats(slopes, leverage):
    """Yield what robust errors are asked for with, and the meat of their sandwich, by hand."""
    n, k = slopes.shape
    for name, scale in {
        "HC0": 1.0, "HC1": n / (n - k), "HC2": 1.0 / (1.0 - leverage),
        "HC3": 1.0 / (1.0 - leverage) ** 2,
    }.items():  # fmt: skip
        yield {"robust": name}, (slopes * np.reshape(scale, (-1, 1))).T @ slopes
    groups = np.arange(n) % 3
    sums = np.array([slopes[groups == g].sum(axis=0) for g in range(3)])
    yield {"groups": groups}, 3 / 2 * (n - 1) / (n - k) * sums.T @ sums
