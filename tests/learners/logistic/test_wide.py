"""Logistic regression on fewer rows than columns."""

import numpy as np
import pytest

from separatrix import LogisticGap, LogisticRegression, NoFiniteOptimumWarning, Stopped
from separatrix.learners.logistic import cross_entropy


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(cross_entropy, "LARGE", 0)


def wide(seed, n=30, d=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), (rng.random(n) < 0.5).astype(int)


@pytest.mark.usefixtures("large")
def test_separable_rows_are_decided_before_any_step():
    X, y = wide(0)
    with pytest.warns(NoFiniteOptimumWarning):
        model = LogisticRegression().fit(X, y)
    assert model.stopped_ is Stopped.SEPARABLE
    assert model.n_iter_ == 0
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.usefixtures("large")
def test_rows_that_overlap_all_the_same_are_fitted():
    X, y = wide(1)
    X[:, 1:] = 0.0
    model = LogisticRegression().fit(X, y)
    assert isinstance(model.certificate_, LogisticGap)
    assert model.stopped_ is Stopped.CERTIFIED
