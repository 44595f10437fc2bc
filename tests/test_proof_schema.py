"""The published schema: every proof that we write fits it, and other shapes do not."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from separatrix import judge, read_table, verify
from separatrix.proving import prove_separability, prove_verdict
from tests import test_verify_fits, test_verify_questions
from tests.shared_data import DATA, manifest, needs_shared

SCHEMA = json.loads((Path(verify.__file__).parent / "proof.schema.json").read_text())
FITS = Draft202012Validator(SCHEMA)


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
    assert {"PLA", "least squares"} <= {claim["kind"] for claim in proof["claims"]}


def test_proofs_against_a_canonical_csv_fit_the_schema(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("-1 1:0.1\n+1 1:0.2 3:1\n+1 2:1 3:1\n")
    proof = prove_separability(read_table(path, label=None), path.read_bytes())
    FITS.validate(json.loads(proof.text))


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda e: e["name"])
def test_proofs_of_the_public_tables_fit_the_schema(entry):
    path = DATA / entry["file"]
    lecture = path.suffix == ".dat"
    options = {"label": "last", "yes": "1", "header": False} if lecture else {"label": "label"}
    proof = prove_separability(read_table(path, **options), path.read_bytes())
    FITS.validate(json.loads(proof.text))


def test_the_schema_knows_the_claims_that_the_verifier_knows():
    kinds = {d["properties"]["kind"]["const"] for n, d in SCHEMA["$defs"].items() if "claim_" in n}
    assert kinds == set(verify.CHECKS)


def test_claims_made_by_hand_fit():
    for _, proof in test_verify_fits.PROOFS:
        FITS.validate(proof)


@pytest.mark.parametrize("rule", test_verify_questions.RULES)
def test_proofs_of_several_questions_fit_and_their_other_shapes_do_not(rule):
    proof = test_verify_questions.RULES[rule]
    FITS.validate(proof)
    for name in SPOILT_SHAPES:
        spoilt = copy.deepcopy(proof)
        test_verify_questions.SPOILT[name][0](spoilt)
        assert not FITS.is_valid(spoilt), name
    one = {k: v for k, v in proof.items() if k not in {"questions", "multiclass"}}
    claims = proof["questions"][0]["claims"]
    for other in ({**proof, "claims": claims}, {**one, "claims": claims, "version": 1}, one):
        assert not FITS.is_valid(other)


SPOILT_SHAPES = [
    "a question dropped", "no class", "one class", "a question without claims",
    "the version of one question", "no questions", "no such rule",
]  # fmt: skip


CHANGES = {
    "another format": lambda p: p.update(format="proof"),
    "another version": lambda p: p.update(version=2),
    "a version that is none": lambda p: p.update(version=3),
    "no table": lambda p: p.pop("table"),
    "no claims": lambda p: p.update(claims=[]),
    "an unknown key": lambda p: p.update(more=1),
    "an unknown key of the table": lambda p: p["table"].update(more=1),
    "a hash that is none": lambda p: p["table"].update(sha256="0" * 63),
    "a text for a truth value": lambda p: p.update(intercept="yes"),
    "a negative row": lambda p: p["claims"][0]["rows"].__setitem__(0, -1),
    "a row twice": lambda p: p["claims"][0].update(rows=[1, 1]),
    "a row that is no whole number": lambda p: p["claims"][0]["rows"].__setitem__(0, 0.5),
    "a multiplier of zero": lambda p: p["claims"][0]["multipliers"].__setitem__(0, "0"),
    "a negative multiplier": lambda p: p["claims"][0]["multipliers"].__setitem__(0, "-1"),
    "a multiplier in words": lambda p: p["claims"][0]["multipliers"].__setitem__(0, "one"),
    "an unknown kind": lambda p: p["claims"][0].update(kind="true"),
    "a claim without its weights": lambda p: p["claims"][-1].pop("weights"),
    "a claim with an unknown key": lambda p: p["claims"][-1].update(more=1),
    "a denominator of zero": lambda p: p["claims"][-1]["weights"].__setitem__(0, "1/0"),
    "no label": lambda p: p["table"].pop("label"),
    "a column without its place": lambda p: p["table"]["columns"][0].pop("index"),
    "a dialect that lacks its delimiter": lambda p: p["table"]["dialect"].pop("delimiter"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_other_shapes_are_refused(name, tmp_path):
    proof = written(table_of(tmp_path, 0.3), weight="w")
    FITS.validate(proof)
    assert "rows" in proof["claims"][0]
    spoilt = copy.deepcopy(proof)
    CHANGES[name](spoilt)
    assert not FITS.is_valid(spoilt)
