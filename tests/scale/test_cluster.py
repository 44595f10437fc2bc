"""The cluster of a command: processes of this machine, an address, or neither."""

import os
import sys
from operator import attrgetter

import pytest

from separatrix import InputError
from separatrix.data import read_arrays
from separatrix.scale import ArraySource, Rows
from separatrix.scale.on_dask import cluster


def test_no_cluster_is_none():
    with cluster() as back_end:
        assert back_end is None


@pytest.mark.parametrize(("address", "workers", "message"), [
    ("tcp://127.0.0.1:1", 2, "give one of the two"), (None, 0, "from 1 up"),
    ("127.0.0.1", None, "no Dask scheduler answers"),
    ("udp://x", None, "no Dask scheduler answers"),
])  # fmt: skip
def test_what_is_no_cluster_is_refused(monkeypatch, address, workers, message):
    monkeypatch.setattr("separatrix.scale.on_dask.PATIENCE", 0.5)
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
