"""Exact signs against Fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from separatrix.data import as_rows
from separatrix.kernels import exact
from separatrix.kernels.rows import certain_bound, doubt

# what compiled code alone may call, called from compiled code
signed_score = njit(lambda rows, w: exact.signed_score(rows, 0, w, 1.0))
exact_score = njit(lambda rows, w: exact.exact_score(rows, 0, w, 1.0))
doubt_of = njit(lambda rows, w: doubt(rows, 0, w, 1.0))

finite = st.floats(allow_nan=False, allow_infinity=False)


def sign(value):
    return int(value > 0) - int(value < 0)


def in_fractions(x, w, x0):
    products = (Fraction(a) * Fraction(b) for a, b in zip([x0, *x], w, strict=True))
    return sum(products, Fraction(0))


@given(pairs=st.lists(st.tuples(finite, finite), min_size=1, max_size=5), w0=finite)
def test_any_finite_doubles_get_the_sign_of_the_exact_sum(pairs, w0):
    x, w = [p[0] for p in pairs], [w0, *(p[1] for p in pairs)]
    truth = in_fractions(x, w, 1.0)
    rows, weights = np.array([x]), np.array(w)
    for score in (signed_score(rows, weights), exact_score(rows, weights)):
        assert sign(score) == sign(truth)
    value = exact_score(rows, weights)
    if np.isfinite(value) and abs(value) > 1e-300:
        assert abs(Fraction(value) - truth) <= abs(truth) * Fraction(1, 2**51)


@given(x=st.lists(finite.filter(bool), min_size=2, max_size=4), data=st.data())
def test_sums_that_cancel(x, data):
    w = [data.draw(finite) for _ in range(len(x))]
    with np.errstate(all="ignore"):
        last = float(-(np.array(w[1:]) @ np.array(x[:-1]) + w[0]) / x[-1])
    if not np.isfinite(last):
        return
    w.append(last)
    score = signed_score(np.array([x]), np.array(w))
    assert sign(score) == sign(in_fractions(x, w, 1.0))


def test_sparse_rows_and_dense_rows_agree():
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (200, 6)).astype(float)
    w = rng.integers(-2, 3, 7).astype(float)
    dense = exact.signed_scores(X, 200, w, 1.0)
    sparse = exact.signed_scores(as_rows(sp.csr_array(X)), 200, w, 1.0)
    assert np.array_equal(dense, sparse)
    assert (dense == 0).any()
    y = np.where(rng.random(200) < 0.5, -1.0, 1.0)
    assert exact.count_mistakes(X, y, w, 1.0) == int((y * (X @ w[1:] + w[0]) <= 0).sum())


@pytest.mark.parametrize("size", [1.0, 1e300, 1e-300])
def test_a_true_margin_of_one_part_in_1e16_is_seen(size):
    X = np.array([[1.0 * size, (1.0 + 2**-52) * size]])
    assert signed_score(X, np.array([0.0, -1.0, 1.0])) > 0
    assert signed_score(X, np.array([0.0, 1.0, -1.0])) < 0


@pytest.mark.parametrize("x0", [0.0, 1.0])
@pytest.mark.parametrize("power", [0, -400, -520, -530, -600, -1000])
def test_signs_are_exact_where_the_squares_of_weights_or_rows_underflow(power, x0):
    u = 2.0**-53
    X, w = np.array([[1.0, 1.5 * u, -1.0, -1.75 * u]]), np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    tiny = 2.0**power
    assert X[0].cumsum()[-1] > 0  # a float sum in this order has the wrong sign
    for rows, weights in ((X, tiny * w), (tiny * X, w), (tiny * X, w / 2)):
        assert exact.signed_scores(rows, 1, weights, x0)[0] < 0
        assert exact.count_mistakes(rows, np.array([-1.0]), weights, x0) == 0
        assert exact.count_mistakes(rows, np.array([1.0]), weights, x0) == 1


@pytest.mark.parametrize("n", [1, 3, 1000])
@pytest.mark.parametrize("size", [1.0, 1e-170, 1e100])
def test_the_bound_of_certain_signs_is_at_least_that_of_the_theorem(n, size):
    """n u / (1 - n u) |v| R for a sum of n products in any order (Higham 2002), and underflow."""
    length, radius = 3.0 * size, 5.0 * size
    theorem = n * Fraction(1, 2**53) * Fraction(length) * Fraction(radius) + n * Fraction(5e-324)
    assert Fraction(certain_bound(length * length, radius * radius, n)) >= theorem


def test_the_doubt_of_a_score_is_at_least_that_of_the_theorem():
    X, w = np.array([[3.0, -7.0, 0.5]]), np.array([2.0, 1.5, 0.25, -8.0])
    magnitude = Fraction(2) + Fraction(9, 2) + Fraction(7, 4) + 4
    assert Fraction(doubt_of(X, w)) >= 4 * Fraction(1, 2**53) * magnitude
