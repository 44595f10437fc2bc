"""One read of all rows: signs are exact, the worst rows are those of plain arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import as_rows
from separatrix.kernels.separation.scan import agreements, longest_of_parts, worst_of_parts

rng = np.random.default_rng


def read(X, y, w, x0, edges):
    edges = np.array(edges, dtype=np.int64)
    worst, least = np.empty(edges.size - 1, dtype=np.int64), np.empty(edges.size - 1)
    wrong = worst_of_parts(as_rows(X), y, w, x0, edges[:-1], edges[1:], worst, least)
    return wrong, worst, least


def exact(X, y, w, x0):
    line = [Fraction(a) for a in w]
    rows = [[Fraction(x0), *(Fraction(a) for a in x)] for x in X.tolist()]
    return [
        int(s) * sum(a * b for a, b in zip(row, line, strict=True))
        for row, s in zip(rows, y, strict=True)
    ]


@pytest.mark.parametrize("x0", [0.0, 1.0])
def test_wrong_rows_are_counted_exactly(x0):
    for seed in range(30):
        r = rng(seed)
        d = int(r.integers(1, 7))
        X, w = r.standard_normal((40, d)), r.integers(-3, 4, d + 1).astype(float)
        y = np.where(r.random(40) < 0.5, 1.0, -1.0)
        if w[d]:  # every score is zero up to rounding
            X[:20, -1] = -(X[:20, :-1] @ w[1:d] + x0 * w[0]) / w[d]
        X[20] = 0.0
        X *= 10.0 ** r.choice([-200, -100, 0, 100])
        scores = exact(X, y, w, x0)
        for table in (X, sp.csr_array(X)):
            wrong, worst, least = read(table, y, w, x0, [0, 13, 14, 40])
            assert wrong == sum(s <= 0 for s in scores)
            for a, b, n, value in zip([0, 13, 14], [13, 14, 40], worst, least, strict=True):
                assert a <= n < b
                lowest = min(scores[a:b])
                assert (value <= 0) == (lowest <= 0)
                off = 1e-12 * abs(value) + 1e-9
                assert float(scores[n]) == pytest.approx(float(lowest), abs=off)


def test_scores_that_overflow_are_decided_too():
    X = np.array([[1e300, -1e300], [1e300, 1e300], [1e-300, 2e-300]])
    y, w = np.array([1.0, 1.0, 1.0]), np.array([0.0, 1e200, 1e200])
    assert read(X, y, w, 1.0, [0, 3])[0] == 1
    assert read(X, -y, w, 1.0, [0, 3])[0] == 3
    assert read(X, y, w * 1e-300, 1.0, [0, 1, 2, 3])[0] == 1


def test_agreements_and_lengths_are_within_their_bounds():
    r = rng(3)
    X, w = r.standard_normal((50, 5)), r.standard_normal(6)
    y = np.where(r.random(50) < 0.5, 1.0, -1.0)
    values, off = agreements(X, y, w, 1.0)
    for a, b, s in zip(values, off, exact(X, y, w, 1.0), strict=True):
        assert abs(Fraction(a) - s) <= Fraction(b)
    edges = np.array([0, 20, 50])
    longest = np.empty(2)
    longest_of_parts(X, 1.0, edges[:-1], edges[1:], longest)
    squares = 1.0 + (X**2).sum(axis=1)
    np.testing.assert_allclose(longest, [squares[:20].max(), squares[20:].max()])


def test_of_rows_that_agree_alike_the_first_is_named():
    _, worst, _ = read(np.ones((6, 2)), np.ones(6), np.array([0.0, 1.0, 1.0]), 0.0, [0, 2, 6])
    assert worst.tolist() == [0, 2]
