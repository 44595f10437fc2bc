"""Known verdicts: by construction, by counting, by another method; results that were corrupted."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix import InputError, minimum_errors, read_frame, separability
from separatrix.certificates.separability import Witness
from separatrix.data import read_arrays
from separatrix.exact.integers import PRIME
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation import constraint_generation
from separatrix.separation.constraint_generation import interpolating_line
from separatrix.tables.frames import read_classes_of_frame
from tests.hostile.profile import examples
from tests.separation import oracle
from tests.separation.checks import check
from tests.separation.draws import rng
from tests.separation.in_blocks import answers
from tests.strategies import labelled_grids


@pytest.mark.parametrize(("d", "inputs", "separable"), [(2, (-1, 1), 12), (3, (0, 1), 102)])
def test_boolean_functions(d, inputs, separable):
    X = np.array(list(itertools.product(inputs, repeat=d)), dtype=float)
    count = 0
    for labels in itertools.product((-1, 1), repeat=2**d):
        if len(set(labels)) == 2:
            count += check(X, labels).separable
    assert count == separable


@given(labelled_grids(), st.booleans(), st.randoms(use_true_random=False), st.integers(-900, 900))
@examples(250)
def test_answers_agree_with_their_definition_in_any_order_and_unit(table, x0, random, exponent):
    X, y = table
    true = oracle.truth(oracle.signed(X, y, x0))
    found = check(X, y, true.verdict, fit_intercept=x0)
    first = 0 if x0 else 1
    diverging = {j + first: way for j, way in true.diverging.items()}
    assert found.diverging == diverging
    assert found.aliased == tuple(sorted(j + first for j in true.aliased))
    assert found.rank == true.rank
    sparse = separability(sp.csr_array(X), y, x0)
    assert answers(sparse) == answers(found)
    assert sparse.street_width == found.street_width
    order = random.sample(range(len(y)), len(y))
    scales = 2.0 ** np.array([exponent * (-1) ** j for j in range(X.shape[1])])
    for points, labels, sign in ((X[order], y[order], 1), (X * scales, y, 1), (X, -y, -1)):
        other = separability(points, labels, x0)
        assert other.verdict == true.verdict
        assert other.diverging == {j: sign * way for j, way in diverging.items()}


def near_the_plane(margin, d, seed):
    """Rows of which 2 d lie at `margin` from a plane, up to rounding, all on their right side."""
    r = rng(seed)
    X, w = r.standard_normal((200, d)), r.standard_normal(d)
    w /= np.linalg.norm(w)
    s = X @ w
    y = np.where(s > 0, 1.0, -1.0)
    near = np.argsort(np.abs(s))[: 2 * d]
    X[near] -= np.outer(s[near] - y[near] * margin, w)
    return X, y


@pytest.mark.parametrize("margin", [1e-6, 1e-9, 1e-12, 1e-14])
@pytest.mark.parametrize("d", [2, 6, 15])
def test_margins_and_overlaps_near_rounding(margin, d):
    found = check(*near_the_plane(margin, d, 0))  # whatever the verdict, it is proven
    wrong = check(*near_the_plane(-margin, d, 0))
    assert found.separable is True or margin < 1e-13
    assert wrong.verdict in ("separable", "overlapping")


@pytest.mark.parametrize("gap", [2.0**-27, 2.0**-52])
@pytest.mark.parametrize("d", [1, 4, 12])
def test_exact_margins(gap, d):
    """Rows on both sides of a plane at a known distance, on a grid that doubles hold exactly."""
    base = rng(d).integers(-64, 65, (12 * d, d)) / 64.0
    X = np.column_stack([np.vstack([base, base]), np.repeat([gap, -gap], len(base))])
    margin = check(X, np.repeat([1, -1], len(base)), "separable").margin
    assert margin == (pytest.approx(gap, rel=1e-5), pytest.approx(gap, rel=1e-5))


TINY = 2.0**-40
SQUARE = [[0.0, TINY], [1.0, TINY], [0.5, TINY / 2], [0.5, TINY * 2]]
BIG = [[1e16, 1.0], [1e16 + 2, 1.0], [1e16 + 4, 1.0]]
RANGES = [[1e300], [1e-300], [-1e-300], [-1e300], [5e-324]]
ZEROS = [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]]
CONES = [[1.0, 1.0], [2.0, 2.0], [3.0, 1.0]]


@pytest.mark.parametrize(
    ("X", "y", "x0", "verdict"),
    [
        ([[0.0, 1.0], [1.0, TINY], [-1.0, -TINY], [0.5, -1.0], [1.0, 3.0]], [1, 1, -1, -1, 1], 1,
         "separable"),
        (SQUARE, [1, 1, -1, 1], 1, "separable"),
        (SQUARE, [1, 1, 1, -1], 1, "separable"),
        ([[0.0, 0.0], [1.0, 0.0], [0.5, TINY], [0.5, -TINY]], [1, 1, -1, -1], 1, "overlapping"),
        ([[0.0, 0.0], [1.0, 0.0], [0.5, TINY], [0.5, 0.0]], [1, 1, -1, -1], 1, "touching"),
        (BIG, [1, -1, 1], 1, "overlapping"),
        (BIG, [1, 1, -1], 1, "separable"),
        (RANGES, [1, 1, -1, -1, 1], 1, "separable"),
        (RANGES, [1, -1, 1, -1, 1], 1, "overlapping"),
        (ZEROS, [1, 1, 0], 1, "separable"),
        (ZEROS, [1, 1, 0], 0, "touching"),  # a row of zeros refuses by itself
        ([[0.0], [0.0]], [0, 1], 0, "overlapping"),
        ([[0.0], [1.0], [1.0]], [0, 0, 1], 0, "overlapping"),
        (CONES, [1, 0, 1], 1, "separable"),  # (2, 2) is outside the hull of the others
        (CONES, [1, 0, 1], 0, "touching"),  # cones meet rather than hulls
    ],
)  # fmt: skip
def test_tables_by_hand(X, y, x0, verdict):
    found = check(X, y, verdict, fit_intercept=bool(x0))
    if X is ZEROS and not x0:
        assert found.refusal.rows == (0,)
    if X is CONES and not x0:
        assert found.exact_weights[0] == 0
        assert found.diverging == {1: 1, 2: -1}  # z.w = 0 on (1, 1): w is a multiple of (1, -1)


def proven(X, y, verdict):
    found = separability(X, y)
    assert found.verdict == verdict
    assert found.verify(X, y)
    return found


@pytest.mark.parametrize(("n", "d", "shown"), [(12, 30, check), (40, 1500, proven)])
def test_fewer_rows_than_columns(n, d, shown):
    r = rng(3)
    X, y = r.standard_normal((n, d)), np.where(r.random(n) < 0.5, 1.0, -1.0)
    found = shown(X, y, "separable")
    assert (found.rank, len(found.aliased)) == (n, d + 1)
    assert shown(np.vstack([X, X[0]]), np.append(y, -y[0]), "touching").rank == n


def test_rows_that_are_a_power_of_two_apart_are_independent():
    for bits in range(40, 130):  # 2^61 is 1 modulo the prime 2^61 - 1
        X = np.ldexp([[1.0, 1.0], [1.0, 1.0]], [[0], [bits]])
        assert check(X, [0, 1], "separable").rank == 2


def test_rows_that_are_equal_modulo_a_prime_are_not_taken_for_equal():
    a, b = [4.618459182241892e18, 4.611755751937664e18], [6773163814504505.0, 69733510276153.0]
    assert (np.array(a, np.uint64) % PRIME).tolist() == b
    assert check([a, a, b, b], [0, 1, 1, 1], "touching").rank == 2
    assert check([a, a, b], [0, 1, 1], "touching").rank == 2


def test_rows_in_doubt_that_work_already_are_not_taken_for_all_rows_in_doubt():
    r = rng(135)
    n = int(r.choice([400, 1000, 2000]))
    a, b = r.standard_normal((2, n))
    y = (a + b + float(r.choice([0.003, 0.01, 0.03])) * r.standard_normal(n) > 0).astype(int)
    check(np.column_stack([a, b, a - 2 * b]), y)


def test_the_same_row_with_both_labels():
    found = check([[1.0, 2.0], [3.0, -0.0], [3.0, 0.0], [5.0, 5.0]], [0, 1, 0, 1])
    assert (found.refusal.rows, found.refusal.multipliers) == ((1, 2), (1, 1))
    many = np.repeat(np.arange(6.0).reshape(3, 2), 50, axis=0)
    check(many, np.tile([0, 1], 75), "overlapping")
    X = rng(6).integers(-2, 3, (300, 3)).astype(float)
    y = np.where(X.sum(axis=1) + 0.5 > 0, 1, -1)
    for n in (0, 150, 299):
        found = check(np.vstack([X, X[n]]), np.append(y, -y[n]))
        assert found.separable is False
        assert found.refusal.rows[1:] == (300,)
        assert found.refusal.multipliers == (1, 1)


def test_lines_are_readable():
    found = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    assert found.weights.tolist() == [-3.0, 2.0, 2.0]
    assert found.exact_weights == (-3, 2, 2)
    assert (found.rho_squared, found.radius_squared) == (Fraction(1, 17), 3)
    assert found.margin == pytest.approx((17**-0.5, 17**-0.5), rel=1e-12)
    assert found.radius == pytest.approx(math.sqrt(3), rel=1e-15)
    assert Fraction(found.radius) ** 2 >= 3
    assert found.mistake_bound == 51


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


FRAME = pd.DataFrame(
    {
        "age": [20, 25, 31, 40, 44, 52, 58, 23],
        "sex": list("fmfmfmfm"),
        "pays": ["no", "no", "yes", "no", "yes", "yes", "yes", "no"],
    }
)


def test_a_table_brings_its_labels():
    table = read_frame(FRAME, "pays")
    X = np.column_stack([FRAME.age, FRAME.sex == "m"]).astype(float)
    for found, expected in (
        (separability(table), separability(X, FRAME.pays)),
        (separability(FRAME[["age", "sex"]], FRAME.pays), separability(X, FRAME.pays)),
    ):
        assert found.verdict == expected.verdict
        assert found.weights.tolist() == expected.weights.tolist()
    assert minimum_errors(table).upper == minimum_errors(X, FRAME.pays).upper == 0.0


def test_what_cannot_be_used_names_the_way_out():
    table = read_frame(FRAME, "pays")
    for call in (separability, minimum_errors):
        with pytest.raises(InputError, match="brings its own labels"):
            call(table, FRAME.pays)
        with pytest.raises(InputError, match=r"read_frame\(frame, 'pays'\)"):
            call(FRAME, "pays")
        with pytest.raises(InputError, match="labels y are missing"):
            call(FRAME[["age"]])
        with pytest.raises(InputError, match="row 2 of the data frame lacks a value"):
            call(FRAME[["age"]].assign(b=[True, False, None] + [True] * 5), FRAME.pays)
        with pytest.raises(InputError, match=r'judge\(table, multiclass="ova"\)'):
            call(read_classes_of_frame(FRAME.assign(pays=list("abcabcab")), "pays"))


def table_of(n=40, d=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    return X, (rng.random(n) < 0.4).astype(int)


@pytest.fixture
def small_ones_too(monkeypatch):
    monkeypatch.setattr(constraint_generation, "LARGE", 0)


@pytest.mark.parametrize("x0", [0.0, 1.0])
@pytest.mark.usefixtures("small_ones_too")
def test_rows_in_general_position_have_a_proven_line(x0):
    X, y = table_of()
    found = separability(X, y, fit_intercept=bool(x0))
    assert found.verdict == "separable"
    assert found.verify(X, y)
    assert found.rank == 40
    scores = np.sign(y - 0.5) * (X @ np.array(found.line[1:], dtype=float) + float(found.line[0]))
    size = np.frexp(np.abs(np.column_stack((np.full(40, x0), X))).max(axis=1))[1]
    assert scores == pytest.approx(np.ldexp(1.0, size), rel=1e-6)


@pytest.mark.usefixtures("small_ones_too")
def test_dependent_rows_are_decided_as_others_are():
    X, y = table_of()
    X[1], y[0], y[1] = X[0], 0, 1
    assert interpolating_line(SignedRows(read_arrays(X, y))) is None
    found = separability(X, y)
    assert found.separable is False
    assert found.refusal.rows == (0, 1)


@pytest.mark.usefixtures("small_ones_too")
def test_a_line_is_only_taken_where_every_sign_is_right():
    X, y = table_of()
    X[1] = X[0] * (1.0 + 2.0**-50)
    y[0], y[1] = 0, 1
    found = separability(X, y)
    assert found.verify(X, y)
    assert found.verdict == "separable"
