"""Products of columns, residuals and errors in twice the precision, against plain matrices."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import as_rows
from separatrix.kernels.smooth import normal_equations as kernel

SHAPES = [(1, 1), (3, 2), (4, 3), (37, 6), (515, 2), (1030, 70)]


def whole_numbers(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)).astype(float)
    return X, rng.integers(-4, 5, n).astype(float), rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_gram_matrix_is_a_matrix_product(n, d, kind):
    X, y, root = whole_numbers(n, d)  # whole numbers: sums are exact, in single precision too
    shift, scale = np.arange(d) % 3.0, np.ldexp(1.0, np.arange(d) % 3)
    Z = root[:, np.newaxis] * np.column_stack((np.ones(n), X * scale - shift, y))
    for points in (X, sp.csr_array(X)):
        for start, stop in ((0, n), (n // 3, n), (1, 1)):
            G = kernel.gram(as_rows(points), y, root, start, stop, shift, scale, np.zeros(1, kind))
            expected = Z[start:stop].T @ Z[start:stop]
            assert np.array_equal(np.triu(G[: d + 2, : d + 2]), np.triu(expected))


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("x0", [0.0, 1.0])
def test_residuals_and_their_sums_over_the_rows(n, d, x0):
    X, y, weight = whole_numbers(n, d)
    w = np.arange(d + 1.0) - 2
    Z = np.column_stack((np.full(n, x0), X))
    for points in (X, sp.csr_array(X)):
        residuals = np.full(n, 7.0)
        table = (as_rows(points), y, weight, x0)
        sums = kernel.residuals_and_sums(table, w, residuals, n // 3, n, 16)
        expected = y - Z @ w
        expected[: n // 3] = 7.0
        assert np.array_equal(residuals, expected)
        starts = range(n // 3, n, 16)
        assert sums.shape == (len(starts), d + 1)
        for start, of_tile in zip(starts, sums, strict=True):
            tile = slice(start, start + 16)
            assert np.array_equal(of_tile, Z[tile].T @ (weight * expected)[tile])


def test_errors_that_cancel_are_known_in_twice_the_precision():
    rng = np.random.default_rng(1)
    A, c, root = rng.normal(size=(30, 5)), rng.normal(size=5), np.sqrt(rng.uniform(0, 2, 30))
    target = A @ c  # but for rounding: what is left is rounding alone
    residuals = root * (target - A @ c) + 1e-17 * rng.normal(size=30)
    left, pull = kernel.unexplained(A, target, root, c, residuals)
    f = np.vectorize(Fraction, otypes=[object])
    exact_left = f(root) * (f(target) - f(A) @ f(c)) - f(residuals)
    exact_pull = -(f(A).T @ (f(root) * f(residuals)))
    assert left == pytest.approx(exact_left.astype(float), rel=1e-12)
    assert pull == pytest.approx(exact_pull.astype(float), rel=1e-12)


def test_sums_that_cancel_are_known_in_twice_the_precision():
    rng = np.random.default_rng(2)
    A, weight = rng.normal(size=(30, 5)), rng.uniform(0.0, 2.0, 30)
    c = rng.normal(size=(2, 5)) * [[1.0], [1e-17]]
    target = A @ c[0]  # but for rounding
    sums = kernel.sums_left(A, target, weight, c)
    f = np.vectorize(Fraction, otypes=[object])
    exact = f(A).T @ (f(weight) * (f(target) - f(A) @ f(c).sum(axis=0)))
    assert f(sums).sum(axis=0).astype(float) == pytest.approx(exact.astype(float), rel=1e-10)
    assert np.abs(sums[0]).max() < 1e-14
