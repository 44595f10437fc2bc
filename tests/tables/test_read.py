"""Tables read from files: what is kept, for learning and for answering, and what is refused."""

import datetime
import hashlib
import inspect
from dataclasses import fields

import numpy as np
import pytest

from separatrix import open_table
from separatrix.data import InputError
from separatrix.tables import (
    MISSING_TOKENS,
    CategoryColumn,
    CategoryEncoding,
    Dialect,
    Encoding,
    NumberEncoding,
    fit_encoding,
    read_classes,
    read_rows,
    read_table,
)
from separatrix.tables.options import Reading, ReadingOptions
from tests.shared_data import DATA, manifest, needs_shared
from tests.tables.files import PLAIN, parquet, values


def test_a_plain_table(write):
    table = read_table(write(PLAIN), "label")
    assert values(table, "age") == [20, 30, 40]
    assert (table.no, table.yes, table.y.tolist()) == ("no", "yes", [-1, 1, 1])
    assert table.lines.tolist() == [2, 3, 4]
    assert table.sha256 == hashlib.sha256(PLAIN.encode()).hexdigest()
    assert (table.name, table.format, table.line_word) == ("t.csv", "csv", "line")
    assert (table.n_rows_in_file, table.n_dropped, table.missing) == (3, 0, "drop")
    assert table.weight is None
    assert table.group is None
    assert table.dialect == Dialect(",", "utf-8", True, '"', ".")
    assert table.extra == ("label",)


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["name"])
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


ENCODING = Encoding((NumberEncoding("age", None), CategoryEncoding("c", ("u", "v"), None)))


def test_rows_to_predict_need_no_label(write):
    rows = read_rows(write("age,c\n1,u\n2,v\n"), ENCODING)
    assert ENCODING.encode(rows.columns, rows.lines).tolist() == [[1, 0], [2, 1]]
    assert (rows.n_rows, rows.lines.tolist(), rows.line_word) == (2, [2, 3], "line")
    known = read_rows(write("age,c,label\n1,u,\n2,v,no\n"), ENCODING, known_extra=["label"])
    assert [c.name for c in known.columns] == ["age", "c"]


@pytest.mark.parametrize(("content", "message"), [
    ("age,d\n1,u\n", r"lacks columns.*'c'; it has 'd' instead"),
    ("age,c,more\n1,u,2\n", r"not trained on: 'more'.*match_names=True"),
    ("c,age\nu,1\n", r"another order \('c', 'age'\).*\('age', 'c'\).*match_names=True"),
])  # fmt: skip
def test_rows_to_predict_with_other_columns_are_refused(write, content, message):
    path = write(content)
    with pytest.raises(InputError, match=message):
        read_rows(path, ENCODING)


def test_columns_of_rows_to_predict_are_matched_by_name_when_asked(write):
    rows = read_rows(write("more,c,age\n7,u,1\n7,v,2\n"), ENCODING, match_names=True)
    assert ENCODING.encode(rows.columns, rows.lines).tolist() == [[1, 0], [2, 1]]
    with pytest.raises(InputError, match="lacks columns"):
        read_rows(write("more,age\n7,1\n"), ENCODING, match_names=True)


def test_rows_keep_every_row_and_the_training_kinds(write):
    encoding = Encoding((NumberEncoding("a", 9.0), CategoryEncoding("c", ("01", "1"), "1")))
    rows = read_rows(write("a,c\n1,01\n?,1\n3,?\n"), encoding)
    assert isinstance(rows.columns[1], CategoryColumn)  # although it looks like numbers
    assert encoding.encode(rows.columns, rows.lines).tolist() == [[1, 0], [9, 1], [3, 1]]
    with pytest.raises(InputError, match="line 3, column 'a': 'x' is not a number"):
        read_rows(write("a,c\n1,01\nx,1\n"), encoding)


@pytest.mark.parametrize("name", [
    "__proto__", "<script>alert(1)</script>", "=cmd()", "😀", "\u202eabc", "x" * 10_240, "a\tb",
    "a,b", "a\nb", "constructor",
])  # fmt: skip
def test_hostile_names_are_kept_as_they_are(write, name):
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


def test_weights_and_groups_follow_the_kept_rows(write):
    path = write("a,w,g,label\n1,2,p,no\n?,3,q,yes\n3,4.5,q,yes\n4,0,p,no\n5,1,p,no\n")
    table = read_table(path, "label", weight="w", group="g")
    assert [c.name for c in table.columns] == ["a"]
    assert table.weight.tolist() == [2, 4.5, 1]
    first, second, third = table.group.tolist()
    assert first == third != second
    assert table.group.dtype == np.int64
    assert table.extra == ("label", "w", "g")
    with pytest.raises(InputError, match="line 3, column 'g': the group is missing"):
        read_table(write("a,g,label\n1,p,no\n2,,yes\n"), "label", group="g")
    with pytest.raises(InputError, match="'g' cannot be two"):
        read_table(path, "label", group="g", drop=["g"])


def test_a_table_without_a_header_is_read_when_said(write):
    path = write("1,2,0\n3,4,1\n5,6,0\n")
    with pytest.raises(InputError, match=r"line 1: the first line holds numbers.*header=False"):
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


def test_every_option_is_in_the_signatures_with_its_default():
    options = {f.name: f.default for f in fields(Reading)}
    assert set(options) == set(ReadingOptions.__annotations__)
    for call, own in ((read_table, ["path", "label", "yes"]), (read_classes, ["path", "label"])):
        shown = inspect.signature(call).parameters
        assert list(shown) == [*own, *options]
        assert {name: shown[name].default for name in options} == options


def test_all_problems_are_said_at_once(write):
    path = write("a,w,g,y\n2020-01-01,1,p,no\n3 €,-1,q,No\nx,1,,yes\n")
    with pytest.raises(InputError) as caught:
        read_table(path, "y", weight="w", group="g", drop=["b"])
    said = str(caught.value).splitlines()
    assert said[0] == "t.csv has 5 problems:"
    assert [line[:5] for line in said[1:]] == [f"  {k}. " for k in range(1, 6)]
    for words in ("no column 'b' (drop)", "only in case", "column 'a'",
                  "line 3, column 'w': the weight is negative",
                  "line 4, column 'g': the group is missing"):  # fmt: skip
        assert sum(words in line for line in said) == 1, words


def test_at_most_ten_problems_are_listed(write):
    with pytest.raises(InputError) as caught:
        read_table(write("a,y\n1,no\n2,yes\n"), "z", drop=[f"b{k}" for k in range(12)])
    said = str(caught.value).splitlines()
    assert said[0] == "t.csv has 13 problems:"
    assert said[-2].startswith("  10. ")
    assert said[-1] == "  and 3 more."


def test_dates_of_parquet_are_categories_where_that_is_asked(tmp_path):
    days = [datetime.date(2025, 8, 31), datetime.date(2025, 9, 1), None]
    path = parquet(tmp_path / "t.parquet", day=days, label=["no", "yes", "yes"])
    with pytest.raises(InputError, match=r"'day' holds dates or times.*text=\['day'\].*drop="):
        read_table(path, "label")
    table = read_table(path, "label", text=["day"], missing="fill")
    assert values(table, "day") == ["2025-08-31", "2025-09-01", None]


ROWS = "".join(f"{k},{k},no\n" for k in range(99_000))  # large enough for the fast reader
LONG = "x" * 200_000
WEIGHTS = {
    "1 -2 1": r"line 3, column 'w': the weight is negative \(-2.0\)",
    "1 nan 1": "line 3, column 'w': the weight is missing", "0 0 0": "zero in every row",
    "1 inf 1": "line 3, column 'w': 'inf' is infinite",
    "1 x 1": "line 3, column 'w': 'x' is not a number",
    "true false true": "line 2, column 'w': 'true' is not a number",
}  # fmt: skip
DATES = ("2020-01-31", "2020-01-31T10:00", "31/01/2020", "1.2.2020", "12:30", "3 Jan 2020",
         "January 3, 2020", "2020-01")  # fmt: skip
REFUSED = [
    # the text
    *((content, {}, "t.csv is empty") for content in ("", "\n\n  \n", b"\xef\xbb\xbf")),
    ("a,label\n", {}, "header line and no rows"),
    ('a,b,label\n1,"two\nlines",no\n3,4\n5,6,yes\n', {},
     "t.csv, line 4: 2 fields where the first line has 3"),
    (f"a,b,label\n{ROWS}1,2,3,yes\n", {}, "line 99002: 4 fields"),
    (f"a,b,label\n1,2,no\n{LONG},3,yes\n", {}, "line 3: a field is longer than 131,072"),
    (f"a,b,label\n{ROWS}{LONG},3,yes\n", {}, "line 99002: a field is longer than 131,072"),
    ("a,b,a,label\n1,2,3,no\n", {}, r"2 columns are called 'a' \(columns 1 and 3\)"),
    (b"a,label\n\x001,no\n", {}, r"byte 8 is NUL.*encoding=.utf-16-le"),
    ("a,label\n1\0,no\n".encode("utf-16-be"), {"encoding": "utf-16-be"}, "byte 18 is NUL"),
    *((b"a,label\n+A,no\n\xff", {"encoding": codec}, "encoding|utf-7")
      for codec in ("klingon", "zip", "rot13", "utf-7")),
    *((PLAIN, {"delimiter": mark}, "delimiter must be one character")
      for mark in ("", ",,", "\n", '"')),
    ('a,label\n1,no\n"2,yes\n3,no\n', {}, "line 3: a quote is opened.*quote"),
    ('a,label\n"x"y,no\nz,yes\n', {}, "line 2: a closing quote is followed"),
    # its cells
    ("a,b,label\n1,,no\n,2,yes\n", {}, r"every row.*'a' \(1\), 'b' \(1\).*missing=.fill"),
    ("a,b,label\n,1,no\nNA,2,yes\n", {}, r"'a' has no value in any row.*drop=\['a'\]"),
    ("label\nno\nyes\n", {}, "no feature column left"),
    *((f"a,label\n1,no\n{text},yes\n", {}, f"line 3, column 'a': '{text}' is infinite.*drop")
      for text in ("inf", "-Infinity", "1e999", "INF")),
    *((f"a,label\n{text},no\n1,yes\n", {}, "line 2, column 'a'")  # that parsers might let pass
      for text in ("1_000", "٣", "0x10", "1e", "--1", "1 2", "1d5", "-nan", "1.2.3")),
    *((f"a,label\n{text},no\n{text},yes\n", {}, "line 2, column 'a'")
      for text in ("1_000", "٣", "0x10", "1d5", "1 000")),
    *((f'a;label\n"{text}";no\n"{text}";yes\n', {},
       r"line 2, column 'a'.*date or a time.*text=\['a'\].*drop") for text in DATES),
    # labels and other columns
    ("a,label\n1,no\n", {}, "one label only"),
    ("a,label\n1,yes\n2,yes\n", {}, "one label only, 'yes'"),
    ("a,label\n1,yes\n2,yes\n?,no\n", {}, "one label only, 'yes'.*rows of 'no' lack a value"),
    (PLAIN, {"yes": "maybe"}, "yes='maybe'.*'no', 'yes'"),
    ("a,label\n" + "".join(f"{k},{k / 7}\n" for k in range(40)), {}, "continuous.*measurements"),
    *((f"a,label\n1,x\n2,{token}\n", {}, "never guessed") for token in MISSING_TOKENS),
    (PLAIN, {"label": "lable"}, r"no column 'lable' \(label\).*'label'"),
    (PLAIN, {"label": None}, "label=NAME.*'age', 'income', 'label'"),
    *((PLAIN, {option: name}, rf"'incme' \({option}\).*'income'")
      for option, name in (("drop", ["incme"]), ("weight", "incme"), ("group", "incme"),
                           ("text", ["incme"]))),
    *(("a,w,label\n" + "".join(f"1,{w},{y}\n" for w, y in zip(weights.split(), ("no", "yes", "yes"),
                                                             strict=True)),
       {"weight": "w"}, words) for weights, words in WEIGHTS.items()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "options", "words"), REFUSED, ids=lambda given: str(given)[:40]
)
def test_what_cannot_be_read_is_refused(write, content, options, words):
    with pytest.raises(InputError, match=words):
        read_table(write(content), **{"label": "label", **options})


@pytest.mark.parametrize("call", [read_table, open_table])
def test_a_weight_beyond_sums_is_refused_by_its_line(write, call):
    path = write("a,w,y\n1,1,no\n2,1e200,yes\n3,2,no\n,1e300,yes\n")
    with pytest.raises(
        InputError, match=r"line 3, column 'w': the weight is too large \(1e\+200\)"
    ):
        call(path, "y", weight="w")
