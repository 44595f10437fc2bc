"""Proofs about tables in blocks, checked by the verifier alone."""

import json

import numpy as np
import pytest

from separatrix import InputError, verify
from separatrix.data import read_arrays
from separatrix.proving import prove_in_blocks
from separatrix.scale import ArraySource, BlockedTable, NpySource
from separatrix.tiles import TILE

N, D = 2 * TILE + 100, 3
SAID = {
    "separable": "are linearly separable",
    "touching": "are quasi-completely separated",
    "overlapping": "The rows overlap",
}


def arrays(kind):
    rng = np.random.default_rng(1)
    X = rng.integers(-50, 51, size=(N, D)).astype(np.float32)
    y = (X @ [3, -2, 0] + 0.5 > 0).astype(np.int8)
    if kind != "separable":
        y ^= rng.random(N) < 0.02
    if kind == "touching":
        X[:, 2] = (y == 1) & (rng.random(N) < 0.01)
    return X, y


def little_memory(table):
    table.budget = 0
    return table


@pytest.mark.parametrize("kind", SAID)
@pytest.mark.parametrize("how", ["labels apart", "labels inside", "several files", "text"])
def test_what_is_proven_of_arrays_is_verified(tmp_path, kind, how):
    X, y = arrays(kind)
    rows, labels = [str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")]
    np.save(rows[0], X)
    np.save(labels[0], np.where(y, "yes", "no") if how == "text" else y)
    if how == "labels inside":
        np.save(rows[0], np.column_stack([X[:, :1], y, X[:, 1:]]))
        labels = 1
    if how == "several files":
        rows = [str(tmp_path / f"X{k}.npy") for k in range(2)]
        for path, part in zip(rows, np.split(X, [1000]), strict=True):
            np.save(path, part)
    table = little_memory(BlockedTable(NpySource(rows, labels), rows_in_block=TILE))
    proof, paths = prove_in_blocks(table, tmp_path / "p.json")
    assert SAID[kind] in " ".join(proof.statements)
    (tmp_path / "p.json").write_text(proof.text)
    code, answer = verify.check_files(str(tmp_path / "p.json"), paths)
    assert code == verify.VERIFIED, answer
    assert (how == "text") == (tmp_path / "p.table.npy").exists()
    if kind == "separable":
        broken = json.loads(proof.text)
        broken["claims"][0]["weights"][0] = "1000000000000"
        (tmp_path / "p.json").write_text(json.dumps(broken))
        assert verify.check_files(str(tmp_path / "p.json"), paths)[0] == verify.REFUTED


def test_of_a_small_table_diverging_coefficients_are_claimed_too(tmp_path):
    X, y = arrays("separable")
    source = ArraySource(read_arrays(X[:200].astype(float), y[:200]))
    proof, paths = prove_in_blocks(BlockedTable(source), tmp_path / "p.json")
    assert [claim["kind"] for claim in json.loads(proof.text)["claims"]] == [
        "separable", "margin", "diverging",
    ]  # fmt: skip
    (tmp_path / "p.json").write_text(proof.text)
    assert verify.check_files(str(tmp_path / "p.json"), paths)[0] == verify.VERIFIED


def test_arrays_beside_a_proof_that_fails_are_removed(tmp_path, monkeypatch):
    X, y = arrays("separable")
    table = BlockedTable(ArraySource(read_arrays(X[:50].astype(float), y[:50])))
    monkeypatch.setattr("separatrix.verify.PROOFS", {})
    with pytest.raises(InputError, match="can be written: verify answers that"):
        prove_in_blocks(table, tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []


def test_numbers_to_fit_have_no_proof(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(3))
    np.save(tmp_path / "y.npy", np.array([0.5, 1.5, 2.5]))
    source = NpySource([str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")], numbers=True)
    with pytest.raises(InputError, match="y holds numbers, and labels are asked for"):
        prove_in_blocks(BlockedTable(source), tmp_path / "p.json")
