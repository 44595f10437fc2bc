"""Tables in svmlight files."""

import json
import tracemalloc

import numpy as np
import pytest

from separatrix import judge
from separatrix.data import InputError
from separatrix.data import is_sparse as by_content
from separatrix.model import text_of
from separatrix.proving.asking import prove_separability
from separatrix.tables import SparseColumn, fit_encoding, read_rows, read_table
from separatrix.tables.files import formats

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


@pytest.mark.parametrize(("line", "message"), [
    ("1 2:3 1:1", "index 1 comes after 2"), ("1 2:3 2:1", "index 2 occurs twice"),
    ("1 2:inf", "'inf' .*not a finite number"), ("1 2:1e999", "not a finite number"),
    ("1 2:1_0", "not a finite number"), ("1 x:1", "'x:1' is not index:value"),
    ("1 2:", "is not index:value"), ("1 -2:1", "is not index:value"),
    ("1 " + "9" * 5000 + ":1", "above 10,000,000"), ("2:1", "the label is missing"),
])  # fmt: skip
def test_svmlight_errors_name_the_line(write, line, message):
    with pytest.raises(InputError, match=f"t.csv, line 2.*{message}"):
        read_table(write(f"1 1:1\n{line}\n"), format="svmlight")


def test_svmlight_some_groups(write):
    with pytest.raises(InputError, match="1 of 2 rows have a qid"):
        read_table(write("1 qid:1 1:1\n0 1:1\n"))


def mostly_zeros(n, d, seed=0):
    """Numbers, two in a hundred of them not 0, and labels."""
    random = np.random.default_rng(seed)
    X = np.where(random.random((n, d)) < 0.02, random.normal(size=(n, d)), 0.0)
    X[0, -1] = -1.5
    return X, np.where(X[:, :20].sum(axis=1) > 0, 1, -1)


def svmlight_of(X, y, *, zeros=False):
    """The text of a table; some of its zeros may be written."""
    rows = (
        " ".join(f"{j}:{v!r}" for j, v in enumerate(x, 1) if v or (zeros and j % 50 == 0))
        for x in X.tolist()
    )
    return "".join(f"{a} {row}\n" for a, row in zip(y.tolist(), rows, strict=True))


@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_wide_tables_are_the_same_without_their_zeros_as_with_them(write, missing, monkeypatch):
    X, y = mostly_zeros(40, 200)
    path = write(svmlight_of(X, y, zeros=True), "t.svm")
    found = []
    for is_sparse in (by_content, lambda *_: False):
        monkeypatch.setattr(formats, "is_sparse", is_sparse)
        table = read_table(path, missing=missing)
        model, proof = (
            judge(table, None, fewest_nodes=1).model,
            prove_separability(table, path.read_bytes()),
        )
        found.append((text_of(model), json.loads(proof.text)["claims"], table.notes))
        assert isinstance(table.columns[0], SparseColumn) is (is_sparse is by_content)
        points = fit_encoding(table.columns, missing).encode(table.columns, table.lines)
        assert np.array_equal(points.toarray(), X)
    assert found[0] == found[1]


def test_wide_tables_take_the_memory_of_their_nonzeros(write):
    X, y = mostly_zeros(400, 4000)
    path = write(svmlight_of(X, y), "t.svm")
    tracemalloc.start()
    try:
        table = read_table(path)
        assert tracemalloc.get_traced_memory()[1] < 0.8 * X.nbytes
    finally:
        tracemalloc.stop()
    encoding = fit_encoding(table.columns, "drop")
    rows = read_rows(path, encoding, known_extra=table.extra)
    points = encoding.encode(rows.columns, rows.lines)
    assert (points != encoding.encode(table.columns, table.lines)).nnz == 0
    assert np.array_equal(points.toarray(), X)


@pytest.mark.parametrize("rows", [[0, 2, 5], [5, 2, 2, 0], [], range(9)])
def test_some_rows_of_a_column_without_its_zeros(rows):
    column = SparseColumn("a", 9, np.array([2, 3, 5, 8]), np.array([1.0, -2.0, 3.0, 4.0]))
    some = column.take(np.array(rows, dtype=np.int64))
    assert some.values.tolist() == column.values[list(rows)].tolist()
    assert (some.numbers != 0.0).all()
