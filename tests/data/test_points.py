import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import disjoint_runs, in_form


def one_hot(levels, n=400, numbers=2, seed=0):
    """Rows (number, level 1, ..., number): level 0 is the baseline, and every level occurs."""
    random = np.random.default_rng(seed)
    X = np.zeros((n, numbers + sum(levels) - len(levels)))
    start = 1
    for count in levels:
        level = random.permutation(np.arange(n) % count)
        X[level > 0, start + level[level > 0] - 1] = 1.0
        start += count - 1
    X[:, 0], X[:, start:] = random.normal(size=n), random.normal(size=(n, numbers - 1))
    return X


def greedy_runs(X):
    """The definition, column by column."""
    runs, start = [], 0
    for j in range(1, X.shape[1] + 1):
        if j == X.shape[1] or ((X[:, start : j + 1] != 0).sum(axis=1) > 1).any():
            runs.append(range(start, j))
            start = j
    return tuple(run for run in runs if len(run) > 1)


@pytest.mark.parametrize("seed", range(60))
def test_runs_are_those_of_the_definition(seed):
    random = np.random.default_rng(seed)
    n, d = int(random.integers(1, 9)), int(random.integers(1, 30))
    X = np.where(random.random((n, d)) < random.choice([0.03, 0.1, 0.3]), -2.5, 0.0)
    assert disjoint_runs(sp.csr_array(X)) == greedy_runs(X)


def test_mostly_zeros_in_many_columns_become_sparse_from_either_form():
    X = one_hot([150])
    given = sp.csr_array(X)
    for points in (X, given):
        made = in_form(points)
        assert sp.issparse(made)
        assert made.has_canonical_format
        assert made.indices.dtype == made.indptr.dtype == np.int32
        assert (made != given).nnz == 0
    assert in_form(given) is given
    negative_zeros = in_form(np.where(X == 0.0, -0.0, X))
    assert negative_zeros.nnz == given.nnz


def test_one_number_in_eight_is_sparse_and_one_more_is_dense():
    X = np.zeros((8, 128))
    X[:, :16] = 1.0
    assert sp.issparse(in_form(X))
    X[0, 100] = 1.0
    assert type(in_form(X)) is np.ndarray
    assert type(in_form(sp.csr_array(X))) is np.ndarray


def test_float32_stays_float32():
    X = one_hot([150]).astype(np.float32)
    assert in_form(X).dtype == in_form(sp.csr_array(X)).dtype == np.float32


def test_a_large_table_of_zeros_stays_sparse_whatever_its_width():
    X = sp.csr_array(([1.0], ([5], [3])), shape=(2**24, 4))
    assert sp.issparse(in_form(X))
