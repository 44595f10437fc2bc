"""All kernels compiled at once, by processes side by side, into the cache that they share.

The workers are new processes on every system, never copies of this one: other threads may be at
work here, and locks that they held would stay locked in a copy. A worker reads the number of an
entry point, compiles it, and answers with a line; it ends when its input does, so that none is
left behind by a process that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from numba.core.dispatcher import Dispatcher

from separatrix.kernels._cache import (
    Compiled,
    compiled_so_far,
    say_compiling,
    share_work,
    writable_folder,
)
from separatrix.kernels._jit import EntryPoint
from separatrix.kernels.entry_points import entry_points

MOST_WORKERS = 16
WORKER = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from separatrix.kernels.warm_up import work; work(sys.argv[1])"
)


class Underway(NamedTuple):
    """How far the compiling is: `name` is done, as one of `done` of `total`."""

    done: int
    total: int
    name: str


@dataclass(frozen=True)
class WarmUp:
    """What a warm-up did.

    Parameters
    ----------
    folder : where the code is kept; None where no folder takes it, and nothing was done
    ready : entry points whose code was kept already
    compiled : kernels that were compiled, inner ones too
    failed : names of entry points that were not compiled; they will be when they are called
    """

    folder: Path | None
    ready: int = 0
    compiled: tuple[Compiled, ...] = ()
    failed: tuple[str, ...] = ()


def compile_all(tell: Callable[[Underway], None] | None = None) -> WarmUp:
    """Compile all entry points whose code is not in the cache, on all cores.

    An interrupt ends it; what was compiled until then is kept.
    """
    points = _compiled_points()
    folder = writable_folder()
    if folder is None:
        return WarmUp(None)
    missing = {k: point.name for k, point in enumerate(points) if not point.is_kept()}
    ready = len(points) - len(missing)
    if not missing or not sys.executable:
        return WarmUp(folder, ready, (), tuple(missing.values()))
    say_compiling()
    compiled: list[Compiled] = []
    for done, (k, of_it) in enumerate(_answers(folder, list(missing)), start=1):
        compiled += of_it
        name = missing.pop(k)
        if tell is not None:
            tell(Underway(done, len(points) - ready, name))
    return WarmUp(folder, ready, tuple(compiled), tuple(missing.values()))


def work(folder: str) -> None:
    """Compile the entry points whose numbers come on stdin, until it ends; answer each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ours is the process that started us
    share_work(Path(folder))
    points = _compiled_points()
    for line in sys.stdin:
        before = len(compiled_so_far())
        points[int(line)].compile()
        print(json.dumps(compiled_so_far()[before:]), flush=True)


def _compiled_points() -> list[EntryPoint]:
    """Return the entry points; none where NUMBA_DISABLE_JIT leaves them plain functions."""
    return [point for point in entry_points() if isinstance(point.kernel, Dispatcher)]


def _answers(folder: Path, numbers: list[int]) -> Iterator[tuple[int, list[Compiled]]]:
    """Yield what came of each number, as the workers get done with it."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    answers: queue.SimpleQueue[tuple[int, list[Compiled]] | None] = queue.SimpleQueue()
    for k in numbers:
        waiting.put(k)
    workers: list[subprocess.Popen[str]] = []
    try:
        for _ in range(min(_cores(), len(numbers), MOST_WORKERS)):
            workers.append(_started(folder))
            threading.Thread(
                target=_serve, args=(workers[-1], waiting, answers), daemon=True
            ).start()
        for _ in workers:
            yield from iter(answers.get, None)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def _started(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603  # this interpreter, and our own text
        [sys.executable, "-c", WORKER, str(folder), *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _serve(
    worker: subprocess.Popen[str],
    waiting: queue.SimpleQueue[int],
    answers: queue.SimpleQueue[tuple[int, list[Compiled]] | None],
) -> None:
    """Give a worker one number after another; what it dies of is left for later."""
    with contextlib.suppress(queue.Empty, OSError, ValueError):
        while worker.stdin and worker.stdout:
            k = waiting.get_nowait()
            worker.stdin.write(f"{k}\n")
            worker.stdin.flush()
            answers.put((k, [Compiled(*pair) for pair in json.loads(worker.stdout.readline())]))
    answers.put(None)


def _cores() -> int:
    with contextlib.suppress(AttributeError):  # not everywhere
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
