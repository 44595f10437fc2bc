"""From a spreadsheet as people write it to answers, a proof, a report and a scorecard."""

import csv
import itertools
import json
import shlex
import subprocess

import duckdb
import pytest

from separatrix.report.wording import width
from tests.messy import HEADER, messy_csv

HOW = (
    "--label", "defaulted", "--yes", "yes", "--fold-labels", "--decimal", ",",
    "--parse", "money,percent,dates", "--fold-case", "--missing", "level", "--group-rare", "10",
    "--drop", "customer_id", "--drop", "name_note", "--drop", "zip",
)  # fmt: skip


@pytest.fixture
def messy(tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text(messy_csv(200))
    return path


def test_a_messy_table_is_learned_proven_and_answered(run, messy, tmp_path):
    code, _, err = run("learn", messy, "--label", "defaulted")
    assert code == 2
    for word in ("--fold-labels", "'since' (line 2", "'income' (line 2", "'rate' (line 2",
                 "--parse dates or --parse money,percent,thousands"):  # fmt: skip
        assert word in err
    assert f"separatrix check {messy} --label defaulted" in err.splitlines()[-1]
    files = [tmp_path / name for name in ("m.json", "p.json", "r.html")]
    options = [part for pair in zip(("--model", "--proof", "--report"), files, strict=True)
               for part in pair]  # fmt: skip
    code, _, err = run("learn", messy, *HOW, "--fewest-nodes", "5", *options)
    assert code == 0, err
    code, out, err = run("verify", files[1], tmp_path / "p.table.csv")
    assert (code, out.splitlines()[0]) == (0, "VERIFIED"), err
    code, out, err = run("predict", files[0], messy)
    assert (code, out.count("\n")) == (0, 201), err
    assert err.endswith(f"separatrix export {files[0]} --sql messy --dialect sqlite\n")
    code, card, err = run("export", files[0], "--scorecard", messy)
    assert code == 0, err
    assert "'owns_home' = '(missing)'" in card
    code, _, err = run("export", files[0], "--sql", "t")
    assert (code, "separatrix export" in err, "--dialect duckdb" in err) == (2, True, True)
    code, sql, err = run("export", files[0], "--sql", "t", "--dialect", "duckdb")
    assert (code, err) == (0, "")
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS FROM read_csv('{messy}', all_varchar = true)")
    scores = [row.split(",")[2] for row in run("predict", files[0], messy)[1].splitlines()[1:]]
    assert sorted(con.execute(sql).fetchdf()["score"]) == sorted(map(float, scores))
    recipes = json.loads(files[0].read_text())["table"]["recipes"]
    assert {recipe["column"] for recipe in recipes} <= set(HEADER)


def test_what_is_wrong_with_a_table_names_options_that_the_command_has(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,kind\n" + "".join(f"{k},{k % 5},{'xyz'[k % 3]}\n" for k in range(30)))
    code, _, err = run("animate", path, "--label", "kind", "-o", tmp_path / "f.gif")
    assert (code, "--multiclass" in err, "--yes VALUE" in err) == (2, False, True)
    assert "--multiclass ova" in run("learn", path, "--label", "kind")[2]
    path.write_text(
        "a,b,kind,good\n" + "".join(f"{k},{k % 5},{'xyz'[k % 3]},{k % 2}\n" for k in range(30))
    )
    err = run("learn", path)[2]
    assert "with --label NAME. Columns with two values: 'good'. The columns are 'a', 'b'" in err
    assert f"separatrix check {path}" in err


def test_check_as_json_and_in_chinese(run, messy, monkeypatch):
    monkeypatch.chdir(messy.parent)
    code, out, err = run("check", "messy.csv", "--label", "defaulted", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["yes"], found["why_yes"]) == ("yes", "the word for yes of the two")
    assert [column["name"] for column in found["columns"]] == list(HEADER)
    assert shlex.split(found["command"])[3:] == [*found["options"], "--model",
                                                 "messy.model.json", "--report",
                                                 "messy.report.html"]  # fmt: skip
    code, out, err = run("check", "messy.csv", "--label", "defaulted", "--lang", "zh-Hant")
    assert (code, err) == (0, "")
    assert max(map(width, out.splitlines())) <= 80
    for word in ("200 筆，11 欄", "讀為", "  -> 金額", "學習指令",
                 "「是」為 'yes'（--yes）：兩者之中它表示「是」。"):  # fmt: skip
        assert word in out


def test_ragged_rows_are_named_at_once(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "1,no\n2,yes,3\n" * 14)
    for command in ("learn", "check"):
        code, _, err = run(command, path, "--label", "y")
        assert code == 2
        assert "line 3 (3 fields), line 5 (3 fields)" in err
        assert " and 4 more, where the first line has 2 (separated by ',')" in err


def test_check_says_what_it_cannot_mend(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,\x1bb,y\n1,2,no\n2,3,no\n")
    code, out, err = run("check", tmp_path / "t.csv", "--label", "y")
    assert (code, err) == (0, "")
    assert "No command is proposed" in out
    assert "one label only" in out
    assert "\x1b" not in out
    assert run("check", tmp_path / "absent.csv")[0] == 2
    for more in ([], ["--json"]):
        code, out, _ = run("check", tmp_path / "t.csv", "--label", "absent", *more)
        assert (code, "no column 'absent'" in out) == (2, True)


def test_the_command_is_one_for_a_shell_whatever_columns_are_called(run, tmp_path):
    names = ["\x1b[31mred", "-x", "it's; rm *", "a\nb", "$(id)", "\u202eabc", "x", "y"]
    rows = [
        [*(f"{name[:1]}{k} of them" for name in names[:-2]), str(k % 7), ["no", "yes"][k % 2]]
        for k in range(40)
    ]
    with (tmp_path / "t.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *rows])
    code, out, err = run("check", tmp_path / "t.csv", "--label", "y")
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert "\u202e" not in out
    command = out.split("Learn with\n")[1].strip().replace("separatrix learn", "printf '%s\\0'", 1)
    said = subprocess.run(
        ["bash", "-c", command], env={"LC_ALL": "C.UTF-8"}, capture_output=True, check=True
    ).stdout
    words = said.decode().split("\0")
    dropped = [word for before, word in itertools.pairwise(words) if before == "--drop"]
    assert dropped == names[:-2]
