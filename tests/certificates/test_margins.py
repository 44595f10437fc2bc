"""Claims of a largest margin and of a widest street: no bound below the truth holds."""

from dataclasses import replace
from fractions import Fraction

from separatrix.certificates.margin import Margin
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.street import Street

TABLE = [[-1.0], [2.0]], [0, 1]
TINY = Fraction(1, 10**30)


def test_a_margin_has_a_bound_that_its_multipliers_show():
    # z = (-1, 1) and (1, 2): the nearest point of that segment is (-1, 1) + 1/5 (2, 1)
    proof = Multipliers((0, 1), (4, 1), squared_bound=Fraction(9, 5))
    claim = Margin([Fraction(-1), Fraction(2)], Fraction(9, 5), proof)
    assert claim.verify(*TABLE)
    assert not replace(claim, rho_squared=Fraction(9, 5) - TINY).verify(*TABLE)
    too_low = replace(proof, squared_bound=Fraction(9, 5) - TINY)
    assert not replace(claim, proof=too_low).verify(*TABLE)


def test_a_street_about_the_origin_is_twice_as_wide_as_its_margin():
    proof = Multipliers((0,), (1,), squared_bound=Fraction(1), x0=0.0)
    claim = Street([Fraction(1)], Fraction(4), Fraction(4), proof)
    assert claim.verify(*TABLE)
    assert not replace(claim, bound=Fraction(4) - TINY).verify(*TABLE)
    assert not replace(claim, width_squared=Fraction(1)).verify(*TABLE)


def test_a_street_between_two_classes_is_as_wide_as_they_are_apart():
    proof = Multipliers((0, 1), (1, 1), squared_bound=Fraction(9))
    claim = Street([Fraction(1)], Fraction(9), Fraction(9), proof)
    assert claim.verify(*TABLE)
    assert not replace(claim, bound=Fraction(9) - TINY).verify(*TABLE)
