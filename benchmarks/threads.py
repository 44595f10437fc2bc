"""What a second thread brings: ours with one and with two, in fresh processes that take turns.

How many threads there are is read once by most libraries, when they are loaded; so each figure
comes from a process of its own: `python -m benchmarks.threads TASK SIZE SEED`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import THREAD_VARIABLES

ROOT = Path(__file__).resolve().parent.parent
TASKS = (
    "pass 1e5x100",
    "pocket 1e5x50",
    "least squares 1e6x20",
    "logistic 1e6x20",
    "gradient 1e6x20",
)
LONGEST = 2.0  # seconds of runs in one process
MOST = 9


@dataclass(frozen=True)
class Doubled:
    """Seconds with one thread, with two, and turn by turn the one over the other."""

    task: str
    one: Any
    two: Any
    one_to_two: Any

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def doubled(names: Sequence[str], size: str, seed: int, turns: int) -> list[Doubled]:
    """Return what two threads bring for the tasks of these names."""
    from benchmarks.measuring import Spread

    found = []
    for name in names:
        seconds = [[_child(name, size, seed, n) for n in (1, 2)] for _ in range(turns)]
        found.append(
            Doubled(
                name,
                Spread.of(one for one, _ in seconds),
                Spread.of(two for _, two in seconds),
                Spread.of(one / two for one, two in seconds),
            )
        )
    return found


def _child(name: str, size: str, seed: int, threads: int) -> float:
    settings = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
    command = [sys.executable, "-m", "benchmarks.threads", name, size, str(seed)]
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def least_seconds(name: str, size: str, seed: int) -> float:
    """Return our least seconds on a task in this process, after a run that does not count."""
    from benchmarks.tasks import SIZES

    task = next(t for t in SIZES[size] if t.name == name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = task.ours.prepare(task.problem(seed))
        run()
        began, seconds = time.perf_counter(), []
        while not seconds or (len(seconds) < MOST and time.perf_counter() - began < LONGEST):
            seconds.append(run().seconds)
    return min(seconds)


if __name__ == "__main__":
    print(least_seconds(sys.argv[1], sys.argv[2], int(sys.argv[3])))
