"""Claims made by hand: what the verifier accepts, and what it does not."""

import base64
import hashlib
import json
import zlib

import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted
from tests.verify import by_hand as by
from tests.verify.by_hand import DIVERGING, EITHER, ONE_WAY, TOUCHING, XOR, csv_of, proof_of, said


def test_a_separating_line_is_verified_with_its_margin_and_bound():
    text = by.said(by.AND, by.proof_of(by.AND, [by.SEPARABLE]))
    assert "The 4 rows are linearly separable" in text
    assert "measured in (1, x): PLA" in text
    assert "Rows weigh" not in text
    assert "origin" not in text
    # rho^2 = 1 / 17, R^2 = 3: floor(51) updates
    assert "squared margin is about 0.0588235" in text
    assert "at most 51 updates" in text


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ([-2, 1, 1], "line 5"),  # (1, 1) is on the line
        ([3, -2, -2], "line 2"),
        ([0, 0, 0], "all weights"),
        ([-1, 2, 2], "line 3"),
    ],
)
def test_a_line_that_does_not_separate_is_refuted(weights, reason):
    claim = {"kind": "separable", "weights": weights}
    with pytest.raises(Refuted, match=reason):
        by.said(by.AND, by.proof_of(by.AND, [claim]))


def test_a_refusal_is_verified_by_the_rows_that_cancel():
    text = by.said(by.XOR, by.proof_of(by.XOR, [by.REFUSED]))
    assert "lines 2, 3, 4 and 5 contradict each other" in text


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"multipliers": ["1", "1", "1", "2"]}, Refuted, "do not cancel"),
        ({"rows": [0, 1], "multipliers": ["1", "1"]}, Refuted, "do not cancel"),  # but in a column
        ({"multipliers": ["1", "1", "1", "-1"]}, CannotCheck, "'multipliers'"),
        ({"multipliers": ["0", "0", "0", "0"]}, CannotCheck, "'multipliers'"),
        ({"multipliers": [1, 1, 1, 1]}, CannotCheck, "'multipliers'"),
        ({"multipliers": [["1"], "1", "1", "1"]}, CannotCheck, "'multipliers'"),
        ({"multipliers": ["1/2", "1/2", "1/2", "1/2"]}, CannotCheck, "'multipliers'"),
        ({"multipliers": ["1", "1", "1"]}, CannotCheck, "3 numbers where 4"),
        ({"rows": [0, 0, 1, 2]}, CannotCheck, "'rows'"),
        ({"rows": [0, 1, 2, 4]}, CannotCheck, "lacks"),
        ({"rows": [0, 1, 2, True]}, CannotCheck, "'rows'"),
        ({"rows": [], "multipliers": []}, CannotCheck, "'rows'"),
        ({"multipliers": ["1", "1", "1", "x"]}, CannotCheck, "'multipliers'"),
        ({"multipliers": ["1", "1", "1", "1/0"]}, CannotCheck, "'multipliers'"),
    ],
)
def test_multipliers_that_prove_nothing_are_not_accepted(change, error, reason):
    with pytest.raises(error, match=reason):
        by.said(by.XOR, by.proof_of(by.XOR, [{**by.REFUSED, **change}]))


def test_touching_needs_both_a_refusal_and_a_line_without_wrong_rows():
    text = by.said(by.TOUCHING, by.proof_of(by.TOUCHING, [by.TOUCHED]))
    assert "quasi-completely separated" in text
    assert "2 on their own side and 2 on it" in text
    with pytest.raises(Refuted, match="wrong side"):
        by.said(by.TOUCHING, by.proof_of(by.TOUCHING, [{**by.TOUCHED, "weights": [-1.5, 1]}]))
    with pytest.raises(Refuted, match="cancel"):
        by.said(by.TOUCHING, by.proof_of(by.TOUCHING, [{**by.TOUCHED, "multipliers": ["a", "b"]}]))


def test_a_line_with_every_row_on_it_does_not_touch():
    flat = by.csv_of([(1, 1, "n"), (1, 1, "y")])
    claim = {"kind": "touching", "weights": [0, 1, -1], "rows": [0, 1], "multipliers": ["1", "1"]}
    with pytest.raises(Refuted, match="every row is on the line"):
        by.said(flat, by.proof_of(flat, [claim]))


def test_overlapping_needs_a_refusal_that_spans_all_rows():
    assert "rank 3" in by.said(by.XOR, by.proof_of(by.XOR, [by.OVERLAPPING]))
    # two equal rows with both labels refuse, but span one dimension of two
    twice = by.csv_of([(1, "n"), (1, "y"), (2, "y")])
    claim = {"kind": "overlapping", "rows": [0, 1], "multipliers": ["1", "1"], "null_space": []}
    with pytest.raises(Refuted, match="do not span"):
        by.said(twice, by.proof_of(twice, [claim]))
    with pytest.raises(Refuted, match="said to vanish"):  # (1, -1) vanishes on x = 1 alone
        by.said(twice, by.proof_of(twice, [{**claim, "null_space": [["1", "-1"]]}]))


def test_a_constant_column_lowers_the_rank_that_has_to_be_spanned():
    flat = by.csv_of([(0, 5, "n"), (1, 5, "y"), (2, 5, "n")])
    claim = {
        "kind": "overlapping", "rows": [0, 1, 2], "multipliers": ["1", "2", "1"],
        "null_space": [["5", "0", "-1"]],
    }  # fmt: skip
    assert "rank 2" in by.said(flat, by.proof_of(flat, [claim]))
    with pytest.raises(Refuted, match="do not span"):
        by.said(flat, by.proof_of(flat, [{**claim, "null_space": []}]))
    # one vector twice is one dimension, not two
    narrow = by.csv_of([(0, 5, 7, "n"), (1, 5, 7, "y"), (2, 5, 7, "n")])
    vectors = [["5", "0", "-1", "0"], ["a", "0", "-2", "0"]]
    with pytest.raises(Refuted, match="do not span"):
        by.said(narrow, by.proof_of(narrow, [{**claim, "null_space": vectors}]))


def test_mistakes_are_recounted_and_rows_on_the_line_are_mistakes():
    assert "makes 1 mistake on the 4 rows" in by.said(by.AND, by.proof_of(by.AND, [by.MISTAKES]))
    on_it = {"kind": "mistakes", "weights": [-1, 1, 0]}
    assert "makes 2 mistakes on the 4 rows" in by.said(by.AND, by.proof_of(by.AND, [on_it]))


def test_cores_bound_the_mistakes_of_every_line():
    assert "at least 1 mistake (" in by.said(by.XOR, by.proof_of(by.XOR, [by.CORES]))
    with pytest.raises(Refuted, match="above its weight"):
        by.said(by.XOR, by.proof_of(by.XOR, [{**by.CORES, "cores": by.CORES["cores"] * 2}]))
    (core,) = by.CORES["cores"]
    halves = {**by.CORES, "cores": [{**core, "share": 0.5}]}  # rounded up: mistakes are whole
    assert "at least 1 mistake (" in by.said(by.XOR, by.proof_of(by.XOR, [halves]))
    worthless = {**core, "share": 0}
    with pytest.raises(Refuted, match="contradict"):
        by.said(by.XOR, by.proof_of(by.XOR, [{**by.CORES, "cores": [worthless]}]))


def test_weights_that_are_not_one_are_never_rounded_up():
    data = b"x1,x2,w,answer\n0,0,1,n\n0,1,0.5,y\n1,0,0.5,y\n1,1,0.5,n\n"
    proof = by.proof_of(data, [{**by.CORES, "cores": [{"rows": [0, 1, 2, 3], "share": 0.5}]}])
    proof["table"] |= {"columns": [0, 1], "weight": 2}
    assert "at least mistakes that weigh about 0.5 (" in by.said(data, proof)


def test_the_fewest_mistakes_of_rows_that_weigh_something_else_are_weighed():
    data = b"x,w,answer\n0,1,n\n0,0.5,y\n1,1,y\n"  # the first two contradict each other
    packed = base64.b64encode(zlib.compress(b"[]")).decode()
    claim = {
        "kind": "fewest mistakes", "weights": [-0.5, 1], "cost_wrong_yes": 1, "cost_wrong_no": 1,
        "unit": 0.5, "proof": packed,
    }  # fmt: skip
    proof = by.proof_of(data, [claim])
    proof["table"] |= {"columns": [0], "weight": 1}
    assert by.said(data, proof).endswith(
        "The mistakes of every line weigh at least about 0.5, and those of the line of claim 1 "
        "about 0.5: no line has less (rows on a line count as wrong)."
    )
    without = data.replace(b"0,0.5,y\n", b"")
    proof["table"]["files"][0]["sha256"] = hashlib.sha256(without).hexdigest()
    assert by.said(without, proof).endswith("The line of claim 1 makes no mistake on the 2 rows.")


def test_a_proof_of_many_claims_says_of_which_it_speaks(tmp_path):
    other = {"kind": "mistakes", "weights": [-1, 1, 0]}
    text = by.said(by.AND, by.proof_of(by.AND, [by.SEPARABLE, by.MISTAKES, other]))
    for words in ("line of claim 1 has", "line of claim 2 makes 1", "line of claim 3 makes 2"):
        assert words in text
    (tmp_path / "t.csv").write_bytes(by.AND)
    wrong = by.proof_of(by.AND, [by.MISTAKES, {**by.SEPARABLE, "weights": [1, 1, 1]}])
    (tmp_path / "p.json").write_text(json.dumps(wrong))
    _, answer = verify.check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
    assert answer.startswith("REFUTED: ")
    assert answer.endswith("(claim 2, separable).")


def test_coefficients_that_diverge_and_where_to():
    text = said(TOUCHING, proof_of(TOUCHING, [DIVERGING]))
    assert "penalty: 'intercept' (downwards), 'x1' (upwards)." in text
    silent = said(TOUCHING, proof_of(TOUCHING, [{**DIVERGING, "directions": []}]))
    assert "'intercept' (direction not shown), 'x1' (direction not shown)." in silent


UP = DIVERGING["directions"][0]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"lines": []}, Refuted, "it is open whether 'intercept' diverges"),
        ({"lines": [["1", "-1"]]}, Refuted, "line 2 is on the wrong side"),
        ({"free": []}, Refuted, "do not span"),
        ({"free": [["1", "1"]]}, Refuted, "does not"),
        ({"multipliers": ["1", "2"]}, Refuted, "cancel"),
        ({"rows": [], "multipliers": [], "free": []}, Refuted, "do not bound"),
        ({"independent": [1, 2]}, Refuted, "do not span"),
        ({"null_space": [["-1", "1"]]}, Refuted, "does not"),
        ({"directions": [{**UP, "direction": -1}]}, Refuted, "do not bound"),
        ({"directions": [{**UP, "times": ["-1"]}]}, Refuted, "not positive"),
        # row 1 vanishes on all that is free: 0 = -0 w_j bounds nothing
        ({"directions": [{**UP, "rows": [1], "direction": -1, "times": [0]}]}, Refuted, "positive"),
        ({"directions": [{**UP, "times": ["2"]}]}, Refuted, "do not bound"),
        ({"directions": [{**UP, "multipliers": ["-1"]}]}, CannotCheck, "'multipliers'"),
        ({"directions": [{**UP, "index": 2}]}, CannotCheck, "does not exist"),
        ({"directions": [{**UP, "direction": 0}]}, CannotCheck, "'direction'"),
        ({"independent": [0, 9]}, CannotCheck, "lacks"),
    ],
)
def test_what_does_not_show_it_is_not_accepted(change, error, reason):
    with pytest.raises(error, match=reason):
        said(TOUCHING, proof_of(TOUCHING, [{**DIVERGING, **change}]))


def test_of_a_separable_table_everything_diverges_and_collinear_columns_are_told_apart():
    line = csv_of([(0, 3, "n"), (2, 3, "y")])  # x2 is constant: collinear with the intercept
    claim = {
        **DIVERGING, "null_space": [["3", "0", "-1"]], "rows": [], "multipliers": [],
        "free": [], "lines": [["-1", "1", "0"]],
        "directions": [
            {"index": 1, "direction": 1, "rows": [0, 1], "multipliers": ["1", "1"], "times": ["2"]}
        ],
    }  # fmt: skip
    text = said(line, proof_of(line, [claim]))
    assert "penalty: 'x1' (upwards)." in text
    assert "no score determines: 'intercept', 'x2'." in text
    both = {**claim, "lines": [["-1", "1", "0"], ["-1/2", "1/2", "0"]], "directions": []}
    assert "'x1' (direction not shown)" in said(line, proof_of(line, [both]))


def test_coefficients_that_diverge_stand_apart_from_those_that_do_not():
    """Rows 1 to 3 overlap in x2, where x1 = 1; all others are beyond that."""
    data = csv_of([(0, 0, "n"), (1, 0, "n"), (1, 1, "y"), (1, 2, "n"), (2, 0, "y")])
    claim = {
        **DIVERGING, "independent": [0, 1, 2], "rows": [1, 2, 3], "multipliers": ["1", "2", "1"],
        "free": [["-1", "1", "0"]], "lines": [["-1", "1", "0"]], "directions": [],
    }  # fmt: skip
    assert said(data, proof_of(data, [claim])).endswith(
        "penalty: 'intercept' (direction not shown), 'x1' (direction not shown). The others do "
        "not: 'x2'."
    )
    none = {
        **claim, "rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"], "free": [],
        "lines": [],
    }  # fmt: skip
    assert said(XOR, proof_of(XOR, [none])).endswith("without a penalty: none.")
    both = {**ONE_WAY, "lines": [["-1", "2", "1/2"], ["-1", "2", "-1/2"]]}
    assert said(EITHER, proof_of(EITHER, [both])).endswith(
        "penalty: 'intercept' (direction not shown), 'x1' (upwards), 'x2' (either way)."
    )


def test_without_an_intercept_the_only_coefficient_may_diverge():
    data = csv_of([(-1, "n"), (1, "y")])
    claim = {
        **DIVERGING, "independent": [0], "rows": [], "multipliers": [], "free": [], "lines": [],
        "directions": [],
    }  # fmt: skip
    with pytest.raises(Refuted, match="it is open whether 'x1' diverges"):
        said(data, proof_of(data, [claim], intercept=False))
    found = said(data, proof_of(data, [{**claim, "lines": [[0, 1]]}], intercept=False))
    assert "penalty: 'x1' (direction not shown)." in found


def test_a_direction_shown_of_one_coefficient_says_nothing_of_another():
    text = said(EITHER, proof_of(EITHER, [ONE_WAY]))
    assert "'x1' (upwards), 'x2' (direction not shown)" in text
    (told,) = ONE_WAY["directions"]
    claim = {**ONE_WAY, "directions": [{**told, "index": 2}]}
    with pytest.raises(Refuted, match="do not bound"):
        said(EITHER, proof_of(EITHER, [claim]))
