"""Proofs of several questions, made by hand: the questions follow from the classes."""

import copy
import json

import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted, check_files, statements
from tests.verify import by_hand as by
from tests.verify.by_hand import csv_of, said

CANCEL = {"kind": "not separable", "rows": [0, 1], "multipliers": ["1", "1"]}


def test_each_class_against_the_rest():
    about, *found = statements(json.dumps(by.OVA).encode(), by.DATA)
    assert "column 'answer' holds 'a' (3 rows), 'b' (2 rows), 'c' (3 rows)." in about
    assert "nothing is claimed of what their lines answer together" in about
    assert "The rows: 8, in lines 2 to 9; line 1 names the columns." in about
    assert found[0] == (
        "Question 1 of 3: class 'a' (yes, 3 rows) against the rest (no, 5 rows)."
    )  # fmt: skip
    assert "The 8 rows are linearly separable" in found[1]
    assert "the line of question 1, claim 1 has" in found[1]
    assert "The line of question 1, claim 2 makes 0 mistakes" in found[3]
    assert found[8].startswith("Question 3 of 3: class 'c' (yes, 3 rows) against the rest")


def test_each_class_against_each_leaves_out_the_rows_of_the_others_and_says_so():
    _, *found = statements(json.dumps(by.OVO).encode(), by.DATA)
    asked = [text for text in found if text.startswith("Question")]
    assert asked == [
        "Question 1 of 3: class 'b' (yes, 2 rows) against class 'a' (no, 3 rows); 3 rows left "
        "out, of neither class.",
        "Question 2 of 3: class 'c' (yes, 3 rows) against class 'a' (no, 3 rows); 2 rows left "
        "out, of neither class.",
        "Question 3 of 3: class 'c' (yes, 3 rows) against class 'b' (no, 2 rows); 3 rows left "
        "out, of neither class.",
    ]
    assert "The 5 rows are linearly separable" in found[1]


def test_rows_of_a_claim_are_counted_within_its_question():
    """Rows 0 and 1 of b against c stand on lines 3 and 4 of the file."""
    data = csv_of([(9, 9, "a"), (1, 1, "b"), (1, 1, "c"), (8, 8, "a")])
    proof = by.several("ovo", [[1, 0, 0]] * 3, data)
    for question, claim in zip(proof["questions"], ([1, -1, 0], [1, -1, 0], None), strict=True):
        question["claims"] = [{"kind": "mistakes", "weights": claim}] if claim else [CANCEL]
    assert "lines 3 and 4 contradict each other" in said(data, proof)


def test_what_was_refuted_is_said_with_its_question(tmp_path):
    (tmp_path / "t.csv").write_bytes(by.DATA)
    proof = copy.deepcopy(by.OVA)
    proof["questions"][1]["claims"][0]["weights"] = [1, 1, 1]
    (tmp_path / "p.json").write_text(json.dumps(proof))
    code, answer = check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
    assert code == verify.REFUTED
    assert answer.endswith("(question 2, claim 1, separable).")


def test_four_classes_are_asked_about_in_the_order_of_the_schema():
    pairs = [([0], 1), ([0], 2), ([0], 3), ([1], 2), ([1], 3), ([2], 3)]
    assert verify.asked_by("ovo", 4) == pairs
    assert verify.asked_by("ova", 4)[2] == ([0, 1, 3], 2)


@pytest.mark.parametrize("rule", by.RULES)
def test_a_class_that_no_row_has_cannot_be_asked_about(rule):
    lines = {"ova": by.AGAINST_REST, "ovo": by.AGAINST_EACH}[rule]
    proof = by.several(rule, lines, by.DATA, ["a", "z", "c"])
    with pytest.raises(CannotCheck, match="a label that the proof lacks"):
        said(by.DATA, proof)


def test_rows_keep_their_weights_in_a_question():
    rows = [(w, *row) for w, row in zip((5, 1, 1, 1, 1, 3, 1, 1), by.ROWS, strict=True)]
    data = csv_of(rows)
    proof = by.several("ovo", [[-1, 0, 0]] * 3, data)  # no to every row
    del proof["table"]["columns"][0]
    proof["table"]["weight"] = 0
    for question in proof["questions"]:
        del question["claims"][0]
    text = said(data, proof)
    for k in (2, 3):  # c against another: its rows weigh 1, 3 and 1
        words = f"The line of question {k}, claim 1 makes 3 mistakes on the"
        assert words in text
        assert "which weigh 5" in text.partition(words)[2].partition("\n")[0]


def classes(*texts):
    return lambda p: p["table"]["label"].update(classes=list(texts))


OTHER = {"ova": "ovo", "ovo": "ova"}
SPOILT = {
    "a question dropped": lambda p: p["questions"].pop(),
    "the first dropped": lambda p: p["questions"].pop(0),
    "a question repeated": lambda p: p["questions"].__setitem__(2, p["questions"][0]),
    "a question more": lambda p: p["questions"].append(p["questions"][0]),
    "another order": lambda p: p["questions"].reverse(),
    "what is asked is told": lambda p: p["questions"][0].update(yes="a", no=["b", "c"]),
    "names swapped": classes("b", "a", "c"),
    "a name that the table lacks": classes("x", "b", "c"),
    "names of another case": classes("A", "B", "C"),
    "two classes have one label": classes("a", "b", "b"),
    "two classes": classes("a", "b"),
    "a class without rows": classes("a", "b", "c", "z"),
    "no class": classes(),
    "yes and no": lambda p: p["table"]["label"].update(yes="a", no="b"),
    "a question without claims": lambda p: p["questions"][1].update(claims=[]),
    "the version of one question": lambda p: p.update(version=1),
    "no questions": lambda p: p.pop("questions"),
    "no such rule": lambda p: p.update(multiclass="ovr"),
    "the other rule": lambda p: p.update(multiclass=OTHER[p["multiclass"]]),
}


@pytest.mark.parametrize("rule", by.RULES)
@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_proof_verifies_nothing(name, rule):
    proof = copy.deepcopy(by.RULES[rule])
    SPOILT[name](proof)
    with pytest.raises((CannotCheck, Refuted)):
        said(by.DATA, proof)
