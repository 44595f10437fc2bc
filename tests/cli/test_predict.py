"""`separatrix predict`: every row answered, columns matched, reasons given."""

import csv
import io

from tests.cli.shell import GOOD


def test_predict_answers_every_row_and_round_trips(run, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    model = tmp_path / "m.json"
    assert run("learn", tmp_path / "t.csv", "--label", "pays", "--model", model)[0] == 0
    code, out, _ = run("predict", model, tmp_path / "t.csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [int(r["line"]) for r in rows] == list(range(2, 10))
    assert {r["answer"] for r in rows} == {"yes", "no"}
    assert all((float(r["score"]) > 0) == (r["answer"] == "yes") for r in rows)
    code, out2, _ = run("predict", model, tmp_path / "t.csv", "-o", tmp_path / "answers.csv")
    assert (code, out2) == (0, "")
    assert (tmp_path / "answers.csv").read_text() == out


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
