"""The signed rows against Fractions, in one block and in several, dense and sparse."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix import tiles
from separatrix.data import Sample, read_arrays
from separatrix.exact.integers import (
    sign,
    times_power_of_two,
)
from separatrix.exact.signed_block import SignedBlock
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import ArraySource, with_constant
from tests.separation.in_blocks import FarSource, in_blocks

finite = st.floats(allow_nan=False, allow_infinity=False)
small = st.integers(-3, 3).map(float)
grids = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(small, min_size=d, max_size=d), min_size=1, max_size=9)
)
tables = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(finite, min_size=d, max_size=d), min_size=1, max_size=9)
)
forms = st.sampled_from([np.asarray, sp.csr_array])
constants = st.sampled_from([0.0, 1.0])


@pytest.fixture(autouse=True)
def several_blocks(monkeypatch):
    monkeypatch.setattr(tiles, "TILE", 4)


def rows_of(points, x0, form=np.asarray):
    X = np.array(points)
    y = np.where(np.arange(len(X)) % 3 == 1, 1.0, -1.0)
    return SignedRows(Sample(form(X), y, np.array([0, 1]), np.ones(len(X)), x0))


def by_hand(points, x0):
    signs = [1 if n % 3 == 1 else -1 for n in range(len(points))]
    constant = [Fraction(1)] * int(x0)
    return [
        [s * a for a in (*constant, *map(Fraction, p))] for s, p in zip(signs, points, strict=True)
    ]


@given(tables, constants, forms, st.data())
@settings(deadline=None)
def test_scores_signs_and_lengths_are_those_of_fractions(points, x0, form, data):
    rows, Z = rows_of(points, x0, form), by_hand(points, x0)
    assert [[Fraction(a) for a in row] for row in rows.floats().tolist()] == Z
    number = st.one_of(finite.map(Fraction), finite.map(lambda a: Fraction(a) / 3))
    line = [data.draw(number) for _ in Z[0]]
    scores = [sum((a * b for a, b in zip(z, line, strict=True)), Fraction(0)) for z in Z]
    least, near = rows.least(line)
    assert least == min(scores)
    assert {n for n, s in enumerate(scores) if s == least} <= set(near.tolist())
    assert rows.signs(line).tolist() == [sign(s) for s in scores]
    assert rows.longest == max(sum(a * a for a in z) for z in Z)
    chosen = [n for n in range(len(Z)) if n % 2 == 0]
    multipliers = [n + 1 for n in chosen]
    assert rows.combination(chosen, multipliers) == [
        sum((m * Z[n][j] for n, m in zip(chosen, multipliers, strict=True)), Fraction(0))
        for j in range(len(Z[0]))
    ]


@given(tables, constants, forms)
@settings(deadline=None)
def test_tiles_are_all_rows_in_order_and_integers_are_the_doubles(points, x0, form):
    rows = rows_of(points, x0, form)
    tiled = list(SignedBlock(rows.table.whole()).tiles())
    assert [len(tile) for tile in tiled[:-1]] == [4] * (len(tiled) - 1)
    assert np.concatenate(tiled).tobytes() == rows.floats().tobytes()
    units = rows.exponents.tolist()
    for whole, row in zip(rows.integers(np.arange(rows.n)), by_hand(points, x0), strict=True):
        assert [
            times_power_of_two(Fraction(a), e) for a, e in zip(whole, units, strict=True)
        ] == row


@given(grids, constants, forms)
@settings(deadline=None)
def test_rank_aliased_columns_and_equalities(points, x0, form):
    rows = rows_of(points, x0, form)
    rank = np.linalg.matrix_rank(rows.floats())
    assert rows.rank == rank
    for j in range(rows.width):
        unit = np.vstack([rows.floats(), np.eye(rows.width)[j]])
        assert (rows.index(j) in rows.aliased) == (np.linalg.matrix_rank(unit) > rank)
    half = list(range(0, rows.n, 2))
    basis = rows.equalities(half)
    whole = rows.floats() / 2.0**rows.exponents
    assert len(basis) == rank - np.linalg.matrix_rank(whole[half][:, rows.span.columns])
    off = [n for n in range(rows.n) if any(sum(whole[n, j] * v[j] for j in v) != 0 for v in basis)]
    assert not set(off) & set(half)
    assert rows.not_vanishing(basis, 99) == off
    assert rows.not_vanishing(basis, 1) == off[:1]


def test_ties_of_float_scores_are_settled_exactly():
    big, unit = 2.0**60, 2.0**-10
    points = [[-big, -3 * unit, big], [big, unit, -big], [-big, -2 * unit, big]]
    ones = [Fraction(1)] * 3
    assert rows_of(points, 0.0).least(ones)[0] == Fraction(unit)
    third = [Fraction(1, 3)] * 3  # no doubles
    assert rows_of(points, 0.0).least(third)[0] == Fraction(unit) / 3
    far = [[0.0, -9.0, 0.0]] * 5  # the least one is in another block than most rows
    assert rows_of([*far[:4], *points, *far], 0.0).least(third)[0] == Fraction(-9) / 3
    points = [[-big, -1.0, big], [0.0, 0.5, 0.0]]  # a float score of 0 for the first
    assert rows_of(points, 0.0).least(ones)[0] == Fraction(1, 2)
    assert rows_of(points, 0.0).least(third)[0] == Fraction(1, 6)


def test_blocks_of_numbers_far_apart_in_size_are_compared():
    tiny, huge = 2.0**-1000, 2.0**1000
    rows = rows_of([[-tiny]] * 8 + [[-huge], [-2 * huge]], 0.0)
    third = [Fraction(-1, 3)]
    scores = [z[0] / -3 for z in by_hand([[-tiny]] * 8 + [[-huge], [-2 * huge]], 0.0)]
    assert rows.least(third)[0] == min(scores)
    assert rows.signs(third).tolist() == [sign(s) for s in scores]


def test_the_span_of_few_sparse_rows_is_that_of_the_dense_table():
    """Null vectors of such a table are long: its span is found by combinations of rows."""
    drawn = sp.random(60, 150, 0.05, random_state=0, format="csr")
    y = np.where(np.arange(60) % 2, 1.0, -1.0)
    tables = [
        SignedRows(Sample(X, y, np.array([0, 1]), np.ones(60)))
        for X in (sp.csr_array(drawn), drawn.toarray())
    ]
    ranks = {table.rank for table in tables}
    assert len(ranks) == 1
    assert 50 < ranks.pop() <= 60
    assert tables[0].aliased == tables[1].aliased


# In blocks each read of all rows gives what it gives in memory.


def tied_rows(n=400):
    rng = np.random.default_rng(3)
    X, y = rng.integers(-1, 2, size=(n, 2)).astype(float), rng.choice([-1.0, 1.0], size=n)
    X[100:140] = 0.0
    return X, y


@pytest.mark.parametrize("x0", [0.0, 1.0])
@pytest.mark.parametrize("rows", [1, 7, 50, 399])
@pytest.mark.parametrize("source", [ArraySource, FarSource])
def test_each_read_is_that_of_memory(x0, rows, source):
    X, y = tied_rows()
    known = SignedRows(with_constant(read_arrays(X, y), x0))
    asked = SignedRows(with_constant(in_blocks(X, y, rows, source=source), x0))
    for w in ([0.5, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]):
        for part in (1, 4):
            expected, found = known.scan(np.array(w), part), asked.scan(np.array(w), part)
            assert [np.asarray(a).tolist() for a in found] == [
                np.asarray(a).tolist() for a in expected
            ]
    assert asked.longest == known.longest
    assert asked.exponents.tolist() == known.exponents.tolist()
    assert asked.span == known.span
    few = np.array([399, 0, 100, 7, 7])
    assert asked.floats(few).tolist() == known.floats(few).tolist()
    basis = [{asked.width - 1: 1}]
    assert asked.not_vanishing(basis, 5) == known.not_vanishing(basis, 5)
    line = [Fraction(1, 3)] * asked.width
    assert asked.least(line)[0] == known.least(line)[0]
    assert asked.least(line)[1].tolist() == known.least(line)[1].tolist()


def test_long_rows_that_overflow_have_their_exact_length():
    X, y = tied_rows(300)
    X *= 2.0**700
    known, asked = SignedRows(read_arrays(X, y)), SignedRows(in_blocks(X, y, 37))
    assert asked.longest == known.longest
