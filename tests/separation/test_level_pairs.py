"""Pairs of rows of one level: what they show to cancel does, and has the rank of all rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import separability
from separatrix.data import Sample, read_arrays
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import with_constant
from separatrix.separation import decide
from separatrix.separation.level_pairs import Levels, pairs_that_cancel
from tests.hostile.profile import cases
from tests.separation.in_blocks import FarSource, collected, in_blocks

TABLES = cases(60, 1000)


def categories(seed):
    """X, y, x0: one to three categories in full or less one level, numbers, labels that overlap."""
    r = np.random.default_rng(seed)
    n, numbers = int(r.integers(200, 1500)), int(r.integers(0, 5))
    parts = [np.round(r.normal(size=(n, numbers)), int(r.choice([0, 4])))]
    for _ in range(r.integers(1, 4)):
        k = int(r.integers(2, 20))
        share = np.arange(1.0, k + 1) ** -r.choice([0, 1])
        levels = np.eye(k)[r.choice(k, n, p=share / share.sum())] * r.choice([1.0, 0.3])
        parts.insert(int(r.integers(0, len(parts) + 1)), levels[:, int(r.integers(0, 2)) :])
    X = np.hstack(parts)
    noise = r.choice([0.3, 1.0, 5.0]) * r.logistic(size=n)
    y = np.where(X @ r.normal(size=X.shape[1]) + noise > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X[:, X.any(axis=0)], y, float(r.random() < 0.8)


def rows_of(X, y, x0):
    return SignedRows(Sample(X, y, np.array([0, 1]), np.ones(len(y)), x0))


def asked(table):
    levels = Levels.of(table)
    return None if levels is None else pairs_that_cancel(table, levels)


@pytest.mark.parametrize("seed", range(0, TABLES, 20))
def test_pairs_cancel_and_have_the_rank_of_all_rows(seed):
    found = 0
    for X, y, x0 in map(categories, range(seed, seed + 20)):
        answers = [asked(rows_of(form, y, x0)) for form in (X, sp.csr_array(X))]
        assert answers[0] == answers[1]
        if answers[0] is None:
            continue
        found += 1
        (whole, few), table = answers[0], rows_of(X, y, x0)
        assert whole.cancels(table)
        assert few.cancels(table)
        shown = table.floats(np.array(whole.rows))
        assert np.linalg.matrix_rank(shown) == table.rank == np.linalg.matrix_rank(table.floats())
        assert len(whole.rows) <= 2 * (table.rank + 1)
    assert found > 4


@pytest.mark.parametrize(("rows", "source"), [(64, FarSource), (257, collected)])
def test_blocks_have_the_pairs_of_memory(rows, source):
    for X, y, x0 in map(categories, range(TABLES, TABLES + 8)):
        blocks = with_constant(in_blocks(X, y, rows, source=source), x0)
        assert asked(SignedRows(blocks)) == asked(rows_of(X, y, x0))


def long_table(levels, *, n=20_000, seed=0):
    r = np.random.default_rng(seed)
    level, numbers = np.sort(r.integers(0, levels, n)), np.round(r.normal(size=(n, 3)), 4)
    one_hot = sp.csr_array((np.ones(n), (np.arange(n), level)), shape=(n, levels))[:, 1:]
    scores = numbers @ [1.0, -1.0, 0.5] + r.normal(size=levels)[level] + r.logistic(size=n)
    return sp.hstack([sp.csr_array(numbers), one_hot], format="csr"), scores > 0, level


@pytest.mark.parametrize("levels", [30, 300])
def test_no_rows_but_pairs_are_read_exactly_whatever_the_number_of_levels(levels, monkeypatch):
    X, y, _ = long_table(levels)
    monkeypatch.setattr(decide, "settled", None)  # reads all rows exactly
    found = separability(X, y)
    assert found.verdict == "overlapping"
    assert found.rank == X.shape[1] + 1
    assert len(found.witness.rows) <= 2 * levels + 4
    assert len(found.refusal.rows) <= 6
    assert found.verify(X, y)


def test_a_level_of_one_label_has_no_pair_and_diverges():
    X, y, level = long_table(40)
    y[level == 7] = True
    table = SignedRows(with_constant(read_arrays(X, y), 1.0))
    levels = Levels.of(table)
    assert not levels.are_paired
    assert pairs_that_cancel(table, levels) is None
    found = separability(X, y)
    assert (found.verdict, found.divergent) == ("touching", (3 + 7,))
    assert found.verify(X, y)


def test_equal_rows_with_opposite_labels_are_the_shortest_refusal():
    X, y, level = long_table(40)
    X = X.toarray()
    yes, no = (np.flatnonzero((level == 5) & (y == label))[0] for label in (True, False))
    X[yes] = X[no]
    whole, few = asked(SignedRows(with_constant(read_arrays(X, y), 1.0)))
    assert few.rows == (min(yes, no), max(yes, no))
    assert {yes, no} <= set(whole.rows)
