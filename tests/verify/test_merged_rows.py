"""Rows and columns that fall together before a proof of the fewest mistakes begins."""

import pytest

from separatrix import verify
from separatrix.verify import Refuted


@pytest.mark.parametrize(
    ("rows", "weights", "base", "kept"),
    [
        ([[0, 0], [1, 2]], [3, 1], 3, [([1, 2], 1)]),
        ([[1, 2], [1, 2]], [1, 2], 0, [([1, 2], 3)]),
        ([[1, 2], [-1, -2]], [3, 1], 1, [([1, 2], 2)]),
        ([[1, 2], [-1, -2]], [1, 3], 1, [([-1, -2], 2)]),
        ([[1, 2], [-1, -2]], [2, 2], 2, []),
        ([[-1, 2], [1, -2], [1, -2], [-1, 2]], [2, 3, 1, 5], 4, [([-1, 2], 3)]),
        ([[0, -1], [0, 1], [5, 0]], [1, 0, 0], 0, [([0, -1], 1)]),
        ([[0, 1], [1, 0], [0, 1]], [0, 1, 2], 0, [([1, 0], 1), ([0, 1], 2)]),
        ([[3, 1], [1, 3], [-1, 3]], [1, 2, 4], 0, [([3, 1], 1), ([1, 3], 2), ([-1, 3], 4)]),
    ],
)
def test_equal_rows_become_one_and_opposite_ones_cost_the_lesser_weight(rows, weights, base, kept):
    assert verify.merged(rows, weights) == (base, kept)
    assert verify.mistakes_shown(rows, weights, []) == base


# the second column is twice the first
TWICE = [[1, 2, 3], [2, 4, 5]]

# and in these the third is three times the first
ALL_ALIKE = [[1, 2, 3], [2, 4, 6]]


@pytest.mark.parametrize(
    ("rows", "columns", "relations", "found"),
    [
        (TWICE, [0, 2], [[2, -1, 0]], [[1, 3], [2, 5]]),
        (TWICE, [2, 1], [[-6, 3, 0]], [[3, 2], [5, 4]]),
        (TWICE, [0, 1, 2], [], TWICE),
        (ALL_ALIKE, [0], [[2, -1, 0], [3, 0, -1]], [[1], [2]]),
    ],
)
def test_columns_that_say_it_all_stand_for_the_others(rows, columns, relations, found):
    assert verify.reduced(rows, columns, relations) == found


@pytest.mark.parametrize(
    ("rows", "columns", "relations"),
    [
        (TWICE, [0, 2], []),
        (TWICE, [0, 2], [[2, -1, 0], [2, -1, 0]]),
        (TWICE, [0, 2], [[0, 0, 0]]),
        (TWICE, [0, 2], [[1, -1, 0]]),
        (TWICE, [0, 2], [[2, -1, 0, 0]]),
        ([[1, 2, 3], [2, 5, 5]], [0, 2], [[2, -1, 0]]),  # holds for the first row
        ([[1, 3, 3], [2, 4, 5]], [0, 2], [[2, -1, 0]]),  # for the last
        (TWICE, [0, 0, 2], [[2, -1, 0]]),
        (ALL_ALIKE, [-1, 0], [[2, -1, 0], [3, 0, -1]]),
        (ALL_ALIKE, [0, 3], [[2, -1, 0], [3, 0, -1]]),
        ([[1, 2, 0], [2, 4, 0]], [2], [[2, -1, 0], [2, -1, 0]]),  # each leans on the other
        ([[1, 2, 0], [2, 4, 0]], [0, 2], [[2, 0, 1]]),
    ],
)
def test_columns_that_say_less_do_not(rows, columns, relations):
    with pytest.raises(Refuted):
        verify.reduced(rows, columns, relations)
