"""Logistic regression on many columns: conjugate gradients, a category eliminated, late errors."""

import pickle
from dataclasses import replace
from statistics import NormalDist  # another implementation

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import InputError, LogisticGap, LogisticRegression, NoFiniteOptimumWarning, Stopped
from separatrix.data import read_arrays, refusals
from separatrix.learners.logistic import cross_entropy, reads
from separatrix.learners.logistic.cross_entropy import least_cross_entropy
from separatrix.learners.logistic.newton import newton
from separatrix.learners.logistic.newton_coordinates import OneHotColumns
from separatrix.learners.logistic.problem import Problem
from tests.learners.logistic.newton import same_as_naive, table
from tests.learners.tables import one_hot_table


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
    monkeypatch.setattr(reads, "AT_ONCE", 0.0)
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


def test_z_and_p_are_those_of_the_normal_distribution():
    X, y = table(16, n=200)
    fit = LogisticRegression().fit(X, y)
    z = np.concatenate((fit.intercept_, fit.coef_[0])) / fit.standard_errors_
    assert fit.z_scores_ == pytest.approx(z)
    expected = [2.0 * NormalDist().cdf(-abs(v)) for v in z]
    assert fit.p_values_ == pytest.approx(expected, rel=1e-6)
    assert np.isnan(LogisticRegression(C=1.0).fit(X, y).p_values_).all()
    with pytest.raises(AttributeError):
        _ = LogisticRegression().standard_errors_


def noisy_sample(seed, weight=None, **options):
    X, score, first = one_hot_table(seed, **options)
    noise = np.random.default_rng(seed + 1000).logistic(size=X.shape[0])
    sample = read_arrays(X, (0.4 * score + noise > 0.0).astype(int), weight)
    return replace(sample, X=X), first  # sparse whatever the size


def problem_of(sample, x0=1.0, C=np.inf, tol=1e-10):
    zero = np.zeros(sample.d + 1)
    return Problem(sample, x0, C, tol, 100, zero)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("C", [np.inf, 0.7])
@pytest.mark.parametrize("x0", [1.0, 0.0])
def test_is_the_optimum_of_dense_columns(seed, C, x0):
    weight = np.random.default_rng(seed).integers(1, 4, size=600).astype(float)
    sample, _ = noisy_sample(seed, weight, n=600, baseline=seed % 2 == 0)
    problem = problem_of(sample, x0, C)
    columns = OneHotColumns.of(sample, x0, C)
    assert columns is not None
    found = newton(problem, columns)
    dense = newton(replace(problem, rows=replace(sample, X=sample.X.toarray())))
    assert found.gap <= 1e-10
    assert not found.divergent
    assert not found.doubtful
    assert found.weights == pytest.approx(dense.weights, rel=1e-6, abs=1e-8)
    assert found.standard_errors == pytest.approx(dense.standard_errors, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_the_gap_is_proven(C):
    sample, _ = noisy_sample(3, n=150, levels=(17,))
    model = LogisticRegression(C=C).fit_sample(sample)
    assert isinstance(model.certificate_, LogisticGap)
    assert model.stopped_ is Stopped.CERTIFIED
    y = (sample.y > 0.0).astype(int)
    assert model.certificate_.proven_gap(sample.X, y) <= model.tol


def test_a_level_of_one_label_has_no_finite_optimum_before_any_step_is_taken():
    sample, first = noisy_sample(4)
    sample = replace(sample, y=np.where(first == 5, 1.0, sample.y))
    fit = least_cross_entropy(problem_of(sample))
    assert fit.divergent
    assert fit.n_steps == 0
    with pytest.warns(NoFiniteOptimumWarning, match=r"Diverging coefficients: x5 \(\+\)"):
        model = LogisticRegression().fit_sample(sample)
    chance = model.predict_proba(sample.X)[:, 1]
    assert (chance[first == 5] == 1.0).all()
    assert ((chance > 0.0) & (chance < 1.0))[first != 5].all()


def test_the_limit_is_the_same_for_dense_columns():
    sample, first = noisy_sample(6)
    sample = replace(sample, y=np.where(first == 5, 1.0, np.where(first == 7, -1.0, sample.y)))
    models = []
    for X in (sample.X, sample.X.toarray()):
        with pytest.warns(NoFiniteOptimumWarning):
            models.append(LogisticRegression(tol=1e-12).fit_sample(replace(sample, X=X)))
    one, other = models
    assert one.finite_weights_ == pytest.approx(other.finite_weights_, rel=1e-6, abs=1e-8)
    assert one.stopped_ is other.stopped_ is Stopped.TOUCHING


def test_copies_and_order_of_separable_rows_do_not_matter():
    X, score, _ = one_hot_table(5, n=90)
    y = (score > 0.0).astype(int)
    order = np.random.default_rng(0).permutation(np.append(np.arange(90), [3, 3, 70]))
    sample = replace(read_arrays(X, y), X=X)
    shuffled = replace(read_arrays(X[order], y[order]), X=X[order])
    lines = []
    for rows in (sample, shuffled):
        with pytest.warns(NoFiniteOptimumWarning):
            lines.append(LogisticRegression().fit_sample(rows).coef_)
    assert np.array_equal(*lines)
