"""Logistic regression where floats alone would be wrong."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import separatrix as sx
from tests.learners.logistic.newton import noisy


def test_rows_on_a_direction_that_doubles_cannot_hold_keep_their_finite_fit():
    X, y = [[0.7, 0.1], [0.7, 0.1], [-0.9, 0.8], [-0.9, 0.7]], [0, 1, 0, 1]
    with pytest.warns(sx.NoFiniteOptimumWarning):
        model = sx.LogisticRegression().fit(X, y)
    assert len(model.direction_) > 1
    assert model.predict_proba(X)[:, 1] == pytest.approx([0.5, 0.5, 0.0, 1.0])


def test_a_gap_that_rounding_decides_is_proven_or_not_claimed():
    X = [[-2, 2.0000000001], [-2, 2], [1.9999999999, -2], [1, -2]]
    y = [0, 1, 0, 1]
    with pytest.warns(sx.NotConvergedWarning):
        model = sx.LogisticRegression(fit_intercept=False).fit(X, y)
    assert model.certificate_.gap > 1e-3
    assert model.certificate_.verify(X, y)


def test_a_constant_column_whose_mean_rounds_leaves_the_certificate_true():
    X, y = np.column_stack(([0, 0, 1, 0, 0, 1], [0.1] * 6)), [0, 0, 1, 0, 1, 0]
    model = sx.LogisticRegression().fit(X, y)
    assert model.certificate_.gap <= model.tol
    assert model.certificate_.verify(X, y)


def test_a_light_row_beside_columns_of_zeros_still_diverges():
    X, weight = np.zeros((6, 3)), [1e-9, 1, 1, 1, 1, 1]
    X[0, 1] = 1.0
    with pytest.warns(sx.NoFiniteOptimumWarning):
        model = sx.LogisticRegression().fit(X, [1, 1, 0, 0, 0, 0], sample_weight=weight)
    assert model.stopped_ is sx.Stopped.TOUCHING


def test_collinear_columns_with_a_weak_penalty_are_fitted():
    X, y = noisy(1, n=100, d=4)
    X[:, 3] = 2.0 * X[:, 0]
    model = sx.LogisticRegression(C=1e8).fit(X, y)
    assert model.stopped_ is sx.Stopped.CERTIFIED
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("column", [1e15 + np.arange(10.0), 1.0 + np.arange(10.0) * 2.0**-52])
def test_separable_data_of_one_float_rank_are_recognised(column):
    X, y = column[:, None], [0] * 5 + [1] * 5
    with pytest.warns(sx.NoFiniteOptimumWarning):
        model = sx.LogisticRegression().fit(X, y)
    assert model.predict(X).tolist() == y


def test_a_far_start_or_a_light_row_does_not_hide_that_no_optimum_exists():
    rng = np.random.default_rng(0)
    X = np.column_stack((rng.normal(size=200), np.arange(200) == 0)).astype(float)
    y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    y[0] = 1
    light = np.where(np.arange(200) == 0, 1e-9, 1.0)
    for options, weight in (({"init": [0.0, 0.0, 100.0]}, None), ({}, light)):
        with pytest.warns(sx.NoFiniteOptimumWarning, match="x2"):
            sx.LogisticRegression(**options).fit(X, y, sample_weight=weight)
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    far = sx.LogisticRegression(init=[0, 1000, 1000]).fit(xor, [0, 1, 1, 0])
    assert far.stopped_ is sx.Stopped.CERTIFIED


def test_a_line_that_doubles_cannot_hold_is_not_called_separating():
    X = [
        [0.3, 0.2, 0.2], [-0.2, -0.2, -0.1], [-0.2, 0.2, -0.2], [-0.1, 0.6, -0.1],
        [0, -0.5, -0.6], [-0.2, 0.3, 0.5], [-0.4, -0.3, -0.1],
    ]  # fmt: skip
    y = [0, 1, 1, 1, 0, 0, 1]
    with pytest.warns(sx.NoFiniteOptimumWarning):
        model = sx.LogisticRegression(fit_intercept=False).fit(X, y)
    assert model.predict_proba(X)[:, 1].tolist() == y  # the exact direction still decides
    assert (model.stopped_ is sx.Stopped.SEPARABLE) == (model.predict(X).tolist() == y)


def test_a_vacuous_claim_is_no_certificate():
    X, y = noisy(7)
    good = sx.LogisticRegression().fit(X, y).certificate_
    parts = (good.weights, good.sample_weight)
    assert not sx.LogisticGap(*parts, good.C, np.inf).verify(X, 1 - y)
    for C in (-1.0, np.nan):
        assert not sx.LogisticGap(*parts, C, good.gap).verify(X, y)
    assert not good.verify(X[:-1], y[:-1])


@pytest.mark.parametrize(
    ("size", "C"), [(1e4, 1e3), (1e6, 1e3), (1e7, 1e3), (1e8, 1.0), (1e8, 1e3), (1.0, 1.0)]
)
def test_a_penalised_gap_is_true_however_small_the_errors_are(size, C):
    X, y = np.array([[-2.0], [-1.0], [1.0], [3.0]]) * size, [0, 0, 1, 1]
    model = sx.LogisticRegression(C=C).fit(X, y)
    claim = model.certificate_
    assert model.stopped_ is sx.Stopped.CERTIFIED
    assert claim.gap <= 1e-8
    assert claim.proven_gap(X, y) <= claim.gap * (1.0 + 1e-4) + 1e-11
    assert claim.verify(X, y)


def test_standard_errors_are_those_of_the_line_returned():
    X = np.array([[4.8e5], [0.76], [0.68], [-0.27], [-0.2], [-0.24], [1.43], [0.9]])
    model = sx.LogisticRegression().fit(X, [0, 1, 1, 0, 1, 1, 1, 1])
    Z = np.column_stack((np.ones(8), X))
    p = model.predict_proba(X)[:, 1]
    expected = np.sqrt(np.diag(np.linalg.inv((Z * (p * (1 - p))[:, None]).T @ Z)))
    np.testing.assert_allclose(model.standard_errors_, expected, rtol=1e-6)


def far_column(ratio, n, seed=0):
    """Rows (n, 2) whose first column is far from 0 compared with its spread, and their labels."""
    rng = np.random.default_rng(seed)
    z, t = rng.normal(size=(2, n))
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-z - t))).astype(int)
    return np.column_stack((1e6 + 1e6 / ratio * z, t)), y


@pytest.mark.parametrize("ratio", [1e10, 1e11, 1e12])
@pytest.mark.parametrize("seed", range(3))
def test_the_gap_is_that_of_the_doubles_returned_far_from_0(ratio, seed):
    X, y = far_column(ratio, 300, seed)
    model = sx.LogisticRegression().fit(X, y)
    assert model.stopped_ is sx.Stopped.CERTIFIED
    assert model.certificate_.proven_gap(X, y) <= 1e-9
    near = sx.LogisticRegression().fit(X - [1e6, 0.0], y)
    assert model.coef_ == pytest.approx(near.coef_, rel=1e-6)
    assert model.standard_errors_[1:] == pytest.approx(near.standard_errors_[1:], rel=1e-6)
    assert model.standard_errors_[0] == pytest.approx(1e6 * near.standard_errors_[1], rel=1e-6)


def test_where_doubles_hold_no_line_within_tol_the_warning_names_the_column():
    X, y = far_column(1e14, 60)
    named = pd.DataFrame(X, columns=["seconds", "t"])
    with pytest.warns(
        sx.NotConvergedWarning, match=r"rounding them moves .*: seconds\. Subtract its"
    ):
        model = sx.LogisticRegression().fit(named, y)
    assert model.stopped_ is sx.Stopped.PRECISION
    assert model.certificate_.gap > 1e-8
    assert model.certificate_.verify(X, y)


def test_without_an_intercept_or_dense_rows_the_gap_is_proven():
    X, y = far_column(1e10, 60)
    ones = np.column_stack((np.ones(60), X))
    sparse = sp.csr_array(X)
    for model, rows in (
        (sx.LogisticRegression(fit_intercept=False).fit(ones, y), ones),
        (sx.LogisticRegression().fit(sparse, y), X),
    ):
        assert model.stopped_ is sx.Stopped.CERTIFIED
        assert model.certificate_.gap == model.certificate_.proven_gap(rows, y) <= 1e-8
