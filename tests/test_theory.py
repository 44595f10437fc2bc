"""Bounds on E_out: their formulas, their coverage on draws whose E_out is known, their refusals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from separatrix import InputError, Perceptron, learning_curve, vc_bound
from separatrix.theory import (
    clopper_pearson,
    compression_bound,
    leave_one_out_bound,
    online_to_batch_bound,
    vc_dimension,
)


def test_omega_is_the_lectures_formula():
    n, d, delta = 1000, 2, 0.1
    written = math.sqrt(8 / n * math.log(4 * ((2 * n) ** (d + 1) + 1) / delta))
    assert vc_bound(n, d, delta) == pytest.approx(written, rel=1e-14)
    through_origin = math.sqrt(8 / n * math.log(4 * ((2 * n) ** d + 1) / delta))
    assert vc_bound(n, d, delta, fit_intercept=False) == pytest.approx(through_origin, rel=1e-14)
    assert vc_dimension(2) == 3


def test_omega_does_not_overflow_and_shrinks_with_rows():
    assert math.isfinite(vc_bound(10**6, 10**5))
    assert vc_bound(10**9, 2, 0.05) < 0.001 < vc_bound(10**6, 2, 0.05)


@given(st.integers(0, 40), st.integers(1, 40), st.sampled_from([0.5, 0.05, 1e-6]))
def test_clopper_pearson_inverts_the_binomial(mistakes, n, delta):
    mistakes = min(mistakes, n)
    lower, upper = clopper_pearson(mistakes, n, delta)
    assert 0.0 <= lower <= mistakes / n <= upper <= 1.0
    if mistakes < n:
        assert binom.cdf(mistakes, n, upper) == pytest.approx(delta / 2, rel=1e-9)
    if mistakes > 0:
        assert binom.sf(mistakes - 1, n, lower) == pytest.approx(delta / 2, rel=1e-9)


def test_compression_without_mistakes_is_its_closed_form():
    n, k, delta = 50, 4, 0.05
    written = 1 - (delta / ((n + 1) * math.comb(n, k))) ** (1 / (n - k))
    assert compression_bound(n, k, 0, delta) == pytest.approx(written, rel=1e-12)


@pytest.mark.parametrize("support", [0, 3, 20])
def test_compression_with_mistakes_inverts_the_binomial(support):
    n, mistakes, delta = 60, 5, 0.05
    bound = compression_bound(n, support, mistakes, delta)
    level = delta / ((n + 1) * math.comb(n, support))
    assert binom.logcdf(mistakes, n - support, bound) == pytest.approx(math.log(level), rel=1e-8)


def test_where_the_tail_underflows_the_bound_is_above_the_exact_one():
    n, support, mistakes = 4000, 400, 300  # C(4000, 400) is about 1e563
    bound = compression_bound(n, support, mistakes)
    level = (
        math.log(0.05) - math.log(n + 1) - (math.lgamma(n + 1) - math.lgamma(support + 1)
        - math.lgamma(n - support + 1))
    )  # fmt: skip
    assert binom.logcdf(mistakes, n - support, bound) <= level
    assert bound < 0.6


def test_a_support_of_all_rows_bounds_nothing():
    assert compression_bound(10, 10) == 1.0
    assert leave_one_out_bound(10, 10) == 1.0


@pytest.mark.parametrize("visit", ["cyclic", "naive"])
def test_pla_run_again_on_its_support_alone_gives_the_same_line(visit):
    # what makes the support a compression of the sample
    random = np.random.default_rng(3)
    X = random.integers(-4, 5, size=(60, 3)).astype(float)
    s = X @ [1.0, -2.0, 1.0] + 0.5
    y = np.sign(s)
    whole = Perceptron(visit=visit, max_iter=None).fit(X, y)
    support = whole.counts_ > 0
    again = Perceptron(visit=visit, max_iter=None).fit(X[support], y[support])
    assert again.n_updates_ == whole.n_updates_
    assert again.coef_.tolist() == whole.coef_.tolist()


def test_leaving_one_out_makes_at_most_as_many_mistakes_as_the_support_has_rows():
    random = np.random.default_rng(5)
    X = random.integers(-4, 5, size=(25, 2)).astype(float)
    y = np.sign(X @ [2.0, -1.0] + 0.5)
    whole = Perceptron(max_iter=None).fit(X, y)
    wrong = 0
    for n in range(len(X)):
        rest = np.arange(len(X)) != n
        line = Perceptron(max_iter=None).fit(X[rest], y[rest])
        wrong += y[n] * line.decision_function(X[n : n + 1])[0] <= 0
    assert 0 < wrong <= (whole.counts_ > 0).sum()
    assert wrong / len(X) <= leave_one_out_bound(len(X), int((whole.counts_ > 0).sum()))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: vc_bound(0, 2), "n=0 must be a whole number, 1 or more"),
        (lambda: vc_bound(10, -1), "d=-1"),
        (lambda: vc_bound(10, 2, 1.0), "delta=1.0"),
        (lambda: vc_bound(10, 2, float("nan")), "delta=nan"),
        (lambda: vc_bound(10.5, 2), "n=10.5"),
        (lambda: clopper_pearson(3, 2), "count 3 .* rows, 2,"),
        (lambda: clopper_pearson(0, 0), "rows, 0, which must be at least 1"),
        (lambda: compression_bound(5, 6), "count 6 .* rows, 5,"),
        (lambda: compression_bound(5, 3, 3), "count 3 .* rows, 2,"),
        (lambda: learning_curve(3, 4), "must be 5 or more"),
        (lambda: learning_curve(9, 4, -1.0), "noise_variance=-1.0"),
    ],
)
def test_what_cannot_be_is_refused_by_name(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_online_to_batch_is_the_share_of_mistakes_and_a_deviation():
    """Proposition 1 of Cesa-Bianchi, Conconi & Gentile (2004)."""
    for mistakes in (0, 30, 200):
        written = mistakes / 200 + math.sqrt(2 / 200 * math.log(20))
        assert online_to_batch_bound(200, mistakes, 0.05) == pytest.approx(written)
    with pytest.raises(InputError):
        online_to_batch_bound(10, 11)
