"""The averaged and the voted perceptron: exact votes, and the bound in the mean."""

import numpy as np
import pytest

from separatrix import VotedPerceptron

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_votes_are_exact_where_floats_cancel():
    # summed as doubles, 2^60 + 1 - 2^60 is 0; 0.1 + 0.2 - 0.3 is 5.6e-17, and exactly 2.8e-17
    X = np.array([[0.1, 0.2, -0.3], [-1.0, -1.0, -1.0]])
    model = VotedPerceptron(fit_intercept=False, init=[0.0, 1.0, 1.0, 1.0], max_iter=1)
    model.fit(X, [1, 0])
    assert model.votes_.tolist() == [2]
    assert model.decision_function(np.array([[0.1, 0.2, -0.3]])).tolist() == [1.0]
    assert model.decision_function(np.array([[2.0**60, 1.0, -(2.0**60)]])).tolist() == [1.0]
    assert model.decision_function(np.array([[2.0**60, 0.0, -(2.0**60)]])).tolist() == [0.0]


def test_the_expected_error_bound_of_one_pass():
    model = VotedPerceptron(max_iter=1).fit(AND, [0, 0, 0, 1])
    assert model.expected_error_bound_ == 2 * (model.n_updates_ + 1) / 5


@pytest.mark.parametrize(
    "options", [{"max_iter": 2}, {"max_updates": 1}, {"sign_of_zero": -1}, {"init": [1.0, 0, 0]}]
)
def test_without_a_plain_single_pass_there_is_no_bound(options):
    model = VotedPerceptron(**{"max_iter": 1, **options}).fit(AND, [0, 0, 0, 1])
    assert model.expected_error_bound_ is None
