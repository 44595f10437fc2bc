"""Parquet, workbooks, databases and files of statistics programs, as the CSV of their values."""

import builtins
import datetime
import sqlite3
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from separatrix.data import InputError
from separatrix.tables import fit_encoding, read_rows, read_table
from separatrix.tables.files.typed import cells_of
from tests.tables.files import PLAIN, parquet, values

COLUMNS = {
    "age": [20, 31, None, 44, 52],
    "pay": [1.5, 2.25, 3.125, None, 5.0],
    "sex": ["f", "m", None, "m", "f"],
    "label": ["no", "yes", "no", "yes", "yes"],
}
FRAME = pd.DataFrame(COLUMNS)


def sqlite_file(folder, frame=FRAME):
    path = folder / "t.db"
    with sqlite3.connect(path) as database:
        frame.to_sql("people", database, index=False)
    database.close()
    return path


def duckdb_file(folder, frame=FRAME):
    duckdb = pytest.importorskip("duckdb")
    path = folder / "t.duckdb"
    with duckdb.connect(str(path)) as database:
        database.register("frame", frame)
        database.execute("CREATE TABLE people AS SELECT * FROM frame")
    return path


def workbook(folder, frame=FRAME):
    pytest.importorskip("openpyxl")
    path = folder / "t.xlsx"
    frame.to_excel(path, index=False)
    return path


def stata_file(folder):
    pyreadstat = pytest.importorskip("pyreadstat")
    path = folder / "t.dta"
    pyreadstat.write_dta(FRAME.assign(sex=FRAME["sex"].fillna("")), path)
    return path


def spss_file(folder):
    pyreadstat = pytest.importorskip("pyreadstat")
    path = folder / "t.sav"
    coded = FRAME.assign(sex=FRAME["sex"].map({"f": 1.0, "m": 2.0}))
    pyreadstat.write_sav(coded, path, variable_value_labels={"sex": {1.0: "f", 2.0: "m"}})
    return path


WAYS = {
    "sqlite": (sqlite_file, {"query": "SELECT * FROM people"}),
    "duckdb": (duckdb_file, {"query": "SELECT * FROM people"}),
    "xlsx": (workbook, {}),
    "dta": (stata_file, {}),
    "sav": (spss_file, {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_typed_file_is_as_its_csv(tmp_path, way):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    of_csv = read_table(tmp_path / "t.csv", "label", missing="fill")
    make, options = WAYS[way]
    path = make(tmp_path)
    table = read_table(path, "label", missing="fill", **options)
    assert (table.format, table.line_word, table.dialect) == (way, "row", None)
    assert table.lines.tolist() == [k + (way == "xlsx") for k in range(1, 6)]
    encoding = fit_encoding(table.columns, "fill")
    assert encoding == fit_encoding(of_csv.columns, "fill")
    X = encoding.encode(table.columns, table.lines)
    assert np.array_equal(X, encoding.encode(of_csv.columns, of_csv.lines))
    rows = read_rows(path, encoding, known_extra=["label"], **options)
    assert np.array_equal(encoding.encode(rows.columns, rows.lines), X)
    with pytest.raises(InputError, match=f"is not of the format csv; it is {way}"):
        read_table(path, "label", format="csv", **options)


@pytest.mark.parametrize("make", [sqlite_file, duckdb_file])
def test_queries_that_select_nothing_or_more_are_refused(tmp_path, make):
    path = make(tmp_path)
    before = path.read_bytes()
    for query, message in (
        (None, "a database of the tables 'people': say which rows to read with query"),
        ("SELEC 1", "the query 'SELEC 1' fails"),
        ("SELECT * FROM nobody", "fails: .*nobody"),
        ("DROP TABLE people", "fails"),
        ("SELECT age FROM people; SELECT 1", "fails"),
        ("SELECT * FROM people WHERE age > 99", "4 columns and no rows"),
        ("SELECT age, age FROM people", "called 'age'|'label'"),
        (f"ATTACH '{tmp_path / 'other'}' AS o", "fails|no rows"),
    ):
        with pytest.raises(InputError, match=message):
            read_table(path, "label", query=query)
    assert path.read_bytes() == before
    assert not (tmp_path / "other").exists()
    table = read_table(path, "label", query="SELECT age, label FROM people WHERE age IS NOT NULL")
    assert values(table, "age") == [20, 31, 44, 52]


def test_rows_that_wait_in_a_log_are_not_left_out_silently(tmp_path):
    path = sqlite_file(tmp_path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("INSERT INTO people VALUES (60, 7.5, 'f', 'no')")
    database.commit()
    with pytest.raises(InputError, match=r"rows in 't.db-wal' that are not in the file yet"):
        read_table(path, "label", query="SELECT * FROM people")
    database.close()  # which writes them into the file
    assert read_table(path, "label", query="SELECT * FROM people").n_rows_in_file == 6


def test_sheets_are_chosen_by_name(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    first, second = book.active, book.create_sheet("loans")
    book.create_sheet("empty")
    first.append(["a", "label"])
    for sheet, more in ((second, 10), (first, 0)):
        if sheet is second:
            sheet.append([None, None])
            sheet.append([" a ", "label", "day", None])
        for k in range(4):
            row = [k + more, ["no", "yes"][k % 2]]
            sheet.append([*row, datetime.date(2025, 1, k + 1)] if sheet is second else row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    with pytest.raises(InputError, match=r"2 sheets that hold something: say which with sheet"):
        read_table(path, "label")
    with pytest.raises(InputError, match=r"no sheet 'loan' \(sheet\). Nearest: 'loans'"):
        read_table(path, "label", sheet="loan")
    with pytest.raises(InputError, match="the sheet 'empty' is empty"):
        read_table(path, "label", sheet="empty")
    with pytest.raises(InputError, match=r"'day' holds dates or times.*parse=\[.dates"):
        read_table(path, "label", sheet="loans")
    table = read_table(path, "label", sheet="loans", parse=["dates"])
    assert values(table, "a") == [10, 11, 12, 13]
    assert values(table, "day (days)") == [0, 1, 2, 3]
    assert table.lines.tolist() == [3, 4, 5, 6]  # as in the sheet


def test_what_is_broken_or_another_archive_is_refused(tmp_path, write):
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as packed:
        packed.writestr("t.csv", "a,label\n1,no\n")
    with pytest.raises(InputError, match="ZIP archive: unpack it"):
        read_table(tmp_path / "z.zip", "label")
    whole = workbook(tmp_path).read_bytes()
    for broken in (whole[:-40], whole[:600] + whole[-900:]):
        with pytest.raises(InputError, match=r"broken workbook|ZIP archive|no text|not utf-8|NUL"):
            read_table(write(broken, "b.xlsx"), "label")
    for name, data in (("b.sav", b"$FL2@(#) nothing"), ("b.dta", b"<stata_dta><header>")):
        pytest.importorskip("pyreadstat")
        with pytest.raises(InputError, match=r"broken \.(sav|dta) file"):
            read_table(write(data, name), "label")
    with pytest.raises(InputError, match=r"the query 'SELECT \* FROM t' fails"):
        read_table(
            write(b"SQLite format 3\0" + b"\1" * 200, "b.db"), "label", query="SELECT * FROM t"
        )


@pytest.mark.parametrize(("package", "way", "extra"), [
    ("openpyxl", "xlsx", "xlsx"), ("pyreadstat", "sav", "stat"), ("duckdb", "duckdb", "duckdb"),
])  # fmt: skip
def test_a_package_that_is_absent_is_named_with_its_extra(
    tmp_path, monkeypatch, package, way, extra
):
    make, options = WAYS[way]
    path = make(tmp_path)
    usual = builtins.__import__
    import importlib

    def without(name, *more):
        if name == package:
            raise ImportError(name)
        return usual(name) if not more else usual(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(InputError, match=rf"{package}, .*pip install 'separatrix\[{extra}\]'"):
        read_table(path, "label", **options)


def test_values_of_one_column_have_one_type():
    day = datetime.date(2025, 8, 31)
    for column, kind, cells in (
        ([1, None, 2], "int64", [1, None, 2]),
        ([1, 2.5, float("nan")], "double", [1.0, 2.5, None]),
        ([True, None], "bool", [True, None]),
        ([day, None], "date32[day]", [day, None]),
        ([1, "x", 2.0, True, day], "string", ["1", "x", "2", "true", "2025-08-31"]),
        ([None, None], "string", [None, None]),
        ([2**70, 1], "string", [str(2**70), "1"]),
    ):
        made = cells_of("c", column)
        assert (str(made.type), made.to_pylist()) == (kind, cells)
    with pytest.raises(InputError, match="'c' holds bytes values"):
        cells_of("c", [b"1", "x"])


def test_parquet_types(tmp_path):
    path = parquet(
        tmp_path / "t.parquet",
        i=pa.array([1, 2, 3], pa.int8()),
        f=pa.array([0.1, 0.2, 0.3], pa.float32()),
        d=pa.array([Decimal("0.1"), Decimal("2.5"), Decimal("-3.3")], pa.decimal128(20, 4)),
        s=["1.5", "2.5", "3"],
        b=[True, False, True],
        c=pa.array(["7", "8", "7"]).dictionary_encode(),
        label=[0, 1, 1],
    )
    table = read_table(path, "label")
    assert values(table, "d") == [0.1, 2.5, -3.3]
    assert values(table, "f") == [float(np.float32(v)) for v in (0.1, 0.2, 0.3)]
    assert values(table, "s") == [1.5, 2.5, 3]
    assert values(table, "b") == ["true", "false", "true"]
    assert values(table, "c") == ["7", "8", "7"]
    assert (table.no, table.yes) == ("0", "1")
    encoding = fit_encoding(table.columns, "drop")
    rows = read_rows(path, encoding, known_extra=["label"])
    assert np.array_equal(
        encoding.encode(rows.columns, rows.lines, rows.line_word),
        encoding.encode(table.columns, table.lines),
    )


def test_parquet_that_cannot_be_used(tmp_path, write):
    path = parquet(tmp_path / "n.parquet", a=[[1], [2]], b=[1, 2], label=["no", "yes"])
    with pytest.raises(InputError, match=r"'a' holds 'list.*neither numbers nor text.*drop="):
        read_table(path, "label")
    path = parquet(tmp_path / "i.parquet", a=[1.0, float("inf")], label=["no", "yes"])
    with pytest.raises(InputError, match="row 2, column 'a': 'inf' is infinite"):
        read_table(path, "label")
    whole = path.read_bytes()
    for broken in (whole[:-20], b"PAR1", b"PAR1" + b"\0" * 40 + b"PAR1", whole[:60] + whole[90:]):
        with pytest.raises(InputError, match="broken Parquet file"):
            read_table(write(broken, "b.parquet"), "label")
    with pytest.raises(InputError, match="not a Parquet file"):
        read_table(write(PLAIN), "label", format="parquet")
    with pytest.raises(InputError, match="format must be csv or parquet or svmlight"):
        read_table(write(PLAIN), "label", format="xml")
    path = parquet(tmp_path / "e.parquet", a=pa.array([], pa.int64()))
    with pytest.raises(InputError, match="no rows"):
        read_table(path, "a")
