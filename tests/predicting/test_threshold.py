"""A model that answers at another probability than one half, in every language it is written in."""

import csv
import io
import math
import sqlite3

import duckdb
import numpy as np
import onnx
import onnxruntime
import pytest

from separatrix import InputError, judge, load, read_table, save, scorecard, to_onnx, to_sql
from separatrix.model import text_of, with_threshold
from separatrix.predicting import answers_csv

P = 0.125


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table of 400 rows with a rare answer, and its model."""
    folder = tmp_path_factory.mktemp("threshold")
    random = np.random.default_rng(3)
    size, town = random.normal(size=400), random.choice(["A", "B", "C"], 400)
    yes = size + (town == "B") + random.logistic(size=400) > 3.5
    lines = zip(size.tolist(), town, np.where(yes, "bad", "good"), strict=True)
    text = "size,town,loan\n" + "".join(f"{a!r},{b},{c}\n" for a, b, c in lines)
    (folder / "t.csv").write_text(text)
    for name, options in {"c1": {"penalty": 1}, "firth": {"penalty": "firth"}}.items():
        table = read_table(folder / "t.csv", label="loan", yes="bad")
        save(judge(table, **options).model, folder / f"{name}.json")
        save(with_threshold(load(folder / f"{name}.json"), P), folder / f"{name}_{P}.json")
    return folder


def predicted(model, table, **options):
    return list(csv.DictReader(io.StringIO(answers_csv(model, table, **options))))


@pytest.mark.parametrize("name", ["c1", "firth"])
def test_more_rows_are_answered_yes_and_scores_stay(files, name):
    half = predicted(files / f"{name}.json", files / "t.csv")
    asked = predicted(files / f"{name}.json", files / "t.csv", threshold=P)
    assert [r["score"] for r in asked] == [r["score"] for r in half]
    for row in asked:
        assert (row["answer"] == "bad") == (float(row["score"]) > math.log(P / (1 - P)))
        assert (row["answer"] == "bad") == (float(row["probability_of_yes"]) > P)
    yes = [sum(r["answer"] == "bad" for r in rows) for rows in (half, asked)]
    assert yes[0] < 30 < yes[1]


@pytest.mark.parametrize("name", ["c1", "firth"])
def test_the_model_remembers_it_and_sql_and_onnx_answer_by_it(files, name, tmp_path):
    path = files / f"{name}_{P}.json"
    want = predicted(path, files / "t.csv")
    assert want == predicted(files / f"{name}.json", files / "t.csv", threshold=P)
    model = load(path)
    con = duckdb.connect()
    con.read_csv(str(files / "t.csv")).create("t")
    lite = sqlite3.connect(":memory:")
    lite.execute("CREATE TABLE t (size REAL, town TEXT, loan TEXT)")
    with (files / "t.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    lite.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    for base, dialects in ((con, ("any", "duckdb")), (lite, ("any", "sqlite"))):
        for dialect in dialects:
            got = base.execute(to_sql(model, "t", dialect=dialect)).fetchall()
            assert got == [(r["answer"], float(r["score"])) for r in want]
    to_onnx(model, tmp_path / "m.onnx")
    feeds = {
        "size": np.array([[float(r[0])] for r in rows]),
        "town": np.array([[r[1]] for r in rows], dtype=object),
    }
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    answer, score = session.run(["answer", "score"], feeds)
    assert answer.tolist() == [r["answer"] for r in want]
    assert score.tolist() == [float(r["score"]) for r in want]


def test_exports_say_which_penalty_and_which_threshold(files, tmp_path):
    said = {
        "c1": "logistic regression, penalty C=1 of standardised columns",
        f"firth_{P}": "logistic regression, penalty Firth (FLIC); yes above a probability of 0.125",
    }
    for name, words in said.items():
        model = load(files / f"{name}.json")
        assert to_sql(model, "t").startswith(f"/* {words} */\nWITH ")
        to_onnx(model, tmp_path / "m.onnx")
        assert onnx.load(tmp_path / "m.onnx").doc_string == words


def test_no_text_of_a_model_file_gets_into_sql(files):
    model = load(files / "firth.json")
    model.variant = "*/ DROP TABLE t; /*"
    assert "DROP" not in to_sql(model, "t")


def test_a_card_keeps_the_decisions_at_the_threshold(files):
    table = read_table(files / "t.csv", label="loan", yes="bad")
    model = load(files / f"c1_{P}.json")
    X = model.table_.encoding.encode(table.columns, table.lines)
    card = scorecard(model, table)
    vars(model).pop("feature_names_in_")
    differ = (model.predict(X) == "bad") != card.decide(X)
    assert differ.sum() == len(card.changed) < 12


def test_it_survives_the_file_and_no_fit(files):
    model = load(files / f"c1_{P}.json")
    assert text_of(model) == (files / f"c1_{P}.json").read_text()
    assert (model.probability_threshold_, model.standardised_) == (P, True)
    model.fit([[0.0], [1.0]], [0, 1])
    assert (model.probability_threshold_, model.standardised_) == (None, False)


def test_models_without_probabilities_refuse_it_and_name_the_way_out(tmp_path):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 5), [0, 1, 0, 1] * 5
    linear = judge(X, y, learner="linear").model
    with pytest.raises(InputError, match="LinearRegressionClassifier gives none: learn with"):
        with_threshold(linear, 0.1)
    separable = judge(X, (X[:, 0] > 1.5).astype(int), learner="logistic").model
    with pytest.raises(InputError, match="no finite optimum"):
        with_threshold(separable, 0.1)
    several = judge(X, ["a", "b", "a", "c"] * 5, multiclass="ova").model
    with pytest.raises(InputError, match="many labels: learn with"):
        with_threshold(several, 0.1)
    with pytest.raises(InputError, match="not between 0 and 1"):
        with_threshold(judge(X, y, learner="logistic").model, 1.0)
