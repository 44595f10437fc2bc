"""Priors as rows beside the penalised likelihoods that they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from separatrix import InputError, LogisticRegression, coefficient_table, prior_rows
from separatrix.inference.pseudo_rows import log_f_estimates
from separatrix.scale import Rows
from tests.hostile.profile import examples
from tests.inference.tables import drawn, log_likelihood


def log_f(sample, b, m):
    return log_likelihood(sample, 1.0, b) + (m * b[1:] / 2 - m * np.logaddexp(0, b[1:])).sum()


@examples(20)
@given(seed=st.integers(0, 10_000), amount=st.sampled_from([0.5, 1.0, 2.0]))
def test_estimates_maximise_what_the_prior_says(seed, amount):
    sample, _ = drawn(seed, kinds=("noisy", "small", "rare", "separated", "weighed"))
    sample = sample.only(sample.weight > 0.0)
    table = np.column_stack((np.ones(sample.n), sample.X))
    if np.linalg.matrix_rank(table) < table.shape[1]:
        return
    found = log_f_estimates(Rows.of(sample), 0.95, {"m": amount})
    top = log_f(sample, found.estimate, amount)
    assert top == pytest.approx(found.log_likelihood, abs=1e-6 * (1.0 + abs(top)))
    other = minimize(lambda b: -log_f(sample, b, amount), found.estimate * 0.9 + 0.01)
    assert -other.fun <= top + 1e-7 * (1.0 + abs(top))
    assert (found.lower <= found.estimate).all()
    assert (found.estimate <= found.upper).all()
    assert np.isfinite(found.upper - found.lower).all()
    at_end = found.estimate.copy()
    at_end[1] = found.upper[1]
    assert 2.0 * (top - log_f(sample, at_end, amount)) >= 3.84  # the profile is larger still


def test_proofs_are_about_the_table():
    sample, _ = drawn(1)
    X, y = sample.X, sample.y
    table = coefficient_table(X, y, method="log-f", m=2.0)
    assert table.verify(X, y)
    assert not table.verify(X, -y)
    assert any("wrong choice" in note for note in table.notes)
    with pytest.raises(InputError, match="m="):
        coefficient_table(X, y, method="log-f", m=0.0)


def test_the_rows_of_a_prior_are_fitted_by_logistic_regression():
    sample, _ = drawn(3)
    X, y = sample.X, np.where(sample.y > 0, "yes", "no")
    table = coefficient_table(X, y, method="log-f")
    rows, labels, weight = prior_rows(X, y)
    model = LogisticRegression(fit_intercept=False, tol=1e-12)
    model.fit(rows, labels, sample_weight=weight)
    assert model.coef_[0] == pytest.approx([row.estimate for row in table.rows], abs=1e-5)
    assert model.certificate_.verify(rows, labels)
