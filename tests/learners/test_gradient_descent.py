"""Gradient descent: its definition, the lecture's answers, PLA as a case of it."""

import warnings
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import separatrix as sx
from separatrix.errors import MEASURES
from separatrix.learners.mean_error import MeanError
from separatrix.tiles import TILE
from tests.as_plain import mistakes
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import integer_tables
from tests.learners.measures import SMOOTH, Own, naive, noisy
from tests.learners.tables import weights
from tests.shared_data import needs_shared, ntu, ntu_answers


@pytest.mark.filterwarnings("ignore:Gradient descent:separatrix.NotConvergedWarning")
@examples(150)
@given(
    seed=st.integers(0, 10**6),
    shape=st.tuples(st.integers(2, 40), st.integers(1, 6)),
    options=st.fixed_dictionaries({
        "error": st.sampled_from(SMOOTH),
        "batch_size": st.sampled_from([None, 1, 3, 8, 100]),
        "step": st.sampled_from(["gradient", "unit"]),
        "max_updates": st.integers(0, 30),
        "fit_intercept": st.booleans(),
    }),
    sparse=st.booleans(),
)  # fmt: skip
def test_every_kind_of_descent_is_its_definition(seed, shape, options, sparse):
    error, batch, updates = options["error"], options["batch_size"], options["max_updates"]
    unit, intercept = options["step"] == "unit", options["fit_intercept"]
    X, y = noisy(seed, *shape)
    weight = np.random.default_rng(seed).integers(0, 4, len(y)) if batch is None else None
    if weight is not None:
        weight[:2] = 1
    start = np.random.default_rng(seed).normal(size=1 + X.shape[1]) * 0.3
    start[0] *= intercept
    model = sx.GradientDescent(learning_rate=0.05, init=start, **options)
    model.fit(sp.csr_array(X) if sparse else X, y, weight)
    expected = naive(
        error, X, y, 0.05, updates, batch=batch, unit=unit, weight=weight,
        x0=float(intercept), start=start,
    )  # fmt: skip
    if model.stopped_ is sx.Stopped.UPDATES_SPENT:
        assert model.n_updates_ == updates
        per_pass = 1 if batch is None else -(-len(y) // batch)
        assert model.n_iter_ == -(-updates // per_pass)
    else:  # the perceptron error is 0 around a line that makes no mistake
        assert (error, model.gradient_norm_) == ("perceptron", 0.0)
    assert weights(model) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    used = np.ones(len(y)) if weight is None else weight
    scores = X @ model.coef_[0] + model.intercept_
    assert model.e_in_ == pytest.approx(np.average(MEASURES[error].value(y * scores), weights=used))


def test_rows_of_many_tiles_are_summed_exactly_on_whole_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (2 * TILE + 77, 5)).astype(float)
    y = np.where(rng.random(len(X)) < 0.5, 1.0, -1.0)
    start = np.array([1.0, 0.0, -2.0, 1.0, 0.0, 1.0])
    model = sx.GradientDescent(error="perceptron", learning_rate=1.0, max_updates=1, init=start)
    model.fit(X, y)
    wrong = y * (X @ start[1:] + start[0]) <= 0
    total = np.concatenate(([y[wrong].sum()], y[wrong] @ X[wrong]))
    assert weights(model).tolist() == (start - (-total / len(X))).tolist()


def test_signs_of_all_rows_are_exact_on_the_perceptron_error():
    u = 2.0**-53
    row = [1.0, 1.5 * u, -1.0, -1.75 * u]  # its sum is below 0; in some orders of adding, above
    X = np.repeat(list(permutations(row)), 2, axis=0)
    y = np.tile([1.0, -1.0], len(X) // 2)
    model = sx.GradientDescent(
        error="perceptron", learning_rate=1.0, max_updates=1, init=[0.0, 1.0, 1.0, 1.0, 1.0]
    ).fit(X, y)
    assert model.intercept_[0] == 0.5  # half of the rows, all yes, are mistakes


@pytest.mark.filterwarnings("ignore:Gradient descent:separatrix.NotConvergedWarning")
@pytest.mark.parametrize("batch", [None, 1, 7])
def test_a_measure_of_ones_own_goes_the_same_way(batch):
    X, y = noisy(3, n=2 * TILE + 5)
    options = {"max_updates": 40, "batch_size": batch}
    known = sx.GradientDescent(**options).fit(X, y)
    for points in (X, sp.csr_array(X)):
        own = sx.GradientDescent(error=Own(), **options).fit(points, y)
        assert weights(own) == pytest.approx(weights(known), rel=1e-12)
        assert own.e_in_ == pytest.approx(known.e_in_)
        assert own.gradient_norm_ == pytest.approx(known.gradient_norm_)
    for measure in (sx.PerceptronError(), sx.Squared(), sx.CrossEntropy()):
        by_name = sx.GradientDescent(error=measure.name, **options).fit(X, y)
        by_object = clone(sx.GradientDescent(error=measure, **options)).fit(X, y)
        assert weights(by_object).tobytes() == weights(by_name).tobytes()


@st.composite
def nearly_opposite_rows(draw):
    """Rows whose scores are all rounding error."""
    X = np.random.default_rng(draw(st.integers(0, 10_000))).normal(size=(3, 3)) / 3
    X = np.vstack([X, X * (1.0 + draw(st.sampled_from([0.0, 2.0**-52, -(2.0**-52), 2.0**-40])))])
    return X, np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0])


@needs_shared
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hw3 batch descent eta=0.001 T=2000: E_out (0/1)", {"learning_rate": 0.001}),
        ("hw3 batch descent eta=0.01 T=2000", {"learning_rate": 0.01}),
        ("hw3 online cyclic eta=0.001 T=2000", {"learning_rate": 0.001, "batch_size": 1}),
    ],
)
def test_homework_3_to_the_mistake(name, options):
    model = sx.GradientDescent(max_updates=2000, **options).fit(*ntu("hw3_train.dat"))
    X, y = ntu("hw3_test.dat")
    assert int((model.predict(X) != y).sum()) == round(ntu_answers()[name] * len(y))


@examples(200)
@given(
    table=st.one_of(integer_tables(), nearly_opposite_rows()),
    passes=st.integers(1, 8),
    eta=st.sampled_from([1.0, 1.0, 0.1, 1 / 3, 1e-3, 7.7, 1e-9, 1e200]),
    start=st.lists(st.integers(-3, 3), min_size=4, max_size=4) | st.none(),
)
def test_online_descent_on_the_perceptron_error_is_pla_at_any_rate(table, passes, eta, start):
    if start is not None:
        start = np.array(start)[: 1 + table[0].shape[1]] * eta
    follows_pla(*table, passes, eta, start)


def follows_pla(X, y, passes, eta=1.0, start=None):
    """The same weights after every pass, bit for bit, until the *full* gradient vanishes."""
    Z = np.column_stack((np.ones(len(y)), X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.NotConvergedWarning)
        for k in range(1, passes + 1):
            pla = sx.Perceptron(max_iter=k, learning_rate=eta, init=start).fit(X, y)
            model = sx.GradientDescent(
                error="perceptron", learning_rate=eta, batch_size=1, max_updates=k * len(y),
                init=start,
            ).fit(X, y)  # fmt: skip
            if model.n_updates_ < k * len(y):
                wrong = mistakes(X, y, weights(model))
                assert not (y[wrong] @ Z[wrong]).any()
                assert model.stopped_ is sx.Stopped.SMALL_GRADIENT
                return
            assert np.array_equal(weights(model), weights(pla))


def test_from_zero_the_perceptron_error_starts_though_it_is_zero_there():
    X, y = noisy(4)
    model = sx.GradientDescent(error="perceptron", learning_rate=1.0, max_updates=1).fit(X, y)
    assert weights(model) == pytest.approx(np.concatenate(([y.mean()], y @ X / len(y))))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("options", "best"),
    [
        ({"learning_rate": 2.0}, sx.LogisticRegression(tol=1e-12)),
        ({"error": "squared"}, sx.LinearRegressionClassifier()),
    ],
)
def test_it_leads_to_the_least_and_stays_there(options, best, sparse):
    X, y = noisy(6, n=200)
    points = sp.csr_array(X) if sparse else X
    model = sx.GradientDescent(max_updates=5000, tol=1e-11, **options).fit(points, y)
    assert model.stopped_ is sx.Stopped.SMALL_GRADIENT
    assert model.gradient_norm_ <= 1e-11
    assert weights(model) == pytest.approx(weights(best.fit(X, y)), rel=1e-7)
    start = "regression" if "error" in options else weights(model)
    again = sx.GradientDescent(tol=1e-11, **{**options, "init": start}).fit(points, y)
    assert (again.n_updates_, again.n_iter_) == (0, 0)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_gram_matrix_agrees_with_the_rows(weighted, monkeypatch):
    X, y = noisy(7, n=2 * TILE + 100, d=6)
    X = X * [1e-3, 1.0, 10.0, 1.0, 1.0, 1.0] + [0, 5.0, 0, 0, 0, 1.0]
    weight = np.random.default_rng(0).integers(0, 3, len(y)) if weighted else None
    options = {"error": "squared", "learning_rate": 0.005, "max_updates": 300}
    taken = []
    of = MeanError.gram
    monkeypatch.setattr(MeanError, "gram", lambda error: taken.append(1) or of(error))
    gram = sx.GradientDescent(**options).fit(X, y, weight)
    # with empty columns the table stays sparse
    sparse = sp.hstack([X, sp.csr_array((len(y), 130))], format="csr")
    rows = sx.GradientDescent(**options).fit(sparse, y, weight)
    assert len(taken) == 1  # and sparse rows went without
    assert weights(gram) == pytest.approx(weights(rows)[: X.shape[1] + 1], rel=1e-9)
    assert gram.e_in_ == pytest.approx(rows.e_in_, rel=1e-12)
    assert gram.gradient_norm_ == pytest.approx(rows.gradient_norm_, rel=1e-6)
