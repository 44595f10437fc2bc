"""Models of many labels that were joined, and those that cannot be."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from separatrix import InputError, LinearRegressionClassifier, Perceptron, load, save
from tests.model.files import noisy


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
