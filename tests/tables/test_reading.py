"""One reading behind the calls: options written once, problems said at once."""

import datetime
import inspect
from dataclasses import fields

import pytest

from separatrix.data import InputError
from separatrix.tables import read_classes, read_table
from separatrix.tables.options import Reading, ReadingOptions
from tests.tables.files import parquet, values


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


def test_a_problem_of_the_labels_is_said_beside_another(write):
    with pytest.raises(InputError, match=r"(?s)2 problems.*'2020-01-01' looks.*holds 3 labels"):
        read_table(write("a,y\n2020-01-01,p\n3,q\n4,r\n"), "y")


def test_dates_of_parquet_are_categories_where_that_is_asked(tmp_path):
    days = [datetime.date(2025, 8, 31), datetime.date(2025, 9, 1), None]
    path = parquet(tmp_path / "t.parquet", day=days, label=["no", "yes", "yes"])
    with pytest.raises(InputError, match=r"'day' holds dates or times.*text=\['day'\]"):
        read_table(path, "label")
    table = read_table(path, "label", text=["day"], missing="fill")
    assert values(table, "day") == ["2025-08-31", "2025-09-01", None]
