"""The bounds of one problem: lines are taken when better, cores when they prove more."""

import numpy as np
import pytest

from separatrix import InputError
from separatrix.data import read_arrays
from separatrix.zero_one.limits import ALL, NO_LIMITS, Budget, Limits
from separatrix.zero_one.problem import Costs, Problem, Question
from separatrix.zero_one.strategy import Bracket


def bracket_of(X, y, told=None):
    problem = Problem(Question(read_arrays(X, y)))
    progress = None if told is None else lambda *bounds: told.append(bounds)
    return Bracket(problem, Budget(None, ALL), progress)


def test_a_better_line_is_taken_and_told():
    told = []
    bracket = bracket_of([[0.0], [0.0], [1.0], [-1.0]], [1, 0, 1, 0], told)
    assert bracket.offer(np.array([0.1, 1.0]))
    assert (bracket.upper, bracket.exact_lower, bracket.closed) == (1, 1, True)
    assert told == [(1.0, 1.0)]
    assert not bracket.offer(bracket.line)  # no better than itself
    assert not bracket.offer(np.array([np.inf, 1.0]))


def test_limits_and_costs_are_checked_by_name():
    assert Limits.of(None, None) == Limits.of(np.inf, None) == NO_LIMITS
    assert Limits.of(2, 10.0) == Limits(2.0, 10)
    assert Costs.of(2, 0.5) == Costs(2.0, 0.5)
    for asked, name in (((-1, None), "time_limit"), ((None, 0.5), "max_nodes"),
                        ((None, "many"), "max_nodes"), ((None, np.inf), "max_nodes")):  # fmt: skip
        with pytest.raises(InputError, match=f"^{name}="):
            Limits.of(*asked)
    for asked, name in (((0, 1), "cost_wrong_yes"), ((1, np.inf), "cost_wrong_no")):
        with pytest.raises(InputError, match=f"^{name}="):
            Costs.of(*asked)
