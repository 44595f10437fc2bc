"""Exact conditional tests against every arrangement of the labels, and against Fisher's test."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import fisher_exact
from scipy.stats.contingency import odds_ratio

from separatrix import InputError
from separatrix.data import read_arrays
from separatrix.inference.coefficient_table import method_named
from separatrix.inference.conditional_law import Grid
from separatrix.inference.exact_conditional import exact_tests
from separatrix.scale import Rows


def arranged(X, y, j):
    """T_j of every y that has the other sums of the rows (and as many ones), by enumeration."""
    n, d = X.shape
    others = [k for k in range(d) if k != j]
    goal = X[y == 1][:, others].sum(axis=0).tolist()
    found = []
    for ones in combinations(range(n), int(y.sum())):
        rows = X[list(ones)]
        if rows[:, others].sum(axis=0).tolist() == goal:
            found.append(int(rows[:, j].sum()))
    return found, int(X[y == 1][:, j].sum())


def share(found, holds):
    return Fraction(sum(map(holds, found)), len(found))


def probability_p(found, t):
    times = {k: found.count(k) for k in set(found)}
    return share(found, lambda k: times[k] <= times[t])


def test_every_p_is_that_of_all_permutations_on_40_tables():
    rng = np.random.default_rng(7)
    tables = degenerate = 0
    while tables < 40:
        n, d = int(rng.integers(4, 13)), int(rng.integers(1, 4))
        X, y = rng.integers(0, 2, (n, d)).astype(float), rng.integers(0, 2, n)
        if y.min() == y.max():
            continue
        tables += 1
        for j in range(d):
            found, t = arranged(X, y, j)
            sample = read_arrays(X, y)
            if len(set(found)) == 1:
                degenerate += 1
                with pytest.raises(InputError, match=r"no exact test of x"):
                    exact_tests(sample, columns=[j + 1])
                continue
            (test,) = exact_tests(sample, columns=[j + 1])
            mean = Fraction(sum(found), len(found))
            here = share(found, lambda k, t=t: k == t)
            p = probability_p(found, t)
            far = share(found, lambda k, t=t, m=mean: abs(k - m) >= abs(t - m))
            assert (test.p, test.mid_p) == (p, p - here / 2)
            assert (test.score_p, test.score_mid_p) == (far, far - here / 2)
            assert test.p_less == share(found, lambda k, t=t: k <= t)
            assert test.p_greater == share(found, lambda k, t=t: k >= t)
            spread = sum((k - mean) ** 2 for k in found) / len(found)
            assert test.score == (t - mean) ** 2 / spread
            check_roots(test, found, t)
    assert degenerate > 2


def check_roots(test, found, t):
    """Each end, put into the law again, leaves its tail."""

    def tail(b, holds):
        weights = [math.exp(b * (k - t)) for k in found]
        return sum(w for w, k in zip(weights, found, strict=True) if holds(k)) / sum(weights)

    assert (test.lower == -math.inf) == (t == min(found))
    assert (test.upper == math.inf) == (t == max(found))
    if math.isfinite(test.lower):
        assert tail(test.lower, lambda k: k >= t) == pytest.approx(0.025, rel=1e-9)
    if math.isfinite(test.upper):
        assert tail(test.upper, lambda k: k <= t) == pytest.approx(0.025, rel=1e-9)
    if math.isfinite(test.estimate):
        b = test.estimate
        weights = [math.exp(b * k) for k in found]
        mean = sum(w * k for w, k in zip(weights, found, strict=True)) / sum(weights)
        assert mean == pytest.approx(t, abs=1e-9)
    else:
        holds = (lambda k: k >= t) if test.estimate > 0 else (lambda k: k <= t)
        assert tail(test.median_unbiased, holds) == pytest.approx(0.5, rel=1e-9)
    for least, most in test.odds_ratios.values():
        assert 0 < least < most < least * (1 + Fraction(1, 10**4))


@pytest.mark.parametrize("counts", [(3, 1, 1, 3), (7, 2, 3, 11), (0, 5, 4, 2), (40, 25, 30, 31)])
def test_one_binary_column_is_fishers_test(counts):
    X = np.repeat([1.0, 1.0, 0.0, 0.0], counts)[:, None]
    y = np.repeat([1, 0, 1, 0], counts)
    (test,) = exact_tests(read_arrays(X, y))
    table = np.reshape(counts, (2, 2))
    assert float(test.p) == pytest.approx(fisher_exact(table)[1], rel=1e-12)
    theirs = odds_ratio(table)
    ends = theirs.confidence_interval()
    assert math.exp(test.estimate) == pytest.approx(theirs.statistic, rel=1e-9)
    assert math.exp(test.lower) == pytest.approx(ends.low, rel=1e-9)
    assert math.exp(test.upper) == pytest.approx(ends.high, rel=1e-9)


def test_a_weight_of_k_is_k_rows_and_part_of_a_row_is_refused():
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([0, 0, 1, 1])
    weighed = exact_tests(read_arrays(X, y, [5, 1, 2, 7]))
    long = exact_tests(read_arrays(np.repeat(X, [5, 1, 2, 7], axis=0), np.repeat(y, [5, 1, 2, 7])))
    assert weighed == long
    with pytest.raises(InputError, match=r"sample_weight is 0.5 in row 2"):
        exact_tests(read_arrays(X, y, [1, 1, 0.5, 1]))


def test_units_of_a_column_change_its_coefficient_alone():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 5, (14, 2)).astype(float), rng.integers(0, 2, 14)
    tenths = X / 10 + 0.3  # no such decimal is a double: sums of them tie all the same
    a, b = (exact_tests(read_arrays(points, y), columns=[1])[0] for points in (X, tenths))
    assert (a.p, a.score_p, b.step) == (b.p, b.score_p, Fraction(1, 10))
    assert b.estimate == pytest.approx(10 * a.estimate, rel=1e-9)
    assert Grid.of([0.1 + 0.2], shift=False).step != Fraction(3, 10)


def test_the_intercept_given_the_columns_and_lines_through_the_origin():
    rng = np.random.default_rng(5)
    X, y = rng.integers(-1, 3, (11, 2)).astype(float), rng.integers(0, 2, 11)
    for x0, columns in ((1.0, [0]), (0.0, [1, 2])):
        tests = exact_tests(replace(read_arrays(X, y), x0=x0), columns)
        for test in tests:
            whole = np.c_[np.ones(11), X] if x0 else np.c_[np.zeros(11), X]
            others = [k for k in range(3) if k != test.column]
            found = []
            for code in range(2**11):
                v = np.array([code >> i & 1 for i in range(11)], float)
                if (v @ whole[:, others] == y @ whole[:, others]).all():
                    found.append(int(v @ whole[:, test.column]))
            t = int(y @ whole[:, test.column])
            assert test.p == probability_p(found, t)
    with pytest.raises(InputError, match="no intercept"):
        exact_tests(replace(read_arrays(X, y), x0=0.0), [0])


def test_refused_with_the_reason():
    rng = np.random.default_rng(2)
    y = np.arange(10) % 2
    with pytest.raises(InputError, match=r"x1: its conditional law is degenerate.* x2 has 10 val"):
        exact_tests(read_arrays(np.c_[y // 1.0 + rng.random(10), rng.normal(size=10)], y))
    with pytest.raises(InputError, match=r"dose: its conditional law is degenerate"):
        exact_tests(read_arrays(np.c_[np.arange(10) % 3, rng.random(10)], y), names=["dose", "age"])
    y = np.arange(60) % 2
    points, many = np.c_[rng.integers(0, 2, 60), rng.random(60)], r"limit is 1,000\. .* age has 60 "
    with pytest.raises(InputError, match=many):
        exact_tests(read_arrays(points, y), names=["dose", "age"], most_points=1000, columns=[1])
    with pytest.raises(InputError, match=r"support points with each of 1 partial sums"):
        exact_tests(read_arrays(rng.normal(size=(60, 1)), y))
    with pytest.raises(InputError, match=r"x1: the column is constant"):
        exact_tests(read_arrays(np.ones((60, 1)), y))


def test_more_rows_than_asked_are_within_the_limits():
    rng = np.random.default_rng(1)
    for n, d in ((1600, 1), (400, 2), (200, 3), (100, 4)):
        X, y = rng.integers(0, 2, (n, d)).astype(float), rng.integers(0, 2, n)
        (test,) = exact_tests(read_arrays(X, y), columns=[d])
        assert sum(test.law.counts.values()) > 1
        assert test.lower < test.median_unbiased < test.upper


def test_as_a_method_of_the_table():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (20, 2)).astype(float), rng.integers(0, 2, 20)
    sample = read_arrays(X, y)
    one, two = exact_tests(sample)
    exact, rows = method_named("exact"), Rows.of(sample)
    found = exact(rows, 0.95, {})
    assert found.p.tolist()[1:] == [float(one.p), float(two.p)]
    assert found.estimate[1:].tolist() == [one.estimate, two.estimate]
    assert np.isnan(found.estimate[0])
    chosen = exact(rows, 0.95, {"columns": [2], "names": ["a", "b"]})
    assert np.isnan(chosen.p[1])
    assert (chosen.lower[2], chosen.upper[2]) == (two.lower, two.upper)
    assert f"b: exact p {two.p} = {float(two.p):.6g}" in chosen.notes[-1]
