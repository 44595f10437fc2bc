"""Proof files of likelihood intervals, checked as a stranger would."""

import json

import numpy as np
import pytest

from separatrix import InputError, read_table
from separatrix.proving.asking import prove_likelihood_intervals
from tests.proving.checking import FITS
from tests.shared_data import DATA, manifest, needs_shared


def proven(path, label="label", **options):
    return prove_likelihood_intervals(read_table(path, label=label), path.read_bytes(), **options)


@needs_shared
def test_endometrial_is_said_in_words():
    told = proven(DATA / "endometrial.csv").statements
    above = "the coefficient of 'NV' lies above 1.284111, without a bound upwards."
    assert f"Claim 1: With 95 % likelihood {above}" in told
    assert any("lies between -4.785913 and -1.436388" in words for words in told)
    told = "\n".join(proven(DATA / "spector.csv", level=0.99).statements)
    assert "With 99 % likelihood the coefficient of 'GPA' lies between" in told


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda e: e["name"])
def test_every_interval_of_a_public_table_verifies(entry):
    path = DATA / entry["file"]
    lecture = path.suffix == ".dat"
    options = {"label": "last", "yes": "1", "header": False} if lecture else {"label": "label"}
    proof = prove_likelihood_intervals(read_table(path, **options), path.read_bytes())
    FITS.validate(json.loads(proof.text))
    assert not any("rounding" in why for why in proof.left_out)


def test_a_kilobyte_says_where_both_ends_are(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((500, 10)).round(3)
    path = tmp_path / "t.csv"
    rows = (
        ",".join([*map(repr, x.tolist()), "yn"[int(u < 0.5)]])
        for x, u in zip(X, rng.random(500), strict=True)
    )
    path.write_text("\n".join([",".join([*(f"x{j}" for j in range(10)), "label"]), *rows]) + "\n")
    proof = json.loads(proven(path).text)
    (claim,) = proof["claims"]
    assert len(claim["ends"]) == 22
    assert len(json.dumps(claim, separators=(",", ":"))) < 22 * 400


def test_collinear_columns_are_left_out_and_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,label\n1,2,0,y\n2,4,1,n\n3,6,1,y\n4,8,0,n\n5,10,1,y\n0,0,0,n\n")
    proof = proven(path)
    assert "of 'a', 'b': each is made up by the others" in proof.left_out[0]
    assert not any("'a'" in words and "With" in words for words in proof.statements)
    assert any("coefficient of 'c' lies between" in words for words in proof.statements)


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,label\n1,y\n2,n\n3,y\n4,n\n")
    with pytest.raises(InputError, match="has changed"):
        prove_likelihood_intervals(read_table(path, label="label"), b"x,label\n")
