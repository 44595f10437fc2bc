"""What fits attach: of least squares the exact gap, of pockets a recount."""

from dataclasses import replace

import numpy as np
import pytest

import separatrix as sx


def noisy(n=60, d=3):
    made = sx.make_noisy(n, d, flip=0.2)
    return made.X, made.y


def test_a_least_squares_fit_of_small_integers_is_proven_exactly():
    X, y = [[0], [1], [2], [3]], [1.0, 3.0, 4.0, 8.0]
    model = sx.LinearRegression().fit(X, y)
    claim = model.certificate_
    assert claim.proven_gap(X, y) < 1e-30
    off = replace(claim, weights=claim.weights + np.array([0.0, 0.25]))
    # sum (0.25 x)^2 = 14 / 16 above the least, of sum y^2 = 90
    assert off.proven_gap(X, y) == pytest.approx(14 / 16 / 90, rel=1e-12)
    assert not off.verify(X, y)
    assert not claim.verify(X, [1.0, 3.0, 4.0, 9.0])
    assert not claim.verify([[0], [1], [2]], [1.0, 3.0, 4.0])
    with pytest.raises(sx.InputError):
        claim.verify(X, [1.0])


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_squares_classifiers_attach_a_proof_of_any_table(fit_intercept):
    X, y = noisy()
    X = np.column_stack((X, X[:, 0], np.full(len(X), 0.1), 2.0**500 * X[:, 1]))
    weight = np.arange(len(X)) % 3 / 7.0
    labels = np.where(y > 0, "yes", "no")
    model = sx.LinearRegressionClassifier(fit_intercept=fit_intercept).fit(X, labels, weight)
    assert model.certificate_.verify(X, labels)
    worse = model.certificate_.weights.copy()
    worse[1] += 0.01
    assert not replace(model.certificate_, weights=worse).verify(X, labels)


@pytest.mark.parametrize(
    "learner",
    [
        sx.Pocket(max_updates=50),
        sx.RatchetPocket(max_updates=50),
        sx.CoordinateDescent01(max_updates=20),
    ],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_pockets_recount_their_mistakes(learner, weighted):
    X, y = noisy()
    weight = np.arange(len(X)) % 4 / 3.0 if weighted else np.ones(len(X))
    model = learner.set_params(random_state=0).fit(X, y, weight)
    claim = model.certificate_
    assert claim.verify(X, y)
    wrong = y * (X @ model.coef_[0] + model.intercept_) <= 0
    assert claim.n_errors == pytest.approx(weight[wrong].sum(), rel=1e-14)
    assert not replace(claim, n_errors=claim.n_errors - 1 / 3).verify(X, y)
    assert not replace(claim, weights=-claim.weights).verify(X, y)
    assert not replace(claim, weights=claim.weights[1:]).verify(X, y)


def test_a_row_on_the_line_is_counted_as_wrong():
    model = sx.Pocket(max_updates=1, init=[0.0, 1.0]).fit([[0.0], [1.0], [-1.0]], [0, 1, 0])
    claim = replace(model.certificate_, weights=np.array([0.0, 1.0]), n_errors=1.0)
    assert claim.verify([[0.0], [1.0], [-1.0]], [0, 1, 0])


def test_a_start_must_fit_the_table():
    with pytest.raises(sx.InputError, match="start"):
        sx.mistake_bound([[0.0], [1.0]], [-1, 1], [-1.0, 2.0], [1.0])


def test_a_fit_is_proven_whose_shares_are_far_from_balance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 1))
    y = X[:, 0] + rng.logistic(size=4000) > 0
    fit = sx.LogisticRegression().fit(X, y).certificate_
    weights = fit.weights + 0.01  # by more than two rows can make up for
    assert 1e-6 < replace(fit, weights=weights).proven_gap(X, y) < 1e-4
