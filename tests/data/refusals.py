"""A small table, and refusals of it."""

import numpy as np
import pytest

from separatrix import InputError, Perceptron

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [3.0, 3.0]])

Y = np.array([0, 0, 0, 1])


def refused(X, y, *words, learner=None):
    model = Perceptron() if learner is None else learner
    with pytest.raises(InputError) as caught:
        model.fit(X, y)
    for word in words:
        assert word in str(caught.value)
    assert not hasattr(model, "coef_")


def same_line(X_other, y=Y):
    """The learner sees the same numbers in X_other as in X."""
    expected = Perceptron().fit(X, Y)
    got = Perceptron().fit(X_other, y)
    assert got.coef_.tobytes() == expected.coef_.tobytes()
    assert got.intercept_.tobytes() == expected.intercept_.tobytes()
