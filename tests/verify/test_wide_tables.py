"""Rows held without their zeros: the same answers as with them."""

import warnings

import pytest

from separatrix import SeparatrixWarning, judge, read_table, verify
from separatrix.data import form
from separatrix.proving import prove_separability, prove_verdict
from tests.verify.by_hand import opened
from tests.verify.wide_tables import both_ways, one_hot

KINDS = ("separable", "touching", "overlapping")


@pytest.fixture(scope="module")
def proofs(tmp_path_factory):
    """(table, proof of its verdict) of each kind; tables of 40 columns count as wide."""
    folder, made = tmp_path_factory.mktemp("wide"), {}
    for kind in KINDS:
        path = folder / f"{kind}.csv"
        path.write_bytes(one_hot(kind, 40, 90))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeparatrixWarning)
            table = read_table(path, "answer")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(form, "WIDE", 40)
            verdict = judge(table, fewest_nodes=1)
        assert verdict.separability.verdict == kind
        made[kind] = path.read_bytes(), prove_verdict(verdict, path.read_bytes()).text.encode()
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_proofs_verify_and_say_the_same_with_all_zeros(proofs, kind, monkeypatch):
    monkeypatch.setattr(verify, "SPARSE_WIDTH", 40)
    data, proof = proofs[kind]
    sparse, dense = both_ways(proof, data)
    assert sparse == dense
    text = "\n".join(sparse)
    for claim in verify.read_proof(proof).data["claims"]:
        assert claim["kind"] in verify.CLAIMS
    assert "PLA" in text


def test_a_table_of_numbers_is_read_with_its_zeros(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"n{j}" for j in range(130)]
    rows = [[str((7 * n + j * n) % 5) for j in range(130)] for n in range(12)]
    body = "".join(",".join([*row, "yn"[n % 2]]) + "\n" for n, row in enumerate(rows))
    path.write_text(",".join([*names, "answer"]) + "\n" + body)
    proof = prove_separability(read_table(path, "answer"), path.read_bytes()).text.encode()
    table = opened(path.read_bytes(), verify.read_proof(proof).data)
    assert table.places is None
    assert [[*x[1:]] for x in table.points] == [[float(v) for v in row] for row in rows]


def vectors_of(told):
    if not verify.fits(told, verify.VECTORS):
        raise verify.Malformed
    return verify.Part({"free": told}).vectors("free", 3)


@pytest.mark.parametrize(
    "told",
    [
        {"indices": [0, 0], "values": ["1", "1"]},
        {"indices": [7], "values": ["1"]}, {"indices": [0, 1], "values": ["1"]},
        {"indices": [-1], "values": ["1"]}, {"indices": [True], "values": ["1"]},
        {"indices": [1.5], "values": ["1"]}, {"indices": [1]},
    ],
)  # fmt: skip
def test_a_vector_by_indices_stands_in_places_that_there_are(told):
    with pytest.raises(verify.CannotCheck):
        vectors_of([told])


def test_vectors_by_indices_are_the_same_vectors():
    both = [["0", "3", "-1/2"], {"indices": [2, 1], "values": ["-1/2", "3"]}]
    first, second = vectors_of(both)
    assert first == second
