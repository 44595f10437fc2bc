"""Gradient descent over blocks: the path of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix import GradientDescent, InputError, NotConvergedWarning
from separatrix.data import read_arrays
from separatrix.scale import ArraySource, NpySource, Rows
from separatrix.tiles import TILE

N, D = 3 * TILE + 501, 4
SIZES = (TILE, 2 * TILE, 64 * TILE)


class Quartic:
    """(1 - a)^4 where a < 1: a measure of a user's own, which can be pickled."""

    name = "quartic"

    def __repr__(self) -> str:
        return "quartic"

    def value(self, a):
        return np.maximum(0.0, 1.0 - a) ** 4

    def slope(self, a):
        return -4.0 * np.maximum(0.0, 1.0 - a) ** 3


def drawn(dtype=np.float64):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, D)).astype(dtype)
    return X, np.where(X @ rng.normal(size=D) + rng.normal(size=N) > 0.3, 1, 0)


def in_blocks(X, y, rows=TILE, weight=None):
    return Rows(ArraySource(read_arrays(X, y, weight)), rows_in_block=rows)


def state(model):
    weights = model.coef_.tobytes() + model.intercept_.tobytes()
    return weights, model.n_updates_, model.n_iter_, model.stopped_, model.gradient_norm_


MEASURES = ["perceptron", "squared", "cross_entropy", Quartic()]


@pytest.mark.parametrize("error", MEASURES, ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {"max_updates": 12},
        {"max_updates": 3},
        {"batch_size": 1, "max_updates": 2 * N + 5},
        {"batch_size": 64, "max_updates": 300, "step": "unit"},
        {"batch_size": 32, "max_updates": None, "tol": 0.2},
    ],
)
def test_the_path_is_that_of_memory_bit_for_bit(error, options):
    X, y = drawn()
    if options.get("tol") and error == "perceptron":
        options = {**options, "tol": 10.0}
    learner = GradientDescent(error=error, learning_rate=0.004, **options)
    expected = learner.fit(X, y)
    of_memory, e_in = state(expected), expected.e_in_
    for rows in SIZES:
        learner.fit(in_blocks(X, y, rows))
        assert state(learner) == of_memory
        assert learner.e_in_ == pytest.approx(e_in, rel=1e-12)


def test_safe_rates_weights_and_files(tmp_path):
    X, y = drawn(np.float32)
    weight = np.random.default_rng(0).integers(0, 3, N) * 1.0
    learner = GradientDescent(learning_rate="safe", max_updates=40)
    inside = learner.fit(X, y, weight)
    rate, coef, largest = inside.learning_rate_, inside.coef_, inside.max_learning_rate_
    learner.fit(in_blocks(X, y, 2 * TILE, weight))
    assert learner.learning_rate_ == pytest.approx(rate, rel=1e-9)
    assert learner.max_learning_rate_ == pytest.approx(largest, rel=1e-9)
    np.testing.assert_allclose(learner.coef_, coef, rtol=1e-8)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    source = NpySource([str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")])
    fits = [learner.fit(Rows(source, rows_in_block=k)).coef_.tobytes() for k in SIZES]
    assert len(set(fits)) == 1
    assert fits[0] == learner.fit(in_blocks(X, y)).coef_.tobytes()


def test_an_overflow_keeps_the_weights_before_it():
    X, y = drawn()
    X[TILE + 7] = 1e160
    learner = GradientDescent(error="squared", batch_size=4, max_updates=None, learning_rate=1.0)
    with pytest.warns(NotConvergedWarning):
        expected = state(learner.fit(X, y))
    with pytest.warns(NotConvergedWarning):
        assert state(learner.fit(in_blocks(X, y))) == expected


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"batch_size": 7}, "divides 4,096"),
        ({"batch_size": 1, "shuffle": True}, "shuffle=False"),
    ],
)
def test_what_blocks_cannot_do_is_refused(options, match):
    X, y = drawn()
    with pytest.raises(InputError, match=match):
        GradientDescent(**options).fit(in_blocks(X, y))
    with pytest.raises(InputError, match="sample_weight with batch_size"):
        GradientDescent(batch_size=1).fit(in_blocks(X, y, weight=np.full(N, 2.0)))
