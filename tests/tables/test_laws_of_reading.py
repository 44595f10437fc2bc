"""Laws of reading: any numbers, any tables, any bytes."""

import csv
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from separatrix.data import InputError
from separatrix.tables import MISSING_TOKENS, NumberColumn, read_table, scan
from separatrix.tables.cells import what_is
from separatrix.tables.files.source import Source
from separatrix.tables.options import Dialect, Reading
from tests.hostile.profile import cases, examples
from tests.tables.files import values

SLOW_DISK = settings(
    max_examples=cases(100, 2000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

NUMBER_TEXT = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=12).map(str),
    st.from_regex(r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?",
                  fullmatch=True),
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@SLOW_DISK
@given(
    texts=st.lists(NUMBER_TEXT, min_size=2, max_size=30), blanks=st.sampled_from(["", " ", "\t"])
)
@example(texts=["0." + "1" * 800, "1" * 300 + "e-299", "4.9e-324", "2.4703282292062328e-324"],
         blanks="")  # fmt: skip
def test_law_numbers_are_pythons(tmp_path, texts, blanks):
    path = tmp_path / "t.csv"
    labels = ["no", "yes"] * len(texts)
    rows = "".join(f"{blanks}{t}{blanks},{y}\n" for t, y in zip(texts, labels, strict=False))
    path.write_text("a,label\n" + rows)
    got = np.array(values(read_table(path, "label"), "a"))
    assert got.tobytes() == np.array([float(t) for t in texts]).tobytes()


@SLOW_DISK
@given(text=st.text(alphabet="0123456789+-.eEinfatyNxX_, ٣", min_size=1, max_size=8))
def test_law_nothing_else_is_a_number(tmp_path, text):
    """What a column of one text becomes is what the rule says, never what a parser lets pass."""
    path = tmp_path / "t.csv"
    path.write_text(f'a;label\n"{text}";no\n"{text}";yes\n')
    bare = text.strip()
    try:
        column = read_table(path, "label", missing="fill", delimiter=";").columns[0]
    except InputError:
        missing = bare in MISSING_TOKENS
        assert missing or what_is(bare) in ("infinite", "date", "number-like", "hexadecimal")
        return
    if isinstance(column, NumberColumn):
        assert what_is(bare) == "number"
        assert column.values.tolist() == [float(bare)] * 2
    else:
        assert column.levels == (bare,)
        with pytest.raises(ValueError, match="could not convert"):
            float(bare)


@st.composite
def written_tables(draw):
    """Return (bytes, cells by row, first line of each row) of a table written by the csv module."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    # a lone CR only where everything is quoted: the csv module writes it bare otherwise
    pieces = [*'abc é😀",;|\t\n.<>=', "\r\n", *("\r" if quoting == csv.QUOTE_ALL else "")]
    cell = st.lists(st.sampled_from(pieces), max_size=6).map(lambda t: f"k{''.join(t)}k")
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=2, max_size=12))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    out.write(end * draw(st.integers(0, 2)))
    writer.writerow([f"c{k}" for k in range(width)] + ["label"])
    lines = []
    for k, row in enumerate(rows):
        out.write(end * draw(st.integers(0, 1)))
        lines.append(1 + _line_ends(out.getvalue()))
        writer.writerow([*row, "no" if k == 0 else "yes"])
    text = out.getvalue()
    if draw(st.booleans()):
        text = text.removesuffix(end)
    codec = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    return text.encode(codec), rows, lines, delimiter


def _line_ends(text):
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


@SLOW_DISK
@pytest.mark.filterwarnings("ignore:Column:separatrix.SeparatrixWarning")
@given(written=written_tables())
def test_law_round_trip(tmp_path, written):
    data, rows, lines, delimiter = written
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    table = read_table(path, "label", delimiter=delimiter)
    got = list(zip(*(values(table, c.name) for c in table.columns), strict=True))
    assert got == [tuple(row) for row in rows]
    assert table.lines.tolist() == lines


@examples(200)
@given(
    rows=st.lists(
        st.lists(
            st.text(alphabet="ab1. é;'", max_size=4)
            | st.sampled_from(
                ['""', '"a"', '"a,b"', '"a""b"', '"a\nb"', 'a"', '"', '"a"b', ' "a"']
            ),
            min_size=2,
            max_size=3,
        ),
        max_size=9,
    ),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"]), min_size=9, max_size=9),
)
def test_law_both_readers_see_the_same(rows, ends):
    """Where the fast reader answers at all, the csv module gives the same cells and lines."""
    text = "x,y\n" + "".join(",".join(r) + e for r, e in zip(rows, ends, strict=False))
    dialect = Dialect(",", "utf-8", True, '"', ".")
    fast = scan.cells_at_once(text, dialect, 2)
    try:
        slow = scan.columns_of("", scan._records("", text, ",", '"'), dialect, 2)
    except InputError:
        assert fast is None
        return
    if fast is not None:
        assert [c.to_pylist() for c in fast[0]] == [c.to_pylist() for c in slow[0]]
        assert fast[1].tolist() == slow[1].tolist()


def test_the_fast_reader_answers_for_a_large_plain_file(tmp_path):
    n = 60_000
    rows = "".join(f'{k},{k / 7!r},"{"yes" if k % 3 else "no"}"\r\n' for k in range(n))
    path = tmp_path / "t.csv"
    path.write_bytes(("a,b,label\r\n\r\n" + rows).encode())
    dialect = Dialect(",", "utf-8", True, '"', ".")
    assert scan.cells_at_once(path.read_bytes().decode(), dialect, 3) is not None
    table = read_table(path, "label")
    assert values(table, "b") == [k / 7 for k in range(n)]
    assert table.lines.tolist() == list(range(3, n + 3))


@examples(100)
@given(data=st.binary(max_size=200))
@example(data=b"a,b\n1,\xff\n")
@example(data=b'"')
def test_law_any_bytes_give_a_table_or_an_input_error(data):
    for reading in (Reading(), Reading(encoding="latin-1"), Reading(delimiter="whitespace")):
        try:
            (found,) = scan.csv_chunks(Source("t", data), reading)
        except InputError:
            continue
        else:
            assert {len(c.cells) for c in found.columns} == {found.lines.size}
