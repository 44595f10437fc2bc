"""Tables that programs could read in two ways are not read."""

import time

import pytest

from separatrix import verify
from tests.verify.by_hand import claimed

TEN = "x,y\n10,no\n20,yes\n31,no\n"


def test_rows_within_quotes_are_one_cell_and_it_is_said():
    text = 'x,who,y\n1,"Al,no\n9,Cy,no\n8,Dan",yes\n0,Ed,no\n'
    answer = claimed(text, (-0.5, 1), label={"index": 2})
    assert "The rows: 2 of 2, in lines 2 to 5 of 5; line 1 names the columns." in answer
    assert "1 record of it run over several lines in quotes" in answer


def test_labels_decide_whether_the_first_line_names_the_columns():
    bare, named = "5,yes\n1,no\n2,yes\n", "x,y\n1,no\n2,yes\n"
    label = {"yes": ["yes"], "no": ["no"]}
    answer = claimed(bare, (-1.5, 1), label=label)
    assert answer == "CannotCheck: line 1 of the table is read as names and is a row like others"
    answer = claimed(bare, (-1.5, 1), label=label, dialect={"header": False})
    assert "The rows: 3 of 3, in lines 1 to 3 of 3; no line names columns." in answer
    assert "is column 'column 2' 'yes'" in answer
    assert claimed(named, (-1.5, 1), dialect={"header": False}).startswith("CannotCheck: line 1")
    answer = claimed(f"?,no\n{bare}", (-1.5, 1), column={"fill": 31})
    assert answer == "CannotCheck: line 1 of the table is read as names and is a row like others"
    assert "The rows: 2 of 2, in lines 2 to 3 of 3; line 1 names the columns." in claimed(
        named, (-1.5, 1)
    )


@pytest.mark.parametrize(
    "encoding", ["cp1252", "latin-1", "gb18030", "big5", "euc-kr", "shift_jis"]
)
def test_a_table_in_utf_8_is_not_read_as_anything_else(encoding):
    text = "größe,y\n1,no\n2,yes\n"
    answer = claimed(text.encode(), (-1.5, 1), dialect={"encoding": encoding})
    assert answer == f"CannotCheck: the table is utf-8 and the proof reads it as {encoding}"
    assert f"the encoding is {encoding}" in claimed(
        TEN.replace("31", "5"), (-15, 1), encoding=encoding
    )


def test_utf_16_needs_its_mark():
    text = "x,y\n1,no\n2,yes\n"
    assert "the encoding is utf-16" in claimed(text, (-1.5, 1), encoding="utf-16")
    bare = text.encode("utf-16-le")
    answer = claimed(bare, (-1.5, 1), dialect={"encoding": "utf-16"})
    assert answer.endswith("no byte-order mark")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x,y\n1,no\r2,yes\n", "CR alone"),
        ("x,y\n1,no\n2,yes\0\n", "NUL"),
        ("x,y\n1,no\n2,yes,\n", "fields"),
        ("x,y\n1,no\n2\n3,yes\n", "fields"),
        ("x,y\n1,no\n2,yes \n", "unknown label"),
        ("x,y\n1,no\n2,Yes\n", "unknown label"),
        ("x,y\n1,no\n\u00a02,yes\n", "no number"),
        ("x,y\n1,no\n2\u2028,yes\n", "no number"),
        ("x,y\n1,no\n\u0662,yes\n", "no number"),
        ("x,y\n1,no\n1e999,yes\n", "too large"),
        ("\ufeff\ufeffx,y\n1,no\n2,maybe\n", "unknown label"),
    ],
)
def test_what_is_no_plain_table_is_not_read(text, why):
    answer = claimed(text, (-1.5, 1))
    assert answer.startswith("CannotCheck")
    assert why in answer


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "end"])
def test_lines_end_in_one_way(end, last):
    text = end.join(["x,y", "1,no", "2,yes"]) + (end if last else "")
    assert "2 of 2, in lines 2 to 3 of 3; line 1 names" in claimed(text, (-1.5, 1))


def test_single_blanks_separate_cells_only_where_no_two_follow_each_other():
    text = "x y\n1 no\n2 yes\n"
    assert "separated by single blanks" in claimed(text, (-1.5, 1), dialect={"delimiter": " "})
    for odd in ("x y\n1  no\n2 yes\n", "x y\n1 no\n 2 yes\n", "x y\n1\tno\n2 yes\n"):
        answer = claimed(odd, (-1.5, 1), dialect={"delimiter": " "})
        assert "several blanks" in answer
        answer = claimed(odd, (-1.5, 1), dialect={"delimiter": "whitespace"})
        assert "separated by blanks and tabs" in answer


SIGNS = "x,y\n+,yes\n-,no\n?,no\n"


def test_a_minus_beside_a_plus_is_a_value():
    levels = {"levels": ["+", "-"], "missing": ["?"]}
    answer = claimed(SIGNS, (1, -2), column=levels)
    assert "'-' is a value in 'x'." in answer
    assert "1 left out: 1 for want of 'x' (line 4)." in answer
    for column in ({"levels": ["+"], "missing": ["-", "?"]}, {**levels, "missing": ["-", "?"]}):
        assert claimed(SIGNS, column=column).endswith("takes a value for a missing one")
    label = {"yes": ["+"], "no": ["?"], "unlabelled": ["-"]}
    assert claimed("x,y\n1,+\n2,-\n", label=label).startswith("Malformed: 'no'")
    label = {"yes": ["+"], "no": ["n"], "unlabelled": ["-"]}
    assert claimed("x,y\n1,+\n2,-\n3,n\n", label=label).endswith("a label for a missing one")
    label = {"yes": ["-"], "no": ["+"], "unlabelled": ["?"]}
    assert "2 of 3" in claimed("x,y\n1,+\n2,-\n3,?\n", (-1.5, 1), label=label)
    label = {"yes": ["a"], "no": ["b"], "unlabelled": ["-"]}
    assert "2 of 3" in claimed("x,y\n1,b\n2,a\n3,-\n", (-1.5, 1), label=label)


def test_a_column_of_one_level_is_no_feature():
    answer = claimed("x,y\na,no\na,yes\n", column={"levels": ["a"]})
    assert answer == "CannotCheck: the proof makes no features of the table, or too many"


def test_labels_that_look_alike_are_said():
    text = "x,y\n1,No\n2,yes\n0,no\n3, YES\n"
    label = {"yes": ["yes", " YES"], "no": ["No", "no"]}
    answer = claimed(text, (-1.5, 1), label=label)
    assert "is column 'y' ' YES', 'yes' (yes, 2 rows) or 'No', 'no' (no, 2 rows)?" in answer
    assert "Labels that look alike: 'No' means no, 'no' means no." in answer
    apart = claimed("x,y\n1,no\n2,No\n", (-1.5, 1), label={"yes": ["No"], "no": ["no"]})
    assert "Labels that look alike: 'No' means yes, 'no' means no." in apart
    numbers = claimed("x,y\n1,1\n2,1.0\n", (-1.5, 1), label={"yes": ["1.0"], "no": ["1"]})
    assert "'1' means no, '1.0' means yes." in numbers


def test_columns_of_one_name_are_numbered():
    text = "x,y,x,\n1,no,5,3\n2,yes,4,3\n"
    answer = claimed(text, (-1.5, 1))
    assert (
        "The 1 features: 'x (column 1)'; 2 columns left out: 'x (column 3)', 'column 4'." in answer
    )


def test_what_is_filled_in_is_said_with_its_value():
    text = "x,y\n1,no\n?,yes\n,yes\n"
    answer = claimed(text, (-1.5, 1), column={"fill": 7})
    assert "In 2 rows a missing value is filled in: 'x' by 7.0 in 2." in answer


def test_all_reasons_and_dialects_are_said():
    text = "x;y;w\n\n1,5;no;1\n;yes;1\n2,5;yes;2\n2,5;;2\n2,5;yes;0\n\n"
    answer = claimed(
        text, (-2, 1), weight={"index": 2}, label={"unlabelled": [""]},
        dialect={"delimiter": ";", "decimal": ",", "quote": ""},
    )  # fmt: skip
    assert "The rows: 2 of 5, in lines 3 to 7 of 8; line 1 names the columns." in answer
    assert (
        "3 left out: 1 for want of 'x' (line 4), 1 for want of a label (line 6), "
        "1 for a weight of 0 (line 7)."
    ) in answer
    assert (
        "read so: cells are separated by semicolons, the decimal mark is a comma, no character "
        "quotes."
    ) in answer
    assert "2 lines of it hold nothing but blanks." in answer


def test_of_many_lines_the_others_are_counted():
    twelve = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert verify.in_lines([7]) == "line 7"
    assert verify.in_lines(range(1, 13)) == f"lines {twelve} and 12"
    assert verify.in_lines(range(1, 15)) == f"lines {twelve}, 12 and 2 more"


def test_long_names_say_that_they_were_cut():
    long = "n" * 60
    answer = claimed(f"{long},y\n1,no\n2,yes\n", (-1.5, 1))
    assert f"{'n' * 40}' (and 20 characters more)" in answer


def both(text, *readings, weights=(0, 1)):
    """What is said of several readings of one table, without what they prove."""
    answers = [claimed(text, weights, kind="mistakes", **reading) for reading in readings]
    assert all(answer.startswith("The question") for answer in answers), answers
    return [answer.split("\n")[0] for answer in answers]


def one_column(index):
    return {"column": {"index": index}, "label": {"index": 2}}


@pytest.mark.parametrize(
    "header",
    [
        "column 2,", "column 2,column 1", "a (column 2),a", "a,a", ",column 1 (column 2)",
        f"{'income of the applicant' * 2} now,{'income of the applicant' * 2} then",
        f"{'n' * 50} (column 2),{'n' * 50}",
    ],
)  # fmt: skip
def test_no_two_columns_are_printed_alike(header):
    first, second = both(f"{header},y\n1,2,no\n2,1,yes\n", one_column(0), one_column(1))
    used, left = first.split("features: ")[1].split("; 1 column left out: ")
    assert left.startswith(second.split("features: ")[1].split(";")[0])
    assert not left.startswith(used)


def test_no_two_label_columns_are_printed_alike():
    text = "x,column 3,\n1,yes,yes\n2,no,no\n3,no,yes\n"
    first, second = both(text, {"label": {"index": 1}}, {"label": {"index": 2}})
    assert "is column 'column 3 (column 2)' 'yes'" in first
    assert "is column 'column 3 (column 3)' 'yes'" in second


def test_no_feature_is_printed_like_a_column_or_another_feature():
    long = "l" * 50
    levels = {"levels": ["a", f"{long}1", f"{long}2"]}
    text = f"x,y\na,no\n{long}1,yes\n{long}2,yes\n"
    (answer,) = both(text, {"column": levels}, weights=(0, 1, 1))
    assert "(column 1, level 2)', 'x=" in answer
    assert "(column 1, level 3)'." in answer
    (answer,) = both(
        "x,x=b,y\na,1,no\nb,2,yes\n", {"column": {"levels": ["a", "b"]}, "label": {"index": 2}}
    )
    assert "The 1 features: 'x=b (column 1, level 2)'; 1 column left out: 'x=b'." in answer


def of_columns(*indices):
    """A reading of the columns at these places."""
    return [{"index": k, "levels": None, "fill": None, "missing": []} for k in indices]


def test_columns_that_long_lists_hide_are_counted_up():
    text = ",".join(f"c{k:02d}" for k in range(28)) + ",y\n" + "5," * 28 + "no\n" + "6," * 28
    first, second = (
        both(
            f"{text}yes\n",
            {"columns": of_columns(*places), "label": {"index": 28}},
            weights=(*[0] * len(places), 1),
        )[0]
        for places in (range(13), (*range(12), 14, 26, 27))
    )
    assert "The features are columns 1 to 13. The 13 features" in first
    assert "The features are columns 1 to 12, 15 and 27 to 28. The 15 features" in second


def test_levels_that_are_written_as_numbers_are_said_where_a_list_hides_them():
    text = ",".join("abcdefghijklmn") + ",y\n" + "5," * 14 + "no\n" + "6," * 14 + "yes\n"
    columns = of_columns(*range(14))
    weights = (*[0] * 14, 1)
    (plain,) = both(text, {"columns": columns, "label": {"index": 14}}, weights=weights)
    columns[12]["levels"] = columns[13]["levels"] = ["6", "5"]
    (levels,) = both(text, {"columns": columns, "label": {"index": 14}}, weights=weights)
    assert "Each number is a level of its own in columns 13 to 14. The 14 features" in levels
    assert plain == levels.replace(" Each number is a level of its own in columns 13 to 14.", "")


def test_what_is_filled_in_is_said_of_all_columns():
    text = ",".join("abcdefghijklmn") + ",y\n" + "," * 14 + "no\n" + "6," * 14 + "yes\n"
    columns = [column | {"missing": [""], "fill": 5} for column in of_columns(*range(14))]
    (answer,) = both(text, {"columns": columns, "label": {"index": 14}}, weights=(*[0] * 14, 1))
    assert "'n' by 5.0 in 1." in answer


def test_no_two_labels_are_printed_alike():
    long = "A" * 40
    text = f"x,y\n1,{long}1\n2,{long}2\n3,{long}3\n"
    first, second = both(
        text, *({"label": {"yes": [f"{long}{k}"], "no": [f"{long}{3 - k}", f"{long}3"]}}
        for k in (1, 2))
    )  # fmt: skip
    assert f"is column 'y' '{long}1' (yes, 1 rows) or '{long}2', '{long}3' (no, 2" in first
    assert f"is column 'y' '{long}2' (yes, 1 rows) or '{long}1', '{long}3' (no, 2" in second


def test_labels_too_long_to_be_printed_are_refused():
    long = "A" * 131_000
    labels = [f"{long}{k}" for k in range(200)]
    text = "x,y\n1,no\n" + "".join(f"2,{label}\n" for label in labels)
    answer = claimed(text, (-1.5, 1), label={"yes": labels})
    assert answer.startswith("CannotCheck: the labels are too long to be printed")


def test_blanks_that_would_make_another_level_are_said():
    levels = {"levels": ["red", "blue"]}
    (answer,) = both("x,y\nred,yes\n red,no\nblue,no\n", {"column": levels})
    assert "In 1 cell of 'x' blanks around the value are left out." in answer
    (answer,) = both("x,y\n red,yes\n red\t,no\nblue,no\n", {"column": levels})
    assert "In 2 cells of 'x' blanks around the value are left out." in answer
    (answer,) = both("x,y\n red,yes\n red,no\n blue,no\n", {"column": levels})
    assert "blanks" not in answer


def test_blanks_around_a_label_make_no_name_of_a_column():
    answer = claimed("10,yes \n20,yes\n31,no\n", (-25, 1), label={"yes": ["yes"]})
    assert answer == "CannotCheck: line 1 of the table is read as names and is a row like others"


@pytest.mark.parametrize(
    "other",
    ["y\u0435s", "y\u0435\u0455", "YES", "\uff59\uff45\uff53", "yes\u3164", "ye\u200bs",
     "yes\u2800", "y\u00a0es", "\u03a5\u0395S", "yes\ufe0f", "\U0001d432es", "ye\u00ads"],
)  # fmt: skip
def test_labels_in_other_characters_look_alike(other):
    (answer,) = both(f"x,y\n1,yes\n2,{other}\n", {"label": {"yes": ["yes"], "no": [other]}})
    assert "Labels that look alike: " in answer
    assert "'yes' means yes" in answer
    assert f"{other!a} means no" in answer


def test_cyrillic_and_greek_labels_that_differ_do_not_look_alike():
    for yes, no in (
        ("\u0434\u0430", "\u043d\u0435\u0442"),
        ("\u03bd\u03b1\u03b9", "\u03bf\u03c7\u03b9"),
        ("1", "10"),
    ):
        (answer,) = both(f"x,y\n1,{yes}\n2,{no}\n", {"label": {"yes": [yes], "no": [no]}})
        assert "look alike" not in answer


def test_labels_that_are_one_number_look_alike_with_any_decimal_mark():
    (answer,) = both(
        "x;y\n1;1,0\n2;1\n",
        {"label": {"yes": ["1,0"], "no": ["1"]}, "dialect": {"decimal": ",", "delimiter": ";"}},
    )
    assert "Labels that look alike: '1' means no, '1,0' means yes." in answer


def test_labels_of_combining_characters_take_no_time():
    label = "e" + "\u0315\u0300" * 60_000
    start = time.process_time()
    (answer,) = both(f"x,y\n1,yes\n2,{label}\n", {"label": {"yes": ["yes"], "no": [label]}})
    assert "look alike" not in answer
    assert time.process_time() - start < 3
