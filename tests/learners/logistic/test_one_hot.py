"""Newton's method with a category eliminated, against dense columns."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import LogisticGap, LogisticRegression, NoFiniteOptimumWarning, Stopped
from separatrix.data import read_arrays
from separatrix.learners.logistic.cross_entropy import least_cross_entropy
from separatrix.learners.logistic.newton import newton
from separatrix.learners.logistic.newton_coordinates import OneHotColumns
from separatrix.learners.logistic.problem import Problem
from tests.learners.one_hot import one_hot_table


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
