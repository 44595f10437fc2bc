"""Input that cannot be used: exit code 2 and one clear message."""

import csv
import io
import time

import pytest

from tests.cli.shell import GOOD

BAD = {  # one of each stage of reading: the rest is refused by `read_table` in tests/tables
    "03 missing label": ("a,y\n1,no\n2,\n3,yes\n", "missing"),
    "06 look-alike labels": ("a,y\n1,Yes\n2,yes\n3,no\n", "--fold-labels"),
    "25 dates": ("a,y\n2026-01-01,no\n2026-01-02,yes\n", "date"),
    "36 empty file": ("", "empty"),
    "37 ragged rows": ("a,y\n1,no\n2,yes,3\n", "line 3"),
    "39 latin-1": ("a,y\n1,n\xe9\n2,yes\n".encode("latin-1"), "--encoding"),
    "40 thousands": ('a,y\n"1,000",no\n"2,500",yes\n', "--decimal"),
    "50 no header": ("1,0\n2,1\n3,0\n", "--no-header"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_exit_2_with_one_clear_message(run, tmp_path, name):
    text, word = BAD[name]
    path = tmp_path / "bad.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    code, out, err = run("learn", path, "--label", "y", "--model", tmp_path / "m.json")
    assert code == 2
    assert out == ""
    assert err.startswith("separatrix: error: ")
    assert err.count("\n") == 1
    assert word in err
    assert "Traceback" not in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.csv"]


def test_bad_weights_and_columns(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,w,y\n1,-1,no\n2,1,yes\n3,1,no\n")
    code, _, err = run("learn", tmp_path / "t.csv", "--label", "y", "--weight", "w")
    assert (code, "line 2" in err) == (2, True)
    code, _, err = run("learn", tmp_path / "t.csv", "--label", "y", "--drop", "aa")
    assert (code, "'a'" in err) == (2, True)


def test_a_model_that_is_no_model(run, tmp_path):
    (tmp_path / "m").write_text("{}")
    (tmp_path / "t.csv").write_text(GOOD)
    code, out, err = run("predict", tmp_path / "m", tmp_path / "t.csv")
    assert (code, out) == (2, "")
    assert "no model file" in err


def test_hostile_names_are_shown_harmlessly(run, tmp_path):
    names = ["__proto__", "<script>alert(1)</script>", "=cmd()", "🦉", "\u202eevil", "x" * 10_000]
    header = io.StringIO()
    csv.writer(header).writerow([*names, "y"])
    rows = "".join(
        ",".join(map(str, (i, i % 3, i % 2, i, i, i))) + f",{'ab'[i > 4]}\n" for i in range(10)
    )
    (tmp_path / "t.csv").write_text(header.getvalue() + rows, encoding="utf-8")
    model = tmp_path / "m.json"
    code, out, _ = run("learn", tmp_path / "t.csv", "--label", "y", "--model", model)
    assert code == 0
    assert "\u202e" not in out
    assert "x" * 200 not in out
    assert run("predict", model, tmp_path / "t.csv")[0] == 0


@pytest.mark.parametrize(
    "table",
    [
        "x,l\n1e160,a\n2e160,b\n",
        "x,y,l\n1.7e308,2,no\n-1.7e308,4,yes\n1.6e308,5,yes\n1.7e308,4,no\n",
        "x,l\n5e-324,a\n1e-323,b\n5e-324,a\n1e-323,b\n",
        "x,y,l\n1.7e308,2,no\n1.7e308,4,yes\n?,5,yes\n",
        "x,l\n0,no\n4,no\n5,yes\n70000000000,yes\n",
    ],
)
def test_huge_tiny_and_far_values_are_judged_soon(run, tmp_path, monkeypatch, table):
    monkeypatch.setattr("separatrix.verdict.candidates.PLA_MULTIPLICATIONS", 2**29)
    (tmp_path / "t.csv").write_text(table)
    started = time.monotonic()
    code, out, err = run("learn", tmp_path / "t.csv", "--label", "l", "--missing", "fill", "-q")
    assert (code, err) == (0, "") or (code == 2 and "overflow" in err)
    assert "nan" not in out
    assert time.monotonic() - started < 20
