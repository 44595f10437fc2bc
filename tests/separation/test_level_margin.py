"""The largest margin of tables with levels: floats propose it by elimination, integers confirm."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import separability
from separatrix.exact.sparse_rows import SparseRows
from separatrix.separation.max_margin import least_point_by_levels

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
