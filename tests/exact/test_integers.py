"""Exact arithmetic against Fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.exact import integers

finite = st.floats(allow_nan=False, allow_infinity=False)
tables = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(finite, min_size=d, max_size=d), min_size=1, max_size=4)
)
integer_tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.lists(st.integers(-4, 4), min_size=d, max_size=d), min_size=1, max_size=4)
)


@given(tables)
@settings(deadline=None)
def test_integers_times_powers_of_two_are_the_doubles(rows):
    values = np.array(rows)
    exponents = integers.column_exponents(values)
    whole = integers.integer_rows(values, exponents)
    for row, doubles in zip(whole, rows, strict=True):
        for a, e, x in zip(row, exponents, doubles, strict=True):
            assert integers.times_power_of_two(Fraction(a), int(e)) == Fraction(x)


@given(tables, st.data())
@settings(deadline=None)
def test_scores_and_the_largest_square(rows, data):
    w = [Fraction(data.draw(finite)) / 3 for _ in rows[0]]
    scores = [sum(Fraction(x) * a for x, a in zip(r, w, strict=True)) for r in rows]
    assert integers.exact_scores(np.array(rows), w) == scores
    squares = [sum(Fraction(x) ** 2 for x in r) for r in rows]
    assert integers.largest_square(np.array(rows)) == max(squares)


@given(st.fractions(min_value=0), st.integers(-1200, 1200))
@settings(deadline=None)
def test_roots_are_rounded_outward(a, exponent):
    a = integers.times_power_of_two(a, exponent)
    low, high = integers.root_below(a), integers.root_above(a)
    assert Fraction(low) ** 2 <= a
    assert high == math.inf or a <= Fraction(high) ** 2
    if a and 1e-300 < high < 1e300:
        assert high <= low * (1 + 1e-15)


@pytest.mark.parametrize("a", [0, 1, 4, Fraction(1, 4), Fraction(9, 16), 2**200])
def test_roots_of_squares_are_exact(a):
    assert integers.root_below(Fraction(a)) == integers.root_above(Fraction(a)) == math.sqrt(a)


@given(integer_tables)
@settings(deadline=None)
def test_the_nullspace_is_one(rows):
    width = len(rows[0])
    basis, pivots = integers.nullspace(rows, width)
    assert len(basis) + len(pivots) == width
    for v in basis:
        assert math.gcd(*v) == 1
        assert not any(integers.dot(row, v) for row in rows)
    assert len(integers.independent_rows(rows)) == len(pivots) == np.linalg.matrix_rank(rows)
    assert integers.independent_columns(rows) == pivots


def test_a_prime_that_loses_rank_does_not_lose_the_nullspace(monkeypatch):
    # nearly every table has a minor that 3 divides
    monkeypatch.setattr(integers, "PRIMES", (3, integers.PRIME))
    rng = np.random.default_rng(0)
    for _ in range(60):
        rows = rng.integers(-4, 5, (int(rng.integers(1, 5)), 5)).tolist()
        basis, pivots = integers.nullspace(rows, 5)
        assert len(basis) == 5 - np.linalg.matrix_rank(rows)
        assert len(pivots) == np.linalg.matrix_rank(np.array(rows)[:, pivots])
        assert not any(integers.dot(row, v) for row in rows for v in basis)


def test_the_largest_square_is_found_among_lengths_that_floats_confuse():
    rng = np.random.default_rng(5)
    for _ in range(40):
        X = rng.permuted(np.tile(rng.normal(size=9), (30, 1)), axis=1)
        place = np.arange(30), rng.integers(0, 9, 30)
        X[place] = np.nextafter(X[place], rng.choice([-9.0, 9.0], 30))
        assert integers.largest_square(X) == max(
            sum(Fraction(a) ** 2 for a in row) for row in X.tolist()
        )


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 40), st.integers(0, 2**32))
def test_short_products_are_exact_or_not_given(bits, bits_of_vector, width, seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(-(2**bits) + 1, 2**bits, size=(7, width)).astype(float)
    exponents = rng.integers(-80, 80, size=width)
    vector = [int(a) for a in rng.integers(-(2**bits_of_vector) + 1, 2**bits_of_vector, width)]
    found = integers.short_product(np.ldexp(whole, exponents), exponents, vector)
    expected = [sum(int(a) * b for a, b in zip(row, vector, strict=True)) for row in whole]
    if found is not None:
        assert [int(a) for a in found] == expected
    assert found is not None or bits + bits_of_vector + 6 > 53
    assert integers.short_product(whole, np.full(width, -1000), vector) is None
