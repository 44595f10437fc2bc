"""All kernels compiled at once, by processes side by side, into the cache that they share.

The workers are new processes on every system, never copies of this one: other threads may be at
work here, and locks that they held would stay locked in a copy. A worker reads the number of an
entry point, compiles it, and answers with lines; it ends when its input does, so that none is
left behind by a process that was killed. What a worker was compiling when it was killed is given
to a new one, once.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from numba.core.dispatcher import Dispatcher

from separatrix.kernels._cache import (
    Compiled,
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
MARK = b"separatrix: "  # begins a line of a worker: others are printed by what it imports
READY, COMPILED, DONE = "ready", "compiled", "done"  # what a worker says
WORKER = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from separatrix.kernels.warm_up import work; work(sys.argv[1])"
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
    compiled: tuple[Compiled, ...] = ()  # kernels that were compiled, inner ones too
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
    ready = len(points) - len(missing)
    compiled: list[Compiled] = []
    done, reason = 0, ""
    if missing:
        say_compiling()
        tell(Underway(0, len(missing)))
    with closing(_said(folder, missing)) as said:
        for what, *more in said:
            if what == COMPILED:
                compiled.append(Compiled(*more))
            elif what == DONE:
                done += 1
                reason = more[0]
            if reason:
                break
            name = compiled[-1].kernel if compiled else ""
            tell(Underway(done, len(missing), len(compiled), name))
    failed = tuple(points[k].name for k in missing if not points[k].is_kept())
    return WarmUp(folder, ready, tuple(compiled), failed, reason)


def work(folder: str) -> None:
    """Compile the entry points whose numbers come on stdin, until it ends; say what was done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ours is the process that started us
    share_work(Path(folder), lambda compiled: _say(COMPILED, *compiled))
    points = _compiled_points()
    _say(READY)
    for line in sys.stdin:
        with suppress(Exception):  # it is seen that the code is not kept
            points[int(line)].compile()
        free_work()
        _say(DONE, why_not_kept())


def _say(*what: str) -> None:
    print(f"\n{MARK.decode()}{json.dumps(what)}", flush=True)


def _compiled_points() -> list[EntryPoint]:
    """Return the entry points; none where NUMBA_DISABLE_JIT leaves them plain functions."""
    return [point for point in entry_points() if isinstance(point.kernel, Dispatcher)]


def _said(folder: Path, numbers: list[int]) -> Generator[list[Any]]:
    """Yield what workers say while they compile the entry points of these numbers."""
    memory = available_memory()
    room = MOST_WORKERS if memory is None else max(1, memory // MEMORY)
    pool = _Pool(folder, deque(numbers))
    served = []
    try:
        with suppress(RuntimeError):  # no more threads: those that there are do it
            for _ in range(min(cores(), len(numbers), MOST_WORKERS, room) if sys.executable else 0):
                thread = threading.Thread(target=pool.serve, daemon=True)
                thread.start()
                served.append(thread)
        for _ in served:
            yield from iter(pool.said.get, None)
    finally:
        pool.close()
        for thread in served:
            thread.join()


class _Pool:
    """Workers, each served by a thread, and what they have said."""

    def __init__(self, folder: Path, waiting: deque[int]) -> None:
        self.folder, self.waiting = folder, waiting
        self.said: queue.SimpleQueue[list[Any] | None] = queue.SimpleQueue()
        self.workers: list[subprocess.Popen[bytes]] = []
        self.repeated: set[int] = set()
        self.closed, self.lock = False, threading.Lock()

    def serve(self) -> None:
        """Give entry points to a worker, and to another where it is killed; then say None."""
        try:
            with suppress(OSError):  # no process can be started
                while self._served_by_one():
                    pass
        finally:
            self.said.put(None)

    def close(self) -> None:
        """End all workers."""
        self.waiting.clear()
        with self.lock:
            self.closed = True
            for worker in self.workers:
                worker.kill()

    def _served_by_one(self) -> bool:
        """Return whether a worker was killed; False where it had no more to do, or never began."""
        with self.lock:
            if self.closed:
                return False
            worker = self._started()
            self.workers.append(worker)
        with worker:
            if not self._heard(worker, READY):
                return False
            while self.waiting:
                with suppress(IndexError):  # another thread took it
                    k = self.waiting.popleft()
                    if not self._compiled(worker, k):
                        if k not in self.repeated:
                            self.repeated.add(k)
                            self.waiting.append(k)
                        return True
        return False

    def _compiled(self, worker: subprocess.Popen[bytes], k: int) -> bool:
        """Return whether a worker has answered to a number."""
        with suppress(OSError):
            worker.stdin.write(b"%d\n" % k)  # type: ignore[union-attr]  # is a pipe
            return self._heard(worker, DONE)
        return False

    def _heard(self, worker: subprocess.Popen[bytes], last: str) -> bool:
        """Put down what a worker says up to `last`; return whether it came to that."""
        for line in worker.stdout or ():
            with suppress(ValueError):
                if line.startswith(MARK):
                    what = json.loads(line[len(MARK) :])
                    self.said.put(what)
                    if what[0] == last:
                        return True
        return False

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  # this interpreter, and our own text
            [sys.executable, "-c", WORKER, str(self.folder), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
