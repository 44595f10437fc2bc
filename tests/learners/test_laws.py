"""What holds for every learner: refusals, and answers to zero scores."""

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

AND = [[0, 0], [0, 1], [1, 0], [1, 1]]
REFUSED = [
    *((learner, {"max_updates": -1}, "0 or more")
      for learner in (sx.Perceptron, sx.AveragedPerceptron, sx.VotedPerceptron, sx.MarginPerceptron,
                      sx.PassiveAggressive, sx.DualPerceptron, sx.Pocket, sx.RatchetPocket)),
    *((learner, {"visit": "sideways"}, "'cyclic'")
      for learner in (sx.Perceptron, sx.AveragedPerceptron, sx.VotedPerceptron, sx.MarginPerceptron,
                      sx.PassiveAggressive, sx.DualPerceptron, sx.Pocket, sx.RatchetPocket)),
    *((learner, {"visit": "naive"}, "searches all rows")
      for learner in (sx.AveragedPerceptron, sx.VotedPerceptron, sx.PassiveAggressive)),
    *((learner, {"learning_rate": rate}, words)
      for learner in (sx.Perceptron, sx.AveragedPerceptron, sx.MarginPerceptron)
      for rate, words in ((-1, "positive"), (0, "positive"), (None, "learning_rate"))),
    *((learner, {"sign_of_zero": 2}, "'mistake'")
      for learner in (sx.Perceptron, sx.AveragedPerceptron, sx.VotedPerceptron, sx.DualPerceptron,
                      sx.Pocket)),
    *((learner, {"init": init}, words)
      for learner in (sx.Perceptron, sx.VotedPerceptron, sx.PassiveAggressive, sx.Pocket,
                      sx.LogisticRegression)
      for init, words in (("guess", "'regression'"), ([1.0], "3 finite numbers"))),
    (sx.Perceptron, {"max_iter": 1.5}, "whole number"),
    (sx.Perceptron, {"max_iter": "abc"}, "max_iter"),
    (sx.Perceptron, {"init": [1.0, 0, 0], "fit_intercept": False}, "fit_intercept=False"),
    (sx.MarginPerceptron, {"margin": -1}, "0 or more"),
    (sx.MarginPerceptron, {"margin": np.inf}, "finite"),
    (sx.MarginPerceptron, {"margin": 1e300, "learning_rate": 1e-9}, "smaller margin"),
    (sx.MarginPerceptron, {"visit": "random"}, "'permuted'"),
    (sx.PassiveAggressive, {"variant": "PA-III"}, "'PA-I'"),
    (sx.PassiveAggressive, {"C": 0}, "positive"),
    (sx.RatchetPocket, {"visit": "naive"}, "visit='naive'"),
    (sx.DualPerceptron, {"kernel": "sigmoid"}, "'polynomial'"),
    (sx.DualPerceptron, {"kernel": "polynomial", "degree": 0}, "1 or more"),
    (sx.DualPerceptron, {"kernel": "rbf", "gamma": -1.0}, "positive"),
    (sx.DualPerceptron, {"coef0": np.nan}, "finite"),
    (sx.DualPerceptron, {"memory_limit": -1}, "0 or more"),
    (sx.DualPerceptron, {"kernel": "polynomial", "degree": 5000, "coef0": 2.0}, "smaller degree"),
    (sx.DualPerceptron, {"kernel": lambda *_: np.ones(3)}, "returned shape"),
    (sx.DualPerceptron, {"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)},
     "kernel of row 0 is nan"),
    (sx.CoordinateDescent01, {"direction": "diagonal"}, "direction='diagonal'"),
    (sx.MinimumErrorClassifier, {"time_limit": -1}, "time_limit"),
    (sx.MinimumErrorClassifier, {"max_nodes": 1.5}, "max_nodes"),
    (sx.MinimumErrorClassifier, {"cost_wrong_no": "1"}, "cost_wrong_no"),
    (sx.LogisticRegression, {"C": 0}, "positive"),
    (sx.LogisticRegression, {"C": "1"}, "C"),
    (sx.LogisticRegression, {"tol": -1.0}, "tol"),
    (sx.LogisticRegression, {"max_iter": "many"}, "max_iter"),
    *((sx.LogisticRegression, {"class_weight": weight}, "weight")
      for weight in ({7: 1.0}, {0: 0, 1: 1}, {0: -1, 1: 1}, {0: np.nan, 1: 1})),
]  # fmt: skip


@pytest.mark.parametrize(("learner", "options", "words"), REFUSED)
def test_what_makes_no_sense_is_refused_with_the_reason(learner, options, words):
    with pytest.raises(sx.InputError, match=words):
        learner(**options).fit(AND, [0, 0, 0, 1])


@pytest.mark.parametrize(
    ("model", "X", "words"),
    [
        (sx.AveragedPerceptron(max_iter=1000), [[0.0], [1e306], [1e306]], "overflow"),
        (sx.PassiveAggressive(variant="PA", fit_intercept=False), [[3e-162], [-1.0], [-1.0]],
         "as short as"),
    ],
)  # fmt: skip
def test_rows_whose_weights_overflow_are_refused(model, X, words):
    with pytest.raises(sx.InputError, match=words):
        model.fit(X, [1, 0, 1] if words == "as short as" else [0, 1, 0])


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
