"""Input that cannot be used: exit code 2 and one clear message."""

import csv
import io
import time

import pytest


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
    monkeypatch.setattr("separatrix.verdict.candidates.PLA_SECONDS", 1.0)
    (tmp_path / "t.csv").write_text(table)
    started = time.monotonic()
    code, out, err = run("learn", tmp_path / "t.csv", "--label", "l", "--missing", "fill", "-q")
    assert (code, err) == (0, "") or (code == 2 and "overflow" in err)
    assert "nan" not in out
    assert time.monotonic() - started < 20
