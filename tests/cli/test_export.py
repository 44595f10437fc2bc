"""`export` (SELECTs, graphs and cards that run elsewhere) and `predict` (every row answered)."""

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


def test_predict_says_why_and_whether_all_lines_agree(run, model):
    table = model.parent / "t.csv"
    code, out, err = run("predict", model, table, "--explain", "--learned-from", table)
    rows = list(csv.DictReader(io.StringIO(out)))
    next_step = f"separatrix export {model} --sql t"
    assert (code, err) == (0, f"separatrix: the same answers from a database: {next_step}\n")
    assert run("predict", model, table, "-q")[2] == ""
    assert list(rows[0])[-4:] == ["separating_lines", "intercept", "part_1", "part_2"]
    says = {"yes": "all say yes", "no": "all say no"}
    labels = [line.rpartition(",")[2] for line in GOOD.splitlines()[1:]]  # a line separates it
    assert [r["separating_lines"] for r in rows] == [says[label] for label in labels]
    other = model.parent / "u.csv"
    other.write_text(GOOD.replace("58,f,yes", "58,f,no"))
    code, out, err = run("predict", model, table, "--learned-from", other, "-o", other)
    assert (code, out) == (2, "")
    assert "is being read" in err
    code, out, err = run("predict", model, table, "--learned-from", other)
    assert (code, out) == (2, "")
    assert "SHA-256" in err


def test_new_rows_are_read_in_the_encoding_of_the_table(run, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD.replace("age", "年"), encoding="cp950")
    model = tmp_path / "m.json"
    run("learn", tmp_path / "t.csv", "--label", "pays", "--encoding", "cp950", "--model", model)
    said = run("predict", model, tmp_path / "t.csv", "-q")[1]
    assert len(said.splitlines()) == len(GOOD.splitlines())
    words = ("--memory", "512MB", "-o", tmp_path / "a.csv")
    assert run("predict", model, tmp_path / "t.csv", *words)[0] == 0
    assert (tmp_path / "a.csv").read_text() == said
    assert run("export", model, "--scorecard", tmp_path / "t.csv")[0] == 0
    (tmp_path / "u.csv").write_text(GOOD.replace("age", "年"), encoding="utf-8")
    assert run("predict", model, tmp_path / "u.csv", "-q")[1] == said


def test_levels_that_look_missing_are_levels_to_a_model_that_knows_them(run, tmp_path):
    (tmp_path / "t.csv").write_text("s,x,l\n+,1,yes\n+,2,yes\n-,1,no\n-,3,no\n+,4,yes\n-,2,no\n")
    (tmp_path / "new.csv").write_text("s,x\n-,1\n-,3\n")
    run("learn", tmp_path / "t.csv", "--label", "l", "--missing", "fill", "--model", tmp_path / "m")
    _, out, _ = run("predict", tmp_path / "m", tmp_path / "new.csv")
    assert [r["answer"] for r in csv.DictReader(io.StringIO(out))] == ["no", "no"]
