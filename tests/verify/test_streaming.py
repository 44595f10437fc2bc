"""Tables larger than memory: rows that pass by, of CSV and .npy files."""

from __future__ import annotations

import json

import pytest

from separatrix import verify
from tests.verify import by_hand, fits_by_hand
from tests.verify.by_hand import LINE, proof_of
from tests.verify.streaming import checked, in_tiles, proof_of_arrays, saved

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]

BY_HAND = [
    (by_hand.AND, by_hand.SEPARABLE), (by_hand.XOR, by_hand.REFUSED),
    (by_hand.XOR, by_hand.OVERLAPPING), (by_hand.TOUCHING, by_hand.TOUCHED),
    (by_hand.AND, by_hand.MARGIN), (by_hand.AND, by_hand.MISTAKES), (by_hand.XOR, by_hand.CORES),
]  # fmt: skip


@pytest.mark.parametrize("tile", [1, 3, 100])
@pytest.mark.parametrize("case", range(len(BY_HAND)))
def test_claims_by_hand_are_answered_as_in_memory(case, tile, tmp_path, monkeypatch):
    data, claim = BY_HAND[case]
    (tmp_path / "t.csv").write_bytes(data)
    proof = json.dumps(proof_of(data, [claim])).encode()
    told = in_tiles(proof, [tmp_path / "t.csv"], monkeypatch, tile, piece=5)
    assert told == verify.statements(proof, data)


@pytest.mark.parametrize("case", range(len(fits_by_hand.PROOFS)))
def test_claims_on_fits_are_answered_as_in_memory(case, tmp_path, monkeypatch):
    data, proof = fits_by_hand.PROOFS[case]
    (tmp_path / "t.csv").write_bytes(data)
    text = json.dumps(proof).encode()
    told = in_tiles(text, [tmp_path / "t.csv"], monkeypatch, tile=2, piece=7)
    assert told == verify.statements(text, data)


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "|i1", ">i2", "<u4", "<i8", "|b1"])
def test_numbers_of_each_kind_are_read(dtype, tmp_path):
    X = saved(tmp_path, "X.npy", CORNERS, dtype)
    y = saved(tmp_path, "y.npy", [0, 0, 0, 1], "|i1")
    proof = proof_of_arrays([X], [y], 2, [{"kind": "separable", "weights": LINE}])
    code, answer = checked(proof, [X, y], tmp_path)
    assert code == verify.VERIFIED, answer
    assert "'1' (yes, 1 rows) or '0' (no, 3 rows)" in answer
    assert "Its squared margin is about 0.0588235" in answer
    for weights, row in (([-3, 2, 1], 4), ([1, 1, 1], 1)):
        proof["claims"][0]["weights"] = weights
        code, answer = checked(proof, [X, y], tmp_path)
        assert code == verify.REFUTED
        assert f"the row at row {row} is not" in answer


def test_labels_may_stand_beside_the_numbers(tmp_path):
    rows = saved(tmp_path, "rows.npy", [(*x, float(x == (1, 1))) for x in CORNERS])
    proof = proof_of_arrays([rows], [], 2, [{"kind": "separable", "weights": LINE}])
    assert checked(proof, [rows], tmp_path)[0] == verify.VERIFIED
