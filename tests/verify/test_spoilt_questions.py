"""Spoilt and corrupted proofs of several questions verify nothing."""

import copy
import json

import pytest

from separatrix.verify import CannotCheck, Refuted
from tests.verify.by_hand import said
from tests.verify.questions_by_hand import DATA, RULES, classes


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
    "two classes have one label": classes("a", "bc", "c"),
    "two classes are one": classes("a", "bc"),
    "a class without rows": classes("a", "bc", "z"),
    "one class": classes("abc"),
    "no class": classes(),
    "a class is no label": lambda p: p["table"]["label"].update(unlabelled=["?", "c"]),
    "a question without claims": lambda p: p["questions"][1].update(claims=[]),
    "the version of one question": lambda p: p.update(version=1),
    "no questions": lambda p: p.pop("questions"),
    "no such rule": lambda p: p.update(multiclass="ovr"),
    "the other rule": lambda p: p.update(multiclass=OTHER[p["multiclass"]]),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_proof_verifies_nothing(name, rule):
    proof = copy.deepcopy(RULES[rule])
    SPOILT[name](proof)
    with pytest.raises((CannotCheck, Refuted)):
        said(DATA, proof)
