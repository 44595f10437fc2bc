"""`separatrix export`: SELECTs, graphs and cards that run elsewhere."""

from __future__ import annotations

import csv
import io
import json
import sqlite3

import numpy as np
import onnxruntime
import pytest

from tests.cli.shell import GOOD


def answers_of(run, model):
    _, out, _ = run("predict", model, model.parent / "t.csv")
    return [(r["answer"], float(r["score"])) for r in csv.DictReader(io.StringIO(out))]


def test_export_writes_a_select_that_a_database_runs(run, model):
    code, sql, err = run("export", model, "--sql", "people")
    assert (code, err) == (0, "")
    con = sqlite3.connect(":memory:")
    con.execute("CREATE TABLE people (age REAL, sex TEXT, pays TEXT)")
    con.executemany("INSERT INTO people VALUES (?, ?, ?)", [r.split(",") for r in GOOD.split()[1:]])
    assert con.execute(sql).fetchall() == answers_of(run, model)
    kept = run("export", model, "--sql", "people", "--keep", "pays", "--schema", "main")[1]
    assert [r[0] for r in con.execute(kept)] == [r.split(",")[2] for r in GOOD.split()[1:]]
    target = model.parent / "q.sql"
    assert run("export", model, "--sql", "people", "-o", target) == (0, "", "")
    assert target.read_text() == sql
    assert "::float8" in run("export", model, "--sql", "people", "--dialect", "postgresql")[1]


def test_export_writes_a_graph_that_a_runtime_runs(run, model):
    target = model.parent / "m.onnx"
    assert run("export", model, "--onnx", target) == (0, "", "")
    age = np.array([[float(r.split(",")[0])] for r in GOOD.split()[1:]])
    sex = np.array([[r.split(",")[1]] for r in GOOD.split()[1:]], dtype=object)
    session = onnxruntime.InferenceSession(str(target))
    answers, scores = session.run(None, {"age": age, "sex": sex})
    assert list(zip(answers.tolist(), scores.tolist(), strict=True)) == answers_of(run, model)


@pytest.mark.parametrize("rule", ["ova", "ovo"])
def test_export_of_many_labels(run, tmp_path, iris, rule):
    model = tmp_path / "m.json"
    run("learn", iris, "--label", "species", "--multiclass", rule, "--model", model, "-q")
    want = [row.split(",")[1:] for row in run("predict", model, iris)[1].splitlines()[1:]]
    want = [(answer, *map(float, scores[:3])) for answer, *scores in want]
    columns = [line.split(",")[:4] for line in iris.read_text().splitlines()[1:]]
    con = sqlite3.connect(":memory:")
    con.execute("CREATE TABLE flowers (sl REAL, sw REAL, pl REAL, pw REAL)")
    con.executemany("INSERT INTO flowers VALUES (?, ?, ?, ?)", columns)
    code, sql, err = run("export", model, "--sql", "flowers")
    assert (code, err) == (0, "")
    assert con.execute(sql).fetchall() == want
    assert run("export", model, "--onnx", tmp_path / "m.onnx")[0] == 0
    feeds = {
        name: np.array([[float(row[j])] for row in columns])
        for j, name in enumerate(("sl", "sw", "pl", "pw"))
    }
    answers, scores = onnxruntime.InferenceSession(tmp_path / "m.onnx").run(None, feeds)
    assert [(a, *s) for a, s in zip(answers.tolist(), scores.tolist(), strict=True)] == want


def test_export_writes_a_card(run, model):
    table = model.parent / "t.csv"
    code, text, err = run("export", model, "--scorecard", table)
    assert (code, err) == (0, "")
    assert "if the points add up to more than" in text
    assert "(counted exactly)" in text
    _, out, _ = run("export", model, "--scorecard", table, "--json", "--points", 3)
    card = json.loads(out)
    assert card["rows"] == 8
    assert max(abs(p["points"]) for p in card["points"]) <= 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "give one of --sql NAME, --onnx F and --scorecard TABLE"),
        (["--sql", "t", "--onnx", "f"], "give one of"),
        (["--sql", "t", "--dialect", "oracle"], "'oracle' is not one of"),
        (["--sql", ""], "table's name is empty"),
        (["--onnx", "-"], "name a file"),
        (["--onnx", "f", "-o", "g"], "leave -o out"),
        (["--onnx", "m.json"], "is being read"),
        (["--scorecard", "none.csv"], "none.csv"),
        (["--sql", "t", "-o", "no/f"], "does not exist"),
    ],
)
def test_export_asked_wrongly(run, model, monkeypatch, options, words):
    monkeypatch.chdir(model.parent)
    before = {path.name: path.read_bytes() for path in model.parent.iterdir()}
    code, out, err = run("export", model, *options)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert {path.name: path.read_bytes() for path in model.parent.iterdir()} == before
