"""Logistic regression: certified optima, reference values, and data without an optimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import separatrix as sx
from tests.hostile.profile import examples
from tests.learners.logistic.newton import noisy
from tests.learners.tables import weights
from tests.shared_data import DATA, needs_shared, public_table, reference


def cases(kind):
    """The names of the reference fits; one skipped placeholder where the folder is absent."""
    return list(reference()[kind]) if DATA.is_dir() else ["no reference on this machine"]


def columns_of(name, wanted):
    X, y, names = public_table(name)
    return X[:, [names.index(c) for c in wanted if c != "(intercept)"]], y


@needs_shared
@pytest.mark.parametrize("name", cases("logistic_mle"))
def test_maximum_likelihood_reference_values(name):
    known = reference()["logistic_mle"][name]
    X, y = columns_of(name, known["columns"])
    if not known.get("exists", True):
        with pytest.warns(sx.NoFiniteOptimumWarning):
            model = sx.LogisticRegression().fit(X, y)
        assert isinstance(model.certificate_, sx.Separability)
        assert model.certificate_.verify(X, y)
        assert np.isnan(model.standard_errors_).all()
        return
    model = sx.LogisticRegression(tol=1e-12).fit(X, y)
    assert weights(model) == pytest.approx(np.array(known["coef"]), rel=1e-9)
    assert model.standard_errors_ == pytest.approx(np.array(known["std_err"]), rel=1e-6)
    assert int((model.predict(X) != y).sum()) == known["train_errors"]
    assert model.stopped_ is sx.Stopped.CERTIFIED
    if len(y) <= 1500:
        assert model.certificate_.verify(X, y)


@needs_shared
@pytest.mark.parametrize("name", cases("logistic_l2_sklearn_form"))
def test_l2_reference_values(name):
    known = reference()["logistic_l2_sklearn_form"][name]
    X, y = columns_of(name, known["columns"])
    model = sx.LogisticRegression(C=1.0, tol=1e-12).fit(X, y)
    assert weights(model) == pytest.approx(np.array(known["coef"]), rel=1e-6, abs=1e-10)
    if len(y) <= 700:
        assert model.certificate_.verify(X, y)


@examples(25)
@given(seed=st.integers(0, 10**6), C=st.sampled_from([np.inf, 1.0, 0.01]), intercept=st.booleans())
@pytest.mark.filterwarnings("ignore::separatrix.NoFiniteOptimumWarning")
def test_the_certified_gap_is_a_gap(seed, C, intercept):
    X, y = noisy(seed, n=25, d=2)
    if len(set(y)) < 2:
        return
    model = sx.LogisticRegression(C=C, fit_intercept=intercept).fit(X, y)
    if not isinstance(model.certificate_, sx.LogisticGap):
        assert sx.separability(X, y, intercept).verdict != "overlapping"
        return
    assert model.certificate_.verify(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    A = np.column_stack((np.full(len(X), float(intercept)), X))

    def objective(w):
        penalty = 0.0 if np.isinf(C) else w[1:] @ w[1:] / (2 * C)
        return np.logaddexp(0.0, -signs * (A @ w)).sum() + penalty

    best = minimize(objective, weights(model), method="BFGS", options={"gtol": 1e-10}).fun
    assert objective(weights(model)) <= best * (1 + 2e-8)


def test_a_budget_of_steps_is_said():
    X, y = noisy(2)
    with pytest.warns(sx.NotConvergedWarning, match="budget of steps"):
        model = sx.LogisticRegression(max_iter=1).fit(X, y)
    assert model.stopped_ is sx.Stopped.STEPS_SPENT


def test_touching_data_get_the_limit_of_the_likelihood():
    # x2 = 1 only for yes: it diverges upwards; the rest overlap in x1
    X = np.array([[0.0, 0], [1, 0], [2, 0], [3, 0], [1.5, 1], [0.5, 1]])
    y = np.array([0, 1, 0, 1, 1, 1])
    with pytest.warns(sx.NoFiniteOptimumWarning, match=r"quasi-completely.*x2 \(\+\)"):
        model = sx.LogisticRegression(tol=1e-12).fit(X, y)
    finite = sx.LogisticRegression(tol=1e-12).fit(X[:4, :1], y[:4])
    assert model.predict_proba(X[4:])[:, 1].tolist() == [1.0, 1.0]
    assert model.predict_proba(X[:4]) == pytest.approx(finite.predict_proba(X[:4, :1]), rel=1e-6)
    assert model.predict(X[4:]).tolist() == [1, 1]
    assert model.certificate_.verdict == "touching"


@pytest.mark.filterwarnings("ignore::separatrix.NoFiniteOptimumWarning")
@examples(60)
@given(seed=st.integers(0, 10**6))
def test_an_optimum_is_claimed_iff_the_data_overlap(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (7, 2)).astype(float)
    y = rng.integers(0, 2, 7)
    if len(set(y)) < 2:
        return
    model = sx.LogisticRegression().fit(X, y)
    overlapping = sx.separability(X, y).verdict == "overlapping"
    assert isinstance(model.certificate_, sx.LogisticGap) == overlapping
    assert model.certificate_.verify(X, y)


def test_column_units_do_not_matter_without_a_penalty():
    X, y = noisy(4, n=200)
    plain = sx.LogisticRegression(tol=1e-12).fit(X, y)
    scale = np.array([1e-4, 1.0, 1e4])
    scaled = sx.LogisticRegression(tol=1e-12).fit(X * scale, y)
    assert scaled.coef_ * scale == pytest.approx(plain.coef_, rel=1e-8)
    assert scaled.n_iter_ == plain.n_iter_


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_a_penalty_beyond_floats_is_refused(size):
    X = np.array([[-1.0], [-2], [1], [3], [0.5], [-0.7]]) * size
    with pytest.raises(sx.InputError, match="penalty"):
        sx.LogisticRegression(C=1.0).fit(X, [0, 1, 1, 0, 1, 0])


def test_no_penalty_is_spelled_none_or_inf(tmp_path):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    none, inf = (sx.LogisticRegression(C=C).fit(X, y) for C in (None, np.inf))
    assert none.coef_.tobytes() == inf.coef_.tobytes()
    assert none.summary().rows == inf.summary().rows
    assert repr(none) == "LogisticRegression(C=None)"
    sx.save(none, tmp_path / "m.json")
    assert sx.load(tmp_path / "m.json").C is None
    with pytest.warns(sx.NoFiniteOptimumWarning):
        separable = sx.LogisticRegression(C=None).fit(X, [0, 0, 1, 1])
    sx.save(separable, tmp_path / "m.json")
    assert sx.load(tmp_path / "m.json").direction_ is not None


def test_columns_far_from_zero_are_not_said_to_have_changed():
    """The scores' rounding moved the gradient by more than what was taken for a change."""
    rng = np.random.default_rng(39)
    Z = rng.standard_normal((40_000, 3))
    X, score = Z * [1e-6, 1e-3, 1.0] + [1e4, 1e5, 0.0], 3.0 * Z @ [2.0, -1.0, 1.0]
    y = np.where(rng.random(40_000) < 1.0 / (1.0 + np.exp(-score)), 1, -1)
    found, plain = (sx.LogisticRegression().fit(A, y).standard_errors_[1:] for A in (X, Z))
    assert found * [1e-6, 1e-3, 1.0] == pytest.approx(plain, rel=1e-4)
