"""Proofs of several questions, made by hand: the questions follow from the classes."""

import copy
import json
import math

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
    assert "The rows: 8 of 9, in lines 2 to 10 of 10; line 1 names the columns." in about
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


def test_a_class_written_in_two_ways_is_named_in_both(tmp_path):
    rows = [(x, y, {"a": "1", "b": "2", "c": "3"}.get(k, k)) for x, y, k in by.ROWS]
    data = csv_of([*rows, (0, 0, "1.0")])
    text = said(data, by.several("ova", by.AGAINST_REST, data, [["1", "1.0"], ["2"], ["3"]]))
    assert "class '1', '1.0' (yes, 4 rows) against the rest (no, 5 rows)" in text
    assert "look alike: '1' means class '1', '1.0', '1.0' means class '1', '1.0'." in text


def test_no_label_of_a_class_is_hidden_behind_others():
    """A name that was cut short after twelve labels hid the thirteenth: a class of its own."""
    data = csv_of([*by.ROWS, (7, 1, "d")])
    many = [["a"], ["b", *(f"x{k}" for k in range(12)), "d"], ["c"]]
    text = said(data, by.several("ovo", [[-2, 1, 0], [-2, 0, 1], [0, -1, 1]], data, many))
    assert "'x11', 'd' (yes, 3 rows) against class 'a' (no, 3 rows)" in text
    assert "'x11', 'd' (no, 3 rows)" in text


def test_rows_of_a_third_class_cannot_be_called_unlabelled():
    proof = copy.deepcopy(by.OVO)
    proof["table"]["label"]["classes"][2]["texts"] = ["z"]
    proof["table"]["label"]["unlabelled"] = ["?", "c"]
    with pytest.raises(CannotCheck, match="'unlabelled' in the proof"):
        said(by.DATA, proof)


def test_what_was_refuted_is_said_with_its_question(tmp_path):
    (tmp_path / "t.csv").write_bytes(by.DATA)
    proof = copy.deepcopy(by.OVA)
    proof["questions"][1]["claims"][0]["weights"] = [1, 1, 1]
    (tmp_path / "p.json").write_text(json.dumps(proof))
    code, answer = check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
    assert code == verify.REFUTED
    assert answer.endswith("(question 2, claim 1, separable).")


def test_the_clock_is_looked_at_in_every_question():
    table = verify.read_table(by.DATA, by.OVO, deadline=math.inf)
    table.limits = verify.TIME_IS_UP
    with pytest.raises(CannotCheck, match="time limit"):
        next(verify.questions(verify.Part(by.OVO), table))


def test_four_classes_are_asked_about_in_the_order_of_the_schema():
    pairs = [([0], 1), ([0], 2), ([0], 3), ([1], 2), ([1], 3), ([2], 3)]
    assert verify.asked_by("ovo", 4) == pairs
    assert verify.asked_by("ova", 4)[2] == ([0, 1, 3], 2)


@pytest.mark.parametrize("rule", by.RULES)
def test_a_class_that_no_row_has_cannot_be_asked_about(rule):
    lines = {"ova": by.AGAINST_REST, "ovo": by.AGAINST_EACH}[rule]
    proof = by.several(rule, lines, by.DATA, [["z"], ["a", "b"], ["c"]])
    with pytest.raises(CannotCheck, match="no yes rows, or no no rows"):
        said(by.DATA, proof)


def test_rows_keep_their_weights_in_a_question():
    rows = [(w, *row) for w, row in zip((5, 1, 1, 1, 1, 3, 1, 1, 1), by.ROWS, strict=True)]
    data = csv_of(rows)
    proof = by.several("ovo", [[-1, 0, 0]] * 3, data)  # no to every row
    del proof["table"]["columns"][0]
    proof["table"]["weight"] = {"index": 0}
    for question in proof["questions"]:
        del question["claims"][0]
    text = said(data, proof)
    for k in (2, 3):  # c against another: its rows weigh 1, 3 and 1
        words = f"The line of question {k}, claim 1 makes 3 mistakes on the"
        assert words in text
        assert "which weigh 5" in text.partition(words)[2].partition("\n")[0]


def renamed(proof, new):
    """Call the classes something else, everywhere."""
    text = json.dumps(proof)
    for k, name in enumerate("abc"):
        text = text.replace(f'"{name}"', f'"<{k}>"')
    for k, name in enumerate(new):
        text = text.replace(f'"<{k}>"', f'"{name}"')
    proof.update(json.loads(text))


def exchanged(box, other, *keys):
    for key in keys:
        box[key], other[key] = other[key], box[key]


def first(proof):
    return proof["questions"][0]


OTHER = {"ova": "ovo", "ovo": "ova"}
SPOILT = {
    "a question dropped": lambda p: p["questions"].pop(),
    "the first dropped": lambda p: p["questions"].pop(0),
    "a question repeated": lambda p: p["questions"].__setitem__(2, p["questions"][1]),
    "a question more": lambda p: p["questions"].append(first(p)),
    "another order": lambda p: p["questions"].reverse(),
    "claims swapped": lambda p: exchanged(*p["questions"][:2], "claims"),
    "what is asked swapped": lambda p: exchanged(*p["questions"][:2], "yes", "no"),
    "yes and no swapped": lambda p: first(p).update(yes=first(p)["no"], no=first(p)["yes"]),
    "names swapped": lambda p: renamed(p, "bac"),
    "a name that the table lacks": lambda p: renamed(p, "xbc"),
    "names of another case": lambda p: renamed(p, "ABC"),
    "a third class is no as well": lambda p: first(p)["no"].append("c"),
    "a third class is yes as well": lambda p: first(p)["yes"].append("c"),
    "a text that no row has": lambda p: first(p)["no"].append("z"),
    "two classes have one label": by.classes("a", "bc", "c"),
    "two classes are one": by.classes("a", "bc"),
    "a class without rows": by.classes("a", "bc", "z"),
    "one class": by.classes("abc"),
    "no class": by.classes(),
    "a class is no label": lambda p: p["table"]["label"].update(unlabelled=["?", "c"]),
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
