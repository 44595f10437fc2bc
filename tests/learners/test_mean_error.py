"""Descent: the same bytes wherever the rows are, its measures of error, when it ends and how."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import separatrix as sx
from separatrix import GradientDescent, InputError, NotConvergedWarning, Stopped
from separatrix.tiles import TILE
from tests.learners.measures import SMOOTH, Own, OwnSquared, noisy
from tests.learners.tables import SOURCES, rows_from, weights


def test_the_seed_decides_the_order_of_every_pass():
    X, y = noisy(9)

    def fitted(**options):
        return weights(GradientDescent(batch_size=7, max_updates=50, **options).fit(X, y)).tobytes()

    assert fitted(shuffle=True, random_state=1) == fitted(shuffle=True, random_state=1)
    assert fitted(shuffle=True, random_state=1) != fitted(shuffle=True, random_state=2)
    assert fitted(random_state=1) == fitted(random_state=2)


@pytest.mark.parametrize("batch", [None, 1, 7])
@pytest.mark.parametrize("error", ["squared", OwnSquared()])
def test_a_learning_rate_too_large_keeps_the_last_finite_weights(batch, error):
    X, y = noisy(11)
    model = GradientDescent(error=error, learning_rate=9.0, batch_size=batch, max_updates=10_000)
    with pytest.warns(NotConvergedWarning, match="overflow.*Lower learning_rate"):
        model.fit(X, y)
    assert model.stopped_ is Stopped.OVERFLOW
    assert 0 < model.n_updates_ < 10_000
    assert np.isfinite(weights(model)).all()
    assert np.abs(weights(model)).max() > 1e140
    assert set(model.predict(X)) <= {-1.0, 1.0}
    one_less = clone(model).set_params(max_updates=model.n_updates_)
    with pytest.warns(NotConvergedWarning, match="above its start"):
        one_less.fit(X, y)
    if batch is not None or error != "squared":  # the Gram matrix is chosen by the budget
        assert weights(one_less).tobytes() == weights(model).tobytes()


@pytest.mark.parametrize("error", SMOOTH)
@pytest.mark.parametrize("batch", [None, 1])
def test_values_that_overflow_are_said_and_never_hidden(error, batch):
    X = np.array([[1e308, -1e308], [1e308, 1e308], [-1e308, 1e308], [1e308, 9e307]])
    model = GradientDescent(error=error, batch_size=batch, learning_rate=1e3)
    with pytest.warns(NotConvergedWarning, match="power of two"):
        model.fit(X, [0, 1, 0, 1])
    assert np.isfinite(weights(model)).all()


def test_a_tolerance_not_reached_warns_and_one_not_asked_for_does_not():
    X, y = noisy(12)
    with pytest.warns(NotConvergedWarning, match=r"\|grad\| is .*raise max_updates"):
        model = GradientDescent(max_updates=3, tol=1e-9).fit(X, y)
    assert model.stopped_ is Stopped.UPDATES_SPENT
    assert model.gradient_norm_ > 1e-9
    GradientDescent(max_updates=3).fit(X, y)  # a warning would be an error here


@pytest.mark.parametrize("batch", [None, 1, 2])
@pytest.mark.parametrize("step", ["gradient", "unit"])
def test_a_line_without_mistakes_ends_descent_on_the_perceptron_error(batch, step):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    model = GradientDescent(error="perceptron", batch_size=batch, step=step, max_updates=None)
    model.fit(X, y)
    assert model.stopped_ is Stopped.SMALL_GRADIENT
    assert (model.e_in_, model.gradient_norm_) == (0.0, 0.0)
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("error", ["cross_entropy", sx.CrossEntropy()])
def test_probabilities_are_those_of_cross_entropy(error):
    X, y = noisy(5, n=200)
    model = sx.GradientDescent(error=error, learning_rate="safe", max_updates=20_000).fit(X, y)
    best = sx.LogisticRegression(tol=1e-12).fit(X, y)
    assert model.predict_proba(X) == pytest.approx(best.predict_proba(X), abs=1e-6)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


class Without:
    def value(self, a):
        return a


class Shapeless(Own):
    def slope(self, a):
        return a[0]


class Undefined(Own):
    def slope(self, a):
        return np.where(a == 0.0, np.nan, 1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"error": "zero_one"}, "piecewise constant"),
        ({"error": sx.ZeroOne()}, "piecewise constant"),
        ({"error": "hinge"}, "'hinge' is not known; choose one of 'perceptron', 'squared', 'cross"),
        ({"error": sx.Squared}, "is a class"),
        ({"error": Without()}, r"no slope\(a\)"),
        ({"error": None}, r"no value\(a\)"),
        ({"error": Shapeless()}, r"shape \(\)"),
        ({"error": Undefined()}, "slope at a = 0.0 is nan"),
        ({"error": Undefined(), "batch_size": 1}, "slope at a = 0.0 is nan"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": np.inf}, "learning_rate"),
        ({"learning_rate": "fast"}, "learning_rate='fast' must be a positive number or 'safe'"),
        ({"learning_rate": "safe", "error": "perceptron"}, "slope jumps at 0"),
        ({"learning_rate": "safe", "step": "unit"}, "unit steps"),
        ({"learning_rate": "safe", "error": Own()}, "largest_curvature"),
        ({"max_updates": -1}, "max_updates"),
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 1.5}, "batch_size"),
        ({"batch_size": True}, "batch_size"),
        ({"step": "newton"}, "'gradient', 'unit'"),
        ({"tol": -1.0}, "tol"),
        ({"tol": np.nan}, "tol"),
        ({"init": [1.0]}, "init"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(options, words):
    with pytest.raises(sx.InputError, match=words):
        sx.GradientDescent(**options).fit(*noisy(15))


@pytest.mark.parametrize(
    ("error", "name"),
    [("squared", "squared"), (sx.CrossEntropy(), "cross_entropy"), (Own(), "Own")],
)
def test_a_file_remembers_the_measure_by_name(error, name, tmp_path):
    X, y = noisy(17)
    model = sx.GradientDescent(error=error, learning_rate=0.01, batch_size=5).fit(X, y)
    sx.save(model, tmp_path / "m")
    again = sx.load(tmp_path / "m")
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert (again.error, again.learning_rate, again.batch_size) == (name, 0.01, 5)
    if name == "Own":
        with pytest.raises(sx.InputError, match="'Own' is not known"):
            again.fit(X, y)


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
    {"max_updates": 5, "learning_rate": "safe"},
    {"batch_size": 1, "max_updates": N + 5},
    {"batch_size": 64, "max_updates": 300, "step": "unit"},
    {"batch_size": 32, "max_updates": None, "tol": 0.2},
]


def makes_sense(error, table, options):
    """Whether the measure has a safe rate, no weights in batches, and few steps in Python."""
    safe = "learning_rate" not in options or error in {"squared", "cross_entropy"}
    quick = error is not MEASURES[-1] or options.get("batch_size") != 1
    return quick and safe and not ("batch_size" in options and table is weighted)


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
