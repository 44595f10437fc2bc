"""The sigmoid and the cross-entropy by the block: to the last bits, at any size, at the ends."""

import numpy as np
import pytest
from scipy.special import expit, log1p

from separatrix.kernels.smooth.sigmoid import (
    logistic_parts,
    logistic_slopes,
    pulls_and_errors,
)

FEW_ULP = 1e-15  # 4.5 ulp; the functions are off by 2, scipy's by 1.5


def places():
    rng = np.random.default_rng(0)
    spread = np.concatenate((rng.uniform(-40, 40, 20_000), rng.uniform(-700, 700, 20_000)))
    near = np.concatenate((rng.normal(size=20_000), 1e-9 * rng.normal(size=1_000)))
    return np.concatenate((spread, near, [0.0, -0.0, 1e-300, -5e-324]))


def cross_entropy(a):
    return np.maximum(-a, 0.0) + log1p(np.exp(-np.abs(a)))


def sigmas(a, out):
    """sigma(a) = -weight y sigma(-y a) for y = -1 and weight 1: each factor is exact."""
    logistic_slopes(a, -np.ones(a.size), np.ones(a.size), out)


def written(function, a, n=1):
    outs = [np.full(a.size, 7.0) for _ in range(n)]
    function(a, *outs)
    return outs


def test_they_are_good_to_the_last_bits():
    a = places()
    np.testing.assert_allclose(written(sigmas, a)[0], expit(a), rtol=FEW_ULP, atol=0.0)
    sigma, curvature, error = written(logistic_parts, a, 3)
    np.testing.assert_allclose(sigma, expit(-a), rtol=FEW_ULP, atol=0.0)
    np.testing.assert_allclose(curvature, expit(a) * expit(-a), rtol=FEW_ULP, atol=0.0)
    np.testing.assert_allclose(error, cross_entropy(a), rtol=FEW_ULP, atol=0.0)


def test_the_ends_neither_overflow_nor_lose_a_nan():
    a = np.array([-np.inf, -1e308, -800.0, -708.5, 709.5, 800.0, 1e308, np.inf])
    assert written(sigmas, a)[0] == pytest.approx(expit(a), abs=1e-307)
    assert written(logistic_parts, a, 3)[2] == pytest.approx(cross_entropy(a), abs=1e-307)
    lost = np.array([0.0, np.nan, 1.0])
    for values in (written(sigmas, lost), written(logistic_parts, lost, 3)):
        for value in values:
            assert np.isnan(value).tolist() == [False, True, False]


def test_the_half_is_exact_and_blocks_of_any_size_are_the_same_numbers():
    assert written(sigmas, np.zeros(1))[0][0] == 0.5
    a = places()[:1001]
    whole = written(logistic_parts, a, 3)
    for size in (1, 3, 17):
        pieces = [written(logistic_parts, a[k : k + size], 3) for k in range(0, a.size, size)]
        assert np.array_equal(np.concatenate(pieces, axis=1), whole)


def test_slopes_are_minus_sigma_of_minus_the_agreement_times_label_and_weight():
    s = places()[:4001]
    rng = np.random.default_rng(1)
    y, weight = np.where(rng.random(s.size) < 0.5, -1.0, 1.0), rng.exponential(size=s.size)
    out = np.empty(s.size)
    logistic_slopes(s, y, weight, out)
    slopes = -expit(-y * s) * y * weight
    np.testing.assert_allclose(out, slopes, rtol=2 * FEW_ULP, atol=0.0)
    scores, errors = np.array([s, s[::-1], 0.0 * s]), np.empty((3, s.size))
    pulls_and_errors(scores, y, weight, errors)
    np.testing.assert_allclose(scores[0], -slopes, rtol=2 * FEW_ULP, atol=0.0)
    np.testing.assert_allclose(errors[1], cross_entropy(y * s[::-1]), rtol=FEW_ULP, atol=0.0)
