"""Exact conditional tests: seconds of work with known answers."""

from __future__ import annotations

import time

import numpy as np

from separatrix.data import read_arrays
from separatrix.inference.exact_conditional import exact_tests

EXACT = {
    f"exact test {n} rows, {d} binary": (n, d) for n, d in ((1600, 1), (400, 2), (200, 3), (100, 4))
}


def seconds(seed: int) -> dict[str, float]:
    """Return the wall time of each."""
    found = {}
    for name, (n, d) in EXACT.items():
        random = np.random.default_rng([seed, n])
        sample = read_arrays(random.integers(0, 2, (n, d)).astype(float), random.integers(0, 2, n))
        began = time.perf_counter()
        exact_tests(sample, columns=[d])
        found[name] = time.perf_counter() - began
    return found
