"""Our learners inside scikit-learn's one-versus-rest and one-versus-one."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

import separatrix as sx

LEARNERS = [
    sx.AveragedPerceptron(),
    sx.DualPerceptron(kernel="rbf", gamma=0.5, max_iter=20),
    sx.GradientDescent(max_updates=200), sx.LinearRegressionClassifier(), sx.LogisticRegression(),
    sx.LogisticRegression(C=1.0), sx.MarginPerceptron(max_iter=20), sx.PassiveAggressive(),
    sx.Perceptron(max_iter=20),
    sx.Pocket(max_updates=100, random_state=0),
    sx.VotedPerceptron(),
]  # fmt: skip
RULES = [OneVsRestClassifier, OneVsOneClassifier]

IRIS = datasets.load_iris()
SPECIES = IRIS.target_names[IRIS.target]


def fitted(rule, learner, X=IRIS.data, y=SPECIES):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.SeparatrixWarning)
        return rule(learner).fit(X, y)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)
def test_answers_are_labels_better_than_chance_and_the_same_when_sparse(rule, learner, tmp_path):
    model = fitted(rule, learner)
    answers = model.predict(IRIS.data)
    assert set(answers) <= set(IRIS.target_names)
    assert (answers != SPECIES).mean() < 0.5  # always one species: 0.667
    assert fitted(rule, learner, sp.csr_array(IRIS.data)).predict(IRIS.data).tolist() == (
        answers.tolist()
    )
    sx.save(model, tmp_path / "m")
    again = sx.load(tmp_path / "m")
    assert type(again) is rule
    assert again.classes_.tolist() == model.classes_.tolist()
    scores = model.decision_function(IRIS.data)
    assert again.decision_function(IRIS.data).tobytes() == scores.tobytes()
    assert again.predict(sp.csr_array(IRIS.data)).tolist() == answers.tolist()
    sx.save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_probabilities_of_labels(tmp_path):
    model = fitted(OneVsRestClassifier, sx.LogisticRegression())
    chances = model.predict_proba(IRIS.data)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    sx.save(model, tmp_path / "m")
    assert sx.load(tmp_path / "m").predict_proba(IRIS.data).tobytes() == chances.tobytes()


def test_a_separable_label_does_not_outshout_the_others():
    # setosa has a separating line, whose length nothing decides; a short one would answer for all
    model = fitted(OneVsRestClassifier, sx.LogisticRegression())
    assert (model.predict(IRIS.data) != SPECIES).sum() <= 5
    setosa = model.estimators_[0]
    assert np.abs(setosa.decision_function(IRIS.data)).min() >= 40.0
    assert set(setosa.predict_proba(IRIS.data)[:, 1]) == {0.0, 1.0}


def test_numbers_and_names_of_columns_survive(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(IRIS.data, columns=list("abcd"))
    for rule in RULES:
        model = fitted(rule, sx.LinearRegressionClassifier(), frame, IRIS.target)
        sx.save(model, tmp_path / "m")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = sx.load(tmp_path / "m")
            assert again.predict(frame).tolist() == model.predict(frame).tolist()
        assert again.predict(frame).dtype.kind == "i"
        assert again.feature_names_in_.tolist() == list("abcd")
