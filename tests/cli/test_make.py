"""`separatrix make`: tables that were made, whole or not at all."""

import csv
import io
import json

import pytest


@pytest.mark.parametrize("name", ["separable", "noisy", "credit", "graduation"])
def test_what_is_made_can_be_learned_from(run, tmp_path, name):
    code, out, err = run("make", name, "--rows", 60, "--seed", 3)
    rows = list(csv.DictReader(io.StringIO(out)))
    label = {"credit": "approved", "graduation": "graduates"}.get(name, "label")
    assert code == 0
    assert len(rows) == 60
    assert {row[label] for row in rows} == {"no", "yes"}
    assert err.startswith(f"separatrix: The known target: {label} is yes if ")
    assert err.count("\n") == 1
    csv_path, parquet_path = tmp_path / "t.csv", tmp_path / "t.PARQUET"
    for path in (csv_path, parquet_path):
        assert run("make", name, "--rows", 60, "--seed", 3, "-o", path, "-q") == (0, "", "")
    assert csv_path.read_text() == out
    assert parquet_path.read_bytes().startswith(b"PAR1")
    verdicts = [
        json.loads(run("learn", path, "--label", label, "--json", "-q")[1])
        for path in (csv_path, parquet_path)
    ]
    assert verdicts[0]["separability"] == verdicts[1]["separability"] or name == "noisy"
    assert verdicts[0]["separability"]["separable"] is (name != "noisy")


def test_make_obeys_its_options(run):
    code, out, err = run("make", "noisy", "--rows", 30, "--columns", 4, "--flip", 1, "-o", "-")
    assert (code, out.splitlines()[0]) == (0, "x1,x2,x3,x4,label")
    assert "30 labels were turned round, in row 1, 2, 3" in err
    _, clean, _ = run("make", "separable", "--rows", 30, "--columns", 4)
    for noisy, right in zip(out.split()[1:], clean.split()[1:], strict=True):
        assert noisy.rsplit(",", 1)[0] == right.rsplit(",", 1)[0]
        assert {noisy.rsplit(",", 1)[1], right.rsplit(",", 1)[1]} == {"no", "yes"}
    _, out, _ = run("make", "credit", "--rows", 200, "--missing", 0.2)
    cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row]
    assert 150 < cells.count("") < 350
    _, wide, _ = run("make", "separable", "--margin", 50)
    values = [float(v) for row in list(csv.reader(io.StringIO(wide)))[1:] for v in row[:-1]]
    assert max(map(abs, values)) > 25
