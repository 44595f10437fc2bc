"""The largest margin, from both sides."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix.data import InputError
from separatrix.separation.decide import separability
from tests.separation.checks import check
from tests.separation.draws import rng


def test_brackets_close():
    for seed in range(12):
        r = rng(seed)
        n, d = int(r.integers(5, 200)), int(r.integers(1, 12))
        X = r.standard_normal((n, d)) * 10.0 ** r.integers(-4, 5, d)
        w = r.standard_normal(d) / np.abs(X).max(axis=0)
        y = np.where(X @ w + 0.1 > 0, 1, -1)
        if len(set(y)) < 2:
            continue
        for fit_intercept in (True, False):
            found = separability(X, y, fit_intercept=fit_intercept)
            if found.separable:
                low, high = found.margin
                assert 0 < low <= high <= low * (1 + 2e-6)
                assert found.verify(X, y)


def test_the_least_point_of_a_known_hull():
    # z = (-1, 1) and (1, 2): the nearest point of that segment is (-1, 1) + 1/5 (2, 1)
    found = separability([[-1.0], [2.0]], [0, 1])
    assert found.rho_squared == Fraction(9, 5)
    assert found.mistake_bound == 2  # 5 / (9 / 5)
    assert found.margin[1] == pytest.approx(1.8**0.5, rel=1e-15)


def test_a_margin_far_below_the_radius_is_closed_over_the_rationals():
    for exponent in (20, 34, 44):
        r = rng(exponent)
        X = r.integers(-8, 9, (60, 4)).astype(float)
        X[:, 3] = X[:, :3] @ [1.0, 2.0, 3.0]
        y = np.where(np.arange(60) % 2, 1, -1)
        X[:, 3] += y * 2.0**-exponent
        found = check(X, y, "separable")
        assert found.margin[0] <= found.margin[1] <= found.margin[0] * (1 + 2e-6)
        assert found.margin[1] >= 2.0**-exponent / 15**0.5 * (1 - 1e-9)


def test_a_table_that_was_written_to_is_not_judged_further():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0]]), [0, 0, 1]
    found = separability(X, y)
    X[2] = -5.0
    with pytest.raises(InputError, match="has changed"):
        _ = found.margin
    X[2] = 3.0
    assert found.margin[0] > 0
