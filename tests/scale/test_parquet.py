"""Parquet files of numbers, read as they are."""

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix import InputError, open_table, read_table
from separatrix.scale.parquet_rows import ParquetSource
from separatrix.scale.rows import Rows
from separatrix.tables import fit_encoding

N = 20_000


@pytest.fixture(autouse=True, params=[4, 1 << 60], ids=["kept", "decoded again"])
def small_batches(monkeypatch, request):
    monkeypatch.setattr("separatrix.scale.parquet_rows.AT_ONCE", 3000)
    monkeypatch.setattr("separatrix.scale.parquet_rows.KEPT", request.param)


def made(n=N, kind=np.float32, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(kind)
    yes = X[:, 0] + rng.normal(size=n) > 0
    return pa.table({
        "a": X[:, 0], "y": np.where(yes, "good", "bad"), "b": X[:, 1],
        "k": np.arange(n, dtype=np.int32), "w": 1.0 + np.arange(n) % 3,
    })  # fmt: skip


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_any_range_of_rows_is_what_memory_has(tmp_path, kind):
    path = tmp_path / "t.parquet"
    pq.write_table(made(kind=kind), path, row_group_size=7000)
    table = open_table(path, "y", weight="w", memory="512MB")
    assert isinstance(table.source, ParquetSource)
    whole = read_table(path, "y", weight="w")
    encoding = fit_encoding(whole.columns, whole.missing)
    X = encoding.encode(whole.columns, whole.lines, whole.line_word)
    about = table.source.about
    assert about.encoding == encoding
    assert (about.no, about.yes, about.sha256) == (whole.no, whole.yes, whole.sha256)
    copy = pickle.loads(pickle.dumps(table.source))  # noqa: S301  # our own
    for start, stop in [(0, N), (0, 5000), (5000, 9000), (9000, 9001), (100, 200), (6999, 14_001)]:
        for source in (table.source, copy):
            rows = source.read(start, stop)
            assert np.array_equal(rows.X, X[start:stop])
            assert np.array_equal(rows.y, whole.y[start:stop])
            assert np.array_equal(rows.weight, whole.weight[start:stop])
    some = np.array([19_999, 3, 12_345, 3])
    assert np.array_equal(table.take(some).X, X[some])


def test_a_small_table_is_decoded_once(tmp_path, request):
    kept = "again" not in request.node.callspec.id
    for k in range(3):
        pq.write_table(made(seed=k), tmp_path / f"{k}.parquet", row_group_size=7000)
    table = open_table(tmp_path / "*.parquet", "y", weight="w", memory="512MB")
    one, other = (table.source.read(6999, 45_000) for _ in range(2))
    assert np.shares_memory(one.X, other.X) is kept
    assert all(np.array_equal(*both) for both in zip(parts(one), parts(other), strict=True))
    copy = pickle.loads(pickle.dumps(table.source))  # noqa: S301  # our own
    again = copy.read(6999, 45_000)  # decoded by whoever was sent it
    assert all(np.array_equal(*both) for both in zip(parts(one), parts(again), strict=True))
    assert len(pickle.dumps(table.source)) < 100_000


def parts(sample):
    return sample.X, sample.y, sample.weight


def test_several_files_are_one_table_and_must_have_the_same_columns(tmp_path):
    for k in range(3):
        pq.write_table(made(5000, seed=k), tmp_path / f"{k}.parquet")
    table = open_table(tmp_path / "*.parquet", "y")
    assert (table.n, table.names) == (15_000, ("a", "b", "k", "w"))
    one = [made(5000, seed=k)["a"].to_numpy() for k in range(3)]
    assert np.array_equal(table.whole().X[:, 0], np.concatenate(one).astype(np.float64))
    blocks = Rows(table.source, rows_in_block=4096)
    assert blocks.map(lambda block: (block.start, block.n)) == [
        (start, min(4096, 15_000 - start)) for start in range(0, 15_000, 4096)
    ]
    other = made(10)
    for wrong, have in [
        (other.drop_columns(["b"]), "'a', 'y', 'k', 'w'"),
        (other.append_column("c", other["a"]), "'a', 'y', 'b', 'k', 'w', 'c'"),
        (other.select(["y", "a", "b", "k", "w"]), "'y', 'a', 'b', 'k', 'w'"),
    ]:
        pq.write_table(wrong, tmp_path / "9.parquet")
        said = f"9.parquet has other columns than 0.parquet: {have}, not 'a', 'y', 'b', 'k', 'w'."
        with pytest.raises(InputError, match=said):
            open_table(tmp_path / "*.parquet", "y")
    integers = other.set_column(0, "a", other["k"])
    pq.write_table(integers, tmp_path / "9.parquet")
    assert open_table(tmp_path / "*.parquet", "y").whole().X[15_000:, 0].tolist() == [*range(10)]


def test_a_truncated_file_and_a_broken_row_group_are_named(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(made(), path, row_group_size=5000)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"t\.parquet' is a broken Parquet file"):
        open_table(path, "y")
    path.write_bytes(data)
    page = pq.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    path.write_bytes(data[:page] + b"\xff" * 64 + data[page + 64 :])
    with pytest.raises(InputError, match="broken Parquet file"):
        open_table(path, "y").map(lambda block: block.sample.X.sum())


def test_the_label_and_the_columns_are_asked_for_as_in_memory(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(made(100), path)
    with pytest.raises(InputError, match=r"no column 'Y' \(label\)"):
        open_table(path, "Y")
    with pytest.raises(InputError, match="'ugly' is not among the labels"):
        open_table(path, "y", yes="ugly")
    assert open_table(path, "y", yes="bad", drop=("k", "w")).names == ("a", "b")
    notes = open_table(path, "y", drop=("k",), weight="w").source.about.notes
    assert notes == read_table(path, "y", drop=("k",), weight="w").notes


def test_a_weight_that_is_infinite_is_refused(tmp_path):
    table = pa.table({"a": [1, 2, 3, 4], "w": [1.0, 2.0, 1.0, np.inf], "y": [0, 1, 0, 1]})
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="row 4, column 'w': 'inf' is infinite"):
        open_table(tmp_path / "t.parquet", "y", weight="w")


def test_zeros_of_both_signs_are_one_label(tmp_path):
    for labels in ([1.0, -0.0, 0.0], [1.0, 0.0, -0.0]):
        pq.write_table(pa.table({"a": [1, 2, 3], "y": labels}), tmp_path / "t.parquet")
        opened = open_table(tmp_path / "t.parquet", "y")
        assert isinstance(opened.source, ParquetSource)
        assert opened.whole().y.tolist() == [1.0, -1.0, -1.0]


@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_a_part_without_rows_adds_none(tmp_path, missing):
    table = pa.table({"x": [0.5, 1.5, 2.5, 3.5], "c": ["a", "b", "a", "b"], "y": [0, 1, 0, 1]})
    for columns in (["x", "y"], ["x", "c", "y"]):  # read as they are, and converted
        some = table.select(columns)
        for k, part in enumerate((some[:2], some[:0], some[2:])):
            pq.write_table(part, tmp_path / f"{k}.parquet")
        found = open_table(str(tmp_path / "*.parquet"), label="y", missing=missing)
        assert found.n == 4
        assert found.whole().X[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5]
