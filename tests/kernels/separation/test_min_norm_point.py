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


def test_other_last_numbers_make_it_least_squares_of_columns():
    for seed in range(20):
        r = rng(seed)
        columns = r.standard_normal((30, 6))
        points, last = np.ascontiguousarray(columns[:, :-1]), np.ascontiguousarray(columns[:, -1])
        used, weights, rest = np.zeros(7, dtype=np.int64), np.ones(7), np.zeros(6)
        p = least_point(points, last, 2.0, 0.0, used, weights, 0, rest)
        expected, length = nnls(columns.T, np.append(np.zeros(5), 2.0))
        np.testing.assert_allclose(
            columns[used[:p]].T @ weights[:p], columns.T @ expected, atol=1e-9
        )
        assert p == 6 or np.linalg.norm(rest) == pytest.approx(length, abs=1e-9)


def test_every_row_is_beyond_the_level_of_those_in_use():
    r = rng(0)
    points = r.standard_normal((500, 6))
    points[:, 0] = np.abs(points[:, 0]) + 0.1
    used, weights, x = nearest(points)
    scores = points @ x
    assert scores.min() >= scores[used].max() * (1 - 1e-9)
    nearest_point = weights @ points[used] / weights.sum()
    margin = scores.min() / np.linalg.norm(x)
    assert np.linalg.norm(nearest_point) == pytest.approx(margin, rel=1e-9)


def test_any_start_ends_at_the_same_point():
    r = rng(1)
    points = r.standard_normal((60, 4)) + 1.0
    _, _, x = nearest(points)
    for _ in range(20):
        start = r.permutation(60)[: r.integers(1, 5)]
        np.testing.assert_allclose(nearest(points, start)[2], x, atol=1e-9)


def test_dependent_and_equal_rows():
    points = np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [1.0, 3.0], [1.0, 3.0]])
    used, weights, x = nearest(points)
    assert points[used].tolist() == [[1.0, 1.0]]
    np.testing.assert_allclose(x / x[0], [1.0, 1.0])
    points = np.vstack([points, -points])
    used, weights, x = nearest(points)
    np.testing.assert_allclose(weights @ points[used], 0.0, atol=1e-12)
    assert np.abs(x).max() < 1e-12
