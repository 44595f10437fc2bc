"""Signed rows in blocks: what each read of all rows gives is what it gives in memory."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix.data import read_arrays
from separatrix.exact.integers import lowest_exponents, lowest_exponents_of
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import ArraySource
from tests.separation.in_blocks import FarSource, in_blocks


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
    known = SignedRows(read_arrays(X, y), x0)
    asked = SignedRows(in_blocks(X, y, rows, source=source), x0)
    for w in ([0.5, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]):
        for part in (1, 4):
            expected, found = known.scan(np.array(w), part), asked.scan(np.array(w), part)
            assert [np.asarray(a).tolist() for a in found] == [
                np.asarray(a).tolist() for a in expected
            ]
    assert asked.longest == known.longest
    assert asked.exponents.tolist() == known.exponents.tolist()
    assert asked.spread(17) == known.spread(17)
    assert asked.span == known.span
    assert asked.largest_in(1) == known.largest_in(1)
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
    known, asked = SignedRows(read_arrays(X, y), 1.0), SignedRows(in_blocks(X, y, 37), 1.0)
    assert asked.longest == known.longest


def test_exponents_of_parts_are_those_of_all_rows():
    rng = np.random.default_rng(4)
    for _ in range(50):
        size = rng.integers(1, 6)
        whole = rng.integers(-4, 5, size=(30, size)) * rng.integers(0, 2, size=size)
        values = np.ldexp(whole.astype(float), rng.integers(-1070, 900, size=(30, size)))
        parts = np.split(values, [3, 4, 20])
        assert lowest_exponents_of(parts).tolist() == lowest_exponents(values).tolist()
