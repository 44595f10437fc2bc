"""The verifier by itself: proofs made by hand, and thousands of corrupted ones.

Nothing here uses the rest of the package, so that an error there cannot hide an error here.
"""

from __future__ import annotations

import ast
import base64
import copy
import hashlib
import json
import math
import random
import subprocess
import sys
import zlib
from fractions import Fraction
from pathlib import Path

import pytest

from separatrix import verify
from separatrix.verify import VERIFIED, CannotCheck, Refuted, check_files, statements

# ---------------------------------------------------------------------- tables and proofs by hand


def csv_of(rows: list[tuple]) -> bytes:
    d = len(rows[0]) - 1
    head = ",".join([*(f"x{j + 1}" for j in range(d)), "answer"])
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]).encode() + b"\n"


def proof_of(data: bytes, claims: list[dict], **more) -> dict:
    d = data.split(b"\n", 1)[0].count(b",")
    column = {"levels": None, "fill": None, "missing": ["", "?"]}
    return {
        "format": "separatrix proof",
        "version": 1,
        "claim": ["whatever"],
        "table": {
            "sha256": hashlib.sha256(data).hexdigest(),
            "dialect": {
                "delimiter": ",", "encoding": "utf-8", "header": True, "quote": '"', "decimal": "."
            },
            "label": {"index": d, "yes": ["y"], "no": ["n"], "unlabelled": []},
            "columns": [{"index": j, **column} for j in range(d)],
        },
        "intercept": True,
        "claims": claims,
        **more,
    }  # fmt: skip


def said(data: bytes, proof: dict) -> str:
    return "\n".join(statements(json.dumps(proof).encode(), data))


AND = csv_of([(0, 0, "n"), (0, 1, "n"), (1, 0, "n"), (1, 1, "y")])
XOR = csv_of([(0, 0, "n"), (0, 1, "y"), (1, 0, "y"), (1, 1, "n")])
LINE = [-3, 2, 2]  # separates AND; its least agreement is 1
# 0 n, 1 n, 1 y, 2 y: the line x = 1 has two rows on it and none on its wrong side
TOUCHING = csv_of([(0, "n"), (1, "n"), (1, "y"), (2, "y")])

SEPARABLE = {"kind": "separable", "weights": LINE}
REFUSED = {"kind": "not separable", "rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"]}
OVERLAPPING = {**REFUSED, "kind": "overlapping", "null_space": []}
TOUCHED = {"kind": "touching", "weights": [-1, 1], "rows": [1, 2], "multipliers": ["a", "a"]}
# the closest point of the hull: (0, 0) never needed; 1 (1,1), 1/2 each of (0,1) and (1,0)
MARGIN = {"kind": "margin", "weights": LINE, "rows": [1, 2, 3], "multipliers": ["1", "1", "2"]}
MISTAKES = {"kind": "mistakes", "weights": [-1, 2, 0]}
CANCELLING = {"rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"]}
CORES = {"kind": "mistakes at least", "cores": [{**CANCELLING, "share": 1}]}


def test_a_separating_line_is_verified_with_its_margin_and_bound():
    text = said(AND, proof_of(AND, [SEPARABLE]))
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
        said(AND, proof_of(AND, [claim]))


def test_a_refusal_is_verified_by_the_rows_that_cancel():
    text = said(XOR, proof_of(XOR, [REFUSED]))
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
        said(XOR, proof_of(XOR, [{**REFUSED, **change}]))


def test_touching_needs_both_a_refusal_and_a_line_without_wrong_rows():
    text = said(TOUCHING, proof_of(TOUCHING, [TOUCHED]))
    assert "quasi-completely separated" in text
    assert "2 on their own side and 2 on it" in text
    with pytest.raises(Refuted, match="wrong side"):
        said(TOUCHING, proof_of(TOUCHING, [{**TOUCHED, "weights": [-1.5, 1]}]))
    with pytest.raises(Refuted, match="cancel"):
        said(TOUCHING, proof_of(TOUCHING, [{**TOUCHED, "multipliers": ["a", "b"]}]))


def test_a_line_with_every_row_on_it_does_not_touch():
    flat = csv_of([(1, 1, "n"), (1, 1, "y")])
    claim = {"kind": "touching", "weights": [0, 1, -1], "rows": [0, 1], "multipliers": ["1", "1"]}
    with pytest.raises(Refuted, match="every row is on the line"):
        said(flat, proof_of(flat, [claim]))


def test_overlapping_needs_a_refusal_that_spans_all_rows():
    assert "rank 3" in said(XOR, proof_of(XOR, [OVERLAPPING]))
    # two equal rows with both labels refuse, but span one dimension of two
    twice = csv_of([(1, "n"), (1, "y"), (2, "y")])
    claim = {"kind": "overlapping", "rows": [0, 1], "multipliers": ["1", "1"], "null_space": []}
    with pytest.raises(Refuted, match="do not span"):
        said(twice, proof_of(twice, [claim]))
    with pytest.raises(Refuted, match="said to vanish"):  # (1, -1) vanishes on x = 1 alone
        said(twice, proof_of(twice, [{**claim, "null_space": [["1", "-1"]]}]))


def test_a_constant_column_lowers_the_rank_that_has_to_be_spanned():
    flat = csv_of([(0, 5, "n"), (1, 5, "y"), (2, 5, "n")])
    claim = {
        "kind": "overlapping", "rows": [0, 1, 2], "multipliers": ["1", "2", "1"],
        "null_space": [["5", "0", "-1"]],
    }  # fmt: skip
    assert "rank 2" in said(flat, proof_of(flat, [claim]))
    with pytest.raises(Refuted, match="do not span"):
        said(flat, proof_of(flat, [{**claim, "null_space": []}]))
    # one vector twice is one dimension, not two
    narrow = csv_of([(0, 5, 7, "n"), (1, 5, 7, "y"), (2, 5, 7, "n")])
    vectors = [["5", "0", "-1", "0"], ["a", "0", "-2", "0"]]
    with pytest.raises(Refuted, match="do not span"):
        said(narrow, proof_of(narrow, [{**claim, "null_space": vectors}]))


def test_the_margin_is_bounded_from_both_sides():
    text = said(AND, proof_of(AND, [MARGIN]))
    # sum lambda z / 4 = (0, 1/4, 1/4): squared length 1/8
    assert "between about 0.0588235 and about 0.125" in text
    with pytest.raises(Refuted, match="does not separate"):
        said(AND, proof_of(AND, [{**MARGIN, "weights": [-2, 1, 1]}]))


def test_mistakes_are_recounted_and_rows_on_the_line_are_mistakes():
    assert "makes 1 mistake on the 4 rows" in said(AND, proof_of(AND, [MISTAKES]))
    on_it = {"kind": "mistakes", "weights": [-1, 1, 0]}
    assert "makes 2 mistakes on the 4 rows" in said(AND, proof_of(AND, [on_it]))


def test_cores_bound_the_mistakes_of_every_line():
    assert "at least 1 mistake (" in said(XOR, proof_of(XOR, [CORES]))
    with pytest.raises(Refuted, match="above its weight"):
        said(XOR, proof_of(XOR, [{**CORES, "cores": CORES["cores"] * 2}]))
    halves = {**CORES, "cores": [{**CANCELLING, "share": 0.5}]}  # rounded up: mistakes are whole
    assert "at least 1 mistake (" in said(XOR, proof_of(XOR, [halves]))
    worthless = {**CANCELLING, "share": 0}
    with pytest.raises(Refuted, match="contradict"):
        said(XOR, proof_of(XOR, [{**CORES, "cores": [worthless]}]))


def test_weights_that_are_not_one_are_never_rounded_up():
    data = b"x1,x2,w,answer\n0,0,1,n\n0,1,0.5,y\n1,0,0.5,y\n1,1,0.5,n\n"
    proof = proof_of(data, [{**CORES, "cores": [{**CANCELLING, "share": 0.5}]}])
    proof["table"] |= {"columns": proof["table"]["columns"][:2], "weight": {"index": 2}}
    assert "at least mistakes that weigh about 0.5 (" in said(data, proof)


def test_the_fewest_mistakes_of_rows_that_weigh_something_else_are_weighed():
    data = b"x,w,answer\n0,1,n\n0,0.5,y\n1,1,y\n"  # the first two contradict each other
    packed = base64.b64encode(zlib.compress(b"[]")).decode()
    claim = {
        "kind": "fewest mistakes", "weights": [-0.5, 1], "cost_wrong_yes": 1, "cost_wrong_no": 1,
        "unit": 0.5, "proof": packed,
    }  # fmt: skip
    proof = proof_of(data, [claim])
    proof["table"] |= {"columns": proof["table"]["columns"][:1], "weight": {"index": 1}}
    assert said(data, proof).endswith(
        "The mistakes of every line weigh at least about 0.5, and those of the line of claim 1 "
        "about 0.5: no line has less (rows on a line count as wrong)."
    )
    without = data.replace(b"0,0.5,y\n", b"")
    proof["table"]["sha256"] = hashlib.sha256(without).hexdigest()
    assert said(without, proof).endswith("The line of claim 1 makes no mistake on the 2 rows.")


def test_least_squares_of_and_by_hand():
    # w = (-1.5, 1, 1) minimises; its residuals y - s are (.5, -.5, -.5, .5), and so is the dual
    claim = {"kind": "least squares", "weights": [-1.5, 1, 1], "dual": [0.5, -0.5, -0.5, 0.5]}
    text = said(AND, proof_of(AND, [claim]))
    assert "a relative 0 below" in text
    assert text.endswith("the line of claim 1, 1.")
    near = {**claim, "weights": [-1.5, 1, 1.25]}
    assert "a relative about 0.111111 below" in said(AND, proof_of(AND, [near]))  # 1.125 against 1
    with pytest.raises(Refuted, match="orthogonal"):
        said(AND, proof_of(AND, [{**claim, "dual": [0.5, -0.5, -0.5, 0.25]}]))
    with pytest.raises(Refuted, match="orthogonal"):  # to the intercept and x2, not to x1
        said(AND, proof_of(AND, [{**claim, "dual": [1, 0, -1, 0]}]))


def test_logistic_against_its_dual():
    # x = 0: n, y; x = 1: n, y; the best line answers 1/2 everywhere: w = 0 is refused as no line,
    # so a third yes row at each makes it w_0 = ln 2, not a double: the gap is tiny, not 0
    data = csv_of([(0, "n"), (0, "y"), (0, "y"), (1, "n"), (1, "y"), (1, "y")])
    third, two_thirds = "1/3", "2/3"  # theta(-a) for yes rows and no rows
    claim = {
        "kind": "logistic", "weights": [math.log(2), 0], "C": None,
        "dual": [two_thirds, third, third, two_thirds, third, third],
    }  # fmt: skip
    text = said(data, proof_of(data, [claim]))
    least = 6 * math.log(3) - 4 * math.log(2)
    assert f"about {least:.5f}" in text
    gap = float(text.split("a relative about ")[1].split()[0])
    assert 0 < gap < 1e-30
    with pytest.raises(Refuted, match="balance"):
        said(data, proof_of(data, [{**claim, "dual": [0.5] * 5 + [0.25]}]))
    with pytest.raises(Refuted, match="between 0 and 1"):
        said(data, proof_of(data, [{**claim, "dual": [2] + [0.5] * 5}]))


def test_penalised_logistic_against_its_dual():
    # x = -1 n, x = 1 y: by symmetry w = (0, c), and the best c solves c = 2 C theta(-c)
    data = csv_of([(-1, "n"), (1, "y")])
    C, slope = 2.0, 1.2
    share = 0.25
    claim = {"kind": "logistic", "weights": [0, slope], "C": C, "dual": [share, share]}
    text = said(data, proof_of(data, [claim]))
    primal = 2 * math.log1p(math.exp(-slope)) + slope**2 / (2 * C)
    entropy = -(share * math.log(share) + (1 - share) * math.log(1 - share))
    dual = 2 * entropy - C * (2 * share) ** 2 / 2
    assert "C = 2, w_0 left out" in text
    gap = float(text.split("a relative about ")[1].split()[0])
    assert gap == pytest.approx((primal - dual) / primal, rel=1e-5)
    assert f"at most about {primal:.5f}" in text
    # the intercept is free: its shares must balance
    with pytest.raises(Refuted, match="balance"):
        said(data, proof_of(data, [{**claim, "dual": [0.25, 0.5]}]))
    through = proof_of(data, [{**claim, "dual": [0.25, 0.5]}], intercept=False)
    assert "w_0 left out" in said(data, through)


def test_the_longest_row_is_found_among_lengths_that_floats_confuse():
    draw = random.Random(3)
    for _ in range(200):
        base = [draw.uniform(0.5, 2.0) for _ in range(6)]
        rows = []
        for _ in range(8):
            row = list(base)
            draw.shuffle(row)  # the same length, in another order, but for an ulp somewhere
            j = draw.randrange(6)
            row[j] = math.nextafter(row[j], draw.choice([0.0, 3.0]))
            rows.append([1.0, *row])
        table = verify.Table("", True, ["intercept", *"abcdef"], [])
        table.points, table.y = rows, [1] * 8
        exact = max(sum(Fraction(v) ** 2 for v in row) for row in rows)
        assert verify.largest_squared_length(table) == exact


def test_a_proof_of_many_claims_says_of_which_it_speaks(tmp_path):
    other = {"kind": "mistakes", "weights": [-1, 1, 0]}
    text = said(AND, proof_of(AND, [SEPARABLE, MISTAKES, other]))
    for words in ("line of claim 1 has", "line of claim 2 makes 1", "line of claim 3 makes 2"):
        assert words in text
    (tmp_path / "t.csv").write_bytes(AND)
    wrong = proof_of(AND, [MISTAKES, {**SEPARABLE, "weights": [1, 1, 1]}])
    (tmp_path / "p.json").write_text(json.dumps(wrong))
    _, answer = verify.check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
    assert answer.startswith("REFUTED: ")
    assert answer.endswith("(claim 2, separable).")


def test_numbers_too_long_to_write_down_are_no_crash(tmp_path):
    data = csv_of([(0, "n"), (1, "y")])
    close = "-1/1" + "0" * 20_000  # a squared margin of about 16^-40000
    text = said(data, proof_of(data, [{"kind": "separable", "weights": [close, "1"]}]))
    assert "makes at most about" in text
    # a dual point that balances, of a line with an agreement beyond what decimals reach by default
    claim = {"kind": "logistic", "weights": ["1" + "0" * 900_000, 0], "C": 1, "dual": [0.5, 0.5]}
    (tmp_path / "t.csv").write_bytes(data)
    (tmp_path / "p.json").write_text(json.dumps(proof_of(data, [claim])))
    code, _ = verify.check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
    assert code in (verify.VERIFIED, verify.CANNOT_CHECK)


def test_no_bound_from_below_may_be_above_what_is_attained():
    data = csv_of([(0, "n"), (0, "y"), (1, "n"), (1, "y")])
    best = {"kind": "logistic", "weights": [0.5, 0], "C": None, "dual": [0.5, 0.5, 0.5, 0.5]}
    text = said(data, proof_of(data, [best]))
    attained = 2 * (math.log1p(math.exp(0.5)) + math.log1p(math.exp(-0.5)))
    gap = 1 - 4 * math.log(2) / attained
    assert float(text.split("a relative about ")[1].split()[0]) == pytest.approx(gap, rel=1e-5)
    for share in (0, 1):  # at the ends they show that nothing is below 0
        text = said(data, proof_of(data, [{**best, "dual": [share] * 4}]))
        assert "a relative 1 below" in text
    with pytest.raises(Refuted, match="balance"):  # the intercept does, x1 does not
        said(data, proof_of(data, [{**best, "dual": [0.5, 0.25, 0.25, 0.5]}]))
    for C in (0, -1):
        with pytest.raises(CannotCheck, match="C is not positive"):
            said(data, proof_of(data, [{**best, "C": C}]))
    with pytest.raises(Refuted, match="from below is above"):
        verify._gap(Fraction(1), Fraction(2))


# ---------------------------------------------------------------------- reading the table


def test_the_words_of_the_proof_are_never_read():
    proof = proof_of(AND, [SEPARABLE], claim=["all rows are purple"])
    assert "purple" not in said(AND, proof)


@pytest.mark.parametrize("words", [None, 3, "a line", {"a": "line"}, [3], [["a line"]]])
def test_words_of_the_proof_are_a_list_of_texts(words):
    with pytest.raises(CannotCheck, match="'claim' in the proof"):
        said(AND, proof_of(AND, [SEPARABLE], claim=words))


def test_of_many_labels_one_side_is_named_in_full():
    yes, no = [f"y{k}" for k in range(15)], [f"n{k}" for k in range(14)]
    data = csv_of([*((1, text) for text in yes), *((0, text) for text in no)])
    proof = proof_of(data, [{"kind": "separable", "weights": [-0.5, 1]}])
    proof["table"]["label"] |= {"yes": yes, "no": no}
    text = said(data, proof)
    assert all(f"'{name}'" in text for name in no)
    assert "'y8' and 1 more (yes, 15 rows)" in text


def test_another_table_is_not_checked():
    with pytest.raises(CannotCheck, match="SHA-256"):
        said(XOR, proof_of(AND, [SEPARABLE]))


def test_rows_without_values_labels_or_weight_are_left_out_and_counted():
    data = b"x,w,answer\n0,1,n\n?,1,y\n1,1,\n5,0,n\n2,2.5,y\n"
    proof = proof_of(data, [{"kind": "separable", "weights": [-1, 1]}])
    proof["table"]["columns"] = proof["table"]["columns"][:1]
    proof["table"]["label"]["unlabelled"] = [""]
    proof["table"]["weight"] = {"index": 1}
    text = said(data, proof)
    assert "The rows: 2 of 5, in lines 2 to 6 of 6; line 1 names the columns. 3 left out: " in text
    assert (
        "1 for want of 'x' (line 3), 1 for want of a label (line 4), 1 for a weight of 0 (line 5)."
    ) in text
    assert "Rows weigh what column 'w' says" in text
    proof["claims"] = [{"kind": "mistakes", "weights": [1, 1]}]
    assert "1 mistake on the 2 rows" in said(data, proof)
    proof["claims"] = [{"kind": "mistakes", "weights": [-3, 1]}]
    assert "1 mistake on the 2 rows, which weigh about 2.5" in said(data, proof)


def test_categories_become_one_column_for_every_level_but_the_first():
    data = b"c,answer\na,n\nb,y\nc,n\n"
    proof = proof_of(data, [{"kind": "separable", "weights": [-1, 2, 0]}])
    proof["table"]["columns"][0] |= {"levels": ["a", "b", "c"]}
    assert "'c=b', 'c=c'" in said(data, proof)
    proof["table"]["columns"][0] |= {"levels": ["a", "b"]}
    with pytest.raises(CannotCheck, match="level that the proof lacks"):
        said(data, proof)


def test_missing_values_are_filled_as_told_and_said():
    data = b"x,answer\n0,n\n?,y\n"
    proof = proof_of(data, [{"kind": "separable", "weights": [-1, 1]}])
    proof["table"]["columns"][0]["fill"] = 2.0
    assert "In 1 row a missing value is filled in" in said(data, proof)


def test_lines_are_counted_as_an_editor_counts_them():
    data = b'x,answer\n\n0,n\n"1\n","y"\n2,y\n'
    proof = proof_of(data, [{"kind": "separable", "weights": [0, 1]}])
    with pytest.raises(Refuted, match="line 3"):
        said(data, proof)
    proof["claims"] = [{"kind": "separable", "weights": [-1.5, 1]}]
    with pytest.raises(Refuted, match="line 4"):
        said(data, proof)
    third = b'x,answer\n\n0,n\n"1\n","y"\n2,n\n'
    claim = {"kind": "separable", "weights": [-0.5, 1]}
    with pytest.raises(Refuted, match="line 6"):  # the quoted cell runs over lines 4 and 5
        said(third, proof_of(third, [claim]))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t["columns"][0].update(missing=["1"]),  # would leave out rows at will
        lambda t: t["label"].update(unlabelled=["n"], no=[]),
        lambda t: t["label"].update(yes=["y", "n"]),
        lambda t: t["label"].update(yes=[]),
        lambda t: t["label"].update(index=3),
        lambda t: t["label"].update(index=-1),
        lambda t: t["dialect"].update(decimal="1"),
        lambda t: t["dialect"].update(delimiter="1"),
        lambda t: t["dialect"].update(delimiter=""),
        lambda t: t["dialect"].update(quote=","),
        lambda t: t["dialect"].update(encoding="utf-16"),
        lambda t: t["dialect"].update(encoding="no such codec"),
        lambda t: t["dialect"].update(header=False),
        lambda t: t["columns"].clear(),
        lambda t: t["columns"][0].update(fill="x"),
        lambda t: t["columns"][0].update(levels=[]),
        lambda t: t["columns"][0].update(levels=["0", "0"]),
        lambda t: t.pop("dialect"),
        lambda t: t.update(columns={}),
        lambda t: t.update(weight={"index": 2}),
        lambda t: t["columns"][0].update(levels=[["a"], "b"]),
        lambda t: t["columns"][0].update(levels=[0, 1]),
        lambda t: t["label"].update(yes=[1]),
        lambda t: t["label"].update(unlabelled=[1]),
        lambda t: t["columns"][0].update(missing=[["?"]]),
        lambda t: t.update(dialect=[]),
        lambda t: t.update(label=3),
        lambda t: t.update(columns=[3]),
        lambda t: t.update(sha256=3),
        lambda t: t.update(name=3),
        lambda t: t.update(name=["t.csv"]),
    ],
)
def test_what_would_read_the_table_wrongly_cannot_be_checked(change):
    proof = proof_of(AND, [SEPARABLE])
    change(proof["table"])
    with pytest.raises(CannotCheck):
        said(AND, proof)


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"{}", b"\xff", b'{"format": "separatrix proof", "version": 2}',
        b'{"format": "separatrix proof", "version": true}',
        b'{"format": "separatrix proof", "version": 3}',
        b'{"format": "separatrix proof", "version": [1]}',
        b'{"format": "separatrix proof", "format": "separatrix proof", "version": 1}',
        b'{"format": "separatrix proof", "version": NaN}',
        b'{"format": "separatrix proof", "version": 1e999}',
        b"[" * 100_000, b'{"a":' * 100_000, b"1" * 10_000,
    ],
)  # fmt: skip
def test_what_is_no_proof_cannot_be_checked(text):
    with pytest.raises(CannotCheck):
        statements(text, AND)


@pytest.mark.parametrize(
    "claims",
    [[], [{}], [{"kind": 3}], [{"kind": "magic"}], [7], {}, [{"kind": "separable"}],
     [{"kind": "separable", "weights": [1, 2]}], [{"kind": "separable", "weights": [1, 2, None]}],
     [{"kind": "separable", "weights": [1, 2, True]}]],
)  # fmt: skip
def test_claims_that_are_none_cannot_be_checked(claims):
    with pytest.raises(CannotCheck):
        said(AND, proof_of(AND, claims))


def test_without_an_intercept_the_line_has_none():
    data = csv_of([(1, "y"), (-1, "n")])
    proof = proof_of(data, [{"kind": "separable", "weights": [0, 1]}], intercept=False)
    assert "through the origin" in said(data, proof)
    assert "measured in x: PLA" in said(data, proof)
    proof["claims"] = [{"kind": "separable", "weights": [1, 1]}]
    with pytest.raises(CannotCheck, match="intercept"):
        said(data, proof)


# ---------------------------------------------------------------------- exactness


def exact_sign(w, x, y) -> int:
    s = y * sum(Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=True))
    return (s > 0) - (s < 0)


def test_signs_are_those_of_fractions_however_the_numbers_are_made():
    draw = random.Random(1)
    for _ in range(300):
        d = draw.randint(1, 4)
        spread = draw.choice([0, 3, 30, 300])
        rows = []
        for _ in range(6):
            size = [2.0 ** draw.randint(-spread, spread) for _ in range(d)]
            rows.append([1.0, *(draw.randint(-3, 3) * s for s in size)])
        table = verify.Table("", True, ["intercept", *"abcd"[:d]], [])
        table.points, table.y = rows, [draw.choice([-1, 1]) for _ in rows]
        table.lines = list(range(6))
        # a line through one of the points, so that exact zeros and near zeros occur
        w = [Fraction(draw.randint(-5, 5), draw.randint(1, 7)) for _ in range(d + 1)]
        through = draw.choice(rows)
        w[0] -= sum(a * Fraction(b) for a, b in zip(w, through, strict=True))
        if not any(w):
            continue
        line = verify.Line(table, w)
        assert [(a > 0) - (a < 0) for a in line.scores] == [
            exact_sign(w, x, y) for x, y in zip(rows, table.y, strict=True)
        ]
        agreements = [
            y * sum(a * Fraction(b) for a, b in zip(w, x, strict=True))
            for x, y in zip(rows, table.y, strict=True)
        ]
        assert line.least() == min(agreements)
        assert [line.agreement(n) for n in range(6)] == agreements
        lengths = [sum(Fraction(v) ** 2 for v in x) for x in rows]
        assert verify.largest_squared_length(table) == max(lengths)


def test_a_difference_far_below_a_doubles_reach_decides():
    # 1e16 + 1 - 1e16 - 1 + 2^-60, which floats cancel to nothing or worse
    data = csv_of([(1e16, 1, "y"), (-1e16, 1, "n")])
    tiny = Fraction(1, 2**60)
    weights = ["-1", "1", "1"]  # agreements: 1e16 - 1 + 1 and 1e16 + 1 - 1
    assert "separable" in said(data, proof_of(data, [{"kind": "separable", "weights": weights}]))
    close = csv_of([(0.1, "y"), (0.1, "n")]).replace(b"0.1,n", b"0.09999999999999999,n")
    middle = -(Fraction(0.1) + Fraction(0.09999999999999999)) / 2 - tiny * 0
    claim = {
        "kind": "separable",
        "weights": [f"{middle.numerator:x}/{middle.denominator:x}", "1"],
    }
    assert "separable" in said(close, proof_of(close, [claim]))


@pytest.mark.parametrize("seed", range(20))
def test_the_rank_modulo_a_prime_is_the_rank_of_small_integers(seed):
    import numpy as np

    draw = np.random.default_rng(seed)
    low = draw.integers(-3, 4, size=(6, 2)) @ draw.integers(-3, 4, size=(2, 5))
    assert verify.rank_at_least(low.astype(float).tolist()) == np.linalg.matrix_rank(low)


def test_a_time_limit_ends_the_check():
    rows = [(k, "y" if k > 5000 else "n") for k in range(10_000)]
    data = csv_of(rows)
    proof = proof_of(data, [{"kind": "separable", "weights": [-5000.5, 1]}])
    with pytest.raises(CannotCheck, match="time limit"):
        statements(json.dumps(proof).encode(), data, deadline=0.0)


# ---------------------------------------------------------------------- as a plain script


def run(*arguments: str) -> subprocess.CompletedProcess:
    # -I: no environment, no user site, not the folder of the script: the standard library alone
    return subprocess.run(
        [sys.executable, "-I", "-S", verify.__file__, *arguments],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_as_a_script_it_answers_and_exits_as_promised(tmp_path):
    table, proof = tmp_path / "and.csv", tmp_path / "proof.json"
    table.write_bytes(AND)
    for claim, code, word in (
        (SEPARABLE, 0, "VERIFIED\n"),
        ({**SEPARABLE, "weights": [1, 1, 1]}, 1, "REFUTED: "),
        ({"kind": "magic"}, 3, "CANNOT CHECK: "),
    ):
        proof.write_text(json.dumps(proof_of(AND, [claim])))
        done = run(str(proof), str(table))
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.startswith(word)
    assert run(str(proof)).returncode == 2
    assert run(str(proof), str(table), "--time-limit", "soon").returncode == 2
    assert run(str(tmp_path), str(table)).returncode == 3
    assert run(str(proof), str(tmp_path / "none")).returncode == 3


def test_it_imports_the_standard_library_alone():
    tree = ast.parse(Path(verify.__file__).read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module.split(".")[0])
    assert imported <= set(sys.stdlib_module_names)


# ---------------------------------------------------------------------- corruption


THREE = csv_of([(0, 1.5, "n"), (2, 0.25, "n"), (1, 3, "y"), (4, 4, "y"), (1, 1, "n"), (0, 5, "y")])
# the second column is constant: losing the vector that says so would raise the rank
FLAT = csv_of([(0, 5, "n"), (1, 5, "y"), (2, 5, "n")])
SPANNING = {
    "kind": "overlapping", "rows": [0, 1, 2], "multipliers": ["1", "2", "1"],
    "null_space": [["5", "0", "-1"]],
}  # fmt: skip
PROOFS = [
    (AND, proof_of(AND, [SEPARABLE, MARGIN, MISTAKES])),
    (FLAT, proof_of(FLAT, [SPANNING])),
    (XOR, proof_of(XOR, [OVERLAPPING, CORES, {"kind": "mistakes", "weights": [-0.5, 1, 1]}])),
    (TOUCHING, proof_of(TOUCHING, [TOUCHED])),
    (
        THREE,
        proof_of(
            THREE,
            [
                {"kind": "separable", "weights": ["-f/2", "1", "3"]},
                {"kind": "mistakes", "weights": [0.25, -1.5, 3.0]},
            ],
        ),
    ),
]


def corrupted(text: bytes, draw: random.Random) -> bytes:
    """One of the things that happen to files: a digit, a sign, a cut, swapped or lost parts."""
    kind = draw.randrange(12)
    if kind == 0:
        places = [i for i, c in enumerate(text) if chr(c).isdigit()]
        i = draw.choice(places)
        return text[:i] + str(draw.randrange(10)).encode() + text[i + 1 :]
    if kind == 1:
        i = draw.randrange(len(text))
        return text[:i] + draw.choice([b"-", b"+", b"0", b"1", b"e", b"/"]) + text[i:]
    if kind == 2:
        return text[: draw.randrange(len(text))]
    if kind == 3:
        i = draw.randrange(len(text))
        return text[:i] + bytes([draw.randrange(256)]) + text[i + 1 :]
    if kind == 4:
        i, j = sorted(draw.sample(range(len(text)), 2))
        return text[:i] + text[j:]
    proof = json.loads(text)
    claims = proof["claims"] if "claims" in proof else proof["questions"]
    places = list(walk(proof if kind < 8 else claims))
    box, key = draw.choice(places)
    if kind in (5, 8):
        del box[key]
    elif kind >= 9:  # a number of a claim
        box[key] = draw.choice([-2, 0.5, 1, 2, 3, "1", "2", "-5/2", "1/3"])
    elif kind == 6:
        other, other_key = draw.choice(places)
        box[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(box[key])
    else:
        box[key] = draw.choice([None, True, -1, 0, 1, 2.5, "", "1", "-7/3", [], {}, [0], "y", "n"])
    return json.dumps(proof).encode()


def walk(data):
    keys = range(len(data)) if isinstance(data, list) else list(data)
    for key in keys:
        yield data, key
        if isinstance(data[key], list | dict):
            yield from walk(data[key])


def rows_of(data: bytes, proof: dict) -> list[list[Fraction]]:
    """Z, by a reading of its own."""
    told = proof["table"]
    lines = data.decode().splitlines()
    Z = []
    for row in (line.split(",") for line in lines[1 if told["dialect"]["header"] else 0 :]):
        sign = 1 if row[int(told["label"]["index"])] in told["label"]["yes"] else -1
        point = [Fraction(1 if proof["intercept"] else 0)]
        for column in told["columns"]:
            cell = row[int(column["index"])]  # 1.0 is a whole number of JSON
            if column.get("levels") is None:
                point.append(Fraction(float(cell)))
            else:
                point += [Fraction(cell == level) for level in column["levels"][1:]]
        Z.append([sign * v for v in point])
    return Z


def of_separable(Z, claim, scores, w) -> str:
    assert min(scores) > 0
    radius = max(sum(v * v for v in z) for z in Z)
    return f"at most {math.floor(radius * sum(v * v for v in w) / min(scores) ** 2):,} updates"


def of_mistakes(Z, claim, scores, w) -> str:
    return f"makes {sum(s <= 0 for s in scores)} mistake"


def of_touching(Z, claim, scores, w) -> str:
    assert cancels(Z, claim)
    assert min(scores) >= 0 < max(scores)
    return "quasi-completely"


def of_refused(Z, claim, scores, w) -> str:
    assert cancels(Z, claim)
    return "contradict each other"


def of_overlapping(Z, claim, scores, w) -> str:
    import numpy as np

    assert cancels(Z, claim)
    table = np.array([[float(v) for v in z] for z in Z])
    rank = np.linalg.matrix_rank(table)
    assert np.linalg.matrix_rank(table[claim["rows"]]) == rank
    return f"(rank {rank})"


def of_margin(Z, claim, scores, w) -> str:
    assert min(scores) > 0
    multipliers = [number(a) for a in claim["multipliers"]]
    assert min(multipliers) > 0
    total = [
        sum(a * Z[n][j] for a, n in zip(multipliers, claim["rows"], strict=True))
        for j in range(len(Z[0]))
    ]
    below = min(scores) ** 2 / sum(v * v for v in w)
    above = sum(v * v for v in total) / sum(multipliers) ** 2
    return f"between {verify.short(below)} and {verify.short(above)}"


def of_cores(Z, claim, scores, w) -> str:
    shares = [number(core["share"]) for core in claim["cores"]]
    assert all(cancels(Z, core) for core in claim["cores"])
    for n in range(len(Z)):
        spent = [s for s, c in zip(shares, claim["cores"], strict=True) if n in c["rows"]]
        assert sum(spent, Fraction(0)) <= 1
    return f"at least {math.ceil(sum(shares))} mistake"


TRUTHS = {
    "separable": of_separable, "mistakes": of_mistakes, "touching": of_touching,
    "not separable": of_refused, "overlapping": of_overlapping, "margin": of_margin,
    "mistakes at least": of_cores,
}  # fmt: skip


def oracle(data: bytes, text: bytes) -> list[str]:
    """What a true answer must say, from Fractions; an assertion fails where a claim is false."""
    proof = json.loads(text)
    Z = rows_of(data, proof)
    found = []
    for claim in proof["claims"]:
        w = [number(v) for v in claim.get("weights", [])]
        scores = [sum(a * b for a, b in zip(w, z, strict=True)) for z in Z] if w else []
        found.append(TRUTHS[claim["kind"]](Z, claim, scores, w))
    return found


def number(value) -> Fraction:
    if isinstance(value, str):
        above, _, below = value.partition("/")
        return Fraction(int(above, 16), int(below or "1", 16))
    return Fraction(value)


def cancels(Z, claim) -> bool:
    multipliers = [number(a) for a in claim["multipliers"]]
    assert min(multipliers) > 0
    return all(
        sum(a * Z[n][j] for a, n in zip(multipliers, claim["rows"], strict=True)) == 0
        for j in range(len(Z[0]))
    )


def test_ten_thousand_corruptions_verify_nothing_false():
    draw = random.Random(20261120)
    answers = {"same": 0, "another truth": 0, "refuted": 0, "cannot": 0}
    for k in range(10_000):
        data, proof = PROOFS[k % len(PROOFS)]
        original = json.dumps(proof).encode()
        spoilt = corrupted(original, draw)
        try:
            now = statements(spoilt, data)
        except Refuted:
            answers["refuted"] += 1
        except CannotCheck:
            answers["cannot"] += 1
        else:
            same = now == statements(original, data)
            answers["same" if same else "another truth"] += 1
            text = "\n".join(now)
            for truth in oracle(data, spoilt):
                assert truth in text, (spoilt, text)
    # the corruptions reach every way out, or they would prove nothing
    assert min(answers.values()) > 250, answers


def test_a_corrupted_table_is_another_table():
    draw = random.Random(7)
    proof = json.dumps(proof_of(THREE, PROOFS[-1][1]["claims"])).encode()
    for _ in range(300):
        i = draw.randrange(len(THREE))
        spoilt = THREE[:i] + bytes([(THREE[i] + draw.randrange(1, 256)) % 256]) + THREE[i + 1 :]
        with pytest.raises(CannotCheck, match="SHA-256"):
            statements(proof, spoilt)


@pytest.mark.parametrize("words", [["The rows are not separable."], []])
def test_words_in_a_proof_that_are_not_the_verifiers_own_are_pointed_at(words, tmp_path):
    (tmp_path / "t.csv").write_bytes(AND)
    proof = proof_of(AND, [SEPARABLE])
    for claim, pointed in ((words, True), (statements(json.dumps(proof).encode(), AND), False)):
        (tmp_path / "p.json").write_text(json.dumps({**proof, "claim": claim}))
        code, answer = check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
        assert code == VERIFIED
        assert answer.endswith("only these above count.)") == pointed
