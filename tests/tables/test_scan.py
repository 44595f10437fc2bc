"""The text of files: encodings, delimiters, quotes and lines."""

import pytest

from separatrix.data import InputError
from separatrix.tables import read_table
from tests.processes import python
from tests.tables.files import PLAIN, values


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_are_read(write, codec):
    path = write("größe,label\n1,ja\n2,nein\n".encode(codec))
    table = read_table(path, "label")
    assert [c.name for c in table.columns] == ["größe"]
    assert table.dialect.encoding == codec
    assert read_table(path, "label", encoding=codec).yes == "ja"
    if codec == "utf-8-sig":  # the mark is no part of a name, told or not
        assert read_table(path, "größe", encoding="utf-8").label == "größe"


def test_latin_1_is_read_when_named(write):
    path = write("a,label\n1,été\n2,no\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"line 2: byte 10 \(0xe9\) is not utf-8.*encoding"):
        read_table(path, "label")
    assert read_table(path, "label", encoding="latin-1").yes == "été"
    path = write(PLAIN.encode("utf-16-le"))
    assert read_table(path, "label", encoding="utf-16-le").y.tolist() == [-1, 1, 1]


@pytest.mark.parametrize(("delimiter", "name"), [(",", ","), (";", ";"), ("\t", "tab"), ("|", "|")])
def test_delimiters_are_found_or_told(write, delimiter, name):
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


def test_quotes_that_quote_nothing_are_read_when_that_is_said(write):
    table = read_table(write('a,label\n"x"y,no\nz",yes\n'), "label", quote="")
    assert table.columns[0].levels == ('"x"y', 'z"')


def test_tabs_win_over_blanks_in_text(write):
    table = read_table(write("first name\tlabel\nAnn Lee\tno\nBo Day\tyes\n"), "label")
    assert table.columns[0].levels == ("Ann Lee", "Bo Day")


def test_two_possible_delimiters_are_asked_about(write):
    path = write("1,5;2,5;0\n3,5;4,5;1\n")
    with pytest.raises(InputError, match="delimiter"):
        read_table(path, "last", header=False)
    table = read_table(path, "last", header=False, delimiter=";", decimal=",")
    assert values(table, "column 2") == [2.5, 4.5]


def test_more_rows_than_memory_holds_are_refused(write):
    path = write("1 1:1\n-1 10000000:1\n" * 40_000)
    with pytest.raises(InputError, match=r"80,000 rows and 10,000,000 columns needs .* available"):
        read_table(path)


@pytest.mark.parametrize("content", [
    "\n\na,label\n1,no\n2,yes\n\n \n", "\r\n\r\na,label\r\n1,no\r\n2,yes",
    "\n\na,label\n1,no\r\n2,yes\n", "\r\ra,label\r1,no\r2,yes\r",
])  # fmt: skip
def test_blank_lines_and_all_line_ends_are_read(write, content):
    table = read_table(write(content), "label")
    assert values(table, "a") == [1, 2]
    assert table.lines.tolist() == [4, 5]


def test_a_header_of_many_columns_without_rows_takes_little_memory(tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(f"c{k}" for k in range(80_000)) + "\n")
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
    said, kilobytes = python("-c", program, cwd=tmp_path).stdout.splitlines()
    assert said == "wide.csv has a header line and no rows."
    assert int(kilobytes) < 0.3 * 80_000
