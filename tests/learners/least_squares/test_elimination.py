"""One category eliminated from the normal equations, against dense linear algebra."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.learners.least_squares import elimination
from separatrix.learners.least_squares.elimination import (
    MOST_UNPENALISED,
    EliminatedColumns,
    Elimination,
    Sums,
)
from separatrix.learners.least_squares.least_squares import least_squares
from separatrix.learners.least_squares.normal_equations import rows_of
from separatrix.scale import with_constant
from tests.learners.tables import one_hot_table


def columns_of(X, x0=1.0, weight=None):
    """Return the columns of a table and M; without those that others make up, where weighed."""
    n = X.shape[0]
    rows = rows_of(X, np.ones(n), np.ones(n) if weight is None else weight)
    found = EliminatedColumns.of(with_constant(rows, x0), MOST_UNPENALISED)
    if found is None or weight is None:
        return found
    columns, M = found
    sums = Sums.over(M, columns, 1, elimination._weighed_squares)
    independent = columns.independent(sums, rows)
    return independent and (independent[0], independent[0].over(rows))


def factors_of(d, right):
    """Return what `Sums` adds up, for d (N,) and f (N,)."""
    return lambda of: (d, right, np.zeros((1, of.n)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_solves_what_the_whole_matrix_solves(seed, penalty):
    X, _, _ = one_hot_table(seed, n=120)
    rng = np.random.default_rng(seed)
    d, x0 = rng.uniform(0.1, 2.0, size=120), float(seed % 2)
    columns, rows = columns_of(X, x0, None if penalty else np.ones(120))
    f = rng.normal(size=120)
    sums = Sums.over(rows, columns, 1, factors_of(d, f))
    factors = Elimination.of(columns, sums, np.full(columns.at.size, penalty))
    M = rows.whole().X.toarray()
    assert sums.right == pytest.approx(M.T @ f)
    whole = (M * d[:, None]).T @ M + penalty * np.eye(columns.at.size)
    right = rng.normal(size=columns.at.size)
    assert factors.product(right) == pytest.approx(whole @ right)
    assert factors.solve(right) == pytest.approx(np.linalg.solve(whole, right), rel=1e-8)
    assert not factors.ill_conditioned


@pytest.mark.parametrize("x0", [0.0, 1.0])
def test_coordinates_and_weights_have_the_same_scores(x0):
    X, _, _ = one_hot_table(1)
    columns, rows = columns_of(X, x0, np.ones(X.shape[0]))
    w = np.random.default_rng(0).normal(size=X.shape[1] + 1)
    c = columns.coordinates(w)
    assert rows.whole().X @ c == pytest.approx(X @ w[1:] + x0 * w[0])
    w[0] *= x0
    assert columns.weights(c) == pytest.approx(w)


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_shortest_minimiser_and_its_rank_are_those_of_orthogonal_columns(seed, baseline):
    X, score, _ = one_hot_table(seed, baseline=baseline)
    rng = np.random.default_rng(seed)
    y, weight = (
        score + rng.normal(size=X.shape[0]),
        rng.integers(0, 3, size=X.shape[0]).astype(float),
    )
    for x0 in (0.0, 1.0):
        found = least_squares(rows_of(X, y, weight, x0))
        dense = least_squares(rows_of(X.toarray(), y, weight, x0))
        assert found.weights == pytest.approx(dense.weights, rel=1e-8, abs=1e-10)
        assert found.residuals == pytest.approx(dense.residuals, rel=1e-8, abs=1e-10)
        assert found.rank == dense.rank


def test_a_column_without_numbers_and_a_constant_one_share_nothing():
    X, score, _ = one_hot_table(0)
    zero, seven = sp.csr_array((400, 1)), sp.csr_array(np.full((400, 1), 7.0))
    X = sp.csr_array(sp.hstack([zero, X, seven]))
    found, dense = (least_squares(rows_of(a, score, np.ones(400))) for a in (X, X.toarray()))
    assert found.weights == pytest.approx(dense.weights, rel=1e-8, abs=1e-10)
    assert found.weights[1] == 0.0
    assert found.rank == dense.rank == X.shape[1] - 1


def test_columns_too_close_to_dependence_for_sums_of_products_are_left_to_orthogonal_ones():
    X, score, first = one_hot_table(2)
    rng = np.random.default_rng(0)
    of_level = rng.normal(size=20)[first] + 1e-6 * rng.normal(size=400)
    near = sp.csr_array(sp.hstack([X, sp.csr_array(of_level[:, None])]))
    assert columns_of(near, 1.0, np.ones(400)) is None
    found, dense = (least_squares(rows_of(a, score, np.ones(400))) for a in (near, near.toarray()))
    assert found.weights == pytest.approx(dense.weights, rel=1e-5)


def test_large_dense_tables_of_many_zeros_are_taken_as_sparse_ones():
    X, _, _ = one_hot_table(0, n=6000)
    _, rows = columns_of(X.toarray())
    assert (rows.whole().X != columns_of(X)[1].whole().X).nnz == 0
    full = np.random.default_rng(0).normal(size=(6000, 30))
    assert columns_of(full) is None


def test_tables_without_a_wide_run_are_left_alone():
    rng = np.random.default_rng(0)
    words = sp.csr_array((rng.random((500, 60)) < 0.1).astype(float))
    assert columns_of(words) is None
    X, _, _ = one_hot_table(0, levels=(10,))
    assert columns_of(X) is None


@pytest.mark.parametrize("reference", [0, 1])
def test_an_identifier_is_interpolated_by_the_shortest_line(reference):
    n = 250
    random = np.random.default_rng(n)
    numbers = np.round(random.normal([50.0, 1000.0], [10.0, 300.0], (n, 2)), 2)
    levels = sp.csr_array(np.eye(n)[:, reference:])
    X = sp.csr_array(sp.hstack([levels, sp.csr_array(numbers)]))
    y, weight = np.where(random.random(n) < 0.5, 1.0, -1.0), random.uniform(0.5, 2.0, n)
    assert columns_of(X, 1.0, weight) is not None
    found = least_squares(rows_of(X, y, weight))
    A = np.column_stack([np.ones(n), X.toarray()])
    assert found.rank == n
    assert np.allclose(found.weights, np.linalg.pinv(A) @ y, rtol=0.0, atol=1e-9)
