"""A table in blocks: what learners and proofs go over instead of arrays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.cached import cached_property
from separatrix.data import Floats, Labels, Sample, in_form
from separatrix.scale.back_ends import Block, Loop, OnDask, Ranges, running_client
from separatrix.scale.budget import memory_budget, memory_of, rows_per_block
from separatrix.scale.source import ArraySource, Source, joined_samples
from separatrix.tiles import TILE

T = TypeVar("T")
S = TypeVar("S")
BackEnd = Loop | OnDask  # who goes over the blocks

PASS = 64  # a few rows are read by themselves where their tiles are below 1 / PASS of all
IN_MEMORY = 12  # a table of at most the budget of rows over this, in doubles, may be read whole
KEPT = 16  # rows that were read by themselves are kept where they take the budget over this
NOTHING = np.zeros(0)


class Journal:
    """What keeps the work that is done, so that a run that was killed can go on: here nothing."""

    keeps = False  # whether it keeps work
    resumed = False  # whether there was work of a run before
    before = 0.0  # the seconds of that work

    def part(self, asked: str) -> AbstractContextManager[None]:  # noqa: ARG002
        """Begin what the run was asked next; `InputError` where the run before was not."""
        return self.explained()

    def explained(self) -> AbstractContextManager[None]:
        """Turn what a run meets because of the work of a run before into `InputError`."""
        return nullcontext()

    def begin(self, start: T) -> tuple[int, T]:
        """Return how many blocks of the next pass are done, and what they gave; 0 and `start`."""
        return 0, start

    def note(self, done: int, value: object) -> None:
        """Keep, now and then, what the first `done` blocks of this pass gave."""

    def end(self, value: object) -> None:
        """Keep what this pass gave."""

    def remove(self) -> None:
        """Forget the run: it has ended, and its results are written."""


@dataclass(slots=True)
class Reads:
    """How often all rows were read in a run, and about how often they will have been."""

    done: float = 0.0  # of them, `kept` in a checkpoint
    kept: float = 0.0
    expected: float | None = None  # in all; None where that is not known
    began: float = field(default_factory=time.monotonic)  # when, on the monotonic clock

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest takes, as long for each read as those of this run; or None."""
        if self.expected is None or self.done <= self.kept:
            return None
        each = (time.monotonic() - self.began) / (self.done - self.kept)
        return each * max(0.0, self.expected - self.done)


class Rows:
    """N labelled rows of d numbers that are read in blocks, in the same order each time.

    Parameters
    ----------
    source : where the rows come from
    memory : bytes that the process may take, at least 512 MB, or a size such as "512MB"; None for
        a quarter of what is available
    back_end : who goes over the blocks; None for the client of Dask that this process has, or
        else a loop on this machine
    journal : what keeps finished work; None for nothing
    rows_in_block : a multiple of 4096; None for what the budget allows

    Attributes
    ----------
    n, d : int
    x0 : the constant before each row: 1.0, or 0.0 for lines through the origin
    classes : (2,), or None where y are numbers
    ranges : the first row and the row after the last one of each block
    progress : called with how many rows of a pass have been read, how many there are, and `reads`;
        or None
    reads : Reads
    """

    def __init__(
        self, source: Source, *, memory: int | str | None = None, back_end: BackEnd | None = None,
        journal: Journal | None = None, rows_in_block: int | None = None,
    ) -> None:  # fmt: skip
        self.source = source
        self.n, self.d, self.x0 = source.n, source.d, source.x0
        self.classes: Labels | None = source.classes
        self._memory = memory
        if memory is not None:
            _ = self.memory  # refuses what is no size
        client = None if isinstance(source, ArraySource) else running_client()
        self.back_end = back_end or (Loop() if client is None else OnDask(client))
        self.journal = journal or Journal()
        self.progress: Callable[[int, int, Reads], None] | None = None
        self.reads = Reads()
        rows = rows_in_block or rows_per_block(source.bytes_at_work, self.budget)
        self.rows_in_block = rows
        assert rows % TILE == 0  # noqa: S101  # results depend on whole tiles
        self.ranges = [(start, min(start + rows, self.n)) for start in range(0, self.n, rows)]
        of = self.in_memory if type(self.back_end) is Loop else None
        self._block = None if of is None else Block(0, of)
        self._taken: tuple[NDArray[np.int64], Sample | None] = np.zeros(0, dtype=np.int64), None

    @classmethod
    def of(cls, sample: Sample, names: tuple[str, ...] | None = None) -> Rows:
        """Return the rows of a checked sample: one block of all of them, dense or CSR."""
        whole = -(-max(sample.n, 1) // TILE) * TILE
        return cls(ArraySource(sample, names), rows_in_block=whole)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns (d,)."""
        return self.source.names

    @cached_property
    def memory(self) -> int:
        """The bytes that the process may take."""
        return memory_of(self._memory)

    @cached_property
    def budget(self) -> int:
        """The bytes of them that rows may take."""
        return memory_budget(self.memory)

    @property
    def in_memory(self) -> Sample | None:
        """All rows, where they are arrays and one block; None where they are read."""
        if isinstance(self.source, ArraySource) and len(self.ranges) == 1:
            return self.source.sample
        return None

    @property
    def _at_hand(self) -> Block | None:
        """The one block of arrays that no journal is kept of, counted as read."""
        if self._block is None or self.progress is not None or type(self.journal) is not Journal:
            return None
        self.reads.done += 1.0
        return self._block

    def __repr__(self) -> str:
        """Name the file, and how it is read."""
        blocks = f"{len(self.ranges):,} block{'s' * (len(self.ranges) != 1)}"
        size = f"{self.n:,} rows, {self.d:,} columns, {blocks}"
        return f"<Rows {self.source.described}: {size}>"

    @property
    def shape(self) -> tuple[int, int]:
        """(N, d)."""
        return self.n, self.d

    def map(
        self, function: Callable[..., T], *broadcast: Untyped,
        ranges: Sequence[tuple[int, int]] | None = None,
    ) -> list[T]:  # fmt: skip
        """Return function(block, *broadcast) for every block, in order.

        Parameters
        ----------
        ranges : read these rows, as blocks, instead of all; for a source that `seeks`
        """
        return self.reduce(function, _append, list[T](), *broadcast, ranges=ranges)

    def sum(self, function: Callable[..., Floats], *broadcast: Untyped) -> Floats:
        """Return the sum over all tiles, added in the order of the rows.

        function(block, *broadcast) returns the sums of each tile of a block, (tiles, ...): see
        `tiles.stack_of_tiles` and `tiles.stack_of_runs`.
        """
        return self.reduce(function, _added, NOTHING, *broadcast)

    def reduce(
        self, function: Callable[..., T], add: Callable[[S, T], S], start: S, *broadcast: Untyped,
        ranges: Sequence[tuple[int, int]] | None = None,
    ) -> S:  # fmt: skip
        """Return add(... add(add(start, f_1), f_2) ..., f_m), f_k = function(block_k, *broadcast).

        add(total, value) is called here, in the order of the blocks, wherever they are worked on.
        """
        if ranges is None and (block := self._at_hand) is not None:
            return add(start, function(block, *broadcast))
        ranges = self.ranges if ranges is None else ranges
        first, total = self.journal.begin(start)
        before = sum(b - a for a, b in ranges[:first]) / self.n
        self.reads.done += before
        self.reads.kept += before
        self.source.refuse_changed()
        each: Iterator[T] = self.back_end.map(self.source, ranges[first:], function, broadcast)
        for k, value in enumerate(each, first + 1):
            total = add(total, value)
            self.journal.note(k, total)
            self._tell(ranges, k)
        self.source.refuse_changed()
        self.journal.end(total)
        return total

    def fold(
        self, step: Callable[..., S], state: S, *broadcast: Untyped,
        done: Callable[[S], bool] | None = None,
    ) -> S:  # fmt: skip
        """Return the state after step(block, state, *broadcast) for each block, one by one.

        Parameters
        ----------
        step : returns a new state, and leaves the one it was given as it is; a checkpoint keeps
            states, so they are made of what `to_bytes` of `checkpoint` can write
        done : whether a state is the last one: then the rest of the blocks are not read
        """
        n, block = len(self.ranges), self._at_hand
        if block is not None:
            return step(block, state, *broadcast)

        def following(state: S, n_done: int) -> int | None:
            over = n_done >= n or (n_done > 0 and done is not None and done(state))
            return None if over else n_done

        return self.walk(step, state, following, None, lambda kept, _: kept, *broadcast)[0]

    def walk(
        self, step: Callable[..., S], state: S, following: Callable[[S, int], int | None], kept: T,
        keep: Callable[[T, S], T], *broadcast: Untyped,
    ) -> tuple[S, T]:  # fmt: skip
        """Return the last state of a walk from block to block, and what was kept of all of them.

        Parameters
        ----------
        step : as for `fold`
        following : following(state, blocks done) is the index of the next block; None: no more
        kept, keep : keep(kept, state) is called here after each block, wherever it is worked on:
            what no step needs is not sent around
        """
        n_done, (state, kept) = self.journal.begin((state, kept))
        self.source.refuse_changed()
        while (at := following(state, n_done)) is not None:
            rest = self.ranges[at:]
            for after in self.back_end.fold(self.source, rest, step, state, broadcast):
                state, kept, n_done, at = after, keep(kept, after), n_done + 1, at + 1
                self.journal.note(n_done, (state, kept))
                self._tell(self.ranges, at)
                if following(state, n_done) != at:
                    break
            self.source.refuse_changed()
        self.journal.end((state, kept))
        return state, kept

    def _tell(self, ranges: Ranges, done: int) -> None:
        """Tell how many rows of a pass over some ranges have been read: those of the first."""
        if not self.back_end.counts:
            return
        self.reads.done += (ranges[done - 1][1] - ranges[done - 1][0]) / self.n
        if self.progress is not None:
            self.progress(ranges[done - 1][1], ranges[-1][1], self.reads)

    def take(self, rows: NDArray[np.int64]) -> Sample:
        """Return a few rows by index, in the order given; by a pass where that reads less."""
        rows = np.asarray(rows, dtype=np.int64)
        if self.source.seeks or np.unique(rows // TILE).size * TILE < self.n // PASS:
            return self.source.take(rows)
        known, of = self._taken
        if of is None or not np.isin(rows, known).all():
            known = np.union1d(known, rows)
            room = 8 * known.size * (self.d + 2) <= self.budget // KEPT
            known = known if room else np.unique(rows)
            of = joined_samples(self.map(_picked, known))
            if room:
                self._taken = known, of
            elif np.array_equal(known, rows):
                return of
        return of.at(np.searchsorted(known, rows))

    def some(self, rows: NDArray[np.int64]) -> Sample:
        """Return some rows by index, dense ones in doubles."""
        return _in_doubles(self.take(rows))

    @property
    def fits_in_memory(self) -> bool:
        """Whether all rows, in the form that arrays have, take a small part of the budget."""
        return self.take_at_most(IN_MEMORY)

    def take_at_most(self, share: int) -> bool:
        """Whether all rows, in the form that arrays have, take the budget over this or less."""
        each = 8 * (self.d + 2) if self.source.nnz is None else self.source.row_bytes
        return self.n * each <= self.budget // share

    def whole(self) -> Sample:
        """Return all rows: for tables of which that is known to be little."""
        return self.source.read(0, self.n)

    def as_arrays(self) -> Sample:
        """Return all rows in the form that arrays have: for tables of which that is little."""
        sample = _in_doubles(self.whole())
        return replace(sample, X=in_form(sample.X))


def _in_doubles(sample: Sample) -> Sample:
    if sp.issparse(sample.X):
        return sample
    return replace(sample, X=np.asarray(sample.X, dtype=np.float64))


def _picked(block: Block, rows: NDArray[np.int64]) -> Sample:
    """Return those of the rows, in ascending order, that a block has."""
    a, b = np.searchsorted(rows, [block.start, block.stop])
    return block.sample.at(rows[a:b] - block.start)


def _append(total: list[T], value: T) -> list[T]:
    total.append(value)
    return total


def _added(total: Floats, stack: Floats) -> Floats:
    """Return the total and the sums of further tiles, added one after the other."""
    for value in stack:
        if total.size:
            total += value
        else:
            total = np.array(value, dtype=np.float64)
    return total
