"""`separatrix learn`: the verdict in words and as JSON."""

import json
import re
import shlex
import sys
from pathlib import Path

from tests.cli.shell import GOOD


def test_learn_says_the_verdict_in_plain_text_in_a_pipe(run, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    code, out, err = run("learn", tmp_path / "t.csv", "--label", "pays", "--full")
    assert code == 0
    assert "\x1b" not in out
    first, *_, last = out.splitlines()
    assert first == last
    assert first.startswith("Separable (proven). Model: ")
    assert "Linearly separable? Yes (proven): a line puts all " in out
    assert "Yes is pays = yes: 4 rows; no is no: 4 rows." in out
    for name in ("always yes", "PLA", "pocket", "linear regression", "logistic regression"):
        assert name in out
    assert "Traceback" not in err


def test_the_first_facts_are_notes_where_stderr_is_no_terminal(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,pays\n1,0,n\n2,1,y\n3,5,n\n4,2,y\n")
    command = ["learn", tmp_path / "t.csv", "--label", "pays"]
    code, out, err = run(*command)
    size = "separatrix: 4 rows, 2 features"
    assert (code, err.splitlines()[:2]) == (0, [size, f"{size}, separable"])
    assert [line for line in err.splitlines()[2:] if "separatrix infer " not in line] == []
    assert out.startswith("Table  ")
    assert run(*command, "--quiet")[2] == ""


def test_the_first_screen_says_what_was_written_and_what_to_type_next(run, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    command = ["learn", tmp_path / "t.csv", "--label", "pays", "-q", "--lang", "en"]
    code, out, _ = run(*command)
    assert code == 0
    assert len(out.splitlines()) <= 15
    assert max(map(len, out.splitlines())) <= 80
    assert "\nWritten       nothing yet\nNext  " in out
    out = run(*command, "--model", tmp_path / "m.json", "--learner", "pocket")[1]
    assert "\nWritten       m.json\n" in out
    assert "separatrix predict MODEL NEW.csv\n" in out  # the path is too long for a line
    assert "export" not in out
    assert "pocket: cross-validated error" in out
    assert "chosen by hand" in out
    assert json.loads((tmp_path / "m.json").read_text())["learner"] == "Pocket"
    written = "--model", tmp_path / "m.json", "--report", tmp_path / "r.html"
    out = run(*command, *written)[1]
    assert out.endswith("separatrix export MODEL --scorecard TABLE\n")
    assert len(out.splitlines()) <= 15


def test_the_first_screen_in_chinese(run, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(GOOD)
    command = ["learn", tmp_path / "t.csv", "--label", "pays", "-q"]
    out = run(*command, "--lang", "zh-Hant")[1]
    assert out.startswith("資料表")
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "zh_TW.UTF-8")
    assert run(*command)[1] == out
    assert run(*command, "--lang", "en")[1].startswith("Table")
    proven = run(*command[:-1], "--lang", "zh-Hant", "--proof", tmp_path / "p.json")[2]
    assert f"任何人都可以檢查 {tmp_path / 'p.json'}" in proven
    assert "錯誤：" in run("learn", tmp_path / "none.csv", "--label", "pays")[2]


def test_a_penalty_and_a_threshold_are_learned_and_told(run, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    learn = ("learn", tmp_path / "t.csv", "--label", "pays", "-q", "--fewest-nodes", "10")
    for typed, name in (("0.5", "C=0.5"), ("firth", "Firth")):
        asked = (*learn, "--penalty", typed)
        code, out, _ = run(*asked, "--model", tmp_path / "m.json", "--threshold", "0.9")
        assert code == 0
        assert f"logistic regression (penalty {name}): " in out
        assert f"羅吉斯迴歸（懲罰項 {name}）：" in run(*asked, "--lang", "zh-Hant")[1]
        verdict = json.loads(run(*asked, "--json")[1])
        assert verdict["winner"] == f"logistic regression (penalty {name})"
        code, out, _ = run("predict", tmp_path / "m.json", tmp_path / "t.csv", "-q")
        assert code == 0
        header, *rows = (line.split(",") for line in out.splitlines())
        assert header == ["line", "answer", "score", "probability_of_yes"]
        assert [row[1] == "yes" for row in rows] == [float(row[3]) > 0.9 for row in rows]
        lower = run("predict", tmp_path / "m.json", tmp_path / "t.csv", "--threshold", "0.01")[1]
        assert lower.count(",yes,") == 8


def test_the_commands_that_make_infinite_coefficients_finite_can_be_run(run, tmp_path, monkeypatch):
    rows = "".join(f"{k % 7},{'AB'[k % 2]},{'yn'[k * k % 3 > 0]}\n" for k in range(60))
    (tmp_path / "t.csv").write_text(f"x,town,paid\n{rows}3,C,y\n4,C,y\n5,D,n\n")
    monkeypatch.chdir(tmp_path)
    learn = ["learn", "t.csv", "--label", "paid"]
    monkeypatch.setattr(sys, "argv", ["separatrix", *learn])
    code, out, err = run(*learn)
    assert code == 0
    assert "town=C +inf (2 rows, both y)" in out
    assert len(out.splitlines()) <= 15
    for option in ("--group-rare 3", "--penalty firth", "--drop town"):
        command = f"separatrix learn t.csv --label paid {option}"
        assert f"  {command}\n" in out
        assert f"separatrix: next: {command}\n" in err
        code, found, _ = run(*command.split()[1:], "--model", f"{option.split()[1]}.json", "-q")
        assert code == 0
        fitted = "exists" in found or "(penalty Firth)" in found
        assert fitted
    assert "logistic regression (penalty C=1): cross-validated" in out


def test_a_rare_answer_comes_with_the_command_of_another_threshold(run, tmp_path, monkeypatch):
    ones = {25, 53, 54, 70, 240}
    rows = "".join(f"{k % 23},{k},{'bad' if k in ones else 'good'}\n" for k in range(300))
    (tmp_path / "t.csv").write_text(f"a,b,loan\n{rows}")
    monkeypatch.chdir(tmp_path)
    learn = ["learn", "t.csv", "--label", "loan", "--yes", "bad"]
    monkeypatch.setattr(sys, "argv", ["separatrix", *learn])
    code, out, err = run(*learn)
    assert code == 0
    assert "bad is rare (1.7 %): AUC " in out
    (command,) = (line for line in err.splitlines() if "--threshold" in line)
    assert "--model model.json" in command
    code, out, _ = run("learn", *command.partition("separatrix learn ")[2].split(), "-q")
    assert code == 0
    answers = run("predict", "model.json", "t.csv", "-q")[1]
    assert answers.count(",bad,") > 0
    for more in ([], ["--model", "m.json"]):  # a command that runs, and writes over no file
        monkeypatch.setattr(sys, "argv", ["separatrix", *learn, *more])
        err = run(*learn, *more)[2]
        (command,) = (line for line in err.splitlines() if "--threshold" in line)
        assert "--model model-2.json" in command


def test_the_next_commands_read_the_table_alike(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k};{'ab'[k % 2]};{'no' if k < 9 else 'yes'}\n" for k in range(18))
    (tmp_path / "t.csv").write_text(rows)
    read = ["--label", "column 3", "--no-header", "--fold-case", "--fold-labels"]
    code, out, err = run("learn", "t.csv", *read, "--model", "m", "--report", "r")
    assert code == 0
    (infer,) = (line for line in err.splitlines() if "separatrix infer " in line)
    assert "--fold-case" in infer
    assert "--fold-labels" in infer
    assert "separatrix export m --scorecard t.csv --no-header\n" in out
    assert run("export", "m", "--scorecard", "t.csv", "--no-header")[0] == 0


def test_no_file_is_proposed_that_reads_as_an_option(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-t.csv").write_text("a,y\n" + "1,no\n2,yes\n" * 9)
    code, out, _ = run("check", "./-t.csv", "--label", "y")
    assert code == 0
    assert "--model t.model.json" in " ".join(out.split())


def test_the_readme_shows_what_its_commands_print(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    typed, shown = re.search(r"```\n(\S+ make .*?)```\n\n```\n(.*?)```", readme, re.DOTALL).groups()
    for line in typed.splitlines():
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        code, out, err = run(*sys.argv[1:])
        assert code == 0, err
    assert out == shown
