"""Cores of all rows: what they show of the fewest mistakes."""

import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted
from tests.verify.by_boxes import CANCELLING, CORE, COVERED, THREE_ROWS, lemma, shown
from tests.verify.by_hand import CORES, XOR, csv_of, proof_of, said


def packed(weight, bound, parts, *cores):
    return verify.packed([(z, weight) for z in CANCELLING], bound, parts, [[*c] for c in cores])


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
        shown(CANCELLING, [1] * 5, [1, 1, [[1, *CORE, 3]]])


def test_what_cores_and_merging_show_is_added():
    rows = [*CANCELLING[:3], [0, 0], [7, 1], [-7, -1]]
    assert shown(rows, [1, 1, 1, 5, 1, 1], [1, 1, [[1, *CORE]]]) == 5 + 1 + 1
    assert shown(rows, [1, 1, 1, 5, 1, 1], lemma(-3, [[], [], [], []])) == 5 + 1


def test_columns_are_left_out_before_rows_are_looked_at():
    rows = [[2 * a, a, b] for a, b in THREE_ROWS]
    by = lemma(1, [[], [], [COVERED, 0, 20], []])
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


def test_rows_with_two_ways_to_cancel_need_multipliers():
    data = csv_of([(0, "n"), (0, "y"), (1, "n"), (1, "y")])
    cores = [{"rows": [0, 1], "share": 1}, {"rows": [3, 2], "share": 1}]
    assert "at least 2 mistakes" in said(data, proof_of(data, [{**CORES, "cores": cores}]))
    core = {"rows": [0, 1, 2, 3], "share": 1}
    with pytest.raises(Refuted, match="they need multipliers"):
        said(data, proof_of(data, [{**CORES, "cores": [core]}]))
    core["multipliers"] = ["1"] * 4
    assert "at least 1 mistake " in said(data, proof_of(data, [{**CORES, "cores": [core]}]))
    far = csv_of([(1e308, 1e-308, "n"), (1e308, 1e-308, "y")])
    core = {"rows": [0, 1], "share": 1}
    assert "at least 1 mistake " in said(far, proof_of(far, [{**CORES, "cores": [core]}]))
