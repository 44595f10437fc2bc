"""Rows that are no mistakes, passed over by several threads: the walk is the one of one thread.

While no mistake is met the weights stay, so the rows ahead can be scored in any order; the first
of the mistakes found is where the walk goes on.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from separatrix.kernels.walks.float32_filter import BLOCK, Float32s, first_held, set_weights
from separatrix.kernels.walks.perceptron import POSITION, STREAK
from separatrix.kernels.walks.perceptron_fused import first_mistake
from separatrix.learners.walks.run import Run
from separatrix.tiles import in_threads, n_threads, shares


def rows_before_a_scan(run: Run, entries: int) -> int | None:
    """Return how many rows without a mistake come before a scan; None where none pays."""
    if entries < run.tuning.scan_multiplications or n_threads() == 1:
        return None
    return -(-run.sample.n // run.tuning.scan_share)


def scan_ahead(run: Run, filtered: Float32s) -> None:
    """Move the walk on to the next mistake (or row that the filter holds back) of its pass."""
    state, n = run.progress.state, run.sample.n
    start, streak = int(state[POSITION]), int(state[STREAK])
    stop = min(n, start + n - streak)
    blocks = shares(range(start // BLOCK, -(-stop // BLOCK)), n_threads())
    cuts = [start, *(BLOCK * part[0] for part in blocks[1:]), stop]
    ranges = list(pairwise(cuts))
    if filtered.size:
        weights = np.empty(run.start.size, dtype=np.float32)
        bound = set_weights(run.progress.v, run.radius, run.question.margin, weights)
        if not bound < np.inf:
            return
        jobs = [
            partial(first_held, filtered, weights, bound, a, b, np.empty(BLOCK, dtype=np.float32))
            for a, b in ranges
        ]
    else:
        jobs = [partial(first_mistake, *run.arguments, a, b) for a, b in ranges]
    ends = list(in_threads(jobs))
    place = next((p for (_, b), p in zip(ranges, ends, strict=True) if p < b), stop)
    state[STREAK] += place - start
    state[POSITION] = place % n
