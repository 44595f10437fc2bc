"""The nearest point of a hull, against its optimality conditions and known ones."""

import numpy as np
import pytest
from scipy.optimize import nnls

from separatrix.kernels.separation.min_norm_point import least_point

rng = np.random.default_rng


def nearest(points, start=(), h=1.0, slack=1e-12):
    k = points.shape[1]
    used, weights, r = np.zeros(k + 2, dtype=np.int64), np.ones(k + 2), np.zeros(k + 1)
    used[: len(start)] = start
    p = least_point(points, np.full(len(points), h), h, slack, used, weights, len(start), r)
    return used[:p], weights[:p], -r[:k]


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_it_is_the_least_squares_solution(k):
    for seed in range(20):
        r = rng(seed)
        points = r.standard_normal((8 * k, k)) + (0.7 if seed % 2 else 0.0)
        used, weights, x = nearest(points)
        target = np.append(np.zeros(k), 1.0)
        expected, rest = nnls(np.column_stack([points, np.ones(8 * k)]).T, target)
        got = np.zeros(8 * k)
        got[used] = weights
        reached = np.append(got @ points, got.sum()) - target
        assert np.linalg.norm(reached) == pytest.approx(rest, abs=1e-9)
        assert (weights > 0).all()
        assert len(set(used)) == len(used)
        np.testing.assert_allclose(got @ points, x, atol=1e-9)
        if rest > 1e-6:
            np.testing.assert_allclose(got, expected, atol=1e-7)


def test_dependent_and_equal_rows():
    points = np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [1.0, 3.0], [1.0, 3.0]])
    used, weights, x = nearest(points)
    assert points[used].tolist() == [[1.0, 1.0]]
    np.testing.assert_allclose(x / x[0], [1.0, 1.0])
    points = np.vstack([points, -points])
    used, weights, x = nearest(points)
    np.testing.assert_allclose(weights @ points[used], 0.0, atol=1e-12)
    assert np.abs(x).max() < 1e-12
