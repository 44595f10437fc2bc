"""`separatrix infer` on tables that are read in blocks."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix.learners.least_squares.least_squares import FEW_NUMBERS

N = FEW_NUMBERS // 5 + 99  # of three columns: fewer rows would be read whole


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(N, 3))
    yes = X @ [2.0, -1.0, 0.0] + rng.logistic(size=N) > 0.2
    table = pa.table({
        "a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": np.where(yes, "good", "bad"),
    })  # fmt: skip
    for k in range(2):
        pq.write_table(
            table.slice(k * N // 2, (k + 1) * N // 2 - k * N // 2), folder / f"{k}.parquet"
        )
    pq.write_table(table, folder / "all.parquet")
    return folder


def test_it_prints_the_table_of_memory_and_resumes(files, run, tmp_path):
    asked = ["--label", "y", "--json", "--test", "b,c"]
    code, out, said = run("infer", files / "all.parquet", *asked, "--memory", "512MB")
    assert code == 0, said
    assert f"{N:,} rows are read in" in said
    code, memory, _ = run("infer", files / "all.parquet", *asked)
    found, memory = json.loads(out), json.loads(memory)
    for row, other in zip(found["rows"], memory["rows"], strict=True):
        assert row["name"] == other["name"]
        for key in ("estimate", "standard_error", "lower", "upper", "chi2"):
            assert row[key] == pytest.approx(other[key], rel=1e-6, abs=1e-6)
    assert found["tests"][0]["chi2"] == pytest.approx(memory["tests"][0]["chi2"], rel=1e-8)
    where = ["--checkpoint", tmp_path / "F", "--csv", tmp_path / "t.csv"]
    where += ["--latex", tmp_path / "t.tex"]
    code, again, _ = run("infer", files / "?.parquet", *asked, *where)
    assert code == 0
    assert json.loads(again)["rows"] == found["rows"]
    caption = (tmp_path / "t.tex").read_text("utf-8")
    assert "P(y = good) in 2 files (0.parquet and 1 more), 95" in caption
    rows = list(csv.DictReader((tmp_path / "t.csv").open(encoding="utf-8")))
    assert [row["name"] for row in rows] == ["(Intercept)", "a", "b", "c"]
    assert not (tmp_path / "F").exists()
