"""Rows held without their zeros: the same answers as with them."""

import warnings

import pytest

from separatrix import SeparatrixWarning, judge, read_table, verify
from separatrix.data import points
from separatrix.proving.asking import prove_verdict
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
            patched.setattr(points, "WIDE", 40)
            verdict = judge(table, fewest_nodes=1)
        assert verdict.separability.verdict == kind
        made[kind] = path.read_bytes(), prove_verdict(verdict, path.read_bytes()).text.encode()
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_proofs_verify_and_say_the_same_with_all_zeros(proofs, kind):
    data, proof = proofs[kind]
    sparse, dense = both_ways(proof, data)
    assert sparse == dense
    assert "PLA" in "\n".join(sparse)


def vectors_of(told):
    return verify.Part({"free": told}).vectors("free", 3)


@pytest.mark.parametrize(
    "told",
    [
        {"indices": [0, 0], "values": ["1", "1"]},
        {"indices": [3], "values": ["1"]}, {"indices": [0, 1], "values": ["1"]},
        {"indices": [-1], "values": ["1"]}, {"indices": [True], "values": ["1"]},
        {"indices": [1.5], "values": ["1"]}, {"indices": [1]},
    ],
)  # fmt: skip
def test_a_vector_by_indices_stands_in_places_that_there_are(told):
    with pytest.raises(verify.CannotCheck):
        vectors_of([told])
    first, second = vectors_of([["0", "3", "-1/2"], {"indices": [2, 1], "values": ["-1/2", "3"]}])
    assert first == second
