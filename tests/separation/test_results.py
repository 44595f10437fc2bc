"""What a verdict reports, and results that were corrupted."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.certificates.separability import Witness
from separatrix.data import InputError
from separatrix.separation.decide import separability
from tests.hostile.profile import examples
from tests.separation import oracle
from tests.separation.checks import check
from tests.strategies import labelled_grids


def test_lines_are_readable():
    found = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    assert found.weights.tolist() == [-3.0, 2.0, 2.0]
    assert found.exact_weights == (-3, 2, 2)
    assert (found.rho_squared, found.radius_squared) == (Fraction(1, 17), 3)
    assert found.margin == pytest.approx((17**-0.5, 17**-0.5), rel=1e-12)
    assert found.radius == pytest.approx(math.sqrt(3), rel=1e-15)
    assert Fraction(found.radius) ** 2 >= 3
    assert found.mistake_bound == 51


def test_unusable_tables_are_refused():
    found = separability([[0.0], [1.0]], [0, 1])
    for X, y in (([[0.0], [np.nan]], [0, 1]), ([[0.0], [1.0]], [1, 1]), ([0.0, 1.0], [0, 1])):
        with pytest.raises(InputError):
            separability(X, y)
        with pytest.raises(InputError):
            found.verify(X, y)


def with_line(found, weights):
    return replace(found, line=tuple(Fraction(w) for w in weights))


def test_other_lines_on_touching_tables_are_judged_by_the_data():
    # columns 1 and 2 each keep one yes row off the line; column 3 overlaps
    X = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 4]]
    y = [1, 1, 1, 0, 1, 0]
    found = check(X, y, "touching")
    assert found.diverging == {1: 1, 2: 1}
    assert with_line(found, [0.0, 1.0, 3.0, 0.0]).verify(X, y)
    assert not with_line(found, [0.0, 1.0, 0.0, 0.0]).verify(X, y)  # not the most rows off it
    assert not with_line(found, [0.0, 1.0, -1.0, 0.0]).verify(X, y)  # a row on the wrong side
    assert not with_line(found, [0.0, 0.0, 0.0, 0.0]).verify(X, y)
    assert not with_line(found, [0.0, 1.0, 1.0, 1.0]).verify(X, y)


def test_a_refusal_of_less_than_the_whole_rank_is_not_overlap():
    X = [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [3.0, 2.0]]
    y = [0, 1, 1, 1, 0, 0]
    found = check(X, y, "overlapping")
    few = Witness(np.array(found.refusal.rows), found.refusal.multipliers)
    assert few.rows.tolist() == [0, 1]
    assert not replace(found, witness=few).verify(X, y)
    assert not replace(found, divergent=(1,)).verify(X, y)


@given(labelled_grids(max_rows=6), st.data())
@examples(80)
def test_one_wrong_multiplier_or_row_is_caught_unless_it_still_cancels(table, data):
    X, y = table
    found = separability(X, y)
    if found.separable:
        return
    rows, multipliers = found.witness.rows.copy(), list(found.witness.multipliers)
    k = data.draw(st.integers(0, len(rows) - 1))
    if data.draw(st.booleans()):
        rows[k] = data.draw(st.integers(0, len(y) - 1))
    else:
        multipliers[k] = data.draw(st.integers(-2, 5))
    corrupt = replace(found, witness=Witness(rows, tuple(multipliers)))
    good = min(multipliers) > 0 and len(set(rows)) == len(rows)
    cancels = good and not any(oracle.combination(X, y, rows, multipliers, 1.0))
    if not cancels:
        assert not corrupt.verify(X, y)
    elif found.verdict == "overlapping" and set(rows) == set(found.witness.rows):
        assert corrupt.verify(X, y)
