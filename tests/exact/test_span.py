"""The span of fewer rows than columns, by floats, against elimination over the integers."""

import numpy as np
import pytest

from separatrix.data import read_arrays
from separatrix.exact import signed_rows
from separatrix.exact.signed_rows import SignedRows
from separatrix.exact.span import wide_span
from separatrix.scale import with_constant


def rows_of(seed, n=20, d=35):
    return np.random.default_rng(seed).normal(size=(n, d)).round(2)


def exact_span(values):
    """Return what elimination says: the door to floats is shut for small tables."""
    y = np.arange(len(values)) % 2
    return SignedRows(with_constant(read_arrays(values, y), 0.0)).span


@pytest.mark.parametrize("seed", range(5))
def test_rank_and_aliased_columns_are_the_exact_ones(seed):
    values = rows_of(seed)
    found, exact = wide_span(values), exact_span(values)
    assert found is not None
    assert found.columns == exact.columns
    assert found.aliased == exact.aliased


def test_leading_columns_that_depend_on_each_other_are_passed_over():
    values = rows_of(1)
    values[:, 1], values[:, 2] = 2.0 * values[:, 0], 0.0
    found = wide_span(values)
    assert found is not None
    assert len(found.columns) == len(exact_span(values).columns) == 20
    assert not {1, 2} <= set(found.columns)


def test_centred_columns_leave_the_constant_to_a_prime():
    values = rows_of(4, n=16)
    values -= values.mean(axis=0)
    table = np.column_stack((np.ones(16), values))
    found = wide_span(table)
    assert found is not None
    assert found.aliased == exact_span(table).aliased


def test_equal_rows_of_a_wide_table_count_once(monkeypatch):
    monkeypatch.setattr(signed_rows, "LARGE", 0)
    values = np.vstack([rows_of(6), rows_of(6)[:3]])
    assert len(exact_span(values).columns) == 20


def test_what_floats_do_not_settle_is_left_to_exact_arithmetic():
    determined, dependent, extreme = rows_of(2), (4.0 * rows_of(3)).round(), rows_of(5)
    determined[:, 7], determined[0] = 0.0, np.arange(35) == 7
    dependent[5] = dependent[2] + dependent[4]
    extreme[:, 3] *= 1e200
    assert 7 not in exact_span(determined).aliased
    assert len(exact_span(dependent).columns) == 19
    assert [wide_span(values) for values in (determined, dependent, extreme)] == [None] * 3
