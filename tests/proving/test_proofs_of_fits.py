"""Proof files of what diverges and of what learners claim."""

import json
from dataclasses import replace

import numpy as np
import pytest

from separatrix import judge, read_table, verify
from separatrix.proving import asking
from separatrix.proving.asking import prove_verdict
from separatrix.proving.files import Claimed, prove, write
from separatrix.separation import working_rows
from separatrix.tables import fit_encoding
from tests.proving.checking import checked, proven
from tests.shared_data import DATA, needs_shared

DIVERGE = {
    "endometrial": "penalty: 'NV' (upwards). The others do not: 'intercept', 'PI', 'EH'.",
    "lizards": "finite optimum: no coefficient diverges.",
    "iris_setosa_vs_rest": "'sepal_width_cm' (either way), 'petal_length_cm' (either way)",
}


@needs_shared
@pytest.mark.parametrize("name", DIVERGE)
def test_a_stranger_checks_which_coefficients_diverge(name, tmp_path):
    path = DATA / f"{name}.csv"
    proof, _ = proven(path, yes="yes")
    write(proof, tmp_path / "proof.json")
    assert DIVERGE[name] in checked(tmp_path / "proof.json", path)


@needs_shared
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("spector", ["sum of cross-entropies", "sum of squared residuals", "was cut short"]),
        ("iris_setosa_vs_rest", ["ended without any mistake", "at most 47:", "either way"]),
    ],
)
def test_what_learners_claim_is_checked_by_a_stranger(name, words, tmp_path):
    path = DATA / f"{name}.csv"
    verdict = judge(read_table(path, label="label", yes="yes"))
    proof = prove_verdict(verdict, path.read_bytes())
    assert proof.left_out == ()
    write(proof, tmp_path / "proof.json")
    text = checked(tmp_path / "proof.json", path)
    assert all(part in text for part in words)


def test_an_optimum_at_zero_is_proven(tmp_path):
    """Where columns say nothing the best weights are zero: a proof left such fits out."""
    path = tmp_path / "t.csv"
    path.write_text("a,b,label\n-1,-1,n\n-1,1,y\n1,-1,y\n1,1,n\n")
    verdict = judge(read_table(path, label="label"))
    fits = {"linear regression", "logistic regression"}
    results = [replace(r, weights=np.zeros(3)) if r.name in fits else r for r in verdict.results]
    proof = prove_verdict(replace(verdict, results=tuple(results)), path.read_bytes())
    assert proof.left_out == ()
    write(proof, tmp_path / "proof.json")
    text = checked(tmp_path / "proof.json", path)
    assert "sum of squared residuals" in text
    assert "sum of cross-entropies" in text
    claims = json.loads(proof.text)
    claims["claims"][1]["weights"] = [0, 0, 0]  # but no line has no direction
    with pytest.raises(verify.Refuted, match="all weights of the line are zero"):
        verify.statements(json.dumps(claims).encode(), path.read_bytes())


def test_proofs_of_optima_are_short_however_many_rows_there_are(tmp_path):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(21_000, 3)), 3)
    y = np.where(X[:, 0] + rng.normal(size=21_000) > 0, "yes", "no")
    path = tmp_path / "t.csv"
    rows = (f"{a},{b},{c},{s}\n" for (a, b, c), s in zip(X.tolist(), y, strict=True))
    path.write_text("a,b,c,label\n" + "".join(rows))
    verdict = judge(read_table(path, label="label"), learners="logistic,linear", fewest_nodes=1)
    claims = json.loads(prove_verdict(verdict, path.read_bytes()).text)["claims"]
    optima = [json.dumps(claim) for claim in claims if claim["kind"] == "optimum"]
    assert len(optima) == 2
    assert max(map(len, optima)) < 400


def test_fits_of_weighted_tables_are_proven_with_their_weights(tmp_path):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(40, 2)), rng.integers(0, 4, 40) / 3.0
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, "yes", "no")
    rows = (f"{a!r},{b!r},{w!r},{s}\n" for (a, b), w, s in zip(X.tolist(), weight.tolist(), y))  # noqa: B905
    path = tmp_path / "t.csv"
    path.write_text("a,b,w,label\n" + "".join(rows))
    verdict = judge(read_table(path, label="label", weight="w"))
    write(prove_verdict(verdict, path.read_bytes()), tmp_path / "proof.json")
    text = checked(tmp_path / "proof.json", path)
    assert "sum of cross-entropies" in text
    assert "which weigh" in text


def test_claims_too_long_for_a_file_are_left_out_and_it_is_said(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,label\n" + "".join(f"{k},{'yes' if k > 9 else 'no'}\n" for k in range(20)))
    verdict = judge(read_table(path, label="label"))
    monkeypatch.setattr(asking, "MOST_NUMBERS", 10)
    monkeypatch.setattr(asking, "MOST_VISITS", 1)
    monkeypatch.setattr(asking, "MOST_DIVERGING", 10)
    proof = prove_verdict(verdict, path.read_bytes())
    assert [why.partition(":")[0] for why in proof.left_out] == [
        "diverging coefficients", "PLA", "linear regression",
    ]  # fmt: skip
    assert json.loads(proof.text)["left_out"] == list(proof.left_out)


def test_a_claim_that_does_not_check_costs_the_others_nothing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,label\n0,no\n1,yes\n")
    table = read_table(path, label="label")
    encoding = fit_encoding(table.columns, table.missing)
    core = {"kind": "separable", "weights": [-1.0, 2.0]}
    good = {"kind": "mistakes", "weights": [1.0, 1.0]}
    bad = [
        {"kind": "PLA", "start": [0, 0], "visited": [0, 0]},
        {"kind": "mistakes", "weights": ["1" * (verify.LONGEST_NUMBER + 1), 1.0]},
    ]
    told = Claimed([core], [bad[0], good, bad[1]])
    proof = prove(None, table, encoding, path.read_bytes(), [told])
    assert json.loads(proof.text)["claims"] == [core, good]
    assert [why.partition(":")[0] for why in proof.left_out] == ["PLA", "mistakes"]
    with pytest.raises(verify.Refuted):
        prove(None, table, encoding, path.read_bytes(), [Claimed([bad[0]])])


def test_a_broken_solver_makes_no_claim_on_divergence(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,label\n0,no\n1,no\n3,yes\n4,yes\n")
    assert "'a' (upwards)" in proven(path)[0].statements[-1]
    monkeypatch.setattr(working_rows, "refusal_on", lambda rows: [1] * (len(rows) - 1) + [7])
    proof, _ = proven(path)
    assert "'a' (direction not shown)" in proof.statements[-1]
