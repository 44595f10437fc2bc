"""Answers for tables of any size: those of `answers_csv`, in a file that is whole or not there."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import separatrix
from separatrix import InputError, judge, read_table
from separatrix.predicting import answers_csv, write_answers

N = 3000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("separatrix.scale.budget.LEAST_TEXT", 1 << 14)
    monkeypatch.setattr("separatrix.scale.budget.MOST_TEXT", 1 << 14)
    monkeypatch.setattr("separatrix.tables.files.typed.AT_ONCE", 700)
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=N), rng.choice(["red", "green"], N)
    y = np.where(x + (level == "red") + rng.normal(size=N) > 0.5, "yes", "no")
    lines = ["x,level,y", *(f"{a!r},{b},{c}" for a, b, c in zip(x.tolist(), level, y, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines[:60]) + "\n", encoding="utf-8")
    separatrix.save(judge(read_table("t.csv", "y")).model, "m.json")
    lines[2000] = ",green,no"
    (tmp_path / "new.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pq.write_table(pa.table({"x": x, "level": level, "y": y}), "new.parquet")
    return tmp_path


@pytest.mark.parametrize("explain", [False, True])
def test_the_csv_is_that_of_a_table_in_memory(folder, explain):
    how = {"missing": "blank", "explain": explain}
    pd.read_csv("new.csv")[["y", "level", "x"]].assign(more=1).to_csv("odd.csv", index=False)
    for name, match_names in (("new.csv", False), ("odd.csv", True)):
        how["match_names"] = match_names
        assert write_answers("m.json", name, "out.csv", **how) == N
        assert (folder / "out.csv").read_text("utf-8") == answers_csv("m.json", name, **how)


def test_answers_in_parquet_are_numbers_and_nulls(folder):
    write_answers("m.json", "new.csv", "out.parquet", missing="blank")
    found = pq.read_table("out.parquet")
    rows = [line.split(",") for line in answers_csv("m.json", "new.csv", missing="blank").split()]
    assert found.column_names == rows[0]
    assert found["line"].to_pylist() == list(range(2, N + 2))
    assert found["score"].to_pylist() == [float(r[2]) if r[2] else None for r in rows[1:]]
    assert found["answer"].null_count == 1
    write_answers("m.json", ["new.parquet", "new.parquet"], "both.parquet")
    assert pq.read_table("both.parquet").num_rows == 2 * N


def test_of_several_files_the_first_column_names_the_file(folder):
    (folder / "b=1").mkdir()
    (folder / "b=1" / "new.csv").write_text("x,level,y\n1,red,yes\n2,green,no\n", encoding="utf-8")
    (folder / "two,2.csv").write_text("x,level,y\n3,red,yes\n", encoding="utf-8")
    paths = ["b=1/new.csv", "two,2.csv"]
    names = ["new.csv", "new.csv", "two,2.csv"]
    write_answers("m.json", paths, "out.csv")
    found = pd.read_csv("out.csv")
    assert found.columns[:3].tolist() == ["file", "line", "answer"]
    assert found["file"].tolist() == names
    assert found["line"].tolist() == [2, 3, 2]
    write_answers("m.json", paths, "out.parquet")
    in_parquet = pq.read_table("out.parquet")
    assert in_parquet.column_names == found.columns.tolist()
    assert in_parquet["file"].to_pylist() == names
    assert in_parquet["score"].to_pylist() == found["score"].tolist()
    write_answers("m.json", [paths[0], "new.csv"], "out.csv", missing="blank")  # of one name
    found = pd.read_csv("out.csv")
    assert found["file"].drop_duplicates().tolist() == ["b=1/new.csv", "new.csv"]
    assert found["answer"].isna().sum() == 1


def test_a_refusal_in_the_last_block_leaves_what_was_there(folder):
    (folder / "out.csv").write_text("as it was", encoding="utf-8")
    before = sorted(folder.iterdir())
    with pytest.raises(InputError, match=r"new\.csv, line 2001, column 'x': the value is missing"):
        write_answers("m.json", "new.csv", "out.csv")
    assert (folder / "out.csv").read_text("utf-8") == "as it was"
    assert sorted(folder.iterdir()) == before
