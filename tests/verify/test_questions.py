"""Proofs of several questions, made by hand and spoilt: the questions follow from the classes."""

from __future__ import annotations

import copy
import json
import math
import random
from fractions import Fraction
from itertools import combinations

import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted, check_files, statements
from tests.verify.test_claims import TRUTHS, corrupted, csv_of, number, proof_of, said

ROWS = [
    (0, 0, "a"), (4, 0, "b"), (0, 4, "c"), (1, 0, "a"), (5, 1, "b"), (0, 5, "c"), (0, 1, "a"),
    (1, 6, "c"), (2, 0, "?"),
]  # fmt: skip
DATA = csv_of(ROWS)
TEXTS = [["a"], ["b"], ["c"]]
AGAINST_REST = [[2, -1, -1], [-2, 1, -1], [-2, -1, 1]]
AGAINST_EACH = [[-2, 1, 0], [-2, 0, 1], [0, -1, 1]]
CANCEL = {"kind": "not separable", "rows": [0, 1], "multipliers": ["1", "1"]}


def several(rule: str, lines: list[list], data: bytes = DATA, texts: list = TEXTS) -> dict:
    """A proof with one line for each question of a rule, of which it says that it separates."""
    proof = proof_of(data, [])
    del proof["claims"]
    label = {"index": proof["table"]["label"]["index"], "unlabelled": ["?"]}
    label["classes"] = [{"texts": t} for t in texts]
    if rule == "ova":
        asked = [(t, [x for u in texts if u is not t for x in u]) for t in texts]
    else:
        asked = [(yes, no) for no, yes in combinations(texts, 2)]
    questions = [
        {
            "yes": yes, "no": no,
            "claims": [{"kind": "separable", "weights": w}, {"kind": "mistakes", "weights": w}],
        }
        for (yes, no), w in zip(asked, lines, strict=True)
    ]  # fmt: skip
    proof |= {"version": 2, "multiclass": rule, "questions": questions}
    proof["table"]["label"] = label
    return json.loads(json.dumps(proof))  # no list is part of two things


OVA, OVO = several("ova", AGAINST_REST), several("ovo", AGAINST_EACH)
RULES = {"ova": OVA, "ovo": OVO}


def test_each_class_against_the_rest():
    about, *found = statements(json.dumps(OVA).encode(), DATA)
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
    _, *found = statements(json.dumps(OVO).encode(), DATA)
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
    proof = several("ovo", [[1, 0, 0]] * 3, data)
    for question, claim in zip(proof["questions"], ([1, -1, 0], [1, -1, 0], None), strict=True):
        question["claims"] = [{"kind": "mistakes", "weights": claim}] if claim else [CANCEL]
    assert "lines 3 and 4 contradict each other" in said(data, proof)


def test_a_class_written_in_two_ways_is_named_in_both(tmp_path):
    rows = [(x, y, {"a": "1", "b": "2", "c": "3"}.get(k, k)) for x, y, k in ROWS]
    data = csv_of([*rows, (0, 0, "1.0")])
    text = said(data, several("ova", AGAINST_REST, data, [["1", "1.0"], ["2"], ["3"]]))
    assert "class '1', '1.0' (yes, 4 rows) against the rest (no, 5 rows)" in text
    assert "look alike: '1' means class '1', '1.0', '1.0' means class '1', '1.0'." in text


def test_no_label_of_a_class_is_hidden_behind_others():
    """A name that was cut short after twelve labels hid the thirteenth: a class of its own."""
    data = csv_of([*ROWS, (7, 1, "d")])
    many = [["a"], ["b", *(f"x{k}" for k in range(12)), "d"], ["c"]]
    text = said(data, several("ovo", [[-2, 1, 0], [-2, 0, 1], [0, -1, 1]], data, many))
    assert "'x11', 'd' (yes, 3 rows) against class 'a' (no, 3 rows)" in text
    assert "'x11', 'd' (no, 3 rows)" in text


def drop(proof):
    proof["questions"].pop()


def drop_the_first(proof):
    proof["questions"].pop(0)


def repeat(proof):
    proof["questions"][2] = copy.deepcopy(proof["questions"][1])


def repeat_at_the_end(proof):
    proof["questions"].append(copy.deepcopy(proof["questions"][0]))


def another_order(proof):
    proof["questions"].reverse()


def swap_claims(proof):
    one, other, _ = proof["questions"]
    one["claims"], other["claims"] = other["claims"], one["claims"]


def swap_what_is_asked(proof):
    one, other, _ = proof["questions"]
    for key in ("yes", "no"):
        one[key], other[key] = other[key], one[key]


def swap_yes_and_no(proof):
    one = proof["questions"][0]
    one["yes"], one["no"] = one["no"], one["yes"]


def renamed(new):
    """Call the classes something else, everywhere."""

    def change(proof):
        text = json.dumps(proof)
        for k, name in enumerate("abc"):
            text = text.replace(f'"{name}"', f'"<{k}>"')
        for k, name in enumerate(new):
            text = text.replace(f'"<{k}>"', f'"{name}"')
        proof.clear()
        proof.update(json.loads(text))

    return change


def also_no(texts):
    def change(proof):
        proof["questions"][0]["no"] += texts

    return change


def also_yes(texts):
    def change(proof):
        proof["questions"][0]["yes"] += texts

    return change


def classes(*texts):
    def change(proof):
        proof["table"]["label"]["classes"] = [{"texts": list(t)} for t in texts]

    return change


def third_without_a_label(proof):
    proof["table"]["label"]["unlabelled"] = ["?", "c"]


def nothing_of_one(proof):
    proof["questions"][1]["claims"] = []


def as_one_question(proof):
    proof["version"] = 1


def no_questions(proof):
    del proof["questions"]


def no_rule(proof):
    proof["multiclass"] = "ovr"


def the_other_rule(proof):
    proof["multiclass"] = {"ova": "ovo", "ovo": "ova"}[proof["multiclass"]]


SPOILT = {
    "a question dropped": (drop, CannotCheck, "'questions' in the proof"),
    "the first dropped": (drop_the_first, CannotCheck, "'questions' in the proof"),
    "a question repeated": (repeat, CannotCheck, "question 3 is not the one"),
    "a question more": (repeat_at_the_end, CannotCheck, "4 questions where 3"),
    "another order": (another_order, CannotCheck, "question 1 is not the one"),
    "claims swapped": (swap_claims, Refuted, "question 1, claim 1, separable"),
    "what is asked swapped": (swap_what_is_asked, CannotCheck, "question 1 is not the one"),
    "yes and no swapped": (swap_yes_and_no, CannotCheck, "question 1 is not the one"),
    "names swapped": (renamed("bac"), Refuted, "line"),
    "a name that the table lacks": (renamed("xbc"), CannotCheck, "unknown label"),
    "names of another case": (renamed("ABC"), CannotCheck, "unknown label"),
    "a third class is no as well": (also_no(["c"]), CannotCheck, "not the one|'no' in the proof"),
    "a third class is yes as well": (also_yes(["c"]), CannotCheck, "not the one"),
    "a text that no row has": (also_no(["z"]), CannotCheck, "not the one"),
    "two classes have one label": (classes("a", "bc", "c"), CannotCheck, "two things"),
    "two classes are one": (classes("a", "bc"), CannotCheck, "'classes' in the proof"),
    "a class without rows": (classes("a", "bc", "z"), CannotCheck, "not the one"),
    "one class": (classes("abc"), CannotCheck, "'classes' in the proof"),
    "no class": (classes(), CannotCheck, "'classes' in the proof"),
    "a class is no label": (third_without_a_label, CannotCheck, "'unlabelled' in the proof"),
    "a question without claims": (nothing_of_one, CannotCheck, "'claims' in the proof"),
    "the version of one question": (as_one_question, CannotCheck, "in the proof is missing"),
    "no questions": (no_questions, CannotCheck, "'questions' in the proof is missing"),
    "no such rule": (no_rule, CannotCheck, "'multiclass' in the proof"),
    "the other rule": (the_other_rule, CannotCheck, "question 1 is not the one"),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_proof_verifies_nothing(name, rule):
    change, error, reason = SPOILT[name]
    proof = copy.deepcopy(RULES[rule])
    change(proof)
    with pytest.raises(error, match=reason):
        said(DATA, proof)


def test_rows_of_a_third_class_cannot_be_called_unlabelled():
    proof = copy.deepcopy(OVO)
    proof["table"]["label"]["classes"][2]["texts"] = ["z"]
    proof["table"]["label"]["unlabelled"] = ["?", "c"]
    with pytest.raises(CannotCheck, match="'unlabelled' in the proof"):
        said(DATA, proof)


def test_what_was_refuted_is_said_with_its_question(tmp_path):
    (tmp_path / "t.csv").write_bytes(DATA)
    proof = copy.deepcopy(OVA)
    proof["questions"][1]["claims"][0]["weights"] = [1, 1, 1]
    (tmp_path / "p.json").write_text(json.dumps(proof))
    code, answer = check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
    assert code == verify.REFUTED
    assert answer.endswith("(question 2, claim 1, separable).")


def test_the_clock_is_looked_at_in_every_question():
    table = verify.read_table(DATA, OVO, deadline=math.inf)
    table.limits = verify.TIME_IS_UP
    with pytest.raises(CannotCheck, match="time limit"):
        next(verify.questions(verify.Part(OVO), table))


def test_four_classes_are_asked_about_in_the_order_of_the_schema():
    pairs = [([0], 1), ([0], 2), ([0], 3), ([1], 2), ([1], 3), ([2], 3)]
    assert verify.asked_by("ovo", 4) == pairs
    assert verify.asked_by("ova", 4)[2] == ([0, 1, 3], 2)


@pytest.mark.parametrize("rule", RULES)
def test_a_class_that_no_row_has_cannot_be_asked_about(rule):
    lines = {"ova": AGAINST_REST, "ovo": AGAINST_EACH}[rule]
    proof = several(rule, lines, DATA, [["z"], ["a", "b"], ["c"]])
    with pytest.raises(CannotCheck, match="no yes rows, or no no rows"):
        said(DATA, proof)


def test_rows_keep_their_weights_in_a_question():
    rows = [(w, *row) for w, row in zip((5, 1, 1, 1, 1, 3, 1, 1, 1), ROWS, strict=True)]
    data = csv_of(rows)
    proof = several("ovo", [[-1, 0, 0]] * 3, data)  # no to every row
    del proof["table"]["columns"][0]
    proof["table"]["weight"] = {"index": 0}
    for question in proof["questions"]:
        del question["claims"][0]
    text = said(data, proof)
    for k in (2, 3):  # c against another: its rows weigh 1, 3 and 1
        words = f"The line of question {k}, claim 1 makes 3 mistakes on the"
        assert words in text
        assert "which weigh 5" in text.partition(words)[2].partition("\n")[0]


def truths(data: bytes, text: bytes) -> list[str]:
    """What a true answer must say, from a reading of its own; asserts where a claim is false."""
    proof = json.loads(text)
    told = proof["table"]
    place, names = told["label"]["index"], [c["texts"] for c in told["label"]["classes"]]
    lines = data.decode().splitlines()[1 if told["dialect"]["header"] else 0 :]
    rows = [line.split(",") for line in lines]
    rows = [row for row in rows if row[place] not in told["label"]["unlabelled"]]
    assert all(row[place] in {"a", "b", "c"} for row in rows)
    pairs: list = list(combinations(names, 2))
    if proof["multiclass"] == "ova":
        pairs = [([x for other in names if other is not t for x in other], t) for t in names]
    found = []
    for (no, yes), question in zip(pairs, proof["questions"], strict=True):
        signs = [1 if row[place] in yes else -1 if row[place] in no else 0 for row in rows]
        n_yes, n_no = signs.count(1), signs.count(-1)
        out = "" if n_yes + n_no == len(rows) else f"; {len(rows) - n_yes - n_no} row"
        rest = "the rest" if proof["multiclass"] == "ova" else f"class {', '.join(map(repr, no))}"
        asked = f"class {', '.join(map(repr, yes))} (yes, {n_yes:,} rows)"
        found.append(f"{asked} against {rest} (no, {n_no:,} rows){out}")
        Z = []
        for row, sign in zip(rows, signs, strict=True):
            cells = [Fraction(float(row[c["index"]])) for c in told["columns"]]
            if sign:
                Z.append([sign * v for v in (Fraction(proof["intercept"]), *cells)])
        for claim in question["claims"]:
            w = [number(v) for v in claim.get("weights", [])]
            scores = [sum(a * b for a, b in zip(w, z, strict=True)) for z in Z] if w else []
            found.append(TRUTHS[claim["kind"]](Z, claim, scores, w))
    return found


def test_thousands_of_corruptions_verify_nothing_false():
    draw = random.Random(20261122)
    answers = {"same": 0, "another truth": 0, "refuted": 0, "cannot": 0}
    for k in range(4_000):
        proof = (OVA, OVO)[k % 2]
        original = json.dumps(proof).encode()
        spoilt = corrupted(original, draw)
        try:
            now = statements(spoilt, DATA)
        except Refuted:
            answers["refuted"] += 1
        except CannotCheck:
            answers["cannot"] += 1
        else:
            same = now == statements(original, DATA)
            answers["same" if same else "another truth"] += 1
            text = "\n".join(now)
            for truth in truths(DATA, spoilt):
                assert truth in text, (spoilt, text)
    assert min(answers.values()) > 100, answers
