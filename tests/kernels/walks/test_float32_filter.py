"""Filters hold back every mistake, wherever in a block it is; tests/plain walks with them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import Perceptron
from separatrix.kernels.walks import perceptron as steps
from separatrix.kernels.walks.float32_filter import (
    BLOCK,
    fill_filter,
    first_held,
    new_filter,
    set_weights,
)
from separatrix.learners._parameters import NONE
from separatrix.learners.walks.tuning import Tuning
from tests.as_plain import mistakes
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import fingerprint, noisy_table

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")


AT_ONCE = Tuning(filter_passes=0, filter_multiplications=0, loading=0)


def held(X, y, v, start, stop, *, order=NONE):
    """The first place that a filter holds back."""
    n, width = len(y), X.shape[1] + 1
    radius = float(np.sqrt((X * X).sum(axis=1).max() + 1.0))
    filtered, weights = new_filter(n, width), np.empty(width, dtype=np.float32)
    fill_filter(X, y, order, 1.0, radius, filtered)
    bound = set_weights(v, radius, 0.0, weights)
    return first_held(filtered, weights, bound, start, stop, np.empty(BLOCK, dtype=np.float32))


@examples(200)
@given(seed=st.integers(0, 10**6), power=st.integers(-130, 130), data=st.data())
def test_no_row_in_doubt_passes(seed, power, data):
    """Rows whose agreement is all float32 rounding error, at any scale, with and without margin."""
    rng = np.random.default_rng(seed)
    d = data.draw(st.sampled_from([1, 3, 31]))
    v, X = rng.normal(size=d + 1), rng.normal(size=(70, d)) * 2.0**power
    X[:, -1] = -(v[0] + X[:, :-1] @ v[1:-1]) / v[-1] * (1 + rng.normal(size=70) * 2.0**-30)
    y = np.where(rng.random(70) < 0.5, 1.0, -1.0)
    bad = set(mistakes(X, y, v))
    place = held(X, y, v, 0, 70)
    assert not bad & set(range(place))


@pytest.mark.parametrize("size", [0.0, 1e-160, 1e160, np.inf])
def test_weights_that_float32_cannot_hold_are_not_filtered(size):
    assert set_weights(np.array([size, 0.0]), 1.0, 0.0, np.empty(2, dtype=np.float32)) == np.inf


@pytest.mark.parametrize("visit", ["cyclic", "naive", "permuted"])
@pytest.mark.parametrize("d", [7, 31])
def test_a_filter_changes_no_byte(visit, d, monkeypatch):
    X, y = noisy_table(n=20_000, d=d)  # so large that float32 stays
    model = Perceptron(visit=visit, random_state=0, max_updates=2000, max_iter=None)
    plain = fingerprint(model.fit(X, y))
    model._tuning = AT_ONCE
    used = noted(monkeypatch)
    for table in (X, X.astype(np.float32)):
        used.clear()
        assert fingerprint(model.fit(table, y)) == plain
        assert all(used[1:])


def noted(monkeypatch):
    """Note of each slice whether it has a filter."""
    walk, used = steps.walk_in_order, []

    def noting(question, progress, filtered, *rest):
        used.append(filtered.size > 0)
        return walk(question, progress, filtered, *rest)

    monkeypatch.setattr(steps, "walk_in_order", noting)
    return used


def test_long_walks_get_a_filter_and_noisy_ones_none(monkeypatch):
    used = noted(monkeypatch)
    model = Perceptron(max_iter=20)
    model._tuning = Tuning(loading=1)
    model.fit(*noisy_table())
    assert not any(used)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    y = np.where(X @ [1.0, 2.0] > 0, 1, 0)
    y[0] = 1 - y[0]
    model.fit(X, y)
    assert used[-1]
