"""Passes over blocks: the same bytes for any size of block, and what is refused."""

import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from separatrix import InputError, open_table
from separatrix.data import read_arrays
from separatrix.scale import ArraySource, Block, NpySource, Rows
from separatrix.scale.npy import NpyFile
from separatrix.tiles import TILE, stack_of_runs, stack_of_tiles, tiled_sum

N, D = 5 * TILE + 17, 3


def table_of_arrays(dtype=np.float64):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(N, D)) * 1e3).astype(dtype)
    return X, np.where(rng.random(N) < 0.4, "no", "yes")


def gram(block: Block) -> np.ndarray:
    X = block.sample.X
    return stack_of_tiles(block.n, lambda tile: X[tile].T @ X[tile])


def column_sums(block: Block, factor: float) -> np.ndarray:
    X = block.sample.X

    def sums(start: int, stop: int) -> np.ndarray:
        return np.array([X[k : k + TILE].sum(axis=0) for k in range(start, stop, TILE)])

    return factor * stack_of_runs(block.n, sums)


def rows_seen(block: Block, seen: list[int]) -> list[int]:
    return [*seen, block.start, block.stop]


@pytest.fixture
def files(tmp_path):
    """Return a function that saves arrays, cut at the given rows, and opens them."""

    def save(X, y, *cuts: int, order="C") -> NpySource:
        paths: dict[str, list[str]] = {"X": [], "y": []}
        for name, array in (("X", X), ("y", y)):
            for k, part in enumerate(np.split(array, cuts)):
                paths[name].append(str(tmp_path / f"{name}{len(cuts)}{k}.npy"))
                np.save(paths[name][-1], np.array(part, order=order))
        return NpySource(paths["X"], paths["y"])

    return save


@pytest.mark.parametrize("rows", [TILE, 2 * TILE, 8 * TILE])
def test_sums_are_the_bytes_of_the_table_in_memory_for_any_block(files, rows):
    X, y = table_of_arrays()
    expected = tiled_sum(N, lambda tile: X[tile].T @ X[tile]).tobytes()
    for source in (ArraySource(read_arrays(X, y)), files(X, y), files(X, y, 100, TILE, N - 1)):
        table = Rows(source, rows_in_block=rows)
        assert table.sum(gram).tobytes() == expected
        assert len(table.map(lambda block: block.n)) == len(table.ranges)
    doubled = Rows(source, rows_in_block=rows).sum(column_sums, 2.0)
    np.testing.assert_allclose(doubled, 2.0 * X.sum(axis=0), rtol=1e-9)


def test_a_fold_goes_from_block_to_block_and_ends_when_it_is_done(files):
    table = Rows(files(*table_of_arrays()), rows_in_block=2 * TILE)
    assert table.fold(rows_seen, []) == [0, 2 * TILE, 2 * TILE, 4 * TILE, 4 * TILE, N]
    assert table.fold(rows_seen, [], done=lambda seen: len(seen) > 3)[-1] == 4 * TILE


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_files_hold_the_rows_of_the_arrays(files, dtype, order):
    X, y = table_of_arrays(dtype)
    source = files(X, y, 7, TILE + 3, order=order)
    assert (source.n, source.d, source.classes.tolist()) == (N, D, ["no", "yes"])
    rows = np.array([N - 1, 0, 7, 6, TILE, 7])
    for part, expected in (
        (source.read(3, TILE + 9), slice(3, TILE + 9)),
        (source.take(rows), rows),
        (ArraySource(read_arrays(X, y)).take(rows), rows),
    ):
        assert part.X.flags.c_contiguous
        np.testing.assert_array_equal(part.X, X[expected])
        np.testing.assert_array_equal(part.y, np.where(y[expected] == "yes", 1.0, -1.0))
    assert source.dtype == (np.float32 if dtype == np.float32 else np.float64)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_named(files, value):
    X, y = table_of_arrays()
    X[TILE + 5, 2] = value
    with pytest.raises(InputError, match=rf"column 'x3' is {value} in row 4,101\."):
        Rows(files(X, y), rows_in_block=TILE).sum(gram)


KINDS = {
    "npy": lambda path, frame: np.save(path, frame.to_numpy()),
    "parquet": lambda path, frame: frame.to_parquet(path),
    "csv": lambda path, frame: frame.to_csv(path, index=False),  # read as it is converted
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_changes_between_blocks_is_refused(tmp_path, kind):
    X, y = table_of_arrays()
    path, label = tmp_path / f"t.{kind}", 3 if kind == "npy" else "y"
    KINDS[kind](path, pd.DataFrame(X, columns=list("abc")).assign(y=1 * (y == "yes")))
    source = open_table(path, label).source

    def touch(block: Block) -> int:
        os.utime(path, ns=(1, 1))
        return block.n

    with pytest.raises(InputError, match="was changed while it was read"):
        Rows(source, rows_in_block=TILE).map(touch)
    assert open_table(path, label).source.fingerprint != source.fingerprint


def test_a_table_in_blocks_is_named_where_it_is_shown(tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((3, 2)))
    np.save(tmp_path / "y.npy", np.array([0, 1, 1]))
    table = Rows(NpySource([str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")]))
    assert repr(table).endswith("X.npy: 3 rows, 2 columns, 1 block>")
    with pytest.raises(InputError, match=r"^label 7: .*X\.npy' has 2 columns, counted from 0"):
        NpySource([str(tmp_path / "X.npy")], 7)


@pytest.mark.parametrize(("X", "message"), [
    (np.zeros((3, 2, 1)), "must hold tables of one width"),
    (np.array([["a"], ["b"], ["c"]]), "no numbers"),
    (np.ones((4, 2)), "X has 4 rows and y has 3 labels"), (np.array([[{}]]), "Python objects"),
    (np.zeros((0, 2)), "no table"), (np.zeros((3, 0)), "no table"),
])  # fmt: skip
def test_files_that_hold_no_table_are_refused(tmp_path, X, message):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", np.array([0, 1, 1])[: len(X)])
    with pytest.raises(InputError, match=message):
        NpySource([str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")])


@pytest.mark.skipif(sys.platform != "linux", reason="the system says peaks on Linux")
def test_few_rows_of_a_file_stored_by_columns_take_little_memory(tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((2**20, 16), order="F"))  # 128 MB
    file, status = NpyFile.of(str(tmp_path / "X.npy")), Path("/proc/self/status")
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    file.few(np.arange(0, 2**20, 100))
    now, peak = (
        int(re.search(rf"{k}:\s+(\d+)", status.read_text())[1]) for k in ("VmRSS", "VmHWM")
    )
    assert peak - now < 40_000


def test_a_file_that_is_cut_short_is_refused(files):
    source = files(*table_of_arrays())
    path = source.X[0].stamp.path
    with open(path, "r+b") as file:
        file.truncate(1000)
    with pytest.raises(InputError, match="its header asks for"):
        NpySource([path], [source.y[0].stamp.path])


def test_labels_in_files_of_several_kinds_are_those_of_each_file(tmp_path):
    X = np.arange(2.0 * N * D).reshape(2 * N, D).astype(np.float32)
    odd = np.arange(N) % 2
    kinds = [
        (np.zeros(N, np.uint8), odd * 256),
        (np.zeros(N, bool), odd * 2),
        (np.array(["a"] * N), np.where(odd, "a", "abc")),
    ]
    np.save(tmp_path / "X.npy", X)
    rows = np.array([0, N - 1, N, N + 1, 2 * N - 1])
    for k, labels in enumerate(kinds):
        paths = [str(tmp_path / f"y{k}{name}.npy") for name in "ab"]
        for path, part in zip(paths, labels, strict=True):
            np.save(path, part)
        source = NpySource([str(tmp_path / "X.npy")], paths)
        np.testing.assert_array_equal(source.take(rows).y, source.read(0, 2 * N).y[rows])


@pytest.mark.parametrize(("last", "message"), [
    (np.nan, f"the first in row {N - 1}"), (0.5, f"y holds 0.5 in row {N - 1}"),
    (7.0, f"3 labels: 0.0 .{N - 1 - N // 2} rows., 1.0 .{N // 2} rows., 7.0 .1 row."),
])  # fmt: skip
def test_what_is_wrong_with_labels_is_said_of_all_rows(files, last, message):
    X, _ = table_of_arrays()
    y = np.arange(N) % 2 * 1.0
    y[-1] = last
    with pytest.raises(InputError, match=message):
        files(X, y)
