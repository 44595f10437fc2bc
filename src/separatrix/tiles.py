"""Sums over rows that come out the same for any thread count.

Rows are cut into fixed tiles of 4096 by index; each tile is summed by single-threaded BLAS and tile
results are added in index order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from separatrix.data import Floats

TILE = 4096


def tiles(n: int) -> Iterator[slice]:
    """Yield the fixed tiles of n rows, in order."""
    for start in range(0, n, TILE):
        yield slice(start, min(start + TILE, n))


def tiled_sum(n: int, part: Callable[[slice], Floats]) -> Floats:
    """Return the sum of part(tile) over the tiles of n rows, added in index order."""
    total: Floats | None = None
    for tile in tiles(n):
        value = part(tile)
        total = np.asarray(value) if total is None else total + value
    return np.zeros(0) if total is None else total


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looking for the libraries takes milliseconds: once


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, so that its sums do not depend on how many there are."""
    with _controller().limit(limits=1, user_api="blas"):
        yield
