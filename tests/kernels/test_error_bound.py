"""The error bound of float scores, against exact sums."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.kernels.error_bound import UNIT_ROUNDOFF, score_error

sizes = st.floats(1e-150, 1e150)
numbers = st.one_of(st.just(0.0), sizes, sizes.map(lambda a: -a))
pairs = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8)


@given(pairs)
@settings(deadline=None)
def test_it_holds_for_sums_in_any_order_of_numbers_rounded_once(products):
    """Weights and rows that are a third of a double are rounded before they are multiplied."""
    exact = sum((Fraction(a) * Fraction(b) / 9 for a, b in products), Fraction(0))
    rounded = [(float(Fraction(a) / 3), float(Fraction(b) / 3)) for a, b in products]
    for order in (rounded, rounded[::-1], sorted(rounded)):
        total = magnitude = 0.0
        for a, b in order:
            total += a * b
            magnitude += abs(a * b)
        assert abs(Fraction(total) - exact) <= Fraction(score_error(len(order), magnitude))


def test_it_is_within_a_small_factor_of_the_worst_error():
    u, n = UNIT_ROUNDOFF, 1000
    total = 1.0
    for _ in range(n - 1):
        total += u  # each sum is rounded back to 1
    lost = (n - 1) * u
    assert lost <= score_error(n, total) <= 3 * lost
