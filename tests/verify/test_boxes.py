"""Proofs of the fewest mistakes made by hand: rows that merge, boxes and cores."""

from contextvars import copy_context

import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted
from tests.verify.by_hand import (
    CLOSED,
    CORE,
    CORES,
    LEMMA,
    PACKED,
    SPLIT,
    THREE_ROWS,
    TRIANGLE,
    XOR,
    above,
    below,
    csv_of,
    lemma,
    proof_of,
    said,
    shown,
    without_zeros,
)


def by_boxes(rows, weights, bound, *steps) -> int:
    return shown(rows, weights, lemma(bound, [[], [], list(steps), []]))


STEPS_THAT_CLOSE = [
    (SPLIT, 0, 4 * 20), (SPLIT, 0, 4 * 28),
    (SPLIT, 0, above(28), CLOSED, 0, 0), (SPLIT, 0, below(20), CLOSED, 0, 0),
    (SPLIT, 0, above(16), SPLIT, 0, 4 * 16),
    (SPLIT, 0, 3 + 4 * 16, SPLIT, 0, 4 * 16, CLOSED, 0, 0),
    (PACKED, 0, 0, 2, 0, 1, 1, 1, 0),
    (SPLIT, 0, above(20), SPLIT, 0, below(32), CLOSED, 0, 0),  # 48 cells are left
    # 61 cells are left: the half has 30, and ends 1/32 right of the middle
    (SPLIT, 0, above(1), SPLIT, 0, above(1), SPLIT, 0, above(30), SPLIT, 0, 4 * 14),
    (SPLIT, 0, above(1), SPLIT, 0, above(1), SPLIT, 0, above(30), SPLIT, 0, 4 * 46),
]  # fmt: skip

STEPS_THAT_DO_NOT = [
    (SPLIT, 0, 4 * 19), (SPLIT, 0, 4 * 29), (SPLIT, 0, 4 * 33), (SPLIT, 0, 4 * 16),
    (SPLIT, 0, above(29), CLOSED, 0, 0), (SPLIT, 0, below(19), CLOSED, 0, 0),
    (SPLIT, 0, above(19), CLOSED, 0, 0), (CLOSED, 0, 0), (SPLIT, 0, below(16), CLOSED, 0, 0),
    (PACKED, 0, 0, 2, 0, 1, 2, 1, 0), (PACKED, 0, 0, 2, 0, 0, 1, 0, 0),
    (SPLIT, 0, 4 * 20, CLOSED, 0, 0),  # a step too many
    (4, 0, 0),
    (SPLIT, 0, above(28), 4, 0, 0),  # closed, but by no step that is one
    (SPLIT, 0, above(20), SPLIT, 0, below(49), CLOSED, 0, 0),
    (SPLIT, 0, above(20), SPLIT, 0, below(-1), CLOSED, 0, 0),
    (SPLIT, 0, above(33), CLOSED, 0, 0), (SPLIT, 0, below(-1), CLOSED, 0, 0),
    (SPLIT, 1, 4 * 20),  # of no width there
    (SPLIT, -2, 4 * 20),
    (PACKED, 0, 0, -1, 0),
    (SPLIT, 0, above(1), SPLIT, 0, above(1), SPLIT, 0, above(30), SPLIT, 0, 4 * 13),
    (SPLIT, 0, above(1), SPLIT, 0, above(1), SPLIT, 0, above(30), SPLIT, 0, 4 * 47),
]  # fmt: skip


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
        by_boxes(rows, [2, 2, 3, 1, 1], 3, SPLIT, 0, below(26), PACKED, 0, 0, *first, 0)


COVER = [[], [], [SPLIT, 0, 4 * 20], []]


def test_rows_may_come_in_any_order_each_once():
    assert shown(THREE_ROWS, [2, 1, 3], lemma(1, COVER, ids=(2, 0, 1))) == 1
    for ids in [(0, 1, 2, 2), (0, 1, 2, 3), (-1, 0, 1)]:
        with pytest.raises(Refuted):
            shown(THREE_ROWS, [1, 1, 1], lemma(1, COVER, ids=ids))


def test_the_last_lemma_must_be_about_all_rows():
    some = lemma(1, COVER, ids=(0, 1, 2))
    assert shown(THREE_ROWS, [1, 1, 1], some) == 1
    with pytest.raises(Refuted):
        shown([*THREE_ROWS, [9, 9]], [1, 1, 1, 1], some)
    assert shown([*THREE_ROWS, [9, 9]], [1, 1, 1, 1], some, lemma(1, COVER)) == 1


def test_a_chart_turns_rows_from_the_right():
    turned = [[4, -7], [-4, 5], [0, 1]]  # times the chart: THREE_ROWS
    assert shown(turned, [1, 1, 1], lemma(1, COVER, chart=((1, 1), (0, 1)))) == 1
    with pytest.raises((Refuted, CannotCheck)):
        shown(turned, [1, 1, 1], lemma(1, COVER, chart=((1, 0), (1, 1))))


@pytest.mark.parametrize(
    ("chart", "faces"),
    [
        ([[1, 0]], COVER), ([[1]], COVER[:2]), ([[1, 0, 0], [0, 1, 0]], COVER),
        ([[1, 0], [0, 1, 0]], COVER), ([[1, 0], [2, 0]], COVER), ([[0, 0], [0, 0]], COVER),
        ([[0, 0], [0, 0]], [[], [], [], []]),  # of w = 0 every row is wrong
        ([[1, 0], [0, 1]], COVER[:3]),
        ([[1, 0], [0, 1]], [*COVER, []]),
    ],
)  # fmt: skip
def test_a_chart_that_misses_directions_shows_nothing(chart, faces):
    with pytest.raises(Refuted):
        shown(THREE_ROWS, [1, 1, 1], lemma(1, faces, chart=chart))


def test_rows_are_brought_to_one_length_before_cores_combine_them():
    """[-1, 0] counts as [-4, 0] beside [4, -2]."""
    core = (PACKED, 0, 0, 2, 0, 1, 1, 1, 0)
    assert by_boxes([[4, -2], [-1, 0], [0, 1]], [1, 1, 1], 1, *core) == 1
    with pytest.raises(Refuted):  # it did already
        by_boxes([[4, -2], [-1, 0], [0, 1]], [1, 1, 1], 1, PACKED, 0, 0, 2, 0, 1, 1, 4, 0)


def test_on_wider_faces_each_axis_is_cut_by_itself():
    """Where v_1 <= 0 the last row is wrong, where it is not one of the others."""
    core = [PACKED, 0, 0, 2, 0, 1, 1, 1, 0]
    identity = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

    def in_three(rows, *steps):
        up, down = ([], core) if rows[2][1] < 0 else (core, [])
        by = lemma(1, [[], [], up, down, [*steps], [*steps]], columns=(0, 1, 2), chart=identity)
        return shown(rows, [1, 1, 1], by, columns=(0, 1, 2))

    wide = [[*z, 0] for z in THREE_ROWS]
    other = [[a, -b, 0] for a, b in THREE_ROWS]
    assert in_three(wide, SPLIT, 1, above(16), *core) == 1
    assert in_three(wide, SPLIT, 1, 3 + 4 * 16, *core, CLOSED, 0, 0) == 1
    assert in_three(other, SPLIT, 1, below(16), *core) == 1
    for where in (above(15), above(17), below(16)):
        with pytest.raises(Refuted):
            in_three(wide, SPLIT, 1, where, *core)
    for where in (below(15), below(17), above(16)):
        with pytest.raises(Refuted):
            in_three(other, SPLIT, 1, where, *core)


# A, B, C as before; D is wrong where v_1 = 1, E where v_0 = 1, F where v_0 = -1
SIX_ROWS = [*THREE_ROWS, [1, -2], [-3, 1], [3, 1]]


def by_lemma(weights, bound, *steps, known=((0, 1, 2),)):
    first = [lemma(1, COVER, ids=some) for some in known]
    return shown(SIX_ROWS, weights, *first, lemma(bound, [[], [], list(steps), []]))


def test_a_lemma_adds_to_what_is_wrong_beside_its_rows():
    assert by_lemma([1, 1, 2, 1, 1, 1], 2, LEMMA, 0, 0) == 2
    assert by_lemma([1, 1, 2, 1, 1, 1], 2, LEMMA, 1, 0, known=[(0, 1, 2, 5), (0, 1, 2)]) == 2
    assert by_lemma([1, 2, 4, 2, 4, 4], 3, SPLIT, 0, below(28), LEMMA, 0, 0) == 3
    with pytest.raises(Refuted):
        by_lemma([1, 1, 3, 1, 2, 2], 3, LEMMA, 0, 0)
    with pytest.raises(Refuted):  # in all of [-1, 3/4] A is wrong: not once more by the lemma
        by_lemma([1, 2, 4, 2, 4, 4], 4, SPLIT, 0, below(28), LEMMA, 0, 0)


def test_a_core_costs_the_least_of_what_its_rows_have_left():
    """And rows of which one is spent show nothing more, whatever the others weigh."""
    core = (2, 0, 1, 1, 1)
    assert by_boxes(THREE_ROWS, [2, 5, 5], 2, PACKED, 0, 0, *core, 0) == 2
    assert by_boxes(THREE_ROWS, [5, 2, 5], 2, PACKED, 0, 0, *core, *core, 0) == 2
    five = [*THREE_ROWS, [-3, 1], [3, 1]]  # the last two on the faces v_0 = 1 and v_0 = -1
    for weights in ([2, 5, 5, 9, 9], [5, 2, 5, 9, 9]):
        with pytest.raises(Refuted):
            by_boxes(five, weights, 3, PACKED, 0, 0, *core, *core, 0)


def test_a_lemma_is_about_rows_that_are_there_and_was_shown_before():
    by = [[], [], [LEMMA, 0, 0], []], [[], [], [LEMMA, 1, 0], []]
    for ids, holds in [((0, 1, 2, 3, 4, 5), True), ((0, 2, 3, 4, 5), False)]:
        known = lemma(1, COVER, ids=(0, 1, 2)), lemma(2, by[0], ids=ids), lemma(2, by[1])
        if holds:
            assert shown(SIX_ROWS, [1, 1, 2, 1, 2, 2], *known) == 2
        else:
            with pytest.raises(Refuted):
                shown(SIX_ROWS, [1, 1, 2, 1, 2, 2], *known)
    for number in (1, 2):  # itself, and none
        with pytest.raises(CannotCheck):
            by_lemma([1, 1, 2, 1, 1, 1], 2, LEMMA, number, 0)
    with pytest.raises(Refuted):
        by_lemma([1, 1, 2, 1, 1, 1], 2, LEMMA, -1, 0)


def test_a_half_that_is_not_named_must_be_closed_in_all_of_it():
    """Here it is at its end alone."""
    other = [[-a, b] for a, b in THREE_ROWS]
    with pytest.raises(Refuted):
        by_boxes(other, [1, 1, 1], 1, SPLIT, 0, above(16), CLOSED, 0, 0)


IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def small_box(*rows):
    """Boxes of [4, -3, 0], [-4, 1, 0] and [0, 4, 0], and one of them so small that units count."""
    parts = lemma(1, [[]] * 6, columns=(0, 1, 2), chart=IDENTITY)
    boxes = verify.Boxes([(z, 7) for z in without_zeros(THREE_ROWS)], parts, [], 3)
    return boxes, verify.Box([1, 2, 3], [11, 12, 13], 5, list(rows))


def test_parts_are_kept_to_the_unit():
    boxes, box = small_box((0, 8, -40), (0, 9, -40), (1, 4, -21), (1, 5, -20), (0, 30, -3))
    low, high, wrong, rows = boxes._part(box, 0, 1, 9)  # two units less above
    assert (low, high, wrong) == ([1, 2, 3], [9, 12, 13], 5 + 7)
    assert rows == [(0, 1, -40), (1, 4, -13), (1, 5, -12), (0, 22, -3)]
    assert boxes._part(box, 1, 4, 11)[:2] == ([1, 4, 3], [11, 11, 13])
    assert boxes._part(box, 0, 3, 11).rows == [(0, 8, -32), (0, 9, -32)]


def test_a_core_and_a_row_are_wrong_to_the_unit():
    boxes, _ = small_box()
    # on v_0 = 1 the first row and twice the second are -4 - v_1
    for v, holds in ((-4, True), (-5, False)):
        box = verify.Box([1, v, 0], [1, 9, 1], 0, [(0, 9, -9), (1, 9, -9)])
        if holds:
            assert boxes._packed(box, iter([2, 0, 1, 1, 2, 0])) == 7
        else:
            with pytest.raises(Refuted):
                boxes._packed(box, iter([2, 0, 1, 1, 2, 0]))
    assert boxes._all_wrong(verify.Box([0, 0, 0], [3, 9, 1], 0, []), [2]) == []
    assert boxes._all_wrong(verify.Box([-9, 4, 0], [3, 9, 1], 0, []), [0]) == [0]
    assert boxes._all_wrong(verify.Box([1, -9, 0], [9, 5, 1], 0, []), [1]) == []
    assert boxes._all_wrong(verify.Box([1, -9, 0], [9, 4, 1], 0, []), [1]) == [1]


def test_boxes_that_wait_are_limited():
    faces = [[], [], [SPLIT, 0, 3 + 4 * 16, SPLIT, 0, 4 * 16, CLOSED, 0, 0], []]
    proof = [[0, 1], [], [lemma(1, faces)]]
    room = 6 * verify.ROOM_OF_OPEN  # two halves, each of two coordinates and a row
    rows = without_zeros(THREE_ROWS)

    def shown_within(limit):
        verify.MOST_MEMORY.set(limit)
        return verify.mistakes_shown(rows, [1, 1, 1], proof, 2)

    assert copy_context().run(shown_within, room) == 1
    with pytest.raises(CannotCheck, match="boxes that wait"):
        copy_context().run(shown_within, room - 1)


@pytest.mark.parametrize(("side", "cell"), [(64, 2), (127, 2), (128, 4), (1 << 51, 1 << 46)])
def test_a_side_has_32_to_63_cells(side, cell):
    assert verify._cell(verify.Box([-3], [side - 3], 0, []), 0) == cell
    with pytest.raises(Refuted):
        verify._cell(verify.Box([-3], [60], 0, []), 0)


def packed(weight, bound, parts, *cores):
    rows = [(z, weight) for z in without_zeros(TRIANGLE)]
    return verify.packed(rows, bound, parts, [[*c] for c in cores])


@pytest.mark.parametrize(
    ("weight", "bound", "parts", "cores"),
    [
        (1, 1, 1, [(1, *CORE)]),
        (2, 2, 1, [(2, *CORE)]),
        (2, 2, 1, [(1, *CORE), (1, *CORE)]),
        (1, 1, 2, [(1, *CORE), (1, *CORE)]),
        (2, 2, 2, [(3, *CORE)]),  # 3/2 is more than 1, so it is 2
        (1, 1, 1, [(0, *CORE), (1, *CORE)]),
        (1, 1, 1, [(1, *CORE, 3, 0)]),
        (1, 0, 1, []),
    ],
)
def test_cores_show_what_their_rows_weigh(weight, bound, parts, cores):
    assert packed(weight, bound, parts, *cores) == ({0, 1, 2, 3, 4}, bound)


@pytest.mark.parametrize(
    ("weight", "bound", "parts", "cores"),
    [
        (1, 1, 1, []), (2, 3, 1, [(2, *CORE)]), (2, 2, 2, [(2, *CORE)]), (2, 3, 2, [(3, *CORE)]),
        (1, 1, 1, [(1, *CORE), (1, *CORE)]), (1, 2, 1, [(2, *CORE)]),
        (1, 1, 1, [(-1, *CORE), (2, *CORE)]), (1, 5, -1, []), (1, 1, 1, [(1, 0, 1, 1, 1, 2, 2)]),
        (1, 1, 1, [(1, 0, 1, 1, 1)]),
        (1, 1, 1, [(1, 1, 1, 2, 1)]),  # the second column does
        (1, 1, 1, [(1, 3, 2, 4, -1)]),  # cancels, by a multiplier below 0
        (1, 1, 1, [(1, 0, 0, 1, 0)]),
        (1, 1, 1, [(1,)]),
        (1, 1, 1, [(1, *CORE, 0, 0)]),  # a row twice
        (3, 1, 1, [(1, *CORE, 0, 0)]),
        (1, 1, 1, [(1, *CORE, 5, 0)]),
        (1, 1, 1, [(1, *CORE, -1, 0)]),
    ],
)  # fmt: skip
def test_cores_that_do_not_cancel_or_spend_too_much_show_nothing(weight, bound, parts, cores):
    with pytest.raises(Refuted):
        packed(weight, bound, parts, *cores)


def test_a_core_of_rows_without_their_multipliers_cannot_be_checked():
    with pytest.raises(CannotCheck):
        shown(TRIANGLE, [1] * 5, [1, 1, [[1, *CORE, 3]]])


def test_what_cores_and_merging_show_is_added():
    rows = [*TRIANGLE[:3], [0, 0], [7, 1], [-7, -1]]
    assert shown(rows, [1, 1, 1, 5, 1, 1], [1, 1, [[1, *CORE]]]) == 5 + 1 + 1
    assert shown(rows, [1, 1, 1, 5, 1, 1], lemma(-3, [[], [], [], []])) == 5 + 1


def test_columns_are_left_out_before_rows_are_looked_at():
    rows = [[2 * a, a, b] for a, b in THREE_ROWS]
    by = lemma(1, [[], [], [SPLIT, 0, 4 * 20], []])
    assert shown(rows, [1, 1, 1], by, columns=(1, 2), relations=[[1, -2, 0]]) == 1
    assert shown(rows, [1, 1, 1], by, columns=("1", 2), relations=[["1", "-2", 0]]) == 1
    for column in ("1/2", 1.0, True, None):
        with pytest.raises(CannotCheck):
            shown(rows, [1, 1, 1], by, columns=(column, 2), relations=[[1, -2, 0]])


@pytest.mark.parametrize("rows", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_multipliers_that_are_left_out_are_worked_out(rows):
    core = {"rows": rows, "share": 1}
    assert "at least 1 mistake " in said(XOR, proof_of(XOR, [{**CORES, "cores": [core]}]))
    for share in (2, "3/2", 0, -1):
        with pytest.raises(Refuted):
            said(XOR, proof_of(XOR, [{**CORES, "cores": [{**core, "share": share}]}]))
    with pytest.raises(Refuted, match="is used above its weight"):
        said(XOR, proof_of(XOR, [{**CORES, "cores": [core, core]}]))
    with pytest.raises(Refuted, match="not a positive whole number"):
        said(XOR, proof_of(XOR, [{**CORES, "cores": [{**core, "rows": rows[:3]}]}]))


def test_rows_with_two_ways_to_cancel_are_no_core():
    data = csv_of([(0, "n"), (0, "y"), (1, "n"), (1, "y")])
    cores = [{"rows": [0, 1], "share": 1}, {"rows": [3, 2], "share": 1}]
    assert "at least 2 mistakes" in said(data, proof_of(data, [{**CORES, "cores": cores}]))
    core = {"rows": [0, 1, 2, 3], "share": 1}
    with pytest.raises(Refuted, match="cancel in several ways"):
        said(data, proof_of(data, [{**CORES, "cores": [core]}]))
    far = csv_of([(1e308, 1e-308, "n"), (1e308, 1e-308, "y")])
    core = {"rows": [0, 1], "share": 1}
    assert "at least 1 mistake " in said(far, proof_of(far, [{**CORES, "cores": [core]}]))


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
    rows, kept = without_zeros(rows), [(*without_zeros([z]), m) for z, m in kept]
    assert verify.merged(rows, weights) == (base, kept)
    assert verify.mistakes_shown(rows, weights, [], 2) == base


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
    assert verify.reduced(without_zeros(rows), columns, relations, 3) == without_zeros(found)


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
        verify.reduced(without_zeros(rows), columns, relations, 3)
