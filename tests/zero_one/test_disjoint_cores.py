"""Disjoint cores of few rows: each contradicts itself, and none shares weight with another."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.kernels.zero_one.disjoint import surely_cancels
from separatrix.tiles import TILE
from separatrix.zero_one import disjoint_cores
from separatrix.zero_one.disjoint_cores import MOST_DIMENSIONS, RIGHT_FOR_A_WRONG, cancels, packed


def signed(seed, n, d, *, whole, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(float) if whole else rng.normal(size=(n, d))
    line = np.append(0.25, rng.normal(size=d))
    z = np.column_stack([np.ones(n), X])
    y = np.sign(z @ line) * np.where(rng.random(n) < noise, -1.0, 1.0)
    return z * y[:, None], line


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(1, 6),
    whole=st.booleans(),
    ratio=st.sampled_from(RIGHT_FOR_A_WRONG),
    weighted=st.booleans(),
)
def test_cores_contradict_and_share_no_weight(seed, d, whole, ratio, weighted):
    z, line = signed(seed, 150, d, whole=whole)
    z[::40, 1:] = z[::40, :1] = 0.0
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, size=150) / 8.0 if weighted else np.ones(150)
    found = packed(z, weight, line, ratio)
    given_away = defaultdict(Fraction)
    for amount, core in found.cores:
        assert amount > 0
        assert cancels(z[list(core)]) or not z[core[0]].any()
        for n in core:
            given_away[n] += amount
    assert all(given <= Fraction(weight[n]) for n, given in given_away.items())
    assert found.bound == sum(amount for amount, _ in found.cores)
    assert found.bound <= sum(map(Fraction, weight[z @ line <= 0.0]))
    assert not given_away.keys() & set(found.left.tolist())


def test_nearly_as_many_cores_as_there_can_be():
    z, line = signed(1, 1000, 4, whole=False, noise=0.3)
    assert packed(z, np.ones(1000), line, 0).bound > 0.6 * 1000 / 6
    z, line = signed(2, 1000, 4, whole=False, noise=0.01)
    wrong = (z @ line <= 0.0).sum()
    assert max(packed(z, np.ones(1000), line, k).bound for k in RIGHT_FOR_A_WRONG) >= wrong - 2


def test_opposite_rows_are_pairs():
    z = np.repeat(signed(3, 20, 3, whole=False)[0], 10, axis=0)
    z[::3] *= -1.0
    found = packed(z, np.ones(200), np.ones(4), 0)
    least = sum(min(k, 10 - k) for k in (np.arange(200) % 3 == 0).reshape(20, 10).sum(axis=1))
    assert found.bound >= least
    assert sum(len(core) == 2 for _, core in found.cores) >= least


def test_what_floats_leave_open_is_decided_in_whole_numbers(monkeypatch):
    z, line = signed(4, 400, 3, whole=True)
    z = np.column_stack([z, z[:, 1] + z[:, 2]])  # no set of rows has the whole rank
    line, weight = np.append(line, 0.0), np.ones(400)
    found = packed(z, weight, line, 0)
    assert any(len(core) > 2 for _, core in found.cores)
    monkeypatch.setattr(disjoint_cores, "cancels", lambda _: False)
    assert packed(z, weight, line, 0).bound < found.bound


def test_no_float_certainty_where_a_multiplier_is_nearly_zero():
    rng = np.random.default_rng(5)
    seen = set()
    for k in range(200):
        rows = rng.normal(size=(4, 3))
        rows[3] = -(rows[:3] * np.array([1.0, 0.5, 2.0 ** -(k % 90)])[:, None]).sum(axis=0)
        rows /= 16.0
        room, wide = np.empty((5, 8)), np.insert(rows, k % 4, 0.0, axis=1)
        sure = surely_cancels(rows, np.arange(4), 4, room)
        assert sure == surely_cancels(wide, np.arange(4), 4, room)  # zeros ask for nothing
        seen.add(bool(sure))
        assert cancels(rows) or not sure
        rows[3, 0] *= -1.0
        assert cancels(rows) or not surely_cancels(rows, np.arange(4), 4, room)
        assert not surely_cancels(rows, np.arange(3), 3, room)
    assert seen == {True, False}


@pytest.mark.parametrize("bad", [np.inf, np.nan, 0.0])
def test_no_certainty_of_rows_that_overflow_or_vanish(bad):
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    room = np.empty((3, 4))
    assert surely_cancels(rows, np.arange(3), 3, room)
    rows[0, 0] = bad
    assert not surely_cancels(rows, np.arange(3), 3, room)


def test_of_many_columns_only_pairs_are_found():
    z = np.random.default_rng(6).normal(size=(20, MOST_DIMENSIONS + 1))
    z[1] = -z[0]
    assert packed(z, np.ones(20), z[0], 0).bound == 1
    assert packed(z, np.zeros(20), z[0], 0).bound == 0


def test_weights_unlike_each_other_fit_in_the_pool():
    """Of such rows few leave the pool with a core, so that it would grow beyond its room."""
    rng = np.random.default_rng(2)
    z = rng.normal(0.1, size=(TILE, 8))
    for weight in (rng.choice([1.0, 1.5, 2.0, 5.0], TILE), rng.uniform(0.5, 5.0, TILE)):
        found = packed(z, weight, np.ones(8), 0)
        given = np.zeros(TILE)
        for amount, rows in found.cores:
            given[list(rows)] += float(amount)
        assert (given <= weight * (1 + 1e-12)).all()
        assert 0.2 * weight.sum() / 9 < found.bound
