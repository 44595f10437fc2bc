"""The direction in which the likelihood grows: exact, and cheap on long tables."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix import (
    LogisticRegression,
    NoFiniteOptimumWarning,
    Stopped,
    separability,
)
from separatrix.data import read_arrays
from separatrix.learners.logistic import cross_entropy, no_optimum
from separatrix.plain.score import exact_score
from separatrix.scale import ArraySource, Rows
from separatrix.tiles import TILE


def test_rows_on_a_touching_line_are_known_exactly():
    X = np.array([[0.1, 0.3], [0.1, 0.3], [0.1, 0.7], [0.4, 0.3], [-0.2, 0.1]])
    rows = Rows.of(read_arrays(X, [0, 1, 1, 1, 0]))
    proof = separability(X, rows.whole().y)
    assert proof.verdict == "touching"
    there = no_optimum.rows_on(rows, no_optimum.direction_of(proof)).whole().weight
    scores = [exact_score(proof.line, (1, *map(Fraction, x))) for x in X.tolist()]
    assert there.tolist() == [s == 0 for s in scores]


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
