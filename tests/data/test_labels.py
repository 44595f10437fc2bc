"""What labels get at the door: two of any kind, and no others."""

import numpy as np
import pandas as pd
import pytest

from separatrix import InputError, LinearRegressionClassifier
from separatrix.data import read_labels
from tests.data.refusals import X, refused


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0, 0, None, 1], ["1 missing label", "row 2"]),
        ([0.0, 0.0, np.nan, 1.0], ["1 missing label", "row 2"]),
        (pd.array([0, 0, pd.NA, 1], dtype="Int64"), ["1 missing label", "row 2"]),
        (["yes"] * 4, ["one class only, 'yes'"]),
        (["a", "b", "c", "a"], ["3 labels", "'a' (2 rows)", 'multiclass="ova"']),
        ([" yes", "Yes", "no", "no"], ["' yes'", "'Yes'", "fold_labels=True"]),
        ([1, "1", True, 0], ["mixes"]),
        ([1, 0, True, 0], ["mixes"]),
        ([0.5, 1.25, 3.0, 0.1], ["continuous", "LinearRegression"]),
    ],
)
def test_labels_that_are_not_two_are_refused_with_the_way_out(y, words):
    refused(X, y, *words)


@pytest.mark.parametrize(("y", "yes"), [
    ([0, 0, 0, 1], 1), ([-1, -1, -1, 1], 1), ([False, False, False, True], True),
    (["no", "no", "no", "yes"], "yes"), (["b", "b", "b", "a"], "b"), ([0.0, 0.0, 0.0, 1.0], 1.0),
])  # fmt: skip
def test_two_labels_of_any_kind_and_the_second_is_yes(y, yes):
    model = LinearRegressionClassifier().fit(X, y)
    assert model.classes_[1] == yes
    assert model.predict(X).tolist() == y


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "no"], [0, 1, 1, 0], [1, 0, 0, 1], [-1.0, 1.0, 1.0, -1.0],
        [True, False, True, True], [2**62, 2**62 + 1, 2**62, 2**62],
        np.array([7, 200, 7, 7], dtype=np.uint8),
        np.array([3.0, -4.0, 3.0, 3.0], dtype=">f4"),
    ],
)  # fmt: skip
def test_two_labels_are_what_sorting_says(y):
    y = np.asarray(y)
    classes, signs = read_labels(y)
    expected, positions = np.unique(y, return_inverse=True)
    assert classes.dtype == expected.dtype
    assert classes.tolist() == expected.tolist()
    assert signs.tolist() == np.where(positions == 1, 1.0, -1.0).tolist()


@pytest.mark.parametrize("y", [[np.inf, 1.0], [0.5, 1.0], [np.nan, 1.0], [1.0, 1.0], [1, 2, 3]])
def test_labels_that_are_no_two_whole_numbers_are_refused(y):
    with pytest.raises(InputError):
        read_labels(np.asarray(y))
