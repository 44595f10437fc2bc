"""What holds for every learner: what is refused, and that the form of the rows does not matter."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import (
    AveragedPerceptron,
    CoordinateDescent01,
    DualPerceptron,
    FirthLogisticRegression,
    GradientDescent,
    InputError,
    LinearRegressionClassifier,
    LogisticRegression,
    MarginPerceptron,
    MinimumErrorClassifier,
    PassiveAggressive,
    Perceptron,
    Pocket,
    RatchetPocket,
    VotedPerceptron,
)

AND = [[0, 0], [0, 1], [1, 0], [1, 1]]
REFUSED = [
    *((learner, {"max_updates": -1}, "0 or more")
      for learner in (Perceptron, AveragedPerceptron, VotedPerceptron, MarginPerceptron,
                      PassiveAggressive, DualPerceptron, Pocket, RatchetPocket)),
    *((learner, {"visit": "sideways"}, "'cyclic'")
      for learner in (Perceptron, AveragedPerceptron, VotedPerceptron, MarginPerceptron,
                      PassiveAggressive, DualPerceptron, Pocket, RatchetPocket)),
    *((learner, {"visit": "naive"}, "searches all rows")
      for learner in (AveragedPerceptron, VotedPerceptron, PassiveAggressive)),
    *((learner, {"learning_rate": rate}, words)
      for learner in (Perceptron, AveragedPerceptron, MarginPerceptron)
      for rate, words in ((-1, "positive"), (0, "positive"), (None, "learning_rate"))),
    *((learner, {"sign_of_zero": 2}, "'mistake'")
      for learner in (Perceptron, AveragedPerceptron, VotedPerceptron, DualPerceptron, Pocket)),
    *((learner, {"init": init}, words)
      for learner in (Perceptron, VotedPerceptron, PassiveAggressive, Pocket, LogisticRegression)
      for init, words in (("guess", "'regression'"), ([1.0], "3 finite numbers"))),
    (Perceptron, {"max_iter": 1.5}, "whole number"),
    (Perceptron, {"max_iter": "abc"}, "max_iter"),
    (Perceptron, {"init": [1.0, 0, 0], "fit_intercept": False}, "fit_intercept=False"),
    (MarginPerceptron, {"margin": -1}, "0 or more"),
    (MarginPerceptron, {"margin": np.inf}, "finite"),
    (MarginPerceptron, {"margin": 1e300, "learning_rate": 1e-9}, "smaller margin"),
    (MarginPerceptron, {"visit": "random"}, "'permuted'"),
    (PassiveAggressive, {"variant": "PA-III"}, "'PA-I'"),
    (PassiveAggressive, {"C": 0}, "positive"),
    (RatchetPocket, {"visit": "naive"}, "visit='naive'"),
    (DualPerceptron, {"kernel": "sigmoid"}, "'polynomial'"),
    (DualPerceptron, {"kernel": "polynomial", "degree": 0}, "1 or more"),
    (DualPerceptron, {"kernel": "rbf", "gamma": -1.0}, "positive"),
    (DualPerceptron, {"coef0": np.nan}, "finite"),
    (DualPerceptron, {"memory_limit": -1}, "0 or more"),
    (DualPerceptron, {"kernel": "polynomial", "degree": 5000, "coef0": 2.0}, "smaller degree"),
    (DualPerceptron, {"kernel": lambda *_: np.ones(3)}, "returned shape"),
    (DualPerceptron, {"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)},
     "kernel of row 0 is nan"),
    (CoordinateDescent01, {"direction": "diagonal"}, "direction='diagonal'"),
    (MinimumErrorClassifier, {"time_limit": -1}, "time_limit"),
    (MinimumErrorClassifier, {"max_nodes": 1.5}, "max_nodes"),
    (MinimumErrorClassifier, {"cost_wrong_no": "1"}, "cost_wrong_no"),
    (LogisticRegression, {"C": 0}, "positive"),
    (LogisticRegression, {"C": "1"}, "C"),
    (LogisticRegression, {"tol": -1.0}, "tol"),
    (LogisticRegression, {"max_iter": "many"}, "max_iter"),
    (LogisticRegression, {"class_weight": {7: 1.0}}, "class_weight"),
]  # fmt: skip


@pytest.mark.parametrize(("learner", "options", "words"), REFUSED)
def test_what_makes_no_sense_is_refused_with_the_reason(learner, options, words):
    with pytest.raises(InputError, match=words):
        learner(**options).fit(AND, [0, 0, 0, 1])


@pytest.mark.parametrize(
    ("model", "X", "words"),
    [
        (AveragedPerceptron(max_iter=1000), [[0.0], [1e306], [1e306]], "overflow"),
        (PassiveAggressive(variant="PA", fit_intercept=False), [[3e-162], [-1.0], [-1.0]],
         "as short as"),
    ],
)  # fmt: skip
def test_rows_whose_weights_overflow_are_refused(model, X, words):
    with pytest.raises(InputError, match=words):
        model.fit(X, [1, 0, 1] if words == "as short as" else [0, 1, 0])


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(max_updates=50), AveragedPerceptron(max_iter=3), MarginPerceptron(max_iter=3),
        PassiveAggressive(max_iter=3), VotedPerceptron(max_iter=2), DualPerceptron(max_updates=30),
        Pocket(max_updates=30, random_state=0), RatchetPocket(max_updates=30, random_state=0),
        CoordinateDescent01(max_updates=5, random_state=0), GradientDescent(max_updates=5),
        GradientDescent(max_updates=9, batch_size=4), LinearRegressionClassifier(),
        LogisticRegression(), LogisticRegression(C=1.0), FirthLogisticRegression(),
    ],
)  # fmt: skip
def test_sparse_rows_give_the_scores_of_dense_ones(model):
    rng = np.random.default_rng(4)
    X = np.where(rng.random((60, 3)) < 0.6, 0.0, rng.integers(-3, 4, (60, 3)).astype(float))
    y = np.where(rng.random(60) < 0.3, 1 - (X[:, 0] > 0), X[:, 0] > 0)
    scores = [model.fit(form(X), y).decision_function(X).tobytes()
              for form in (np.asarray, sp.csr_array)]  # fmt: skip
    assert scores[0] == scores[1]
    if isinstance(model, VotedPerceptron | DualPerceptron):
        assert not hasattr(model, "coef_")  # they are no lines
