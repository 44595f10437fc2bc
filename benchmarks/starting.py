"""What is paid before the first answer: start-up of a fresh process, and compiling.

Reported apart, in processes of their own, with byte code present and threads as in the main run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring import Spread
from benchmarks.tasks import Task

ROOT = Path(__file__).resolve().parent.parent

DATA = "import numpy as np; X = np.random.default_rng(0).normal(size=(1000, 5)); y = X[:, 0] > 0"
FIRST_CALLS = {
    "Perceptron().fit": "from separatrix import Perceptron; call = lambda: Perceptron().fit(X, y)",
    "separability": "from separatrix import separability; call = lambda: separability(X, y)",
    "scikit-learn Perceptron().fit": (
        "from sklearn.linear_model import Perceptron; call = lambda: Perceptron().fit(X, y)"
    ),
}
TWO_CALLS = """
import json, time
{data}
{code}
seconds = []
for _ in range(2):
    start = time.perf_counter()
    call()
    seconds.append(time.perf_counter() - start)
print(json.dumps(seconds))
"""


@dataclass(frozen=True)
class StartUp:
    """Wall seconds of a fresh process that does these imports and ends."""

    imports: str
    seconds: Spread


@dataclass(frozen=True)
class FirstCall:
    """Seconds of a first call with an empty compiler cache, with a filled one, and of a second."""

    what: str
    cold: float
    cached: float
    second: float


def start_ups(tasks: Iterable[Task], rounds: int) -> list[StartUp]:
    """Return the start-up of Python alone and of everything the adapters import, taking turns."""
    adapters = [a for t in tasks for a in (t.ours, *t.peers)]
    codes = list(dict.fromkeys(["pass", "import numpy", *(a.imports for a in adapters)]))
    seconds: dict[str, list[float]] = {code: [] for code in codes}
    for turn in range(rounds + 1):  # the first turn writes byte code and does not count
        for code in codes:
            start = time.perf_counter()
            _python(code)
            if turn:
                seconds[code].append(time.perf_counter() - start)
    return [StartUp(code, Spread.of(taken)) for code, taken in seconds.items()]


def first_calls() -> list[FirstCall]:
    """Return what compiling costs: in a cache folder that is empty, and then is not."""
    found = []
    for what, code in FIRST_CALLS.items():
        program = TWO_CALLS.format(data=DATA, code=code)
        with tempfile.TemporaryDirectory() as folder:
            cold, _ = json.loads(_python(program, NUMBA_CACHE_DIR=folder))
            cached, second = json.loads(_python(program, NUMBA_CACHE_DIR=folder))
        found.append(FirstCall(what, cold, cached, second))
    return found


def _python(program: str, **environment: str) -> str:
    """Return what a fresh Python prints that runs the program."""
    settings = {**os.environ, **environment}
    settings.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=True
    )
    return done.stdout


def as_dict(ups: list[StartUp], calls: list[FirstCall]) -> dict[str, Any]:
    """Return plain data for JSON."""
    return {"start_up": [asdict(u) for u in ups], "first_call": [asdict(c) for c in calls]}
