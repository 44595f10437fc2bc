"""The laws of the path that PLA takes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import Multipliers, Perceptron, Separation, Stopped
from tests.hostile.profile import examples
from tests.learners.paths import quiet, separable_tables, weights


@examples(120)
@given(
    table=separable_tables(),
    visit=st.sampled_from(["cyclic", "naive", "permuted", "random"]),
    sign_of_zero=st.sampled_from([-1, 1, "mistake"]),
)
def test_the_mistake_bound_holds(table, visit, sign_of_zero):
    X, y, target = table
    model = Perceptron(visit=visit, sign_of_zero=sign_of_zero, max_iter=None, random_state=0).fit(
        X, y
    )
    z = [[Fraction(s), *(Fraction(float(s * v)) for v in row)] for s, row in zip(y, X, strict=True)]
    w_f = [Fraction(float(v)) for v in target]
    rho_squared = min(sum(a * b for a, b in zip(r, w_f, strict=True)) for r in z) ** 2 / sum(
        v * v for v in w_f
    )
    radius_squared = max(sum(v * v for v in r) for r in z)
    assert model.n_updates_ <= radius_squared // rho_squared
    assert model.counts_.sum() == model.n_updates_
    assert isinstance(model.certificate_, Separation)
    assert model.certificate_.verify(X, y)
    if visit in ("naive", "random"):
        assert model.n_iter_ == model.n_updates_ + 1


@examples(80)
@given(table=separable_tables(), rule=st.sampled_from([-1, 1, "mistake"]), seed=st.integers(0, 99))
def test_swapping_labels_sign_of_zero_and_start_negates_w(table, rule, seed):
    X, y, _ = table
    start = np.random.default_rng(seed).integers(-2, 3, X.shape[1] + 1).astype(float)
    swapped = rule if rule == "mistake" else -rule
    a = Perceptron(sign_of_zero=rule, init=start, max_iter=None).fit(X, y)
    b = Perceptron(sign_of_zero=swapped, init=-start, max_iter=None).fit(X, -y)
    assert a.trace_.rows.tolist() == b.trace_.rows.tolist()
    assert np.array_equal(weights(a), -weights(b))


@examples(80)
@given(table=separable_tables(), k=st.integers(-300, 300))
def test_scaling_whole_rows_by_a_power_of_two_leaves_the_path(table, k):
    X, y, _ = table
    whole = np.column_stack((np.ones(len(X)), X))
    model = Perceptron(fit_intercept=False, max_iter=None)
    plain = model.fit(whole, y).trace_.rows.tolist(), weights(model)
    scaled = model.fit(np.ldexp(whole, k), y)
    assert scaled.trace_.rows.tolist() == plain[0]
    assert np.array_equal(weights(scaled), np.ldexp(plain[1], k))


@examples(60)
@given(table=separable_tables(), k=st.integers(-20, 20), eta=st.floats(1e-6, 1e6))
def test_the_learning_rate_scales_w_and_never_the_path(table, k, eta):
    X, y, _ = table
    start = np.arange(X.shape[1] + 1.0)
    plain = Perceptron(init=start, max_iter=None).fit(X, y)
    both = Perceptron(init=np.ldexp(start, k), learning_rate=2.0**k, max_iter=None).fit(X, y)
    assert both.trace_.rows.tolist() == plain.trace_.rows.tolist()
    assert np.array_equal(weights(both), np.ldexp(weights(plain), k))
    from_zero = Perceptron(max_iter=None).fit(X, y).trace_.rows.tolist()
    assert Perceptron(learning_rate=eta, max_iter=None).fit(X, y).trace_.rows.tolist() == from_zero


@examples(60)
@given(seed=st.integers(0, 10**6), budget=st.integers(1, 60))
@quiet
def test_a_run_cut_short_bounds_every_margin(seed, budget):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (12, 2)).astype(float)
    y = np.where(X @ [1.0, 2.0] + 0.5 > 0, 1, -1)
    if len(set(y)) == 1:
        return
    start = rng.integers(-3, 4, 3).astype(float)
    model = Perceptron(max_updates=budget, init=start, learning_rate=0.5).fit(X, y)
    if model.stopped_ is Stopped.CLEAN_PASS:
        return
    proof = model.certificate_
    assert isinstance(proof, Multipliers)
    assert proof.verify(X, y)
    distance = np.linalg.norm(weights(model) - start) / (0.5 * model.n_updates_)
    assert math.sqrt(proof.margin_bound_squared(X, y)) == pytest.approx(distance)
    target = np.array([0.5, 1.0, 2.0])
    z = y[:, None] * np.column_stack((np.ones(12), X))
    assert (z @ target).min() / np.linalg.norm(target) <= distance * (1 + 1e-12)
