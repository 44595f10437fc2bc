"""Proofs of several questions, made by hand."""

import json
from itertools import combinations

from tests.verify.by_hand import csv_of, proof_of

ROWS = [
    (0, 0, "a"), (4, 0, "b"), (0, 4, "c"), (1, 0, "a"), (5, 1, "b"), (0, 5, "c"), (0, 1, "a"),
    (1, 6, "c"), (2, 0, "?"),
]  # fmt: skip

DATA = csv_of(ROWS)

TEXTS = [["a"], ["b"], ["c"]]

AGAINST_REST = [[2, -1, -1], [-2, 1, -1], [-2, -1, 1]]

AGAINST_EACH = [[-2, 1, 0], [-2, 0, 1], [0, -1, 1]]


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
    proof |= {"version": 4, "multiclass": rule, "questions": questions}
    proof["table"]["label"] = label
    return json.loads(json.dumps(proof))  # no list is part of two things


OVA, OVO = several("ova", AGAINST_REST), several("ovo", AGAINST_EACH)

RULES = {"ova": OVA, "ovo": OVO}


def classes(*texts):
    def change(proof):
        proof["table"]["label"]["classes"] = [{"texts": list(t)} for t in texts]

    return change
