"""Numbers as cells."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from separatrix.inference.printing import cell, column, rounded_down, rounded_up

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, st.integers(1, 8))
def test_bounds_are_rounded_outwards(value, figures):
    low, high = rounded_down(value, figures), rounded_up(value, figures)
    assert Fraction(low) <= Fraction(value) <= Fraction(high)


def test_a_column_has_the_decimals_of_its_smallest_number():
    assert column([12.5, -0.03125, math.inf, math.nan]) == [
        "12.50000", "-0.03125", "+infinity", "-",
    ]  # fmt: skip
    assert column([math.nan, -math.inf]) == ["-", "-infinity"]
    assert cell(1e-9, 4) == "1.000e-09"
    assert cell(1.5e12, 4) == "1.500e+12"
    assert cell(0.0, 4) == "0"
