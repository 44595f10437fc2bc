"""What `check` finds in a table, and that the options it proposes read that table."""

from __future__ import annotations

import time

import numpy as np
import pytest

from separatrix.data import InputError
from separatrix.tables import read_table
from separatrix.tables.checking import check_table
from tests.messy import messy_csv
from tests.shared_data import DATA, manifest, needs_shared
from tests.tables.files import PLAIN, parquet


def suspected(check):
    return {column.name: column.suspicion for column in check.columns if column.suspicion}


def test_a_plain_table_has_nothing_wrong(write):
    check = check_table(write("age,c,label\n20,u,no\n30,v,yes\n40,u,yes\n35,v,no\n"), "label")
    assert (check.problems, suspected(check)) == ((), {})
    assert check.options == ("--label", "label")
    assert [(c.kind, c.example, c.missing, c.holds) for c in check.columns] == [
        ("number", "20", 0, "20 to 40"), ("category", "u", 0, "2: u, v"),
        ("label", "no", 0, "2: no, yes"),
    ]  # fmt: skip
    assert check.labels == "'no' 2, 'yes' 2"


def test_the_spreadsheet_is_seen_through(write):
    check = check_table(write(messy_csv(200)), "defaulted")
    assert suspected(check) == {
        "customer_id": "identifier", "name_note": "free text", "since": "date",
        "zip": "code (post code, phone)", "income": "money", "rate": "per cent",
        "owns_home": "levels alike but for case or blanks",
        "job": "levels alike but for case or blanks",
    }  # fmt: skip
    text = " ".join(check.options)
    for option in ("--fold-labels", "--parse dates,money,percent", "--fold-case",
                   "--missing level", "--drop customer_id"):  # fmt: skip
        assert option in text


@pytest.mark.parametrize(
    ("content", "words", "options"),
    [
        ("a;b;y\n1,5;2;no\n2,5;3;yes\n3;4;no\n", "decimal comma", "--decimal ,"),
        ("a,y\n1,no\n2,\n3,yes\n", "1 row without a label", "--unlabelled drop"),
        ("a,y\n1,p\n2,q\n3,r\n", "3 labels", "--multiclass ova"),
        ("1,0\n2,1\n3,0\n", "--no-header", "--no-header"),
        ("a,d,y\n1,01/02/2025,no\n2,02/02/2025,yes\n3,03/02/2025,no\n", "day or the month",
         "--parse dates,day-first"),
        ("a,b,y\n1,,no\n2,,yes\n3,,no\n", "no value in any row", "--drop b"),
        ("a,b,y\n1,x,no\n2,3,yes\n3,4,no\n", "'x' is not a number", "--as-category b"),
        ("a,b,y\n1,1'000,no\n2,20,yes\n3,(4),no\n", "--parse", "--parse money"),
        ("a,y\n1,n\xe9\n2,yes\n".encode("latin-1"), "--encoding", "--encoding cp1252"),
    ],
)  # fmt: skip
def test_each_problem_has_its_option(write, content, words, options):
    check = check_table(write(content), None if content[:1] == "1" else "y")
    assert any(words in problem for problem in check.problems)
    assert options in " ".join(check.options)


def test_rare_levels_are_to_be_grouped(write):
    rows = "".join(f"{'ab'[k % 2] if k else 'c'},{k % 7},{['no', 'yes'][k % 3 % 2]}\n"
                   for k in range(120))  # fmt: skip
    assert check_table(write("c,x,y\n" + rows), "y").options[2:] == ("--group-rare", "5")


def test_few_incomplete_rows_are_dropped_and_many_kept(write):
    rows = [f"{k % 7},{'yes' if k % 3 else 'no'}" for k in range(30)]
    few = check_table(write("\n".join(["a,y", ",no", *rows]) + "\n"), "y")
    assert "--missing" not in few.options
    assert few.problems == ("1 value missing (--missing level or fill keeps their rows): 'a'.",)
    many = check_table(write("\n".join(["a,y", *[",no"] * 5, *rows]) + "\n"), "y")
    assert many.options[-2:] == ("--missing", "level")


def test_a_column_that_decides_alone_is_said(write):
    rows = "".join(f"{k},{'p' if k > 4 else 'q'},{'yes' if k > 4 else 'no'}\n" for k in range(10))
    check = check_table(write("a,late,y\n" + rows), "y")
    for name in ("a", "late"):
        assert "decides the answer alone" in suspected(check)[name]
    assert check.options == ("--label", "y", "--drop", "late")  # another name of the label


def test_labels_are_guessed_or_named(write):
    check = check_table(write(PLAIN + "50,4.5,no\n"))
    assert check.label == "label"
    assert "No --label was given: 'label' is taken" in check.problems[0]
    check = check_table(write(PLAIN), "lable")
    assert (check.label, check.options) == (None, ())
    assert "Nearest: 'label'" in check.problems[0]
    rows = zip(range(9), ["yes", "Yes ", "y", "no", "NO", "n", "Y", "No", ""], strict=True)
    check = check_table(write("a,ok\n" + "".join(f"{k},{label}\n" for k, label in rows)))
    assert check.options == ("--label", "ok", "--fold-labels", "--unlabelled", "drop")
    check = check_table(write("a,b\n1,2\n2,3\n3,4\n"))
    assert "No column has two values" in check.problems[0]
    check = check_table(write("a,b\n1,no\n2,no\n3,no\n"), "b")
    assert check.options == ()
    assert "one label only" in check.problems[-1]


def test_what_is_no_table_is_refused(write):
    with pytest.raises(InputError, match="line 3"):
        check_table(write("a,y\n1,no\n2,yes,3\n"), "y")


def test_typed_columns_are_checked_too(tmp_path):
    path = parquet(tmp_path / "t.parquet", a=[[1], [2], [3]], b=[1, 2, None], f=[True, False, True],
                   label=["no", "yes", "no"])  # fmt: skip
    check = check_table(path, "label")
    assert [c.kind for c in check.columns] == ["refused", "number", "category", "label"]
    assert check.options == ("--label", "label", "--missing", "level", "--drop", "a", "--drop", "f")


@needs_shared
@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["name"])
def test_public_tables_have_options_that_read_them(entry):
    if entry["file"].startswith("ntu/"):
        check = check_table(DATA / entry["file"], "last")
        assert "--no-header" in check.options
        return
    assert check_table(DATA / entry["file"], "label").options[:2] == ("--label", "label")


def test_checking_takes_a_few_times_as_long_as_reading(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60_000, 8)).round(5)
    rows = [",".join(map(repr, row)) for row in X.tolist()]
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,c,d,e,f,g,h,kind,y\n"
        + "".join(f"{r},{'uvw'[k % 3]},{['no', 'yes'][k % 7 % 2]}\n" for k, r in enumerate(rows))
    )

    def seconds(call):
        start = time.process_time()
        call()
        return time.process_time() - start

    reading = min(seconds(lambda: read_table(path, label="y")) for _ in range(3))
    assert min(seconds(lambda: check_table(path)) for _ in range(3)) < 5 * reading
