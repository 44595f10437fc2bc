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
from tests.hostile.one_hot import csv
from tests.hostile.profile import cases
from tests.proving.spoiling import Oracle, repacked, spoilt_tree
from tests.separation.oracle import truth
from tests.verify.corruption import (
    answers_to,
    corrupted,
    number,
    of_margin,
    of_separable,
    rows_of,
    walk,
)

# of levels of one row each: that they may be identifiers
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
TABLES = cases(24, 1_000)
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


def numbers_of(claims, names):
    """Where the members of these names hold a number: (box, key)."""
    for box, key in walk(claims):
        if key in names:
            inner = list(walk(box[key])) if isinstance(box[key], list) else [(box, key)]
            yield from ((b, k) for b, k in inner if isinstance(b[k], int | float | str))


def changed_integer(proof, draw):
    """A multiplier, a weight, a row or an index that is another one."""
    names = ("multipliers", "rows", "independent", "indices", "values", "weights", "times", "index")
    box, key = draw.choice(list(numbers_of(proof["claims"], names)))
    old = box[key]
    step = draw.choice([-2, -1, 1, 2, 7])
    box[key] = old + step if not isinstance(old, str) else as_proven(number(old) + step)


def as_proven(value):
    """A fraction as proofs write it."""
    return f"{value.numerator:x}" + (f"/{value.denominator:x}" if value.denominator > 1 else "")


def other_level(proof, draw):
    """Levels swapped, lost or renamed where the table is described, or a vector's places moved."""
    vectors = [box for box, key in walk(proof["claims"]) if key == "indices"]
    if vectors and draw.random() < 0.5:
        places = draw.choice(vectors)["indices"]
        i = draw.randrange(len(places))
        places[i] += draw.choice([-1, 1])
        return
    columns = [c["levels"] for c in proof["table"]["columns"] if c["levels"]]
    levels = draw.choice(columns)
    i, j = draw.randrange(len(levels)), draw.randrange(len(levels))
    if draw.random() < 0.6:
        levels[i], levels[j] = levels[j], levels[i]
    elif draw.random() < 0.5:
        del levels[i]
    else:
        levels[i] = "L99"


def dropped_row(proof, draw):
    """A row of a combination lost, with its multiplier or without, or one of independent rows."""
    boxes = [(box, key) for box, key in walk(proof["claims"]) if key in ("rows", "independent")]
    box, key = draw.choice([(b, k) for b, k in boxes if b[k]])
    i = draw.randrange(len(box[key]))
    del box[key][i]
    if key == "rows" and draw.random() < 0.8:
        del box["multipliers"][i]


def swapped_sign(proof, draw):
    """One number, or a whole line, the other way round."""
    names = ("weights", "values", "direction", "multipliers", "lines", "null_space", "free")
    box, key = draw.choice(list(numbers_of(proof["claims"], names)))
    keys = range(len(box)) if isinstance(box, list) and draw.random() < 0.3 else [key]
    for k in keys:
        if isinstance(box[k], str):
            box[k] = box[k][1:] if box[k].startswith("-") else "-" + box[k]
        elif isinstance(box[k], int | float):
            box[k] = -box[k]


def lost_part(proof, draw):
    """A vector, a line, a direction or a claim lost, or all from there on."""
    names = ("null_space", "free", "lines", "directions", "claims")
    boxes = [box[key] for box, key in walk(proof) if key in names and box[key]]
    box = draw.choice(boxes)
    i = draw.randrange(len(box))
    box[i:] = box[i + 1 :] if draw.random() < 0.7 else []


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


KINDS = (changed_integer, other_level, dropped_row, swapped_sign, lost_part)


def spoil(data, proof, draw):
    """A table and the text of a proof, one of both corrupted, or both."""
    proof, kind = copy.deepcopy(proof), draw.randrange(len(KINDS) + 3)
    if kind == len(KINDS):  # anything that happens to a file, in the claims
        text = corrupted(json.dumps({"claims": proof["claims"]}).encode(), draw)
        try:
            proof["claims"] = json.loads(text)["claims"]
        except (ValueError, KeyError, TypeError):
            return data, text
    elif kind == len(KINDS) + 1 and any(c["kind"] == "fewest mistakes" for c in proof["claims"]):
        return data, repacked(proof, lambda tree: spoilt_tree(tree, draw))
    elif kind > len(KINDS):
        data = other_table(data, draw)
        proof["table"]["sha256"] = hashlib.sha256(data).hexdigest()
    else:
        KINDS[kind](proof, draw)
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
