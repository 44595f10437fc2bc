"""Gradient descent: a ten-line oracle, the lecture's answers, PLA as a case of it, divergence."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from separatrix import (
    CrossEntropy,
    GradientDescent,
    InputError,
    LinearRegressionClassifier,
    LogisticRegression,
    NotConvergedWarning,
    Perceptron,
    PerceptronError,
    Squared,
    Stopped,
    ZeroOne,
    load,
    save,
)
from separatrix.errors import MEASURES
from separatrix.learners.descent import gradients
from separatrix.tiles import TILE
from tests.kernels.walks.test_perceptron import integer_tables
from tests.naive import mistakes
from tests.shared_data import needs_shared, ntu, ntu_answers

SMOOTH = ("perceptron", "squared", "cross_entropy")


def weights(model):
    return np.concatenate((model.intercept_, model.coef_[0]))


def noisy(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ np.ones(d) + 1.5 * rng.logistic(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def naive(error, X, y, eta, updates, *, batch=None, unit=False, weight=None, x0=1.0, start=None):
    """w after so many updates: the definition, one batch after the other."""
    Z = np.column_stack((np.full(len(y), x0), X))
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    w = np.zeros(Z.shape[1]) if start is None else np.array(start, dtype=float)
    batch, position = batch or len(y), 0
    for _ in range(updates):
        at = np.arange(position, min(position + batch, len(y)))
        slopes = MEASURES[error].slope(y[at] * (Z[at] @ w))
        g = (weight[at] * slopes * y[at]) @ Z[at] / weight[at].sum()
        size = np.linalg.norm(g) if unit else 1.0
        w = w - eta * g / size if size else w
        position = at[-1] + 1 if at[-1] + 1 < len(y) else 0
    return w


class Own:
    """A measure of a user's own: somebody else's cross-entropy, unknown to the kernels."""

    def value(self, a):
        return np.logaddexp(0.0, -a)

    def slope(self, a):
        return -1.0 / (1.0 + np.exp(a))


class OwnSquared:
    """Likewise."""

    def value(self, a):
        return Squared().value(a)

    def slope(self, a):
        return Squared().slope(a)


# ---------------------------------------------------------------- against the definition


@pytest.mark.filterwarnings("ignore:Gradient descent:separatrix.NotConvergedWarning")
@settings(max_examples=150)
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
    model = GradientDescent(learning_rate=0.05, init=start, **options)
    model.fit(sp.csr_array(X) if sparse else X, y, weight)
    expected = naive(
        error, X, y, 0.05, updates, batch=batch, unit=unit, weight=weight,
        x0=float(intercept), start=start,
    )  # fmt: skip
    if model.stopped_ is Stopped.UPDATES_SPENT:
        assert model.n_updates_ == updates
        per_pass = 1 if batch is None else -(-len(y) // batch)
        assert model.n_iter_ == -(-updates // per_pass)
    else:  # the perceptron error is 0 around a line that makes no mistake
        assert (error, model.gradient_norm_) == ("perceptron", 0.0)
    assert weights(model) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    used = np.ones(len(y)) if weight is None else weight
    scores = X @ model.coef_[0] + model.intercept_
    assert model.e_in_ == pytest.approx(np.average(MEASURES[error].value(y * scores), weights=used))


@pytest.mark.filterwarnings("ignore:Gradient descent:separatrix.NotConvergedWarning")
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6), error=st.sampled_from(["squared", "cross_entropy", "perceptron"])
)
def test_a_step_goes_along_the_finite_difference_of_e_in(seed, error):
    X, y = noisy(seed, 20, 2)
    start = np.random.default_rng(seed).normal(size=3)

    def e_in(w):
        return float(MEASURES[error].value(y * (X @ w[1:] + w[0])).mean())

    model = GradientDescent(error=error, learning_rate=1.0, max_updates=1, init=start).fit(X, y)
    h = 1e-7 * np.eye(3)
    differences = np.array([(e_in(start + e) - e_in(start - e)) / 2e-7 for e in h])
    assert start - weights(model) == pytest.approx(differences, abs=2e-6)


def test_rows_of_many_tiles_are_summed_exactly_on_whole_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (2 * TILE + 77, 5)).astype(float)
    y = np.where(rng.random(len(X)) < 0.5, 1.0, -1.0)
    start = np.array([1.0, 0.0, -2.0, 1.0, 0.0, 1.0])
    model = GradientDescent(error="perceptron", learning_rate=1.0, max_updates=1, init=start)
    model.fit(X, y)
    wrong = y * (X @ start[1:] + start[0]) <= 0
    total = np.concatenate(([y[wrong].sum()], y[wrong] @ X[wrong]))
    assert weights(model).tolist() == (start - (-total / len(X))).tolist()


def test_signs_of_all_rows_are_exact_on_the_perceptron_error():
    u = 2.0**-53
    row = [1.0, 1.5 * u, -1.0, -1.75 * u]  # its sum is below 0; in some orders of adding, above
    X = np.repeat(list(permutations(row)), 2, axis=0)
    y = np.tile([1.0, -1.0], len(X) // 2)
    model = GradientDescent(
        error="perceptron", learning_rate=1.0, max_updates=1, init=[0.0, 1.0, 1.0, 1.0, 1.0]
    ).fit(X, y)
    assert model.intercept_[0] == 0.5  # half of the rows, all yes, are mistakes


@pytest.mark.filterwarnings("ignore:Gradient descent:separatrix.NotConvergedWarning")
@pytest.mark.parametrize("batch", [None, 1, 7])
def test_a_measure_of_ones_own_goes_the_same_way(batch):
    X, y = noisy(3, n=2 * TILE + 5)
    options = {"max_updates": 40, "batch_size": batch}
    known = GradientDescent(**options).fit(X, y)
    for points in (X, sp.csr_array(X)):
        own = GradientDescent(error=Own(), **options).fit(points, y)
        assert weights(own) == pytest.approx(weights(known), rel=1e-12)
        assert own.e_in_ == pytest.approx(known.e_in_)
        assert own.gradient_norm_ == pytest.approx(known.gradient_norm_)
    for measure in (PerceptronError(), Squared(), CrossEntropy()):
        by_name = GradientDescent(error=measure.name, **options).fit(X, y)
        by_object = clone(GradientDescent(error=measure, **options)).fit(X, y)
        assert weights(by_object).tobytes() == weights(by_name).tobytes()


# ---------------------------------------------------------------- the lecture


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
    model = GradientDescent(max_updates=2000, **options).fit(*ntu("hw3_train.dat"))
    X, y = ntu("hw3_test.dat")
    assert int((model.predict(X) != y).sum()) == round(ntu_answers()[name] * len(y))


@settings(max_examples=150)
@given(table=integer_tables(), passes=st.integers(1, 12))
def test_online_descent_on_the_perceptron_error_is_pla(table, passes):
    follows_pla(*table, passes)


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), nudge=st.sampled_from([0.0, 2.0**-52, -(2.0**-52), 2.0**-40]))
def test_and_it_is_where_scores_are_all_rounding_error(seed, nudge):
    X = np.random.default_rng(seed).normal(size=(3, 3)) / 3
    X = np.vstack([X, X * (1.0 + nudge)])
    follows_pla(X, np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0]), 10)


@settings(max_examples=100)
@given(
    table=integer_tables(),
    passes=st.integers(1, 6),
    eta=st.sampled_from([0.1, 0.3, 1 / 3, 1e-3, 7.7, 1e-9, 1e200]),
)
def test_any_rate_gives_plas_path(table, passes, eta):
    follows_pla(*table, passes, eta)


@settings(max_examples=40)
@given(table=integer_tables(), eta=st.sampled_from([0.1, 1 / 3, 7.7]), seed=st.integers(0, 99))
def test_any_rate_gives_plas_path_from_a_start_of_ones_own(table, eta, seed):
    start = np.random.default_rng(seed).integers(-3, 4, table[0].shape[1] + 1) * eta
    follows_pla(*table, 4, eta, start)


def follows_pla(X, y, passes, eta=1.0, start=None):
    """The same weights after every pass, bit for bit, until the *full* gradient vanishes.

    It does so where no mistake is left, and where the pulls of all mistakes cancel.
    """
    Z = np.column_stack((np.ones(len(y)), X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        for k in range(1, passes + 1):
            pla = Perceptron(max_iter=k, learning_rate=eta, init=start).fit(X, y)
            model = GradientDescent(
                error="perceptron", learning_rate=eta, batch_size=1, max_updates=k * len(y),
                init=start,
            ).fit(X, y)  # fmt: skip
            if model.n_updates_ < k * len(y):
                wrong = mistakes(X, y, weights(model))
                assert not (y[wrong] @ Z[wrong]).any()
                assert model.stopped_ is Stopped.SMALL_GRADIENT
                return
            assert np.array_equal(weights(model), weights(pla))


def test_from_zero_the_perceptron_error_starts_though_it_is_zero_there():
    X, y = noisy(4)
    model = GradientDescent(error="perceptron", learning_rate=1.0, max_updates=1).fit(X, y)
    assert weights(model) == pytest.approx(np.concatenate(([y.mean()], y @ X / len(y))))


# ---------------------------------------------------------------- where it leads


def test_cross_entropy_leads_to_logistic_regression():
    X, y = noisy(5, n=200)
    model = GradientDescent(learning_rate=2.0, max_updates=5000, tol=1e-12).fit(X, y)
    assert model.stopped_ is Stopped.SMALL_GRADIENT
    assert model.gradient_norm_ <= 1e-12
    best = LogisticRegression(tol=1e-12).fit(X, y)
    assert weights(model) == pytest.approx(weights(best), rel=1e-8)
    again = GradientDescent(init=weights(model), tol=1e-12).fit(X, y)
    assert (again.n_updates_, again.n_iter_) == (0, 0)


@pytest.mark.parametrize("sparse", [False, True])
def test_squared_leads_to_linear_regression(sparse):
    X, y = noisy(6, n=200)
    points = sp.csr_array(X) if sparse else X
    model = GradientDescent(error="squared", tol=1e-11, max_updates=2000).fit(points, y)
    assert model.stopped_ is Stopped.SMALL_GRADIENT
    assert weights(model) == pytest.approx(weights(LinearRegressionClassifier().fit(X, y)))
    start = GradientDescent(error="squared", init="regression", tol=1e-11).fit(points, y)
    assert start.n_updates_ == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_the_gram_matrix_agrees_with_the_rows(weighted, monkeypatch):
    X, y = noisy(7, n=2 * TILE + 100, d=6)
    X = X * [1e-3, 1.0, 10.0, 1.0, 1.0, 1.0] + [0, 5.0, 0, 0, 0, 1.0]
    weight = np.random.default_rng(0).integers(0, 3, len(y)) if weighted else None
    options = {"error": "squared", "learning_rate": 0.005, "max_updates": 300}
    taken = []
    of = gradients.GramGradients.of
    monkeypatch.setattr(gradients.GramGradients, "of", lambda *given: taken.append(1) or of(*given))
    gram = GradientDescent(**options).fit(X, y, weight)
    rows = GradientDescent(**options).fit(sp.csr_array(X), y, weight)
    assert len(taken) == 1  # and sparse rows went without
    assert weights(gram) == pytest.approx(weights(rows), rel=1e-9)
    assert gram.e_in_ == pytest.approx(rows.e_in_, rel=1e-12)
    assert gram.gradient_norm_ == pytest.approx(rows.gradient_norm_, rel=1e-6)


@pytest.mark.parametrize("error", SMOOTH)
def test_weights_are_copies(error):
    X, y = noisy(8)
    k = np.random.default_rng(1).integers(0, 4, len(y))
    copies = GradientDescent(error=error).fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    weighed = GradientDescent(error=error).fit(X, y, sample_weight=k)
    assert weights(weighed) == pytest.approx(weights(copies), rel=1e-9)
    assert weighed.e_in_ == pytest.approx(copies.e_in_)


# ---------------------------------------------------------------- same bytes


PROGRAM = """
import hashlib, numpy as np
from separatrix import GradientDescent
from tests.learners.test_gradient_descent import Own, noisy, weights
X, y = noisy(0, n=9000, d=7)
digest = hashlib.sha256()
for error in ("perceptron", "squared", "cross_entropy", Own()):
    for options in ({}, {"batch_size": 50, "shuffle": True, "random_state": 3}):
        model = GradientDescent(error=error, max_updates=40, **options).fit(X, y)
        digest.update(weights(model).tobytes() + np.float64(model.e_in_).tobytes())
print(digest.hexdigest())
"""


def test_same_bytes_for_any_number_of_threads():
    found = set()
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


def test_the_seed_decides_the_order_of_every_pass():
    X, y = noisy(9)

    def fitted(**options):
        return weights(GradientDescent(batch_size=7, max_updates=50, **options).fit(X, y)).tobytes()

    assert fitted(shuffle=True, random_state=1) == fitted(shuffle=True, random_state=1)
    assert fitted(shuffle=True, random_state=1) != fitted(shuffle=True, random_state=2)
    assert fitted(random_state=1) == fitted(random_state=2)


def test_fortran_order_and_float32_are_the_same_table():
    X, y = noisy(10)
    X = X.astype(np.float32)
    plain = GradientDescent().fit(X.astype(np.float64), y)
    for points in (X, np.asfortranarray(X), X[::-1][::-1]):
        assert weights(GradientDescent().fit(points, y)).tobytes() == weights(plain).tobytes()


# ---------------------------------------------------------------- when it ends, and how


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


def test_unit_steps_are_as_long_as_the_learning_rate():
    X, y = noisy(13)
    ends = [
        weights(GradientDescent(step="unit", learning_rate=0.25, max_updates=k).fit(X, y))
        for k in range(5)
    ]
    assert np.linalg.norm(np.diff(ends, axis=0), axis=1) == pytest.approx(0.25)


def test_interrupted_it_keeps_the_weights_so_far():
    X, y = noisy(14)
    calls = []

    class Impatient(Own):
        def slope(self, a):
            calls.append(1)
            if len(calls) > 5:
                raise KeyboardInterrupt
            return super().slope(a)

    model = GradientDescent(error=Impatient())
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert (model.stopped_, model.n_updates_) == (Stopped.INTERRUPTED, 5)
    assert weights(model) == pytest.approx(naive("cross_entropy", X, y, 0.1, 5))


# ---------------------------------------------------------------- rates: too large, and safe


def largest(X, y, error, weight=None):
    """eta_max = 2 / L by NumPy's eigenvalues."""
    Z = np.column_stack((np.ones(len(y)), X))
    weight = np.ones(len(y)) if weight is None else weight
    gram = (Z * (weight / weight.sum())[:, None]).T @ Z
    return 2.0 / ({"squared": 2.0, "cross_entropy": 0.25}[error] * np.linalg.eigvalsh(gram)[-1])


@pytest.mark.parametrize("error", ["squared", "cross_entropy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_safe_rate_is_one_over_l_and_never_more(error, weighted):
    for seed in range(10):
        X, y = noisy(seed, n=50 + seed, d=1 + seed)
        X = X * np.random.default_rng(seed).uniform(0.01, 100.0, X.shape[1]) + seed
        weight = np.random.default_rng(seed).uniform(0.1, 5.0, len(y)) if weighted else None
        model = GradientDescent(error=error, learning_rate="safe", max_updates=50)
        model.fit(X, y, weight)
        exact = largest(X, y, error, weight)
        assert model.max_learning_rate_ == pytest.approx(exact, rel=5e-3)
        assert model.learning_rate_ == pytest.approx(model.max_learning_rate_ / 2.0)
        sparse = clone(model).fit(sp.csr_array(X), y, weight)
        assert exact / (1 + X.shape[1]) * 0.99 < sparse.max_learning_rate_ < exact


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    error=st.sampled_from(["squared", "cross_entropy"]),
    batch=st.sampled_from([None, 1, 4]),
)
def test_safe_steps_go_downhill_step_by_step(seed, error, batch):
    X, y = noisy(seed, 20, 3)
    X = X * np.random.default_rng(seed).uniform(0.001, 1000.0, 3)
    w, before = np.zeros(4), np.inf
    for _ in range(12):
        model = GradientDescent(error=error, learning_rate="safe", init=w, max_updates=1)
        model.fit(X, y)
        assert model.e_in_ <= before * (1.0 + 1e-12)
        w, before = weights(model), model.e_in_
    by_rows = GradientDescent(error=error, learning_rate="safe", batch_size=batch, max_updates=60)
    longest = (1.0 + (X * X).sum(axis=1)).max()
    by_rows.set_params(batch_size=3).fit(X, y)  # a warning would be an error here
    curvature = 2.0 if error == "squared" else 0.25
    assert by_rows.max_learning_rate_ == pytest.approx(2.0 / (curvature * longest))


@pytest.mark.parametrize("error", ["squared", "cross_entropy"])
def test_a_rate_beyond_two_over_l_is_said(error):
    X, y = noisy(2, n=80)
    top = largest(X, y, error)
    words = r"ended above its start.*Lower learning_rate \(\d.*eta_max = 2 / L is \d.*'safe'"
    with pytest.warns(NotConvergedWarning, match=words):
        model = GradientDescent(error=error, learning_rate=100.0 * top, max_updates=30).fit(X, y)
    assert model.learning_rate_ == 100.0 * top
    assert model.max_learning_rate_ == pytest.approx(top, rel=5e-3)
    assert model.stopped_ is Stopped.UPDATES_SPENT
    GradientDescent(error=error, learning_rate=0.9 * top, max_updates=30).fit(X, y)  # no warning
    with pytest.warns(NotConvergedWarning, match="overflow.*eta_max = 2 / L"):
        GradientDescent(error="squared", learning_rate=9.0 * top, max_updates=5000).fit(X, y)


def test_steps_that_jump_over_the_minimum_and_back_are_said_below_the_start_too():
    X, y = np.array([[1.0], [1.0], [1.0], [1.0]]), [0, 0, 0, 1]
    model = GradientDescent(fit_intercept=False, learning_rate=13.0, init=[0.0, -5.0])
    with pytest.warns(NotConvergedWarning, match="back and forth.*eta_max"):
        model.fit(X, y)
    start = GradientDescent(fit_intercept=False, max_updates=0, init=[0.0, -5.0]).fit(X, y)
    assert model.e_in_ < start.e_in_
    model.set_params(learning_rate="safe").fit(X, y)
    assert model.coef_[0] == pytest.approx(np.log(1 / 3))


def test_online_descent_that_ends_above_its_start_is_said():
    X, y = noisy(5, n=200)
    start = weights(LogisticRegression().fit(X, y))
    with pytest.warns(NotConvergedWarning, match="ended above its start.*was 0"):
        GradientDescent(batch_size=1, learning_rate=8.0, max_updates=200, init=start).fit(X, y)


def test_rates_of_measures_without_a_bound():
    X, y = noisy(6)
    assert GradientDescent(error="perceptron").fit(X, y).max_learning_rate_ is None
    assert GradientDescent(step="unit").fit(X, y).max_learning_rate_ is None
    model = GradientDescent(error=OwnSquared(), learning_rate=9.0, max_updates=20)
    with pytest.warns(
        NotConvergedWarning, match=r"above its start.*Lower learning_rate \(9.0\)\.$"
    ):
        model.fit(X, y)
    bounded = OwnSquared()
    bounded.largest_curvature = 2.0
    own = GradientDescent(error=bounded, learning_rate="safe").fit(X, y)
    assert own.max_learning_rate_ == pytest.approx(largest(X, y, "squared"), rel=5e-3)


def test_only_zeros_move_nothing():
    model = GradientDescent(fit_intercept=False, learning_rate="safe").fit([[0.0], [0.0]], [0, 1])
    assert (model.max_learning_rate_, model.n_updates_) == (np.inf, 0)


@pytest.mark.parametrize("error", ["cross_entropy", CrossEntropy()])
def test_probabilities_are_those_of_cross_entropy(error):
    X, y = noisy(5, n=200)
    model = GradientDescent(error=error, learning_rate="safe", max_updates=20_000).fit(X, y)
    best = LogisticRegression(tol=1e-12).fit(X, y)
    assert model.predict_proba(X) == pytest.approx(best.predict_proba(X), abs=1e-6)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("error", ["perceptron", "squared", Own()])
def test_other_scores_are_no_probabilities(error):
    assert not hasattr(GradientDescent(error=error), "predict_proba")


# ---------------------------------------------------------------- refusals and files


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
        ({"error": ZeroOne()}, "piecewise constant"),
        ({"error": "hinge"}, "'hinge' is not known; choose one of 'perceptron', 'squared', 'cross"),
        ({"error": Squared}, "is a class"),
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
    with pytest.raises(InputError, match=words):
        GradientDescent(**options).fit(*noisy(15))


def test_weights_are_for_all_rows_at_once():
    X, y = noisy(16)
    with pytest.raises(InputError, match="batch_size=1: k copies"):
        GradientDescent(batch_size=1).fit(X, y, sample_weight=np.full(len(y), 2.0))
    plain = GradientDescent(batch_size=1).fit(X, y)
    ones = GradientDescent(batch_size=1).fit(X, y, sample_weight=np.ones(len(y)))
    assert weights(ones).tobytes() == weights(plain).tobytes()


@pytest.mark.parametrize(
    ("error", "name"), [("squared", "squared"), (CrossEntropy(), "cross_entropy"), (Own(), "Own")]
)
def test_a_file_remembers_the_measure_by_name(error, name, tmp_path):
    X, y = noisy(17)
    model = GradientDescent(error=error, learning_rate=0.01, batch_size=5).fit(X, y)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert (again.error, again.learning_rate, again.batch_size) == (name, 0.01, 5)
    if name == "Own":
        with pytest.raises(InputError, match="'Own' is not known"):
            again.fit(X, y)
