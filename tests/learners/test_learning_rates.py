"""Learning rates: too large, safe, and for which measures."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from separatrix import (
    CrossEntropy,
    GradientDescent,
    LogisticRegression,
    NotConvergedWarning,
    PerceptronError,
    Squared,
    Stopped,
)
from separatrix.data import read_arrays
from separatrix.learners.gradient_descent import (
    lipschitz_of_mean,
    lipschitz_of_rows,
)
from separatrix.learners.mean_error import MeanError
from separatrix.scale import Rows, with_constant
from tests.hostile.profile import examples
from tests.learners.measures import OwnSquared, noisy
from tests.learners.tables import weights


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


@examples(40)
@given(seed=st.integers(0, 10**6), error=st.sampled_from(["squared", "cross_entropy"]))
def test_safe_steps_go_downhill_step_by_step(seed, error):
    X, y = noisy(seed, 20, 3)
    X = X * np.random.default_rng(seed).uniform(0.001, 1000.0, 3)
    w, before = np.zeros(4), np.inf
    for _ in range(12):
        model = GradientDescent(error=error, learning_rate="safe", init=w, max_updates=1)
        model.fit(X, y)
        assert model.e_in_ <= before * (1.0 + 1e-12)
        w, before = weights(model), model.e_in_
    by_rows = GradientDescent(error=error, learning_rate="safe", batch_size=3, max_updates=60)
    longest = (1.0 + (X * X).sum(axis=1)).max()
    by_rows.fit(X, y)  # a warning would be an error here
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


CURVATURE = {Squared: Fraction(2), CrossEntropy: Fraction(1, 4)}


def mean_error(measure, X, y, weight=None, *, x0=1.0):
    return MeanError(Rows.of(with_constant(read_arrays(X, y, weight), x0)), measure)


def bound(measure, X, y, weight=None, *, x0=1.0):
    error = mean_error(measure, X, y, weight, x0=x0)
    return lipschitz_of_mean(error, error, 10**6)


def is_positive_semidefinite(A):
    """By elimination in fractions: a pivot of 0 must have a row of zeros."""
    A = [list(row) for row in A]
    for k in range(len(A)):
        if A[k][k] < 0 or (A[k][k] == 0 and any(A[k][k:])):
            return False
        for i in range(k + 1, len(A)) if A[k][k] else ():
            factor = A[i][k] / A[k][k]
            A[i] = [a - factor * b for a, b in zip(A[i], A[k], strict=True)]
    return True


@examples(120)
@given(
    seed=st.integers(0, 10**6),
    measure=st.sampled_from([Squared(), CrossEntropy()]),
    x0=st.sampled_from([0.0, 1.0]),
    exponents=st.sampled_from([(0, 0), (-3, 3), (-160, -150), (140, 150), (-170, 100)]),
    sparse=st.booleans(),
)
def test_l_is_never_below_the_largest_eigenvalue(seed, measure, x0, exponents, sparse):
    r = np.random.default_rng(seed)
    n, d = int(r.integers(2, 12)), int(r.integers(1, 5))
    X = r.normal(size=(n, d)) * 10.0 ** r.integers(*exponents, d, endpoint=True)
    y, weight = np.append([0, 1], r.integers(0, 2, n - 2)), r.uniform(0.01, 3.0, n)
    L = bound(measure, sp.csr_array(X) if sparse else X, y, weight, x0=x0)
    Z = [[Fraction(x0), *map(Fraction, row)] for row in X.tolist()]
    share = [Fraction(w) for w in weight.tolist()]
    total, c = sum(share), CURVATURE[type(measure)]
    hessian = [
        [c * sum(w * z[i] * z[j] for w, z in zip(share, Z, strict=True)) for j in range(d + 1)]
        for i in range(d + 1)
    ]
    rest = [
        [Fraction(L) * total * int(i == j) - h for j, h in enumerate(row)]
        for i, row in enumerate(hessian)
    ]
    assert is_positive_semidefinite(rest)
    assert max(float(h / total) for row in hessian for h in row) <= L
    if not sparse and exponents == (0, 0):
        halved = [[r - Fraction(L) * total * int(i == j) / 100 for j, r in enumerate(row)]
                  for i, row in enumerate(rest)]  # fmt: skip
        assert not is_positive_semidefinite(halved)


def test_every_row_of_a_batch_is_bound():
    table = [[3.0, 4.0], [0.0, 1.0]], [0, 1]
    assert lipschitz_of_rows(mean_error(Squared(), *table)) == pytest.approx(2.0 * 26.0)
    without = mean_error(CrossEntropy(), *table, x0=0.0)
    assert lipschitz_of_rows(without) == pytest.approx(25.0 / 4.0)
    assert lipschitz_of_rows(mean_error(PerceptronError(), *table)) is None


def test_squares_that_overflow_have_no_bound():
    assert bound(Squared(), [[1e200], [1.0]], [0, 1]) == np.inf
