"""CSV through a pipe: the rows of a file, however the bytes come, and the same refusals."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import InputError, SeparatrixWarning, read_table
from separatrix.tables import incremental
from separatrix.tables.incremental import IncrementalCsv, without_quotes
from separatrix.tables.reading import Reading
from separatrix.tables.scan import LARGE
from tests.hostile.profile import examples

ROWS = "a,b,y\n1,2,no\n3,NA,yes\n\n-5e-1, 6 ,yes\n7,8,no\n"


class Pipe(io.RawIOBase):
    """Bytes that come in pieces of these sizes."""

    def __init__(self, data: bytes, sizes):
        self.data, self.sizes = data, iter(sizes)

    def read1(self, most):
        size = min(most, next(self.sizes, most))
        piece, self.data = self.data[:size], self.data[size:]
        return piece


def read(text, sizes=(), label="y", yes=None, no=None, **options):
    data = text if isinstance(text, bytes) else text.encode(options.get("encoding", "utf-8"))
    rows = IncrementalCsv(Pipe(data, sizes), "stdin", label, yes, no, Reading(**options))
    batches = list(rows)
    parts = zip(*((b.X, b.y, b.lines) for b in batches), strict=True)
    return (rows, *map(np.concatenate, parts))


def test_rows_are_read_with_their_lines():
    rows, X, y, lines = read(ROWS)
    assert X.tolist() == [[1, 2], [-0.5, 6], [7, 8]]
    assert y.tolist() == [-1, 1, -1]
    assert lines.tolist() == [2, 5, 6]
    assert (rows.n_rows, rows.n_dropped) == (4, 1)
    assert rows.features == ("a", "b")
    assert rows.labels.both == ("no", "yes")


@pytest.fixture
def short_blocks(monkeypatch):
    monkeypatch.setattr(incremental, "SAMPLE_LINES", 3)
    monkeypatch.setattr(incremental, "BLOCK", 64)


@pytest.mark.usefixtures("short_blocks")
@examples(100)
@given(
    ends=st.sampled_from(["\n", "\r\n"]),
    sizes=st.lists(st.integers(1, 40), max_size=60),
    cells=st.lists(
        st.tuples(st.integers(-9, 9), st.sampled_from(["1.5", '"2"', " 3 ", "NA", "-0"]),
                  st.sampled_from(["no", '"yes"', "yes"])),
        min_size=5, max_size=40,
    ),
)  # fmt: skip
def test_however_bytes_come_rows_are_those_of_a_file(tmp_path_factory, ends, sizes, cells):
    text = ends.join(["a,b,y", "1,1,no", "2,2,yes", *(f"{a},{b},{y}" for a, b, y in cells), ""])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.encode())
    table = read_table(path, label="y")
    rows, X, y, lines = read(text, sizes)
    assert X.tolist() == np.column_stack([c.values for c in table.columns]).tolist()
    assert y.tolist() == table.y.tolist()
    assert lines.tolist() == table.lines.tolist()
    assert rows.sha256 == table.sha256
    assert rows.head.dialect == table.dialect


@pytest.mark.parametrize("quote", ["", '"'])
def test_long_blocks_are_read_by_arrow_and_give_the_same(tmp_path, quote):
    rng = np.random.default_rng(0)
    body = "".join(
        f"{a!r},{quote}{b!r}{quote},{quote}{'yes' if a > 0 else 'no'}{quote}\n"
        for a, b in rng.normal(size=(40_000, 2)).tolist()
    )
    assert len(body) > 2 * LARGE
    (tmp_path / "t.csv").write_text("a,b,y\n\n" + body)
    table = read_table(tmp_path / "t.csv", label="y")
    _, X, y, lines = read("a,b,y\n\n" + body, [1 << 20] * 10)
    assert X.tolist() == np.column_stack([c.values for c in table.columns]).tolist()
    assert (y == table.y).all()
    assert (lines == table.lines).all()


def test_quotes_with_line_ends_in_them_are_kept_together():
    text = 'a,"y\nz"\n' + '1,"no\n!"\n2,"yes\n?"\n' * 60
    _, X, y, lines = read(text, [7] * 1000, label="y\nz")
    assert len(X) == 120
    assert lines[:3].tolist() == [3, 5, 7]
    assert y[:2].tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b\n1,2\n", "a,b\n1,2\n"),
        ('"a","b"\n"1",2', "a,b\n1,2"),
        ('"",""\r\n"é"', ",\r\né"),
        ('a,"b,c"\n', None),
        ('a,"b\nc"\n', None),
        ('a,"b""c"\n', None),
        ('a,b"c"\n', None),
        ('a, "b"\n', None),
        ('a,"b\n', None),
    ],
)
def test_quotes_that_mean_nothing_are_left_out(text, found):
    assert without_quotes(text, ",", '"') == found


def test_labels_are_those_given_or_seen():
    assert read("x,y\n1,b\n2,a\n")[0].labels.both == ("a", "b")
    assert read("x,y\n1,10\n2,9\n")[0].labels.both == ("9", "10")  # as numbers
    assert read("x,y\n1,b\n2,a\n", yes="a")[2].tolist() == [-1, 1]
    assert read("x,y\n1,b\n2,a\n", no="b")[2].tolist() == [-1, 1]
    assert read("x,y\n1,1.0\n2,0\n1,1\n", yes="1")[2].tolist() == [1, -1, 1]
    assert read("x,y\n1,a\n2,b\n1,\n", unlabelled="drop")[2].tolist() == [-1, 1]
    assert read("x;y\n1,5;a\n2;b\n", decimal=",")[1].tolist() == [[1.5], [2.0]]
    assert read("1,a\n2,b\n", label="column 2", header=False)[1].tolist() == [[1.0], [2.0]]
    assert read("é,y\n1,a\n2,b\n", encoding="latin-1")[0].features == ("é",)


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        ("- - - - + - +", 7),  # "-" is a label beside "+"
        ("- - - - no - yes", 2),  # and missing beside others
        ("- + - - - - +", 7),
        ("no - - - - - yes", 2),
        ("1.0 1 1.0 1.0 1.0 x 1", 7),
        ("? - ? - ? + -", 4),
    ],
)
def test_what_a_label_is_does_not_depend_on_how_the_bytes_come(labels, kept):
    text = "x,y\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels.split()))
    first, *whole = read(text, [len(text)], unlabelled="drop")
    assert len(whole[0]) == kept
    for size in (4, 6, 11, 20):
        rows, *found = read(text, [size] * 99, unlabelled="drop")
        assert [a.tolist() for a in found] == [a.tolist() for a in whole]
        assert (rows.labels.both, rows.n_rows, rows.n_dropped) == (
            first.labels.both, first.n_rows, first.n_dropped
        )  # fmt: skip


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("size", [5, 64, 900])
def test_where_a_label_is_missing_does_not_depend_on_it_either(monkeypatch, size):
    monkeypatch.setattr(incremental, "BLOCK", 900)
    with pytest.raises(InputError, match="line 2, column 'y': the label is missing"):
        read("x,y\n1,-\n2,-\n3,-\n4,-\n5,-\n6,good\n7,bad\n", [size] * 99)
    monkeypatch.setattr(incremental, "ONE_LABEL", 150)
    with pytest.raises(InputError, match="the first 150 rows have one label, 'a'"):
        read("x,y\n" + "1,a\n" * 151 + "2,b\n", [size] * 999)
    assert len(read("x,y\n" + "1,a\n" * 150 + "2,b\n", [size] * 999)[1]) == 151


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "stdin is empty"),
        ("x,y\n", {}, "header line and no rows"),
        ("x,y\n1,a\n2,a\n", {}, "holds one label only, 'a'"),
        ("x,y\n1,a\n2,b\n3,c\n", {}, "line 4, column 'y': 'c' is a third label"),
        ("x,y\n1,a\n2,b\n", {"yes": "c"}, "line 3, column 'y': 'b' is a third label"),
        ("x,y\n1,a\n2,A\n", {}, "differ only in case"),
        ("x,y\n1,a\n2,\n", {}, "line 3, column 'y': the label is missing"),
        ("x,y\n1,a\nred,b\n", {}, "line 3, column 'x': 'red'.*numbers only.*drop="),
        ("x,y\n1,a\n1e999,b\n", {}, "line 3, column 'x'.*infinite"),
        ("x,y\n1,a\n2,b,c\n", {}, "line 3: 3 fields where the first line has 2"),
        ("x,y\n1,a\n2,b\n", {"label": "z"}, "no column 'z'"),
        ("x,y\n1,a\n2,b\n", {"label": None}, "holds the labels"),
        ("x,y\n1,a\n2,b\n", {"drop": ("q",)}, "no column 'q'"),
        ("x,y\n1,a\n2,b\n", {"drop": ("x",)}, "no feature column"),
        ("x,y\n1,a\n2,b\n", {"yes": "a", "no": "a"}, "the same label"),
        ("x,y\n1,a\n2,b\n", {"yes": "NA"}, "stands for a missing label"),
        ("x,y\n1,a\n2,b\n", {"encoding": "utf-16"}, "iconv"),
        (b"x,y\n1,a\n2,\xff\n", {}, "line 3: byte 10"),
        (b"\x1f\x8bxyz", {}, "not CSV: it is compressed"),
        ('x,y\n1,a\n2,"b\n', {}, "line 3: a quote is opened"),
        ("x,y\n" + "1,a\n2,b\n" * 200 + "1,\0\n", {}, "NUL"),
        (b"x,y\n" + b"1,a\n2,b\n" * 200 + b"1,\xff\n", {}, "line 402: (a )?byte"),
        ("x,y\n" + "1,a\n2,b\n" * 200 + "1,2,3\n", {}, "line 402: 3 fields"),
        ("x,y\n" + "1,a\n2,b\n" * 200 + "red,a\n", {}, "line 402, column 'x': 'red'"),
        ("x,y\n" + "1,a\n2,b\n" * 200 + "1,c\n", {}, "line 402, column 'y': 'c'"),
    ],
)
@pytest.mark.parametrize("block", [64, 1 << 22])
def test_what_cannot_be_read_is_named(monkeypatch, text, options, message, *, block):
    monkeypatch.setattr(incremental, "SAMPLE_LINES", 3)
    monkeypatch.setattr(incremental, "BLOCK", block)
    with pytest.raises(InputError, match=message):
        read(text, [300] * 100, **options)


@pytest.mark.usefixtures("short_blocks")
def test_one_label_for_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(incremental, "ONE_LABEL", 150)
    text = "x,y\n" + "1,a\n" * 400 + "2,b\n"
    with pytest.raises(InputError, match="have one label, 'a'"):
        read(text, [300] * 100)
    assert len(read(text, [300] * 100, yes="a")[1]) == 401


@pytest.mark.usefixtures("short_blocks")
def test_a_row_that_never_ends_is_refused(monkeypatch):
    monkeypatch.setattr(incremental, "LONGEST", 1000)
    with pytest.raises(InputError, match="no row ends within 1,000 bytes after line 202"):
        read("x,y\n1,2\n" + "1,3\n" * 200 + "3" * 2000)


def test_integers_that_are_rounded_are_a_warning_said_once():
    text = "x,y\n" + f"{2**53 + 1},a\n1,b\n" * 100
    with pytest.warns(SeparatrixWarning, match="above 2\\^53") as seen:
        read(text)
    assert len(seen) == 1
