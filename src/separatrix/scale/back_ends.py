"""A block of rows, and who goes over blocks: a loop on this machine, or a Dask cluster.

The loop reads one block ahead. On a cluster tasks carry references to files, never data: a worker
reads its block, works on it and returns a few numbers, which are added in the order of the blocks.
When a worker dies, Dask gives its tasks to another one: the same function of the same rows, so the
same bytes. The cluster is the user's: nothing is started or stopped here.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.scale.source import Source
from separatrix.tiles import TILE, of_each_tile, stack_of_runs, sum_of_runs

T = TypeVar("T")
Ranges = Sequence[tuple[int, int]]

log = logging.getLogger("separatrix")
_passes: list[None] = []

SPAWNED = "distributed.nanny.pre-spawn-environ"  # what workers find in their environment
PATIENCE = 30.0  # seconds until a scheduler has answered
WAITING = 3  # tasks of each thread of the cluster that are there at once
WITHOUT = 60.0  # seconds that a cluster may be without a worker: a new one takes about ten


@dataclass(frozen=True, slots=True)
class Block:
    """Rows start, ..., stop - 1 of a table."""

    start: int  # index of its first row in the table, a multiple of `TILE`
    sample: Sample  # X (n, d) C-ordered float64 or float32, finite, perhaps read-only

    @property
    def n(self) -> int:
        return self.sample.n

    @property
    def stop(self) -> int:
        return self.start + self.sample.n

    # The sums of the first tiles may be added up before `Rows.sum` does it, in the same order: the
    # rows of an array are one block, whose tiles would take much room where each is a matrix.

    def sums_of_tiles(self, part: Callable[[slice], Floats]) -> Floats:
        """Return part(tile) of every tile, (tiles, ...); of the first block their sum, (1, ...)."""
        return np.asarray(self.sums_of_runs(partial(of_each_tile, part)))

    def sums_of_runs(self, sums: Callable[[int, int], Sequence[Floats] | Floats]) -> Floats:
        """Return the same by kernels that take many tiles: sums(start, stop) is (tiles, ...)."""
        if self.n <= TILE:
            return np.asarray(sums(0, self.n))
        if self.start == 0:
            return sum_of_runs(self.n, sums)[np.newaxis]
        return stack_of_runs(self.n, sums)


class Loop:
    """The back end of one machine."""

    @property
    def counts(self) -> bool:
        """Whether each pass is a read of the rows of its own."""
        return True

    def map(
        self, source: Source, ranges: Ranges, function: Callable[..., T], broadcast: Untyped
    ) -> Iterator[T]:
        """Yield function(block, *broadcast) for each range of rows, in their order."""
        for block in self._blocks(source, ranges):
            value = function(block, *broadcast)
            del block  # before the one after next is read
            yield value

    def fold(
        self, source: Source, ranges: Ranges, step: Callable[..., T], state: T, broadcast: Untyped
    ) -> Iterator[T]:
        """Yield the state after each range: step(block, state, *broadcast)."""
        for block in self._blocks(source, ranges):
            state = step(block, state, *broadcast)
            del block
            yield state

    def _blocks(self, source: Source, ranges: Ranges) -> Generator[Block]:
        """Yield the blocks; one more is read ahead in another thread."""

        def read(rows: tuple[int, int]) -> Block:
            return Block(rows[0], source.read(*rows))

        if len(ranges) < 2:  # nothing is to be read ahead
            yield from map(read, ranges)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="separatrix-read") as reader:
            ahead = reader.submit(read, ranges[0])
            try:
                for rows in [*ranges[1:], None]:
                    block = ahead.result()
                    if rows is not None:
                        ahead = reader.submit(read, rows)
                    yield block
                    del block  # before the one after next is read
            finally:
                ahead.cancel()


def running_client() -> Untyped:
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.default_client()
    except ValueError:
        return None


def _is_heard(_: logging.LogRecord) -> bool:
    """Whether Dask may log: while no pass is under way, in which what goes wrong is said here."""
    return not _passes


@contextmanager
def _muted() -> Iterator[None]:
    """Keep Dask's own log silent, in this process, as long as a pass is under way."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).addFilter(_is_heard)
    _passes.append(None)  # atomic: passes may go on in several threads
    try:
        yield
    finally:
        _passes.pop()


class OnDask:
    """The back end of a cluster."""

    counts = True  # each pass is a read of the rows of its own

    def __init__(self, client: Untyped) -> None:
        self.client = client
        self._workers: set[str] = set()  # those seen last
        self._lost: set[str] = set()

    def map(
        self, source: Source, ranges: Ranges, function: Callable[..., T], broadcast: Untyped
    ) -> Iterator[T]:
        rest = iter(ranges)
        with self._explained(source) as now:
            ahead = max(1, sum(self.client.nthreads().values())) * WAITING
            tasks = deque(
                (rows, self._task(source, rows, function, broadcast))
                for rows in islice(rest, ahead)
            )
            while tasks:
                now[:], task = tasks.popleft()
                value: T = self._result(task)
                for rows in islice(rest, 1):
                    tasks.append((rows, self._task(source, rows, function, broadcast)))
                yield value

    def fold(
        self, source: Source, ranges: Ranges, step: Callable[..., T], state: T, broadcast: Untyped
    ) -> Iterator[T]:
        with self._explained(source) as now:
            for rows in ranges:
                now[:] = rows
                state = self._result(self._task(source, rows, step, (state, *broadcast)))
                yield state

    def _task(
        self, source: Source, rows: tuple[int, int], function: Callable[..., T], arguments: Untyped,
    ) -> Untyped:  # fmt: skip
        lazy = source.lazily(*rows)
        if lazy is None:
            return self.client.submit(on_block, source, rows, function, arguments, pure=False)
        from dask import delayed  # who has a collection has Dask

        return self.client.compute(delayed(on_rows)(lazy, rows, function, arguments))

    def _result(self, task: Untyped) -> Untyped:
        alone = 0.0
        while True:
            try:
                return task.result(timeout=WITHOUT / 4)
            except TimeoutError:
                alone = 0.0 if self.client.nthreads() else alone + WITHOUT / 4
                if alone >= WITHOUT:
                    raise InputError(
                        "the Dask cluster has had no worker for a minute. Start some and run it "
                        "again; a checkpoint keeps what was done."
                    ) from None

    def _look_for_lost(self) -> None:
        there = set(self.client.nthreads())
        lost = self._workers - there - self._lost
        self._workers = there
        self._lost |= lost
        for address in sorted(lost):
            log.warning(
                "a Dask worker was lost (%s); others do its tasks again, with the same bytes",
                address,
            )

    @contextmanager
    def _explained(self, source: Source) -> Iterator[list[int]]:
        """Turn what Dask raises into `InputError`; yields where the rows at work are noted."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        now = [0, 0]
        try:
            with _muted():
                self._look_for_lost()
                yield now
                self._look_for_lost()
        except KilledWorker:
            raise InputError(
                f"{source.described}: every worker that was given rows {now[0]:,} to {now[1]:,} "
                "died, which mostly means that it ran out of memory. Give a smaller --memory, or "
                "workers with more; a checkpoint keeps what was done."
            ) from None
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise InputError(
                f"the connection to Dask's scheduler was lost ({type(error).__name__}). Connect "
                "again and run it again; a checkpoint keeps what was done."
            ) from None


def on_block(
    source: Source, rows: tuple[int, int], function: Callable[..., T], arguments: Untyped
) -> T:
    return on_rows(source.read(*rows), rows, function, arguments)


def on_rows(
    sample: Untyped, rows: tuple[int, int], function: Callable[..., T], arguments: Untyped
) -> T:
    threadpool_limits(1, user_api="blas")
    return function(Block(rows[0], sample), *arguments)


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
