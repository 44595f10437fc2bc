"""One cluster for all that asks for it; a worker that is killed is started again."""

import multiprocessing
from multiprocessing import forkserver
from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster

ROOT = str(Path(__file__).parents[2])
FORKED = multiprocessing.get_context("forkserver")  # what is started has everything imported
FORKED.set_forkserver_preload(["distributed", "tests.scale.killed"])
WORKERS = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.worker.multiprocessing-method": "forkserver",
}


@pytest.fixture(scope="package")
def cluster():
    """Two processes of one thread, which import the functions of these tests."""
    with (
        pytest.MonkeyPatch.context() as paths,  # processes that are started have the same
        dask.config.set(WORKERS),
    ):
        paths.syspath_prepend(ROOT)
        forkserver.ensure_running()  # before Dask names modules of its own
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
            yield made


@pytest.fixture
def client(cluster):
    with Client(cluster) as made:
        made.wait_for_workers(2)
        yield made
