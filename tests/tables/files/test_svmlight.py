"""Tables in svmlight files."""

from __future__ import annotations

import pytest

from separatrix.data import InputError
from separatrix.tables import fit_encoding, read_rows, read_table

SPARSE = "# head\n+1 qid:1 1:0.5 3:-2 # why\n-1 qid:2\n\n-1 qid:2 2:1e1\n"


def test_svmlight_files_are_read_sparse(write):
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
