"""All kernels compiled at once, by processes side by side, into the cache that they share.

The workers are new processes on every system, never copies of this one: other threads may be at
work here, and locks that they held would stay locked in a copy. Each goes through all that is
missing, leaves out what another one has claimed, and in the end waits for it: what a worker was
compiling when it was killed is compiled by the others, or by new ones, once. Their answers are
lines of one pipe; a worker ends when the pipe is closed, so that none outlives a process that was
killed.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

from numba.core.dispatcher import Dispatcher

from separatrix.kernels._cache import (
    Compiled,
    claimed,
    free_work,
    say_compiling,
    share_work,
    why_not_kept,
    writable_folder,
)
from separatrix.kernels._jit import EntryPoint
from separatrix.kernels._machine import available_memory, cores
from separatrix.kernels.entry_points import entry_points

MOST_WORKERS = 16
MEMORY = 300 << 20  # bytes that a worker needs
RARELY = 100_000  # objects between looks for cycles: a compiler makes many, all of them needed
MARK = b"separatrix: "  # begins a line of a worker: others are printed by what it imports
COMPILED, DONE = "compiled", "done"  # what a worker says
WORKER = (
    "import sys; sys.path[:] = sys.argv[3:]; "
    "from separatrix.kernels.warm_up import work; work(*sys.argv[1:3])"
)


class Underway(NamedTuple):
    """How far the compiling is: `done` of `total` entry points, and what was done last."""

    done: int
    total: int
    kernels: int = 0  # compiled so far, those inside of entry points too
    name: str = ""  # of the last of them; "" before the first


@dataclass(frozen=True)
class WarmUp:
    """What a warm-up did."""

    # where the code is kept; None where no folder takes it, and nothing was done
    folder: Path | None
    ready: int = 0  # entry points whose code was kept already
    compiled: tuple[str, ...] = ()  # kernels, once for each signature, inner ones too
    # names of entry points that are not in the cache; they are compiled when called
    failed: tuple[str, ...] = ()
    reason: str = ""  # why code could not be kept; "" where it was


def compile_all(tell: Callable[[Underway], None] = lambda _: None) -> WarmUp:
    """Compile all entry points whose code is not in the cache, on all cores.

    An interrupt ends it; what was compiled until then is kept. Where code cannot be kept (a full
    disk) it ends at once: each process would compile for itself.
    """
    points = _compiled_points()
    folder = writable_folder()
    if folder is None:
        return WarmUp(None)
    missing = [k for k, point in enumerate(points) if not point.is_kept()]
    total = len(missing)
    compiled: list[str] = []
    done, reason = set(), ""
    if missing:
        say_compiling()
        tell(Underway(0, total))
    for _ in range(2):
        with _working(folder, missing) as (_, lines):
            for what, *more in _said(lines):
                if what == COMPILED:
                    compiled += more
                else:
                    done.add(more[0])
                    reason = more[1]
                if reason:
                    break
                name = compiled[-1] if compiled else ""
                tell(Underway(len(done), total, len(compiled), name))
        missing = [] if reason else [k for k in missing if k not in done]
    failed = tuple(point.name for point in points if not point.is_kept())
    return WarmUp(folder, len(points) - total, tuple(compiled), failed, reason)


def compiling_ahead() -> Generator[None]:
    """Let other cores compile what a command is likely to call, while it compiles what it calls.

    At each step a kernel was missing. At the first, workers begin with what a verdict calls, the
    last of it first; when they are through and a further one is missing, with all the rest.
    """
    folder = writable_folder()
    if folder is None:
        return
    _join(folder)
    first, others = map(len, entry_points())
    for numbers in (range(first), range(first, first + others)):
        with _working(folder, numbers, left=1) as (workers, _):
            yield
            while any(worker.poll() is None for worker in workers):
                yield


@cache
def _join(folder: Path, tell: Callable[[Compiled], None] = lambda _: None) -> None:
    """Share the work with the other processes."""
    share_work(folder, tell)
    gc.set_threshold(RARELY)


def work(folder: str, numbers: str) -> None:
    """Compile the entry points of these numbers, but what others do; say what was done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ours is the process that started us
    _join(Path(folder), lambda compiled: _say(COMPILED, compiled.kernel))
    points, left = _compiled_points(), json.loads(numbers)
    for wait in (False, True):
        left = [k for k in left if not _done(points[k], k, wait)]


def _done(point: EntryPoint, k: int, wait: bool) -> bool:
    """See to an entry point; return whether it is seen to: False where another process is at it."""
    if not claimed(f"entry point {k}".encode(), wait):
        return False
    if not point.is_kept():
        with suppress(Exception):  # it is seen that the code is not kept
            point.compile()
    _say(DONE, k, why_not_kept())
    free_work()
    return True


def _said(lines: IO[bytes]) -> Iterator[list[Any]]:
    """Yield what workers say, until all of them have ended."""
    for line in lines:
        with suppress(ValueError):
            if line.startswith(MARK):
                yield json.loads(line[len(MARK) :])


def _say(*what: str | int) -> None:
    print(f"\n{MARK.decode()}{json.dumps(what)}", flush=True)


def _compiled_points() -> list[EntryPoint]:
    """Return the entry points; none where NUMBA_DISABLE_JIT leaves them plain functions."""
    points = chain(*entry_points())
    return [point for point in points if isinstance(point.kernel.made, Dispatcher)]


@contextmanager
def _working(
    folder: Path, numbers: Sequence[int], left: int = 0
) -> Iterator[tuple[list[subprocess.Popen[bytes]], IO[bytes]]]:
    """Let workers compile the entry points of these numbers on all cores but those that are left.

    Yields the workers and the pipe that they write to: it holds all they say, read or not. Workers
    that are still at work afterwards are killed.
    """
    memory = available_memory()
    room = MOST_WORKERS if memory is None else max(1, memory // MEMORY)
    n = min(cores() - left, len(numbers), MOST_WORKERS, room) if sys.executable else 0
    workers: list[subprocess.Popen[bytes]] = []
    ends = os.pipe()
    try:
        with open(ends[0], "rb") as lines:
            with open(ends[1], "wb") as answers, suppress(OSError):  # no more processes
                for j in range(n):
                    own = sorted(numbers, key=lambda k: (numbers.index(k) - j) % n > 0)  # first
                    workers.append(_worker(answers, str(folder), json.dumps(own), *sys.path))
            yield workers, lines
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def _worker(answers: IO[bytes], *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  # this interpreter, and our own text
        [sys.executable, "-c", WORKER, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=answers,
        stderr=subprocess.DEVNULL,
    )
