"""A peer's best tolerance: the loosest with which its answer is as good as is asked of all."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.answer import Answer, Run, TooSlow
from benchmarks.data import Floats, Problem
from benchmarks.judging import ENOUGH, excess
from benchmarks.timing import timed

LONGEST = 30.0  # seconds: a single fit that takes longer is not timed again
SEARCH = 40.0  # seconds: no further tolerance is tried after so many
TIGHTEST = 1e-14


@dataclass(frozen=True)
class Found:
    """Parameters: the tolerance to use, and what its answer lies above the least, relatively."""

    tolerance: float
    excess: float


def at_best_tolerance(
    fit: Callable[[float], Any],
    line_of: Callable[[Any], Floats],
    problem: Problem,
    usual: float = 1e-5,
) -> Run:
    """Return the run of a peer with the loosest tolerance that is good enough.

    The search is not timed, and no user could do it: this is the least that the peer could take.
    """
    found = loosest(lambda tolerance: excess(problem, line_of(fit(tolerance))), usual)

    def run() -> Answer:
        model, seconds = timed(fit, found.tolerance)
        return Answer(line_of(model), seconds, work=f"tol {found.tolerance:.1g}")

    return run


def loosest(excess_at: Callable[[float], float], usual: float) -> Found:
    """Return the loosest tolerance that is good enough, to half a power of ten.

    Where none is, the one that came closest. The search goes out from the usual tolerance, up or
    down by tens, and ends by one step of half a ten.
    """
    began = time.perf_counter()
    tried: dict[float, float] = {}

    def good(tolerance: float) -> bool:
        start = time.perf_counter()
        tried[tolerance] = excess_at(tolerance)
        taken = time.perf_counter() - start
        if taken > LONGEST:
            raise TooSlow(
                f"{taken:.0f} s for a fit at tol {tolerance:.0e}, which ends "
                f"{tried[tolerance]:.1e} above the least: not timed"
            )
        return tried[tolerance] <= ENOUGH

    def in_time() -> bool:
        return time.perf_counter() - began < SEARCH

    tolerance = usual
    if good(tolerance):
        while in_time() and tolerance < 1.0 and good(10.0 * tolerance):
            tolerance *= 10.0
        if in_time() and tolerance < 1.0:
            good(10.0**0.5 * tolerance)
    else:
        while in_time() and tolerance > TIGHTEST and not good(tolerance / 10.0):
            tolerance /= 10.0
        if in_time() and tried.get(tolerance / 10.0, 1.0) <= ENOUGH:
            good(tolerance / 10.0**0.5)
    enough = [t for t, above in tried.items() if above <= ENOUGH]
    best = max(enough) if enough else min(tried, key=lambda t: tried[t])
    return Found(best, tried[best])
