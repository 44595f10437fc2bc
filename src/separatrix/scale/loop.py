"""A block of rows, and the loop over blocks on this machine, which reads one ahead."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats, Sample
from separatrix.scale.source import Source
from separatrix.tiles import TILE, stack_of_runs, stack_of_tiles, sum_of_runs, tiled_sum


@dataclass(frozen=True, slots=True)
class Block:
    """Rows start, ..., stop - 1 of a table."""

    start: int  # index of its first row in the table, a multiple of `TILE`
    sample: Sample  # X (n, d) C-ordered float64 or float32, finite, perhaps read-only

    @property
    def n(self) -> int:
        return self.sample.n

    @property
    def stop(self) -> int:
        return self.start + self.sample.n

    # The sums of the first tiles may be added up before `Rows.sum` does it, in the same order: the
    # rows of an array are one block, whose tiles would take much room where each is a matrix.

    def sums_of_tiles(self, part: Callable[[slice], Floats]) -> Floats:
        """Return part(tile) of every tile, (tiles, ...); of the first block their sum, (1, ...)."""
        if self.start == 0:
            return tiled_sum(self.n, part)[np.newaxis]
        return stack_of_tiles(self.n, part)

    def sums_of_runs(self, sums: Callable[[int, int], Floats]) -> Floats:
        """Return the same by kernels that take many tiles: sums(start, stop) is (tiles, ...)."""
        if self.n <= TILE:
            return sums(0, self.n)
        if self.start == 0:
            return sum_of_runs(self.n, sums)[np.newaxis]
        return stack_of_runs(self.n, sums)


T = TypeVar("T")
Ranges = Sequence[tuple[int, int]]


class Loop:
    """The back end of one machine. It remembers which blocks were found to be finite."""

    @property
    def counts(self) -> bool:
        """Whether each pass is a read of the rows of its own."""
        return True

    def __init__(self) -> None:
        self._checked: set[tuple[int, int]] = set()

    def map(
        self, source: Source, ranges: Ranges, function: Callable[..., T], broadcast: Untyped
    ) -> Iterator[T]:
        """Yield function(block, *broadcast) for each range of rows, in their order."""
        for block in self._blocks(source, ranges):
            value = function(block, *broadcast)
            del block  # before the one after next is read
            yield value

    def fold(
        self, source: Source, ranges: Ranges, step: Callable[..., T], state: T, broadcast: Untyped
    ) -> Iterator[T]:
        """Yield the state after each range: step(block, state, *broadcast)."""
        for block in self._blocks(source, ranges):
            state = step(block, state, *broadcast)
            del block
            yield state

    def _blocks(self, source: Source, ranges: Ranges) -> Generator[Block]:
        """Yield the blocks; one more is read ahead in another thread."""

        def read(rows: tuple[int, int]) -> Block:
            block = Block(rows[0], source.read(*rows, check=rows not in self._checked))
            self._checked.add(rows)
            return block

        if len(ranges) < 2:  # nothing is to be read ahead
            yield from map(read, ranges)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="separatrix-read") as reader:
            ahead = reader.submit(read, ranges[0])
            try:
                for rows in [*ranges[1:], None]:
                    block = ahead.result()
                    if rows is not None:
                        ahead = reader.submit(read, rows)
                    yield block
                    del block  # before the one after next is read
            finally:
                ahead.cancel()
