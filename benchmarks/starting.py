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
from contextlib import suppress
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
FITS = {
    f"{whose}{name}().fit": f"from {module} import {name}; {name}().fit(X, y)"
    for whose, module in (("", "separatrix"), ("scikit-learn ", "sklearn.linear_model"))
    for name in ("Perceptron", "LinearRegression", "LogisticRegression")
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


@dataclass(frozen=True)
class FirstFit:
    """Wall seconds of a fresh process that imports, draws a table and fits once, all compiled."""

    what: str
    seconds: Spread


def start_ups(tasks: Iterable[Task], rounds: int) -> list[StartUp]:
    """Return the start-up of Python alone and of everything the adapters import, taking turns."""
    adapters = [a for t in tasks for a in (t.ours, *t.peers)]
    codes = dict.fromkeys(["pass", "import numpy", *(a.imports for a in adapters)])
    taken = taking_turns({code: code for code in codes}, rounds)
    return [StartUp(code, spread) for code, spread in taken.items()]


def first_fits(rounds: int) -> list[FirstFit]:
    """Return what a user waits for who runs a small script again."""
    programs = {what: f"{DATA}; {code}" for what, code in FITS.items()}
    return [FirstFit(what, spread) for what, spread in taking_turns(programs, rounds).items()]


def taking_turns(programs: dict[str, str], rounds: int) -> dict[str, Spread]:
    """Return the wall seconds of fresh processes; those that cannot import are left out.

    The first turn writes byte code and compiled kernels and does not count.
    """
    seconds: dict[str, list[float]] = {}
    for name, program in programs.items():
        with suppress(subprocess.CalledProcessError):
            _python(program)
            seconds[name] = []
    for _ in range(rounds):
        for name, taken in seconds.items():
            start = time.perf_counter()
            _python(programs[name])
            taken.append(time.perf_counter() - start)
    return {name: Spread.of(taken) for name, taken in seconds.items()}


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


def as_dict(ups: list[StartUp], calls: list[FirstCall], fits: list[FirstFit]) -> dict[str, Any]:
    """Return plain data for JSON."""
    return {
        "start_up": [asdict(u) for u in ups],
        "first_call": [asdict(c) for c in calls],
        "fits": [asdict(f) for f in fits],
    }
