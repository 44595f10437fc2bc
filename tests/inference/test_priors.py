"""Firth's estimates, profile ends and tests beside a general optimiser."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chi2

from separatrix import InputError, LogisticRegression, coefficient_table, prior_rows
from separatrix.inference.priors import firth_estimates, log_f_estimates
from separatrix.scale import Rows
from tests.hostile.profile import examples
from tests.inference.tables import drawn, log_likelihood, sample_of
from tests.shared_data import needs_shared, public_table

Q = chi2.ppf(0.95, 1)


def penalised(sample, x0, b):
    """F(b), straight from the formula."""
    X = np.column_stack((np.ones(sample.n), sample.X))[:, 0 if x0 else 1 :]
    a = X @ b
    v = 1.0 / (2.0 + 2.0 * np.cosh(a))
    sign, log_det = np.linalg.slogdet((X.T * (sample.weight * v)) @ X)
    fit = -sample.weight @ np.logaddexp(0.0, -sample.y * a)
    return fit + log_det / 2.0 if sign > 0 else -np.inf


def profile(sample, x0, j, v, start):
    """The largest F with b_j = v near a start."""

    def fixed(free):
        return -penalised(sample, x0, np.insert(free, j, v))

    found = minimize(fixed, np.delete(start, j), method="Nelder-Mead", options={
        "xatol": 1e-10, "fatol": 1e-12, "maxiter": 20000, "maxfev": 20000, "adaptive": True,
    }) if len(start) > 1 else None  # fmt: skip
    return -fixed(np.empty(0)) if found is None else -found.fun


@needs_shared
def test_endometrial():
    X, y, names = public_table("endometrial")
    table = coefficient_table(X, y, method="firth", feature_names=names)
    assert [round(row.estimate, 6) for row in table.rows] == [
        3.774560, 2.929273, -0.034752, -2.604164,
    ]  # fmt: skip
    errors = [1.48869, 1.55076, 0.03958, 0.77602]  # brglm2's, from I^-1 as Firth's theory has it
    assert [round(row.standard_error, 5) for row in table.rows] == errors
    assert "a local one" in table.notes[0]


@examples(25)
@example(5746, 0.0)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 1.0]))
def test_ends_lie_on_the_profile_where_it_has_fallen(seed, x0):
    sample, _ = drawn(seed, kinds=("noisy", "small", "rare", "separated", "weighed"))
    sample = replace(sample.only(sample.weight > 0.0), x0=x0)
    X = np.column_stack((np.ones(sample.n), sample.X))[:, 0 if x0 else 1 :]
    if X.shape[1] > 3 or np.linalg.cond(X) > 1e3:
        return
    found = firth_estimates(Rows.of(sample), 0.95, {})
    first = 0 if x0 else 1
    best = found.estimate[first:]
    top = penalised(sample, x0, best)
    assert top == pytest.approx(found.log_likelihood, abs=1e-8)
    assert np.isfinite(found.lower[first:]).all()
    assert np.isfinite(found.upper[first:]).all()
    for j in range(len(best)):
        for v in (found.lower[first + j], found.upper[first + j]):
            start = best + (np.arange(len(best)) == j) * (v - best[j])
            # a general optimiser may stay at a lower maximum, so that it begins elsewhere then
            falls = (2.0 * (top - profile(sample, x0, j, v, start + by)) for by in (0.0, 3.0, -3.0))
            assert any(fall <= Q + 1e-4 for fall in falls)
    tested = found.ratio([first])
    assert tested == pytest.approx(found.chi2[first], abs=1e-9)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_an_end_is_of_the_highest_branch_of_the_profile(side):
    """At b_0 = -4.18 a maximum beside that of the estimate falls by Q, another by 2.15 alone."""
    sample = sample_of([[1.0], [-2.0], [3.0], [-2.0], [0.0], [0.0], [0.0]], [1, -1, 1, *[-1] * 4])
    found = firth_estimates(Rows.of(sample), 0.95, {})
    top = penalised(sample, 1.0, found.estimate)
    end = (found.lower if side < 0.0 else found.upper)[0]
    values = [penalised(sample, 1.0, np.array([end, b])) for b in np.linspace(-15.0, 15.0, 3001)]
    assert 2.0 * (top - max(values)) == pytest.approx(Q, abs=1e-4)


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
def test_columns_of_any_size_have_the_same_ends_in_their_units(scale):
    sample, _ = drawn(0)
    one = firth_estimates(Rows.of(sample), 0.95, {"enclose": False})
    with np.errstate(all="ignore"):
        other = firth_estimates(
            Rows.of(sample_of(sample.X * scale, sample.y)), 0.95, {"enclose": False}
        )
    for name in ("lower", "upper"):
        ends = getattr(other, name)[1:] * scale
        np.testing.assert_allclose(ends, getattr(one, name)[1:], rtol=1e-6)


def test_a_column_of_zeros_alone_is_not_determined():
    sample = sample_of([[0.0]] * 3, [1, -1, 1])
    found = firth_estimates(Rows.of(replace(sample, x0=0.0)), 0.95, {})
    assert np.isnan(found.estimate).all()
    assert np.isnan(found.upper).all()


def test_a_group_of_columns_is_tested_by_the_penalised_likelihood():
    X = np.array([[0, 1], [1, 0], [2, 1], [3, 3], [4, 0], [5, 2], [1, 4], [2, 2.0]])
    y = np.array([0, 0, 1, 0, 1, 1, 0, 1])
    one = coefficient_table(X, y, method="firth", test=["x1", ["x1", "x2"]])
    row = one["x1"]
    assert one.tests[0].chi2 == pytest.approx(row.chi2, rel=1e-6)
    assert one.tests[1].degrees == 2
    assert one.tests[1].chi2 > coefficient_table(X, y, method="firth")["x2"].chi2
    assert "by the penalised likelihood" in one.to_text()
    assert one.tests[0].chi2 != pytest.approx(
        coefficient_table(X, y, test=["x1"]).tests[0].chi2, rel=1e-3
    )


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
