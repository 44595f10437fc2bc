"""What holds for every learner: what is refused, and that the form of the rows does not matter."""

import numpy as np
import pytest
import scipy.sparse as sp

import separatrix as sx

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


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@pytest.mark.parametrize(
    "model",
    [
        sx.Perceptron(max_updates=50), sx.AveragedPerceptron(max_iter=3),
        sx.MarginPerceptron(max_iter=3), sx.PassiveAggressive(max_iter=3),
        sx.VotedPerceptron(max_iter=2), sx.DualPerceptron(max_updates=30),
        sx.Pocket(max_updates=30, random_state=0), sx.RatchetPocket(max_updates=30, random_state=0),
        sx.CoordinateDescent01(max_updates=5, random_state=0), sx.GradientDescent(max_updates=5),
        sx.GradientDescent(max_updates=9, batch_size=4), sx.LinearRegressionClassifier(),
        sx.LogisticRegression(), sx.LogisticRegression(C=1.0), sx.FirthLogisticRegression(),
    ],
)  # fmt: skip
def test_sparse_rows_give_the_scores_of_dense_ones(model):
    rng = np.random.default_rng(4)
    X = np.where(rng.random((60, 3)) < 0.6, 0.0, rng.integers(-3, 4, (60, 3)).astype(float))
    y = np.where(rng.random(60) < 0.3, 1 - (X[:, 0] > 0), X[:, 0] > 0)
    scores = [model.fit(form(X), y).decision_function(X).tobytes()
              for form in (np.asarray, sp.csr_array)]  # fmt: skip
    assert scores[0] == scores[1]
    if isinstance(model, sx.VotedPerceptron | sx.DualPerceptron):
        assert not hasattr(model, "coef_")  # they are no lines
