"""The published schema: every proof that we write fits it, and other shapes do not."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from separatrix import judge, read_table, verify
from separatrix.proving import prove_verdict
from tests.proving.checking import FITS, SCHEMA
from tests.verify import by_hand

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_extensions"))
from proof_schema import named_forms, schema


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


def test_the_schema_is_that_of_the_verifier():
    assert (Path(verify.__file__).parent / "proof.schema.json").read_text() == schema()
    Draft202012Validator.check_schema(SCHEMA)


def test_proofs_of_all_kinds_fit():
    proofs = [proof for _, proof in (*by_hand.PROOFS, *by_hand.FITS)]
    for proof in (*proofs, *by_hand.RULES.values()):
        FITS.validate(proof)
    kinds = {claim["kind"] for proof in proofs for claim in proof["claims"]}
    assert len(kinds) > 8


@pytest.mark.parametrize("rule", by_hand.RULES)
def test_other_shapes_of_several_questions_do_not_fit(rule):
    proof = by_hand.RULES[rule]
    one = {k: v for k, v in proof.items() if k not in {"questions", "multiclass"}}
    claims = proof["questions"][0]["claims"]
    for other in ({**proof, "claims": claims}, {**one, "claims": claims}, one):
        assert not FITS.is_valid(other)


EDITS = [
    None, True, False, -1, 0, 1, 2.5, -7.5, 1e-308, 10**400, "", "0", "1", "-1", "1/0", "-7/3",
    "a" * 65_537, "a" * 131_073, "csv", "npy", "ova",
    "0" * 64, "eJyLjgUAARUAuQ==", "\n", [], {}, [0], [0, 0], [1, 2], [0, "0"], ["1"], ["1", "1"],
    [" "], ["x\n"], ["?"], ["-", "?"], [None], [[]], [[1, 2]], [[1]], {"index": 0}, {"index": 0.5},
    {"more": 1}, {"format": "npy"}, {"sha256": "0" * 64}, {"indices": [0], "values": [1]},
    [{"indices": [0], "values": ["1/3"]}], [{"exponent": 0, "mean": 1, "spread": "2"}],
    [{"sha256": "0" * 64, "name": "t"}],
    {"index": 0, "levels": ["a", "b"]}, {"index": 0, "levels": ["a", "a"]},
    {"index": 0, "levels": ["a"]}, {"index": 1, "yes": "a", "no": " b"},
    {"index": 1, "yes": ["a"], "no": "b"}, {"index": 1, "classes": [*"abc"]},
    {"index": 1, "classes": [*"ab"]}, {"index": 1, "classes": [*"abb"]}, "b" * 201,
]  # fmt: skip
FORMS = {**named_forms(), **{kind: claim.form for kind, claim in verify.CLAIMS.items()}}


def has(form, value):
    try:
        return verify.fits(value, form)
    except verify.Malformed:
        return False


def lacking(value):
    """An object with a member lost, one more, and each member replaced by others."""
    for key in value:
        yield {k: v for k, v in value.items() if k != key}
        yield from ({**value, key: other} for other in EDITS)
    yield {**value, "more": 1}


@pytest.mark.parametrize("name", FORMS)
def test_forms_are_what_their_schema_says(name):
    form, valid = FORMS[name], Draft202012Validator(FORMS[name]).is_valid
    proofs = [*by_hand.PROOFS, *by_hand.FITS]
    claims = [claim for _, proof in proofs for claim in proof["claims"] if claim["kind"] == name]
    told = [spoilt for claim in claims[:1] for spoilt in (claim, *lacking(claim))]
    for value in (*EDITS, *told):
        assert has(form, value) == valid(value), value


def test_a_proof_is_read_as_the_schema_says():
    proof = by_hand.PROOFS[0][1]
    full = {**proof, "made_by": "me", "left_out": ["nothing"]}
    table = {**proof["table"], "made_of": {"files": [], "more": None}, "names": ["t"]}
    tables = ({**full, "table": one} for one in lacking({**table, "weight": 0}))
    for spoilt in (full, *lacking(full), *tables):
        try:
            verify.read_proof(json.dumps(spoilt).encode())
        except verify.CannotCheck:
            assert not FITS.is_valid(spoilt)
        else:
            assert FITS.is_valid(spoilt)
