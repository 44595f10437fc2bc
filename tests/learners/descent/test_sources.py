"""Gradient descent wherever the rows are: the same path, to the last bit."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import GradientDescent, InputError, NotConvergedWarning
from separatrix.tiles import TILE
from tests.learners.sources import SOURCES, rows_from

N, D = 2 * TILE + 501, 4
CLASSES = np.array([0, 1])


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


def labelled(source, X, y, weight=None):
    return rows_from(source, X, 2.0 * y - 1.0, weight, CLASSES)


def state(model):
    return (
        model.coef_.tobytes() + model.intercept_.tobytes(), model.n_updates_, model.n_iter_,
        model.stopped_, model.gradient_norm_, model.e_in_, model.learning_rate_,
        model.max_learning_rate_,
    )  # fmt: skip


def dense(X, rng):
    return X, None


def single(X, rng):
    return X.astype(np.float32), None


def weighted(X, rng):
    return X, rng.uniform(0.1, 2.0, N) * rng.integers(0, 3, N)


def sparse(X, rng):
    return sp.csr_array(np.where(rng.random(X.shape) < 0.6, 0.0, X)), None


MEASURES = ["perceptron", "squared", "cross_entropy", Quartic()]


OPTIONS = [
    {"max_updates": 12},
    {"max_updates": 3},
    {"max_updates": 5, "learning_rate": "safe"},
    {"batch_size": 1, "max_updates": N + 5},
    {"batch_size": 64, "max_updates": 300, "step": "unit"},
    {"batch_size": 32, "max_updates": None, "tol": 0.2},
]


def makes_sense(error, table, options):
    """Whether the measure has a safe rate, and batches have no weights."""
    safe = "learning_rate" not in options or error in {"squared", "cross_entropy"}
    return safe and not ("batch_size" in options and table is weighted)


@pytest.mark.parametrize(
    ("error", "table", "options"),
    [
        case
        for case in product(MEASURES, [dense, single, weighted, sparse], OPTIONS)
        if makes_sense(*case)
    ],
    ids=lambda given: getattr(given, "__name__", str(given)),
)
def test_the_path_is_the_same_wherever_the_rows_are(error, table, options):
    if options.get("tol") and error == "perceptron":
        options = {**options, "tol": 10.0}
    if error is MEASURES[-1] and options.get("batch_size") == 1:
        options = {**options, "max_updates": TILE + 5}  # a step of it is Python
    X, y = drawn()
    X, weight = table(X, np.random.default_rng(0))
    learner = GradientDescent(error=error, **{"learning_rate": 0.004, **options})
    fits = {state(learner.fit(labelled(source, X, y, weight))) for source in SOURCES}
    if table is not sparse:  # which `fit` makes dense: it has many numbers
        fits.add(state(learner.fit(X, y, weight)))
    assert len(fits) == 1


def test_rows_without_a_weight_take_no_part():
    X, y = drawn()
    weight = np.ones(N)
    weight[TILE - 9 : 2 * TILE] = 0.0  # a whole tile of them
    X[weight == 0.0] = 1e300
    learner = GradientDescent(error="squared", learning_rate="safe", max_updates=3)
    there = weight > 0.0
    expected = learner.fit(X[there], y[there])
    w, rate = expected.coef_, expected.learning_rate_
    for source in SOURCES:
        learner.fit(labelled(source, X, y, weight))
        assert learner.coef_ == pytest.approx(w, rel=1e-12)
        assert learner.learning_rate_ == pytest.approx(rate, rel=1e-12)


def test_an_overflow_keeps_the_weights_before_it():
    X, y = drawn()
    X[TILE + 7] = 1e160
    learner = GradientDescent(error="squared", batch_size=4, max_updates=None, learning_rate=1.0)
    with pytest.warns(NotConvergedWarning):
        expected = state(learner.fit(X, y))
    for source in SOURCES:
        with pytest.warns(NotConvergedWarning):
            assert str(state(learner.fit(labelled(source, X, y)))) == str(expected)


@pytest.mark.parametrize(
    ("options", "match"),
    [({"batch_size": 7}, "divides 4,096"), ({"batch_size": 1, "shuffle": True}, "shuffle=False")],
)
def test_what_blocks_cannot_do_is_refused(options, match):
    X, y = drawn()
    with pytest.raises(InputError, match=match):
        GradientDescent(**options).fit(labelled("blocks of 1 tile", X, y))
    with pytest.raises(InputError, match="sample_weight with batch_size"):
        GradientDescent(batch_size=1).fit(labelled("blocks of 1 tile", X, y, np.full(N, 2.0)))
