"""One cluster for all that asks for it; a worker that is killed is started again."""

from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster

ROOT = str(Path(__file__).parents[2])


@pytest.fixture(scope="package")
def cluster():
    """Two processes of one thread, which import the functions of these tests."""
    with (
        pytest.MonkeyPatch.context() as paths,  # processes that are started have the same
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
    ):
        paths.syspath_prepend(ROOT)
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
            yield made


@pytest.fixture
def client(cluster):
    with Client(cluster) as made:
        made.wait_for_workers(2)
        yield made
