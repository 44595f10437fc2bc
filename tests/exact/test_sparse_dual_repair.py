"""Dual variables of rows with levels, moved until they cancel."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.exact import sparse_dual_repair
from separatrix.exact.integers import exact_combination, fractions_of, whole_multiples
from separatrix.exact.signed_block import homogeneous
from separatrix.exact.sparse_dual_repair import balanced_levels
from separatrix.exact.sparse_rows import SparseRows
from tests.learners.one_hot import one_hot_table


def rows_of(seed, x0=1.0, **options):
    """Return rows, signs, weights, and dual variables that cancel up to rounding."""
    X, _, _ = one_hot_table(seed, n=150, **options)
    rng = np.random.default_rng(seed)
    y, mass = rng.choice([-1.0, 1.0], size=150), rng.integers(1, 3, size=150).astype(float)
    z = y[:, None] * homogeneous(X, x0)
    duals = rng.uniform(0.3, 0.7, size=150)
    left = np.linalg.lstsq((mass[:, None] * z).T, -z.T @ (mass * duals), rcond=None)[0]
    return SparseRows.signed(X, y, x0), z, mass, duals + left


@pytest.mark.parametrize("x0", [0.0, 1.0])
@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_they_cancel_exactly_and_hardly_move(seed, baseline, x0):
    rows, z, mass, duals = rows_of(seed, x0, baseline=baseline)
    found = balanced_levels(rows, mass, duals, np.ones(150))
    assert found is not None
    times = [a * Fraction(m) for a, m in zip(found, mass, strict=True)]
    assert not any(exact_combination(z, whole_multiples(times)[0]))
    assert max(abs(float(a) - b) for a, b in zip(found, duals, strict=True)) < 1e-9
    moved = sum(a != b for a, b in zip(found, fractions_of(duals), strict=True))
    assert moved <= z.shape[1]


def test_rows_without_room_stay():
    rows, _, mass, duals = rows_of(3)
    room = np.ones(150)
    room[::3] = 0.0
    found = balanced_levels(rows, mass, duals, room)
    assert found is not None
    assert found[::3] == fractions_of(duals[::3])


def test_a_level_that_no_row_can_balance_has_no_answer():
    rows, _, mass, duals = rows_of(4)
    room = np.where(rows.level == 2, 0.0, 1.0)
    assert balanced_levels(rows, mass, duals, room) is None


def test_few_rows_of_a_long_table_are_enough(monkeypatch):
    monkeypatch.setattr(sparse_dual_repair, "MOST_NUMBERS", 0)
    rows, z, mass, duals = rows_of(5)
    found = balanced_levels(rows, mass, duals, np.ones(150))
    assert found is not None
    times = [a * Fraction(m) for a, m in zip(found, mass, strict=True)]
    assert not any(exact_combination(z, whole_multiples(times)[0]))


def test_rows_without_levels_are_balanced_too():
    X = sp.csr_array(np.random.default_rng(0).normal(size=(20, 3)))
    duals = np.random.default_rng(1).normal(size=20)
    z = homogeneous(X, 1.0)
    duals -= z @ np.linalg.lstsq(z, duals, rcond=None)[0]
    rows = SparseRows.signed(X, np.ones(20), 1.0)
    found = balanced_levels(rows, np.ones(20), duals, np.ones(20))
    assert found is not None
    assert not any(exact_combination(z, whole_multiples(found)[0]))
