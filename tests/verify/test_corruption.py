"""Tables and words that are not a proof's own; corrupted proofs: `hostile/test_proofs.py`."""

import json
import random

import pytest

from separatrix.verify import VERIFIED, CannotCheck, check_files, statements
from tests.verify.by_hand import AND, PROOFS, SEPARABLE, THREE, proof_of


def test_a_corrupted_table_is_another_table():
    draw = random.Random(7)
    proof = json.dumps(proof_of(THREE, PROOFS[-1][1]["claims"])).encode()
    for _ in range(300):
        i = draw.randrange(len(THREE))
        spoilt = THREE[:i] + bytes([(THREE[i] + draw.randrange(1, 256)) % 256]) + THREE[i + 1 :]
        with pytest.raises(CannotCheck, match="SHA-256"):
            statements(proof, spoilt)


@pytest.mark.parametrize("words", [["The rows are not separable."], []])
def test_words_in_a_proof_that_are_not_the_verifiers_own_are_pointed_at(words, tmp_path):
    (tmp_path / "t.csv").write_bytes(AND)
    proof = proof_of(AND, [SEPARABLE])
    for claim, pointed in ((words, True), (statements(json.dumps(proof).encode(), AND), False)):
        (tmp_path / "p.json").write_text(json.dumps({**proof, "claim": claim}))
        code, answer = check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
        assert code == VERIFIED
        assert answer.endswith("only these above count.)") == pointed
