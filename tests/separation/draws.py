"""Seeded draws."""

import numpy as np
import scipy.sparse as sp

rng = np.random.default_rng


def one_hot(seed):
    """X, y and x0 of a small table: one to three categories with rare levels, some numbers."""
    r = rng(seed)
    n, parts = int(r.integers(4, 40)), []
    for _ in range(r.integers(1, 4)):
        k = int(r.integers(2, 7))
        share = np.arange(1.0, k + 1) ** -r.uniform(0, 2)
        levels = np.eye(k)[r.choice(k, n, p=share / share.sum())]
        levels = levels[:, int(r.integers(0, 2)) :]
        if r.random() < 0.2:
            levels = levels * np.array([1, 2, -1, 0.5, 3, 1])[: levels.shape[1]]
        parts.append(levels)
    numbers = int(r.integers(0, 3))
    if numbers:
        kinds = r.normal(size=(n, numbers)), r.integers(-2, 3, (n, numbers)).astype(float)
        values = [*kinds, np.round(kinds[0], 1)][r.integers(0, 3)]
        values += 1000.0 if r.random() < 0.3 else 0.0
        parts.insert(int(r.integers(0, len(parts) + 1)), values)
    X = np.hstack(parts)
    if r.random() < 0.3:
        X = np.vstack([X, X[r.integers(0, n, n // 3)]])
    noise = r.choice([0, 0.3, 2, 6, 20]) * r.normal(size=len(X))
    y = np.where(X @ r.normal(size=X.shape[1]) + r.normal() + noise > 0, 1.0, -1.0)
    if r.random() < 0.3:
        y[X[:, r.integers(0, X.shape[1])] != 0] = r.choice([-1.0, 1.0])
    y[0] = -y[1:].sum() / abs(y[1:].sum()) if abs(y.sum()) == len(y) else y[0]
    return X[:, X.any(axis=0)], y, float(r.integers(0, 4) > 0)


def with_levels(n, categories, *, numbers=2, seed=0, noise=0.5):
    """A long table: X as CSR, one column of each category left out, and labels that overlap."""
    r = rng(seed)
    levels = [r.integers(0, k, n) for k in categories]
    blocks = [np.eye(k)[level][:, 1:] for k, level in zip(categories, levels, strict=True)]
    effects = sum(noise * r.normal(size=k)[v] for k, v in zip(categories, levels, strict=True))
    values = r.normal(size=(n, numbers))
    y = r.random(n) < 1 / (1 + np.exp(-effects - values.sum(axis=1)))
    return sp.csr_array(np.hstack([*blocks, values])), y.astype(int)
