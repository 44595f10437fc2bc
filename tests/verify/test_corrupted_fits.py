"""Corrupted claims of fits, of which none may verify what is false."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from functools import cache

import numpy as np
from scipy.optimize import linprog

from tests.hostile.profile import cases
from tests.verify.corruption import answers_to, corrupted, rows_of
from tests.verify.fits_by_hand import PROOFS


def number(value) -> Fraction:
    if isinstance(value, str):
        above, _, below = value.partition("/")
        return Fraction(int(above, 16), int(below or "1", 16))
    return Fraction(value)


def true_of_run(Z, claim):
    """Replay in fractions (small whole numbers and halves: nothing rounds)."""
    seen = Z
    v = [number(a) for a in claim["start"]]
    counts = [0] * len(Z)
    for n in claim["visited"]:
        assert sum(a * b for a, b in zip(v, seen[n], strict=True)) <= 0
        v = [a + b for a, b in zip(v, seen[n], strict=True)]
        counts[n] += 1
    wrong = sum(sum(a * b for a, b in zip(v, z, strict=True)) <= 0 for z in seen)
    yield f"made {sum(counts):,} updates"
    yield f"with {wrong:,} mistakes left" if wrong else "ended without any mistake"


@cache
def true_of_divergence(Z, names):
    """Maximise and minimise every coefficient over the lines without wrong rows, in floats."""
    table, nothing = np.array([[float(v) for v in z] for z in Z]), np.zeros(len(Z))
    diverge = []
    for j, name in enumerate(names):
        unit = np.eye(len(names))[j]
        up, down = (
            -linprog(-side * unit, A_ub=-table, b_ub=nothing, bounds=(-1, 1)).fun > 1e-6
            for side in (1.0, -1.0)
        )
        silent = -linprog(-unit, A_eq=table, b_eq=nothing, bounds=(-1, 1)).fun > 1e-6
        if (up or down) and not silent:
            diverge.append(
                (name, "either way" if up and down else ["downwards", "upwards"][int(up)])
            )
    return diverge


def holds(data, text, statements):
    """Assert that runs and diverging coefficients are those of the rows."""
    told, now = json.loads(text), "\n".join(statements)
    Z = rows_of(data, told)
    for claim in told["claims"]:
        if claim["kind"] == "PLA" and not claim.get("columns"):
            assert all(truth in now for truth in true_of_run(Z, claim)), (text, now)
        if claim["kind"] == "diverging":
            names = re.findall(r"features: (.*?)[;.]", now)[0]
            names = ["intercept", *re.findall(r"'(.*?)'", names)]
            found = re.findall(r"'(\w+)' \((\w+ \w+|\w+|direction not shown)\)", now)
            true = true_of_divergence(tuple(map(tuple, Z)), tuple(names))
            for name, way in true:
                assert dict(found)[name] in (way, "direction not shown"), (text, now)
            assert len(found) == len(true), (text, now)


def test_corrupted_claims_of_fits_verify_nothing_false():
    draw = random.Random(20261121)
    known = [(data, json.dumps(proof).encode()) for data, proof in PROOFS]
    some = (known[k % len(known)] for k in range(cases(2_000, 4_000)))
    answers = answers_to(((data, proof, corrupted(proof, draw)) for data, proof in some), holds)
    assert min(answers.values()) > cases(25, 50), answers
