"""Proof files of likelihood intervals, checked as a stranger would."""

import json
import subprocess
import sys

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from separatrix import InputError, read_table, verify
from separatrix.proving import prove_likelihood_intervals, write
from tests.proving.test_schema import SCHEMA
from tests.shared_data import DATA, manifest, needs_shared


def proven(path, label="label", **options):
    return prove_likelihood_intervals(read_table(path, label=label), path.read_bytes(), **options)


@needs_shared
def test_endometrial_is_said_in_words():
    told = proven(DATA / "endometrial.csv").statements
    assert (
        "With 95 % likelihood the coefficient of 'NV' lies above 1.284111, without a bound upwards."
    ) in told
    assert any("lies between -4.785913 and -1.436388" in words for words in told)


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda e: e["name"])
def test_every_interval_of_a_public_table_verifies(entry):
    if entry["d"] > 60 or entry["n"] > 2000:
        pytest.skip("seconds")
    path = DATA / entry["file"]
    lecture = path.suffix == ".dat"
    options = {"label": "last", "yes": "1", "header": False} if lecture else {"label": "label"}
    proof = prove_likelihood_intervals(read_table(path, **options), path.read_bytes())
    Draft202012Validator(SCHEMA).validate(json.loads(proof.text))
    assert not any("rounding" in why for why in proof.left_out)


@needs_shared
def test_the_file_alone_is_checked_by_the_script(tmp_path):
    table, file = DATA / "spector.csv", tmp_path / "proof.json"
    write(proven(table, level=0.99, columns=[1]), file)
    command = [sys.executable, "-I", verify.__file__, str(file), str(table)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.startswith("VERIFIED")
    assert "With 99 % likelihood the coefficient of 'GPA' lies between" in told
    assert told.count("With 99 %") == 1


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
    assert "others make up 'a', 'b'" in proof.left_out[0]
    assert not any("'a'" in words and "With" in words for words in proof.statements)
    assert any("coefficient of 'c' lies between" in words for words in proof.statements)


def test_several_questions_have_intervals_each(tmp_path):
    from separatrix.tables import read_classes

    path = tmp_path / "t.csv"
    rng = np.random.default_rng(2)
    rows = (
        f"{x:.2f},{'uvw'[k]}"
        for x, k in zip(rng.standard_normal(60), rng.integers(0, 3, 60), strict=True)
    )
    path.write_text("x,label\n" + "\n".join(rows) + "\n")
    proof = prove_likelihood_intervals(
        read_classes(path, label="label"), path.read_bytes(), multiclass="ova"
    )
    assert sum("coefficient of 'x' lies between" in words for words in proof.statements) == 3


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,label\n1,y\n2,n\n3,y\n4,n\n")
    with pytest.raises(InputError, match="has changed"):
        prove_likelihood_intervals(read_table(path, label="label"), b"x,label\n")
