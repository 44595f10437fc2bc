"""Passes of many runs over the same rows, served by the same reads of them.

Each run is a thread: one that wants rows of a block, or what another returns, gives way. As many go
on at a time as there are processors, those that want the same rows one after the other. When all
wait, the rows are read once, from the first that are wanted.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Hashable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from typing import Generic, TypeVar

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import Sample
from separatrix.scale.back_ends import Block, Loop, Ranges
from separatrix.scale.budget import trim
from separatrix.scale.rows import Rows
from separatrix.scale.source import Source, joined_samples
from separatrix.scale.view import SameRows
from separatrix.tiles import TILE, n_threads, one_blas_thread

T = TypeVar("T")

PARTS = 5  # a block is so many tiles times a number: a fifth of its rows are whole tiles, too
SMALLER = 2  # as large as a block may be, over this: views of it are in memory at the same time
OFTEN = 64 << 20  # bytes of blocks after which what was freed is given back
AHEAD = 2 * TILE  # rows read beyond the first block: where those of a view's block may end


class AbandonedError(BaseException):
    """Another run failed: this one is given up."""


class Window(SameRows):
    """Rows of which some are in memory now."""

    def __init__(self, base: Source) -> None:
        super().__init__(base, lambda rows: rows)
        self.shown: Block | None = None

    def show(self, block: Block, keep_from: int) -> None:
        """Take the rows of a block, behind those from `keep_from` on that are there."""
        before = self.shown
        if before is not None and before.start <= keep_from < before.stop == block.start:
            if self.seeks:  # mapped once more: no copy
                kept = self.base.read(keep_from, block.stop)
            else:
                kept = joined_samples([self.read(keep_from, block.start), block.sample])
            block = Block(keep_from, kept)
        self.shown = block

    def has(self, start: int, stop: int) -> bool:
        return self.shown is not None and self.shown.start <= start and stop <= self.shown.stop

    def read(self, start: int, stop: int) -> Sample:
        """Return rows start, ..., stop - 1: of those in memory views, no copies."""
        if self.shown is None or not self.has(start, stop):
            return self.base.read(start, stop)
        return self.shown.sample.at(slice(start - self.shown.start, stop - self.shown.start))


class Begun(Generic[T]):
    """A job that was begun, and perhaps has ended."""

    def __init__(self, value: T | None = None, seconds: float = 0.0, *, done: bool = True) -> None:
        self.value, self.done = value, done
        self.seconds = seconds  # that it worked

    def result(self) -> T:
        """Return what it returns; a run that asks gives way until then."""
        if not self.done:
            HERE.run.wait_for(self)
        return self.value  # type: ignore[return-value]  # it has ended


HERE = threading.local()  # `run`: the run of this thread


class Run(Begun[T]):
    """A run in a thread of its own, which works only as long as it is let."""

    def __init__(self, job: Callable[[], T]) -> None:
        super().__init__(done=False)
        self.error: BaseException | None = None
        self.wants: tuple[Source, int, int] | Begun[Untyped] | None = None  # what it waits for
        self.given: list[Block] = []  # what it waited for, and nowhere else while it waits again
        self.abandoned = False
        self._go, self._gave_way = threading.Semaphore(0), threading.Semaphore(0)
        self._job = job
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        HERE.run = self
        self._go.acquire()
        try:
            if not self.abandoned:
                self.value = self._job()
        except BaseException as error:  # raised where the runs were begun
            self.error = error
        self.done = True
        self._gave_way.release()

    @property
    def rows(self) -> tuple[Source, int, int] | None:
        """The rows that it waits for; None where it does not wait for any."""
        return self.wants if isinstance(self.wants, tuple) else None

    def go_on(self) -> None:
        """Let it work until it waits, or ends."""
        self.wants = None
        began = work_clock()
        self._go.release()
        self._gave_way.acquire()
        self.seconds += work_clock() - began
        if self.error is not None:
            raise self.error

    def wait_for(self, wanted: tuple[Source, int, int] | Begun[Untyped]) -> None:
        """Give way until rows are in memory, or another run has ended; called by its own thread."""
        if not self.abandoned:
            self.wants = wanted
            self._gave_way.release()
            self._go.acquire()
        if self.abandoned:
            raise AbandonedError

    def abandon(self) -> None:
        self.abandoned = True
        self._go.release()
        self.thread.join()


class Together(Loop):
    """The back end of runs that share reads; alone, a loop."""

    def __init__(self, window: Window, ranges: Ranges) -> None:
        self.window, self.ranges = window, ranges
        self.runs: list[Run[Untyped]] = []

    @property
    def counts(self) -> bool:
        """Whether a pass is a read of the rows: not where runs share them."""
        return not self.runs

    def _blocks(self, source: Source, ranges: Ranges) -> Generator[Block]:
        """Yield the blocks: from the window, for a run among others."""
        mine = getattr(HERE, "run", None)
        if mine is None:
            yield from super()._blocks(source, ranges)
            return
        for start, stop in ranges:
            mine.wait_for((source, start, stop))
            yield mine.given.pop()

    def share(self, told: Callable[[Block], None]) -> None:
        """Read the rows as often as it takes until all runs have ended."""
        with ThreadPoolExecutor(n_threads(), "separatrix-runs") as threads:
            try:
                self._serve(threads)
                while any(run.wants for run in self.runs):
                    self._read_once(threads, told)
            finally:
                self.window.shown = None
                for run in self.runs:
                    if not run.done:
                        run.abandon()
                self.runs = []
                trim()

    def _can_go_on(self, run: Run[Untyped]) -> bool:
        if run.rows is not None:
            return self.window.has(*run.rows[0].span(*run.rows[1:]))
        return not run.done and (not isinstance(run.wants, Begun) or run.wants.done)

    def _serve(self, threads: ThreadPoolExecutor) -> None:
        """Let runs work until each waits for rows that are not in memory, or has ended."""
        while True:
            ready = defaultdict[Hashable, list[Run[Untyped]]](list)
            for run in self.runs:
                if self._can_go_on(run):
                    ready[run.rows or run].append(run)
            if not ready:
                return
            for _ in threads.map(_go_on, ready.values()):
                pass

    def _wanted(self) -> list[tuple[int, int]]:
        return [rows[0].span(*rows[1:]) for rows in (run.rows for run in self.runs) if rows]

    def _read_once(self, threads: ThreadPoolExecutor, told: Callable[[Block], None]) -> None:
        """Read the rows from the first on that is wanted, and serve all that they serve."""
        first = min(start for start, _ in self._wanted())
        rest = [rows for rows in self.ranges if rows[1] > first]
        with closing(super()._blocks(self.window.base, rest)) as blocks:
            seen = float(OFTEN)
            for block in blocks:
                seen += block.n * self.window.row_bytes
                if seen > OFTEN:
                    trim()
                    seen = 0.0
                begun = self.window.shown.start if self.window.shown else block.start
                starts = [start for start, _ in self._wanted() if start >= begun]
                if not starts:
                    break
                self.window.show(block, min(starts))
                self._serve(threads)
                told(block)
        self.window.shown = None


def _go_on(runs: Sequence[Run[Untyped]]) -> None:
    """Let runs that want the same rows, if any, work one after the other."""
    began, given = work_clock(), list[Block]()
    if runs[0].rows is not None:
        source, start, stop = runs[0].rows
        given = [Block(start, source.read(start, stop))]
    runs[0].seconds += work_clock() - began
    for run in runs:
        run.given = given.copy()
        run.go_on()


def sharing(rows: Rows) -> Rows:
    """Return rows whose reads runs can share; as they are on a cluster, and with a checkpoint."""
    if type(rows.back_end) is not Loop or rows.journal.keeps:
        return rows
    window = Window(rows.source)
    n_tiles = max(1, rows.rows_in_block // (SMALLER * TILE))  # of wide rows fewer than `PARTS`
    size = (n_tiles // PARTS * PARTS or n_tiles) * TILE
    edges = [0, *range(size + AHEAD, rows.n, size), rows.n]
    together = Together(window, list(pairwise(edges)))
    made = Rows(window, memory=rows.memory, back_end=together, rows_in_block=size)
    made.progress, made.reads = rows.progress, rows.reads
    return made


class InPool(Begun[T]):
    """A job over rows in memory, in a thread of a pool."""

    def __init__(self, pool: Executor, job: Callable[[], T]) -> None:
        super().__init__()
        self._ending = pool.submit(timed, job)

    def result(self) -> T:
        value, self.seconds = self._ending.result()
        return value


def begin(rows: Rows, job: Callable[[], T], pool: Executor | None = None) -> Begun[T]:
    """Begin a job over views of the rows: it goes on while others do, or else ends at once.

    In a pool, a job may wait only for those that were begun before it.
    """
    if pool is not None:
        return InPool(pool, job)
    if not isinstance(rows.back_end, Together):
        return Begun(*timed(job))
    rows.back_end.runs.append(run := Run(job))
    return run


def together(rows: Rows, jobs: Sequence[Callable[[], T]]) -> list[tuple[T, float]]:
    """Return what jobs over views of the rows return, and the seconds that each worked."""
    begun = [begin(rows, job) for job in jobs]

    def told(block: Block) -> None:
        rows.reads.done += block.n / rows.n
        if rows.progress is not None:
            rows.progress(block.stop, rows.n, rows.reads)

    if isinstance(rows.back_end, Together) and not hasattr(HERE, "run"):
        with one_blas_thread():
            rows.back_end.share(told)
    return [(each.result(), each.seconds) for each in begun]


def timed(job: Callable[[], T]) -> tuple[T, float]:
    """Return what a job returns, and its seconds without those in which kernels were compiled."""
    started = work_clock()
    made = job()
    return made, work_clock() - started
