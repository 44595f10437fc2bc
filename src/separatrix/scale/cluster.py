"""The cluster that a command was asked to use: one that is there, or processes of this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from separatrix.data import InputError
from separatrix.scale.on_dask import OnDask

SPAWNED = "distributed.nanny.pre-spawn-environ"  # what workers find in their environment
PATIENCE = 30.0  # seconds until a scheduler has answered


@contextmanager
def cluster(address: str | None = None, workers: int | None = None) -> Iterator[OnDask | None]:
    """Yield the back end of a cluster; None where neither an address nor workers are given."""
    if address is None and workers is None:
        yield None
        return
    if address is not None and workers is not None:
        raise InputError("--dask names a cluster and --workers starts one: give one of the two.")
    try:
        import dask.config
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise InputError(
            "Dask is not installed: python -m pip install 'separatrix[dask]' adds it."
        ) from None
    for name in ("distributed", "distributed.client"):  # what went wrong is said by us
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if address is not None:
        try:
            client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, AssertionError) as error:  # Dask asserts what it expects
            raise InputError(
                f"no Dask scheduler answers at {address!r} ({type(error).__name__}). Is it running?"
            ) from None
        with client:
            yield OnDask(client)
        return
    if workers is None or workers < 1:
        raise InputError(f"--workers is {workers}; give a number of processes from 1 up.")
    with (
        dask.config.set({f"{SPAWNED}.DASK_LOGGING__DISTRIBUTED": "critical"}),  # in workers, too
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as made,
        Client(made, set_as_default=False) as client,
    ):
        yield OnDask(client)
