"""Touching tables of many rows: a few of them settle the answer."""

import numpy as np
import pytest

from separatrix import separability
from separatrix.separation import constraint_generation


def noise_and_dummies(n, d, k, seed=0):
    """Overlapping rows in d columns, and k columns that are 1 on a few yes rows only."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1, -1)
    Z = np.zeros((n, k))
    for j in range(k):
        Z[rng.choice(np.flatnonzero(y > 0), 3, replace=False), j] = 1.0 + j
    return np.column_stack((X, Z)), y


def test_rare_dummies_diverge_and_nothing_else_does():
    X, y = noise_and_dummies(4000, 4, 3)
    found = separability(X, y)
    assert found.verdict == "touching"
    assert found.diverging == {5: 1, 6: 1, 7: 1}
    assert found.verify(X, y)


def test_overlapping_rows_of_few_values_stay_overlapping():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(4000, 6)).astype(float)
    y = np.where(rng.random(4000) < 0.5, 1, -1)
    found = separability(X, y)
    assert found.verdict == "overlapping"
    assert found.verify(X, y)


@pytest.mark.parametrize("seed", range(12))
def test_a_working_cone_of_a_few_rows_is_that_of_all(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 60)), int(rng.integers(2, 6))
    X = rng.integers(-1, 2, size=(n, d)) * 2.0 ** rng.integers(-30, 30, size=d)
    y = np.where(X[:, 0] > 0, 1, np.where(X[:, 0] < 0, -1, rng.choice([-1, 1], size=n)))
    y[:2] = 1, -1
    at_once = separability(X, y)
    monkeypatch.setattr(constraint_generation, "FIRST", 2)
    of_few = separability(X, y)
    assert (of_few.verdict, of_few.rank, of_few.aliased) == (
        at_once.verdict,
        at_once.rank,
        at_once.aliased,
    )
    assert of_few.diverging == at_once.diverging
    assert of_few.verify(X, y)
