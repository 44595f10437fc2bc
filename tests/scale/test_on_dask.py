"""A real cluster of two processes: the bytes of the loop, also when a worker is killed."""

import json
import logging
import logging.handlers
import os
import re
import signal
import subprocess
import sys
import time
from operator import attrgetter

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

from separatrix import InputError, judge
from separatrix.data import read_arrays
from separatrix.report.as_json import to_json
from separatrix.scale import ArraySource, Block, Loop, NpySource, Rows
from separatrix.scale.back_ends import OnDask, cluster
from separatrix.scale.opening import CollectionSource, table_in_blocks
from separatrix.tiles import TILE, stack_of_tiles
from tests.scale.conftest import ROOT

N, D = 9 * TILE + 7, 4


def gram(block: Block, factor: float = 1.0) -> np.ndarray:
    X = block.sample.X
    return stack_of_tiles(block.n, lambda tile: factor * X[tile].T @ X[tile])


def walk(block: Block, state: tuple) -> tuple:
    v = state[0]
    for x in block.sample.X[::TILE]:
        v = v * 0.75 + x
    return v, state[1] + block.n


def slow(block: Block) -> tuple[int, int]:
    time.sleep(0.15)
    return block.start, os.getpid()


def deadly(block: Block) -> int:
    if block.start == 2 * TILE:
        os._exit(9)
    return block.n


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, D)) * 1e3, rng.random(N) < 0.4


@pytest.fixture
def files(tmp_path, arrays):
    for name, array in zip("Xy", arrays, strict=True):
        np.save(tmp_path / f"{name}.npy", array)
    return NpySource([str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")])


def bytes_of(table: Rows) -> bytes:
    walked, n = table.fold(walk, table.fold(walk, (np.zeros(D), 0)))
    return table.sum(gram, 0.5).tobytes() + walked.tobytes() + bytes([n == 2 * N])


def test_results_are_the_bytes_of_the_loop(client, files, arrays):
    expected = bytes_of(Rows(files, rows_in_block=TILE, back_end=Loop()))
    assert bytes_of(Rows(files, rows_in_block=2 * TILE, back_end=OnDask(client))) == expected
    X, y = (da.from_array(array, chunks=1000) for array in arrays)
    table = Rows(CollectionSource(X, y), rows_in_block=2 * TILE)
    assert isinstance(table.back_end, OnDask)  # the client that is there
    assert bytes_of(table) == expected


def untimed(of: dict) -> dict:
    return {key: value for key, value in of.items() if key != "seconds"}


def test_a_verdict_is_that_of_the_loop_and_a_small_table_is_read_a_few_times(client, files):
    """Every update of the pocket was a read of all rows: 6,026 of them."""
    found = []
    for back_end in (Loop(), OnDask(client)):
        rows = Rows(files, back_end=back_end)
        verdict = json.loads(to_json(judge(rows)), object_hook=untimed)
        found.append({**verdict, "notes": [n for n in verdict["notes"] if "Read " not in n]})
        assert rows.reads.done <= 8
    assert found[0] == found[1]


def test_a_killed_worker_changes_no_byte_and_costs_one_line(client, files, caplog):
    theirs = logging.handlers.BufferingHandler(10**6)
    for name in ("client", "scheduler", "nanny"):
        caplog.set_level(logging.WARNING, f"distributed.{name}")  # a command may have raised it
        logging.getLogger(f"distributed.{name}").addHandler(theirs)
    table = Rows(files, rows_in_block=TILE, back_end=OnDask(client))
    victims = [worker.process.pid for worker in client.cluster.workers.values()]
    killed = []

    def kill_one(task_value):
        if not killed:
            os.kill(victims[0], signal.SIGKILL)
            killed.append(True)

    each = table.back_end.map(files, table.ranges, slow, ())
    starts = []
    for value in each:
        kill_one(value)
        starts.append(value)
    assert [start for start, _ in starts] == [start for start, _ in table.ranges]
    assert starts[-1][1] != victims[0]  # another one went on
    assert bytes_of(table) == bytes_of(Rows(files, rows_in_block=TILE, back_end=Loop()))
    said = [record.getMessage() for record in caplog.records if record.name == "separatrix"]
    assert len(said) == 1
    assert re.fullmatch(r"a Dask worker was lost \(tcp://[\d.:]+\); others do its tasks.*", said[0])
    assert [record.getMessage() for record in theirs.buffer] == []
    logging.getLogger("distributed.scheduler").warning("outside a pass")
    assert len(theirs.buffer) == 1


def test_rows_that_kill_every_worker_are_named(client, files):
    table = Rows(files, rows_in_block=TILE, back_end=OnDask(client))
    with pytest.raises(InputError, match=r"every worker that was given rows [\d,]+ to [\d,]+ died"):
        table.map(deadly)


def test_what_a_worker_refuses_reaches_the_user(client, files):
    path = files.X[0].stamp.path
    X = np.load(path)
    X[5 * TILE, 1] = np.nan
    np.save(path, X)
    with pytest.raises(InputError, match="was changed while it was read"):
        Rows(files, rows_in_block=TILE, back_end=OnDask(client)).sum(gram)
    again = NpySource([path], [files.y[0].stamp.path])
    with pytest.raises(InputError, match=r"column 'x2' is nan in row 20,480\."):
        Rows(again, rows_in_block=TILE, back_end=OnDask(client)).sum(gram)


def test_a_lost_scheduler_is_said(tmp_path, files):
    about = tmp_path / "scheduler.json"
    log = (tmp_path / "log").open("w")
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *command, "--no-dashboard"],
            stdout=log,
            stderr=log,
            env={**os.environ, "PYTHONPATH": ROOT},
        )
        for command in (
            ["scheduler", "--scheduler-file", str(about), "--host", "127.0.0.1", "--port", "0"],
            ["worker", "--scheduler-file", str(about), "--nworkers", "1", "--nthreads", "1"],
        )
    ]
    try:
        with Client(scheduler_file=str(about), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
            table = Rows(files, rows_in_block=TILE, back_end=OnDask(client))
            each = table.back_end.map(files, table.ranges, slow, ())
            assert next(each)[0] == 0
            started[0].kill()
            with pytest.raises(InputError, match="the connection to Dask's scheduler was lost"):
                list(each)
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_collections_hold_the_rows_of_their_arrays(arrays, tmp_path):
    X, y = arrays
    rows = np.array([N - 1, 0, 4096, 17, 17])
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(y=np.where(y, "yes", "no"))
    chunked = da.from_array(X, chunks=(1000, 2))
    unknown = chunked[chunked[:, 0] < np.inf]  # rows of unknown number
    for k, part in enumerate(np.array_split(np.arange(N), 9)):
        frame.iloc[part].to_parquet(tmp_path / f"{k}.parquet")
    for given, labels, names in (
        (dd.read_parquet(str(tmp_path / "*.parquet")), "y", ("a", "b", "c", "d")),
        (chunked, da.from_array(y, chunks=700), ("x1", "x2", "x3", "x4")),
        (unknown, da.from_array(y, chunks=700), ("x1", "x2", "x3", "x4")),
        (dd.from_pandas(frame, npartitions=3), "y", ("a", "b", "c", "d")),
        (dd.from_pandas(frame[["a", "b", "c", "d"]], npartitions=3),
         dd.from_pandas(frame["y"], npartitions=3), ("a", "b", "c", "d")),
    ):  # fmt: skip
        source = table_in_blocks(given, labels).source
        assert (source.n, source.d, source.names) == (N, D, names)
        for part, expected in ((source.read(5, 9000), slice(5, 9000)), (source.take(rows), rows)):
            np.testing.assert_array_equal(part.X, X[expected])
            np.testing.assert_array_equal(part.y, np.where(y[expected], 1.0, -1.0))


@pytest.mark.parametrize(("change", "message"), [
    (lambda X, _: (X, None), "y is missing"), (lambda X, y: (X, y.compute()), "y must be one, too"),
    (lambda X, y: (X, y[:-1]), "have one label per row"),
    (lambda X, y: (X.astype("datetime64[s]"), y), "make numbers of it first"),
    (lambda X, y: (dd.from_dask_array(X).astype(str), y), "are read as numbers"),
    (lambda X, _: (dd.from_dask_array(X), "y"), "has no column 'y'"),
])  # fmt: skip
def test_collections_that_hold_no_table_are_refused(arrays, change, message):
    X, y = (da.from_array(array, chunks=5000) for array in arrays)
    with pytest.raises(InputError, match=message):
        table_in_blocks(*change(X, y))


@pytest.mark.parametrize(("address", "workers", "message"), [
    ("tcp://127.0.0.1:1", 2, "give one of the two"), (None, 0, "from 1 up"),
    ("127.0.0.1", None, "no Dask scheduler answers"),
    ("udp://x", None, "no Dask scheduler answers"),
])  # fmt: skip
def test_what_is_no_cluster_is_refused(monkeypatch, address, workers, message):
    monkeypatch.setattr("separatrix.scale.back_ends.PATIENCE", 0.5)
    with cluster() as none:
        assert none is None
    with pytest.raises(InputError, match=message), cluster(address, workers):
        pass


def test_without_dask_the_way_to_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"separatrix\[dask\]"), cluster(workers=1):
        pass


def test_processes_are_started_and_stopped():
    table = ArraySource(read_arrays([[0.0], [1.0]], [0, 1]))
    with cluster(workers=1) as back_end:
        pid = back_end.client.submit(os.getpid).result(timeout=60)
        assert pid != os.getpid()
        assert Rows(table, back_end=back_end).map(len_of) == [2]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


len_of = attrgetter("n")  # of a block: workers cannot import this file
