"""The bounds of one problem: lines are taken when better, cores when they prove more."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix import InputError
from separatrix.data import read_arrays
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import EVERY_LINE, CorePool
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


def test_amounts_that_give_away_more_than_a_row_weighs_are_cut():
    bracket = bracket_of([[0.0], [1.0], [2.0], [3.0]], [1, 0, 1, 0])
    rows = bracket.rows
    pool = CorePool(rows, Knowledge(rows, Budget(None, ALL)))
    pool.packed = [(1.0, (0, 1, 2)), (1.0, (1, 2, 3))]  # they share two rows
    assert pool.exact_packing(EVERY_LINE).bound == 1


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
