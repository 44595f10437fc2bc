"""Models of many labels that were joined, and those that cannot be."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from separatrix import InputError, LinearRegressionClassifier, Perceptron, load, save
from separatrix.model.writing import as_data
from tests.model.files import noisy, written


def three(**changes):
    """The file of three lines joined, changed."""

    def change(_):
        X, _ = noisy()
        return {
            **as_data(OneVsRestClassifier(LinearRegressionClassifier()).fit(X, np.arange(80) % 3)),
            **changes,
        }

    return change


PART = {"learner": "Perceptron", "parameters": {}, "weights": [0.0, 1.0], "further": {}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (three(rule="vote"), "rule 'vote' is not known"),
        (three(rule=["ova"]), "not known"),
        (three(models=[]), "0 models are not those of 3 labels"),
        (three(models=7), "models is no list"),
        (three(models=[PART]), "1 models"),
        (three(models=[PART, PART, {**PART, "weights": [1.0]}]), "different columns"),
        (three(models=[PART, PART, {**PART, "learner": "LinearRegression"}]), "no yes / no"),
        (three(models=[PART, PART, {**PART, "learner": "SVC"}]), "'SVC' is not known"),
        (three(models=[PART, PART, {**PART, "learner": "Pocket"}]), "different learners"),
        (three(models=[PART, PART, {**PART, "evil": 1}]), "'evil'"),
        (three(labels={"kind": "whole", "values": [1, 2, 2]}), "not two or more of one kind"),
        (three(labels={"kind": "whole", "values": [1]}), "not two or more"),
        (three(features=["a"]), "1 features"),
        (three(weights=[1.0]), "'weights'"),
    ],
)
def test_joined_models_that_are_none_are_refused(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        load(written(tmp_path, change))


def test_joined_models_that_cannot_be_saved(tmp_path):
    X, _ = noisy()
    y = np.arange(80) % 3
    with pytest.raises(InputError, match="not fitted yet"):
        save(OneVsRestClassifier(Perceptron()), tmp_path / "m")
    with pytest.raises(InputError, match="cannot save a DummyClassifier"):
        save(OneVsOneClassifier(DummyClassifier()).fit(X, y), tmp_path / "m")
    several = OneVsRestClassifier(LinearRegressionClassifier()).fit(X, np.eye(3, dtype=int)[y])
    with pytest.raises(InputError, match="several labels at once"):
        save(several, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rule", [OneVsRestClassifier, OneVsOneClassifier])
def test_two_labels_may_be_joined_too(rule, tmp_path):
    X, y = noisy()
    model = rule(LinearRegressionClassifier()).fit(X, y)
    save(model, tmp_path / "m")
    assert load(tmp_path / "m").predict(X).tolist() == model.predict(X).tolist()
