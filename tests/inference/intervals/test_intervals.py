"""Likelihood intervals: reference values, laws over random tables, and where they are infinite."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix.data import InputError
from separatrix.inference.intervals import search
from separatrix.inference.intervals.intervals import quantile
from tests.hostile.profile import cases
from tests.inference.tables import (
    drawn,
    likelihood_intervals,
    likelihood_ratio,
    log_likelihood,
    profile,
    sample_of,
)

Q95 = 3.841458820694124


@pytest.mark.parametrize("seed", range(cases(42, 1000)))
def test_ends_are_where_another_optimiser_finds_the_level(seed):
    sample, _ = drawn(seed)
    found = likelihood_intervals(sample, 1.0)
    assert found.reasons == {}
    for j in range(sample.d + 1):
        if j in found.of.undetermined:
            assert np.isnan(found.of.estimates()[j])
            continue
        low, high = found.lower[j], found.upper[j]
        assert not found.of.estimates()[j] < low
        assert not found.of.estimates()[j] > high
        for end in (low, high):
            if np.isfinite(end):
                reached = profile(sample, 1.0, j, end, found.away)
                fall = 2.0 * (found.of.log_likelihood - reached)
                assert fall == pytest.approx(Q95, abs=1e-6)
        if np.isfinite(found.of.estimates()[j]):
            assert low < found.of.estimates()[j] < high


@pytest.mark.parametrize("seed", range(cases(21, 400)))
def test_infinite_ends_keep_the_likelihood_far_out(seed):
    sample, _ = drawn(seed, ("small", "separated", "rare"))
    found = likelihood_intervals(sample, 1.0)
    for j in set(range(sample.d + 1)) - set(found.of.undetermined):
        for end, way in ((found.lower[j], -1.0), (found.upper[j], 1.0)):
            fall = 2.0 * (found.of.log_likelihood - profile(sample, 1.0, j, way * 3000.0))
            assert (fall <= Q95) == np.isinf(end)


@pytest.mark.parametrize("seed", range(cases(20, 200)))
def test_statistics_of_one_column_and_of_sets(seed):
    sample, _ = drawn(seed, ("noisy", "weighed", "small", "rare"))
    found = likelihood_intervals(sample, 1.0)
    for j in set(range(sample.d + 1)) - set(found.of.undetermined):
        assert likelihood_ratio(sample, 1.0, [j]) == pytest.approx(found.chi2[j], abs=1e-6)
        assert (found.chi2[j] > Q95) == (found.lower[j] > 0.0 or found.upper[j] < 0.0)
    null = log_likelihood(sample, 1.0, [np.log(_odds(sample)), *np.zeros(sample.d)])
    whole = likelihood_ratio(sample, 1.0, range(1, sample.d + 1))
    assert whole == pytest.approx(2.0 * (found.of.log_likelihood - null), abs=1e-6)


def _odds(sample):
    yes = sample.weight[sample.y > 0].sum()
    return yes / (sample.weight.sum() - yes)


def test_without_an_intercept():
    sample = sample_of([[1.0], [2.0], [-1.0], [3.0]], [1, 1, 1, -1])
    found = likelihood_intervals(sample, 0.0)
    assert np.isnan(found.lower[0])
    assert found.lower[1] < found.of.estimates()[1] < found.upper[1]
    assert likelihood_ratio(sample, 0.0, [1]) == pytest.approx(found.chi2[1], abs=1e-9)


def test_columns_collinear_but_for_rounding_are_not_determined():
    rng = np.random.default_rng(5)
    x = rng.standard_normal(200)
    X = np.column_stack((x, 1.8 * x + 32.0, rng.standard_normal(200)))
    found = likelihood_intervals(sample_of(X, np.where(rng.random(200) < 0.5, 1, -1)), 1.0)
    assert len(found.of.undetermined) == 1
    assert found.of.undetermined <= {1, 2}
    assert np.isfinite(found.lower[3])


@pytest.mark.parametrize("x0", [1.0, 0.0])
def test_ends_of_columns_far_from_0_are_decided_and_checked(x0):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((800, 3)).round(2)
    y = np.where(X.sum(axis=1) + rng.logistic(size=800) > 0, 1, -1)
    sample = sample_of(X + 1e5, y)
    found = likelihood_intervals(sample, x0)
    assert found.reasons == {}
    assert found.certificate.holds(replace(sample, x0=x0))
    assert 2 * (3 + x0) == len(found.certificate.claim["ends"])


def test_an_end_that_is_far_out_in_the_units_of_its_column():
    sample = sample_of(np.c_[[2, -2, -2, -2, -1]] * 1e-53, [1, -1, -1, 1, 1])
    found = likelihood_intervals(sample, 1.0)
    assert found.reasons == {}


@pytest.mark.parametrize("level", [0.0, 1.0, 1.5, True, "0.95", float("nan")])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(InputError, match="between 0 and 1"):
        quantile(level)


def long_table(n=8000, d=20, seed=0, shift=0.0):
    """A table long enough for all ends at once."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + shift
    score = (X - shift) @ (rng.standard_normal(d) / np.sqrt(d))
    return sample_of(
        X, np.where(score + rng.logistic(size=n) > 0, 1, -1), 1.0 + rng.integers(0, 3, n)
    )


def test_ends_by_some_rows_are_those_by_all(monkeypatch):
    sample = long_table(n=3000, d=10, shift=5.0)
    monkeypatch.setattr(search, "FEWEST", 500)
    monkeypatch.setattr(search, "CHEAP", 0.0)
    some = likelihood_intervals(sample, 1.0)
    monkeypatch.setattr(search, "FEWEST", sample.n)
    monkeypatch.setattr(search, "CHEAP", np.inf)
    by_all = likelihood_intervals(sample, 1.0)
    assert some.reasons == by_all.reasons == {}
    assert some.lower == pytest.approx(by_all.lower, rel=1e-8, abs=1e-9)
    assert some.upper == pytest.approx(by_all.upper, rel=1e-8, abs=1e-9)
    assert some.chi2 == pytest.approx(by_all.chi2, rel=1e-9, abs=1e-8)
    assert some.certificate.holds(sample)


def test_long_tables_of_rare_levels_and_far_columns_are_decided_too():
    sample = long_table(seed=1)
    X = sample.X.copy()
    X[:, 0] = 0.0
    X[:3, 0] = 1.0  # a rare level
    X[:, 1] += 1e4
    X[:, 2] *= 1e-6
    X[:, 3] = X[:, 0] + X[:, 4]
    found = likelihood_intervals(sample_of(X, sample.y, sample.weight), 1.0)
    assert found.reasons == {}


def test_a_margin_stays_within_what_a_bracket_may_be_wide_where_many_rows_round_more():
    sample = long_table(n=30_000, d=4)
    many = sample_of(sample.X, sample.y, sample.weight * 40.0)
    found = likelihood_intervals(many, 1.0)
    assert found.of.log_likelihood < -1e6
    assert found.reasons == {}
