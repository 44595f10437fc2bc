"""What `check` finds in a table, and that the options it proposes read that table."""

import pytest

from separatrix.data import InputError, typed
from separatrix.scale.tables_of_files import open_table
from separatrix.tables import read_table
from separatrix.tables.checking import check_table
from separatrix.tables.options import Reading
from tests.messy import messy_csv
from tests.tables.files import PLAIN, parquet


def suspected(check):
    return {column.name: column.suspicion for column in check.columns if column.suspicion}


def test_quoted_numbers_with_a_comma_are_no_decimals_where_commas_separate(write):
    check = check_table(write('a,b,y\n"1,5",2,no\n"2,5",3,yes\n"3,5",4,no\n'), "y")
    assert "--decimal" not in check.options


def test_a_plain_table_has_nothing_wrong(write):
    check = check_table(write("age,c,label\n20,u,no\n30,v,yes\n40,u,yes\n35,v,no\n"), "label")
    assert (check.problems, suspected(check)) == ((), {})
    assert check.options == ("--label", "label", "--yes", "yes")
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


@pytest.mark.parametrize(("levels", "said"), [("cd", ("--group-rare", "5")), ("cc", ())])
def test_several_rare_levels_are_to_be_grouped(write, levels, said):
    rows = "".join(f"{'ab'[k % 2] if k > 1 else levels[k]},{k % 7},{['no', 'yes'][k % 3 % 2]}\n"
                   for k in range(120))  # fmt: skip
    assert check_table(write("c,x,y\n" + rows), "y").options[4:] == said


def test_few_incomplete_rows_are_dropped_and_many_kept(write):
    rows = [f"{k % 7},{'yes' if k % 3 else 'no'}" for k in range(30)]
    few = check_table(write("\n".join(["a,y", ",no", *rows]) + "\n"), "y")
    assert "--missing" not in few.options
    why = "--missing drop, as at most 10% of the rows lack one; level or fill keeps these"
    assert few.problems == (f"1 value missing ({why}): 'a'.",)
    many = check_table(write("\n".join(["a,y", *[",no"] * 5, *rows]) + "\n"), "y")
    assert many.options[-2:] == ("--missing", "level")
    assert "(--missing level, as more than 10% of the rows lack one; drop" in many.problems[0]


@pytest.mark.parametrize(("decimal", "cell"), [(".", "2,91"), (",", "4.25")])
def test_two_decimal_marks_are_refused_in_the_words_of_reading(write, decimal, cell):
    path = write("a;y\n4.25;no\n2,91;yes\n7.5;yes\n3,1;no\n")
    with pytest.raises(InputError, match=f"'{cell}' has a decimal .* write all with one") as error:
        read_table(path, "y", decimal=decimal)
    assert typed(error.value) in check_table(path, "y", Reading(decimal=decimal)).problems


def test_a_column_that_decides_alone_is_said(write):
    rows = "".join(f"{k},{'p' if k > 4 else 'q'},{'yes' if k > 4 else 'no'}\n" for k in range(10))
    check = check_table(write("a,late,y\n" + rows), "y")
    for name in ("a", "late"):
        assert "decides the answer alone" in suspected(check)[name]
    assert check.options == ("--label", "y", "--yes", "yes", "--drop", "late")


def test_labels_are_guessed_or_named(write):
    check = check_table(write(PLAIN + "50,4.5,no\n"))
    assert check.label == "label"
    assert "No --label was given: 'label' is taken" in check.problems[0]
    check = check_table(write(PLAIN), "lable")
    assert (check.label, check.options) == (None, ())
    assert "Nearest: 'label'" in check.problems[0]
    rows = zip(range(9), ["yes", "Yes ", "y", "no", "NO", "n", "Y", "No", ""], strict=True)
    check = check_table(write("a,ok\n" + "".join(f"{k},{label}\n" for k, label in rows)))
    assert check.options == (
        "--label", "ok", "--yes", "yes", "--fold-labels", "--unlabelled", "drop",
    )  # fmt: skip
    for texts, alike in (
        (["yes", "Yes ", "y", "no"], "'Yes ' and 'y' and 'yes'."),
        (["yes", "No", "no", "yess"], "'No' and 'no'."),
        (["yes", "No", "no", "Yes"], "'No' and 'no'; 'Yes' and 'yes'."),
    ):
        rows = "".join(f"{k % 7},{text}\n" for k, text in enumerate(texts * 3))
        said = check_table(write(f"a,ok\n{rows}"), "ok").problems[0]
        assert said == f"Labels in column 'ok' differ only in case or blanks: {alike}"
    rows = "".join(f"{k % 7},{'yess' if k == 3 else ['yes', 'no'][k % 2]}\n" for k in range(40))
    said = " ".join(check_table(write(f"a,ok\n{rows}"), "ok").problems)
    assert "The label 'yess' of 1 row is nearly 'yes'" in said
    check = check_table(write("a,b\n1,2\n2,3\n3,4\n"))
    assert "No column has two values" in check.problems[0]
    check = check_table(write("a,b\n1,no\n2,no\n3,no\n"), "b")
    assert check.options == ()
    assert "one label only" in check.problems[-1]


def test_typed_columns_are_checked_too(tmp_path):
    path = parquet(tmp_path / "t.parquet", a=[[1], [2], [3]], b=[1, 2, None], f=[True, False, True],
                   label=["no", "yes", "no"])  # fmt: skip
    check = check_table(path, "label")
    assert [c.kind for c in check.columns] == ["refused", "number", "category", "label"]
    assert check.options == (
        "--label", "label", "--yes", "yes", "--missing", "level", "--drop", "a", "--drop", "f",
    )  # fmt: skip


@pytest.mark.parametrize(("labels", "yes", "because"), [
    (("paid", "default"), "default", "event"), (("Survived", "Died"), "Died", "event"),
    (("bad", "good"), "good", "word for yes"), (("0", "1"), "1", "word for yes"),
    (("-1", "1"), "1", "word for yes"), (("true", "false"), "true", "word for yes"),
    (("approved", "rejected"), "approved", "word for yes"), (("f", "t"), "t", "word for yes"),
    (("是", "否"), "是", "word for yes"), (("違約", "正常"), "違約", "event"),
    (("unpaid", "paid"), "paid", "negation"), (("late", "not late"), "late", "negation"),
    (("核可", "未核可"), "核可", "negation"), (("other", "default"), "default", "event"),
    (("f", "m"), "m", "second label in sorted order"),
    (("2", "1"), "2", "second label in sorted order"),
    (("setosa", "virginica"), "virginica", "second label in sorted order"),
])  # fmt: skip
def test_yes_is_proposed_and_the_reason_said(write, labels, yes, because):
    rows = "".join(f"{k * 7 % 5},{labels[k // 3 % 2]}\n" for k in range(12))
    path = write("a,y\n" + rows)
    check = check_table(path, "y")
    assert check.yes == read_table(path, "y").yes == open_table(path, "y").source.about.yes == yes
    assert because in check.why_yes
    said = () if "sorted" in because else ("--yes", yes)
    assert check.options == ("--label", "y", *said)


def test_yes_is_asked_for_as_labels_are_written_or_folded(write):
    check = check_table(write("a,y\n1,No\n2,Yes\n1,Yes\n2,No\n"), "y")
    assert check.options == ("--label", "y", "--yes", "Yes")
    assert check.labels == "'No' 2, 'Yes' 2"
    check = check_table(write("a,y\n1,No\n2,Yes\n1,yes\n2,No\n"), "y")
    assert check.options == ("--label", "y", "--yes", "yes", "--fold-labels")
    check = check_table(write("a,y\n1,No\n2,Yes\n1,y\n2,No\n"), "y")
    assert check.options == ("--label", "y", "--yes", "yes", "--fold-labels")


def test_a_label_spelled_otherwise_is_found_or_the_nearest_are_named(write):
    path = write("a,Loan Status,loan_state\n1,no,u\n2,yes,v\n1,yes,u\n2,no,v\n")
    check = check_table(path, "loan  STATUS")
    assert check.options[:2] == ("--label", "Loan Status")
    assert "'Loan Status', not 'loan  STATUS'" in check.problems[0]
    check = check_table(path, "loan_stat")
    assert (check.label, check.options) == (None, ())
    assert "Nearest: 'loan_state', 'Loan Status'" in check.problems[0]


def test_rows_that_repeat_another_are_counted(write):
    rows = [f"{k},{k * k % 11},{'uv'[k % 2]},{['no', 'yes'][k % 5 % 2]}" for k in range(40)]
    path = write("\n".join(["a,b,c,y", *rows, rows[0], rows[3], "4,5,u,no", rows[3]]) + "\n")
    (said,) = [p for p in check_table(path, "y").problems if "repeat" in p]
    assert said.startswith("4 rows repeat an earlier one in every column but the label: lines 42")
    assert "(labels alike)" in said
    path = write("\n".join(["a,b,c,y", *rows, "4,5,u,yes", rows[3]]) + "\n")
    (said,) = [p for p in check_table(path, "y").problems if "repeat" in p]
    assert "(1 with another label: no line gets both right)" in said
    few = "".join(f"{k % 3},{k % 2},{['no', 'yes'][k % 5 % 2]}\n" for k in range(40))
    assert not [p for p in check_table(write("a,b,y\n" + few), "y").problems if "repeat" in p]


def test_columns_of_one_value_are_to_be_dropped(write):
    rows = "".join(f"{k % 7},3,v,{'p' if k else ''},{['no', 'yes'][k % 5 % 2]}\n"
                   for k in range(30))  # fmt: skip
    check = check_table(write("a,n,c,p,y\n" + rows), "y")
    assert check.options == ("--label", "y", "--yes", "yes", "--drop", "n", "--drop", "c")
    assert suspected(check) == dict.fromkeys("ncp", "one value only")  # p has blanks as well
    assert any("'n' (one value only), 'c' (one value only)" in p for p in check.problems)


def test_a_label_that_is_a_function_of_another_column_is_said(write):
    rows = "".join(
        f"{k * 7 % 12},{k % 6},{'abcd'[k % 4]},{'no' if k % 6 in (0, 3) else 'yes'}\n"
        for k in range(48)
    )
    check = check_table(write("a,code,c,y\n" + rows), "y")
    told = "decides the answer alone: known before it?"
    assert suspected(check) == {"a": told, "code": told}
    assert "--drop" not in check.options  # it may be known before
    (said,) = [p for p in check.problems if "decide" in p]
    assert said.startswith("Columns that alone decide the label on every row: 'a', 'code'.")
    assert "--drop 'a' --drop 'code'" in said
