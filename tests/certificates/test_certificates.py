"""Separation and Multipliers: right ones pass, wrong ones are refuted, never raised on."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix.certificates import Multipliers, Separation, mistake_bound
from separatrix.data import InputError
from tests.hostile.profile import examples
from tests.separation import oracle
from tests.strategies import labelled_grids, small

AND = ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, -1, 1])
XOR = (AND[0], [-1, 1, 1, -1])


def test_numbers_of_a_line_by_hand():
    line = Separation([-3.0, 2.0, 2.0])  # scores 3, 1, 1, 1; |w|^2 = 17; R^2 = 3
    assert line.verify(*AND)
    assert line.rho_squared(*AND) == Fraction(1, 17)
    assert line.radius_squared(*AND) == 3
    assert line.mistake_bound(*AND) == 51 == mistake_bound(*AND, [-3, 2, 2])


def test_whole_weights_beyond_doubles_are_taken_as_they_are():
    X, y = [[1.0], [2.0]], [1, -1]
    between = -(10**20) - 1
    assert Separation([10**20 + 2, between]).verify(X, y)
    assert not Separation([10**20 + 1, between]).verify(X, y)


def test_without_an_intercept_the_constant_counts_for_nothing():
    X, y = [[1.0, 0.0], [-2.0, 0.0]], [1, -1]
    line = Separation([0.0, 1.0, 0.0], x0=0.0)
    assert line.verify(X, y)
    assert (line.rho_squared(X, y), line.radius_squared(X, y)) == (1, 4)
    assert line.mistake_bound(X, y) == 4


doubles = st.floats(allow_nan=False, allow_infinity=False)


@given(st.sampled_from([small, doubles]), st.data(), st.booleans())
@examples(250)
def test_lines_are_judged_as_fractions_judge_them(entries, data, intercept):
    X, y = data.draw(labelled_grids(max_columns=2, entries=entries))
    weight = small if entries is small else st.floats(-1e9, 1e9)
    w = [float(data.draw(weight)) for _ in range(X.shape[1] + 1)]
    x0 = float(intercept)
    scores = oracle.scores(X, y, w, x0)
    for weights in (w, np.array(w), [Fraction(a) / 3 for a in w]):
        for points in (X, sp.csr_array(X)):
            assert Separation(weights, x0).verify(points, y) is (min(scores) > 0)
    squares = [sum(v * v for v in z) for z in oracle.signed(X, y, x0)]
    assert Separation(w, x0).radius_squared(X, y) == max(squares)
    if min(scores) > 0:
        length = sum(Fraction(a) ** 2 for a in w[0 if x0 else 1 :])
        assert Separation(w, x0).rho_squared(X, y) == min(scores) ** 2 / length
    else:
        with pytest.raises(InputError, match="does not separate"):
            Separation(w, x0).rho_squared(X, y)


def test_lines_that_do_not_fit_are_refuted():
    for weights in ([1.0], [-3.0, 2.0, np.nan], [-3.0, 2.0, np.inf], ["a", "b", "c"], 3.0, None):
        assert not Separation(weights).verify(*AND)
        with pytest.raises(InputError):
            mistake_bound(*AND, weights)
    assert not Separation([-3.0, 2.0, 2.0], x0=0.5).verify(*AND)
    assert not Separation([3.0, -2.0, -2.0]).verify(*AND)
    assert not Separation([-1.0, 1.0, 1.0]).verify(*AND)  # a score of zero
    with pytest.raises(InputError):
        Separation([-3.0, 2.0, 2.0]).verify([[np.nan]], [1])


@given(labelled_grids(), st.data(), st.booleans())
@examples(100)
def test_combinations_are_those_of_fractions(table, data, intercept):
    X, y = table
    rows = data.draw(st.lists(st.integers(0, len(y) - 1), min_size=1, unique=True))
    multipliers = [data.draw(st.integers(1, 5)) for _ in rows]
    x0 = float(intercept)
    found = Multipliers(tuple(rows), tuple(multipliers), x0)
    total = oracle.combination(X, y, rows, multipliers, x0)
    expected = sum(a * a for a in total) / Fraction(sum(multipliers)) ** 2
    for points in (X, sp.csr_array(X)):
        assert found.refuses(points, y) is (not any(total))
        assert found.margin_bound_squared(points, y) == expected


@pytest.mark.parametrize(
    ("rows", "multipliers"),
    [
        ((), ()), ((0, 1), (1,)), ((0, 0), (1, 1)), ((0, 4), (1, 1)), ((0, -1), (1, 1)),
        ((0, 1), (1, 0)), ((0, 1), (1, -1)), ((0, 1), (1, 0.5)), ((0, 1.0), (1, 1)),
        ((0, 1), (True, True)), ((0, "a"), (1, 1)), (None, None),
    ],
)  # fmt: skip
def test_multipliers_that_do_not_fit_are_refuted(rows, multipliers):
    wrong = Multipliers(rows, multipliers)
    assert not wrong.verify(*XOR)
    assert not wrong.refuses(*XOR)
    with pytest.raises(InputError):
        wrong.margin_bound(*XOR)
