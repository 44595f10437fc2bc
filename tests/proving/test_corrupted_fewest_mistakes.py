"""Proofs of the fewest mistakes that show nothing, limits; broken solvers claim nothing."""

from dataclasses import replace

import pytest

from separatrix import verify
from separatrix.proving import asking
from separatrix.zero_one.proof import Unproven
from tests.proving.fewest_mistakes import csv_of, proof_of
from tests.zero_one.breaking import drop_rows, stop_early
from tests.zero_one.tables import noisy


@pytest.mark.parametrize(
    ("bound", "cores", "holds"),
    [
        (1, [0, [], [[1, 0, 2, 1, 1, 2, 1]]], True),
        (1, [0, [], [1, [], [2, [], [[3, 0, 2, 1, 1, 2, 1]]]]], True),  # 3 times, by no line
        (1, [0, [], []], False),
        (2, [0, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
        (2, [0, [0, [], []], [[1, 0, 2, 1, 1, 2, 1]]], False),  # wrong twice over
        (2, [0, [[1, 0, 2, 1, 1, 2, 1]], [[1, 0, 2, 1, 1, 2, 1]]], False),  # wrong, and pays again
        (2, [0, [], [[2, 0, 2, 1, 1, 2, 1]]], False),  # rows 1 and 2 pay twice
        (1, [-1, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
        (1, [3, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
    ],
)
def test_cases_count_a_row_once_and_let_others_pay_once(bound, cores, holds):
    rows = [[1, 0], [-1, 1], [-1, -1]]  # twice the first and the others cancel: 1 mistake
    proof = [[0, 1], [], [[bound, 1, cores]]]
    if holds:
        assert verify.mistakes_shown(rows, [1, 1, 1], proof) == 1
    else:
        with pytest.raises(verify.Refuted):
            verify.mistakes_shown(rows, [1, 1, 1], proof)


@pytest.mark.parametrize("cases", [True, False])
def test_a_time_limit_ends_the_check_of_cores_and_of_their_cases(cases):
    """Cases halve: a proof of some kilobytes may have millions, each as long as the table."""
    tree = [[0, 0, 2, 1, 1, 2, 1]] * 4096
    if cases:
        tree = []
        for _ in range(12):
            tree = [0, tree, tree]
    looks = []

    class FewLooks(verify.Limits):
        def look_at_the_clock(self):
            looks.append(1)
            if len(looks) > 100:
                raise verify.CannotCheck("the time limit was met")

    with pytest.raises(verify.CannotCheck, match="time limit"):
        verify.mistakes_shown(
            [[1, 0], [-1, 1], [-1, -1]], [1, 1, 1], [[0, 1], [], [[0, 1, tree]]], FewLooks()
        )


def bound_too_high(monkeypatch):
    whole = asking.fewest_mistakes

    def more(*arguments, **named):
        found = whole(*arguments, **named)
        return replace(found, exact_lower=found.exact_lower + 1)

    monkeypatch.setattr(asking, "fewest_mistakes", more)


def wrong_sign(monkeypatch):
    """The line of the claim is turned round: its mistakes are counted, not believed."""
    whole = asking.fewest_mistakes

    def turned(*arguments, **named):
        found = whole(*arguments, **named)
        return replace(found, weights=-found.weights)

    monkeypatch.setattr(asking, "fewest_mistakes", turned)


@pytest.mark.parametrize("break_it", [stop_early, drop_rows, bound_too_high, wrong_sign])
def test_a_broken_solver_is_caught_before_a_claim_is_printed(break_it, tmp_path, monkeypatch):
    X, y = noisy(60, 3, 0.2, 4)
    path = csv_of(tmp_path / "t.csv", X, y)
    honest = "\n".join(proof_of(path).statements)
    assert "no line has less" in honest
    break_it(monkeypatch)
    try:
        said = "\n".join(proof_of(path).statements)
    except (Unproven, verify.Refuted, verify.CannotCheck):
        return
    assert "no line has less" not in said
