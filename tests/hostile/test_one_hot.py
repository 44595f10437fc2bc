"""Small tables with rare levels: what is proven of them is what an exact linear program says.

Their proofs, corrupted, verify nothing that it does not say.
"""

import contextlib
import copy
import hashlib
import json
import random
import re

import pytest

from separatrix import InputError, read_table, verify
from separatrix.data import form
from separatrix.proving import prove_fewest_mistakes, prove_separability
from tests.hostile.mutating import change
from tests.hostile.one_hot import csv
from tests.hostile.profile import cases
from tests.proving.spoiling import Oracle, repacked, spoilt_tree
from tests.separation.oracle import truth
from tests.verify.corruption import (
    answers_to,
    number,
    of_margin,
    of_separable,
    rows_of,
)

# of levels of one row each: that they may be identifiers
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
TABLES = cases(20, 1_000)
BLOCKS = 4
CORRUPTED = cases(400, 5_000)
FEW = 9  # rows of tables whose fewest mistakes are known from the definition
SIGNS = {"upwards": 1, "downwards": -1, "either way": 0}


def proven(path):
    """The proof of a table as `prove` writes it, and what the verifier says of it."""
    data = path.read_bytes()
    proof = prove_separability(read_table(path, "y"), data)
    assert proof.canonical is None
    return json.loads(proof.text), verify.statements(proof.text.encode(), data)


def dense_of(told, width):
    """A vector of a proof, all of its numbers."""
    if isinstance(told, list):
        return [number(a) for a in told]
    vector = dict(zip(told["indices"], map(number, told["values"]), strict=True))
    return [vector.get(j, 0) for j in range(width)]


def claimed_directions(claim, width):
    """{index: +1, -1, 0 for either way}, or another text where the direction is not shown."""
    ways = {}
    for line in claim["lines"]:
        for j, a in enumerate(dense_of(line, width)):
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
    Z = rows_of(path.read_bytes(), proof)
    true, width = truth(Z), len(Z[0])
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
        line = dense_of(claim["weights"], width)
        scores = [sum(a * b for a, b in zip(line, z, strict=True)) for z in Z]
        assert {n for n, s in enumerate(scores) if s > 0} == true.strict
        assert min(scores) >= 0
        directions = claimed_directions(claims["diverging"], width)
        directions = {j: way for j, way in directions.items() if j not in true.aliased}
        assert directions == true.diverging
        silent = [dense_of(v, width) for v in claims["diverging"]["null_space"]]
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
        monkeypatch.setattr(form, "WIDE", 1)
        monkeypatch.setattr(form, "SPARSE_SHARE", 1)
    found = {check(seed, tmp_path / "t.csv") for seed in range(block, TABLES, BLOCKS)}
    assert len(found) > 1


# ---------------------------------------------------------------------- corrupted proofs


def few_rows(seed):
    """Some rows of a table, of either answer half of them."""
    header, *lines = csv(seed).splitlines()
    yes, no = ([line for line in lines if line.endswith(a)] for a in (b",yes", b",no"))
    return b"\n".join([header, *yes[: FEW // 2], *no[: FEW - FEW // 2]]) + b"\n"


def other_table(data, draw):
    """A table with an answer or a level changed, a row lost, doubled or moved."""
    header, *lines = data.splitlines()
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.randrange(4)
    if kind == 0:
        head, _, answer = lines[i].rpartition(b",")
        lines[i] = head + b"," + (b"no" if answer == b"yes" else b"yes")
    elif kind == 1:
        cells, others = lines[i].split(b","), lines[j].split(b",")
        c = draw.randrange(len(cells) - 1)
        cells[c] = others[c]
        lines[i] = b",".join(cells)
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines[i] = lines[j]
    return b"\n".join([header, *lines]) + b"\n"


def spoil(data, proof, draw):
    """A table and the text of a proof, one of both corrupted."""
    proof, kind = copy.deepcopy(proof), draw.randrange(4)
    if kind == 0:
        data = other_table(data, draw)
        proof["table"]["sha256"] = hashlib.sha256(data).hexdigest()
    elif kind == 1 and any(c["kind"] == "fewest mistakes" for c in proof["claims"]):
        return data, repacked(proof, lambda tree: spoilt_tree(tree, draw))
    else:
        levels = [c["levels"] for c in proof["table"]["columns"] if c["levels"]]
        with contextlib.suppress(OverflowError):
            change(draw.choice([proof["claims"]] * 4 + levels[:1]), draw)
    return data, json.dumps(proof).encode()


class Truths:
    """What is true of tables, found once each."""

    def __init__(self):
        self.known, self.fewest = {}, Oracle()

    def holds(self, data, text, statements):
        """Assert that all that was verified is true."""
        proof = json.loads(text)
        Z, said = rows_of(data, proof), "\n".join(statements)
        key = repr(Z)
        if key not in self.known:
            self.known[key] = truth(Z)
        true = self.known[key]
        for claim in proof["claims"]:
            kind, w = claim["kind"], claim.get("weights")
            w = None if w is None else dense_of(w, len(Z[0]))
            scores = [] if w is None else [sum(a * b for a, b in zip(w, z, strict=True)) for z in Z]
            if kind in ("separable", "touching", "overlapping"):
                assert kind == true.verdict
            if kind in ("touching", "not separable", "overlapping"):
                assert true.verdict != "separable"
            if kind == "separable":
                assert of_separable(Z, claim, scores, w) in said
            elif kind == "margin":
                assert of_margin(Z, claim, scores, w) in said
            elif kind == "touching":
                assert min(scores) >= 0
                assert f"{sum(s > 0 for s in scores):,} on their own side" in said
            elif kind == "overlapping":
                assert f"(rank {true.rank})" in said
            elif kind == "diverging":
                said_of = next(s for s in statements if s.startswith("Coefficients that diverge"))
                diverge_as_said(said_of, true, names_of(proof))
        if len(Z) <= FEW:
            self.fewest.holds(data, text, statements)


def names_of(proof):
    """The coefficients, in their order."""
    names = ["intercept"]
    for column in proof["table"]["columns"]:
        c = f"c{int(column['index'])}"
        names += [c] if column["levels"] is None else [f"{c}={a}" for a in column["levels"][1:]]
    return names


def diverge_as_said(text, true, names):
    """Assert that those shown go where it is said, and that there are as many as it is said."""
    first, _, rest = text.partition(". ")
    shown = re.findall(r"'([^']+)' \(([a-z ]+)\)", first)
    more = re.search(r"and ([\d,]+) more", first)
    count = len(shown) + (int(more[1].replace(",", "")) if more else 0)
    assert count == len(true.ways)
    for name, way in shown:
        j = names.index(name)
        assert j in true.ways
        assert way == "direction not shown" or true.diverging[j] == SIGNS[way]
    _, _, collinear = rest.partition("no score determines: ")
    for name in re.findall(r"'([^']+)'", collinear):
        assert names.index(name) in true.aliased


def known_proofs(path):
    """Tables and their proofs: small ones, some of few rows, one of many levels, in either form."""
    for seed in (*range(1, cases(13, 60)), 20):
        path.write_bytes(csv(seed))
        yield path.read_bytes(), proven(path)[0]
    for seed in range(100, cases(106, 130)):
        path.write_bytes(few_rows(seed))
        with contextlib.suppress(InputError):  # no column with two values in so few rows
            found = prove_fewest_mistakes(read_table(path, "y"), path.read_bytes())
            yield path.read_bytes(), json.loads(found.text)


@pytest.mark.parametrize("form_of", ["by its content", "sparse"])
def test_corrupted_proofs_of_categories_verify_nothing_false(form_of, tmp_path, monkeypatch):
    if form_of == "sparse":
        monkeypatch.setattr(form, "WIDE", 1)
        monkeypatch.setattr(form, "SPARSE_SHARE", 1)
    known, truths = list(known_proofs(tmp_path / "t.csv")), Truths()
    draw = random.Random(form_of)
    some = (spoil(*known[k % len(known)], draw) for k in range(CORRUPTED // 2))
    tried = ((data, None, text) for data, text in some)
    answers = answers_to(tried, truths.holds, memory=2.0**31)
    del answers["same"]  # what is verified is true, if only of another table
    assert min(answers.values()) > CORRUPTED // 40, answers
