"""Verdicts whose answer is known: by construction, by counting, by another method."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix.certificates import mistake_bound
from separatrix.data import InputError
from separatrix.separation.decide import separability
from tests.hostile.profile import examples
from tests.separation import oracle
from tests.separation.checks import check
from tests.strategies import labelled_grids, planted_lines, planted_refusals

rng = np.random.default_rng


@pytest.mark.parametrize("inputs", [(0, 1), (-1, 1)])
@pytest.mark.parametrize(("d", "separable"), [(2, 12), (3, 102)])
def test_boolean_functions(d, separable, inputs):
    X = np.array(list(itertools.product(inputs, repeat=d)), dtype=float)
    count = 0
    for labels in itertools.product((-1, 1), repeat=2**d):
        if len(set(labels)) == 2:
            count += check(X, labels).separable
    assert count == separable


@given(labelled_grids(), st.booleans())
@examples(250)
def test_three_verdicts_agree_with_elimination(table, fit_intercept):
    X, y = table
    rows = oracle.signed(X, y, fit_intercept)
    check(X, y, oracle.verdict(rows), fit_intercept=fit_intercept)


@given(labelled_grids(max_rows=6), st.booleans())
@examples(120)
def test_diverging_and_aliased_agree_with_their_definition(table, fit_intercept):
    X, y = table
    found = separability(X, y, fit_intercept=fit_intercept)
    rows = oracle.signed(X, y, fit_intercept)
    assert (found.diverging, found.aliased) == oracle.diverging(rows, fit_intercept)
    assert found.verify(X, y)


@given(planted_lines())
@examples(60)
def test_a_planted_line_is_found_and_bounds_the_margin(planted):
    X, y, w = planted
    if len(set(y)) < 2:
        return
    found = check(X, y, "separable")
    scores = oracle.scores(X, y, w, 1.0)
    rho_squared = min(scores) ** 2 / sum(Fraction(a) ** 2 for a in w)
    assert rho_squared <= Fraction(found.margin[1]) ** 2
    assert mistake_bound(X, y, w) == math.floor(found.radius_squared / rho_squared)


@given(planted_refusals())
@examples(60)
def test_a_planted_refusal_is_found(planted):
    check(*planted).verify(*planted)
    assert separability(*planted).separable is False


@given(labelled_grids(), st.randoms(use_true_random=False), st.integers(-40, 40))
@examples(60)
def test_the_verdict_does_not_depend_on_order_scale_or_names(table, random, exponent):
    X, y = table
    verdict = separability(X, y).verdict
    order = list(range(len(y)))
    random.shuffle(order)
    assert separability(X[order], y[order]).verdict == verdict
    assert separability(X, -y).verdict == verdict
    scales = 2.0 ** np.array([exponent * (-1) ** j for j in range(X.shape[1])])
    assert separability(X * scales, y).verdict == verdict
    assert separability(sp.csr_array(X), y).verdict == verdict


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
    for seed in range(3):
        X, y = near_the_plane(margin, d, seed)
        check(X, y)  # whatever the verdict, it is proven
        found = separability(X, y)
        X, y = near_the_plane(-margin, d, seed)
        wrong = check(X, y)
        assert found.separable is True or margin < 1e-13
        assert wrong.verdict in ("separable", "overlapping")


def test_an_exact_margin_of_1e_minus_12_and_an_exact_overlap():
    tiny = 2.0**-40
    X = np.array([[0.0, 1.0], [1.0, tiny], [-1.0, -tiny], [0.5, -1.0], [1.0, 3.0]])
    y = np.array([1, 1, -1, -1, 1])
    check(X, y, "separable")
    X = np.array([[0.0, tiny], [1.0, tiny], [0.5, tiny / 2], [0.5, tiny * 2]])
    check(X, [1, 1, -1, 1], "separable")
    check(X, [1, 1, 1, -1], "separable")
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, tiny], [0.5, -tiny]])
    check(X, [1, 1, -1, -1], "overlapping")
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, tiny], [0.5, 0.0]])
    check(X, [1, 1, -1, -1], "touching")
    big = np.array([[1e16, 1.0], [1e16 + 2, 1.0], [1e16 + 4, 1.0]])
    check(big, [1, -1, 1], "overlapping")
    check(big, [1, 1, -1], "separable")


SCALES = [[1e150, 1e-150, 1.0, 1e6, 1e-3], [1e300, 1e-300, 1e-150, 1.0, 1e307], [5e-324] * 5]


@pytest.mark.parametrize("scales", SCALES)
def test_scales_from_end_to_end(scales):
    r = rng(1)
    X = r.integers(-4, 5, (60, 5)).astype(float)
    w = np.array([1.0, -2.0, 3.0, 1.0, -1.0])
    y = np.where(X @ w + 0.5 > 0, 1.0, -1.0)
    found = check(X * scales, y, "separable")
    assert found.margin[0] <= found.margin[1]
    assert np.isfinite(found.weights).all()
    X = np.vstack([X, X[:1]])
    check(X * scales, np.append(y, -y[0]))
    assert separability(X * scales, np.append(y, -y[0])).separable is False
    # and the same with the refusal not just a pair
    X = np.vstack([X[:-1], [[0.0] * 5], [[4.0] * 5], [[-4.0] * 5]])
    check(X * scales, np.append(y, [1.0, -1.0, -1.0]))


def test_wide_ranges_inside_one_column():
    X = np.array([[1e300], [1e-300], [-1e-300], [-1e300], [5e-324]])
    check(X, [1, 1, -1, -1, 1], "separable")
    check(X, [1, -1, 1, -1, 1], "overlapping")


def test_collinear_constant_and_duplicated_columns():
    r = rng(2)
    X = r.standard_normal((80, 4))
    y = np.where(X @ [1.0, -1.0, 0.5, 2.0] > 0.1, 1.0, -1.0)
    noisy = y * np.where(np.arange(80) % 11 == 0, -1, 1)
    almost = X[:, 0] * (1 + 1e-8 * r.standard_normal(80))
    for extra in (X[:, 0] + X[:, 1], almost, X[:, 0], np.ones(80), np.zeros(80)):
        wide = np.column_stack([X, extra])
        assert check(wide, y).verdict == "separable"
        assert check(wide, noisy).verdict == "overlapping"
    assert separability(np.column_stack([X, almost]), y).rank == 6
    assert separability(np.column_stack([X, X[:, 0] + X[:, 1]]), y).rank == 6  # rounded sums
    aliased = separability(np.column_stack([X, np.ones(80), X[:, 2], np.zeros(80)]), y)
    assert (aliased.rank, aliased.aliased) == (5, (0, 3, 5, 6, 7))
    assert set(aliased.diverging) == {1, 2, 4}


def test_fewer_rows_than_columns():
    r = rng(3)
    X = r.standard_normal((12, 30))
    y = np.where(r.random(12) < 0.5, 1.0, -1.0)
    assert check(X, y, "separable").rank == 12
    twice = np.vstack([X, X[0]])
    assert check(twice, np.append(y, -y[0]), "touching").rank == 12
    middle = np.vstack([np.round(X, 2) * 2, np.round(X, 2)[0] + np.round(X, 2)[1]])
    labels = np.append(np.ones(2), [*y[2:], -1.0])
    check(middle, labels)


def test_many_more_columns_than_rows():
    r = rng(6)
    X = r.standard_normal((40, 1500))
    y = np.where(r.random(40) < 0.5, 1.0, -1.0)
    found = separability(X, y)
    assert (found.verdict, found.rank, len(found.aliased)) == ("separable", 40, 1501)
    assert found.verify(X, y)
    X = np.vstack([X, X[3]])
    found = separability(X, np.append(y, -y[3]))
    assert (found.verdict, found.rank) == ("touching", 40)
    assert found.verify(X, np.append(y, -y[3]))


def test_the_same_row_with_both_labels():
    X = [[1.0, 2.0], [3.0, -0.0], [3.0, 0.0], [5.0, 5.0]]
    found = check(X, [0, 1, 0, 1])
    assert found.refusal.rows == (1, 2)
    assert found.refusal.multipliers == (1, 1)
    many = np.repeat(np.arange(6.0).reshape(3, 2), 50, axis=0)
    found = check(many, np.tile([0, 1], 75), "overlapping")
    assert len(found.witness.rows) <= 2 * found.rank


def test_rows_of_zeros_refuse_by_themselves_without_an_intercept():
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]]
    found = check(X, [1, 1, 0], "touching", fit_intercept=False)
    assert found.refusal.rows == (0,)
    check([[0.0], [0.0]], [0, 1], "overlapping", fit_intercept=False)
    check([[0.0], [1.0], [1.0]], [0, 0, 1], "overlapping", fit_intercept=False)
    check(X, [1, 1, 0], "separable")


def test_without_an_intercept_cones_meet_rather_than_hulls():
    X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 1.0]])
    assert check(X, [1, 0, 1], "separable").rank == 3  # (2, 2) is outside the hull of the others
    found = check(X, [1, 0, 1], "touching", fit_intercept=False)
    assert found.exact_weights[0] == 0
    assert found.diverging == {1: 1, 2: -1}  # z.w = 0 on (1, 1): w is a multiple of (1, -1)


def test_sparse_tables_get_the_verdict_of_dense_ones():
    r = rng(4)
    X = sp.random_array((120, 15), density=0.2, rng=r, format="csr")
    for labels in (r.random(120) < 0.5, X.toarray().sum(axis=1) > 1.5):
        dense, sparse = separability(X.toarray(), labels), separability(X, labels)
        assert sparse.verdict == dense.verdict
        assert sparse.exact_weights == dense.exact_weights
        assert sparse.witness.multipliers == dense.witness.multipliers
        assert sparse.verify(X, labels)
        assert sparse.verify(X.toarray(), labels)


def test_a_hundred_thousand_rows():
    r = rng(5)
    X = r.standard_normal((100_000, 10))
    s = X @ r.standard_normal(10)
    y = np.where(s > 0, 1.0, -1.0)
    found = separability(X, y)
    assert found.separable
    assert found.verify(X, y)
    y[np.argsort(np.abs(s))[5000]] *= -1
    found = separability(X, y)
    assert found.verdict == "overlapping"
    assert found.verify(X, y)


def test_many_levels_in_more_rows_than_are_solved_at_once():
    rng = np.random.default_rng(0)
    n, levels = 2600, 340
    X = np.zeros((n, levels))
    X[np.arange(n), np.arange(n) % levels] = 1.0
    X = np.column_stack((X[:, 1:], rng.normal(size=n)))
    y = np.where(X[:, -1] + X[:, 5] > 0.1, 1, -1)
    found = separability(X, y)
    assert found.verdict == "separable"
    assert found.verify(X, y)


def test_a_sparse_table_that_does_not_fit_into_memory_is_refused(monkeypatch):
    from separatrix.data import refusals

    monkeypatch.setattr(refusals, "available_memory", lambda: 10_000)
    table = sp.random_array((100, 100), density=0.05, format="csr", random_state=0)
    with pytest.raises(InputError, match="bytes of memory"):
        separability(table, np.tile([0, 1], 50))
