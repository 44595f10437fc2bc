"""Logistic regression on many columns: conjugate gradients, a category eliminated, late errors."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import InputError, LogisticRegression, Stopped
from separatrix.data import refusals
from separatrix.learners.logistic import cross_entropy, newton
from tests.learners.logistic.newton import same_as_naive, table


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
def test_conjugate_gradients_reach_the_penalised_optimum(methods, monkeypatch, kind, intercept, C):
    monkeypatch.setattr(cross_entropy, "WIDE", 1)
    rng = np.random.default_rng(12)
    X = rng.normal(size=(400, 60)) * (rng.random((400, 60)) < 0.2) * 10.0 ** rng.uniform(-2, 2, 60)
    y = np.where(X[:, :9].sum(axis=1) + rng.logistic(size=400) > 1.0, 1, 0)
    weight = rng.integers(1, 4, 400)
    fit = same_as_naive(kind(X), y, weight, C=C, intercept=intercept)
    assert methods == ["newton_cg"]
    assert fit.intercept_[0] == 0.0 or intercept


def test_the_gap_of_conjugate_gradients_is_proven_in_exact_arithmetic(methods, monkeypatch):
    monkeypatch.setattr(cross_entropy, "WIDE", 1)
    X, y = table(13, n=80, d=3)
    for intercept in (True, False):
        fit = LogisticRegression(C=1.0, fit_intercept=intercept).fit(sp.csr_array(X), y)
        assert fit.certificate_.verify(X, y, tol=fit.certificate_.gap)
    assert methods == ["newton_cg"] * 2


def test_a_table_too_wide_to_be_dense_is_fitted_with_a_penalty(monkeypatch):
    rng = np.random.default_rng(14)
    at = np.arange(3000) // 10, rng.integers(0, 2 * 10**5, 3000)
    X = sp.csr_array((rng.normal(size=3000), at), shape=(300, 2 * 10**5))
    y = rng.integers(0, 2, 300)
    fit = LogisticRegression(C=1.0).fit(X, y)
    assert fit.stopped_ is Stopped.CERTIFIED
    monkeypatch.setattr(refusals, "available_memory", lambda: 10**8)
    with pytest.raises(InputError, match=r"needs .* bytes of memory"):
        LogisticRegression().fit(X, y)


@pytest.mark.usefixtures("methods")
def test_standard_errors_that_wait_are_the_same_and_refuse_changed_rows(monkeypatch):
    X, y = table(15)
    at_once = LogisticRegression().fit(X, y)
    monkeypatch.setattr(newton, "AT_ONCE", 0.0)
    later = LogisticRegression().fit(X, y)
    copy = pickle.loads(pickle.dumps(later))  # noqa: S301  # our own
    assert later._information is None  # asked once, the rows are let go
    for fit in (later, copy):
        assert np.array_equal(fit.standard_errors_, at_once.standard_errors_)
        assert np.array_equal(fit.p_values_, at_once.p_values_)
    changed = LogisticRegression().fit(X, y)
    X[17, 2] += 1.0
    with pytest.raises(InputError, match="changed"):
        _ = changed.standard_errors_
