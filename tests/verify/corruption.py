"""Corrupted proofs, and what is true of the claims that they make.

Nothing here uses the rest of the package, so that an error there cannot hide an error here.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterable
from fractions import Fraction

from separatrix import verify
from tests.verify.by_hand import (
    AND,
    CORES,
    MARGIN,
    MISTAKES,
    OVERLAPPING,
    SEPARABLE,
    TOUCHED,
    TOUCHING,
    XOR,
    csv_of,
    proof_of,
)

THREE = csv_of([(0, 1.5, "n"), (2, 0.25, "n"), (1, 3, "y"), (4, 4, "y"), (1, 1, "n"), (0, 5, "y")])

# the second column is constant: losing the vector that says so would raise the rank
FLAT = csv_of([(0, 5, "n"), (1, 5, "y"), (2, 5, "n")])

SPANNING = {
    "kind": "overlapping", "rows": [0, 1, 2], "multipliers": ["1", "2", "1"],
    "null_space": [["5", "0", "-1"]],
}  # fmt: skip

PROOFS = [
    (AND, proof_of(AND, [SEPARABLE, MARGIN, MISTAKES])),
    (FLAT, proof_of(FLAT, [SPANNING])),
    (XOR, proof_of(XOR, [OVERLAPPING, CORES, {"kind": "mistakes", "weights": [-0.5, 1, 1]}])),
    (TOUCHING, proof_of(TOUCHING, [TOUCHED])),
    (
        THREE,
        proof_of(
            THREE,
            [
                {"kind": "separable", "weights": ["-f/2", "1", "3"]},
                {"kind": "mistakes", "weights": [0.25, -1.5, 3.0]},
            ],
        ),
    ),
]


def corrupted(text: bytes, draw: random.Random) -> bytes:
    """One of the things that happen to files: a digit, a sign, a cut, swapped or lost parts."""
    kind = draw.randrange(12)
    if kind == 0:
        places = [i for i, c in enumerate(text) if chr(c).isdigit()]
        i = draw.choice(places)
        return text[:i] + str(draw.randrange(10)).encode() + text[i + 1 :]
    if kind == 1:
        i = draw.randrange(len(text))
        return text[:i] + draw.choice([b"-", b"+", b"0", b"1", b"e", b"/"]) + text[i:]
    if kind == 2:
        return text[: draw.randrange(len(text))]
    if kind == 3:
        i = draw.randrange(len(text))
        return text[:i] + bytes([draw.randrange(256)]) + text[i + 1 :]
    if kind == 4:
        i, j = sorted(draw.sample(range(len(text)), 2))
        return text[:i] + text[j:]
    proof = json.loads(text)
    claims = proof["claims"] if "claims" in proof else proof["questions"]
    places = list(walk(proof if kind < 8 else claims))
    box, key = draw.choice(places)
    if kind in (5, 8):
        del box[key]
    elif kind >= 9:  # a number of a claim
        box[key] = draw.choice([-2, 0.5, 1, 2, 3, "1", "2", "-5/2", "1/3"])
    elif kind == 6:
        other, other_key = draw.choice(places)
        box[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(box[key])
    else:
        box[key] = draw.choice([None, True, -1, 0, 1, 2.5, "", "1", "-7/3", [], {}, [0], "y", "n"])
    return json.dumps(proof).encode()


def walk(data):
    keys = range(len(data)) if isinstance(data, list) else list(data)
    for key in keys:
        yield data, key
        if isinstance(data[key], list | dict):
            yield from walk(data[key])


def rows_of(data: bytes, proof: dict) -> list[list[Fraction]]:
    """Z, by a reading of its own."""
    told = proof["table"]
    lines = data.decode().splitlines()
    Z = []
    for row in (line.split(",") for line in lines[1 if told["dialect"]["header"] else 0 :]):
        sign = 1 if row[int(told["label"]["index"])] in told["label"]["yes"] else -1
        point = [Fraction(1 if proof["intercept"] else 0)]
        for column in told["columns"]:
            cell = row[int(column["index"])]  # 1.0 is a whole number of JSON
            if column.get("levels") is None:
                point.append(Fraction(float(cell)))
            else:
                point += [Fraction(cell == level) for level in column["levels"][1:]]
        Z.append([sign * v for v in point])
    return Z


def of_separable(Z, claim, scores, w) -> str:
    assert min(scores) > 0
    radius = max(sum(v * v for v in z) for z in Z)
    return f"at most {math.floor(radius * sum(v * v for v in w) / min(scores) ** 2):,} updates"


def of_mistakes(Z, claim, scores, w) -> str:
    return f"makes {sum(s <= 0 for s in scores)} mistake"


def of_touching(Z, claim, scores, w) -> str:
    assert cancels(Z, claim)
    assert min(scores) >= 0 < max(scores)
    return "quasi-completely"


def of_refused(Z, claim, scores, w) -> str:
    assert cancels(Z, claim)
    return "contradict each other"


def of_overlapping(Z, claim, scores, w) -> str:
    import numpy as np

    assert cancels(Z, claim)
    table = np.array([[float(v) for v in z] for z in Z])
    rank = np.linalg.matrix_rank(table)
    assert np.linalg.matrix_rank(table[claim["rows"]]) == rank
    return f"(rank {rank})"


def of_margin(Z, claim, scores, w) -> str:
    assert min(scores) > 0
    multipliers = [number(a) for a in claim["multipliers"]]
    assert min(multipliers) > 0
    total = [
        sum(a * Z[n][j] for a, n in zip(multipliers, claim["rows"], strict=True))
        for j in range(len(Z[0]))
    ]
    below = min(scores) ** 2 / sum(v * v for v in w)
    above = sum(v * v for v in total) / sum(multipliers) ** 2
    return f"between {verify.short(below)} and {verify.short(above)}"


def of_cores(Z, claim, scores, w) -> str:
    shares = [number(core["share"]) for core in claim["cores"]]
    for core in claim["cores"]:
        left_out = "multipliers" not in core
        assert null_space_cancels(Z, core["rows"]) if left_out else cancels(Z, core)
    for n in range(len(Z)):
        spent = [s for s, c in zip(shares, claim["cores"], strict=True) if n in c["rows"]]
        assert sum(spent, Fraction(0)) <= 1
    return f"at least {math.ceil(sum(shares))} mistake"


def null_space_cancels(Z, rows) -> bool:
    """Whether one line of multipliers cancels rows, all above 0: by Gauss and Jordan."""
    equations = [[Fraction(Z[n][j]) for n in rows] for j in range(len(Z[0]))]
    pivots = []
    for k in range(len(rows)):
        row = next((e for e in equations[len(pivots) :] if e[k]), None)
        if row is None:
            continue
        equations.remove(row)
        row = [a / row[k] for a in row]
        equations = [[a - e[k] * b for a, b in zip(e, row, strict=True)] for e in equations]
        equations.insert(len(pivots), row)
        pivots.append(k)
    free = [k for k in range(len(rows)) if k not in pivots]
    if len(free) != 1:
        return False
    return all(equations[i][free[0]] < 0 for i in range(len(pivots)))


TRUTHS = {
    "separable": of_separable, "mistakes": of_mistakes, "touching": of_touching,
    "not separable": of_refused, "overlapping": of_overlapping, "margin": of_margin,
    "mistakes at least": of_cores,
}  # fmt: skip


Corrupted = tuple[bytes, bytes | None, bytes]  # a table, its proof before (or None), and after


def answers_to(
    tried: Iterable[Corrupted], holds: Callable[[bytes, bytes, list[str]], None], **limits: float
) -> dict[str, int]:
    """Check corrupted proofs; `holds` asserts that what is verified is true. Count the answers."""
    answers = {"same": 0, "another truth": 0, "refuted": 0, "cannot": 0}
    said: dict[tuple[bytes, bytes], list[str]] = {}
    for data, original, text in tried:
        try:
            now = verify.statements(text, data, **limits)
        except verify.Refuted:
            answers["refuted"] += 1
        except verify.CannotCheck:
            answers["cannot"] += 1
        else:
            if original is not None and (data, original) not in said:
                said[data, original] = verify.statements(original, data)
            same = original is not None and now == said[data, original]
            answers["same" if same else "another truth"] += 1
            holds(data, text, now)
    return answers


def number(value) -> Fraction:
    if isinstance(value, str):
        above, _, below = value.partition("/")
        return Fraction(int(above, 16), int(below or "1", 16))
    return Fraction(value)


def cancels(Z, claim) -> bool:
    multipliers = [number(a) for a in claim["multipliers"]]
    assert min(multipliers) > 0
    return all(
        sum(a * Z[n][j] for a, n in zip(multipliers, claim["rows"], strict=True)) == 0
        for j in range(len(Z[0]))
    )
