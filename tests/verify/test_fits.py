"""The verifier on runs, margins from above and diverging coefficients: claims made by hand."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from separatrix.verify import CannotCheck, Refuted, floor_of_root, statements
from tests.verify.test_claims import AND, TOUCHING, XOR, corrupted, csv_of, proof_of, rows_of, said

# cyclic PLA on AND from zero: rows 0, 3, 0, 1, ... until a whole pass is clean; see the test below
START = [0, 0, 0]


def walked(rows, start=(0.0, 0.0, 0.0)):
    """Visits and weights of cyclic PLA on rows (x1, x2, y), in whole numbers."""
    v, visited = list(start), []
    while True:
        clean = True
        for n, (a, b, y) in enumerate(rows):
            if y * (v[0] + v[1] * a + v[2] * b) <= 0:
                v = [v[0] + y, v[1] + y * a, v[2] + y * b]
                visited.append(n)
                clean = False
        if clean:
            return visited, v


ROWS = [(0, 0, -1), (0, 1, -1), (1, 0, -1), (1, 1, 1)]


def run(start=(0, 0, 0), **more):
    return {"kind": "PLA", "start": list(start), "visited": walked(ROWS, start)[0], **more}


def test_a_run_of_pla_is_replayed_and_bounded():
    text = said(AND, proof_of(AND, [run()]))
    assert f"PLA from zero made {len(run()['visited'])} updates" in text
    target = {"target": [-3, 2, 2]}  # squared margin 1 / 17, squared radius 3
    text = said(AND, proof_of(AND, [run(**target)]))
    assert "ended without any mistake" in text
    assert "at most 51:" in text
    assert len(run()["visited"]) <= 51


@pytest.mark.parametrize("start", [(5, 1, -3), (-7, 5, 4), (0, 0, 1), (-3, 2, 2)])
def test_the_bound_from_another_start_is_the_formula_of_the_specification(start):
    w, R2, rho2 = [-3, 2, 2], 3, Fraction(1, 17)
    along = sum(a * b for a, b in zip(w, start, strict=True))
    a2, rho_a = Fraction(along**2, 17), Fraction(along, 17)
    p = R2 - 2 * rho_a
    root = float(p * p + 4 * rho2 * (sum(v * v for v in start) - a2)) ** 0.5
    written = (float(p) + root) / float(2 * rho2)
    text = said(AND, proof_of(AND, [run(start, target=w)]))
    if len(run(start)["visited"]):
        assert "from the start of claim 1" in text
    assert f"at most {int(written + 1e-9):,}:" in text
    assert len(run(start)["visited"]) <= written + 1e-9


def test_floors_of_roots_are_exact_on_both_sides_of_a_whole_number():
    third = Fraction(1, 3)
    assert floor_of_root(Fraction(1), Fraction(4), Fraction(1)) == 3
    assert floor_of_root(Fraction(1), 4 - Fraction(1, 10**40), Fraction(1)) == 2
    assert floor_of_root(Fraction(1), 4 + Fraction(1, 10**40), Fraction(1)) == 3
    assert floor_of_root(third, third * third, third) == 2
    assert floor_of_root(Fraction(-3), Fraction(2), Fraction(5)) == -1


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"visited": [0, 0]}, Refuted, "update 2 of PLA was made on a row that was no mistake"),
        ({"visited": [4]}, CannotCheck, "lacks"),
        ({"visited": [True]}, CannotCheck, "'visited'"),
        ({"visited": [0.5]}, CannotCheck, "'visited'"),
        ({"start": [0, 0]}, CannotCheck, "2 numbers where 3"),
        ({"target": [-2, 1, 1]}, Refuted, "does not separate"),
        ({"columns": []}, CannotCheck, "'columns'"),
        ({"columns": [{"exponent": 0, "mean": 0, "spread": 0}] * 2}, CannotCheck, "standardised"),
        ({"columns": [{"exponent": -9999, "mean": 0, "spread": 1}] * 2}, CannotCheck, "standard"),
        ({"columns": [{"exponent": 0, "mean": 0, "spread": 5e-324}] * 2}, CannotCheck, "standard"),
        ({"columns": [{"exponent": 0, "mean": 0, "spread": 1}]}, CannotCheck, "every feature"),
        ({"start": ["1" + "0" * 300, 0, 0]}, CannotCheck, "range of doubles"),
    ],
)
def test_a_run_that_was_none_is_not_accepted(change, error, reason):
    with pytest.raises(error, match=reason):
        said(AND, proof_of(AND, [{**run(), **change}]))


def test_a_run_that_ends_with_a_weight_of_zero_has_ended():
    data = csv_of([(-1, "n"), (1, "y")])  # (-1, 1), then (0, 2)
    text = said(data, proof_of(data, [{"kind": "PLA", "start": [0, 0], "visited": [0, 1]}]))
    assert "2 updates, each on a row that was a mistake then, and ended without any" in text


def test_a_run_cut_short_bounds_every_margin():
    visited = [0, 1, 2, 3]
    text = said(XOR, proof_of(XOR, [{"kind": "PLA", "start": START, "visited": visited[:2]}]))
    # z_0 = -(1, 0, 0), then z_1 = (1, 0, 1): half of their sum (0, 0, 1) has length 1 / 2
    assert "2 updates" in text
    assert "cut short with" in text
    assert "squared margin above about 0.25" in text
    none = said(XOR, proof_of(XOR, [{"kind": "PLA", "start": START, "visited": []}]))
    assert "made 0 updates" in none
    assert "cut short with 4 mistakes left." in none


def test_multipliers_alone_bound_every_margin_and_standardised_columns_are_made_again():
    claim = {"kind": "margin at most", "rows": [1, 2, 3], "multipliers": ["1", "1", "2"]}
    assert "squared margin above about 0.125" in said(AND, proof_of(AND, [claim]))
    columns = [{"exponent": 1, "mean": 0.25, "spread": 0.25}] * 2  # 0, 1 become -1, 1
    text = said(AND, proof_of(AND, [{**claim, "columns": columns}]))
    # -(1,-1,1) - (1,1,-1) + 2 (1,1,1) = (0, 2, 2): 8 / 16
    assert "squared margin above about 0.5" in text
    assert "standardised by the means and spreads of claim 1" in text


# ---------------------------------------------------------------------- diverging coefficients

# x = 0 n, 1 n, 1 y, 2 y: w >= 0 along (-1, 1) alone
DIVERGING = {
    "kind": "diverging", "null_space": [], "independent": [0, 1],
    "rows": [1, 2], "multipliers": ["1", "1"], "free": [["-1", "1"]], "lines": [["-1", "1"]],
    "directions": [
        {"index": 1, "direction": 1, "rows": [3], "multipliers": ["1"], "times": ["1"]},
        {"index": 0, "direction": -1, "rows": [0], "multipliers": ["2"], "times": ["2"]},
    ],
}  # fmt: skip


def test_coefficients_that_diverge_and_where_to():
    text = said(TOUCHING, proof_of(TOUCHING, [DIVERGING]))
    assert "penalty: 'intercept' (downwards), 'x1' (upwards)." in text
    silent = said(TOUCHING, proof_of(TOUCHING, [{**DIVERGING, "directions": []}]))
    assert "'intercept' (direction not shown), 'x1' (direction not shown)." in silent


UP = DIVERGING["directions"][0]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"lines": []}, Refuted, "it is open whether 'intercept' diverges"),
        ({"lines": [["1", "-1"]]}, Refuted, "line 2 is on the wrong side"),
        ({"free": []}, Refuted, "do not span"),
        ({"free": [["1", "1"]]}, Refuted, "does not"),
        ({"multipliers": ["1", "2"]}, Refuted, "cancel"),
        ({"rows": [], "multipliers": [], "free": []}, Refuted, "do not bound"),
        ({"independent": [1, 2]}, Refuted, "do not span"),
        ({"null_space": [["-1", "1"]]}, Refuted, "does not"),
        ({"directions": [{**UP, "direction": -1}]}, Refuted, "do not bound"),
        ({"directions": [{**UP, "times": ["-1"]}]}, Refuted, "not positive"),
        # row 1 vanishes on all that is free: 0 = -0 w_j bounds nothing
        ({"directions": [{**UP, "rows": [1], "direction": -1, "times": [0]}]}, Refuted, "positive"),
        ({"directions": [{**UP, "times": ["2"]}]}, Refuted, "do not bound"),
        ({"directions": [{**UP, "multipliers": ["-1"]}]}, CannotCheck, "'multipliers'"),
        ({"directions": [{**UP, "index": 2}]}, CannotCheck, "does not exist"),
        ({"directions": [{**UP, "direction": 0}]}, CannotCheck, "'direction'"),
        ({"independent": [0, 9]}, CannotCheck, "lacks"),
    ],
)
def test_what_does_not_show_it_is_not_accepted(change, error, reason):
    with pytest.raises(error, match=reason):
        said(TOUCHING, proof_of(TOUCHING, [{**DIVERGING, **change}]))


def test_of_a_separable_table_everything_diverges_and_collinear_columns_are_told_apart():
    line = csv_of([(0, 3, "n"), (2, 3, "y")])  # x2 is constant: collinear with the intercept
    claim = {
        **DIVERGING, "null_space": [["3", "0", "-1"]], "rows": [], "multipliers": [],
        "free": [], "lines": [["-1", "1", "0"]],
        "directions": [
            {"index": 1, "direction": 1, "rows": [0, 1], "multipliers": ["1", "1"], "times": ["2"]}
        ],
    }  # fmt: skip
    text = said(line, proof_of(line, [claim]))
    assert "penalty: 'x1' (upwards)." in text
    assert "no score determines: 'intercept', 'x2'." in text
    both = {**claim, "lines": [["-1", "1", "0"], ["-1/2", "1/2", "0"]], "directions": []}
    assert "'x1' (direction not shown)" in said(line, proof_of(line, [both]))


def test_coefficients_that_diverge_stand_apart_from_those_that_do_not():
    """Rows 1 to 3 overlap in x2, where x1 = 1; all others are beyond that."""
    data = csv_of([(0, 0, "n"), (1, 0, "n"), (1, 1, "y"), (1, 2, "n"), (2, 0, "y")])
    claim = {
        **DIVERGING, "independent": [0, 1, 2], "rows": [1, 2, 3], "multipliers": ["1", "2", "1"],
        "free": [["-1", "1", "0"]], "lines": [["-1", "1", "0"]], "directions": [],
    }  # fmt: skip
    assert said(data, proof_of(data, [claim])).endswith(
        "penalty: 'intercept' (direction not shown), 'x1' (direction not shown). The others do "
        "not: 'x2'."
    )
    none = {
        **claim, "rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"], "free": [],
        "lines": [],
    }  # fmt: skip
    assert said(XOR, proof_of(XOR, [none])).endswith("without a penalty: none.")
    both = {**ONE_WAY, "lines": [["-1", "2", "1/2"], ["-1", "2", "-1/2"]]}
    assert said(EITHER, proof_of(EITHER, [both])).endswith(
        "penalty: 'intercept' (direction not shown), 'x1' (upwards), 'x2' (either way)."
    )


def test_without_an_intercept_the_only_coefficient_may_diverge():
    data = csv_of([(-1, "n"), (1, "y")])
    claim = {
        **DIVERGING, "independent": [0], "rows": [], "multipliers": [], "free": [], "lines": [],
        "directions": [],
    }  # fmt: skip
    with pytest.raises(Refuted, match="it is open whether 'x1' diverges"):
        said(data, proof_of(data, [claim], intercept=False))
    found = said(data, proof_of(data, [{**claim, "lines": [[0, 1]]}], intercept=False))
    assert "penalty: 'x1' (direction not shown)." in found


def test_a_direction_shown_of_one_coefficient_says_nothing_of_another():
    text = said(EITHER, proof_of(EITHER, [ONE_WAY]))
    assert "'x1' (upwards), 'x2' (direction not shown)" in text
    (told,) = ONE_WAY["directions"]
    claim = {**ONE_WAY, "directions": [{**told, "index": 2}]}
    with pytest.raises(Refuted, match="do not bound"):
        said(EITHER, proof_of(EITHER, [claim]))


# ---------------------------------------------------------------------- corruption

# x2 goes either way, and one way is all that the line shows: another index would say too much
EITHER = csv_of([(0, 0, "n"), (2, 1, "y"), (2, -1, "y")])
ONE_WAY = {
    **DIVERGING, "independent": [0, 1, 2], "rows": [], "multipliers": [], "free": [],
    "lines": [["-1", "2", "1/2"]],
    "directions": [
        {
            "index": 1, "direction": 1, "rows": [0, 1, 2], "multipliers": ["2", "1", "1"],
            "times": ["4"],
        }
    ],
}  # fmt: skip
CONSTANT = csv_of([(0, 3, "n"), (2, 3, "y"), (1, 3, "n")])
PROOFS = [
    (AND, proof_of(AND, [run(target=[-3, 2, 2])])),
    (XOR, proof_of(XOR, [{"kind": "PLA", "start": [0.5, 0, 0], "visited": [0, 1, 0, 2]}])),
    (TOUCHING, proof_of(TOUCHING, [DIVERGING])),
    (EITHER, proof_of(EITHER, [ONE_WAY])),
    (AND, proof_of(AND, [{"kind": "margin at most", "rows": [1, 3], "multipliers": ["1", "2"]}])),
    (
        CONSTANT,
        proof_of(
            CONSTANT,
            [
                {
                    **DIVERGING, "null_space": [["3", "0", "-1"]], "rows": [], "multipliers": [],
                    "free": [], "lines": [["-3/2", "1", "0"]],
                    "directions": [
                        {
                            "index": 1, "direction": 1, "rows": [0, 1],
                            "multipliers": ["1", "1"], "times": ["2"],
                        }
                    ],
                }
            ],
        ),
    ),
]  # fmt: skip


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


def test_corrupted_claims_of_fits_verify_nothing_false():
    draw = random.Random(20261121)
    answers = {"same": 0, "another truth": 0, "refuted": 0, "cannot": 0}
    for k in range(4_000):
        data, proof = PROOFS[k % len(PROOFS)]
        original = json.dumps(proof).encode()
        spoilt = corrupted(original, draw)
        try:
            now = "\n".join(statements(spoilt, data))
        except Refuted:
            answers["refuted"] += 1
            continue
        except CannotCheck:
            answers["cannot"] += 1
            continue
        same = now == "\n".join(statements(original, data))
        answers["same" if same else "another truth"] += 1
        told = json.loads(spoilt)
        Z = rows_of(data, told)
        for claim in [] if same else told["claims"]:
            if claim["kind"] == "PLA" and not claim.get("columns"):
                assert all(truth in now for truth in true_of_run(Z, claim)), (spoilt, now)
            if claim["kind"] == "diverging":
                names = re.findall(r"features: (.*?)[;.]", now)[0]
                names = ["intercept", *re.findall(r"'(.*?)'", names)]
                found = re.findall(r"'(\w+)' \((\w+ \w+|\w+|direction not shown)\)", now)
                for name, way in true_of_divergence(Z, names):
                    said_way = dict(found)[name]
                    assert said_way in (way, "direction not shown"), (spoilt, now)
                assert len(found) == len(true_of_divergence(Z, names)), (spoilt, now)
    assert min(answers.values()) > 50, answers
