"""Small tables with rare levels: what is proven of them is what an exact linear program says."""

import json

import pytest

from separatrix import read_table, verify
from separatrix.data import points
from separatrix.proving.asking import prove_separability
from tests.hostile.one_hot import csv
from tests.hostile.profile import cases
from tests.verify.truths import Truths

# of levels of one row each: that they may be identifiers
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
TABLES = cases(24, 1_000)
BLOCKS = 4


def proven(path):
    data = path.read_bytes()
    proof = prove_separability(read_table(path, "y"), data)
    assert not proof.beside
    return json.loads(proof.text), verify.statements(proof.text.encode(), data)


def claimed_directions(claim, q):
    """{index: +1, -1, 0 for either way}, or another text where the direction is not shown."""
    ways = {}
    for line in claim["lines"]:
        for j, a in enumerate(q.line(line)):
            if a:
                ways.setdefault(j, set()).add(1 if a > 0 else -1)
    shown = {d["index"]: d["direction"] for d in claim["directions"]}
    for j, direction in shown.items():
        assert ways[j] == {direction}
    return {
        j: 0 if len(signs) == 2 else shown.get(j, "not shown") for j, signs in sorted(ways.items())
    }


def check(seed, path):
    """Return the verdict on a table; it and all that is proven with it are true."""
    path.write_bytes(csv(seed))
    proof, statements = proven(path)
    q = Truths().question(path.read_bytes(), proof)
    true = q.cone
    kinds = [claim["kind"] for claim in proof["claims"]]
    claims = dict(zip(kinds, proof["claims"], strict=True))
    assert true.verdict in kinds
    assert sum(kind in ("separable", "touching", "overlapping") for kind in kinds) == 1
    claim = claims[true.verdict]
    if true.verdict == "overlapping":
        assert "diverging" not in claims
        assert any(f"(rank {true.rank})" in s for s in statements)
        assert len(claim["rows"]) <= max(1, 2 * true.rank)
    else:
        scores = q.scores(claim)
        assert {n for n, s in enumerate(scores) if s > 0} == true.strict
        assert min(scores) >= 0
        directions = claimed_directions(claims["diverging"], q)
        directions = {j: way for j, way in directions.items() if j not in true.aliased}
        assert directions == true.diverging
        silent = [q.line(v) for v in claims["diverging"]["null_space"]]
        assert {j for v in silent for j, a in enumerate(v) if a} == true.aliased
    if "not separable" in claims:
        assert len(claims["not separable"]["rows"]) <= true.rank + 1
    else:
        assert true.verdict == "separable" or len(claim["rows"]) <= max(1, 2 * true.rank)
    return true.verdict


@pytest.mark.parametrize("form_of", ["by its content", "sparse"])
@pytest.mark.parametrize("block", range(BLOCKS))
def test_what_is_proven_of_categories_is_what_is_true(form_of, block, tmp_path, monkeypatch):
    if form_of == "sparse":  # each of them by its nonzeros, however small
        monkeypatch.setattr(points, "WIDE", 1)
        monkeypatch.setattr(points, "SPARSE_SHARE", 1)
    found = {check(seed, tmp_path / "t.csv") for seed in range(block, TABLES, BLOCKS)}
    assert len(found) > 1
