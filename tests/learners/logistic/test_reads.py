"""Logistic regression of any source of rows: certified, the same bytes for blocks of any size."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_sample_weight

from separatrix import InputError, LogisticRegression, NoFiniteOptimumWarning
from separatrix.data import Sample, SeparatrixWarning, read_arrays
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners.least_squares import least_squares
from separatrix.learners.logistic import cross_entropy as room
from separatrix.learners.logistic.newton import Read
from separatrix.scale import ArraySource, Rows
from separatrix.tiles import TILE
from tests.hostile.profile import examples

D = 5
FEW_NUMBERS = 1 << 16
N = FEW_NUMBERS // (D + 2) + 1001
SIZES = (TILE, 2 * TILE, 64 * TILE)


@pytest.fixture(autouse=True)
def few_numbers(monkeypatch):
    """Let tables of some tiles be too large to be read whole, and for the careful method."""
    monkeypatch.setattr(least_squares, "FEW_NUMBERS", FEW_NUMBERS)
    monkeypatch.setattr(room, "SMALL", FEW_NUMBERS // 2)


def drawn(n=N, d=D, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (3.0 * rng.normal(size=(n, d)) + 1.0).astype(dtype)
    scores = X @ rng.normal(size=d) - 0.7 + 2.0 * rng.logistic(size=n)
    return X, np.where(scores > 0.0, "yes", "no")


def in_blocks(X, y, weight=None, rows=TILE, memory=None):
    sample = read_arrays(X, y, weight)
    sample = replace(sample, X=X)  # float32 stays
    return Rows(ArraySource(sample), rows_in_block=rows, memory=memory)


def cross_entropy(model, X, y, weight=1.0):
    """Return the sum of errors and the penalty of a model."""
    a = np.where(y == "yes", 1.0, -1.0) * (X @ model.coef_[0] + model.intercept_[0])
    return (weight * np.logaddexp(0.0, -a)).sum() + 0.5 * (model.coef_**2).sum() / model.C


OPTIONS = [
    {}, {"C": 1e-3}, {"fit_intercept": False}, {"class_weight": "balanced"},
    {"class_weight": {"yes": 3.0}, "init": [0.5, 1.0, 0.0, 0.0, -1.0, 0.0]},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_memory_and_blocks_of_three_sizes_give_the_same_bytes(options, monkeypatch):
    X, y = drawn()
    weight = np.random.default_rng(1).integers(0, 3, N) * 1.0
    inside = LogisticRegression(tol=1e-12, **options).fit(X, y, weight)
    fits = [LogisticRegression(**options).fit(in_blocks(X, y, weight, rows)) for rows in SIZES]
    for threads in "123":
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        fits.append(LogisticRegression(**options).fit(X, y, weight))
    for of_fit in (
        lambda fit: fit.coef_.tobytes() + fit.intercept_.tobytes(),
        lambda fit: fit.standard_errors_.tobytes(),
        lambda fit: (fit.n_iter_, str(fit.stopped_)),
    ):
        assert len({of_fit(fit) for fit in fits}) == 1
    fit = fits[0]
    assert fit.n_iter_ <= 4
    assert fit.certificate_.gap <= 1e-8
    assert str(fit.stopped_) == "the certified gap reached tol"
    factors = compute_sample_weight(options.get("class_weight"), y)
    least = cross_entropy(inside, X, y, weight * factors)
    above = cross_entropy(fit, X, y, weight * factors) - least
    assert -1e-11 * least <= above <= 1e-8 * least
    np.testing.assert_allclose(fit.standard_errors_, inside.standard_errors_, rtol=1e-4)
    assert fit.certificate_.verify(in_blocks(X, y, weight))
    elsewhere = replace(fit.certificate_.place, c=fit.certificate_.place.c + 0.1)
    assert not replace(fit.certificate_, place=elsewhere).verify(in_blocks(X, y, weight))


def test_the_gap_is_an_upper_bound():
    X, y = drawn()
    table = in_blocks(X, y)
    fit = LogisticRegression(tol=1e-3).fit(table)
    best = cross_entropy(LogisticRegression(tol=1e-13).fit(X, y), X, y)
    place = replace(fit.certificate_.place, before=None, step=None)
    for shift in (0.003, 0.03, 0.3):
        at = Read.of(table, replace(place, c=place.c + shift))
        step = np.linalg.solve(at.hessian, -at.gradient)
        later = Read.of(table, at.place.moved(1.0, at.place.c, step))
        assert later.value - best <= later.gap * later.value + 1e-9
        halfway = Read.of(table, at.place.moved(0.5, at.place.c, step))
        assert halfway.value - best <= halfway.gap * halfway.value + 1e-9
        assert not halfway.gap < later.gap


@examples(4)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 9), mean=st.sampled_from([0.0, 1e4, 1e8]))
def test_columns_far_from_zero(seed, d, mean):
    X, y = drawn(FEW_NUMBERS // (d + 2) + 99, d, seed)
    moved = LogisticRegression().fit(in_blocks(X + mean, y))
    assert moved.certificate_.gap <= 1e-8
    np.testing.assert_allclose(moved.coef_, LogisticRegression().fit(X, y).coef_, atol=1e-3)


def test_rare_and_sorted_rows():
    X, y = drawn()
    order = np.argsort(X[:, 0])
    X, y = np.ascontiguousarray(X[order]), y[order]
    fit = LogisticRegression().fit(in_blocks(X, y))
    assert fit.certificate_.gap <= 1e-8
    y = np.where(np.arange(N) % 2999 == 500, "yes", "no")  # in no run that the start is found from
    fit = LogisticRegression().fit(in_blocks(X, y))
    assert fit.certificate_.gap <= 1e-8
    least = cross_entropy(LogisticRegression(tol=1e-12).fit(X, y), X, y)
    assert cross_entropy(fit, X, y) <= least * (1.0 + 1e-8)


@pytest.mark.parametrize("touching", [False, True])
def test_without_an_optimum_the_limit_is_taken_and_proven(touching):
    X, y = drawn()
    if touching:
        X[:, 4] = X[:, 3] > 10.0
        y[X[:, 4] == 1.0] = "yes"
    else:
        y = np.where(X[:, 0] > 1.5, "yes", "no")
    fits = []
    for rows in SIZES[1:]:
        with pytest.warns(NoFiniteOptimumWarning, match=r"x5 \(\+\)\." if touching else "x1 "):
            fits.append(LogisticRegression().fit(in_blocks(X, y, rows=rows, memory="512MB")))
    assert fits[0].coef_.tobytes() == fits[1].coef_.tobytes()
    assert fits[0].certificate_.verdict == ("touching" if touching else "separable")
    assert np.isnan(fits[0].standard_errors_).all()
    del fits[0].feature_names_in_
    if touching:
        rest = X[:, 4] == 0.0
        undecided = LogisticRegression().fit(X[rest, :4], y[rest])
        np.testing.assert_allclose(fits[0].coef_[0, :4], undecided.coef_[0], rtol=1e-3)
        p = undecided.predict_proba(X[rest, :4])
        np.testing.assert_allclose(fits[0].predict_proba(X[rest]), p, atol=1e-4)
        assert (fits[0].predict_proba(X[~rest])[:, 1] == 1.0).all()
    else:
        assert "separable" in str(fits[0].stopped_)
        assert (fits[0].predict(X) == y).all()
    assert LogisticRegression(C=1.0).fit(in_blocks(X, y)).certificate_.gap <= 1e-8


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_collinear_columns_share_their_weights_or_are_left_out(fit_intercept):
    X, y = drawn()
    X[:, 3], X[:, 4] = 2.0 * X[:, 2], 0.0
    learner = LogisticRegression(fit_intercept=fit_intercept)
    inside = learner.fit(X, y)
    coef, errors = inside.coef_, inside.standard_errors_
    fits = [learner.fit(in_blocks(X, y, rows=rows)).coef_ for rows in SIZES[1:]]
    assert len({fit.tobytes() for fit in fits}) == 1
    np.testing.assert_allclose(learner.coef_, coef, rtol=1e-3)
    np.testing.assert_allclose(learner.standard_errors_, errors, rtol=1e-3)
    assert learner.intercept_[0] == 0.0 or fit_intercept
    assert learner.certificate_.verify(in_blocks(X, y))
    X[:, 3] *= 1.0 + 1e-15 * np.random.default_rng(0).normal(size=N)
    with pytest.warns(SeparatrixWarning, match="left out"):
        learner.fit(in_blocks(X, y))
    assert learner.collinear_ == {4: (3,)}
    assert learner.coef_[0, 3] == 0.0
    assert "of the other columns" in str(learner.stopped_)


def test_what_it_does_not_reach_it_says():
    X, y = drawn()
    with pytest.warns(NotConvergedWarning, match="Raise max_iter"):
        fit = LogisticRegression(max_iter=1, init=np.full(D + 1, 0.1), tol=1e-15).fit(
            in_blocks(X, y)
        )
    assert fit.n_iter_ == 1
    with pytest.raises(InputError, match="must be positive"):
        LogisticRegression(C=-1.0).fit(in_blocks(X, y))
    with pytest.raises(InputError, match="holds numbers"):
        LogisticRegression().fit(Rows(ArraySource(Sample(X, X[:, 0], None, np.ones(N)))))


def test_a_small_table_is_read_whole():
    X, y = drawn(900, 2, dtype=np.float32)
    fit = LogisticRegression().fit(in_blocks(X, y))
    assert fit.coef_.tobytes() == LogisticRegression().fit(X, y).coef_.tobytes()
    assert fit.certificate_.verify(X, y)
    assert "x1" in fit.summary().to_text()
