"""Blocks one after the other on this machine, the next one read while one is worked on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from separatrix._types import Untyped
from separatrix.scale.block import Block
from separatrix.scale.source import Source

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

        if len(ranges) == 1:  # nothing is to be read ahead
            yield read(ranges[0])
            return
        with ThreadPoolExecutor(1, thread_name_prefix="separatrix-read") as reader:
            ahead = [reader.submit(read, rows) for rows in ranges[:1]]
            try:
                for rows in [*ranges[1:], None]:
                    if not ahead:
                        return
                    block = ahead.pop().result()
                    if rows is not None:
                        ahead.append(reader.submit(read, rows))
                    yield block
                    del block  # before the one after next is read
            finally:
                for job in ahead:
                    job.cancel()
