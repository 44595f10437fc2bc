"""Rows that are no mistakes, passed over by several threads: the walk is the one of one thread.

While no mistake is met the weights stay, so the rows ahead can be looked at in any order; the first
of the mistakes found is where the walk goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from separatrix.kernels.rows import certain_bound
from separatrix.kernels.walks.filter import BLOCK, Float32s, first_held, set_mesh
from separatrix.kernels.walks.perceptron import POSITION, STREAK, first_mistake
from separatrix.tiles import in_threads, n_threads, shares

if TYPE_CHECKING:
    from separatrix.learners.walks.pla import Walk

MULTIPLICATIONS = 2**22  # of rows ahead: milliseconds, where waking threads takes a tenth of one
SHARE = 8  # of a pass without a mistake, after which the rest of it may well have none


def rows_before_a_leap(n: int, entries: int) -> int | None:
    """Return how many rows without a mistake come before a leap; None where none pays."""
    if entries < MULTIPLICATIONS or n_threads() == 1:
        return None
    return -(-n // SHARE)


def leap(walk: Walk, sieve: Float32s | None) -> None:
    """Move the walk on to the next mistake (or row held back by the sieve) of its pass."""
    state, n = walk.state, walk.sample.n
    start, streak = int(state[POSITION]), int(state[STREAK])
    stop = min(n, start + n - streak)
    blocks = shares(range(start // BLOCK, -(-stop // BLOCK)), n_threads())
    cuts = [start, *(BLOCK * run[0] for run in blocks[1:]), stop]
    ranges = list(pairwise(cuts))
    look = _with_doubles(walk) if sieve is None else _with_sieve(walk, sieve)
    ends = list(in_threads([partial(look, a, b) for a, b in ranges]))
    place = next((p for (_, b), p in zip(ranges, ends, strict=True) if p < b), stop)
    state[STREAK] += place - start
    state[POSITION] = place % n


def _with_doubles(walk: Walk) -> Callable[[int, int], int]:
    sample = walk.sample
    certain = certain_bound(walk.bounds[0], walk.bounds[1], walk.v.size)

    def look(start: int, stop: int) -> int:
        return first_mistake(
            sample.rows, sample.y, walk.order, start, stop, walk.v, walk.x0, walk.tie, walk.margin,
            certain,
        )  # fmt: skip

    return look


def _with_sieve(walk: Walk, sieve: Float32s) -> Callable[[int, int], int]:
    mesh = np.empty(walk.v.size, dtype=np.float32)
    bound = set_mesh(walk.v, walk.radius, walk.margin, mesh)

    def look(start: int, stop: int) -> int:
        if not bound < np.inf:
            return start
        return first_held(sieve, mesh, bound, start, stop, np.empty(BLOCK, dtype=np.float32))

    return look
