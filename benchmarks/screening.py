"""Screening of many columns, and exact conditional tests: seconds of work with known answers."""

from __future__ import annotations

import time

import numpy as np
from scipy.special import expit

import separatrix
from separatrix.data import read_arrays
from separatrix.inference.exact_conditional import exact_tests

SCREENED = {"screen 2e4 columns x 1e4 rows": (10_000, 20_000, 10)}
SMALL = {"screen 500 columns x 1e4 rows": (10_000, 500, 10)}
EXACT = {
    f"exact test {n} rows, {d} binary": (n, d) for n, d in ((1600, 1), (400, 2), (200, 3), (100, 4))
}


def seconds(seed: int, size: str) -> dict[str, dict[str, float]]:
    """Return the wall time of each, and how many columns had no answer."""
    found = {}
    for name, (n, k, q) in (SMALL if size == "tiny" else SCREENED).items():
        random = np.random.default_rng([seed, k])
        C = random.normal(size=(n, q))
        y = random.random(n) < expit(0.3 * C.sum(axis=1) - 0.5)
        G = random.binomial(2, random.uniform(0.005, 0.5, k), (n, k)).astype(np.int8)
        separatrix.screen(G[:, :2], y, C)  # compiles
        began = time.perf_counter()
        screened = separatrix.screen(G, y, C)
        took = time.perf_counter() - began
        failed = sum(state not in ("fitted", "infinite") for state in screened.states)
        found[name] = {"seconds": took, "failed": failed}
    for name, (n, d) in EXACT.items():
        random = np.random.default_rng([seed, n])
        sample = read_arrays(random.integers(0, 2, (n, d)).astype(float), random.integers(0, 2, n))
        began = time.perf_counter()
        exact_tests(sample, columns=[d])
        found[name] = {"seconds": time.perf_counter() - began, "failed": 0}
    return found
