"""The direction in which the likelihood grows: exact, and cheap on long tables."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix import (
    LogisticGap,
    LogisticRegression,
    NoFiniteOptimumWarning,
    Stopped,
    separability,
)
from separatrix.data import read_arrays
from separatrix.learners.least_squares import least_squares
from separatrix.learners.logistic import cross_entropy, no_optimum
from separatrix.plain.score import exact_score
from separatrix.scale import ArraySource, Rows
from separatrix.tiles import TILE


def table(seed, ties):
    draw = np.random.default_rng(seed)
    X = draw.integers(-3, 4, (40, 3)) * 1.0 if ties else draw.standard_normal((40, 3))
    score = X @ [1.0, -2.0, 0.5] + 0.25
    return read_arrays(X, score > 0)


def test_rows_on_a_touching_line_are_known_exactly():
    X = np.array([[0.1, 0.3], [0.1, 0.3], [0.1, 0.7], [0.4, 0.3], [-0.2, 0.1]])
    rows = Rows.of(read_arrays(X, [0, 1, 1, 1, 0]))
    proof = separability(X, rows.whole().y)
    assert proof.verdict == "touching"
    there = no_optimum.rows_on(rows, no_optimum.direction_of(proof)).whole().weight
    scores = [exact_score(proof.line, (1, *map(Fraction, x))) for x in X.tolist()]
    assert there.tolist() == [s == 0 for s in scores]


@pytest.mark.filterwarnings("ignore::separatrix.NoFiniteOptimumWarning")
def test_the_finite_part_of_blocks_is_that_of_memory(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2 * TILE, 3))
    y = np.where(X[:, 1] + rng.logistic(size=len(X)) > 0.0, 1.0, -1.0)
    X[:, 0] = np.where(rng.random(len(X)) < 0.9, 0.0, y * np.abs(X[:, 0]))
    sample = read_arrays(X, y)
    inside = LogisticRegression(tol=1e-12).fit_sample(sample)
    monkeypatch.setattr(least_squares, "FEW_NUMBERS", 0)
    blocks = LogisticRegression(tol=1e-12).fit(Rows(ArraySource(sample), rows_in_block=TILE))
    assert inside.stopped_ is blocks.stopped_ is Stopped.TOUCHING
    assert blocks.finite_weights_ == pytest.approx(inside.finite_weights_, rel=1e-6)


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_neither_order_nor_copies_matter(seed, ties):
    sample = table(seed, ties)
    order = np.append(np.arange(40)[::-1], np.arange(7))
    turned = read_arrays(sample.X[order], sample.y[order])
    found, other = no_optimum._distinct(sample), no_optimum._distinct(turned)
    rows = np.unique(np.column_stack([sample.y, sample.X]), axis=0)
    for one in (found, other):
        assert np.array_equal(np.column_stack([one.y, one.X]), rows)


@pytest.mark.parametrize("rows_in_block", [TILE, 3 * TILE])
@pytest.mark.parametrize("touching", [False, True])
def test_the_least_multiple_is_taken_from_two_reads(touching, rows_in_block):
    X = np.random.default_rng(3).standard_normal((3 * TILE, 2))
    y = np.where(X[:, 0] > X[:, 1], 1.0, -1.0)
    if touching:
        X[7:40, 1] = X[7:40, 0]
    sample, direction = read_arrays(X, y), np.array([[0.0, 1.0, -1.0]])
    proof, rest = separability(X, y), np.array([0.01, 0.5, 0.5])
    assert proof.verdict == ("touching" if touching else "separable")
    table = Rows(ArraySource(sample), rows_in_block=rows_in_block)
    found = no_optimum.Limit.of(table, rest, direction, proof)
    decided = X[:, 0] != X[:, 1]
    beyond = 0.0 if touching else 40.0
    t = next(
        2.0**k
        for k in range(-51, 99)
        if ((y * (X @ [0.5 + 2.0**k, 0.5 - 2.0**k] + 0.01))[decided] > beyond).all()
    )
    assert found.line.tolist() == (rest + t * direction[0]).tolist()
    assert (found.n_decided, found.n_wrong) == (decided.sum(), 0)
    assert table.reads.done == pytest.approx(2.0)


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(cross_entropy, "LARGE", 0)


def wide(seed, n=30, d=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), (rng.random(n) < 0.5).astype(int)


@pytest.mark.usefixtures("large")
def test_separable_rows_are_decided_before_any_step():
    X, y = wide(0)
    with pytest.warns(NoFiniteOptimumWarning):
        model = LogisticRegression().fit(X, y)
    assert model.stopped_ is Stopped.SEPARABLE
    assert model.n_iter_ == 0
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.usefixtures("large")
def test_rows_that_overlap_all_the_same_are_fitted():
    X, y = wide(1)
    X[:, 1:] = 0.0
    model = LogisticRegression().fit(X, y)
    assert isinstance(model.certificate_, LogisticGap)
    assert model.stopped_ is Stopped.CERTIFIED
