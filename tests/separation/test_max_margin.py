"""The largest margin, from both sides; of tables with levels too."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import InputError
from separatrix.exact.sparse_rows import SparseRows
from separatrix.separation.decide import separability
from separatrix.separation.max_margin import least_point_by_levels
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


TOLERANCE = 1e-6


def with_numbers(n: int, levels: int, seed: int) -> tuple[sp.csr_array, np.ndarray]:
    """Return separable rows: two numbers, then one of some levels."""
    random = np.random.default_rng(seed)
    level = random.permutation(np.arange(n) % levels)
    numbers = np.round(random.normal([50.0, 1000.0], [10.0, 300.0], (n, 2)), 2)
    weights = np.linspace(-3.0, 3.0, levels)
    scores = (numbers - [50.0, 1000.0]) @ [0.1, 0.003] + weights[level]
    clear = np.abs(scores) > 0.05
    one_hot = sp.csr_array((np.ones(n), (np.arange(n), level)), shape=(n, levels))
    X = sp.csr_array(sp.hstack([numbers, one_hot]))
    return sp.csr_array(X[clear]), np.where(scores[clear] > 0.0, 1.0, -1.0)


def test_of_distinct_levels_alone_it_is_one_over_the_root_of_their_number() -> None:
    n = 200
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    low, high = separability(sp.eye_array(n, format="csr"), y).margin
    assert low <= n**-0.5 <= high <= low * (1.0 + TOLERANCE)


@pytest.mark.parametrize(("n", "levels"), [(300, 300), (400, 200), (1500, 140)])
def test_the_proposal_closes_the_bracket(n: int, levels: int) -> None:
    X, y = with_numbers(n, levels, n)
    found = least_point_by_levels(SparseRows.signed(X, y, 1.0), TOLERANCE)
    assert found is not None
    rows, multipliers, line = found
    Z = y[:, None] * np.column_stack([np.ones(y.size), X.toarray()])
    assert multipliers.min() > 0.0
    above = np.linalg.norm(multipliers @ Z[rows]) / multipliers.sum()
    below = (Z @ line).min() / np.linalg.norm(line)
    assert below <= above * (1.0 + 1e-9)
    assert above <= below * (1.0 + TOLERANCE)


def test_it_is_proven_and_the_same_for_dense_and_sparse_rows() -> None:
    X, y = with_numbers(300, 300, 7)
    found = [separability(table, y).maximum_margin for table in (X, X.toarray())]
    assert found[0] is not None
    assert found[0].closes(TOLERANCE)
    assert found[0].verify(X, y)
    assert found[1] is not None
    assert found[0].claim() == found[1].claim()
