"""Measures of error: probabilities, refusals and files."""

import numpy as np
import pytest

import separatrix as sx
from tests.learners.descent.measures import Own, noisy
from tests.learners.paths import weights


@pytest.mark.parametrize("error", ["cross_entropy", sx.CrossEntropy()])
def test_probabilities_are_those_of_cross_entropy(error):
    X, y = noisy(5, n=200)
    model = sx.GradientDescent(error=error, learning_rate="safe", max_updates=20_000).fit(X, y)
    best = sx.LogisticRegression(tol=1e-12).fit(X, y)
    assert model.predict_proba(X) == pytest.approx(best.predict_proba(X), abs=1e-6)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("error", ["perceptron", "squared", Own()])
def test_other_scores_are_no_probabilities(error):
    assert not hasattr(sx.GradientDescent(error=error), "predict_proba")


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


def test_weights_are_for_all_rows_at_once():
    X, y = noisy(16)
    with pytest.raises(sx.InputError, match="batch_size=1: k copies"):
        sx.GradientDescent(batch_size=1).fit(X, y, sample_weight=np.full(len(y), 2.0))
    plain = sx.GradientDescent(batch_size=1).fit(X, y)
    ones = sx.GradientDescent(batch_size=1).fit(X, y, sample_weight=np.ones(len(y)))
    assert weights(ones).tobytes() == weights(plain).tobytes()


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
