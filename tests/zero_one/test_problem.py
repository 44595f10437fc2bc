"""A question after presolve: what every line loses is not searched for again."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix.data import read_arrays
from separatrix.zero_one.problem import Costs, Problem, Question


@pytest.mark.parametrize("costs", [Costs(), Costs(2.0, 0.5)])
def test_a_cutoff_counts_merged_rows_only(costs):
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [2.0], [3.0]])
    y = np.array([1, -1, -1, 1, -1, 1, -1])  # the point 0 and the point 1 have both labels
    problem = Problem(Question(read_arrays(X, y, [1, 2, 1, 3, 1, 1, 1]), costs=costs))
    assert problem.base > 0
    for lost in range(5):
        mistakes = problem.weight(lost)
        assert problem.cutoff(mistakes) == lost
        assert problem.cutoff(mistakes + problem.units.unit / 2) == lost
        assert problem.cutoff(mistakes - problem.units.unit / 2) == lost - 1


def test_what_every_line_loses_is_weighed():
    X = np.array([[1.0], [1.0], [4.0]])
    problem = Problem(Question(read_arrays(X, [1, -1, 1], [0.75, 0.25, 0.5])))
    assert problem.weight(0) == Fraction(1, 4)
    assert problem.weight(3) == Fraction(1, 4) + 3 * problem.units.unit
