"""Columns are standardised by the weights of their rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.verdict.columns import standardisation


def test_a_row_of_weight_three_counts_as_three_rows():
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(12, 3)) * [1e-6, 1.0, 1e6], rng.integers(1, 4, 12)
    weighed = standardisation(X, weight.astype(float))
    repeated = standardisation(np.repeat(X, weight, axis=0), None)
    assert weighed.exponent.tolist() == repeated.exponent.tolist()
    assert weighed.mean == pytest.approx(repeated.mean, rel=1e-12)
    assert weighed.spread == pytest.approx(repeated.spread, rel=1e-12)


def test_columns_of_mostly_zeros_keep_them_and_are_divided_by_their_largest_size():
    random = np.random.default_rng(0)
    X = np.where(random.random((60, 140)) < 0.05, random.normal(size=(60, 140)), 0.0)
    X[:, 3], X[:, 9], X[:, 11] = random.normal(5.0, 2.0, 60), 7.0, 0.0
    scaling = standardisation(sp.csr_array(X), None)
    seen = scaling.apply(sp.csr_array(X))
    assert seen.has_canonical_format
    seen = seen.toarray()
    full = standardisation(X[:, [3, 9]], None)
    assert np.allclose(seen[:, [3, 9]], full.apply(X[:, [3, 9]]), rtol=1e-12)
    others = np.delete(np.arange(140), [3, 9])
    assert ((seen[:, others] == 0.0) == (X[:, others] == 0.0)).all()
    largest = np.abs(seen[:, others]).max(axis=0)
    assert np.array_equal(largest, np.where(np.abs(X[:, others]).max(axis=0) > 0.0, 1.0, 0.0))
    line = random.normal(size=141)
    back = scaling.undo(line)
    assert np.allclose(back[0] + X @ back[1:], line[0] + seen @ line[1:])
