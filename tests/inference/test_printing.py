"""Numbers as cells, and tables as text."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from separatrix.inference.printing import Grid, cell, column, json_number, rounded_down, rounded_up

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, st.integers(1, 8))
def test_bounds_are_rounded_outwards(value, figures):
    low, high = rounded_down(value, figures), rounded_up(value, figures)
    assert Fraction(low) <= Fraction(value) <= Fraction(high)


def test_bounds_have_few_digits():
    assert rounded_down(1.2841117, 4) == "1.284"
    assert rounded_up(1.2841117, 4) == "1.285"
    assert rounded_up(-1144.23, 4) == "-1144"
    assert rounded_down(3.61146, 3) == "3.61"
    assert rounded_down(0.0, 3) == "0"


def test_a_column_has_the_decimals_of_its_smallest_number():
    assert column([12.5, -0.03125, math.inf, math.nan]) == [
        "12.50000", "-0.03125", "+infinity", "-",
    ]  # fmt: skip
    assert column([math.nan, -math.inf]) == ["-", "-infinity"]
    assert cell(1e-9, 4) == "1.000e-09"
    assert cell(1.5e12, 4) == "1.500e+12"
    assert cell(0.0, 4) == "0"


def test_text_is_aligned():
    lines = Grid(["", "a"], [["name", "1.5"], ["n", "10.25"]]).lines()
    assert lines == ["          a", "name    1.5", "n     10.25"]


def test_numbers_of_json():
    assert [json_number(v) for v in (1.5, math.inf, -math.inf, math.nan)] == [
        1.5, "+infinity", "-infinity", None,
    ]  # fmt: skip
