"""Labels in files: two of them, as written, and what is refused."""

import warnings

import pytest

from separatrix.data import InputError
from separatrix.scale.tables_of_files import open_table
from separatrix.tables import read_table
from tests.tables.files import PLAIN


def test_rows_without_a_label_are_dropped_and_counted(write):
    path = write("a,label\n1,no\n2,yes\n3,\n4,NA\n")
    with pytest.raises(InputError, match=r"line 4.*'label'.*2 rows of 4.*unlabelled=.drop"):
        read_table(path, "label")
    table = read_table(path, "label", unlabelled="drop")
    assert table.y.tolist() == [-1, 1]
    assert any("2 rows of 4 left out" in note for note in table.notes)
    assert table.n_dropped == 0
    both = read_table(write("a,label\n0,\n1,no\n,no\n,\n2,yes\n"), "label", unlabelled="drop")
    assert (both.lines.tolist(), both.n_dropped, both.n_rows_in_file) == ([3, 6], 1, 5)


def test_three_labels_are_refused_with_the_way_out(write):
    path = write("a,label\n1,x\n2,y\n3,z\n4,z\n")
    with pytest.raises(InputError, match=r"3 labels: 'x' \(1 row\).*'z' \(2 rows\).*yes=VALUE"):
        read_table(path, "label")
    table = read_table(path, "label", "z")
    assert (table.no, table.yes, table.y.tolist()) == ("not z", "z", [-1, -1, 1, 1])


@pytest.mark.parametrize(("labels", "rows", "warned"), [
    (("no", "yes", "noo"), (40, 50, 4), ["'noo' of 4 rows is nearly 'no' (40 rows)"]),
    (("no", "yes", "ye s"), (500, 500, 1), ["'ye s' of 1 row is nearly 'yes' (500 rows)"]),
    (("paid", "late", "lage", "pai"), (900, 80, 1, 8),
     ["'lage' of 1 row is nearly 'late'", "'pai' of 8 rows is nearly 'paid' (900 rows)"]),
    (("no", "yes", "noo"), (39, 50, 4), []),  # not so rare
    (("type 1", "type 2", "other"), (500, 2, 3), []),  # digits
    (("1", "10", "100"), (500, 2, 3), []),  # numbers
    (("a", "b", "c"), (500, 2, 3), []),
    (("typical", "atypical"), (500, 2), []),  # no third
    (("yes", "maybe", "never"), (500, 2, 3), []),
])  # fmt: skip
@pytest.mark.parametrize("in_blocks", [False, True])
def test_labels_that_may_be_misspelt_are_warned_of(write, in_blocks, labels, rows, warned):
    texts = [text for text, n in zip(labels, rows, strict=True) for _ in range(n)]
    path = write("a,label\n" + "".join(f"{k},{text}\n" for k, text in enumerate(texts)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = open_table(path, "label", labels[0]) if in_blocks else None
        table = table.source.about if in_blocks else read_table(path, "label", labels[0])
    said = [str(warning.message) for warning in caught]
    assert len(said) == len(warned)
    assert all(any(part in text for text in said) for part in warned)
    assert set(said) <= set(table.notes)
    assert table.rest == tuple(sorted(labels[1:])) * (len(labels) > 2)


def test_yes_may_be_the_first_label(write):
    table = read_table(write(PLAIN), "label", "no")
    assert (table.no, table.yes, table.y.tolist()) == ("yes", "no", [1, -1, -1])


@pytest.mark.parametrize("other", [" yes", "Yes", "yes "])
def test_labels_that_look_alike_are_refused(write, other):
    path = write(f"a,label\n1,no\n2,yes\n3,{other}\n")
    with pytest.raises(InputError, match=r"differ only in case or blanks.*fold_labels=True"):
        read_table(path, "label")
    assert read_table(path, "label", "YES", fold_labels=True).y.tolist() == [-1, 1, 1]


@pytest.mark.parametrize(
    ("labels", "no", "yes"),
    [
        (["0", "1"], "0", "1"),
        (["-1", "1"], "-1", "1"),
        (["10", "9"], "9", "10"),  # by value, not by text
        (["1.0", "2.50"], "1", "2.5"),
        (["false", "true"], "false", "true"),
        (["b", "a"], "a", "b"),
        (["-", "+"], "-", "+"),  # the one that says yes
    ],
)
def test_any_two_labels_will_do(write, labels, no, yes):
    path = write("a,label\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels * 3)))
    table = read_table(path, "label")
    assert (table.no, table.yes) == (no, yes)


def test_numbers_that_are_equal_are_one_label(write):
    table = read_table(write("a,label\n1,1\n2,1.0\n3,0\n4,0e0\n5,+1\n"), "label", "1.00")
    assert (table.no, table.yes, table.y.tolist()) == ("0", "1", [1, 1, -1, -1, 1])


def test_long_integer_labels_stay_apart(write):
    table = read_table(write("a,label\n1,9007199254740992\n2,9007199254740993\n"), "label")
    assert table.y.tolist() == [-1, 1]
