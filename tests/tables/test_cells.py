"""Cells of files: numbers, categories, missing values and what is none of these."""

import warnings

import pytest

from separatrix import tables
from separatrix.data import InputError, SeparatrixWarning
from tests.tables.files import parquet, values


@pytest.mark.parametrize("token", tables.MISSING_TOKENS)
def test_missing_values_are_dropped_or_filled(write, token):
    path = write(f"a,b,label\n1,u,no\n {token} ,u,yes\n3,{token},yes\n5,v,yes\n")
    table = tables.read_table(path, "label")
    assert values(table, "a") == [1, 5]
    assert table.n_dropped == 2
    assert table.lines.tolist() == [2, 5]
    assert any(
        "2 rows of 4" in n and "'a' (1), 'b' (1)" in n and "--missing fill" in n
        for n in table.notes
    )
    table = tables.read_table(path, "label", missing="fill")
    assert table.n_dropped == 0
    encoding = tables.fit_encoding(table.columns, "fill")
    assert encoding.columns == (
        tables.NumberEncoding("a", 3.0),
        tables.CategoryEncoding("b", ("u", "v"), "u"),
    )
    filled = encoding.encode(table.columns, table.lines)
    assert filled.tolist() == [[1, 0], [3, 0], [3, 0], [5, 1]]


def test_integers_above_2_to_53_that_change_are_named(write, tmp_path):
    path = write("id,label\n1,no\n9007199254740993,yes\n9007199254740992,yes\n")
    with pytest.warns(SeparatrixWarning, match="line 3, column 'id'.*9007199254740993.*2\\^53"):
        table = tables.read_table(path, "label")
    assert any("9007199254740993" in note for note in table.notes)
    path = parquet(tmp_path / "t.parquet", id=[1, 2**53 + 1], label=["no", "yes"])
    with pytest.warns(SeparatrixWarning, match="row 2, column 'id'"):
        tables.read_table(path, "label")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tables.read_table(write("id,label\n1,no\n9007199254740994,yes\n1e300,yes\n"), "label")


def test_text_among_numbers_is_refused_with_its_line(write):
    rows = "".join(f"{k},no\n" for k in range(9))
    message = r"line 11, column 'a': 'abc' is not a number.*9 values of 10.*text=.*drop="
    path = write("a,label\n" + rows + "abc,yes\n")
    with pytest.raises(InputError, match=message):
        tables.read_table(path, "label")
    table = tables.read_table(path, "label", text=["a"])
    assert isinstance(table.columns[0], tables.CategoryColumn)
    assert table.columns[0].levels[-1] == "abc"


def test_a_column_with_a_level_for_nearly_every_row_is_said(write):
    label = ["no", "yes"] * 600
    few = "".join(f"k{k},{label[k]}\n" for k in range(60))
    with pytest.warns(SeparatrixWarning, match=r"'id'.*60 different.*by heart.*drop=\['id'\]"):
        table = tables.read_table(write("id,label\n" + few), "label")
    assert any("nearly every row has its own" in note for note in table.notes)
    many = "".join(f"k{k},{label[k % 1200]}\n" for k in range(1501))
    with pytest.warns(SeparatrixWarning, match=r"'id'.*1501 different.*by heart.*drop=\['id'\]"):
        table = tables.read_table(write("id,label\n" + many), "label")
    assert len(table.columns[0].levels) == 1501


@pytest.mark.parametrize(("text", "way_out"), [
    ("1,5", 'decimal=","'), ("1,000", 'decimal=","'), ("1.000,5", 'decimal=","'),
    ("12%", "per cent"), ("$5", "currency"), ("€ 5", "currency"), ("1,000,000", "thousands"),
    ("(5)", "currency"),
])  # fmt: skip
def test_number_like_text_is_refused_with_the_option_that_reads_it(write, text, way_out):
    for content in (f'a;label\n"{text}";no\n"{text}";yes\n', f'a;label\n1;no\n"{text}";yes\n'):
        with pytest.raises(InputError, match=r"column 'a'.*text=\['a'\]") as caught:
            tables.read_table(write(content), "label")
        assert way_out in str(caught.value)
        table = tables.read_table(write(content), "label", text=["a"])
        assert text in table.columns[0].levels


def test_all_columns_that_cannot_be_read_are_named_at_once(write):
    cells = "€ 1.730,50;3,64 %;1'000;(12);31.08.2025;2025-08-31T10:00Z;1;;no\n"
    head = "price;rate;big;paren;day;at;good;empty;label\n"
    path = write(head + cells + cells.replace(";no", ";yes"))
    with pytest.raises(InputError) as caught:
        tables.read_table(path, "label")
    said = str(caught.value)
    assert "7 columns cannot be read" in said
    for name, text in {"price": "€ 1.730,50", "rate": "3,64 %", "big": "1'000", "paren": "(12)",
                       "day": "31.08.2025", "at": "2025-08-31T10:00Z"}.items():  # fmt: skip
        assert f"'{name}' (line 2: {text!r})" in said
    assert "'empty' has no value in any row" in said
    assert said.count("currency") == said.count("date or a time") == 1
    assert "text=[COLUMN]" in said
    assert "drop=[COLUMN]" in said
    assert "good" not in said
    names = ["price", "rate", "big", "paren", "day", "at", "empty"]
    assert tables.read_table(path, "label", drop=names).columns[0].name == "good"
    with pytest.raises(InputError, match=r"^t.csv, line 2, column 'at': .*text=\['at'\]"):
        tables.read_table(path, "label", drop=names[:5] + names[6:])


def test_a_comma_in_money_is_not_the_decimal_marks_fault(write):
    with pytest.raises(InputError) as caught:
        tables.read_table(write("a;label\n€ 1,50;no\n€ 2,50;yes\n"), "label")
    assert "decimal=" not in str(caught.value)  # it would not read this either


def test_decimal_commas_are_read_when_named(write):
    path = write("a;b;label\n1,5;2;no\n-2,25e1;;yes\n 3 ;4;yes\n")
    table = tables.read_table(path, "label", decimal=",", missing="fill")
    assert values(table, "a") == [1.5, -22.5, 3.0]
    assert table.dialect.delimiter == ";"
    with pytest.raises(InputError, match=r"line 3, column 'a': '1.5'"):
        tables.read_table(write("a;label\n1,5;no\n1.5;yes\n"), "label", decimal=",")
    with pytest.raises(InputError, match="both the delimiter and the decimal mark"):
        tables.read_table(write("a,label\n1,no\n2,yes\n"), "label", decimal=",")
