"""Proofs of the fewest mistakes, spoilt in every way, and what is true of them."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from fractions import Fraction

import numpy as np

from separatrix.plain.fewest_mistakes import fewest_mistakes
from separatrix.zero_one import minimum_errors
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import Branch, CorePool, Disjunction
from separatrix.zero_one.limits import ALL, Budget
from separatrix.zero_one.problem import Problem
from tests.proving.fewest_mistakes import csv_of, noisy, proof_of
from tests.verify.corruption import corrupted, number, rows_of


def tables(tmp_path):
    """Tables of which everything is known, and proofs by boxes, by cores and by merging alone."""
    r = np.random.default_rng(5)
    grid = r.integers(0, 3, (9, 2)).astype(float), r.choice([-1, 1], 9)
    ties = r.integers(-2, 3, (9, 2)).astype(float), r.choice([-1, 1], 9)
    weights = r.integers(1, 9, 9) / 4
    for name, (X, y), more, options in (
        ("noisy", noisy(10, 2, 0.4, 2), (), {}),
        ("grid", grid, (), {}),
        ("weighed", ties, (weights,), {"weight": "w0"}),
    ):
        path = csv_of(tmp_path / f"{name}.csv", X, y, *more)
        proof = proof_of(path, **options)
        yield path.read_bytes(), json.loads(proof.text)


def without_cores(monkeypatch):
    """Make certificates write trees of boxes wherever they can."""
    whole = minimum_errors._certified
    monkeypatch.setattr(
        minimum_errors, "_certified",
        lambda bracket, *rest: whole(replace(bracket, packing=None), *rest),
    )  # fmt: skip


def with_cases(monkeypatch):
    """Make certificates write packings by cases: of two rows, each wrong or right."""
    whole = minimum_errors._certified

    def certified(bracket, question, budget):
        problem = Problem(question)
        rows = problem.rows
        pool = CorePool(rows, Knowledge(rows, Budget(None, ALL)))
        for line in np.random.default_rng(0).standard_normal((30, rows.dimension)):
            pool.separate_line(line, 2)
        first, second = ((0, 1), ()), ((0,), (1,))
        wrong = Disjunction(1, *(pool.packing(Branch(*rows)) for rows in (first, second)))
        cases = Disjunction(0, wrong, pool.packing(Branch((), (0,))))
        assert problem.weight(cases.bound) == bracket.exact_lower
        return whole(replace(bracket, packing=cases), question, budget)

    monkeypatch.setattr(minimum_errors, "_certified", certified)


def repacked(proof, change) -> bytes:
    """The proof with its compressed member changed inside."""
    proof = json.loads(json.dumps(proof))
    claim = next(c for c in proof["claims"] if c["kind"] == "fewest mistakes")
    tree = json.loads(zlib.decompress(base64.b64decode(claim["proof"])))
    claim["proof"] = base64.b64encode(zlib.compress(json.dumps(change(tree)).encode())).decode()
    return json.dumps(proof).encode()


def spoilt_tree(tree, draw):
    """A number, a row or a section of the tree changed, lost, doubled or swapped."""
    inner = tree
    while True:
        lists = [a for a in inner if isinstance(a, list) and a]
        if not lists or (draw.random() < 0.15 and inner is not tree):
            break
        inner = draw.choice(lists)
    if not inner:
        return draw.choice([[0], [[], [], []], {}, None, "x", 1])
    i, j = draw.randrange(len(inner)), draw.randrange(len(inner))
    kind = draw.randrange(7)
    if kind == 0:
        del inner[i]
    elif kind == 1:
        inner.insert(i, inner[j])
    elif kind == 2:
        del inner[i:]
    elif kind == 3:
        inner[i], inner[j] = inner[j], inner[i]
    elif kind == 4 and isinstance(inner[i], int):
        inner[i] = draw.choice([-inner[i], str(inner[i]), float(inner[i]), True, None, "-1/2"])
    elif isinstance(inner[i], int):
        inner[i] += draw.choice([-1, 1, 1, 64, -64, 10**9])
    else:
        inner[i] = draw.choice([0, [], [[]], "f"])
    return tree


def spoilt_member(proof, draw) -> bytes:
    """The compressed member corrupted where it stands."""
    proof = json.loads(json.dumps(proof))
    claim = next(c for c in proof["claims"] if c["kind"] == "fewest mistakes")
    text = claim["proof"]
    i = draw.randrange(len(text))
    claim["proof"] = draw.choice(
        [text[:i], text[:i] + draw.choice("Aa0/+=-") + text[i + 1 :], text[i:], text + text, ""]
    )
    return json.dumps(proof).encode()


def spoilt(proof, draw) -> bytes:
    kind = draw.randrange(4)
    if kind == 0:
        return corrupted(json.dumps(proof).encode(), draw)
    if kind == 1:
        return spoilt_member(proof, draw)
    return repacked(proof, lambda tree: spoilt_tree(tree, draw))


class Oracle:
    """The truth from the definition, in fractions."""

    def __init__(self):
        self.known = {}

    def holds(self, data, text, statements):
        """Assert that what is said of the fewest mistakes is true of the table as it is read."""
        proof = json.loads(text)
        Z = rows_of(data, proof)
        weigh = weights_of(data, proof)
        for claim in proof["claims"]:
            if claim["kind"] != "fewest mistakes":
                continue
            costs = claim["cost_wrong_no"], claim["cost_wrong_yes"]
            signs = signs_of(data, proof)
            weight = [
                Fraction(w * costs[0 if s > 0 else 1]) for w, s in zip(weigh, signs, strict=True)
            ]
            line = [number(w) for w in claim["weights"]]
            scores = [sum(a * b for a, b in zip(line, z, strict=True)) for z in Z]
            above = sum((w for w, s in zip(weight, scores, strict=True) if s <= 0), Fraction(0))
            key = repr((Z, weight))
            if key not in self.known:
                self.known[key] = fewest_mistakes(Z, weight)
            least = self.known[key]
            assert any(truly(s, least, above) for s in statements), (text, statements)


def truly(statement, least, above):
    words = statement.replace(",", "").replace(":", " ").split()
    if "makes no mistake on" in statement:
        return above == 0
    if not (statement.startswith(("Every line makes at least", "The mistakes of every line"))):
        return False
    values = [float(w) for w in words if w[0].isdigit()]
    below, attained = values[0], values[-1]
    if below > float(least) * (1 + 1e-5) or abs(attained - float(above)) > 1e-4 * attained:
        return False
    return "no line has less" not in statement or least == above


def signs_of(data, proof):
    label = proof["table"]["label"]
    lines = data.decode().splitlines()[1 if proof["table"]["dialect"]["header"] else 0 :]
    return [1 if line.split(",")[label["index"]] in label["yes"] else -1 for line in lines]


def weights_of(data, proof):
    weight = proof["table"].get("weight")
    lines = data.decode().splitlines()[1 if proof["table"]["dialect"]["header"] else 0 :]
    return [1.0 if weight is None else float(line.split(",")[weight["index"]]) for line in lines]
