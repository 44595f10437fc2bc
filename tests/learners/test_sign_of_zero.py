"""A learner answers a zero score by the sign(0) that it learned with."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

import separatrix as sx
from separatrix.model.strict import sealed
from tests.hostile.profile import examples
from tests.strategies import labelled_grids

WITH_A_RULE = [
    sx.Perceptron, sx.Pocket, sx.RatchetPocket, sx.DualPerceptron, sx.AveragedPerceptron,
    sx.VotedPerceptron,
]  # fmt: skip
WITHOUT = [
    sx.MarginPerceptron,
    sx.PassiveAggressive,
    sx.LinearRegressionClassifier,
    sx.LogisticRegression,
]
RULES = [-1, 1, "mistake"]
X, Y = np.array([[-1.0], [1.0]]), np.array([0, 1])


def of_no_updates(cls, rule):
    """A learner whose every score is 0."""
    return cls(sign_of_zero=rule, max_updates=0).fit(X, Y)


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cls", WITH_A_RULE)
def test_a_zero_score_is_answered_by_the_rule_and_after_a_round_trip(cls, rule, tmp_path):
    model = of_no_updates(cls, rule)
    want = [int(rule == 1)] * 2
    assert model.decision_function(X).tolist() == [0.0, 0.0]
    assert model.predict(X).tolist() == want
    model.set_params(sign_of_zero=-1 if rule == 1 else 1)  # what counts is what it learned with
    assert model.predict(X).tolist() == want
    sx.save(model, tmp_path / "m")
    again = sx.load(tmp_path / "m")
    assert again.predict(X).tolist() == want
    sx.save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize("cls", WITH_A_RULE)
def test_two_points_under_sign_zero_plus_one(cls):
    model = cls(sign_of_zero=1).fit(X, Y)
    assert model.score(X, Y) == 1.0
    assert cls(sign_of_zero=-1).fit(-X, 1 - Y).score(-X, 1 - Y) == 1.0


@pytest.mark.filterwarnings("ignore::separatrix.NoFiniteOptimumWarning")
@pytest.mark.parametrize("cls", WITHOUT)
def test_every_other_learner_answers_no(cls):
    model = cls().fit(X, Y)
    model.intercept_ = np.zeros(1)
    assert model.decision_function([[0.0]]).tolist() == [0.0]
    assert model.predict([[0.0]]).tolist() == [0]


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@examples(60)
@given(table=labelled_grids(), rule=st.sampled_from([-1, 1]), cls=st.sampled_from(WITH_A_RULE))
def test_swapping_labels_and_sign_of_zero_swaps_every_answer(table, rule, cls):
    points, y = table
    budget = {"max_updates": 30} | ({"random_state": 0} if "Pocket" in cls.__name__ else {})
    one = cls(sign_of_zero=rule, **budget).fit(points, y)
    other = cls(sign_of_zero=-rule, **budget).fit(points, -y)
    grid = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * points.shape[1])).reshape(points.shape[1], -1)
    for asked in (points, grid.T):
        assert (one.decision_function(asked) == -other.decision_function(asked)).all()
        assert (one.predict(asked) == -other.predict(asked)).all()


def test_lines_joined_by_votes_answer_by_their_own_rule(tmp_path):
    points, y = np.array([[-1.0], [0.0], [1.0]]), np.array(["a", "b", "c"])
    model = OneVsOneClassifier(sx.Perceptron(sign_of_zero=1)).fit(points, y)
    assert [part.score(points[[i, k]], [0, 1]) for part, (i, k) in zip(
        model.estimators_, [(0, 1), (0, 2), (1, 2)], strict=True)] == [1.0] * 3  # fmt: skip
    sx.save(model, tmp_path / "m")
    again = sx.load(tmp_path / "m")
    for part, loaded in zip(model.estimators_, again.estimators_, strict=True):
        assert loaded.predict(points).tolist() == part.predict(points).tolist()
    rest = OneVsRestClassifier(sx.Perceptron(sign_of_zero=1)).fit(X, Y)
    sx.save(rest, tmp_path / "m")  # two labels by scikit-learn's rule: its own threshold, s > 0
    assert sx.load(tmp_path / "m").predict(X).tolist() == rest.predict(X).tolist()


def test_model_files_without_the_member_mean_no(tmp_path):
    model = sx.Perceptron(sign_of_zero=1).fit(X, Y)
    sx.save(model, tmp_path / "m")
    data = json.loads((tmp_path / "m").read_text())
    assert data["further"] == {"sign_of_zero": 1}
    del data["further"]["sign_of_zero"]
    (tmp_path / "m").write_text(json.dumps(sealed(data)))
    assert sx.load(tmp_path / "m").predict(X).tolist() == [0, 0]
    for value in (0, 2, True, 1.0, "1", None, [1]):
        data["further"] = {"sign_of_zero": value}
        (tmp_path / "m").write_text(json.dumps(sealed(data)))
        with pytest.raises(sx.InputError, match="sign_of_zero"):
            sx.load(tmp_path / "m")
    data["further"], data["learner"], data["parameters"] = {"sign_of_zero": 1}, "Baseline", {}
    (tmp_path / "m").write_text(json.dumps(sealed(data)))
    with pytest.raises(sx.InputError, match="sign_of_zero"):
        sx.load(tmp_path / "m")


def test_files_of_the_default_rule_have_the_bytes_that_they_had(tmp_path):
    sx.save(sx.Perceptron().fit(X, Y), tmp_path / "m")
    assert json.loads((tmp_path / "m").read_text())["further"] == {}


def test_more_rows_may_come_with_another_rule():
    model = sx.Perceptron(sign_of_zero=1).partial_fit(X, Y)
    assert model.predict([[1.0]]).tolist() == [1]
    model.set_params(sign_of_zero=-1)
    model.partial_fit(X[:1], Y[:1])
    assert model.predict([[1.0]]).tolist() == [0]
