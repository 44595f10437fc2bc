"""Logistic regression from samples of many rows, against plain Newton."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import LogisticRegression, NoFiniteOptimumWarning, Stopped
from separatrix.learners.logistic import (
    cross_entropy,
    objective,
    subsampled,
)
from tests.learners.logistic.newton import same_as_naive, table


@pytest.mark.parametrize("C", [np.inf, 1.0, 1e-4, 1e9])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_samples_lead_to_the_optimum_of_all_rows(methods, C, intercept, kind):
    X, y = table(0)
    fit = same_as_naive(kind(X), y, C=C, intercept=intercept)
    assert fit.n_iter_ <= 6  # reads of all rows: the samples' Hessian stands for that of all
    assert methods == ["subsampled"]


def test_the_gap_from_sampled_rows_is_proven_in_exact_arithmetic(methods):
    X, y = table(1, n=600, d=2)
    for C in (np.inf, 1.0):
        fit = LogisticRegression(C=C).fit(X, y)
        assert fit.certificate_.verify(X, y, tol=fit.certificate_.gap)
        assert 0.0 <= fit.certificate_.proven_gap(X, y) <= fit.certificate_.gap * (1 + 1e-6) + 1e-14
    assert methods == ["subsampled"] * 2


def test_units_and_offsets_do_not_matter(methods):
    X, y = table(2)
    plain = same_as_naive(X, y)
    scale = 10.0 ** np.array([-4, -2, 0, 2, 4])
    scaled = same_as_naive(X * scale, y)
    assert scaled.n_iter_ == plain.n_iter_
    far = LogisticRegression(tol=1e-10).fit(X * 10.0 ** np.array([-150, -75, 0, 75, 150.0]), y)
    assert far.stopped_ is Stopped.CERTIFIED
    same_as_naive(X + 1000.0, y)
    assert methods == ["subsampled"] * 4


def test_sorted_rows_rare_classes_and_weights_do_no_harm(methods):
    X, y = table(3)
    order = np.argsort(y, kind="stable")
    same_as_naive(X[order], y[order])
    rare = np.where(X[:, 0] + np.random.default_rng(3).logistic(size=len(y)) > 6.0, 1, 0)
    assert 10 < rare.sum() < 60
    same_as_naive(X, rare, C=10.0)
    k = np.random.default_rng(4).integers(0, 4, len(y))
    weighted = same_as_naive(X, y, k)
    copies = same_as_naive(np.repeat(X, k, axis=0), np.repeat(y, k))
    assert weighted.coef_ == pytest.approx(copies.coef_, abs=1e-5)
    same_as_naive(X, y, 10.0 ** np.random.default_rng(5).uniform(-6, 6, len(y)))
    assert methods == ["subsampled"] * 5


def test_a_dummy_that_is_constant_in_the_samples_is_left_to_all_rows(methods):
    X, y = table(6)
    dummy = np.zeros((len(y), 1))
    dummy[[5, 9, 4000]] = 1.0
    y[[5, 9, 4000]] = [0, 1, 1]
    same_as_naive(np.hstack((X, dummy)), y)
    assert methods == ["newton", "subsampled"]


def test_separable_rows_cost_no_reads_of_all_of_them(methods, monkeypatch):
    """A million rows took sixty reads, and Newton's steps on all of them, before it was asked."""
    X, _ = table(19, n=20_000, d=3)
    gap = np.sign(X.sum(axis=1) - 0.5)
    X += gap[:, None]
    reads = []
    read = objective.TiledRows.at
    monkeypatch.setattr(
        objective.TiledRows, "at", lambda rows, w: reads.append(rows.sigma.size) or read(rows, w)
    )
    with pytest.warns(NoFiniteOptimumWarning):
        fit = LogisticRegression().fit(X, gap)
    assert fit.stopped_ is Stopped.SEPARABLE
    assert fit.certificate_.verify(X, gap)
    assert (fit.predict(X) == gap).all()
    assert len(reads) > 0
    assert max(reads) < len(gap)
    assert methods == ["subsampled"]


@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_coarse_rows_lead_to_the_optimum_and_outliers_are_left_to_the_exact_ones(
    methods, monkeypatch, C, intercept
):
    monkeypatch.setattr(subsampled, "LONG", 1)
    X, y = table(18, n=900, d=29, strength=0.3)
    approached, approach = [], subsampled.approached
    monkeypatch.setattr(
        subsampled, "approached", lambda *a: approached.append(approach(*a)) or approached[-1]
    )
    same_as_naive(X * 10.0 ** np.linspace(-4, 4, 29), y, C=C, intercept=intercept)
    X[7, 3], X[8, 4] = 40.0, -40.0  # cut off in the coarse copy
    same_as_naive(X, y, C=C, intercept=intercept)
    assert methods == ["subsampled"] * 2
    assert len(approached) == 2


@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("wide", [10**9, 1])
@pytest.mark.usefixtures("methods")
def test_threads_do_not_change_a_byte(monkeypatch, C, wide):
    monkeypatch.setattr(cross_entropy, "WIDE", wide)
    X, y = table(17, n=20_000)
    for rows in (X, sp.csr_array(X)):
        digests = set()
        for threads in ("1", "2", "3"):
            monkeypatch.setenv("OMP_NUM_THREADS", threads)
            fit = LogisticRegression(C=C).fit(rows, y)
            digests.add(
                fit.coef_.tobytes() + fit.certificate_.weights.tobytes()
                + fit.standard_errors_.tobytes()
            )  # fmt: skip
        assert len(digests) == 1


@pytest.mark.parametrize("seed", [2, 3, 20, 36])
def test_a_column_that_diverges_has_no_finite_optimum_however_flat_the_value_is(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 9))
    n = int(rng.integers(140_000 // (d + 1), 900_000 // (d + 1)))
    rate = 10 ** rng.uniform(-3.2, -1.3)
    X = rng.normal(size=(n, d))
    X[:, -1] = rng.random(n) < rate
    y = np.where(X[:, 0] + rng.logistic(size=n) > rng.uniform(-1, 1.5), 1, -1)
    y[X[:, -1] > 0] = 1
    with pytest.warns(NoFiniteOptimumWarning):
        LogisticRegression().fit(X, y)
