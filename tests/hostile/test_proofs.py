"""Mutated proofs: what is verified is true, by exact oracles.

Each oracle reads the table as everybody reads it: with the dialect of the proof that was mutated,
by the second reader, never by the dialect of the mutation.
"""

import copy
import json
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from separatrix import verify
from tests.hostile.profile import cases
from tests.verify import second_reader
from tests.verify.by_hand import AND, csv_of, proof_of
from tests.verify.corruption import PROOFS, TRUTHS, answers_to, corrupted, number

OVERLAP = csv_of([(0, "n"), (0, "y"), (0, "y"), (1, "n"), (1, "y"), (1, "y")])
SQUARES = {"kind": "least squares", "weights": [-1.5, 1, 1.25], "dual": [0.5, -0.5, -0.5, 0.5]}
SHARES = {
    "kind": "logistic", "weights": [0.5, 0.125], "C": None,
    "dual": ["2/3", "1/3", "1/3", "2/3", "1/3", "1/3"],
}  # fmt: skip
MIXED = b"s,x,w,y\n+,1.5,1,n\n-,2,2,y\n?,7,1,y\n+,,1,y\n+,3,1,y\n-,0,1,n\n+,9,0,n\n+,9,1,\n"
MIXED_PROOF = proof_of(MIXED, [{"kind": "mistakes", "weights": [-1, 0.5, 1]}])
MIXED_PROOF["table"] |= {
    "columns": [
        {"index": 0, "levels": ["+", "-"], "fill": None, "missing": ["?"]},
        {"index": 1, "levels": None, "fill": 1.0, "missing": [""]},
    ],
    "weight": {"index": 2},
    "label": {"index": 3, "yes": ["y"], "no": ["n"], "unlabelled": [""]},
}
COUNT = {"kind": "mistakes", "weights": [-15, 1]}
LATE = csv_of([(10, "n"), (20, "y"), (31, "n")])
BOB = b"x,who,y\n2,'Bob,n\n19,Cy,n\n8,Dan',y\n0,Al,n\n17,Ed,y\n"
BOB_PROOF = proof_of(BOB, [COUNT])
del BOB_PROOF["table"]["columns"][1]
BARE = b"5,y\n10,n\n20,y\n31,n\n"
BARE_PROOF = proof_of(BARE, [COUNT])
BARE_PROOF["table"]["dialect"]["header"] = False
KNOWN = [
    (LATE, proof_of(LATE, [COUNT])),
    (BOB, BOB_PROOF),
    (BARE, BARE_PROOF),
    *PROOFS,
    (AND, proof_of(AND, [SQUARES])),
    (OVERLAP, proof_of(OVERLAP, [SHARES])),
    (MIXED, MIXED_PROOF),
    (MIXED, {**MIXED_PROOF, "claims": [{"kind": "mistakes", "weights": ["-7/4", 0.25, -2]}]}),
]
MEMBERS = {
    "delimiter": [*verify.DELIMITERS, "1", "n", "x", "", "\n"],
    "encoding": [*verify.ENCODINGS, "hz", "iso2022_jp", "utf-7", "cp037", "utf-16-le"],
    "header": [True, False, 0, None],
    "quote": ['"', "", "'", "1", "n"],
    "decimal": [".", ",", "1", "3", "", "-"],
    "index": [0, 1, 2, 3, 1.0, -1],
    "missing": [[], [""], ["?"], ["", "?"], ["-"], ["1"], ["n"], ["NA", ""]],
    "levels": [None, ["+", "-"], ["-", "+"], ["+"], ["0", "1"], ["?", "+", "-"]],
    "fill": [None, 0, 31, "+", "-", -2.5],
    "yes": [["y"], ["n"], ["y", "n"], ["y", ""], ["Y"]],
    "no": [["n"], ["y"], ["n", "?"], ["n", "y"], []],
    "unlabelled": [[], [""], ["?"], ["y"], [" "], ["", "-"]],
    "weight": [None, {"index": 0}, {"index": 1}, {"index": 2}],
    "intercept": [True, False],
}


def read_otherwise(proof, draw):
    """The proof with one to three members that say how the table is read changed."""
    proof = copy.deepcopy(proof)
    for _ in range(draw.randint(1, 3)):
        table = proof["table"]
        boxes = [proof, table, table["dialect"], table["label"], *table["columns"]]
        name = draw.choice(list(MEMBERS))
        box = draw.choice([b for b in boxes if name in b or (name == "weight" and b is table)])
        box[name] = draw.choice(MEMBERS[name])
    if draw.random() < 0.1:
        columns = proof["table"]["columns"]
        columns.insert(0, draw.choice(columns)) if draw.random() < 0.5 else columns.reverse()
    return json.dumps(proof).encode()


def of_least_squares(Z, claim, scores, w):
    residual = sum((1 - s) ** 2 for s in scores)
    A = np.array([[float(v) for v in z] for z in Z])
    solved = np.linalg.lstsq(A, np.ones(len(Z)), rcond=None)[0]
    return float(residual), float(((1 - A @ solved) ** 2).sum())


def of_logistic(Z, claim, scores, w):
    """What the line attains, and a bound on the least by descent."""
    A = np.array([[float(v) for v in z] for z in Z])
    ridge = 0.0 if claim.get("C") is None else 1.0 / float(number(claim["C"]))

    def error(v):
        return float(np.logaddexp(0, -(A @ v)).sum() + ridge * (v[1:] @ v[1:]) / 2)

    return error(np.array([float(a) for a in w])), minimize(error, np.zeros(A.shape[1])).fun


def holds_of_an_optimum(text, attained, least):
    """Whether a gap and a value in words fit what is attained and what is the least at most."""
    gap = text.split("more than a relative ")[1].split(" below")[0].removeprefix("about ")
    value = text.rsplit(", ", 1)[1].removeprefix("which is at most ").removeprefix("about ")
    gap = float(Fraction(gap)) if "/" in gap else float(gap)
    value = float(value.rstrip("."))
    assert math.isclose(value, attained, rel_tol=2e-5, abs_tol=1e-9)
    # nothing that is attained is below the bound
    assert value * (1 - gap) <= least * (1 + 1e-4) + 1e-9


def whole_or_double(text):
    """1.0 is a whole number to JSON Schema and so to the verifier."""
    return int(float(text)) if float(text).is_integer() else float(text)


def holds(data, text, dialect, said):
    """Assert that each claim is true of the table as everybody reads it."""
    proof = json.loads(text, parse_float=whole_or_double)
    plain = copy.deepcopy(proof)
    plain["table"]["dialect"] = dialect
    points, answers, weights = second_reader.read(data, plain)
    x0 = Fraction(1 if proof["intercept"] else 0)
    Z = [[y * v for v in (x0, *x)] for x, y in zip(points, answers, strict=True)]
    assert f"The rows: {len(Z):,} of " in said[0]
    for claim in proof["claims"]:
        w = [number(v) for v in claim.get("weights", [])]
        scores = [sum(a * b for a, b in zip(w, z, strict=True)) for z in Z] if w else []
        kind = claim["kind"]
        if kind in ("least squares", "logistic"):
            if set(weights) != {1}:
                continue
            truth = of_least_squares if kind == "least squares" else of_logistic
            holds_of_an_optimum(said[-1], *truth(Z, claim, scores, w))
        elif kind == "mistakes at least" and set(weights) != {1}:
            shares = sum(number(core["share"]) for core in claim["cores"])
            assert shares <= sum(weights)
        else:
            assert TRUTHS[kind](Z, claim, scores, w) in "\n".join(said), (text, said)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_proofs_verify_nothing_false(seed):
    draw = random.Random(seed)

    def mutated():
        for k in range(cases(1000, 20_000)):
            data, proof = KNOWN[k % len(KNOWN)]
            text = json.dumps(proof).encode()
            by_text = draw.random() < 0.6
            yield data, text, corrupted(text, draw) if by_text else read_otherwise(proof, draw)

    dialects = {data: proof["table"]["dialect"] for data, proof in KNOWN}
    answers = answers_to(
        mutated(), lambda data, text, said: holds(data, text, dialects[data], said), memory=2.0**31
    )
    assert min(answers.values()) > 10, answers
