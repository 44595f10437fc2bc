"""What a second thread brings: ours with one and with two, in fresh processes that take turns.

How many threads there are is read once by most libraries, when they are loaded; so each figure
comes from a process of its own: `python -m benchmarks.threads TASK SIZE SEED`. Answers do not
depend on the number of threads, byte for byte: each process says which it gave.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
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
    "fewest 1000x8, 5 %, limited",
)
LONGEST = 2.0  # seconds of runs in one process
MOST = 9


@dataclass(frozen=True)
class Doubled:
    """Seconds with one thread, with two, and turn by turn the one over the other.

    Parameters
    ----------
    same_bytes : whether all of these processes gave the same line and words
    """

    task: str
    one: Any
    two: Any
    one_to_two: Any
    same_bytes: bool

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def doubled(names: Sequence[str], size: str, seed: int, turns: int) -> list[Doubled]:
    """Return what two threads bring for the tasks of these names."""
    from benchmarks.measuring import Spread

    found = []
    for name in names:
        runs = [[child(name, size, seed, n) for n in (1, 2)] for _ in range(turns)]
        found.append(
            Doubled(
                name,
                Spread.of(one.seconds for one, _ in runs),
                Spread.of(two.seconds for _, two in runs),
                Spread.of(one.seconds / two.seconds for one, two in runs),
                len({run.digest for turn in runs for run in turn}) == 1,
            )
        )
    return found


@dataclass(frozen=True)
class Least:
    """The least seconds of a process on a task, and the SHA-256 of the answer."""

    seconds: float
    digest: str


def child(name: str, size: str, seed: int, threads: int, source: Path | None = None) -> Least:
    """Return what a fresh process finds: of the checkout whose modules are given, or of this."""
    settings = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
    if source is not None:
        settings["PYTHONPATH"] = str(source)
    checkout = ROOT if source is None else source.parent  # whose own adapters know its names
    command = [sys.executable, "-m", "benchmarks.threads", name, size, str(seed)]
    done = subprocess.run(
        command, cwd=checkout, env=settings, capture_output=True, text=True, check=True
    )
    return Least(**json.loads(done.stdout))


def least_of(name: str, size: str, seed: int) -> Least:
    """Return our least seconds on a task in this process, after a run that does not count."""
    from benchmarks.tasks import SIZES

    task = next(t for t in SIZES[size] if t.name == name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = task.ours.prepare(task.problem(seed))
        answer = run()
        began, seconds = time.perf_counter(), []
        while not seconds or (len(seconds) < MOST and time.perf_counter() - began < LONGEST):
            seconds.append(run().seconds)
    line = b"" if answer.weights is None else answer.weights.tobytes()
    return Least(min(seconds), sha256(line + answer.work.encode()).hexdigest())


if __name__ == "__main__":
    print(json.dumps(asdict(least_of(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
