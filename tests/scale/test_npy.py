"""Integers that change when they become float64: the warnings of arrays in memory."""

import warnings

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from separatrix import InputError, LinearRegressionClassifier, SeparatrixWarning, open_table
from separatrix.scale import NpySource
from separatrix.scale.opening import table_in_blocks

BIG = 2**53
ROWS = 4000


def said(make) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        make()
    return [str(w.message) for w in found if issubclass(w.category, SeparatrixWarning)]


@pytest.fixture(params=[np.int64, np.uint64])
def table(request):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(ROWS, 4)).astype(request.param)
    X[[7, 5, 3000, 3001], [0, 0, 2, 2]] = BIG + 2, BIG, BIG + 1, BIG + 3  # the first two fit
    if request.param is np.int64:
        X[3500, 3] = -BIG - 1
    return X, rng.random(ROWS) < 0.5


def test_files_warn_as_arrays_do(table, tmp_path, monkeypatch):
    X, y = table
    expected = said(lambda: LinearRegressionClassifier().fit(X, y))
    assert len(expected) == (2 if X.dtype == np.int64 else 1)
    assert (
        "column 2 holds integers above 2^53 that change when made float64 (row 3000"
        in (expected[0])
    )
    monkeypatch.setattr("separatrix.scale.npy.BYTES_AT_ONCE", 32 * 700)
    paths = [str(tmp_path / name) for name in ("X0.npy", "X1.npy", "y.npy", "Xy.npy")]
    beside = np.insert(X, 1, y, axis=1)  # labels within: not among the columns that are counted
    for path, array in zip(paths, (X[:1000], X[1000:], y, beside), strict=True):
        np.save(path, array)
    assert said(lambda: NpySource(paths[:2], paths[2:3])) == expected
    assert said(lambda: NpySource(paths[3:], 1)) == expected
    of_numbers = said(lambda: NpySource(paths[3:], 3, numbers=True))  # column 2 is y there
    assert any(text.startswith("y holds integers above 2^53") for text in of_numbers)


def test_collections_of_dask_warn_as_arrays_do(table):
    X, y = table
    expected = said(lambda: LinearRegressionClassifier().fit(X, y))
    chunked = da.from_array(X, chunks=(900, 3)), da.from_array(y, chunks=1000)
    assert said(lambda: table_in_blocks(*chunked)) == expected
    numbers_of_y = chunked[0], da.from_array(X[:, 2], chunks=1000)  # cut otherwise than X
    found = said(lambda: table_in_blocks(*numbers_of_y, numbers=True))
    assert found[:-1] == expected
    assert found[-1].startswith("y holds integers above 2^53")
    named = pd.DataFrame(X, columns=list("abcd"))
    frame = dd.from_pandas(named.assign(y=y), npartitions=3)
    in_memory = said(lambda: LinearRegressionClassifier().fit(named, y))
    assert said(lambda: table_in_blocks(frame, "y")) == in_memory != []


def test_parquet_warns_as_its_table_in_memory_does(table, tmp_path):
    X, y = table
    path = tmp_path / "t.parquet"
    pd.DataFrame(X, columns=list("abcd")).assign(y=np.where(y, "yes", "no")).to_parquet(path)
    (first, *_) = said(lambda: open_table(path, "y"))
    assert f"t.parquet, row 3001, column 'c': the integer {BIG + 1} is above 2^53" in first


def test_labels_that_are_one_number_in_float64_stay_two(tmp_path):
    X = np.array([[1, BIG, 5], [2, BIG + 1, 6], [3, BIG, 7], [4, BIG + 1, 8]])
    np.save(tmp_path / "X.npy", X)
    source = open_table(tmp_path / "X.npy", 1).source
    assert (source.d, source.classes.tolist()) == (2, [BIG, BIG + 1])
    for rows in (source.read(0, 4), source.take(np.arange(4))):
        assert rows.X.tolist() == X[:, [0, 2]].tolist()
        assert rows.y.tolist() == [-1.0, 1.0, -1.0, 1.0]


@pytest.mark.parametrize("option", [{"yes": "1"}, {"weight": "w"}, {"drop": ["a"]}])
def test_arrays_take_no_options_of_reading(tmp_path, option):
    np.save(tmp_path / "X.npy", np.eye(4))
    with pytest.raises(InputError, match="without names"):
        open_table(tmp_path / "X.npy", -1, **option)
