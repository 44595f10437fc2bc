"""Logistic regression of categories: the optimum of dense columns, the same bytes anywhere."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import LogisticGap, LogisticRegression, NoFiniteOptimumWarning, Stopped
from separatrix.data import read_arrays
from separatrix.learners.least_squares import least_squares
from separatrix.learners.logistic.cross_entropy import by_all_rows, least_cross_entropy
from separatrix.learners.logistic.levels import newton_of_levels
from separatrix.learners.logistic.problem import Problem
from separatrix.scale import ArraySource, Rows, with_constant
from separatrix.scale import rows as room
from separatrix.tiles import TILE
from tests.learners.tables import one_hot_table


def noisy_sample(seed, weight=None, **options):
    X, score, first = one_hot_table(seed, **options)
    noise = np.random.default_rng(seed + 1000).logistic(size=X.shape[0])
    sample = read_arrays(X, (0.4 * score + noise > 0.0).astype(int), weight)
    return replace(sample, X=X), first  # sparse whatever the size


def problem_of(sample, x0=1.0, C=np.inf, tol=1e-10):
    zero = np.zeros(sample.d + 1)
    return Problem(Rows.of(with_constant(sample, x0)), C, tol, 100, zero)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("C", [np.inf, 0.7])
@pytest.mark.parametrize("x0", [1.0, 0.0])
def test_is_the_optimum_of_dense_columns(seed, C, x0):
    weight = np.random.default_rng(seed).integers(1, 4, size=600).astype(float)
    sample, _ = noisy_sample(seed, weight, n=600, baseline=seed % 2 == 0)
    problem = problem_of(sample, x0, C)
    found = newton_of_levels(problem)
    dense = by_all_rows(
        replace(problem, rows=Rows.of(replace(problem.sample, X=sample.X.toarray())))
    )
    assert found.gap <= 1e-10
    assert not found.divergent
    assert not found.doubtful
    assert found.weights == pytest.approx(dense.weights, rel=1e-6, abs=1e-8)
    errors = found.information.standard_errors() if np.inf == C else found.standard_errors
    assert errors == pytest.approx(dense.standard_errors, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_the_gap_is_proven_of_arrays(C):
    sample, _ = noisy_sample(3, n=150, levels=(17,))
    model = LogisticRegression(C=C).fit_sample(sample)
    assert isinstance(model.certificate_, LogisticGap)
    assert model.stopped_ is Stopped.CERTIFIED
    y = (sample.y > 0.0).astype(int)
    assert model.certificate_.proven_gap(sample.X, y) <= model.tol


def test_a_level_of_one_label_has_no_finite_optimum_before_any_step_is_taken():
    sample, first = noisy_sample(4)
    sample = replace(sample, y=np.where(first == 5, 1.0, sample.y))
    fit = least_cross_entropy(problem_of(sample))
    assert fit.divergent
    assert fit.n_steps == 0
    with pytest.warns(NoFiniteOptimumWarning, match=r"Diverging coefficients: x5 \(\+\)"):
        model = LogisticRegression().fit_sample(sample)
    chance = model.predict_proba(sample.X)[:, 1]
    assert (chance[first == 5] == 1.0).all()
    assert ((chance > 0.0) & (chance < 1.0))[first != 5].all()


def test_the_limit_is_the_same_for_dense_columns():
    sample, first = noisy_sample(6)
    sample = replace(sample, y=np.where(first == 5, 1.0, np.where(first == 7, -1.0, sample.y)))
    models = []
    for X in (sample.X, sample.X.toarray()):
        with pytest.warns(NoFiniteOptimumWarning):
            models.append(LogisticRegression(tol=1e-12).fit_sample(replace(sample, X=X)))
    one, other = models
    assert one.finite_weights_ == pytest.approx(other.finite_weights_, rel=1e-6, abs=1e-8)
    assert one.stopped_ is other.stopped_ is Stopped.TOUCHING


def test_copies_and_order_of_separable_rows_do_not_matter():
    X, score, _ = one_hot_table(5, n=90)
    y = (score > 0.0).astype(int)
    order = np.random.default_rng(0).permutation(np.append(np.arange(90), [3, 3, 70]))
    sample = replace(read_arrays(X, y), X=X)
    shuffled = replace(read_arrays(X[order], y[order]), X=X[order])
    lines = []
    for rows in (sample, shuffled):
        with pytest.warns(NoFiniteOptimumWarning):
            lines.append(LogisticRegression().fit_sample(rows).coef_)
    assert np.array_equal(*lines)


OPTIONS = [
    {}, {"C": 0.3}, {"fit_intercept": False}, {"class_weight": "balanced"},
    {"class_weight": {1: 3.0}, "init": np.full(29, 0.1)},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::separatrix.NoFiniteOptimumWarning")
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("dense", "stopped"), [
    (True, Stopped.CERTIFIED), (False, Stopped.CERTIFIED), (False, Stopped.TOUCHING),
])  # fmt: skip
def test_memory_and_blocks_give_the_same_bytes(options, dense, stopped, monkeypatch):
    least = int(stopped is Stopped.TOUCHING)  # all rows count where it is asked if a line separates
    weight = np.random.default_rng(1).integers(least, 3, 2 * TILE + 77) * 1.0
    sample, first = noisy_sample(7, weight, n=weight.size)
    if stopped is Stopped.TOUCHING:
        sample = replace(sample, y=np.where(first == 5, 1.0, np.where(first == 7, -1.0, sample.y)))
    sample = replace(sample, X=sample.X.toarray() if dense else sample.X)
    monkeypatch.setattr(least_squares, "FEW_NUMBERS", 1 << 14)
    fits = [LogisticRegression(**options).fit_sample(sample)]
    for share in (room.IN_MEMORY, 1 << 20):  # levels that are kept, and such as are read
        monkeypatch.setattr(room, "IN_MEMORY", share)
        for tiles in (1, 2, 64):
            table = Rows(ArraySource(sample), rows_in_block=tiles * TILE)
            fits.append(LogisticRegression(**options).fit(table))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    fits.append(LogisticRegression(**options).fit_sample(sample))
    stopped = Stopped.CERTIFIED if "C" in options else stopped
    assert all(fit.stopped_ is stopped for fit in fits)
    for of_fit in (
        lambda fit: fit.coef_.tobytes() + fit.intercept_.tobytes(),
        lambda fit: fit.standard_errors_.tobytes(),
        lambda fit: fit.n_iter_,
    ):
        assert len({of_fit(fit) for fit in fits}) == 1
    if stopped is Stopped.TOUCHING:
        return
    claim, table = fits[1].certificate_, Rows(ArraySource(sample), rows_in_block=TILE)
    assert claim.verify(table)
    elsewhere = replace(claim.place, c=claim.place.c + 0.1)
    assert not replace(claim, place=elsewhere).verify(table)
