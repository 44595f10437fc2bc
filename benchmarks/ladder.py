"""A peer's best tolerance: the loosest with which its answer is as good as is asked of all."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.answer import Answer, Run, TooSlowError
from benchmarks.data import Floats, Problem
from benchmarks.judging import ENOUGH, excess
from benchmarks.timing import timed

LONGEST = 30.0  # seconds: a single fit that takes longer is given up
SEARCH = 10.0  # seconds: no further tolerance is tried after so many
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
        with at_most(LONGEST, f"a fit at tol {tolerance:.0e}"):
            tried[tolerance] = excess_at(tolerance)
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


@contextmanager
def at_most(seconds: float, what: str) -> Iterator[None]:
    """Raise `TooSlowError` after so many seconds.

    A compiled loop that never comes back to Python is not interrupted: the error comes at its end.
    Nothing is limited where the system has no such timer.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    start = time.perf_counter()

    def give_up(_number: int, _frame: object) -> None:
        raise TooSlowError(f"{what} took more than {time.perf_counter() - start:.0f} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
