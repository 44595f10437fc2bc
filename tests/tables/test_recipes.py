"""Columns read as asked for: amounts, dates, folded and grouped levels, missing values."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from separatrix.data import InputError, SeparatrixWarning
from separatrix.tables import fit_encoding, read_rows, read_table
from separatrix.tables.frames import raw_of_frame
from separatrix.tables.read import rows_of_raw
from separatrix.tables.recipes import Amounts, Dates
from tests.tables.files import parquet, values

LABELS = ["no", "yes", "yes", "no"]


def table_of(*columns, labels=LABELS):
    """Return a CSV table of columns (name, cells), separated by bars."""
    names = [name for name, _ in columns]
    rows = zip(*(cells for _, cells in columns), labels, strict=True)
    return "|".join([*names, "label"]) + "\n" + "".join("|".join(row) + "\n" for row in rows)


@pytest.mark.parametrize(("cells", "parse", "numbers"), [
    (["€ 1.730,50", "€ 3", "€ -12,00", "€ 1.000.000"], "money", [1730.5, 3, -12, 1e6]),
    (["$1,730.50", "-$3", "($12)", "$ .5"], "money", [1730.5, -3, -12, 0.5]),
    (["12 EUR", "1 250,5 EUR", "3,1 EUR", "+4 EUR"], "money", [12, 1250.5, 3.1, 4]),
    (["NT$ 1,000", "NT$ 5", "NT$5", "7"], "money", [1000, 5, 5, 7]),
    (["3,64 %", "10 %", "−2,5%", "0,125 %"], "percent", [3.64, 10, -2.5, 0.125]),
    (["1'000", "20", "3'000'000", "4.5"], "thousands", [1000, 20, 3e6, 4.5]),
    (["1,000", "20", "3,500", "0"], "thousands", [1000, 20, 3500, 0]),
    (["1.000,5", "2", "3,25", "?"], "thousands", [1000.5, 2, 3.25, None]),
    (["1\u202f000,5", "2", "3", "4"], "thousands", [1000.5, 2, 3, 4]),
])  # fmt: skip
def test_amounts_are_the_numbers_that_stand_there(write, cells, parse, numbers):
    path = write(table_of(("a", cells), ("b", list("1234"))))
    if "EUR" not in cells[0]:  # which reads as a name without being asked for
        with pytest.raises(InputError, match="'a'"):
            read_table(path, "label", decimal="." if parse == "thousands" else ",")
    table = read_table(path, "label", parse=[parse], missing="fill")
    assert [None if np.isnan(v) else v for v in values(table, "a")] == numbers
    assert any("read as amounts" in note for note in table.notes)
    assert [recipe.column for recipe in table.recipes] == ["a"]


@pytest.mark.parametrize(
    ("cells", "offender"),
    [
        (["€ 1,5", "$ 2", "€ 3", "€ 4"], "'\\$ 2'"),  # two currencies
        (["3 %", "4", "5 %", "6 %"], "'4'"),  # 0.04 or 4?
        (["€ 1.73", "€ 2,5", "€ 3.14", "€ 4"], "'€ 2,5'"),  # two decimal marks
        (["€ 1.000", "€ 10.00.000,5", "€ 3", "€ 4"], "'€ 10.00.000,5'"),
        (["€ 1", "€ many", "€ 3", "€ 4"], "'€ many'"),
        (["€ 1", "(€ 2", "€ 3", "€ 4"], r"'\(€ 2'"),
        (["€ 1", "€ " + "9" * 400, "€ 3", "€ 4"], "line 3"),
    ],
)
def test_what_does_not_fit_the_other_amounts_is_refused_with_its_line(write, cells, offender):
    with pytest.raises(InputError, match=rf"line 3, column 'a': {offender}|{offender}.*'a'"):
        read_table(write(table_of(("a", cells))), "label", parse=["money", "percent", "thousands"])


def test_only_what_was_asked_for_is_parsed(write):
    path = write(table_of(("a", ["€ 1", "€ 2", "€ 3", "€ 4"])))
    for parse in ([], ["percent"], ["dates"]):
        with pytest.raises(InputError, match=r"'€ 1' looks like a number.*parse=\[.money"):
            read_table(path, "label", parse=parse)
    with pytest.raises(InputError, match=r"parse takes money, .*; it has 'cash'"):
        read_table(path, "label", parse=["cash"])
    with pytest.raises(InputError, match="both day-first and month-first"):
        read_table(path, "label", parse=["dates", "day-first", "month-first"])
    with pytest.raises(InputError, match="not one"):
        read_table(path, "label", parse="money")


def test_dates_are_days_since_the_earliest(write):
    cells = ["31.08.2025", "01.09.2025 10:30", "", "30.08.2025"]
    path = write(table_of(("since", cells)))
    with pytest.raises(InputError, match=r"'31.08.2025' looks like a date.*parse=\[.dates"):
        read_table(path, "label")
    table = read_table(path, "label", parse=["dates"], missing="fill")
    assert values(table, "since (days)")[:2] == [1, 2]
    assert np.isnan(values(table, "since (days)")[2])
    assert table.recipes[0].how == Dates("day-first", "2025-08-30")
    with pytest.raises(InputError, match=r"takes .*; it has 'weekday'"):
        read_table(path, "label", parse=["weekday"])


@pytest.mark.parametrize(
    ("cells", "more", "days"),
    [
        (["2025-08-31", "2025/09/01", "2025-08-31T10:00Z", "2025.8.30"], [], [1, 2, 1, 0]),
        (["31/08/2025", "01/09/2025", "02-09-2025", "31/08/2025"], [], [0, 1, 2, 0]),
        (["08/31/2025", "09/01/2025", "9/2/2025", "08/31/2025"], [], [0, 1, 2, 0]),
        (["01/02/2025", "02/02/2025", "03/02/2025", "04/02/2025"], ["day-first"], [0, 1, 2, 3]),
        (["01/02/2025", "02/02/2025", "03/02/2025", "04/02/2025"], ["month-first"],
         [0, 31, 59, 90]),
    ],
)  # fmt: skip
def test_dates_in_any_order(write, cells, more, days):
    table = read_table(write(table_of(("d", cells))), "label", parse=["dates", *more])
    assert values(table, "d (days)") == days


def test_dates_that_cannot_be_read_are_refused(write):
    for cells, message in (
        (["01/02/2025", "02/02/2025", "03/02/2025", "04/02/2025"], "'01/02/2025' may have the day"),
        (["31.08.2025", "31.02.2025", "1.1.2025", "2.1.2025"], "line 3, column 'd': '31.02.2025'"),
        (
            ["31.08.2025", "soon", "1.1.2025", "2.1.2025"],
            "line 3, column 'd': 'soon' is not a date",
        ),
    ):
        with pytest.raises(InputError, match=message):
            read_table(write(table_of(("d", cells))), "label", parse=["dates"])


def test_dates_of_parquet_are_as_those_of_text(tmp_path, write):
    days = [datetime.date(2025, 8, 31), None, datetime.date(2025, 9, 2), datetime.date(2025, 8, 30)]
    path = parquet(tmp_path / "t.parquet", d=days, label=LABELS)
    text = write(table_of(("d", [str(day or "") for day in days])))
    made = [read_table(p, "label", parse=["dates"], missing="level") for p in (path, text)]
    for name in ("d (days)", "d (missing)"):
        assert np.array_equal(
            np.array(values(made[0], name), object), np.array(values(made[1], name), object)
        ) or np.array_equal(values(made[0], name), values(made[1], name), equal_nan=True)


def test_levels_are_folded_and_rare_ones_grouped(write):
    home = ["yes", "Yes", "Y", "NO", "n", "no ", "", "yes"]
    town = ["Bonn", "bonn", "New  York", "new york", "Ulm", "Köln", "KÖLN", "Bonn"]
    labels = ["no", "yes"] * 4
    path = write(table_of(("home", home), ("town", town), labels=labels))
    table = read_table(path, "label", fold_case=True, group_rare=2, missing="level")
    folded = ["yes", "yes", "yes", "no", "no", "no", "(missing)", "yes"]
    assert values(table, "home") == folded
    assert values(table, "town") == ["bonn", "bonn", "new york", "new york", "(rare)", "köln",
                                     "köln", "bonn"]  # fmt: skip
    assert table.n_dropped == 0
    with pytest.warns(SeparatrixWarning, match=r"differ in case only.*fold_case=True"):
        assert read_table(path, "label", missing="fill").recipes == ()
    assert (
        read_table(
            write(table_of(("c", ["u", "v"] * 4), labels=labels)), "label", group_rare=4
        ).recipes
        == ()
    )
    for rare in (-1, True, 1.5):
        with pytest.raises(InputError, match="group_rare must be a number of rows"):
            read_table(path, "label", group_rare=rare)


def test_y_and_n_are_yes_and_no_only_beside_these(write):
    short = write(table_of(("c", ["y", "N", "Y", "n"])))
    assert values(read_table(short, "label", fold_case=True), "c") == ["y", "n", "y", "n"]
    other = write(table_of(("c", ["y", "N", "Yes", "maybe"])))
    assert values(read_table(other, "label", fold_case=True), "c") == ["y", "n", "yes", "maybe"]


def test_a_missing_number_has_an_indicator_of_its_own(write):
    path = write(table_of(("a", ["1", "", "3", "5"]), ("b", ["1", "2", "3", "4"])))
    table = read_table(path, "label", missing="level")
    encoding = fit_encoding(table.columns, table.missing)
    assert encoding.feature_names == ("a", "a (missing)", "b")
    X = encoding.encode(table.columns, table.lines)
    assert X.tolist() == [[1, 0, 1], [3, 1, 2], [3, 0, 3], [5, 0, 4]]


def test_rows_to_predict_are_read_by_what_was_learned(write):
    path = write(table_of(
        ("since", ["31.08.2025", "01.09.2025", "03.09.2025", ""]),
        ("pay", ["€ 1.000", "€ 2,5", "", "€ 3"]), ("home", ["Yes", "no", "YES", "NO"]),
        ("town", ["Bonn", "Bonn", "Ulm", "Bonn"]),
    ))  # fmt: skip
    table = read_table(
        path, "label", parse=["money", "dates"], fold_case=True, group_rare=2,
        missing="level",
    )  # fmt: skip
    encoding = fit_encoding(table.columns, table.missing)
    again = read_rows(path, encoding, known_extra=["label"], recipes=table.recipes)
    assert np.array_equal(
        encoding.encode(again.columns, again.lines), encoding.encode(table.columns, table.lines)
    )
    new = write("town|since|pay|home\nRome|01/01/2026|7|YES\nBonn|2026-01-02||y\n", "new.csv")
    rows = read_rows(new, encoding, recipes=table.recipes, match_names=True)
    found = {column.name: values(rows, column.name) for column in rows.columns}
    assert found["since (days)"] == [123, 124]  # since the earliest that was learned from
    assert found["town"] == ["(rare)", "bonn"]
    assert found["home"] == ["yes", "yes"]
    assert found["pay (missing)"] == [0, 1]
    bad = write("since|pay|home|town\n01/01/2026|$ 7|YES|Bonn\n", "bad.csv")
    with pytest.raises(InputError, match=r"line 2, column 'pay': '\$ 7' is not an amount '€'"):
        read_rows(bad, encoding, recipes=table.recipes)
    with pytest.raises(InputError, match="lacks columns the model was trained on: 'since'"):
        read_rows(write("pay|home|town\n7|yes|Bonn\n"), encoding, recipes=table.recipes)


def test_numbers_are_money_but_not_per_cent(write, tmp_path):
    path = write(table_of(("zins", ["3,64 %", "10 %", "2,5%", "?"]), ("pay", ["€ 1,5", "€ 2"] * 2)))
    table = read_table(path, "label", parse=["percent", "money"], missing="fill")
    encoding = fit_encoding(table.columns, table.missing)
    pay = pa.array([7, 8])
    new = {
        "p.parquet": {"zins": pa.array([None, 0.0396]), "pay": pay},
        "i.parquet": {"zins": pa.array([4, 5]), "pay": pay},
    }
    refused = "column 'zins': {} is a number without a per cent sign.* as text such as '3,96 %'"
    for (name, columns), value in zip(new.items(), ["0.0396", "4"], strict=True):
        with pytest.raises(InputError, match=refused.format(value)):
            read_rows(parquet(tmp_path / name, **columns), encoding, recipes=table.recipes)
        frame = raw_of_frame(pa.table(columns).to_pandas())
        with pytest.raises(InputError, match=refused.format(value)):
            rows_of_raw(frame, encoding, (), table.recipes, match_names=True)
    nothing = parquet(tmp_path / "n.parquet", zins=pa.array([None, None], pa.float64()), pay=pay)
    rows = read_rows(nothing, encoding, recipes=table.recipes)
    assert values(rows, "pay") == [7, 8]
    text = parquet(tmp_path / "t.parquet", zins=pa.array(["3,96 %", None]), pay=pay)
    assert values(read_rows(text, encoding, recipes=table.recipes), "zins")[0] == 3.96


def test_a_made_column_may_not_have_the_name_of_another(write):
    path = write(table_of(("d", ["2025-08-31"] * 4), ("d (days)", list("1234"))))
    with pytest.raises(InputError, match=r"two columns called 'd \(days\)'"):
        read_table(path, "label", parse=["dates"])


@pytest.mark.parametrize("text", ["1,23", "1.2.3", "€", "(5", "5)", "--5", "1,0000", "0,100,000"])
def test_text_that_is_no_amount_has_no_value(text):
    assert Amounts(".", "").value(text) is None


def test_long_runs_of_blanks_cost_nothing():
    for text in ("(" + "\u00a0" * 60 + "x", "1" + " " * 60 + "x", "9" * 100_000, " " * 5 + "1"):
        assert Amounts(".", "").value(text) in (None, 1.0)


def test_a_year_of_two_digits_is_refused_with_the_reason(write):
    path = write("day,y\n" + "".join(f"{k + 14}.08.25,{'ny'[k % 2]}\n" for k in range(6)))
    with pytest.raises(InputError, match="two digits may be of either century"):
        read_table(path, "y", parse=["dates"])
