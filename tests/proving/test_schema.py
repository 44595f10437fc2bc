"""The published schema: every proof that we write fits it, and other shapes do not."""

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from separatrix import judge, read_table, verify
from separatrix.proving.asking import prove_likelihood_intervals, prove_verdict
from tests.proving.checking import FITS, SCHEMA
from tests.verify import by_hand
from tests.verify.by_hand import said


def written(path, **options):
    """The proof of everything that a verdict claims of a table."""
    verdict = judge(read_table(path, label="label", **options))
    return json.loads(prove_verdict(verdict, path.read_bytes()).text)


def table_of(tmp_path, flip):
    """A table with a text column, gaps and weights; separable unless some answers are flipped."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    y = (x > 0) ^ (rng.random(30) < flip)
    rows = (
        f"{a!r},{'uvw'[k % 3]},{1 + k % 2},{'yes' if s else 'no'}"
        for k, (a, s) in enumerate(zip(x.tolist(), y, strict=True))
    )
    path = tmp_path / "t.csv"
    path.write_text("a,c,w,label\n" + "\n".join(rows) + "\n,u,1,no\n")
    return path


@pytest.mark.parametrize("flip", [0.0, 0.3])
@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_proofs_of_verdicts_fit_the_schema(flip, missing, tmp_path):
    proof = written(table_of(tmp_path, flip), weight="w", missing=missing)
    FITS.validate(proof)
    assert {"PLA", "optimum"} <= {claim["kind"] for claim in proof["claims"]}


def test_the_schema_has_every_kind_of_claim():
    Draft202012Validator.check_schema(SCHEMA)
    kinds = {form["properties"]["kind"]["enum"][0] for form in KINDS}
    assert kinds == verify.CLAIMS.keys()


def test_proofs_of_all_kinds_fit():
    proofs = [proof for _, proof in (*by_hand.PROOFS, *by_hand.FITS)]
    for proof in (*proofs, *by_hand.RULES.values()):
        FITS.validate(proof)


@pytest.mark.parametrize("rule", by_hand.RULES)
def test_other_shapes_of_several_questions_do_not_fit(rule):
    proof = by_hand.RULES[rule]
    one = {k: v for k, v in proof.items() if k not in {"questions", "multiclass"}}
    claims = proof["questions"][0]["claims"]
    for other in ({**proof, "claims": claims}, {**one, "claims": claims}, one):
        assert not FITS.is_valid(other)


KINDS = [form for name, form in SCHEMA["$defs"].items() if name.startswith("claim_")]
EDITS = [
    None, True, False, -1, 0, 1, 2.5, -7.5, 1e-308, 10**400, "", "0", "1", "-1", "1/0", "-7/3",
    "a" * 65_537, "a" * 131_073, "csv", "npy", "ova",
    "0" * 64, "eJyLjgUAARUAuQ==", "\n", [], {}, [0], [0, 0], [1, 2], [0, "0"], ["1"], ["1", "1"],
    [" "], ["x\n"], ["?"], ["-", "?"], [None], [[]], [[1, 2]], [[1]], {"index": 0}, {"index": 0.5},
    {"more": 1}, {"format": "npy"}, {"sha256": "0" * 64}, {"indices": [0], "values": [1]},
    [{"indices": [0], "values": ["1/3"]}], [{"exponent": 0, "mean": 1, "spread": "2"}],
    [{"sha256": "0" * 64, "name": "t"}],
    {"index": 0, "levels": ["a", "b"]}, {"index": 0, "levels": ["a", "a"]},
    {"index": 0, "levels": ["a"]}, {"index": 1, "yes": "a", "no": " b"}, [*"ny"], [*"nn"],
    {"index": 1, "classes": [["a"], "b"]}, {"index": 1, "classes": [*"abc"]}, ["n", "y", "z"],
    {"index": 1, "classes": [*"ab"]}, {"index": 1, "classes": [*"abb"]}, "b" * 201,
]  # fmt: skip


def lacking(value):
    """An object with a member lost, one more, and each member replaced by others."""
    for key in value:
        yield {k: v for k, v in value.items() if k != key}
        yield from ({**value, key: other} for other in EDITS)
    yield {**value, "more": 1}


def is_read(data: bytes, proof: dict) -> None:
    """Assert that a proof is read as the schema says: what does not fit it is not verified."""
    try:
        said(data, proof)
    except verify.Malformed:
        assert not FITS.is_valid(proof), proof
    except (verify.CannotCheck, verify.Refuted):
        pass
    else:
        assert FITS.is_valid(proof), proof


def deep(value):
    """The same with one of its members changed, at any depth, a few of each."""
    if isinstance(value, dict):
        yield from lacking(value)
    pairs = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, inner in list(pairs):
        for other in deep(inner) if isinstance(inner, dict | list) and inner else ():
            copied = value.copy()
            copied[key] = other
            yield copied


MORE = [
    {"kind": "fewest mistakes", "weights": [0, 1], "unit": 1, "proof": "eJyLjgUAARUAuQ==",
     "cost_wrong_yes": 1, "cost_wrong_no": 0.5},
    by_hand.REFUSED,
    {"kind": "likelihood intervals", "q": 3.5, "left_out": [], "faces": [], "ends": [],
     "fit": {"line": [0, 50]}, "recessions": [["0", "1"]],
     "infinite": [{"index": 1, "side": 1, "recession": 0}]},
]  # fmt: skip


@pytest.mark.parametrize("kind", verify.CLAIMS)
def test_claims_are_read_as_the_schema_says(kind, tmp_path):
    table = by_hand.csv_of([(*x, "yn"[n % 3 == 0]) for n, x in enumerate([(1,), (2,), (4,)] * 3)])
    (tmp_path / "t.csv").write_bytes(table)
    intervals = prove_likelihood_intervals(read_table(tmp_path / "t.csv", "answer"), table)
    more = zip((by_hand.TWO, by_hand.XOR, by_hand.TWO), MORE, strict=True)
    proofs = [
        *by_hand.PROOFS, *by_hand.FITS, (table, json.loads(intervals.text)),
        *((data, by_hand.proof_of(data, [claim])) for data, claim in more),
    ]  # fmt: skip
    known = [
        (data, proof, claim) for data, proof in proofs for claim in proof["claims"]
        if claim["kind"] == kind
    ]  # fmt: skip
    for data, proof, claim in known[:2]:
        for spoilt in (claim, *deep(claim)):
            is_read(data, {**proof, "claims": [spoilt]})


def test_a_proof_is_read_as_the_schema_says():
    data, proof = by_hand.PROOFS[0]
    full = {**proof, "made_by": "me", "left_out": ["nothing"]}
    table = {**proof["table"], "made_of": {"files": [], "more": None}, "names": ["t"]}
    tables = ({**full, "table": one} for one in lacking(table))
    for spoilt in (full, *lacking(full), *tables):
        is_read(data, spoilt)
