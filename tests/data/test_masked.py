"""Masked arrays: what is masked is missing."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from separatrix import InputError, LinearRegression, LinearRegressionClassifier, Perceptron
from separatrix.data import read_weight
from tests.data.refusals import X, Y, refused, same_line


def masked(values, *places, dtype=None):
    array = np.ma.array(values, dtype=dtype)
    for place in places:
        array[place] = np.ma.masked
    return array


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint64, bool, object])
def test_what_is_masked_is_missing(dtype):
    bad = masked(X, (2, 1), (3, 0), dtype=dtype)
    refused(bad, Y, "NaN (a missing value)", "row 2, column 1", "2 such values")
    refused(list(bad), Y, "row 2, column 1", "2 such values")
    model = Perceptron().fit(X, Y)
    with pytest.raises(InputError, match="row 2, column 1"):
        model.predict(bad)


@pytest.mark.parametrize("y", [[0, 0, 0, 1], [0.0, 0.0, 0.0, 1.0], list("nnny"), [True] * 3 + [0]])
def test_a_masked_label_is_missing(y):
    for bad in (masked(y, 1), list(masked(y, 1)), masked(y, 1).reshape(-1, 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", (DataConversionWarning, UserWarning))
            refused(X, bad, "y has 1 missing labels", "row 1")


def test_masked_numbers_and_weights_are_missing():
    refused(X, masked([0.0, 1.0, 2.0, 3.0], 1), "row 1 of y", learner=LinearRegression())
    with pytest.raises(InputError, match="row 3 of sample_weight"):
        read_weight(masked([1, 2, 3, 4], 3), 4)
    model = LinearRegressionClassifier().fit(X, Y)
    for y, weight, word in (
        (masked(Y, 1), None, "y has 1 missing labels"),
        (Y, masked([1, 2, 3, 4], 3), "row 3 of sample_weight"),
    ):
        with pytest.raises(InputError, match=word):
            model.score(X, y, sample_weight=weight)
    with pytest.raises(InputError, match="the first in row 1"):
        LinearRegression().fit(X, Y).score(X, masked([0.0, 1.0, 2.0, 3.0], 1))


def test_an_array_that_masks_nothing_is_its_data():
    same_line(np.ma.array(X), np.ma.array(Y))
    same_line(np.ma.array(X, mask=np.zeros(X.shape, bool)))
