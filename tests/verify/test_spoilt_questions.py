"""Spoilt and corrupted proofs of several questions verify nothing."""

import copy
import json

import pytest

from separatrix.verify import CannotCheck, Refuted
from tests.verify.by_hand import said
from tests.verify.questions_by_hand import DATA, RULES, classes


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
