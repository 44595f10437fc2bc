"""Tables with categories: the answer by levels against that by linear programs."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import separability
from separatrix.certificates.separability import VERDICTS
from separatrix.data import Sample
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation import decide, divergence, levels
from separatrix.separation.level_fit import coordinates_of, fits
from separatrix.separation.rounding import simplest_within
from tests.hostile.profile import cases
from tests.separation.draws import one_hot, with_levels

TABLES = cases(60, 1000)


def rows_of(X, y, x0):
    return SignedRows(Sample(X, y, np.array([0, 1]), np.ones(len(y)), x0))


def holds(found, table):
    return found._common(table) and VERDICTS[found.verdict](found, table)


@pytest.mark.parametrize("seed", range(0, TABLES, 20))
def test_answers_by_levels_are_those_of_linear_programs(seed):
    for X, y, x0 in map(one_hot, range(seed, seed + 20)):
        sparse, dense = rows_of(sp.csr_array(X), y, x0), rows_of(X, y, x0)
        if not sparse.sparse.has_levels:
            continue
        found, expected = decide.answer_by_levels(sparse), decide.decide(dense)
        for name in ("verdict", "rank", "aliased", "divergent", "radius_squared"):
            assert getattr(found, name) == getattr(expected, name), name
        assert len(found.witness.rows) <= max(1, 2 * found.rank)
        assert all(holds(found, table) and holds(expected, table) for table in (sparse, dense))
        if found.verdict == "overlapping":
            continue
        cone, support = found.recession, None
        if cone is None:
            nothing = levels.null_space(sparse.sparse.take([]))
            cone = divergence.LevelCone.of(sparse, sparse.columns_of(found.line), nothing)
        else:
            rows, multipliers = tuple(found.witness.rows.tolist()), found.witness.multipliers
            support = divergence.Multipliers(rows, multipliers, x0)
        ways = cone.divergence(support, sparse)
        assert ways.directions == expected.diverging
        assert ways.holds(dense)
        assert expected.divergence.holds(sparse)


@pytest.mark.parametrize("categories", [[40], [150], [60, 30, 10]])
def test_long_tables_get_small_proofs_and_are_never_made_dense(categories):
    X, y = with_levels(4000, categories)
    found = separability(X, y)
    assert found.verdict == "overlapping"
    assert found.rank == X.shape[1] + 1
    assert len(found.witness.rows) <= 2 * found.rank
    assert len(found.refusal.rows) <= found.rank + 1
    assert found.verify(X, y)
    assert "values" not in found.table.__dict__
    again = separability(X.toarray(), y)
    assert again.witness.multipliers == found.witness.multipliers
    assert again.refusal == found.refusal
    assert not replace(found, rank=found.rank - 1).verify(X, y)
    multipliers = (found.witness.multipliers[0] + 1, *found.witness.multipliers[1:])
    wrong = replace(found.witness, multipliers=multipliers)
    assert not replace(found, witness=wrong).verify(X, y)


def test_levels_of_one_label_are_found_by_counting():
    X, y = with_levels(2500, [40])
    level = X[:, [6]].toarray().ravel() > 0
    y[level] = 1
    found = separability(X, y)
    assert (found.verdict, found.divergent, found.diverging) == ("touching", (7,), {7: 1})
    assert found.verify(X, y)
    assert found.divergence.verify(X, y)
    assert found.rank == X.shape[1] + 1
    y[level] = 0
    assert separability(X, y).diverging == {7: -1}
    baseline = np.asarray(X[:, :39].sum(axis=1)).ravel() == 0
    y[baseline] = 1
    found = separability(X, y)
    assert found.verdict == "touching"
    # the constant goes up, and all other levels go down with it
    assert found.diverging == {0: 1, **dict.fromkeys(range(1, 40), -1)}
    assert found.verify(X, y)


def test_a_separable_table_of_levels_and_a_number():
    X, _ = with_levels(2500, [40], numbers=1)
    effect = np.append(np.random.default_rng(2).normal(size=39), 3.0)
    y = (X @ effect > 0.7).astype(int)
    found = separability(X, y)
    assert found.verdict == "separable"
    assert found.verify(X, y)
    assert found.diverging[40] == 1  # the number
    assert found.divergence.verify(X, y)
    assert not found.directionless


def test_what_floats_propose_wrongly_is_refused():
    X, y, x0 = one_hot(8)
    rows = rows_of(sp.csr_array(X), y, x0).sparse
    step, _ = levels.counted(rows)
    core = rows.take(np.flatnonzero(step < 0))
    at = coordinates_of(core, bool(x0))
    proposed = next(fits(at))
    assert proposed.fixed.size > 0
    assert levels._decided(at, bool(x0), proposed) is not None
    for fixed in (proposed.fixed[1:], np.setdiff1d(np.arange(core.n), proposed.fixed)):
        other = replace(proposed, fixed=fixed, lines=[np.ones(rows.width), -np.ones(rows.width)])
        found = levels._decided(at, bool(x0), other)
        assert found is None or np.array_equal(found.fixed, proposed.fixed)


def test_the_simplest_number_between():
    for low, high, number in (
        (None, None, 0), (-3, 2, 0), (2, None, 1), (None, -2, -1), (2, 3, 3 / 8),
        (0, 3, 1 / 4), (-3, 0, -1 / 4), (12, 54, 3),
    ):  # fmt: skip
        assert simplest_within(low, high, 6) == number


def test_levels_of_one_row_each_are_never_made_dense():
    n = 1200  # rows, and all but one of them with a column of its own: more columns than rows
    numbers = np.random.default_rng(4).normal(size=(n, 3))
    X = sp.hstack([sp.eye_array(n, format="csr")[:, 1:], numbers], format="csr")
    y = np.arange(n) % 2
    tracemalloc.start()
    try:
        table = rows_of(X, np.where(y > 0, 1.0, -1.0), 1.0)
        assert (table.rank, len(table.aliased)) == (n, n + 3)
        assert tracemalloc.get_traced_memory()[1] < n * n * 8 / 2
    finally:
        tracemalloc.stop()
    found = separability(X, y)
    assert found.verdict == "separable"
    assert found.verify(X, y)


def test_levels_in_units_far_apart_diverge_as_in_one_unit():
    """Of which coefficients nothing is known but together, a sum of no multiples is asked for."""
    random = np.random.default_rng(0)
    X = np.hstack([np.eye(30)[random.integers(0, 30, 200)], random.integers(-2, 3, (200, 2))])
    y = random.integers(0, 2, 200)
    y[X[:, 3] != 0] = 1
    X, y = np.tile(X, (12, 1)), np.tile(y, 12)
    for units in (np.ones(32), 10.0 ** random.integers(-30, 30, 32)):
        found = separability(sp.csr_array(X * units), y)
        assert found.verdict == "touching"
        assert found.divergence.directions == {}
