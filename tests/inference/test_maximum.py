"""The maximum of the likelihood and Wald's errors, beside statsmodels and published values."""

import numpy as np
import pytest

from separatrix.data import InputError, read_arrays
from separatrix.inference.design import Spread
from separatrix.inference.maximum import Maximum
from separatrix.inference.methods import method_named

POOR = (
    [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.5], [1.5, 0.0]],
    [0, 1, 0, 1, 0, 1],
)


def test_corrections_by_hand():
    X, y = np.array(POOR[0]), np.array(POOR[1])
    found = Maximum.of(read_arrays(X, y), 1.0)
    A = np.column_stack((np.ones(6), X))
    p = 1.0 / (1.0 + np.exp(-A @ found.estimates()))
    half = A * np.sqrt(p * (1.0 - p))[:, None]
    bread = np.linalg.inv(half.T @ half)
    h = np.diag(half @ bread @ half.T)
    for name, scale in {
        "HC0": 1.0, "HC1": 6.0 / 3.0, "HC2": 1.0 / (1.0 - h), "HC3": 1.0 / (1.0 - h) ** 2,
    }.items():  # fmt: skip
        meat = (A * (scale * (y - p) ** 2)[:, None]).T @ A
        expected = np.sqrt(np.diag(bread @ meat @ bread))
        np.testing.assert_allclose(found.standard_errors(Spread(name)), expected, rtol=1e-10)


def test_without_an_intercept():
    X, y = np.array(POOR[0]), POOR[1]
    found = Maximum.of(read_arrays(X, y), 0.0)
    assert found.estimates()[0] == 0.0
    assert np.isnan(found.standard_errors(Spread())[0])


def test_separable_rows_have_likelihood_one():
    found = Maximum.of(read_arrays([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), 1.0)
    assert found.log_likelihood == 0.0
    assert found.infinite[1] == 1
    assert np.isnan(found.standard_errors(Spread())).all()


def test_refusals():
    with pytest.raises(InputError, match="HC0, HC1, HC2, HC3"):
        Spread.of("HC4", None)
    with pytest.raises(InputError, match="exclude"):
        Spread.of("HC0", np.zeros(3))
    with pytest.raises(InputError, match="one group"):
        Spread.of(None, np.zeros(3))
    with pytest.raises(InputError, match="wald"):
        method_named("bayes")
