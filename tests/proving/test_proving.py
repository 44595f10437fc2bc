"""Proof files of real and hostile tables, checked by the verifier as a plain script."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix import InputError, judge, read_table, separability, verify
from separatrix.data import Sample
from separatrix.proving import (
    canonical_path,
    claims_of,
    hexadecimal,
    prove,
    prove_separability,
    prove_verdict,
    refuse_unwritable_proof,
    write,
)
from separatrix.tables import fit_encoding, take
from tests.shared_data import DATA, manifest, needs_shared


def proven(path, degree=1, **options):
    """The proof of a table's separability, and the answer it was made of."""
    table = read_table(path, **{"label": "label", **options})
    proof = prove_separability(table, path.read_bytes(), degree)
    kept = table.y.size if table.weight is None else table.weight > 0
    rows = np.arange(table.y.size)[:kept] if isinstance(kept, int) else np.flatnonzero(kept)
    columns = take(table.columns, rows)
    X = fit_encoding(columns, table.missing, degree).encode(columns, table.lines[rows])
    return proof, separability(X, table.y[rows])


def checked(proof, table) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-S", verify.__file__, str(proof), str(table)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


WORDS = {
    "separable": "are linearly separable",
    "touching": "quasi-completely separated",
    "overlapping": "The rows overlap",
}


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda e: e["name"])
def test_every_public_table_has_a_proof_that_a_stranger_checks(entry, tmp_path):
    path = DATA / entry["file"]
    lecture = path.suffix == ".dat"
    options = {"label": "last", "yes": "1", "header": False} if lecture else {"yes": "yes"}
    proof, found = proven(path, **options)
    write(proof, tmp_path / "proof.json")
    assert not (tmp_path / "proof.table.csv").exists()
    text = checked(tmp_path / "proof.json", path)
    assert WORDS[found.verdict] in text
    assert f"The rows: {entry['n']:,} of" in text
    assert (found.verdict == "separable") == entry["separable"]
    if found.verdict == "overlapping":
        assert f"(rank {entry['rank_with_intercept']})" in text


HOSTILE = {
    "quoted newlines": 'a,"b\nb",label\n1,"x\ny",no\n2,"z",yes\n3,"z",no\n',
    "semicolons and a decimal comma": "a;label\n1,5;no\n2,5;yes\n",
    "tabs": "a\tb\tlabel\n1\t2\tno\n2\t1\tyes\n2\t3\tyes\n",
    "blank lines and mixed ends": "a,label\r\n\r\n1,no\n   \n2,yes\r\n",
    "blanks around": " a , label\n 1 , no\n 2 , yes\n",
    "a sign column": "s,a,label\n+,1,no\n-,2,yes\n+,3,yes\n",
    "no value here and there": "s,a,label\nx,1,no\n?,2,yes\ny,,yes\nx,5,yes\ny,-4,no\n",
    "numbers of many kinds": "a,b,label\n1e300,-0,no\n-1E-300,+.5,yes\n007,3.,yes\n",
    "a nameless column": ",a,label\n0,1,no\n1,2,yes\n2,3,no\n",
    "names that are not friendly": '<script>,"=cmd()",\u202egnp,label\n1,2,3,no\n2,2,4,yes\n',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_the_verifier_reads_what_we_read(name, missing, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(HOSTILE[name].encode())
    options = {"decimal": ","} if "comma" in name else {}
    proof, found = proven(path, missing=missing, **options)
    assert proof.canonical is None
    write(proof, tmp_path / "proof.json")
    assert WORDS[found.verdict] in checked(tmp_path / "proof.json", path)
    table = read_table(path, label="label", missing=missing, **options)
    encoding = fit_encoding(table.columns, missing)
    read = verify.read_table(path.read_bytes(), json.loads(proof.text))
    X = encoding.encode(table.columns, table.lines)
    assert [row[1:] for row in read.points] == X.tolist()
    assert read.y == table.y.tolist()
    assert read.lines == table.lines.tolist()
    assert tuple(read.names[1:]) == encoding.feature_names


def test_encodings_folded_labels_and_weights_are_told(tmp_path):
    path = tmp_path / "table.csv"
    text = "größe,w,label\n1,1,Nein\n2,0,JA\n3,2.5, ja\n4,1,\n0,3,nein\n"
    path.write_bytes(text.encode("latin-1"))
    proof, _ = proven(
        path, encoding="latin-1", fold_labels=True, weight="w", unlabelled="drop", yes="ja"
    )
    write(proof, tmp_path / "proof.json")
    said = checked(tmp_path / "proof.json", path)
    assert "The rows: 3 of 5" in said
    assert "Rows weigh what column 'w' says" in said


@pytest.mark.parametrize("kind", ["parquet", "svmlight"])
def test_what_is_no_csv_is_proven_against_its_canonical_csv(kind, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / f"table.{kind}"
    if kind == "parquet":
        columns = {"a": [0.1, 0.2, 0.3], "c": ["u", "v", "u"], "label": ["no", "yes", "yes"]}
        pq.write_table(pa.table(columns), path)
        proof, found = proven(path)
    else:
        path.write_text("-1 1:0.1\n+1 1:0.2 3:1\n+1 2:1 3:1\n")
        proof, found = proven(path, label=None)
    written = write(proof, tmp_path / "p.json")
    assert written == [str(tmp_path / "p.table.csv"), str(tmp_path / "p.json")]
    assert WORDS[found.verdict] in checked(tmp_path / "p.json", tmp_path / "p.table.csv")
    assert json.loads(proof.text)["table"]["original"]["sha256"]


def test_the_same_table_and_answer_make_the_same_bytes(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(HOSTILE["no value here and there"])
    assert proven(path)[0].text == proven(path)[0].text


def test_a_claim_that_does_not_hold_is_never_written(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,label\n1,no\n2,yes\n")
    table = read_table(path, label="label")
    encoding = fit_encoding(table.columns, "drop")
    for weights in ([-3.0, 1.0], [0.0, 1.0], [0.0, 0.0]):
        claim = {"kind": "separable", "weights": weights}
        with pytest.raises(verify.Refuted):
            prove(table, encoding, path.read_bytes(), [claim])


def test_a_file_that_changed_since_is_not_proven(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,label\n1,no\n2,yes\n")
    table = read_table(path, label="label")
    with pytest.raises(InputError, match="changed"):
        prove_separability(table, b"a,label\n1,no\n3,yes\n")


def test_neither_proof_nor_table_may_overwrite_what_is_read(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,label\n1,no\n2,yes\n")
    with pytest.raises(InputError, match="being read"):
        refuse_unwritable_proof(path, [str(path)])
    beside = tmp_path / "proof.table.csv"
    beside.write_text("x")
    with pytest.raises(InputError, match="being read"):
        refuse_unwritable_proof(tmp_path / "proof.json", [str(beside)])
    assert canonical_path("a/b.json") == "a/b.table.csv"


def test_another_file_with_the_name_of_the_canonical_csv_stays(tmp_path):
    path, mine = tmp_path / "t.svm", tmp_path / "p.table.csv"
    path.write_text("-1 1:0.1\n+1 1:0.2 3:1\n")
    proof, _ = proven(path, label=None)
    mine.write_text("a,b\n")
    with pytest.raises(InputError, match=r"another file has that name"):
        write(proof, tmp_path / "p.json")
    assert mine.read_text() == "a,b\n"
    assert not (tmp_path / "p.json").exists()
    mine.unlink()
    write(proof, tmp_path / "p.json")
    path.write_text("-1 1:0.1\n+1 1:0.3 3:1\n")
    write(proven(path, label=None)[0], tmp_path / "p.json")  # over its own former table
    assert "0.3" in mine.read_text()


def test_an_undecided_answer_claims_nothing():
    found = separability([[0.0], [1.0]], [0, 1])
    undecided = type(found)(**{**found.__dict__, "verdict": "undecided"})
    X, y = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    assert claims_of(undecided, Sample(X, y, np.array([0, 1]), np.ones(2))) == []


def test_products_of_columns_are_proven_against_the_table_of_products(tmp_path):
    path = tmp_path / "xor.csv"
    path.write_text("a,b,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    proof, found = proven(path, degree=2)
    assert found.separable
    write(proof, tmp_path / "p.json")
    assert "'a b'" in checked(tmp_path / "p.json", tmp_path / "p.table.csv")


def test_a_verdict_is_proven_with_the_mistakes_of_its_winner(tmp_path):
    path = tmp_path / "table.csv"
    draw = np.random.default_rng(0)
    rows = [f"{a:.2f},{b:.2f},{'yes' if a + b + c > 0 else 'no'}" for a, b, c in
            draw.normal(size=(60, 3))]  # fmt: skip
    path.write_text("\n".join(["a,b,label", *rows]) + "\n")
    verdict = judge(read_table(path, label="label"))
    write(prove_verdict(verdict, path.read_bytes()), tmp_path / "p.json")
    text = checked(tmp_path / "p.json", path)
    assert f"makes {verdict.winner.n_errors} mistake" in text
    assert WORDS[verdict.separability.verdict] in text


@pytest.mark.parametrize("value", [0, 5, -31, Fraction(-31, 3), Fraction(1, 2**200), 10**400])
def test_numbers_come_back_from_their_hexadecimals(value):
    assert verify.rational(hexadecimal(value)) == value


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


def random_tables():
    """Small tables of whole numbers, many of them separable or touching, some collinear."""
    rng = np.random.default_rng(7)
    for k in range(60):
        n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
        X = rng.integers(-2, 3, size=(n, d)).astype(float)
        if k % 3 == 0:
            X = np.column_stack((X, X[:, 0] * 2.0 + 1.0))
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        yield X, y


def test_diverging_claims_say_what_separability_says(tmp_path):
    words = {1: "upwards", -1: "downwards", 0: "either way"}
    n_claims = 0
    for X, y in random_tables():
        rows = "".join(
            f"{','.join(map(repr, x))},{'yes' if s > 0 else 'no'}\n"
            for x, s in zip(X.tolist(), y, strict=True)
        )
        names = [f"x{j + 1}" for j in range(X.shape[1])]
        path = tmp_path / "t.csv"
        path.write_text(f"{','.join(names)},label\n{rows}")
        proof, found = proven(path, yes="yes")
        if found.verdict not in ("separable", "touching"):
            continue
        n_claims += 1
        (said,) = (s for s in proof.statements if "diverge in" in s)
        names = ["intercept", *names]
        told = [f"'{names[j]}' ({words[way]})" for j, way in sorted(found.diverging.items())]
        assert f"penalty: {', '.join(told) or 'none'}." in said
        collinear = ", ".join(f"'{names[j]}'" for j in found.aliased)
        assert (f"no score determines: {collinear}." in said) == bool(found.aliased)
    assert n_claims > 30


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
    from separatrix.proving import diverging, fits

    path = tmp_path / "t.csv"
    path.write_text("a,label\n" + "".join(f"{k},{'yes' if k > 9 else 'no'}\n" for k in range(20)))
    verdict = judge(read_table(path, label="label"))
    monkeypatch.setattr(fits, "MOST_ROWS", 10)
    monkeypatch.setattr(fits, "MOST_VISITS", 1)
    monkeypatch.setattr(diverging, "MOST_NUMBERS", 10)
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
    proof = prove(table, encoding, path.read_bytes(), [core], more=[bad[0], good, bad[1]])
    assert json.loads(proof.text)["claims"] == [core, good]
    assert [why.partition(":")[0] for why in proof.left_out] == ["PLA", "mistakes"]
    with pytest.raises(verify.Refuted):
        prove(table, encoding, path.read_bytes(), [bad[0]])


def test_a_broken_solver_makes_no_claim_on_divergence(tmp_path, monkeypatch):
    from separatrix.separation import divergence

    path = tmp_path / "t.csv"
    path.write_text("a,label\n0,no\n1,no\n3,yes\n4,yes\n")
    assert "'a' (upwards)" in proven(path)[0].statements[-1]
    monkeypatch.setattr(divergence, "refusal_on", lambda rows: [1] * (len(rows) - 1) + [7])
    proof, _ = proven(path)
    assert "'a' (direction not shown)" in proof.statements[-1]
