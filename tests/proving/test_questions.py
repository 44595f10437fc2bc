"""Proofs of several questions of real and random tables, checked by the verifier as a script."""

import csv
import json
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from separatrix import InputError, judge, read_classes, read_table, separability
from separatrix.proving.asking import prove_separability, prove_verdict
from separatrix.proving.files import write
from separatrix.zero_one.limits import Limits
from tests.proving.checking import FITS, WORDS, checked

IRIS = load_iris()
SPECIES = IRIS.target_names.tolist()
RULES = ["ova", "ovo"]


def csv_file(path, X, labels, names=None):
    names = names or [f"x{j + 1}" for j in range(len(X[0]))]
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow([*names, "label"])
        rows.writerows([*row, label] for row, label in zip(X, labels, strict=True))
    return path


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    labels = [SPECIES[k] for k in IRIS.target]
    return csv_file(tmp_path_factory.mktemp("iris") / "iris.csv", IRIS.data.tolist(), labels)


@pytest.fixture(scope="module")
def proofs(iris):
    """For each rule the verdict on the iris table, and its proof."""
    verdicts = {rule: judge(read_classes(iris, label="label"), multiclass=rule) for rule in RULES}
    return {rule: (v, prove_verdict(v, iris.read_bytes())) for rule, v in verdicts.items()}


def by_question(text: str) -> list[str]:
    """What is said of each question, its own sentence first."""
    return [f"Question {part}" for part in text.split("\nQuestion ")[1:]]


@pytest.mark.parametrize("rule", RULES)
def test_a_stranger_checks_every_question_of_a_verdict(rule, proofs, iris, tmp_path):
    verdict, proof = proofs[rule]
    assert proof.left_out == ()
    FITS.validate(json.loads(proof.text))
    write(proof, tmp_path / "p.json")
    parts = by_question(checked(tmp_path / "p.json", iris))
    out = "; 50 rows left out, of neither class." if rule == "ovo" else "."
    for k, (part, question) in enumerate(zip(parts, verdict.questions, strict=True), 1):
        table = question.table
        rest = "the rest" if rule == "ova" else f"class {table.no!r}"
        n_no = 100 if rule == "ova" else 50
        assert part.startswith(
            f"Question {k} of 3: class {table.yes!r} (yes, 50 rows) against {rest} (no, {n_no} "
            f"rows){out}\n"
        )
        assert WORDS[question.separability.verdict] in part
        assert f"makes {question.winner.n_errors} mistake" in part
        assert "sum of squared residuals" in part
        assert ("sum of cross-entropies" in part) == (question.separability.verdict != "separable")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["parquet", "svmlight", "products"])
def test_what_needs_a_canonical_csv_has_one(rule, kind, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, options, degree = tmp_path / f"t.{kind}", {"label": "label"}, 1
    x = [[0.5, 1.0], [1.0, 3.0], [2.0, 0.0], [4.0, 1.0], [5.0, 5.0]]
    labels = ["a", '"', "b", "b", "a"]
    if kind == "parquet":
        columns = {"u": [r[0] for r in x], "v": [r[1] for r in x], "label": labels}
        pq.write_table(pa.table(columns), path)
    elif kind == "svmlight":
        path.write_text("1 1:0.5\n2 1:0.2 3:1\n3 2:1 3:1\n1 1:0.25\n")
        options, labels = {"label": None}, ["1", "2", "3", "1"]
    else:
        csv_file(path, x, labels)
        options["format"], degree = "csv", 2
    proof = prove_separability(
        read_classes(path, **options), path.read_bytes(), degree, multiclass=rule
    )
    FITS.validate(json.loads(proof.text))
    _, written = write(proof, tmp_path / "p.json")
    text = checked(written, tmp_path / "p.table.csv")
    assert len(by_question(text)) == 3
    held = list(csv.DictReader((tmp_path / "p.table.csv").open(newline="")))
    assert [row["label"] for row in held] == labels
    assert json.loads(proof.text)["table"]["made_of"]["files"]


def random_tables():
    """Small tables of three or four labels, with gaps, weights of 0 and labels written twice."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        k, n = int(rng.integers(3, 5)), int(rng.integers(9, 20))
        codes = np.concatenate((np.arange(k), np.arange(k), rng.integers(0, k, n - k)))
        X = rng.integers(-3, 4, size=(codes.size, 2)) + 2 * codes[:, None]
        cells = X.astype(object)
        cells[2 * k :][rng.random((n - k, 2)) < 0.1] = "NA"
        weight = np.where(rng.random(codes.size) < 0.2, 0, 1)
        weight[:k] = 1
        spelt = [f"{c}.0" if rng.random() < 0.3 else str(c) for c in codes]
        yield cells, weight, codes, spelt


@pytest.mark.parametrize("rule", RULES)
def test_every_question_is_about_the_rows_that_it_says(rule, tmp_path):
    path, seen = tmp_path / "t.csv", set()
    for cells, weight, codes, spelt in random_tables():
        rows = [[*row, w] for row, w in zip(cells.tolist(), weight.tolist(), strict=True)]
        csv_file(path, rows, spelt, ["x1", "x2", "w"])
        data = read_classes(path, label="label", weight="w")
        proof = prove_separability(data, path.read_bytes(), multiclass=rule)
        whole = (cells != "NA").all(axis=1) & (weight > 0)
        X, left = cells[whole].astype(float), codes[whole]
        k = int(codes.max()) + 1
        pairs = [(None, yes) for yes in range(k)] if rule == "ova" else combinations(range(k), 2)
        said = by_question("\n".join(proof.statements))
        for part, (no, yes) in zip(said, pairs, strict=True):
            rows = np.ones(left.size, bool) if no is None else (left == no) | (left == yes)
            n_yes, n_rows = int((left == yes).sum()), int(rows.sum())
            assert f"(yes, {n_yes} rows)" in part
            assert f"(no, {n_rows - n_yes} rows)" in part
            gone = left.size - n_rows
            assert (f"; {gone} row{'' if gone == 1 else 's'} left out" in part) == bool(gone)
            verdict = separability(X[rows], left[rows] == yes).verdict
            seen.add(verdict)
            assert WORDS[verdict] in part
    assert seen == set(WORDS)


def test_folded_labels_are_one_class_and_those_without_take_no_part(tmp_path):
    path = csv_file(
        tmp_path / "t.csv", [[1], [2], [3], [4], [5], [6]], ["lo", " LO", "mid", "Hi", "", "hi"]
    )
    data = read_classes(path, label="label", fold_labels=True, unlabelled="drop")
    proof = prove_separability(data, path.read_bytes(), multiclass="ovo")
    assert list(proof.beside) == [".table.csv"]
    assert "(yes, 2 rows) against class 'hi' (no, 2 rows)" in "\n".join(proof.statements)
    assert "The rows: 5, in lines" in proof.statements[0]


@pytest.mark.parametrize("rule", RULES)
def test_the_fewest_mistakes_of_every_question(rule, iris):
    data = read_classes(iris, label="label")
    limits = Limits.of(None, 3_000)
    proof = prove_separability(data, iris.read_bytes(), 1, limits, multiclass=rule)
    kinds = [[c["kind"] for c in q["claims"]] for q in json.loads(proof.text)["questions"]]
    assert all("fewest mistakes" in some for some in kinds)


def test_refusals(iris, tmp_path):
    classes, data = read_classes(iris, label="label"), iris.read_bytes()
    with pytest.raises(InputError, match='choose "ova"'):
        prove_separability(classes, data)
    with pytest.raises(InputError, match="changed"):
        prove_separability(classes, data + b"\n", multiclass="ova")
    one = read_table(iris, label="label", yes="setosa")
    with pytest.raises(InputError, match="leave multiclass out"):
        prove_separability(one, data, multiclass="ova")
