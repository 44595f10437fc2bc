"""Tables and proofs that once made a command fail, or say what was not so."""

import base64
import json
import zlib
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from separatrix import InputError, judge, minimum_errors, read_table, separability, verify
from separatrix.cli.commands import commands
from separatrix.proving.asking import prove_separability, prove_verdict
from separatrix.proving.files import write
from separatrix.report.as_json import to_json
from separatrix.report.sections import to_text
from separatrix.version_space import surely_inside
from tests.verify.by_hand import csv_of, proof_of

LONG = "1" + "0" * 5000  # hexadecimal: too many digits for str()


def run(*arguments):
    """Return the output of a command that must end well."""
    done = CliRunner().invoke(commands, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def file_of(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def proven_by_hand(tmp_path, data, claim, **more):
    proof = proof_of(data, [claim])
    proof["table"] |= more
    (tmp_path / "p.json").write_text(json.dumps(proof))
    (tmp_path / "p.csv").write_bytes(data)
    return verify.check_files(str(tmp_path / "p.json"), str(tmp_path / "p.csv"))


@pytest.mark.parametrize("claim", [
    {"kind": "separable", "weights": [0, 1, f"1/{LONG}"]},
    {"kind": "PLA", "start": [0, 1, 1], "visited": [], "target": [0, 1, f"1/{LONG}"]},
])  # fmt: skip
def test_a_bound_of_thousands_of_digits_is_said_to_six(tmp_path, claim):
    code, answer = proven_by_hand(tmp_path, csv_of([(0, 1, "y"), (-1, 0, "n")]), claim)
    assert code == verify.VERIFIED
    assert "at most about 3.16852e+12041" in answer


@pytest.mark.parametrize("weight", ["1" + "0" * 900_000, f"1/1{'0' * 900_000}"])
def test_numbers_out_of_the_range_of_decimals_are_an_answer(tmp_path, weight):
    data = csv_of([(0, "y"), (0, "n"), (1, "y"), (1, "n")])
    claim = {
        "kind": "optimum", "errors": "logistic", "weights": [0, weight], "columns": [0, 1],
        "rows": [0, 2], "null_space": [],
    }  # fmt: skip
    assert proven_by_hand(tmp_path, data, claim)[0] == verify.CANNOT_CHECK


def test_a_cost_that_makes_weights_vanish_hides_no_mistake(tmp_path):
    data = csv_of([(0, 0.5, "y"), (0, 0.5, "n"), (1, 0.5, "y")])
    proof = base64.b64encode(zlib.compress(b"[]")).decode()
    claim = {
        "kind": "fewest mistakes", "weights": [0, 1], "unit": 1, "proof": proof,
        "cost_wrong_yes": 5e-324, "cost_wrong_no": 5e-324,
    }  # fmt: skip
    columns = [{"index": 0, "levels": None, "fill": None, "missing": []}]
    code, answer = proven_by_hand(tmp_path, data, claim, columns=columns, weight={"index": 1})
    assert code == verify.CANNOT_CHECK, answer


def test_rows_without_weight_are_left_out_of_proofs_levels_and_all(tmp_path):
    path = file_of(tmp_path, "a,w,y\np,1,n\nq,1,y\nr,0,y\n")
    table = read_table(path, label="y", weight="w")
    proof = prove_separability(table, path.read_bytes())
    assert proof.beside == {".table.csv": b"a=q,y,w\n0.0,n,1.0\n1.0,y,1.0\n"}


@pytest.mark.parametrize(("text", "said"), [
    ("a,w,y\n1,0,n\n2,1,y\n3,1,y\n", "weight 0"),
    ("a,w,y\np,1,n\np,1,y\nq,0,y\n", "no column is left"),
])  # fmt: skip
def test_what_weights_of_0_leave_must_be_a_question(tmp_path, text, said):
    path = file_of(tmp_path, text)
    with pytest.raises(InputError, match=said):
        prove_separability(read_table(path, label="y", weight="w"), path.read_bytes())


def test_rows_without_weight_bind_no_separating_line(tmp_path):
    path = file_of(tmp_path, "a,w,y\n0,1,n\n1,1,n\n2,1,y\n3,1,y\n-5,0,y\n")
    model = tmp_path / "m"
    run("learn", path, "--label", "y", "--weight", "w", "--model", model, "-q")
    answers = run("predict", model, path, "--learned-from", path, "-q").splitlines()[1:]
    assert [line.split(",")[-1] for line in answers] == ["all say n"] * 2 + ["all say y"] * 2 + [
        "all say n"
    ]


def test_a_cost_may_not_make_weights_vanish():
    with pytest.raises(InputError, match="scale the costs"):
        minimum_errors([[0], [0], [1]], [0, 1, 1], [1.0, 1e-200, 1.0], cost_wrong_no=1e-200)


def test_weights_too_fine_to_be_counted_are_named_as_the_reason():
    X = np.vstack([np.eye(20), np.eye(20)[:1]])  # more rows and columns than are enumerated
    found = minimum_errors(X, [1] * 20 + [0], [0.3] * 20 + [1e-9], fit_intercept=False)
    assert not found.proven
    assert found.upper == pytest.approx(1e-9)
    assert found.lower == pytest.approx(1e-9)
    assert "62 bits" in found.reason


def test_a_bound_of_thousands_of_digits_is_shown(tmp_path):
    """Each weight must be 1e600 times the next: R^2 / rho^2 has 4801 digits."""
    d = 4
    X = 1e-300 * np.eye(d) - 1e300 * np.eye(d, k=1)
    X = np.vstack([X, -X[-1]])
    rows = [",".join(map(repr, x)) + ("," + "yn"[k == d]) for k, x in enumerate(X.tolist())]
    head = ",".join([*(f"x{j}" for j in range(d)), "y"])
    path = file_of(tmp_path, "\n".join([head, *rows]) + "\n")
    proof = tmp_path / "p.json"
    verdict = judge(read_table(path, label="y"), learners="linear")
    assert "about 1.00000e+4800 updates" in to_text(verdict)
    write(prove_verdict(verdict, path.read_bytes()), proof)
    assert verify.check_files(str(proof), str(path))[0] == verify.VERIFIED
    assert len(json.loads(to_json(verdict))["separability"]["mistake_bound"]) > 4700


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_values_of_the_largest_and_least_size_are_decided(fit_intercept):
    for seed in range(120):
        r = np.random.default_rng(seed)
        pool = ([1e308, -1.7e308, 1e-308, 0.0], [5e-324, 1e308, 0.0, -5e-324, 1.0])[seed % 2]
        X = r.choice(pool, (6, int(r.integers(1, 4))))
        y = np.append([0, 1], r.integers(0, 2, 4))
        found = separability(X, y, fit_intercept=fit_intercept)
        assert found.verdict != "undecided"
        assert found.margin[0] <= found.margin[1]
        assert found.verify(X, y)


def test_a_line_with_a_weight_beyond_doubles_is_none(tmp_path):
    """A line nudged off rows that cancel had an infinite weight."""
    text = "a,y,b\n0,1,1e-308\n1e300,0,-1.7e308\n1e-300,1,NA\n,0,1e-308\n0,0,1e-308\n"
    path, proof = file_of(tmp_path, text), tmp_path / "p.json"
    limits = ["--fewest-nodes", 3000, "--missing", "fill"]
    run("prove", path, "--label", "y", "-o", proof, *limits)
    table = str(tmp_path / "p.table.csv")
    assert verify.check_files(str(proof), table)[0] == verify.VERIFIED


def test_the_margin_of_rows_that_an_added_one_does_not_help():
    """A row joins the hull and must stay at multiplier 0: that divided nothing by nothing."""
    X = [
        [0.0, 5e-324], [100.0, 0.0], [100.0, 1.0], [0.0, 1e-300], [1.0, 0.0], [100.0, 1e300],
        [0.1, 5e-324], [0.0, -1e300], [-15.0, -5e-324],
    ]  # fmt: skip
    lower, upper = separability(X, [1, 0, 0, 1, 1, 0, 1, 1, 1]).margin
    assert lower <= upper


def test_surely_inside_knows_when_scaling_loses_digits():
    basis = np.array([[1e300, 1e290], [1e-15, 1e-20]])
    q = np.array([[1.0000000000000001e285, 1e280]])
    (a, b), (c, d) = [[Fraction(v) for v in row] for row in basis.tolist()]
    x, y = map(Fraction, q[0].tolist())
    assert (x * d - y * c) / (a * d - b * c) < 0  # the multiplier of the first row
    assert not surely_inside(basis, q).any()


@pytest.mark.parametrize(
    ("seed", "intercept"), [(666, False), (738, False), (855, False), (292, True)]
)
def test_values_that_scaling_would_lose_are_not_searched(seed, intercept):
    draw = np.random.default_rng(seed)
    d, n = int(draw.integers(1, 4)), int(draw.choice([4, 6, 12]))
    pool = (
        [1e308, -1.7e308, 1e-308, 0.0],
        [5e-324, 1e308, 0.0, -5e-324, 1.0],
        [5e-324, 0, -1e-323, 3e-320],
    )[seed % 3]
    X = draw.choice(pool, (n, d))
    X, y = np.vstack([X, X[:2]]), np.append([0, 1], draw.integers(0, 2, n - 2))
    y = np.append(y, 1 - y[:2])
    found = minimum_errors(X, y, max_nodes=200, fit_intercept=intercept)
    assert np.isfinite(found.weights).all()
    assert found.certificate.verify(X, y)
    assert found.proven or "too far apart" in found.reason
