"""One law for every public learner: it does what its plain form does, bit for bit where it can."""

import importlib.util
import inspect
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

import separatrix
from tests.hostile.profile import examples
from tests.plain import fits
from tests.plain.walks import averaged, dual, margin, passive, perceptron, pockets, ratchet, voted

LAWS = {  # by learner: the law, and the module of the plain form
    "AveragedPerceptron": (averaged, "averaged_perceptron"),
    "CoordinateDescent01": (fits.coordinates, "coordinate_descent_01"),
    "DualPerceptron": (dual, "dual_perceptron"),
    "FirthLogisticRegression": (fits.firth, "firth_logistic_regression"),
    "GradientDescent": (fits.descent, "gradient_descent"),
    "LinearRegression": (fits.regression, "linear_regression"),
    "LinearRegressionClassifier": (fits.classification, "linear_regression"),
    "LogisticRegression": (fits.logistic, "logistic_regression"),
    "MarginPerceptron": (margin, "margin_perceptron"),
    "MinimumErrorClassifier": (fits.fewest, "fewest_mistakes"),
    "PassiveAggressive": (passive, "passive_aggressive"),
    "Perceptron": (perceptron, "pla"),
    "Pocket": (pockets, "pocket"),
    "RatchetPocket": (ratchet, "pocket"),
    "VotedPerceptron": (voted, "voted_perceptron"),
}


@pytest.mark.parametrize("learner", LAWS)
@examples(80)
@given(data=st.data())
def test_fast_equals_plain(learner, data):
    law, _ = LAWS[learner]
    law(data.draw)


def test_every_public_learner_has_a_row():
    public = {name: getattr(separatrix, name) for name in separatrix.__all__}
    learners = {n for n, a in public.items() if inspect.isclass(a) and issubclass(a, BaseEstimator)}
    assert learners == set(LAWS)


@pytest.mark.parametrize("learner", LAWS)
def test_the_docstring_points_to_the_plain_form(learner):
    _, module = LAWS[learner]
    named = re.findall(r"Plain form: `([\w.]+)`", inspect.getdoc(getattr(separatrix, learner)))
    assert named == [f"separatrix.plain.{module}"]
    assert importlib.util.find_spec(named[0])
