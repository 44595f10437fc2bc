"""Laws of the error measures: slopes are derivatives, and which bound the 0/1 error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import CrossEntropy, InputError, PerceptronError, Squared, ZeroOne, error_table
from separatrix.errors import MEASURES

agreement = st.floats(-30, 30)
SMOOTH = [PerceptronError(), Squared(), CrossEntropy()]


def at(measure, a):
    return float(measure.value(np.array([a]))[0])


@pytest.mark.parametrize("measure", SMOOTH, ids=lambda m: m.name)
@given(a=agreement.filter(lambda a: abs(a) > 1e-4))
def test_slope_is_the_finite_difference(measure, a):
    h = 1e-6 * max(1.0, abs(a))
    difference = (at(measure, a + h) - at(measure, a - h)) / (2 * h)
    assert float(measure.slope(np.array([a]))[0]) == pytest.approx(difference, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("measure", [Squared(), CrossEntropy()], ids=lambda m: m.name)
@given(a=agreement)
def test_curvature_is_the_slope_of_the_slope(measure, a):
    h = 1e-5 * max(1.0, abs(a))
    up, down = (float(measure.slope(np.array([v]))[0]) for v in (a + h, a - h))
    curvature = float(measure.curvature(np.array([a]))[0])
    assert curvature == pytest.approx((up - down) / (2 * h), rel=1e-4, abs=1e-7)


def test_zero_is_a_mistake_to_be_corrected():
    assert at(ZeroOne(), 0.0) == 1.0
    assert float(PerceptronError().slope(np.array([0.0]))[0]) == -1.0


def test_the_zero_one_error_has_no_slope():
    assert not hasattr(ZeroOne(), "slope")


def test_large_agreements_do_not_overflow():
    assert at(CrossEntropy(), -1e308) == 1e308
    assert at(CrossEntropy(), 1e308) == 0.0


def test_error_table_sees_every_measure():
    X, y = [[0.0], [1.0], [2.0]], ["no", "yes", "yes"]
    table = error_table(np.array([-1.0, 1.0]), X, y)
    assert set(table) == set(MEASURES)
    assert table["zero_one"] == pytest.approx(1 / 3)  # the row on the line
    assert table["squared"] == pytest.approx((0 + 1 + 0) / 3)
    with pytest.raises(InputError, match="2 numbers"):
        error_table(np.array([1.0]), X, y)
