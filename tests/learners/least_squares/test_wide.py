"""Least squares on fewer rows than columns."""

import numpy as np
import pytest

from separatrix import LinearRegression, LinearRegressionClassifier
from separatrix.learners.least_squares import least_squares as room


@pytest.fixture
def interpolated(monkeypatch):
    """Whether rows were interpolated, on tables of any size."""
    used = []
    whole = room._interpolating
    monkeypatch.setattr(room, "LARGE", 0)
    monkeypatch.setattr(room, "_interpolating", lambda *args: used.append(whole(*args)) or used[-1])
    return lambda: used[-1] is not None


def wide(seed, n=20, d=45):
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.integers(-2, 3, size=d)
    return rng.normal(size=(n, d)) * units + 5.0, rng.normal(size=n)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_shortest_line_through_all_rows(seed, intercept, interpolated):
    X, y = wide(seed)
    model = LinearRegression(fit_intercept=intercept)
    model.fit(X, y, sample_weight=np.arange(1.0, 21.0))
    assert interpolated()
    A = np.column_stack((np.full(20, float(intercept)), X))
    w = np.append(model.intercept_, model.coef_)
    assert w == pytest.approx(np.linalg.pinv(A) @ y, rel=1e-7, abs=1e-10)
    assert np.abs(model.residuals_).max() < 1e-10
    assert model.rank_ == 20
    assert model.collinear_ == {}
    assert model.certificate_.verify(X, y)


def test_dependent_rows_are_left_to_orthogonal_columns(interpolated):
    X, y = wide(0)
    X[3] = X[7]
    model = LinearRegression().fit(X, y)
    assert not interpolated()
    assert model.rank_ == 19
    assert model.residuals_[3] == pytest.approx((y[3] - y[7]) / 2.0, abs=1e-9)


def test_rows_without_weight_are_left_to_orthogonal_columns(interpolated):
    X, y = wide(1)
    weight = np.ones(20)
    weight[4] = 0.0
    LinearRegression().fit(X, y, sample_weight=weight)
    assert not interpolated()


@pytest.mark.parametrize(("step", "all_fit"), [(1, True), (10, False)])
def test_rows_of_several_lengths_are_interpolated_as_far_as_doubles_can(
    step, all_fit, interpolated
):
    X, y = wide(2)
    X *= np.ldexp(1.0, np.arange(20) * step)[:, None]
    model = LinearRegressionClassifier().fit(X, y > 0.0)
    assert interpolated() == all_fit
    if all_fit:
        assert model.predict(X).tolist() == (y > 0.0).tolist()
