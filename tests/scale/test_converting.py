"""Files that are converted to scratch files: the encoding and the bytes of `read_table`."""

import csv
import datetime
import os
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from separatrix import InputError, SeparatrixWarning, open_table, read_table
from separatrix.scale.source import PREFIX, Scratch
from separatrix.tables import fit_encoding

N = 30_000

pytestmark = pytest.mark.filterwarnings("ignore:Column 'level' has levels that differ in case")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch, tmp_path):
    monkeypatch.setattr("separatrix.scale.budget.LEAST_TEXT", 1 << 16)
    monkeypatch.setattr("separatrix.scale.budget.MOST_TEXT", 1 << 16)
    monkeypatch.setattr("separatrix.tables.scan.ROWS", 5000)
    monkeypatch.setattr("separatrix.tables.files.typed.AT_ONCE", 7000)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "scratch").mkdir()


def columns(n=N):
    rng = np.random.default_rng(5)
    levels = np.array(["a", "B", "b", "", "d d"])
    x = [repr(float(v)) if k % 91 else "NA" for k, v in enumerate(rng.normal(size=n))]
    x[:4] = ["", "?", " 1.5", "-"]
    late = [""] * (n // 2) + [str(k % 7) for k in range(n - n // 2)]
    dates = [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(n)]
    money = [f"€ {k % 90},50" for k in range(n)]
    return {
        "x": x,
        "level": levels[rng.choice(5, n, p=[0.4, 0.3, 0.1, 0.1, 0.1])].tolist(),
        "z": rng.integers(0, 100, n).astype(str).tolist(),
        "late": late,
        "flag": ["true" if k % 3 else "false" for k in range(n)],
        "date": dates,
        "money": money,
        "w": rng.integers(0, 4, n).astype(str).tolist(),
        "label": np.array([" yes", "no ", "maybe"])[rng.choice(3, n, p=[0.5, 0.4, 0.1])].tolist(),
    }


def write_csv(path, made, quoted=False):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
        writer.writerow(made)
        writer.writerows(zip(*made.values(), strict=True))


def assert_same(table, whole):
    encoding = fit_encoding(whole.columns, whole.missing)
    X = encoding.encode(whole.columns, whole.lines, whole.line_word)
    X = X.toarray() if sp.issparse(X) else X
    about, rows = table.source.about, table.whole()
    assert about.encoding == encoding
    assert rows.X.tobytes() == np.ascontiguousarray(X).tobytes()
    assert np.array_equal(rows.y, whole.y)
    assert np.array_equal(rows.weight, np.ones(len(X)) if whole.weight is None else whole.weight)
    assert np.array_equal(table.source.places(np.arange(table.n))[1], whole.lines)
    found = (about.no, about.yes, about.n_dropped, about.n_rows_in_file, about.extra)
    expected = (whole.no, whole.yes, whole.n_dropped, whole.n_rows_in_file, whole.extra)
    assert found == expected
    assert (about.recipes, about.dialect, about.weight_column) == (
        whole.recipes,
        whole.dialect,
        whole.weight_column,
    )
    assert about.notes == whole.notes
    some = np.array([table.n - 1, 0, 17])
    assert table.take(some).X.tobytes() == rows.X[some].tobytes()


def as_number(text):
    return None if text.strip() in ("", "NA", "?", "-") else float(text)


def typed_columns(made):
    """Columns as a file with types has them: levels in a dictionary, numbers as such."""
    typed = {name: pa.array([text or None for text in texts]) for name, texts in made.items()}
    typed["x"] = pa.array([as_number(text) for text in made["x"]])
    typed["late"] = pa.array([float(text or "nan") for text in made["late"]])
    typed["flag"] = pa.array([text == "true" for text in made["flag"]])
    typed["w"] = pa.array([int(text) for text in made["w"]])
    typed["date"] = pa.array([datetime.date.fromisoformat(text) for text in made["date"]])
    typed["level"] = typed["level"].dictionary_encode()
    return typed


def written(made, source, folder):
    """Return the path of a table in a file of a kind, and the option that reads it."""
    path = folder / f"t.{source}"
    if source == "parquet":
        pq.write_table(pa.table(typed_columns(made)), path, row_group_size=6000)
    elif source == "sqlite":
        base = sqlite3.connect(path)
        base.execute(f"CREATE TABLE t ({', '.join(made)})")
        values = [map(as_number, texts) if name in ("x", "late", "w") else texts
                  for name, texts in made.items()]  # fmt: skip
        marks = ", ".join("?" * len(made))
        base.executemany(f"INSERT INTO t VALUES ({marks})", zip(*values, strict=True))  # noqa: S608
        base.commit()
        base.close()
        return path, {"query": "SELECT * FROM t"}
    else:
        write_csv(path, made, quoted=source == "quoted")
    return path, {}


OPTIONS = [
    {"drop": ("late",), "parse": ("dates", "money")},
    {"parse": ("dates", "money"), "missing": "fill", "fold_case": True},
    {"parse": ("dates", "money"), "missing": "level", "group_rare": 4000, "weight": "w"},
    {"drop": ("late", "money", "date"), "text": ("z",), "fold_labels": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=["drop", "fill", "level", "text"])
@pytest.mark.parametrize("source", ["csv", "quoted", "parquet", "sqlite"])
def test_law_a_file_in_chunks_becomes_what_it_does_in_memory(tmp_path, options, source):
    path, how = written(columns(), source, tmp_path)
    asked = {"yes": "yes" if options.get("fold_labels") else " yes", **options, **how}
    assert_same(open_table(path, "label", **asked), read_table(path, "label", **asked))


@pytest.mark.parametrize("seed", range(12))
def test_law_what_is_wrong_is_said_alike(tmp_path, seed):
    """A chunk holds all rows, so that all of them have been read when something is wrong."""
    rng = np.random.default_rng(seed)
    odd = ["1,5", "x", "inf", "2024-02-01", "€ 3", "12 %", "0x1", "", "NA", "yes"]
    n = 40
    made = {
        name: [str(rng.choice(odd) if rng.random() < rate else k % 7) for k in range(n)]
        for name, rate in (("a", 0.0), ("b", 0.1), ("c", 0.5), ("d", 1.0))
    }
    made["label"] = rng.choice(["no", "yes", "Yes", ""], n, p=[0.5, 0.4, 0.05, 0.05]).tolist()
    write_csv(tmp_path / "t.csv", made)
    said = []
    for read in (read_table, open_table):
        with pytest.raises(InputError) as caught:
            read(tmp_path / "t.csv", "label")
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_several_csv_files_are_one_table(tmp_path):
    made = columns(9000)
    whole = tmp_path / "whole.csv"
    write_csv(whole, made)
    for k in range(3):
        part = {name: values[3000 * k : 3000 * (k + 1)] for name, values in made.items()}
        write_csv(tmp_path / f"part-{k}.csv", part)
    how = {"yes": " yes", "drop": ("late", "date", "money")}
    one, parts = (
        open_table(whole, "label", **how),
        open_table(tmp_path / "part-*.csv", "label", **how),
    )
    assert one.whole().X.tobytes() == parts.whole().X.tobytes()
    assert one.source.about.encoding == parts.source.about.encoding
    assert parts.source.about.name == "part-0.csv and 2 more"
    write_csv(tmp_path / "part-3.csv", {"other": ["1", "2"], "label": ["a", "b"]})
    with pytest.raises(InputError, match=r"part-3\.csv has other columns than part-0\.csv"):
        open_table(tmp_path / "part-*.csv", "label", **how)
    with pytest.raises(InputError, match="no file is called"):
        open_table(tmp_path / "absent-*.csv", "label")


def test_scratch_files_go_with_the_table_and_those_of_killed_runs_with_the_next(tmp_path):
    scratch = tmp_path / "here"
    scratch.mkdir()
    write_csv(tmp_path / "table.csv", columns(2000))
    how = {"yes": " yes", "drop": ("late", "date", "money"), "scratch": scratch}
    table = open_table(tmp_path / "table.csv", "label", **how)
    assert len(list(scratch.iterdir())) == 1
    del table
    assert not list(scratch.iterdir())
    program = (
        "import sys, time\nfrom separatrix.scale.source import Scratch\n"
        f"made = Scratch({str(scratch)!r})\nprint(made.path, flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as run:
        left = run.stdout.readline().decode().strip()
        Scratch(scratch).close()
        assert os.path.isdir(left)  # it is in use
        run.kill()
    time.sleep(0.01)
    Scratch(scratch).close()
    assert not list(scratch.glob(f"{PREFIX}*"))


def test_a_disk_that_is_too_small_is_said_before_anything_is_written(tmp_path, monkeypatch):
    write_csv(tmp_path / "table.csv", columns(2000))
    full = type("Usage", (), {"free": 1 << 20})
    monkeypatch.setattr("shutil.disk_usage", lambda _: full)
    with pytest.raises(InputError, match=r"Converting table\.csv needs .* of scratch files"):
        open_table(tmp_path / "table.csv", "label")
    with pytest.raises(InputError, match="does not exist"):
        open_table(tmp_path / "table.csv", "label", scratch=tmp_path / "absent")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="wants a folder that takes no files")
def test_a_folder_that_takes_no_files_is_refused_at_once():
    with pytest.raises(InputError, match=r"cannot make scratch files in '/proc'"):
        Scratch("/proc")


def test_columns_that_cannot_be_read_are_all_named(tmp_path):
    made = {"a": [f"{k} km/h" if k % 2 else str(k) for k in range(N)],
            "b": ["1,000" for _ in range(N)], "y": [str(k % 2) for k in range(N)]}  # fmt: skip
    write_csv(tmp_path / "t.csv", made)
    with pytest.raises(InputError, match="2 columns cannot be read"):
        open_table(tmp_path / "t.csv", "y")
    texts = ["n/k" if k > 8997 else str(k) for k in range(N)]  # more in a block that is not read
    write_csv(tmp_path / "t.csv", {"a": texts, "y": [str(k % 2) for k in range(N)]})
    with pytest.raises(InputError, match=r"'n/k' is not .* in the block it is in are numbers"):
        open_table(tmp_path / "t.csv", "y")
    texts = [str(k) if k != 9000 else str(2**53 + 1) for k in range(N)]
    write_csv(tmp_path / "t.csv", {"big": texts, "y": [str(k % 2) for k in range(N)]})
    with pytest.warns(SeparatrixWarning, match=r"t\.csv, line 9002, column 'big'"):
        open_table(tmp_path / "t.csv", "y")


def test_rows_of_several_files_stand_where_their_file_has_them(tmp_path):
    kinds = {
        "csv": lambda path, x, y: path.write_text(
            "x,y\n" + "".join(f"{a},{b}\n" for a, b in zip(x, y, strict=True)), encoding="utf-8"
        ),
        "parquet": lambda path, x, y: pq.write_table(
            pa.table({"x": x, "y": pa.array(y, pa.string())}), path
        ),
        "npy": lambda path, x, y: np.save(
            path, np.column_stack([x, [label == "b" for label in y]]).reshape(len(x), 2)
        ),
    }
    for kind, write in kinds.items():
        for k, n in enumerate((2, 0, 3)):
            if n or kind != "csv":  # a CSV file needs a row
                x = np.arange(float(n)) + k
                write(tmp_path / f"{k}.{kind}", x, [*"ab", "a"][:n])
        table = open_table(str(tmp_path / f"*.{kind}"), 1 if kind == "npy" else "y")
        of, lines = table.source.places(np.arange(5))
        first = 2 if kind == "csv" else 1
        names = [table.source.file_names[k] for k in of]
        assert names == [f"{k}.{kind}" for k in (0, 0, 2, 2, 2)], kind
        assert lines.tolist() == [first, first + 1, first, first + 1, first + 2], kind


def test_a_table_whose_columns_have_one_value_each_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\nu,v,no\nu,v,yes\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column is left to learn from"):
        open_table(tmp_path / "t.csv", "y")
