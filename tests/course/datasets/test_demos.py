"""Demonstration tables are the real ones."""

import numpy as np
import pytest

from separatrix import InputError, Perceptron, load_demo
from separatrix.course.datasets.demos import BREAST_CANCER, questions_of_families

SHAPES = {
    "breast_cancer": ((569, 30), "benign", "malignant", 212),
    "iris_setosa": ((150, 4), "another species", "setosa", 50),
    "iris_versicolor_virginica": ((100, 4), "versicolor", "virginica", 50),
    "wine_0": ((178, 13), "another wine", "wine 0", 59),
    "wine_1_2": ((119, 13), "wine 1", "wine 2", 48),
    "digits_8": ((1797, 64), "another digit", "digit 8", 174),
    "digits_3_8": ((357, 64), "digit 3", "digit 8", 174),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_demonstration_table_is_the_real_one(name):
    shape, no, yes, n_yes = SHAPES[name]
    X, y, names = load_demo(name)
    assert X.shape == shape
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert len(y) == len(X)
    assert len(names) == X.shape[1]
    assert np.unique(y).tolist() == [no, yes]  # in sorted order: the second is yes
    assert (y == yes).sum() == n_yes
    assert name == BREAST_CANCER or name in questions_of_families()


def test_every_demonstration_table_has_two_labels_with_yes_second():
    for name in (BREAST_CANCER, *questions_of_families()):
        if name.startswith("digits") and name[-1] not in "38":
            continue  # the same code for each; these are read often enough
        labels = np.unique(load_demo(name).y).tolist()
        assert len(labels) == 2
        assert labels[1].split()[-1] == ("malignant" if "cancer" in name else name.split("_")[-1])


def test_setosa_is_separable_and_its_line_is_found():
    X, y, _ = load_demo("iris_setosa")
    assert (Perceptron().fit(X, y).predict(X) == y).all()


@pytest.mark.parametrize("name", ["digits_3_3", "digits_8_3", "iris", "", "wine_3", None])
def test_an_unknown_name_is_refused_with_the_list(name):
    with pytest.raises(InputError, match="breast_cancer, iris_setosa") as refusal:
        load_demo(name)
    assert "digits_0_1, digits_0_2, ... digits_8_9" in str(refusal.value)
