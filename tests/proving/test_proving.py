"""Proof files of real and hostile tables, checked by the verifier as a plain script."""

import json
from fractions import Fraction

import numpy as np
import pytest

from separatrix import InputError, separability, verify
from separatrix.certificates.statement import hexadecimal
from separatrix.data import Sample
from separatrix.proving.files import write
from tests.proving.checking import WORDS, checked, proven, same_cells
from tests.shared_data import DATA, manifest, needs_shared


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda e: e["name"])
def test_every_public_table_has_a_proof_that_a_stranger_checks(entry, tmp_path):
    path = DATA / entry["file"]
    lecture = path.suffix == ".dat"
    options = {"label": "last", "yes": "1", "header": False} if lecture else {"yes": "yes"}
    proof = same_cells(path, **{"label": "label", **options})
    told = json.loads(proof.text)
    (verdict,) = {claim["kind"] for claim in told["claims"]} & {*WORDS}
    write(proof, tmp_path / "proof.json")
    text = checked(tmp_path / "proof.json", path)
    assert WORDS[verdict] in text
    assert f"The rows: {entry['n']:,}, in" in text
    assert (verdict == "separable") == entry["separable"]
    if verdict == "overlapping":
        assert f"(rank {entry['rank_with_intercept']})" in text


def test_encodings_folded_labels_and_weights_are_told(tmp_path):
    path = tmp_path / "table.csv"
    text = "größe,w,label\n1,1,Nein\n2,0,JA\n3,2.5, ja\n4,1,\n0,3,nein\n"
    path.write_bytes(text.encode("latin-1"))
    proof, _ = proven(
        path, encoding="latin-1", fold_labels=True, weight="w", unlabelled="drop", yes="ja"
    )
    write(proof, tmp_path / "proof.json")
    said = checked(tmp_path / "proof.json", tmp_path / "proof.table.csv")
    assert "The rows: 3, in lines 2 to 4" in said
    told = json.loads(proof.text)["table"]["made_of"]
    assert (told["rows"], told["lines"]) == (5, [[2, 2], [4, 4], [6, 6]])
    assert "Rows weigh what column 'w' says" in said


def test_another_file_with_the_name_of_the_canonical_csv_stays(tmp_path):
    path, mine = tmp_path / "t.svm", tmp_path / "p.table.csv"
    path.write_text("-1 1:0.1\n+1 1:0.2 3:1\n")
    proof, _ = proven(path, label=None)
    mine.write_text("a,b\n")
    with pytest.raises(InputError, match=r"another file has that name"):
        write(proof, tmp_path / "p.json")
    assert mine.read_text() == "a,b\n"
    assert not (tmp_path / "p.json").exists()
    mine.unlink()
    write(proof, tmp_path / "p.json")
    path.write_text("-1 1:0.1\n+1 1:0.3 3:1\n")
    write(proven(path, label=None)[0], tmp_path / "p.json")  # over its own former table
    assert "0.3" in mine.read_text()


def test_an_undecided_answer_claims_nothing():
    found = separability([[0.0], [1.0]], [0, 1])
    undecided = type(found)(**{**found.__dict__, "verdict": "undecided"})
    X, y = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    assert undecided.claim(Sample(X, y, np.array([0, 1]), np.ones(2))) == []


@pytest.mark.parametrize("value", [0, 5, -31, Fraction(-31, 3), Fraction(1, 2**200), 10**400])
def test_numbers_come_back_from_their_hexadecimals(value):
    assert verify.rational(hexadecimal(value)) == value
