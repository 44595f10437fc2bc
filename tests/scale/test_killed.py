"""Runs that are killed, again and again, and workers that are: the bytes of one left in peace."""

import os
import random
import signal
import threading
import time
from contextlib import suppress

import pytest
from distributed import Client

from separatrix.scale import Loop, NpySource, Rows
from separatrix.scale.back_ends import OnDask
from separatrix.tiles import TILE
from tests.hostile.profile import cases
from tests.scale import killed
from tests.scale.conftest import FORKED

TWICE = ("logistic", "pocket")  # of a short run: killed again after it was resumed
LATEST = cases(0.2, 0.4)  # seconds; a run takes a quarter of one at least


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return killed.save(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def expected(paths):
    source = NpySource(paths[:1], paths[1:])
    table = Rows(source, rows_in_block=8 * TILE, back_end=Loop(), memory=killed.MEMORY)
    return {name: killed.learned(name, table) for name in killed.RUNS}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", killed.RUNS)
def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(
    name, paths, expected, tmp_path
):
    when = random.Random(name)  # the same moments in every run of this test
    kills, done = cases(1 + (name in TWICE), 20), 0

    def begun():
        told, tell = FORKED.Pipe(duplex=False)
        run = FORKED.Process(
            target=killed.run, args=(name, *paths, str(tmp_path / "checkpoint"), tell)
        )
        run.start()
        tell.close()
        assert told.recv() == "begun"
        return run, told

    for _ in range(kills):
        run, told = begun()
        time.sleep(when.uniform(0.05, LATEST))
        run.kill()
        run.join()
        with suppress(EOFError):
            done += bool(told.recv())
    run, told = begun()
    assert told.recv() == expected[name]
    run.join()
    assert done < kills or kills > 2  # some kill met a run that was under way
    assert list(tmp_path.iterdir()) == []  # neither the checkpoint nor what a write left


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", cases(("pocket",), tuple(killed.RUNS)))
def test_a_worker_that_is_killed_in_the_middle_changes_no_byte(name, paths, expected, cluster):
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        back_end = Killing(client, cluster)
        table = Rows(
            NpySource(paths[:1], paths[1:]),
            rows_in_block=2 * TILE,
            back_end=back_end,
            memory=killed.MEMORY,
        )
        assert killed.learned(name, table) == expected[name]
        assert back_end.killed


class Killing(OnDask):
    """A cluster of which a worker is killed while it works on the fifth block."""

    def __init__(self, client, cluster) -> None:
        super().__init__(client)
        self.cluster, self.killed, self.begun = cluster, False, 0

    def _task(self, *arguments):
        self.begun += 1
        if self.begun == 5:
            (first, *_) = self.cluster.workers.values()
            pid = first.process.pid
            threading.Timer(0.02, os.kill, (pid, signal.SIGKILL)).start()
            self.killed = True
        return super()._task(*arguments)
