"""Passes of many runs over the same rows, served by the same reads of them.

Each run is a thread, and one of them works at a time: a run that wants the rows of a block gives
way until they are there. When all wait, the rows are read once, from the first block that is wanted
on; each run gets its rows of a block, through its own view of them, while the block is in memory.
What a run computes is what it would compute alone: the same rows in the same order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import Sample
from separatrix.scale.block import Block
from separatrix.scale.loop import Loop, Ranges
from separatrix.scale.rows import NoJournal, Rows
from separatrix.scale.source import Places, Source
from separatrix.scale.view import View
from separatrix.tiles import TILE, one_blas_thread

T = TypeVar("T")

PARTS = 5  # a block is so many tiles times a number: a fifth of its rows are whole tiles, too
SMALLER = 2  # as large as a block may be, over this: views of it are in memory at the same time
AHEAD = 2 * TILE  # rows read beyond the first block: where those of a view's block may end


class AbandonedError(BaseException):
    """Another run failed: this one is given up."""


class Window(View):
    """Rows of which some are in memory now."""

    def __init__(self, base: Source) -> None:
        super().__init__(base)
        self.about, self.seeks = base.about, base.seeks
        self.shown: Block | None = None

    def show(self, block: Block, keep_from: int) -> None:
        """Take the rows of a block, behind those from `keep_from` on that are there."""
        before = self.shown
        if before is not None and before.start <= keep_from < before.stop == block.start:
            old = self.read(keep_from, block.start)
            new, at = block.sample, keep_from
            X = np.concatenate([old.X, new.X])
            y, weight = np.append(old.y, new.y), np.append(old.weight, new.weight)
            block = Block(at, Sample(X, y, new.classes, weight))
        self.shown = block

    def has(self, start: int, stop: int) -> bool:
        """Whether these rows are in memory."""
        return self.shown is not None and self.shown.start <= start and stop <= self.shown.stop

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1: of those in memory views, no copies."""
        if self.shown is None or not self.has(start, stop):
            return self.base.read(start, stop, check=check)
        of, part = self.shown.sample, slice(start - self.shown.start, stop - self.shown.start)
        return Sample(of.X[part], of.y[part], of.classes, of.weight[part])

    def take(self, rows: NDArray[np.int64]) -> Sample:
        """Return a few rows by index, in the order given."""
        return self.base.take(rows)

    def places(self, rows: NDArray[np.int64]) -> Places:
        """Return which of the files each row is in, from 0, and where it stands there, from 1."""
        return self.base.places(rows)


class Run(Generic[T]):
    """A run in a thread of its own, which works only as long as it is let."""

    def __init__(self, job: Callable[[], T]) -> None:
        self.value: T | None = None
        self.error: BaseException | None = None
        self.seconds = 0.0  # that it worked
        self.wants: tuple[Source, int, int] | None = None  # rows that it waits for
        self.done = self.abandoned = False
        self._go, self._gave_way = threading.Semaphore(0), threading.Semaphore(0)
        self._job = job
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        self._go.acquire()
        try:
            if not self.abandoned:
                self.value = self._job()
        except BaseException as error:  # raised where the runs were begun
            self.error = error
        self.done = True
        self._gave_way.release()

    def go_on(self) -> None:
        """Let it work until it waits for rows, or ends."""
        self.wants = None
        began = work_clock()
        self._go.release()
        self._gave_way.acquire()
        self.seconds += work_clock() - began
        if self.error is not None:
            raise self.error

    def wait_for(self, source: Source, start: int, stop: int) -> None:
        """Give way until rows of a source are in memory; called by its own thread."""
        if self.abandoned:
            raise AbandonedError
        self.wants = source, start, stop
        self._gave_way.release()
        self._go.acquire()
        if self.abandoned:
            raise AbandonedError

    def abandon(self) -> None:
        """Let it end."""
        self.abandoned = True
        self._go.release()
        self.thread.join()


class Together(Loop):
    """The back end of runs that share reads; alone, a loop."""

    def __init__(self, window: Window, ranges: Ranges) -> None:
        super().__init__()
        self.window, self.ranges = window, ranges
        self.runs: list[Run[Untyped]] = []
        self._cached: tuple[tuple[int, int, int], Block] | None = None

    @property
    def counts(self) -> bool:
        """Whether a pass is a read of the rows: not where runs share them."""
        return not self.runs

    def _blocks(self, source: Source, ranges: Ranges) -> Generator[Block]:
        """Yield the blocks: from the window, for a run among others."""
        mine = [run for run in self.runs if run.thread is threading.current_thread()]
        if not mine:
            yield from super()._blocks(source, ranges)
            return
        for start, stop in ranges:
            mine[0].wait_for(source, start, stop)
            key = id(source), start, stop
            if self._cached is None or self._cached[0] != key:
                self._cached = None
                self._cached = key, Block(start, source.read(start, stop, check=False))
            yield self._cached[1]

    def share(self, runs: list[Run[Untyped]], told: Callable[[Block], None]) -> None:
        """Read the rows as often as it takes until all runs have ended."""
        self.runs = runs
        try:
            for run in runs:
                run.go_on()
            while any(run.wants for run in runs):
                self._read_once(told)
        finally:
            self.window.shown = self._cached = None
            for run in runs:
                if not run.done:
                    run.abandon()
            self.runs = []

    def _wanted(self) -> list[tuple[int, int]]:
        """Return the rows of the table that runs wait for."""
        return [source.span(a, b) for source, a, b in (r.wants for r in self.runs if r.wants)]

    def _read_once(self, told: Callable[[Block], None]) -> None:
        """Read the rows from the first on that is wanted, and serve all that they serve."""
        first = min(start for start, _ in self._wanted())
        rest = [rows for rows in self.ranges if rows[1] > first]
        with closing(super()._blocks(self.window.base, rest)) as blocks:
            for block in blocks:
                begun = self.window.shown.start if self.window.shown else block.start
                starts = [start for start, _ in self._wanted() if start >= begun]
                if not starts:
                    break
                self.window.show(block, min(starts))
                self._cached = None
                for run in self.runs:
                    while run.wants and self.window.has(*run.wants[0].span(*run.wants[1:])):
                        run.go_on()
                told(block)
        self.window.shown = self._cached = None


def sharing(rows: Rows) -> Rows:
    """Return rows whose reads runs can share; as they are on a cluster, and with a checkpoint."""
    if type(rows.back_end) is not Loop or not isinstance(rows.journal, NoJournal):
        return rows
    window = Window(rows.source)
    size = max(1, rows.rows_in_block // (SMALLER * PARTS * TILE)) * PARTS * TILE
    edges = [0, *range(size + AHEAD, rows.n, size), rows.n]
    together = Together(window, list(pairwise(edges)))
    made = Rows(window, memory=rows.memory, back_end=together, rows_in_block=size)
    made.progress, made.reads = rows.progress, rows.reads
    return made


def together(rows: Rows, jobs: Sequence[Callable[[], T]]) -> list[tuple[T, float]]:
    """Return what jobs over views of the rows return, and the seconds that each worked."""
    if not isinstance(rows.back_end, Together):
        return [timed(job) for job in jobs]

    def told(block: Block) -> None:
        rows.reads.done += block.n / rows.n
        if rows.progress is not None:
            rows.progress(block.stop, rows.n, rows.reads)

    runs = [Run(job) for job in jobs]
    with one_blas_thread():
        rows.back_end.share(runs, told)
    return [(run.value, run.seconds) for run in runs]  # type: ignore[misc]  # all have ended


def timed(job: Callable[[], T]) -> tuple[T, float]:
    """Return what a job returns, and its seconds without those in which kernels were compiled."""
    started = work_clock()
    made = job()
    return made, work_clock() - started
