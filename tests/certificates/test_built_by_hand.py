"""Claims built by hand from numbers of other kinds: taken exactly, or refuted, never raised on."""

import math
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from separatrix import (
    LinearRegression,
    LinearRegressionClassifier,
    LogisticRegression,
    Pocket,
    minimum_errors,
    separability,
)
from separatrix.certificates import LogisticGap, Recount, Separation

X, MIXED, APART = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], [0, 0, 1, 1]
TINY = Fraction(1, 10**30)
ODD = [
    object(), None, "1", b"1", [1], [], {}, (), 1j, math.nan, math.inf, -math.inf, 0.5, -1, 2.0,
    10**400, -(10**400), TINY, Decimal("NaN"), np.float32(0.3), np.array([1.0, 2.0]),
]  # fmt: skip


@pytest.fixture(scope="module")
def claims():
    """Return a true claim of each kind, and the labels that it is about."""
    apart, mixed = separability(X, APART), separability(X, MIXED)
    return {
        "line": (Separation([-3.0, 2.0]), APART),
        "margin": (apart.maximum_margin, APART),
        "street": (apart.street, APART),
        "divergence": (apart.divergence, APART),
        "separable": (apart, APART),
        "overlapping": (mixed, MIXED),
        "refusal": (mixed.refusal, MIXED),
        "logistic": (LogisticRegression(C=1.0).fit(X, MIXED).certificate_, MIXED),
        "numbers": (LinearRegression().fit(X, MIXED).certificate_, MIXED),
        "squares": (LinearRegressionClassifier().fit(X, MIXED).certificate_, MIXED),
        "recount": (Pocket(random_state=0).fit(X, MIXED).certificate_, MIXED),
        "fewest": (minimum_errors(X, MIXED).certificate, MIXED),
    }


def test_fields_of_other_kinds_are_never_raised_on(claims):
    for name, (claim, y) in claims.items():
        assert claim.verify(X, y) is True, name
        for field in fields(claim):
            for odd in ODD:
                with np.errstate(all="ignore"):
                    found = replace(claim, **{field.name: odd}).verify(X, y)
                assert isinstance(found, bool), (name, field.name, odd)


def logistic(**changed):
    return replace(LogisticRegression(C=1.0).fit(X, MIXED).certificate_, **changed)


def squares(**changed):
    return replace(LinearRegressionClassifier().fit(X, MIXED).certificate_, **changed)


def fewest(**changed):
    return replace(minimum_errors(X, MIXED).certificate, **changed)


FALSE = {
    # 2^54 + 1 is not a double: the row (1, 1) is on the line's wrong side by 1/2
    "a line of integers": lambda: (Separation([np.int64(-(2**54) - 1), np.int64(2**54), 0.5]), 2),
    "a complex line": lambda: (Separation(np.array([-3.0 + 5j, 2.0])), 1),
    "a line of decimals": lambda: (Separation([Decimal(-3), Decimal("1.5") - Decimal("1e-25")]), 1),
    "a half of an intercept": lambda: (logistic(x0=0.5, gap=0.5), 0),
    "twice an intercept": lambda: (logistic(x0=2.0, gap=0.5), 0),
    "an intercept of bytes": lambda: (logistic(x0=b"1"), 0),
    "columns left out by a mask": lambda: (
        LogisticGap(np.array([3.0, 0.0]), np.full(4, 0.5), np.ones(4), math.inf, 0.5, 1.0,
                    (True, True)), 0),
    "half of a constant": lambda: (squares(x0=0.5, weights=np.array([-1.2 + 1.4, 0.4])), 0),
    "labels the other way": lambda: (squares(classes=np.array([1, 0])), 0),
    "an error of a hair more": lambda: (Recount(np.array([-1.5, 1.0]), TINY, np.ones(4)), 1),
    "weights of a hair more": lambda: (
        Recount(np.array([-1.5, 1.0]), 0.0, [1 + TINY, 1, 1, 1]), 1),
    "a line rounded onto the row": lambda: (
        Recount([-1 - TINY, Fraction(1)], 1.0, np.ones(4)), 1),
    "negative costs": lambda: (
        fewest(cost_wrong_yes=-1.0, cost_wrong_no=-1.0, upper=Fraction(-1)), 0),
    "the fewest with half of an intercept": lambda: (fewest(x0=0.5), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_false_claims_are_refuted(name):
    claim, which = FALSE[name]()
    table = [(X, MIXED), (X, APART), ([[0.0, 0.0], [1.0, 1.0]], [0, 1])][which]
    assert claim.verify(*table) is False


def test_numbers_of_other_kinds_are_taken_exactly(claims):
    line = claims["separable"][0].maximum_margin
    whole = replace(line, weights=[np.int64(-3), np.int64(2)], rho_squared=Fraction(1, 13))
    assert whole.verify(X, APART)
    assert not replace(whole, weights=np.array([-3, 2**40])).verify(X, APART)
    assert not replace(whole, rho_squared=Fraction(1, 13) + TINY).verify(X, APART)
    assert Separation([Decimal("-0.3"), np.float32(0.2)]).verify(X, APART)


def test_a_gap_beyond_doubles_is_infinite():
    claim = replace(claims_of_numbers(), weights=np.array([1e200, 1e200]))
    assert claim.proven_gap(X, MIXED) == math.inf
    assert not claim.verify(X, MIXED)


def claims_of_numbers():
    return LinearRegression().fit(X, MIXED).certificate_
