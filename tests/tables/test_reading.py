"""Files in: the rows of the input table that concern files, laws of reading, public tables."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import threading
import warnings
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from separatrix.data import InputError, SeparatrixWarning
from separatrix.tables import (
    MISSING_TOKENS,
    CategoryColumn,
    CategoryEncoding,
    Encoding,
    NumberColumn,
    NumberEncoding,
    fit_encoding,
    read_rows,
    read_table,
    scan,
    take,
)
from separatrix.tables.cells import what_is
from separatrix.tables.source import Source, refuse_changed
from tests.shared_data import DATA, manifest, needs_shared

SLOW_DISK = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file and return its path."""

    def put(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def values(table, name):
    column = next(c for c in table.columns if c.name == name)
    if isinstance(column, NumberColumn):
        return column.values.tolist()
    return [column.levels[k] if k >= 0 else None for k in column.codes]


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


PLAIN = "age,income,label\n20,1.5,no\n30,2.5,yes\n40,3.5,yes\n"


# ---------------------------------------------------------------------- the plain case


def test_a_plain_table(write):
    table = read_table(write(PLAIN), "label")
    assert values(table, "age") == [20, 30, 40]
    assert (table.no, table.yes, table.y.tolist()) == ("no", "yes", [-1, 1, 1])
    assert table.lines.tolist() == [2, 3, 4]
    assert (table.name, table.format, table.line_word) == ("t.csv", "csv", "line")
    assert (table.n_rows_in_file, table.n_dropped, table.missing) == (3, 0, "drop")
    assert table.weight is None
    assert table.group is None
    assert table.dialect == scan.Dialect(",", "utf-8", True, '"', ".")
    assert table.extra == ("label",)


def test_the_digest_is_of_the_bytes(write):
    import hashlib

    table = read_table(write(PLAIN), "label")
    assert table.sha256 == hashlib.sha256(PLAIN.encode()).hexdigest()


@needs_shared
@pytest.mark.parametrize(
    "entry",
    manifest(),
    ids=lambda entry: entry["name"],
)
def test_public_tables_have_the_manifests_counts(entry):
    ntu = entry["file"].startswith("ntu/")
    how = {"label": "last", "header": False} if ntu else {"label": "label"}
    table = read_table(DATA / entry["file"], **how)
    features = fit_encoding(table.columns, table.missing).encode(table.columns, table.lines)
    assert features.shape == (entry["n"], entry["d"])
    assert features.flags.c_contiguous
    assert int((table.y > 0).sum()) == entry["n_yes"]
    assert table.sha256 == entry["sha256"]
    assert table.n_rows_in_file == (entry["n_rows_in_file"] or entry["n"])
    categories = [c.name for c in table.columns if isinstance(c, CategoryColumn)]
    assert categories == entry["categorical"]
    assert not np.isnan(features).any()


# ---------------------------------------------------------------------- labels (traps 3 to 9, 42)


def test_trap_03_missing_label(write):
    path = write("a,label\n1,no\n2,yes\n3,\n4,NA\n")
    with pytest.raises(InputError, match=r"line 4.*'label'.*2 rows of 4.*--unlabelled drop"):
        read_table(path, "label")
    table = read_table(path, "label", unlabelled="drop")
    assert table.y.tolist() == [-1, 1]
    assert any("2 rows of 4 left out" in note for note in table.notes)
    assert table.n_dropped == 0
    both = read_table(write("a,label\n0,\n1,no\n,no\n,\n2,yes\n"), "label", unlabelled="drop")
    assert (both.lines.tolist(), both.n_dropped, both.n_rows_in_file) == ([3, 6], 1, 5)


def test_trap_04_one_class_only(write):
    with pytest.raises(InputError, match=r"one label only, 'yes'"):
        read_table(write("a,label\n1,yes\n2,yes\n"), "label")
    with pytest.raises(InputError, match=r"one label only, 'yes'.*rows of 'no' lack a value"):
        read_table(write("a,label\n1,yes\n2,yes\n?,no\n"), "label")


def test_trap_05_three_labels(write):
    path = write("a,label\n1,x\n2,y\n3,z\n4,z\n")
    with pytest.raises(InputError, match=r"3 labels: 'x' \(1 rows\).*'z' \(2 rows\).*--yes VALUE"):
        read_table(path, "label")
    table = read_table(path, "label", "z")
    assert (table.no, table.yes, table.y.tolist()) == ("not z", "z", [-1, -1, 1, 1])


def test_yes_that_is_no_label(write):
    with pytest.raises(InputError, match=r"--yes 'maybe'.*'no', 'yes'"):
        read_table(write(PLAIN), "label", "maybe")


def test_yes_may_be_the_first_label(write):
    table = read_table(write(PLAIN), "label", "no")
    assert (table.no, table.yes, table.y.tolist()) == ("yes", "no", [1, -1, -1])


@pytest.mark.parametrize("other", [" yes", "Yes", "yes "])
def test_trap_06_labels_that_look_alike(write, other):
    path = write(f"a,label\n1,no\n2,yes\n3,{other}\n")
    with pytest.raises(InputError, match=r"differ only in case or blanks.*--fold-labels"):
        read_table(path, "label")
    assert read_table(path, "label", "YES", fold_labels=True).y.tolist() == [-1, 1, 1]


def test_labels_are_kept_as_written(write):
    table = read_table(write("a, label\n1, no\n2, yes\n"), "label", "yes")
    assert (table.label, table.no, table.yes) == (" label", " no", " yes")


@pytest.mark.parametrize(
    ("labels", "no", "yes"),
    [
        (["0", "1"], "0", "1"),
        (["-1", "1"], "-1", "1"),
        (["10", "9"], "9", "10"),  # by value, not by text
        (["1.0", "2.50"], "1", "2.5"),
        (["false", "true"], "false", "true"),
        (["b", "a"], "a", "b"),
        (["-", "+"], "+", "-"),
    ],
)
def test_trap_08_any_two_labels(write, labels, no, yes):
    path = write("a,label\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels * 3)))
    table = read_table(path, "label")
    assert (table.no, table.yes) == (no, yes)


def test_trap_07_numbers_that_are_equal_are_one_label(write):
    table = read_table(write("a,label\n1,1\n2,1.0\n3,0\n4,0e0\n5,+1\n"), "label", "1.00")
    assert (table.no, table.yes, table.y.tolist()) == ("0", "1", [1, 1, -1, -1, 1])


def test_long_integer_labels_stay_apart(write):
    table = read_table(write("a,label\n1,9007199254740992\n2,9007199254740993\n"), "label")
    assert table.y.tolist() == [-1, 1]


def test_trap_09_a_continuous_label(write):
    rows = "".join(f"{k},{k / 7}\n" for k in range(40))
    with pytest.raises(InputError, match=r"continuous.*measurements"):
        read_table(write("a,label\n" + rows), "label")


@pytest.mark.parametrize("token", MISSING_TOKENS)
def test_trap_42_a_missing_token_as_label(write, token):
    with pytest.raises(InputError, match="never guessed"):
        read_table(write(f"a,label\n1,x\n2,{token}\n"), "label")


# ---------------------------------------------------------------------- values


@pytest.mark.parametrize("token", MISSING_TOKENS)
def test_trap_01_missing_values_are_dropped_or_filled(write, token):
    path = write(f"a,b,label\n1,u,no\n {token} ,u,yes\n3,{token},yes\n5,v,yes\n")
    table = read_table(path, "label")
    assert values(table, "a") == [1, 5]
    assert table.n_dropped == 2
    assert table.lines.tolist() == [2, 5]
    assert any(
        "2 rows of 4" in n and "'a' (1), 'b' (1)" in n and "--missing fill" in n
        for n in table.notes
    )
    table = read_table(path, "label", missing="fill")
    assert table.n_dropped == 0
    encoding = fit_encoding(table.columns, "fill")
    assert encoding.columns == (NumberEncoding("a", 3.0), CategoryEncoding("b", ("u", "v"), "u"))
    filled = encoding.encode(table.columns, table.lines)
    assert filled.tolist() == [[1, 0], [3, 0], [3, 0], [5, 1]]


def test_trap_01_every_row_would_be_dropped(write):
    with pytest.raises(InputError, match=r"every row.*'a' \(1\), 'b' \(1\).*--missing fill"):
        read_table(write("a,b,label\n1,,no\n,2,yes\n"), "label")
    with pytest.raises(InputError, match=r"'a' has no value in any row.*--drop 'a'"):
        read_table(write("a,b,label\n,1,no\nNA,2,yes\n"), "label")


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e999", "INF"])
def test_trap_02_infinity(write, text):
    with pytest.raises(InputError, match=rf"line 3, column 'a': '{text}' is infinite.*--drop"):
        read_table(write(f"a,label\n1,no\n{text},yes\n"), "label")


def test_trap_14_16_no_rows_no_columns(write):
    with pytest.raises(InputError, match="no feature column left"):
        read_table(write("label\nno\nyes\n"), "label")
    with pytest.raises(InputError, match="one label only"):
        read_table(write("a,label\n1,no\n"), "label")


def test_trap_20_integers_above_2_to_53(write, tmp_path):
    path = write("id,label\n1,no\n9007199254740993,yes\n9007199254740992,yes\n")
    with pytest.warns(SeparatrixWarning, match="line 3, column 'id'.*9007199254740993.*2\\^53"):
        table = read_table(path, "label")
    assert any("9007199254740993" in note for note in table.notes)
    path = parquet(tmp_path / "t.parquet", id=[1, 2**53 + 1], label=["no", "yes"])
    with pytest.warns(SeparatrixWarning, match="row 2, column 'id'"):
        read_table(path, "label")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(write("id,label\n1,no\n9007199254740994,yes\n1e300,yes\n"), "label")


def test_trap_22_23_text_among_numbers(write):
    rows = "".join(f"{k},no\n" for k in range(9))
    message = r"line 11, column 'a': 'abc' is not a number.*9 values of 10.*--text 'a'.*--drop 'a'"
    path = write("a,label\n" + rows + "abc,yes\n")
    with pytest.raises(InputError, match=message):
        read_table(path, "label")
    table = read_table(path, "label", text=["a"])
    assert isinstance(table.columns[0], CategoryColumn)
    assert table.columns[0].levels[-1] == "abc"


@pytest.mark.parametrize("bad", ["1_000", "٣", "0x10", "1e", "--1", "1 2", "1d5", "-nan", "1.2.3"])
def test_trap_23_text_that_python_or_arrow_might_take_for_a_number(write, bad):
    with pytest.raises(InputError, match="line 2, column 'a'"):
        read_table(write(f"a,label\n{bad},no\n1,yes\n"), "label")


@pytest.mark.parametrize("text", ["1_000", "٣", "0x10", "1d5", "1 000"])
def test_trap_23_a_whole_column_of_such_text(write, text):
    with pytest.raises(InputError, match="line 2, column 'a'"):
        read_table(write(f"a,label\n{text},no\n{text},yes\n"), "label")


@pytest.mark.parametrize(
    "text",
    ["2020-01-31", "2020-01-31T10:00", "31/01/2020", "1.2.2020", "12:30", "3 Jan 2020",
     "January 3, 2020", "2020-01"],
)  # fmt: skip
def test_trap_24_25_dates(write, text):
    path = write(f'a;label\n"{text}";no\n"{text}";yes\n')
    with pytest.raises(InputError, match=r"line 2, column 'a'.*date or a time.*--text 'a'.*--drop"):
        read_table(path, "label")


def test_trap_24_25_dates_in_parquet(tmp_path):
    days = [date(2020, 1, 1), date(2020, 1, 2)]
    path = parquet(tmp_path / "t.parquet", day=days, a=[1, 2], label=["no", "yes"])
    with pytest.raises(InputError, match=r"'day' holds dates.*--drop 'day'"):
        read_table(path, "label")
    assert read_table(path, "label", drop=["day"]).columns[0].name == "a"


def test_trap_26_categories_are_one_hot_and_said(write):
    path = write("c,f,label\n 1st,t,no\n2nd ,f,yes\n3rd,t,yes\n1st,true,no\n")
    table = read_table(path, "label")
    assert values(table, "c") == ["1st", "2nd", "3rd", "1st"]
    encoding = fit_encoding(table.columns, "drop")
    assert encoding.feature_names == ("c=2nd", "c=3rd", "f=t", "f=true")
    assert any("Read as categories: 'c' (3 levels)" in note for note in table.notes)


def test_a_column_with_a_level_for_nearly_every_row_is_said_or_refused(write):
    label = ["no", "yes"] * 600
    few = "".join(f"k{k},{label[k]}\n" for k in range(60))
    with pytest.warns(SeparatrixWarning, match=r"'id'.*60 different.*by heart.*--drop 'id'"):
        table = read_table(write("id,label\n" + few), "label")
    assert any("nearly every row has its own" in note for note in table.notes)
    many = "".join(f"k{k},{label[k]}\n" for k in range(1001))
    with pytest.raises(InputError, match=r"1,001 different values.*--drop 'id'"):
        read_table(write("id,label\n" + many), "label")


@pytest.mark.parametrize("frame", [pd, pl])
def test_trap_27_tables_written_by_pandas_and_polars(tmp_path, frame):
    columns = {
        "a": [1, None, 3, 4, 5],
        "b": [True, False, None, True, False],
        "c": ["u", "v", "v", None, "u"],
        "e": [0.5, 1.5, 2.5, float("nan"), 4.5],
        "label": ["no", "yes", "yes", "no", "yes"],
    }
    path = tmp_path / "t.parquet"
    if frame is pd:
        pd.DataFrame(columns).astype({"a": "Int64", "b": "boolean", "c": "category"}).to_parquet(
            path
        )
    else:
        pl.DataFrame(columns).with_columns(pl.col("c").cast(pl.Categorical)).write_parquet(path)
    table = read_table(path, "label", missing="fill")
    assert (table.format, table.line_word, table.lines.tolist()) == (
        "parquet",
        "row",
        [1, 2, 3, 4, 5],
    )
    assert np.isnan(values(table, "a")[1])
    assert values(table, "b") == ["true", "false", None, "true", "false"]
    assert values(table, "c") == ["u", "v", "v", None, "u"]
    assert np.isnan(values(table, "e")[3])
    assert read_table(path, "label").lines.tolist() == [1, 5]


# ---------------------------------------------------------------------- prediction (trap 35)

ENCODING = Encoding((NumberEncoding("age", None), CategoryEncoding("c", ("u", "v"), None)))


def test_trap_35_rows_to_predict(write):
    rows = read_rows(write("age,c\n1,u\n2,v\n"), ENCODING)
    assert ENCODING.encode(rows.columns, rows.lines).tolist() == [[1, 0], [2, 1]]
    assert (rows.n_rows, rows.lines.tolist(), rows.line_word) == (2, [2, 3], "line")
    known = read_rows(write("age,c,label\n1,u,\n2,v,no\n"), ENCODING, known_extra=["label"])
    assert [c.name for c in known.columns] == ["age", "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("age,d\n1,u\n", r"lacks columns.*'c'; it has 'd' instead"),
        ("age,c,more\n1,u,2\n", r"not trained on: 'more'.*--match-names"),
        ("c,age\nu,1\n", r"another order \('c', 'age'\).*\('age', 'c'\).*--match-names"),
    ],
)
def test_trap_35_other_columns(write, content, message):
    path = write(content)
    with pytest.raises(InputError, match=message):
        read_rows(path, ENCODING)


def test_trap_35_match_names(write):
    rows = read_rows(write("more,c,age\n7,u,1\n7,v,2\n"), ENCODING, match_names=True)
    assert ENCODING.encode(rows.columns, rows.lines).tolist() == [[1, 0], [2, 1]]
    assert any("'more'" in note for note in rows.notes)
    with pytest.raises(InputError, match="lacks columns"):
        read_rows(write("more,age\n7,1\n"), ENCODING, match_names=True)


def test_rows_keep_every_row_and_the_training_kinds(write):
    encoding = Encoding((NumberEncoding("a", 9.0), CategoryEncoding("c", ("01", "1"), "1")))
    rows = read_rows(write("a,c\n1,01\n?,1\n3,?\n"), encoding)
    assert isinstance(rows.columns[1], CategoryColumn)  # although it looks like numbers
    assert encoding.encode(rows.columns, rows.lines).tolist() == [[1, 0], [9, 1], [3, 1]]
    with pytest.raises(InputError, match="line 3, column 'a': 'x' is not a number"):
        read_rows(write("a,c\n1,01\nx,1\n"), encoding)


# ---------------------------------------------------------------------- files (traps 36 to 50)


@pytest.mark.parametrize("content", ["", "\n\n  \n", b"\xef\xbb\xbf"])
def test_trap_36_empty(write, content):
    with pytest.raises(InputError, match=r"t.csv is empty"):
        read_table(write(content), "label")


def test_trap_36_header_only(write):
    with pytest.raises(InputError, match="header line and no rows"):
        read_table(write("a,label\n"), "label")


def test_trap_36_label_column_absent(write):
    with pytest.raises(InputError, match=r"no column 'lable' \(--label\).*'label'"):
        read_table(write(PLAIN), "lable")
    with pytest.raises(InputError, match=r"--label NAME.*'age', 'income', 'label'"):
        read_table(write(PLAIN))
    for option, name in (("drop", ["incme"]), ("weight", "incme"), ("group", "incme"),
                         ("text", ["incme"])):  # fmt: skip
        with pytest.raises(InputError, match=rf"'incme' \(--{option}\).*'income'"):
            read_table(write(PLAIN), "label", **{option: name})


def test_trap_37_ragged_rows(write):
    path = write('a,b,label\n1,"two\nlines",no\n3,4\n5,6,yes\n')
    with pytest.raises(InputError, match=r"t.csv, line 4: 2 fields where the first line has 3"):
        read_table(path, "label")
    rows = "".join(f"{k},{k},no\n" for k in range(99_000))  # large enough for the other reader
    with pytest.raises(InputError, match=r"line 99002: 4 fields"):
        read_table(write("a,b,label\n" + rows + "1,2,3,yes\n"), "label")


def test_trap_38_duplicate_names(write, tmp_path):
    with pytest.raises(InputError, match=r"2 columns are called 'a' \(columns 1 and 3\)"):
        read_table(write("a,b,a,label\n1,2,3,no\n"), "label")
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="called 'a'"):
        read_table(tmp_path / "t.parquet", "a")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_trap_39_byte_order_marks(write, codec):
    path = write("größe,label\n1,ja\n2,nein\n".encode(codec))
    table = read_table(path, "label")
    assert [c.name for c in table.columns] == ["größe"]
    assert table.dialect.encoding == codec
    assert read_table(path, "label", encoding=codec).yes == "nein"
    if codec == "utf-8-sig":  # the mark is no part of a name, told or not
        assert read_table(path, "größe", encoding="utf-8").label == "größe"


def test_trap_39_latin_1(write):
    path = write("a,label\n1,été\n2,no\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"line 2: byte 10 \(0xe9\) is not utf-8.*--encoding"):
        read_table(path, "label")
    assert read_table(path, "label", encoding="latin-1").yes == "été"


def test_trap_39_nul_bytes(write):
    with pytest.raises(InputError, match=r"byte 8 is NUL.*--encoding utf-16-le"):
        read_table(write(b"a,label\n\x001,no\n"), "label")
    path = write(PLAIN.encode("utf-16-le"))
    assert read_table(path, "label", encoding="utf-16-le").y.tolist() == [-1, 1, 1]
    with pytest.raises(InputError, match="byte 18 is NUL"):
        read_table(write("a,label\n1\0,no\n".encode("utf-16-be")), "label", encoding="utf-16-be")


@pytest.mark.parametrize("codec", ["klingon", "zip", "rot13", "utf-7"])
def test_trap_39_encodings_that_do_not_help(write, codec):
    with pytest.raises(InputError, match=r"encoding|utf-7"):
        read_table(write(b"a,label\n+A,no\n\xff"), "label", encoding=codec)


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("1,5", "--decimal ,"),
        ("1,000", "--decimal ,"),
        ("1.000,5", "--decimal ,"),
        ("12%", "per cent"),
        ("$5", "currency"),
        ("€ 5", "currency"),
        ("1,000,000", "thousands"),
        ("(5)", "currency"),
    ],
)
def test_trap_40_number_like_text(write, text, way_out):
    for content in (f'a;label\n"{text}";no\n"{text}";yes\n', f'a;label\n1;no\n"{text}";yes\n'):
        with pytest.raises(InputError, match=r"column 'a'.*--text 'a'") as caught:
            read_table(write(content), "label")
        assert way_out in str(caught.value)
        table = read_table(write(content), "label", text=["a"])
        assert text in table.columns[0].levels


def test_trap_70_all_columns_that_cannot_be_read_are_named_at_once(write):
    cells = "€ 1.730,50;3,64 %;1'000;(12);31.08.2025;2025-08-31T10:00Z;1;;no\n"
    head = "price;rate;big;paren;day;at;good;empty;label\n"
    path = write(head + cells + cells.replace(";no", ";yes"))
    with pytest.raises(InputError) as caught:
        read_table(path, "label")
    said = str(caught.value)
    assert "7 columns cannot be read" in said
    for name, text in {"price": "€ 1.730,50", "rate": "3,64 %", "big": "1'000", "paren": "(12)",
                       "day": "31.08.2025", "at": "2025-08-31T10:00Z"}.items():  # fmt: skip
        assert f"'{name}' (line 2: {text!r})" in said
    assert "'empty' has no value in any row" in said
    assert said.count("currency") == said.count("date or a time") == 1
    assert "--text COLUMN" in said
    assert "--drop COLUMN" in said
    assert "good" not in said
    names = ["price", "rate", "big", "paren", "day", "at", "empty"]
    assert read_table(path, "label", drop=names).columns[0].name == "good"
    with pytest.raises(InputError, match=r"^t.csv, line 2, column 'at': .*--text 'at'"):
        read_table(path, "label", drop=names[:5] + names[6:])


def test_trap_40_a_comma_in_money_is_not_the_decimal_marks_fault(write):
    with pytest.raises(InputError) as caught:
        read_table(write("a;label\n€ 1,50;no\n€ 2,50;yes\n"), "label")
    assert "--decimal" not in str(caught.value)  # it would not read this either


def suspected(path, **options):
    """The warnings of a table that is read all the same, each also a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(path, "label", **options)
    said = [str(w.message) for w in caught]
    assert set(said) <= set(table.notes)
    return said


def test_trap_69_levels_that_differ_in_case(write):
    path = write("f,g,label\nyes,a,no\nYes,b,yes\nY ,c,no\nNO,a,yes\nY,b,no\nno,c,yes\n")
    (said,) = suspected(path)
    assert "'f' has levels that differ in case only" in said
    assert "'NO' and 'no'" in said
    assert "'Yes' and 'yes'" in said
    assert "--fold-labels folds labels, not features" in said
    assert suspected(path, drop=["f"]) == []


def column_of(write, name, values):
    rows = "".join(f"{v},{k % 7 / 7!r},{'yes' if k % 3 else 'no'}\n" for k, v in enumerate(values))
    return write(f"{name},x,label\n{rows}")


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("a", ["01234", "99999", "10115"], "5 digits, and some begin with 0"),
        ("zip", [10115 + 37 * k % 8000 for k in range(12)], "its name, and all values have 5"),
        ("PLZ", [1011, 1230, 1011], "4 digits"),
        ("homePhone", [4930123456, 493012345678, 4930123456], "7 digits or more"),
        ("patient_id", range(7, 47), "no value twice"),
        ("customerId", [k * k for k in range(30)], "no value twice"),
        ("a", [10**9 + 7919 * k for k in range(30)], "whole numbers of 10 digits, none twice"),
        ("", range(30), "rows are numbered"),
    ],
)
def test_trap_71_codes_read_as_numbers_are_suspected(write, name, values, why):
    path = column_of(write, name, values)
    name = name or "column 1"
    (said,) = suspected(path)
    assert f"Column {name!r} looks like a code" in said
    assert why in said
    assert f"--text {name!r}" in said
    assert suspected(path, drop=[name]) == suspected(path, text=[name])[1:] == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", [34, 51, 28]),
        ("grams", [2500 + 13 * k for k in range(40)]),  # no value twice, and no name of a code
        ("zip", [1.5, 2.5, 3.5]),
        ("id", [1, 2, 3, 4]),  # few rows
        ("id", [1, 2] * 20),  # values that recur
        ("width", range(30)),
        ("idle", [k * k for k in range(30)]),
        ("month", ["01", "02", "12"]),
        ("phone", [0, 1, 1]),
        ("debt", [-123456789012 - k for k in range(30)]),
        ("zipped", [12345, 12346, 12347]),
    ],
)
def test_trap_71_numbers_that_are_amounts_are_not(write, name, values):
    assert suspected(column_of(write, name, values)) == []


def test_trap_71_identifiers_in_parquet(tmp_path):
    path = parquet(
        tmp_path / "t.parquet", id=list(range(30)), x=[k % 5 for k in range(30)],
        label=["no", "yes"] * 15,
    )  # fmt: skip
    (said,) = suspected(path)
    assert "Column 'id' looks like a code" in said


@needs_shared
def test_trap_71_no_public_table_has_suspicious_columns_but_post_codes():
    for entry in manifest():
        if entry["file"].endswith(".csv"):
            said = suspected(DATA / entry["file"])
            assert len(said) == (entry["name"] == "crx_raw"), said  # A14


def test_trap_72_free_text_is_suspected(write):
    values = [f"comment {k if k < 314 else 7 * k % 314}" for k in range(400)]
    (said,) = suspected(column_of(write, "remark", values))
    assert "'remark' is text with 314 different values in 400 rows" in said
    assert "separable for that reason alone" in said
    assert suspected(column_of(write, "town", [f"t{k % 150}" for k in range(400)])) == []


def test_trap_40_decimal_comma(write):
    path = write("a;b;label\n1,5;2;no\n-2,25e1;;yes\n 3 ;4;yes\n")
    table = read_table(path, "label", decimal=",", missing="fill")
    assert values(table, "a") == [1.5, -22.5, 3.0]
    assert table.dialect.delimiter == ";"
    with pytest.raises(InputError, match=r"line 3, column 'a': '1.5'"):
        read_table(write("a;label\n1,5;no\n1.5;yes\n"), "label", decimal=",")
    with pytest.raises(InputError, match="both the delimiter and the decimal mark"):
        read_table(write("a,label\n1,no\n2,yes\n"), "label", decimal=",")


@pytest.mark.parametrize(("delimiter", "name"), [(",", ","), (";", ";"), ("\t", "tab"), ("|", "|")])
def test_trap_40_delimiters_are_found_or_told(write, delimiter, name):
    path = write(PLAIN.replace(",", delimiter))
    assert values(read_table(path, "label"), "income") == [1.5, 2.5, 3.5]
    assert values(read_table(path, "label", delimiter=name), "income") == [1.5, 2.5, 3.5]


def test_whitespace_is_found_or_told(write):
    path = write(" 1.5 2\t-1\n3  4 \t1\n\n5 6 1 \n")
    for delimiter in (None, "whitespace"):
        table = read_table(path, "last", header=False, delimiter=delimiter)
        assert values(table, "column 1") == [1.5, 3, 5]
        assert table.lines.tolist() == [1, 2, 4]
        assert table.dialect.delimiter == "whitespace"
    named = read_table(write("a b label\n1 'x' no\n2 \"y z\" yes\n"), "label")
    assert values(named, "b") == ["'x'", "y z"]


def test_tabs_win_over_blanks_in_text(write):
    table = read_table(write("first name\tlabel\nAnn Lee\tno\nBo Day\tyes\n"), "label")
    assert table.columns[0].levels == ("Ann Lee", "Bo Day")


def test_two_possible_delimiters_are_asked_about(write):
    path = write("1,5;2,5;0\n3,5;4,5;1\n")
    with pytest.raises(InputError, match="--delimiter"):
        read_table(path, "last", header=False)
    table = read_table(path, "last", header=False, delimiter=";", decimal=",")
    assert values(table, "column 2") == [2.5, 4.5]


@pytest.mark.parametrize("delimiter", ["", ",,", "\n", '"'])
def test_impossible_delimiters(write, delimiter):
    with pytest.raises(InputError, match="--delimiter must be one character"):
        read_table(write(PLAIN), "label", delimiter=delimiter)


def test_trap_41_quoted_newlines(write):
    path = write('a,c,label\n1,"x\r\n""y"", z",no\n\n2,"u",yes\n3,"u",yes\n')
    table = read_table(path, "label")
    assert values(table, "c")[0] == 'x\r\n"y", z'
    assert table.lines.tolist() == [2, 5, 6]


def test_trap_41_a_field_of_200_kb(write):
    long = "x" * 200_000
    with pytest.raises(InputError, match="line 3: a field is longer than 131,072"):
        read_table(write(f"a,label\n1,no\n{long},yes\n"), "label")
    rows = "".join(f"{k},no\n" for k in range(80_000))
    with pytest.raises(InputError, match="line 80002: a field is longer than 131,072"):
        read_table(write(f"a,label\n{rows}{long},yes\n"), "label")


def test_an_unterminated_quote(write):
    with pytest.raises(InputError, match=r"line 3: a quote is opened.*--quote"):
        read_table(write('a,label\n1,no\n"2,yes\n3,no\n'), "label")
    with pytest.raises(InputError, match="line 2: a closing quote is followed"):
        read_table(write('a,label\n"x"y,no\nz,yes\n'), "label")
    table = read_table(write('a,label\n"x"y,no\nz",yes\n'), "label", quote="")
    assert table.columns[0].levels == ('"x"y', 'z"')


def test_trap_43_more_rows_than_memory(write):
    path = write("1 1:1\n-1 10000000:1\n" * 40_000)
    with pytest.raises(InputError, match=r"80,000 rows and 10,000,000 columns needs .* available"):
        read_table(path)


@pytest.mark.parametrize(
    "name",
    ["__proto__", "<script>alert(1)</script>", "=cmd()", "😀", "\u202eabc", "x" * 10_240, "a\tb",
     "a,b", "a\nb", "constructor"],
)  # fmt: skip
def test_trap_44_hostile_names(write, name):
    quoted = '"' + name + '"'
    table = read_table(write(f"{quoted};label\nx;no\ny;yes\n"), "label", delimiter=";")
    assert table.columns[0].name == name
    with pytest.raises(InputError) as caught:
        read_table(write(f"{quoted};label\n1;no\ny;yes\n"), "label", delimiter=";")
    message = str(caught.value)
    assert len(message) < 700
    assert message.isprintable() or "😀" in message
    assert "\u202e" not in message
    assert "\n" not in message


def test_nameless_columns_get_a_name(write):
    table = read_table(write(",a,label\n0,1,no\n1,2,yes\n"), "label", drop=["column 1"])
    assert [c.name for c in table.columns] == ["a"]
    assert any("'column 1'" in note for note in table.notes)


@pytest.mark.parametrize(
    "content",
    [
        "\n\na,label\n1,no\n2,yes\n\n \n",
        "\r\n\r\na,label\r\n1,no\r\n2,yes",
        "\n\na,label\n1,no\r\n2,yes\n",
        "\r\ra,label\r1,no\r2,yes\r",
    ],
)
def test_trap_45_blank_lines_and_line_ends(write, content):
    table = read_table(write(content), "label")
    assert values(table, "a") == [1, 2]
    assert table.lines.tolist() == [4, 5]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["1", "-2", "1"], r"line 3, column 'w': the weight is negative \(-2.0\)"),
        (["1", "nan", "1"], "line 3, column 'w': the weight is missing"),
        (["0", "0", "0"], "zero in every row"),
        (["1", "inf", "1"], "line 3, column 'w': 'inf' is infinite"),
        (["1", "x", "1"], "line 3, column 'w': 'x' is not a number"),
        (["true", "false", "true"], "line 2, column 'w': 'true' is not a number"),
    ],
)
def test_trap_46_weights(write, weights, message):
    rows = zip("123", weights, ["no", "yes", "yes"], strict=True)
    path = write("a,w,label\n" + "".join(",".join(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=message):
        read_table(path, "label", weight="w")


def test_weights_and_groups_follow_the_kept_rows(write):
    path = write("a,w,g,label\n1,2,p,no\n?,3,q,yes\n3,4.5,q,yes\n4,0,p,no\n")
    table = read_table(path, "label", weight="w", group="g")
    assert [c.name for c in table.columns] == ["a"]
    assert table.weight.tolist() == [2, 4.5, 0]
    first, second, third = table.group.tolist()
    assert first == third != second
    assert table.group.dtype == np.int64
    assert table.extra == ("label", "w", "g")
    with pytest.raises(InputError, match="line 3, column 'g': the group is missing"):
        read_table(write("a,g,label\n1,p,no\n2,,yes\n"), "label", group="g")
    with pytest.raises(InputError, match="'g' cannot be two"):
        read_table(path, "label", group="g", drop=["g"])


def test_trap_47_the_file_changes_while_it_is_read(write):
    path = write(PLAIN)
    before = path.stat()
    with path.open("a") as file:
        file.write("50,4.5,no\n")
    with pytest.raises(InputError, match=r"changed while it was read.*copy it first"):
        refuse_changed("t.csv", before, path.stat(), before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    after = path.stat()
    with pytest.raises(InputError, match="changed"):  # a byte more than the size that was told
        refuse_changed("t.csv", after, after, after.st_size + 1)
    refuse_changed("t.csv", after, after, after.st_size)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_trap_47_a_file_that_is_longer_than_it_says():
    with pytest.raises(InputError, match="changed while it was read"):
        read_table("/proc/self/status", "label")


def test_trap_48_a_directory_a_fifo_a_device(tmp_path):
    with pytest.raises(InputError, match="is a directory, not a regular file"):
        read_table(tmp_path, "label")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(InputError, match="is a FIFO"):
        read_table(fifo, "label")
    with pytest.raises(InputError, match="is a device"):
        read_table("/dev/zero", "label")
    with pytest.raises(InputError, match=r"'absent.csv' cannot be read"):
        read_table(tmp_path / "absent.csv", "label")
    with pytest.raises(InputError, match="cannot be read"):
        read_table("a\0b", "label")


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"PK\x03\x04", b"ARROW1"])
def test_files_that_are_no_tables(write, start):
    with pytest.raises(InputError, match="is not a table: it is"):
        read_table(write(start + b"\0\0\0"), "label")


def test_stdin():
    code = (
        "from separatrix.tables import read_table\n"
        "t = read_table('-', 'label')\n"
        "print(t.name, t.y.tolist(), t.lines.tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=PLAIN.encode(), capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == "stdin [-1.0, 1.0, 1.0] [2, 3, 4]"


def test_trap_50_no_header(write):
    path = write("1,2,0\n3,4,1\n5,6,0\n")
    with pytest.raises(InputError, match=r"line 1: the first line holds numbers only.*--no-header"):
        read_table(path, "label")
    for label in ("3", "last", "column 3"):
        table = read_table(path, label, header=False)
        assert [c.name for c in table.columns] == ["column 1", "column 2"]
        assert table.lines.tolist() == [1, 2, 3]
    table = read_table(path, "0", header=True)
    assert table.y.size == 2
    with pytest.raises(InputError, match="mostly numbers"):
        read_table(write("1,2,no\n3,4,yes\n"), "no")
    years = read_table(write("name,2019,town,label\nx,1,p,no\ny,2,q,yes\n"), "label")
    assert any("--no-header" in note for note in years.notes)


# ---------------------------------------------------------------------- other formats


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
    with pytest.raises(InputError, match=r"'a' holds 'list.*neither numbers nor text.*--drop 'a'"):
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
    with pytest.raises(InputError, match="--format must be csv or parquet or svmlight"):
        read_table(write(PLAIN), "label", format="xml")
    path = parquet(tmp_path / "e.parquet", a=pa.array([], pa.int64()))
    with pytest.raises(InputError, match="no rows"):
        read_table(path, "a")


SPARSE = "# head\n+1 qid:1 1:0.5 3:-2 # why\n-1 qid:2\n\n-1 qid:2 2:1e1\n"


def test_svmlight(write):
    table = read_table(write(SPARSE, "t.svm"))
    assert (table.format, table.label, table.no, table.yes) == ("svmlight", "label", "-1", "1")
    assert [c.name for c in table.columns] == ["feature 1", "feature 2", "feature 3"]
    assert [c.values.tolist() for c in table.columns] == [[0.5, 0, 0], [0, 0, 10], [-2, 0, 0]]
    assert table.lines.tolist() == [2, 3, 5]
    a, b, c = table.group.tolist()
    assert a != b == c
    zero = read_table(write("1 0:1\n0 2:1\n"))
    assert [c.name for c in zero.columns] == ["feature 0", "feature 1", "feature 2"]
    assert [c.values.tolist() for c in zero.columns] == [[1, 0], [0, 0], [0, 1]]
    assert read_table(write("a 1:1\nb 1:2\n"), format="svmlight").yes == "b"


def test_svmlight_rows_lack_trailing_zeros(write):
    table = read_table(write(SPARSE, "t.svm"))
    encoding = fit_encoding(table.columns, "drop")
    rows = read_rows(write("0 2:7\n0\n", "p.svm"), encoding, known_extra=table.extra)
    assert encoding.encode(rows.columns, rows.lines).tolist() == [[0, 7, 0], [0, 0, 0]]
    with pytest.raises(InputError, match=r"not trained on: 'feature 4', 'feature 5'"):
        read_rows(write("0 5:7\n", "p.svm"), encoding, known_extra=table.extra)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2:3 1:1", "index 1 comes after 2"),
        ("1 2:3 2:1", "index 2 occurs twice"),
        ("1 2:inf", "'inf' .*not a finite number"),
        ("1 2:1e999", "not a finite number"),
        ("1 2:1_0", "not a finite number"),
        ("1 x:1", "'x:1' is not index:value"),
        ("1 2:", "is not index:value"),
        ("1 -2:1", "is not index:value"),
        ("1 " + "9" * 5000 + ":1", "above 10,000,000"),
        ("2:1", "the label is missing"),
    ],
)
def test_svmlight_errors_name_the_line(write, line, message):
    with pytest.raises(InputError, match=f"t.csv, line 2.*{message}"):
        read_table(write(f"1 1:1\n{line}\n"), format="svmlight")


def test_svmlight_some_groups(write):
    with pytest.raises(InputError, match="1 of 2 rows have a qid"):
        read_table(write("1 qid:1 1:1\n0 1:1\n"))


# ---------------------------------------------------------------------- columns and encodings

COLUMNS = (
    NumberColumn("a", np.array([1.0, np.nan, 3.0, 10.0])),
    CategoryColumn("c", np.array([2, 0, -1, 2], dtype=np.int32), ("u", "v", "w")),
)


def test_take_keeps_the_levels_that_occur():
    number, category = take(COLUMNS, np.array([3, 2, 0]))
    assert number.values.tolist() == [10, 3, 1]
    assert category.codes.tolist() == [0, -1, 0]
    assert category.codes.dtype == np.int32
    assert category.levels == ("w",)


def test_fit_encoding():
    filled = fit_encoding(COLUMNS, "fill")
    assert filled.columns == (NumberEncoding("a", 3.0), CategoryEncoding("c", ("u", "w"), "w"))
    assert filled.feature_names == ("a", "c=w")
    assert fit_encoding(COLUMNS, "drop").columns[0].fill is None
    with pytest.raises(InputError, match="--missing must be drop or fill"):
        fit_encoding(COLUMNS, "guess")


def test_encode_fills_and_refuses():
    lines = np.array([2, 3, 4, 5])
    filled = fit_encoding(COLUMNS, "fill").encode(COLUMNS, lines)
    assert filled.tolist() == [[1, 1], [3, 0], [3, 1], [10, 1]]
    strict = fit_encoding(COLUMNS, "drop")
    with pytest.raises(InputError, match=r"line 3, column 'a': the value is missing.*--missing"):
        strict.encode(COLUMNS, lines)
    rows = np.array([0, 3])
    fold = fit_encoding(take(COLUMNS, rows), "drop")
    unseen = take(COLUMNS, np.array([0, 1]))
    unseen = (NumberColumn("a", np.array([1.0, 2.0])), unseen[1])
    with pytest.raises(InputError, match=r"row 9, column 'c': 'u' is not among .*'w'"):
        fold.encode(unseen, np.array([8, 9]), "row")
    assert fold.encode_lenient(unseen).tolist() == [[1.0], [2.0]]
    with pytest.raises(InputError, match="must be 'a', 'c', in this order"):
        fold.encode(unseen[::-1], np.array([8, 9]))
    with pytest.raises(InputError, match="'a' holds categories here"):
        fold.encode((CategoryColumn("a", unseen[1].codes, ("u", "w")), unseen[1]), lines[:2])


def test_encode_lenient_uses_the_baseline_and_the_folds_fill():
    encoding = Encoding((CategoryEncoding("c", ("v", "w"), "w"), NumberEncoding("a", 4.0)))
    assert encoding.encode_lenient(COLUMNS[::-1]).tolist() == [[1, 1], [0, 4], [1, 3], [1, 10]]


def test_a_fold_without_any_value_still_encodes():
    empty = (
        NumberColumn("a", np.array([np.nan])),
        CategoryColumn("c", np.array([-1], dtype=np.int32), ()),
    )
    encoding = fit_encoding(empty, "fill")
    assert encoding.feature_names == ("a",)
    assert encoding.encode_lenient(COLUMNS)[:, 0].tolist() == [1, 0, 3, 10]


# ---------------------------------------------------------------------- laws

NUMBER_TEXT = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=12).map(str),
    st.from_regex(r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?",
                  fullmatch=True),
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@SLOW_DISK
@given(
    texts=st.lists(NUMBER_TEXT, min_size=2, max_size=30), blanks=st.sampled_from(["", " ", "\t"])
)
@example(texts=["0." + "1" * 800, "1" * 300 + "e-299", "4.9e-324", "2.4703282292062328e-324"],
         blanks="")  # fmt: skip
def test_law_numbers_are_pythons(tmp_path, texts, blanks):
    path = tmp_path / "t.csv"
    labels = ["no", "yes"] * len(texts)
    rows = "".join(f"{blanks}{t}{blanks},{y}\n" for t, y in zip(texts, labels, strict=False))
    path.write_text("a,label\n" + rows)
    got = np.array(values(read_table(path, "label"), "a"))
    assert got.tobytes() == np.array([float(t) for t in texts]).tobytes()


@SLOW_DISK
@given(text=st.text(alphabet="0123456789+-.eEinfatyNxX_, ٣", min_size=1, max_size=8))
def test_law_nothing_else_is_a_number(tmp_path, text):
    """What a column of one text becomes is what the rule says, never what a parser lets pass."""
    path = tmp_path / "t.csv"
    path.write_text(f'a;label\n"{text}";no\n"{text}";yes\n')
    bare = text.strip()
    try:
        column = read_table(path, "label", missing="fill", delimiter=";").columns[0]
    except InputError:
        missing = bare in MISSING_TOKENS
        assert missing or what_is(bare) in ("infinite", "date", "number-like", "hexadecimal")
        return
    if isinstance(column, NumberColumn):
        assert what_is(bare) == "number"
        assert column.values.tolist() == [float(bare)] * 2
    else:
        assert column.levels == (bare,)
        with pytest.raises(ValueError, match="could not convert"):
            float(bare)


@st.composite
def written_tables(draw):
    """Return (bytes, cells by row, first line of each row) of a table written by the csv module."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    # a lone CR only where everything is quoted: the csv module writes it bare otherwise
    pieces = [*'abc é😀",;|\t\n.<>=', "\r\n", *("\r" if quoting == csv.QUOTE_ALL else "")]
    cell = st.lists(st.sampled_from(pieces), max_size=6).map(lambda t: f"k{''.join(t)}k")
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=2, max_size=12))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    out.write(end * draw(st.integers(0, 2)))
    writer.writerow([f"c{k}" for k in range(width)] + ["label"])
    lines = []
    for k, row in enumerate(rows):
        out.write(end * draw(st.integers(0, 1)))
        lines.append(1 + _line_ends(out.getvalue()))
        writer.writerow([*row, "no" if k == 0 else "yes"])
    text = out.getvalue()
    if draw(st.booleans()):
        text = text.removesuffix(end)
    codec = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    return text.encode(codec), rows, lines, delimiter


def _line_ends(text):
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


@SLOW_DISK
@pytest.mark.filterwarnings("ignore:Column:separatrix.SeparatrixWarning")
@given(written=written_tables())
def test_law_round_trip(tmp_path, written):
    data, rows, lines, delimiter = written
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    table = read_table(path, "label", delimiter=delimiter)
    got = list(zip(*(values(table, c.name) for c in table.columns), strict=True))
    assert got == [tuple(row) for row in rows]
    assert table.lines.tolist() == lines


@settings(max_examples=200)
@given(
    rows=st.lists(
        st.lists(st.text(alphabet="ab1. é;'", max_size=4), min_size=2, max_size=3), max_size=9
    ),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"]), min_size=9, max_size=9),
)
def test_law_both_readers_see_the_same(rows, ends):
    """Where the fast reader answers at all, the csv module gives the same cells and lines."""
    text = "x,y\n" + "".join(",".join(r) + e for r, e in zip(rows, ends, strict=False))
    dialect = scan.Dialect(",", "utf-8", True, '"', ".")
    fast = scan._cells_unquoted(text, ",", 2)
    try:
        slow = scan._cells_by_record("", text, dialect, 2)
    except InputError:
        assert fast is None
        return
    if fast is not None:
        assert [c.to_pylist() for c in fast[0]] == [c.to_pylist() for c in slow[0]]
        assert fast[1].tolist() == slow[1].tolist()


def test_the_fast_reader_answers_for_a_large_plain_file(tmp_path):
    n = 60_000
    rows = "".join(f"{k},{k / 7!r},{'yes' if k % 3 else 'no'}\r\n" for k in range(n))
    path = tmp_path / "t.csv"
    path.write_bytes(("a,b,label\r\n\r\n" + rows).encode())
    assert scan._cells_unquoted(path.read_bytes().decode(), ",", 3) is not None
    table = read_table(path, "label")
    assert values(table, "b") == [k / 7 for k in range(n)]
    assert table.lines.tolist() == list(range(3, n + 3))


@settings(max_examples=100)
@given(data=st.binary(max_size=200))
@example(data=b"a,b\n1,\xff\n")
@example(data=b'"')
def test_law_any_bytes_give_a_table_or_an_input_error(data):
    for wish in (scan.Wish(), scan.Wish(encoding="latin-1"), scan.Wish(delimiter="whitespace")):
        try:
            found = scan.csv_columns(Source("t", data), wish)
        except InputError:
            continue
        else:
            assert {len(c) for c in found.columns} == {found.lines.size}


def test_a_reader_in_a_thread_gets_the_same(write):
    path = write(PLAIN)
    tables = []
    threads = [
        threading.Thread(target=lambda: tables.append(read_table(path, "label"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(t.columns[1].values) for t in tables}) == 1


def test_trap_65_a_header_of_many_columns_without_rows_takes_little_memory(tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(f"c{k}" for k in range(200_000)) + "\n")
    program = """
from separatrix.tables import read_table

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])

before = peak()
try:
    read_table("wide.csv", "c0")
except ValueError as error:
    print(error)
print(peak() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said, kilobytes = done.stdout.splitlines()
    assert said == "wide.csv has a header line and no rows."
    assert int(kilobytes) < 0.3 * 200_000
