"""Sums over rows that come out the same for any thread count, and the threads that share them.

Rows are cut into fixed tiles of 4096 by index; each tile is summed by single-threaded BLAS or a
kernel, in whichever thread is free, and tile results are added in index order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import OpenBLASController, ThreadpoolController

from separatrix.data import Floats

T = TypeVar("T")

TILE = 4096
HELD: list[Any] = []  # the limit of BLAS, which all threads share, once for each that holds it
CHANGING = threading.Lock()  # while one begins or ends to hold it


def tiles(n: int) -> Iterator[slice]:
    """Yield the fixed tiles of n rows, in order."""
    for start in range(0, n, TILE):
        yield slice(start, min(start + TILE, n))


def tiled_sum(n: int, part: Callable[[slice], Floats]) -> Floats:
    """Return the sum of part(tile) over the tiles of n rows, added in index order."""
    return sum_of_runs(n, partial(of_each_tile, part))


def sum_of_runs(n: int, sums: Callable[[int, int], Sequence[Floats] | Floats]) -> Floats:
    """Return the sum over the tiles of n rows, added in index order, for kernels that take many."""
    total: Floats | None = None
    for value in _by_tile(n, sums):
        total = np.array(value) if total is None else total + value
    return np.zeros(0) if total is None else total


def stack_of_tiles(n: int, part: Callable[[slice], Floats]) -> Floats:
    """Return part(tile) for every tile of n rows, in their order: (tiles, ...)."""
    return stack_of_runs(n, partial(of_each_tile, part))


def stack_of_runs(n: int, sums: Callable[[int, int], Sequence[Floats] | Floats]) -> Floats:
    """Return the sums of every tile of n rows, in their order, by kernels that take many tiles."""
    return np.array(list(_by_tile(n, sums)))


def _by_tile(n: int, sums: Callable[[int, int], Sequence[Floats] | Floats]) -> Iterator[Floats]:
    if 0 < n <= TILE:
        yield from sums(0, n)
        return
    runs = shares(list(tiles(n)), 4 * n_threads())
    for values in in_threads([partial(sums, run[0].start, run[-1].stop) for run in runs if run]):
        yield from values


def n_threads() -> int:
    """Return how many threads may work: OMP_NUM_THREADS where set, else the usable processors."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shares(items: Sequence[T], n: int) -> list[Sequence[T]]:
    """Return the items cut into at most n runs of neighbours, of nearly equal length."""
    n = max(1, min(n, len(items)))
    cuts = [k * len(items) // n for k in range(n + 1)]
    return [items[a:b] for a, b in pairwise(cuts)]


def in_threads(parts: Sequence[Callable[[], T]]) -> Iterator[T]:
    """Yield the results of all parts in their order, computed by `n_threads` threads."""
    n = min(n_threads(), len(parts))
    if n <= 1:
        for part in parts:
            yield part()
        return
    jobs = [_pool(n, os.getpid()).submit(part) for part in parts]
    try:
        for job in jobs:
            yield job.result()
    finally:  # of an interrupt or an error: what has not begun need not
        for job in jobs:
            job.cancel()


def of_each_tile(part: Callable[[slice], T], start: int, stop: int) -> list[T]:
    return [part(slice(a, min(a + TILE, stop))) for a in range(start, stop, TILE)]


@cache
def _pool(n: int, process: int) -> ThreadPoolExecutor:  # noqa: ARG001  # a forked child needs its own
    return ThreadPoolExecutor(n, thread_name_prefix="separatrix")


@cache
def _controller() -> ThreadpoolController:
    found = ThreadpoolController()  # looking for the libraries takes milliseconds: once
    return found.select(user_api="blas")


def _in_control(change: Callable[[], T]) -> T:
    """Change limits: OpenBLAS listens to one thread alone, until another one is free to."""
    OpenBLASController.clear_controlling_thread(force=True)
    try:
        return change()
    finally:
        OpenBLASController.clear_controlling_thread(force=True)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, so that its sums do not depend on how many there are."""
    with CHANGING:
        HELD.append(HELD[0] if HELD else _in_control(lambda: _controller().limit(limits=1)))
    try:
        yield
    finally:
        with CHANGING:
            held = HELD.pop()
            if not HELD:
                _in_control(held.restore_original_limits)
