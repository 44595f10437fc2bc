"""Certificates: right ones pass, wrong ones are refuted, numbers are exact, nothing is raised."""

import math
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.certificates import LogisticGap, Multipliers, Recount, Separation, mistake_bound
from separatrix.certificates.stationary_point import PenalisedEnd
from separatrix.data import InputError
from tests.hostile.profile import examples
from tests.inference.tables import drawn, likelihood_intervals
from tests.separation import oracle
from tests.separation.in_blocks import in_blocks
from tests.strategies import labelled_grids, small

REMEMBERED = ("table", "recession")  # not part of what is claimed
X, MIXED, APART = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], [0, 0, 1, 1]
TINY = Fraction(1, 10**30)
ODD = [
    object(), None, "1", b"1", [1], [], {}, (), 1j, math.nan, math.inf, -math.inf, 0.5, -1, 2.0,
    10**400, -(10**400), TINY, Decimal("NaN"), np.float32(0.3), np.array([1.0, 2.0]),
]  # fmt: skip


def mutations(value: object, at: str = "") -> Iterator[tuple[str, object]]:  # noqa: PLR0912
    """Yield (what was changed, the changed value): numbers, signs, parts lost or doubled."""
    if is_dataclass(value):
        for field in (f for f in fields(value) if f.name not in REMEMBERED):
            inner, place = getattr(value, field.name), f"{at}.{field.name}"
            if is_dataclass(inner) or isinstance(inner, tuple | list):
                yield f"{place} is None", replace(value, **{field.name: None})
            for what, other in mutations(inner, place):
                yield what, replace(value, **{field.name: other})
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"{at}[{key}] lost", {k: v for k, v in value.items() if k != key}
            for what, other in mutations(inner, f"{at}[{key}]"):
                yield what, {**value, key: other}
    elif isinstance(value, np.ndarray):
        for what, other in mutations(value.tolist(), at):
            yield what, np.array(other, dtype=value.dtype if other else float)
    elif isinstance(value, tuple | list):
        kind = type(value)
        for k in sorted({0, len(value) - 1} & set(range(len(value)))):
            yield f"{at}[{k}] lost", kind(value[:k]) + kind(value[k + 1 :])
            for what, other in mutations(value[k], f"{at}[{k}]"):
                yield what, kind(value[:k]) + kind([other]) + kind(value[k + 1 :])
        if value:
            yield f"{at} doubled", kind([*value, value[0]])
        if any(value) and all(isinstance(a, Real) for a in value):
            yield f"{at} negated", kind(-a for a in value)
    elif isinstance(value, bool | np.bool_):
        yield f"not {at}", not value
    elif isinstance(value, Real):
        yield f"{at} + 1", value + 1
        if value:
            yield f"-{at}", -value
            yield f"{at} / 2", value / 2 if not isinstance(value, int) else Fraction(value, 2)
        if isinstance(value, Fraction):
            yield f"{at} + a hair", value + TINY
            yield f"{at} - a hair", value - TINY
    elif isinstance(value, str):
        yield f"{at} is nonsense", "nonsense"


TOUCHING = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 3.0], [2.0, -1.0], [1.0, 1.0]]
ORIGIN = [[1.0, 0.5], [2.0, -1.0], [-3.0, 1.0], [-1.0, -0.25]], [1, 1, 0, 0]
LESS = r"\.weights\[(0\] / 2|1\] \+ 1)|-\.lower|\.lower [/-].*|\.cost_wrong_no \+ 1"
LOOSER = {  # changes that leave a claim true: a looser bound, another line, fewer parts
    "separable": r"\.line\[.\] .*hair|\.divergent doubled",
    "touching": r"\.divergent doubled",
    "of the origin": r"\.line\[2\] [+-].*|\.divergent doubled",
    "margin": r"\.proof\.squared_bound \+.*",
    "margin of the origin": r"\.proof\.(squared_bound|multipliers\[0\]) \+.*",
    "street": r"\.(direction\[0\] [/+-]|bound \+|points\.multipliers\[.\] \+).*",
    "street of the origin": r"\.bound \+.*|\.points\.multipliers\[0\] \+ 1|-?\.points\.squared_b.*",
    "divergence": r"\.(indices|lines) doubled|\.lines\[0\]\[.\] .*hair|\.bounds\[.\] lost",
    "divergence of touching rows": r"\.(indices|lines) doubled|\.bounds\[.\] lost",
    "overlapping": r"\.divergent is None",
    "refusal": r"\.squared_bound \+.*",
    "logistic": r"-?\.gap.*",
    "recount": r"\.(weights\[0\] /|weights\[1\] \+|sample_weight\[.\] [/+]).*",
    "fewest": r"\.proof\[2\] doubled|" + LESS,
    "contradictions": LESS,
    "firth": r"\.radius .*",
    "firth end": r".*radius.*|.* is None",
    "intervals": r"\.claim\[(faces|ends)\] doubled|\.claim.*\[rows\]\[.\] \+ 1|.* lost",
}


@pytest.fixture(scope="module")
def claims():
    """Return a true claim of each kind, and the table that it is about."""
    apart, mixed = sx.separability(X, APART), sx.separability(X, MIXED)
    touching = sx.separability(TOUCHING, [0, 0, 1, 1, 1, 0])
    origin = sx.separability(*ORIGIN, fit_intercept=False)
    sample, _ = drawn(0, "noisy")
    ends = sx.coefficient_table(X, MIXED, method="firth", enclose=True).proofs
    return {
        "line": (Separation([-3.0, 2.0]), X, APART),
        "margin": (apart.maximum_margin, X, APART),
        "street": (apart.street, X, APART),
        "divergence": (apart.divergence, X, APART),
        "separable": (apart, X, APART),
        "of the origin": (origin, *ORIGIN),
        "margin of the origin": (origin.maximum_margin, *ORIGIN),
        "street of the origin": (origin.street, *ORIGIN),
        "touching": (touching, TOUCHING, [0, 0, 1, 1, 1, 0]),
        "divergence of touching rows": (touching.divergence, TOUCHING, [0, 0, 1, 1, 1, 0]),
        "overlapping": (mixed, X, MIXED),
        "refusal": (mixed.refusal, X, MIXED),
        "logistic": (sx.LogisticRegression(C=1.0).fit(X, MIXED).certificate_, X, MIXED),
        "numbers": (sx.LinearRegression().fit(X, MIXED).certificate_, X, MIXED),
        "squares": (sx.LinearRegressionClassifier().fit(X, MIXED).certificate_, X, MIXED),
        "recount": (sx.Pocket(random_state=0).fit(X, MIXED).certificate_, X, MIXED),
        "fewest": (sx.minimum_errors(X, MIXED).certificate, X, MIXED),
        "contradictions": (sx.minimum_errors(in_blocks(X, MIXED, 4)).contradictions, X, MIXED),
        "firth": (sx.FirthLogisticRegression(tol=1e-10).fit(X, MIXED).certificate_, X, MIXED),
        "firth end": (next(p for p in ends if isinstance(p, PenalisedEnd)), X, MIXED),
        "intervals": (likelihood_intervals(sample, 1.0).certificate, sample.X, sample.y),
    }


def test_changed_claims_are_refuted(claims):
    for name, (claim, points, y) in claims.items():
        assert claim.verify(points, y) is True, name
        assert name == "refusal" or not claim.verify(np.array(points)[::-1] / 2, y), name
        changes = list(mutations(claim))
        assert len(changes) > 9
        for what, other in changes:
            if not re.fullmatch(LOOSER.get(name, "nothing"), what):
                assert other.verify(points, y) is False, (name, what)


def test_fields_of_other_kinds_are_never_raised_on(claims):
    for name, (claim, points, y) in claims.items():
        for field in fields(claim) if not name.startswith("firth") else ():
            for odd in ODD:
                with np.errstate(all="ignore"):
                    found = replace(claim, **{field.name: odd}).verify(points, y)
                assert isinstance(found, bool), (name, field.name, odd)


def logistic(**changed):
    return replace(sx.LogisticRegression(C=1.0).fit(X, MIXED).certificate_, **changed)


def squares(**changed):
    return replace(sx.LinearRegressionClassifier().fit(X, MIXED).certificate_, **changed)


def fewest(**changed):
    return replace(sx.minimum_errors(X, MIXED).certificate, **changed)


FALSE = {
    # 2^54 + 1 is not a double: the row (1, 1) is on the line's wrong side by 1/2
    "a line of integers": lambda: (Separation([np.int64(-(2**54) - 1), np.int64(2**54), 0.5]), 2),
    "a complex line": lambda: (Separation(np.array([-3.0 + 5j, 2.0])), 1),
    "a line of decimals": lambda: (Separation([Decimal(-3), Decimal("1.5") - Decimal("1e-25")]), 1),
    "a half of an intercept": lambda: (logistic(x0=0.5, gap=0.5), 0),
    "twice an intercept": lambda: (logistic(x0=2.0, gap=0.5), 0),
    "an intercept of bytes": lambda: (logistic(x0=b"1"), 0),
    "columns left out by a mask": lambda: (
        LogisticGap(np.array([3.0, 0.0]), np.ones(4), math.inf, 0.5, 1.0, (True, True)), 0),
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
    return sx.LinearRegression().fit(X, MIXED).certificate_


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
