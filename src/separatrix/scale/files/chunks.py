"""The cells of files, a chunk of rows at a time: what `tables.files` reads at once."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from separatrix.data import InputError
from separatrix.scale.parquet import ParquetFile, refused
from separatrix.scale.source import FileStamp
from separatrix.tables.cells import Cells, RawColumn
from separatrix.tables.files.databases import (
    duckdb_selected,
    failed,
    is_duckdb,
    is_sqlite,
    refuse_nothing,
    selected,
)
from separatrix.tables.files.formats import RawTable, read_raw
from separatrix.tables.files.parquet import is_parquet, raw_column
from separatrix.tables.files.source import (
    Source,
    read_source,
    refuse_irregular,
    refuse_log,
    refuse_other_file,
)
from separatrix.tables.files.statistical import statistical_format
from separatrix.tables.files.svmlight import looks_like_svmlight
from separatrix.tables.files.values import cells_of
from separatrix.tables.scan import (
    SAMPLE_CHARACTERS,
    Head,
    Wish,
    cells_unquoted,
    columns_of,
    csv_head,
    decoded,
    records_of,
    refuse_dialect,
    refuse_duplicates,
)
from separatrix.tables.wording import shown

HEAD = 4 * SAMPLE_CHARACTERS  # bytes
LONGEST_LINE = 64 << 20  # bytes
ROWS = 1 << 16  # of a chunk, where a row has no size in bytes
WHOLE = ("xlsx", "sas7bdat", "dta", "sav")  # formats that are read at once


@dataclass(frozen=True, slots=True)
class InChunks:
    """A file that is read in chunks."""

    path: str
    format: str  # as in `tables.files.formats`
    stamp: FileStamp  # the file
    wish: Wish  # what is said about it
    at_once: int  # bytes of text in a chunk

    @classmethod
    def of(cls, path: str, wish: Wish, at_once: int) -> InChunks:
        """Return the file at a path."""
        head = head_of(path)
        form = wish.format or _format_of(head)
        if form in ("svmlight", "libsvm"):
            raise InputError(
                f"{head.name} is a LIBSVM file, which is not read in blocks: leave --memory out, "
                "or write it as Parquet."
            )
        if form in ("sqlite", "duckdb"):
            refuse_log(Path(path), head.data)
        return cls(path, form, FileStamp.of(path), wish, at_once)

    @property
    def name(self) -> str:
        """As messages call it."""
        return Path(self.path).name

    def __iter__(self) -> Iterator[RawTable]:
        """Yield its rows, a chunk at a time; `InputError` for what cannot be read."""
        try:
            yield from self._chunks()
        except OSError as error:  # of this file: what is done with chunks is not done in here
            raise InputError(f"cannot read {self.path!r}: {error.strerror}.") from None

    def _chunks(self) -> Iterator[RawTable]:
        self.stamp.refuse_changed(footer=True)
        if self.format == "csv":
            yield from _csv_chunks(self)
        else:
            start = 0
            for columns, notes in self._typed():
                n = len(columns[0].cells)
                lines = np.arange(start + 1, start + n + 1)
                yield RawTable(self.name, self.format, "", columns, lines, "row", None, notes)
                start += n
            if not start:
                raise InputError(f"{self.name} has column names and no rows.")
        self.stamp.refuse_changed(footer=True)

    def _typed(self) -> Iterator[tuple[tuple[RawColumn, ...], tuple[str, ...]]]:
        """Yield the columns of chunks whose cells have types, and notes on how they were read."""
        if self.format == "parquet":
            refuse_dialect(self.wish)
            columns = _parquet_chunks(self.path, self.name)
            how = "Read as Parquet"
        elif self.format == "sqlite":
            columns = _sqlite_chunks(self)
            how = "Rows of a query of a SQLite file"
        elif self.format == "duckdb":
            columns = _duckdb_chunks(self)
            how = "Rows of a query of a DuckDB file"
        else:
            raw = read_raw(read_source(self.path), self.wish)
            yield raw.columns, raw.notes
            return
        for chunk in columns:
            yield chunk, (f"{how}; rows are counted from 1.",)

    def head(self) -> Head:
        """Return what the first lines of a CSV file say."""
        refuse_dialect(self.wish)
        source = head_of(self.path)
        data = source.data
        if self.stamp.size > len(data):  # cut off: only whole lines
            data = data[: data.rfind(b"\n") + 1] or data
        _refuse_wide_text(source.name, data, self.wish.encoding)
        text, codec = decoded(Source(source.name, data), self.wish.encoding)
        return csv_head(source.name, text, codec, self.wish)


def head_of(path: str) -> Source:
    """Return the beginning of a file; `InputError` for anything that is no table."""
    name = Path(path).name or path
    try:
        refuse_irregular(name, os.stat(path))  # before opening: opening a FIFO would block
        with Path(path).open("rb") as file:
            source = Source(name, file.read(HEAD))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{shown(name)} cannot be read: {reason}.") from None
    if not source.data.startswith(b"PK"):  # workbooks are known by their whole
        refuse_other_file(source)
    return source


def _format_of(head: Source) -> str:
    """Return the format of a file from its beginning."""
    if is_parquet(head):
        return "parquet"
    if is_sqlite(head):
        return "sqlite"
    if is_duckdb(head):
        return "duckdb"
    if head.data.startswith(b"PK"):
        return "xlsx"
    found = statistical_format(head)
    if found is not None:
        return found
    beginning = head.data[: 2**16].decode("utf-8-sig", "replace")
    return "svmlight" if looks_like_svmlight(beginning) else "csv"


# ---------------------------------------------------------------------- CSV

_Cells = tuple[tuple[Cells, ...], NDArray[np.int64]]


def _refuse_wide_text(name: str, data: bytes, encoding: str | None) -> None:
    """Raise `InputError` for text whose line ends are no single bytes."""
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    named = (encoding or "").lower().replace("_", "-").startswith(("utf-16", "utf-32", "utf16"))
    if wide or named:
        raise InputError(
            f"{name} is UTF-16 or UTF-32 text, which is not read in blocks. Convert it first: "
            f"iconv -f UTF-16 -t UTF-8 {name} > utf8.csv"
        )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Whole lines of a file: their text, and how many bytes and lines stand before them."""

    text: str
    offset: int
    lines: int


def _csv_chunks(file: InChunks) -> Iterator[RawTable]:
    """Yield the rows of a CSV file; `InputError` names the line that cannot be read."""
    head = file.head()
    dialect, width = head.dialect, len(head.names)
    pieces = _pieces(file, dialect.encoding)
    header = dialect.header
    found = False
    for piece in pieces:
        if dialect.quote and dialect.quote in piece.text:
            # records may go on from piece to piece: by record from here to the end
            rest = itertools.chain([piece], pieces)
            lines = (line for p in rest for line in io.StringIO(p.text, newline=""))
            args = (file.name, lines, dialect.delimiter, dialect.quote, piece.lines)
            records = records_of(*args)
            parts = iter(
                lambda: columns_of(file.name, itertools.islice(records, ROWS), dialect, width),  # noqa: B023
                None,
            )
        else:
            parts = iter([_unquoted(file, piece, head)])
        for columns, numbers in parts:
            if numbers.size == 0:
                break
            cut = int(header)
            header = False
            cells = (RawColumn(n, c.slice(cut)) for n, c in zip(head.names, columns, strict=True))
            if numbers.size > cut:
                found = True
                yield RawTable(
                    file.name, "csv", "", tuple(cells), numbers[cut:], "line", dialect, head.notes
                )
    if not found:
        raise InputError(f"{file.name} has a header line and no rows.")


def _unquoted(
    file: InChunks, piece: _Piece, head: Head
) -> tuple[tuple[pa.ChunkedArray, ...], np.ndarray]:
    """Return the cells of lines without quotes, and the lines of the file they are on."""
    dialect, width = head.dialect, len(head.names)
    if width > 1 and dialect.delimiter.isascii():
        found = cells_unquoted(piece.text, dialect.delimiter, width)
        if found is not None:
            return found[0], found[1] + piece.lines
    lines = io.StringIO(piece.text, newline="")
    records = records_of(file.name, lines, dialect.delimiter, dialect.quote, piece.lines)
    return columns_of(file.name, records, dialect, width)


def _pieces(file: InChunks, codec: str) -> Iterator[_Piece]:
    """Yield all lines of a text file, some at a time."""
    offset = lines = 0
    rest = b""
    with Path(file.path).open("rb") as stream:
        while True:
            data = stream.read(file.at_once)
            end = len(rest) + data.rfind(b"\n") + 1 if b"\n" in data else 0
            rest += data
            if not data:
                end = len(rest)
            elif not end:
                if len(rest) > LONGEST_LINE:
                    raise InputError(
                        f"{file.name}, line {lines + 1}: longer than {LONGEST_LINE:,} bytes, so "
                        "this is no table of lines."
                    )
                continue
            now, rest = rest[:end], rest[end:]
            if now:
                text = _text(file.name, now, codec, offset, lines)
                yield _Piece(text, offset, lines)
            offset, lines = offset + len(now), lines + now.count(b"\n")
            if not data:
                return


def _text(name: str, data: bytes, codec: str, offset: int, lines: int) -> str:
    """Return some lines as text; `InputError` names the line and the byte that is none."""
    try:
        text = data.decode(codec)
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        byte = f" (0x{data[at]:02x})" if at < len(data) else ""
        line = lines + data.count(b"\n", 0, at) + 1
        raise InputError(
            f"{name}, line {line}: byte {offset + at}{byte} is not {codec.removesuffix('-sig')} "
            "text. Say how the file is encoded, for example with --encoding latin-1 or --encoding "
            "cp1252."
        ) from None
    if "\0" in text:
        at = offset + data.find(b"\0")
        raise InputError(
            f"{name}: byte {at} is NUL, which no text file holds. It is not a CSV file, or damaged."
        )
    return text.removeprefix("\ufeff")


# ---------------------------------------------------------------------- cells with types


def _parquet_chunks(path: str, name: str) -> Iterator[tuple[RawColumn, ...]]:
    file = ParquetFile.of(path)
    names = tuple(file.schema.names)
    refuse_duplicates(name, names)
    for batch in file.batches(names):
        with refused(path):
            batch.validate(full=True)  # text that is no UTF-8 shows itself here
        table = pa.Table.from_batches([batch])
        yield tuple(raw_column(n, column) for n, column in zip(names, table.columns, strict=True))


def _sqlite_chunks(file: InChunks) -> Iterator[tuple[RawColumn, ...]]:
    import sqlite3  # other files do without it
    from urllib.parse import quote

    query = file.wish.query
    address = f"file:{quote(os.path.abspath(file.path))}?mode=ro&immutable=1"
    database = sqlite3.connect(address, uri=True, check_same_thread=False)
    n = 0
    try:
        cursor, names = selected(database, file.name, query)
        refuse_duplicates(file.name, names)
        while rows := cursor.fetchmany(ROWS):
            n += len(rows)
            columns = zip(names, zip(*rows, strict=True), strict=True)
            yield tuple(RawColumn(name, cells_of(name, values)) for name, values in columns)
    except sqlite3.Error as error:
        raise failed(file.name, query, str(error)) from None
    finally:
        database.close()
    refuse_nothing(file.name, names, n)


def _duckdb_chunks(file: InChunks) -> Iterator[tuple[RawColumn, ...]]:
    with duckdb_selected(file.path, file.name, file.wish.query) as rows:
        names = tuple(rows.columns)
        refuse_duplicates(file.name, names)
        n = 0
        batches = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader  # before 1.4
        for batch in batches(ROWS):
            n += batch.num_rows
            table = pa.Table.from_batches([batch])
            yield tuple(raw_column(name, c) for name, c in zip(names, table.columns, strict=True))
        refuse_nothing(file.name, names, n)
