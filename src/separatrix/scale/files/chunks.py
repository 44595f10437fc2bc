"""A file of any size in chunks of rows, and nothing else than it was when it was opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from separatrix.data import InputError
from separatrix.scale.source import FileStamp
from separatrix.tables.files.formats import chunks_of, format_of
from separatrix.tables.files.source import Source, head_of, refuse_log
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawTable


@dataclass(frozen=True, slots=True)
class InChunks:
    """A file that is read in chunks."""

    path: str
    format: str  # as in `tables.files.formats`
    stamp: FileStamp
    reading: Reading
    at_once: int  # bytes of text in a chunk

    @classmethod
    def of(cls, path: str, reading: Reading, at_once: int) -> InChunks:
        head = head_of(path)
        form = format_of(head, reading.format)
        if form in ("sqlite", "duckdb"):
            refuse_log(Path(path), head.data)
        return cls(path, form, FileStamp.of(path), reading, at_once)

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def head(self) -> Source:
        return head_of(self.path, self.at_once)

    def __iter__(self) -> Iterator[RawTable]:
        """Yield its rows, a chunk at a time; `InputError` for what cannot be read."""
        self.stamp.refuse_changed(footer=True)
        try:
            yield from chunks_of(self.head, self.reading, self.format)
        except OSError as error:  # of this file: what is done with chunks is not done in here
            raise InputError(f"cannot read {self.path!r}: {error.strerror}.") from None
        self.stamp.refuse_changed(footer=True)
