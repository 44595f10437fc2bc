"""`separatrix export`: SELECTs, graphs and cards that run elsewhere."""

import csv
import io
import json
import shlex
import sqlite3

import numpy as np
import onnxruntime
import pytest

from tests.cli.shell import GOOD
from tests.exporting.databases import DATABASES


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


SHARES = [0.3, 0.2, 0.2, 0.286, 0.007, 0.007]


def loans(n, mark=".", seed=0):
    """A table as analysts have it: dates, thousands, rare levels, blanks, duplicates."""
    rng, lines = np.random.default_rng(seed), ["id;since;amount;purpose;city;rate;status"]
    for k in range(n):
        day, month, amount = rng.integers(1, 29), rng.integers(1, 13), rng.gamma(2, 6000)
        status = ("paid", "default")[int(amount + 4000 * rng.normal() > 15000)]
        money = f"{amount:,.2f}" if mark == "." else f"{amount:,.2f}".translate({44: ".", 46: ","})
        cells = [
            f"L{k // 2 * 2 if k % 50 == 1 else k}", f"{day:02}/{month:02}/{2019 + k % 5}",
            "" if k % 17 == 3 else money,
            rng.choice(["Car", "car ", "House", "HOUSE", "Studies", "boat"], p=SHARES),
            "" if k % 23 == 5 else rng.choice(["Köln", "köln", "Ulm", "Ulm", "Bonn"]),
            str(round(rng.normal(5, 1), 2)).replace(".", mark), status,
        ]  # fmt: skip
        lines.append(lines[-1] if k % 50 == 49 else ";".join(cells))
    return "\n".join(lines) + "\n"


def printed_command(out):
    program, *words = shlex.split(out.split("Learn with\n")[1].replace("\\\n", ""))
    assert program == "separatrix"
    return words


@pytest.mark.filterwarnings("ignore:logistic regression has no finite optimum")
@pytest.mark.parametrize("mark", [".", ","])
def test_the_road_from_check_to_sql_has_no_dead_end(run, tmp_path, monkeypatch, mark):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.csv").write_text(loans(300, mark))
    code, out, err = run("check", "loans.csv", "--label", "status", "--for", "sql")
    assert (code, err) == (0, "")
    assert ("--dialect sqlite, duckdb" in " ".join(out.split())) == (mark == ",")
    words = printed_command(out)
    assert {"--parse", "--fold-case", "--group-rare"} <= set(words)
    code, _, err = run(*words, "--fewest-nodes", "5", "--learner", "logistic")
    assert code == 0, err
    new = loans(400, mark, seed=1)
    (tmp_path / "new.csv").write_text(new)
    code, out, err = run(
        "predict", "loans.model.json", "new.csv", "--match-names", "--missing", "blank"
    )
    assert code == 0, err
    want = [(r["answer"] or None, float(r["score"]) if r["score"] else None)
            for r in csv.DictReader(io.StringIO(out))]  # fmt: skip
    assert len({answer for answer, _ in want}) > 1
    header, *rows = csv.reader(io.StringIO(new), delimiter=";")
    code, sql, err = run("export", "loans.model.json", "--sql", "loans", "--keep", "k")
    if mark == ",":
        assert (code, sql) == (2, "")
        commands = [
            shlex.split(line)[1:] for line in err.splitlines() if "separatrix export" in line
        ]
        assert [words[-1] for words in commands] == ["sqlite", "duckdb", "postgresql", "sqlserver"]
        exported = {words[-1]: run(*words)[1] for words in commands}
    else:
        exported = dict.fromkeys(("sqlite", "duckdb"), sql)
    for dialect, make in DATABASES.items():
        columns = [list(range(len(rows))), *(list(cells) for cells in zip(*rows, strict=True))]
        con = make(["k", *header], columns, "loans", ["INTEGER", *["TEXT"] * len(header)])
        assert [row[1:] for row in sorted(con.execute(exported[dialect]).fetchall())] == want


@pytest.mark.filterwarnings("ignore:Column")
def test_onnx_without_the_reading_names_the_commands_that_lead_there(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.csv").write_text(loans(300))
    words = printed_command(run("check", "loans.csv", "--label", "status")[1])
    assert run(*words, "--fewest-nodes", "5", "--learner", "logistic")[0] == 0
    code, _, err = run("export", "loans.model.json", "--onnx", "m.onnx")
    assert (code, "which ONNX has not" in err) == (2, True)
    check, learn = [
        shlex.split(line)[1:] for line in err.splitlines() if line.startswith("  separatrix")
    ]
    assert printed_command(run(*check)[1]) == learn
    code, _, err = run(*learn, "--fewest-nodes", "5", "--learner", "logistic")
    assert code == 0, err
    model = learn[learn.index("--model") + 1]  # a free name: the first model is kept
    assert run("export", model, "--onnx", "m.onnx") == (0, "", "")
    (tmp_path / "loans.csv").write_text(loans(20))
    assert run(*words, "--fewest-nodes", "5")[0] == 0
    (tmp_path / "loans.csv").unlink()
    err = run("export", "loans.model.json", "--onnx", "m.onnx")[2]
    assert "separatrix check TABLE --label status --for onnx" in err
