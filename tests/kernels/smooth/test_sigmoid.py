"""Theta and the cross-entropy by the block: to the last bits, at every size, and at the ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, log1p

from separatrix.kernels.smooth.sigmoid import log_errors, logistic_parts, logistic_pulls

FEW_ULP = 1e-15  # 4.5 ulp; the functions are off by 2, scipy's by 1.5


def places():
    rng = np.random.default_rng(0)
    spread = np.concatenate((rng.uniform(-40, 40, 20_000), rng.uniform(-700, 700, 20_000)))
    near = np.concatenate((rng.normal(size=20_000), 1e-9 * rng.normal(size=1_000)))
    return np.concatenate((spread, near, [0.0, -0.0, 1e-300, -5e-324]))


def cross_entropy(a):
    return np.maximum(-a, 0.0) + log1p(np.exp(-np.abs(a)))


def thetas(a, out):
    """theta(a) = -1 theta(-y a) x -1 for y = -1: each factor is exact."""
    minus = -np.ones(a.size)
    logistic_pulls(a, minus, minus, out)


def written(function, a, n=1):
    outs = [np.full(a.size, 7.0) for _ in range(n)]
    function(a, *outs)
    return outs


def test_they_are_good_to_the_last_bits():
    a = places()
    np.testing.assert_allclose(written(thetas, a)[0], expit(a), rtol=FEW_ULP, atol=0.0)
    np.testing.assert_allclose(written(log_errors, a)[0], cross_entropy(a), rtol=FEW_ULP, atol=0.0)
    theta, curvature, error = written(logistic_parts, a, 3)
    np.testing.assert_allclose(theta, expit(-a), rtol=FEW_ULP, atol=0.0)
    np.testing.assert_allclose(curvature, expit(a) * expit(-a), rtol=FEW_ULP, atol=0.0)
    np.testing.assert_allclose(error, cross_entropy(a), rtol=FEW_ULP, atol=0.0)


def test_the_ends_neither_overflow_nor_lose_a_nan():
    a = np.array([-np.inf, -1e308, -800.0, -708.5, 709.5, 800.0, 1e308, np.inf])
    assert written(thetas, a)[0] == pytest.approx(expit(a), abs=1e-307)
    assert written(log_errors, a)[0] == pytest.approx(cross_entropy(a), abs=1e-307)
    lost = np.array([0.0, np.nan, 1.0])
    for values in (
        written(thetas, lost),
        written(log_errors, lost),
        written(logistic_parts, lost, 3),
    ):
        for value in values:
            assert np.isnan(value).tolist() == [False, True, False]


def test_the_half_is_exact_and_blocks_of_any_size_are_the_same_numbers():
    assert written(thetas, np.zeros(1))[0][0] == 0.5
    a = places()[:1001]
    whole = written(logistic_parts, a, 3)
    for size in (1, 3, 17):
        pieces = [written(logistic_parts, a[k : k + size], 3) for k in range(0, a.size, size)]
        assert np.array_equal(np.concatenate(pieces, axis=1), whole)


def test_pulls_are_minus_the_share_of_the_agreement_times_the_pull():
    s = places()[:4001]
    rng = np.random.default_rng(1)
    y, pull = np.where(rng.random(s.size) < 0.5, -1.0, 1.0), rng.normal(size=s.size)
    out = np.empty(s.size)
    logistic_pulls(s, y, pull, out)
    np.testing.assert_allclose(out, -expit(-y * s) * pull, rtol=2 * FEW_ULP, atol=0.0)
