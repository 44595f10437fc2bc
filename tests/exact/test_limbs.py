"""Exact products by short limbs, against integers of any size."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.exact import limbs
from separatrix.exact.integers import column_exponents, integer_rows
from separatrix.exact.limbs import short_product, whole_product


@pytest.mark.parametrize("of_rows", [True, False])
@pytest.mark.parametrize("bits", [1, 30, 200, 3000])
@pytest.mark.parametrize("seed", range(3))
def test_products_are_those_of_integers(seed, bits, of_rows, monkeypatch):
    monkeypatch.setattr(limbs, "LARGE", 0)
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 30)) * np.exp(10.0 * rng.normal(size=(40, 30)))
    values[rng.random(values.shape) < 0.2] = 0.0
    exponents = column_exponents(values)
    draws = rng.integers(-(2**62), 2**62, size=(40 if of_rows else 30, 1 + bits // 62))
    vector = [sum(int(a) << (62 * k) for k, a in enumerate(row)) >> 5 for row in draws]
    whole = integer_rows(values, exponents)
    lines = zip(*whole, strict=True) if of_rows else whole
    expected = [sum(a * b for a, b in zip(line, vector, strict=True)) for line in lines]
    assert whole_product(values, exponents, vector, of_rows=of_rows) == expected


def test_the_largest_limbs_do_not_round(monkeypatch):
    monkeypatch.setattr(limbs, "LARGE", 0)
    values = np.full((1000, 3), 2.0**53 - 1.0)
    exponents = np.zeros(3, dtype=np.int64)
    vector = [2**120 - 1] * 1000
    expected = [1000 * (2**53 - 1) * (2**120 - 1)] * 3
    assert whole_product(values, exponents, vector, of_rows=True) == expected


def test_numbers_far_apart_are_left_to_integers(monkeypatch):
    monkeypatch.setattr(limbs, "LARGE", 0)
    values = np.array([[1.0, 2.0**-300], [1.0, 1.0]])
    exponents = column_exponents(values)
    assert whole_product(values, exponents, [1, 1], of_rows=True) is None
    assert whole_product(values, exponents, [1 << 5000, 1], of_rows=False) is None


def test_an_empty_sum_is_zero(monkeypatch):
    monkeypatch.setattr(limbs, "LARGE", 0)
    values = np.array([[0.0, 3.0]])
    zero = [Fraction(a) for a in whole_product(values, np.zeros(2, np.int64), [0], of_rows=True)]
    assert zero == [0, 0]


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 40), st.integers(0, 2**32))
def test_short_products_are_exact_or_not_given(bits, bits_of_vector, width, seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(-(2**bits) + 1, 2**bits, size=(7, width)).astype(float)
    exponents = rng.integers(-80, 80, size=width)
    vector = [int(a) for a in rng.integers(-(2**bits_of_vector) + 1, 2**bits_of_vector, width)]
    found = short_product(np.ldexp(whole, exponents), exponents, vector)
    expected = [sum(int(a) * b for a, b in zip(row, vector, strict=True)) for row in whole]
    if found is not None:
        assert [int(a) for a in found] == expected
    assert found is not None or bits + bits_of_vector + 6 > 53
    assert short_product(whole, np.full(width, -1000), vector) is None
