"""Proofs of the fewest mistakes made by hand: what closes a box, what only looks as if it did."""

from __future__ import annotations

import pytest

from separatrix import verify
from separatrix.verify import Refuted

# on the face v_1 = 1 the first is wrong where v_0 <= 3/4, the second where v_0 >= 1/4; on the other
# faces one row is wrong everywhere. A cell is 1/16 there, from v_0 = -1.
THREE_ROWS = [[4, -3], [-4, 1], [0, 1]]
CUT, CLOSED, COVERED, PACKED, _, SPLIT = range(6)


def by_boxes(rows, weights, bound, *steps) -> int:
    faces = [[], [], list(steps), []]
    lemma = [[], [0, 1], [], [[1, 0], [0, 1]], bound, faces]
    return verify.mistakes_shown(rows, weights, [[0, 1], [], [lemma]])


STEPS_THAT_CLOSE = [
    (COVERED, 0, 20),
    (COVERED, 0, 28),
    (CUT, 0, 64 * 28, CLOSED, 0, 0),
    (CUT, 0, 12, CLOSED, 0, 0),
    (SPLIT, 0, 2, COVERED, 0, 16),
    (SPLIT, 0, 3, COVERED, 0, 16, CLOSED, 0, 0),
    (PACKED, 0, 0, 2, 0, 1, 1, 1, 0),
]
STEPS_THAT_DO_NOT = [
    (COVERED, 0, 19),
    (COVERED, 0, 29),
    (COVERED, 0, 33),
    (CUT, 0, 64 * 29, CLOSED, 0, 0),
    (CUT, 0, 13, CLOSED, 0, 0),
    (CUT, 0, 64 * 19, CLOSED, 0, 0),
    (CLOSED, 0, 0),
    (SPLIT, 0, 0),
    (SPLIT, 0, 1, CLOSED, 0, 0),
    (PACKED, 0, 0, 2, 0, 1, 2, 1, 0),
    (PACKED, 0, 0, 2, 0, 0, 1, 0, 0),
    (COVERED, 0, 20, CLOSED, 0, 0),  # a step too many
    (6, 0, 0),
]


@pytest.mark.parametrize("steps", STEPS_THAT_CLOSE)
def test_steps_that_close_a_face_show_the_bound(steps):
    assert by_boxes(THREE_ROWS, [1, 1, 1], 1, *steps) == 1


@pytest.mark.parametrize("steps", STEPS_THAT_DO_NOT)
def test_steps_that_leave_a_gap_show_nothing(steps):
    with pytest.raises(Refuted):
        by_boxes(THREE_ROWS, [1, 1, 1], 1, *steps)


def test_no_weight_is_spent_twice_in_a_box():
    rows = [*THREE_ROWS, [4, -2], [-8, 3]]
    first, second = (2, 0, 1, 1, 1), (2, 3, 1, 4, 1)
    assert by_boxes(rows, [1, 1, 2, 1, 1], 2, PACKED, 0, 0, *first, *second, 0) == 2
    with pytest.raises(Refuted):
        by_boxes(rows, [1, 1, 2, 1, 1], 2, PACKED, 0, 0, *first, *first, 0)
    # of [-1, 5/8] the first row is wrong in all: the core with it adds nothing to its weight
    with pytest.raises(Refuted):
        by_boxes(rows, [2, 2, 3, 1, 1], 3, CUT, 0, 6, PACKED, 0, 0, *first, 0)
