"""Descent on the 0/1 error: counted exactly, never above the start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import CoordinateDescent01, Stopped
from tests.as_plain import mistakes
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import integer_tables
from tests.learners.tables import weights

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
DIRECTIONS = ["random", "coordinate"]


@examples(150)
@given(
    table=integer_tables(),
    direction=st.sampled_from(DIRECTIONS),
    init=st.sampled_from([None, "regression", "array"]),
    seed=st.integers(0, 50),
)
def test_never_above_its_start_and_counted_exactly(table, direction, init, seed):
    X, y = table
    if init == "array":
        init = np.random.default_rng(seed).integers(-2, 3, X.shape[1] + 1).astype(float)
    start = CoordinateDescent01(max_updates=0, init=init).fit(X, y)
    model = CoordinateDescent01(
        max_updates=20, direction=direction, init=init, random_state=seed
    ).fit(X, y)
    assert start.n_errors_ == len(mistakes(X, y, weights(start)))
    assert model.n_errors_ == len(mistakes(X, y, weights(model))) <= start.n_errors_
    assert model.lower_bound_ <= model.n_errors_
    assert model.proven_ == (model.lower_bound_ == model.n_errors_)
    assert model.proven_ == (model.stopped_ is not Stopped.UPDATES_SPENT)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_contradictions_are_a_bound_that_can_be_met(direction):
    X = [[0.0], [0.0], [0.0], [-0.0], [1.0]]
    y = [0, 0, 0, 1, 1]
    model = CoordinateDescent01(direction=direction, random_state=0).fit(X, y)
    assert (model.n_errors_, model.lower_bound_, model.proven_) == (1.0, 1.0, True)
    assert model.stopped_ is Stopped.LOWER_BOUND
    heavy = CoordinateDescent01(direction=direction, random_state=0)
    heavy.fit(X, y, sample_weight=[0.1, 0.1, 0.1, 9.0, 9.0])
    assert heavy.proven_
    assert heavy.predict([[0.0]])[0] == 1
    clean = CoordinateDescent01(direction=direction, random_state=0).fit(XOR, [0, 0, 0, 1])
    assert (clean.n_errors_, clean.stopped_) == (0.0, Stopped.CLEAN_PASS)


def test_without_an_intercept_the_origin_is_always_missed():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    model = CoordinateDescent01(fit_intercept=False, random_state=0, max_updates=50)
    y[2] = 0
    model.fit(X, y)
    assert (model.lower_bound_, model.n_errors_, model.intercept_[0]) == (1.0, 2.0, 0.0)
    assert not model.proven_


def test_weights_beyond_floats_reach_are_not_taken():
    X = np.array([[1e300, 1.0], [-1e300, 2.0], [1e-300, -1.0], [2.0, 1e299]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    for direction in DIRECTIONS:
        model = CoordinateDescent01(direction=direction, random_state=0, max_updates=60).fit(X, y)
        assert model.n_errors_ == len(mistakes(X, y, weights(model))) <= 2


@pytest.mark.parametrize("direction", ["coordinate", "random"])
def test_columns_of_subnormal_values_are_searched_too(direction):
    X = np.array([[1.0], [2.0], [-1.0], [-2.0]]) * 1e-309
    model = CoordinateDescent01(direction=direction, fit_intercept=False, random_state=0)
    assert model.fit(X, [1, 1, 0, 0]).n_errors_ == 0
