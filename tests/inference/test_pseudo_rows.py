"""Priors as rows beside the penalised likelihoods that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from separatrix import InputError, LogisticRegression, coefficient_table, prior_rows
from separatrix.inference.pseudo_rows import dy_estimates, log_f_estimates
from tests.hostile.profile import examples
from tests.inference.tables import drawn, log_likelihood


def log_f(sample, b, m):
    return log_likelihood(sample, 1.0, b) + (m * b[1:] / 2 - m * np.logaddexp(0, b[1:])).sum()


def dy(sample, b, weight):
    a = b[0] + sample.X @ b[1:]
    both = np.logaddexp(0, a) + np.logaddexp(0, -a)
    return log_likelihood(sample, 1.0, b) - weight / 2 * sample.weight @ both / sample.weight.sum()


CASES = [(log_f, log_f_estimates, "m"), (dy, dy_estimates, "weight")]


@pytest.mark.parametrize(("prior", "estimates", "option"), CASES)
@examples(20)
@given(seed=st.integers(0, 10_000), amount=st.sampled_from([0.5, 1.0, 2.0]))
def test_estimates_maximise_what_the_prior_says(prior, estimates, option, seed, amount):
    sample, _ = drawn(seed, kinds=("noisy", "small", "rare", "separated", "weighed"))
    sample = sample.only(sample.weight > 0.0)
    table = np.column_stack((np.ones(sample.n), sample.X))
    if np.linalg.matrix_rank(table) < table.shape[1]:
        return
    found = estimates(sample, 1.0, 0.95, {option: amount})
    top = prior(sample, found.estimate, amount)
    assert top == pytest.approx(found.log_likelihood, abs=1e-6 * (1.0 + abs(top)))
    other = minimize(lambda b: -prior(sample, b, amount), found.estimate * 0.9 + 0.01)
    assert -other.fun <= top + 1e-7 * (1.0 + abs(top))
    assert (found.lower <= found.estimate).all()
    assert (found.estimate <= found.upper).all()
    assert np.isfinite(found.upper - found.lower).all()
    at_end = found.estimate.copy()
    at_end[1] = found.upper[1]
    assert 2.0 * (top - prior(sample, at_end, amount)) >= 3.84  # the profile is larger still


@pytest.mark.parametrize(("method", "option"), [("log-f", "m"), ("dy", "weight")])
def test_proofs_are_about_the_table(method, option):
    sample, _ = drawn(1)
    X, y = sample.X, sample.y
    table = coefficient_table(X, y, method=method, **{option: 2.0})
    assert table.verify(X, y)
    assert not table.verify(X, -y)
    assert any("wrong choice" in note for note in table.notes)
    with pytest.raises(InputError, match=option):
        coefficient_table(X, y, method=method, **{option: 0.0})


@pytest.mark.parametrize("prior", ["log-f", "dy"])
def test_the_rows_of_a_prior_are_fitted_by_logistic_regression(prior):
    sample, _ = drawn(3)
    X, y = sample.X, np.where(sample.y > 0, "yes", "no")
    table = coefficient_table(X, y, method=prior)
    rows, labels, weight = prior_rows(X, y, prior=prior)
    model = LogisticRegression(fit_intercept=prior == "dy", tol=1e-12)
    model.fit(rows, labels, sample_weight=weight)
    found = model.coef_[0] if prior == "log-f" else np.append(model.intercept_, model.coef_)
    assert found == pytest.approx([row.estimate for row in table.rows], abs=1e-5)
    assert model.certificate_.verify(rows, labels)
    with pytest.raises(InputError, match="prior='cauchy' is not known"):
        prior_rows(X, y, prior="cauchy")
