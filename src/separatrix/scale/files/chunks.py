"""A file of any size in chunks of rows, and nothing else than it was when it was opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from separatrix.data import InputError
from separatrix.scale.budget import CHUNKS, OF_COLUMN, refuse_too_little, text_at_once, trim
from separatrix.scale.parquet_rows import ParquetFile
from separatrix.scale.source import FileStamp
from separatrix.tables.files.formats import chunks_of, format_of
from separatrix.tables.files.source import Source, head_of, refuse_log
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawTable
from separatrix.tables.scan import csv_head


@dataclass(frozen=True, slots=True)
class InChunks:
    """A file that is read in chunks."""

    path: str
    format: str  # as in `tables.files.formats`
    stamp: FileStamp
    reading: Reading
    at_once: int  # bytes of text in a chunk

    @classmethod
    def of(cls, path: str, reading: Reading, memory: int | str | None) -> InChunks:
        """Return the file at a path; raise `InputError` where its columns need more memory."""
        head = head_of(path)
        form = format_of(head, reading.format)
        if form in ("sqlite", "duckdb"):
            refuse_log(Path(path), head.data)
        made = cls(path, form, FileStamp.of(path), reading, text_at_once(memory))
        if memory is not None and form in ("csv", "parquet"):
            columns, decoding = made._width
            named = f"{made.name}, of {columns:,} columns"
            refuse_too_little(memory, CHUNKS + OF_COLUMN * columns + decoding, named)
        return made

    @property
    def _width(self) -> tuple[int, int]:
        """How many columns there are, and what decoding them holds."""
        if self.format == "csv":
            return len(csv_head(self.head, self.reading)[0].names), 0
        file = ParquetFile.of(self.path)
        return len(file.schema), file.reader_bytes

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
            for rows in chunks_of(self.head, self.reading, self.format):
                yield rows
                trim()  # the cells of many columns leave holes
        except OSError as error:  # of this file: what is done with chunks is not done in here
            raise InputError(f"cannot read {self.path!r}: {error.strerror}.") from None
        self.stamp.refuse_changed(footer=True)
