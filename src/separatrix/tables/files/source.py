"""The bytes of a file: read once, or their beginning where the file is read in chunks."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from separatrix.data import InputError, require_memory
from separatrix.tables.wording import shown

STDIN_LIMIT = 2**30
HEAD = 2**22  # bytes
COPIES_HELD = 5  # the bytes, their text, that as UTF-8, its cells, and the numbers made of them

# files people take for tables: their first bytes, and what to do about them
OTHER_FILES = {
    b"\x1f\x8b": "it is compressed (gzip): unpack it first",
    b"PK\x03\x04": "it is a ZIP archive: unpack it",
    b"\xd0\xcf\x11\xe0": "it is an old workbook: save the sheet as CSV",
    b"BZh": "it is compressed (bzip2): unpack it first",
    b"\xfd7zXZ\x00": "it is compressed (xz): unpack it first",
    b"(\xb5/\xfd": "it is compressed (zstd): unpack it first",
    b"ARROW1": "it is an Arrow (Feather) file: save it as Parquet or CSV",
    b"%PDF": "it is a PDF document: save the table as CSV",
}
WORKBOOK = b"xl/workbook.xml"  # the name of a part, which every .xlsx holds
LOGS = {"SQLite": "-wal", "DuckDB": ".wal"}  # beside the file, with rows that are not in it yet


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one file: all of them, or its beginning where the rest is read in chunks."""

    name: str  # the file name shown to people; "stdin" for "-"
    data: bytes
    path: str = ""  # of a file that is read in chunks
    size: int = 0  # of that, in bytes
    at_once: int = 0  # bytes of text in a chunk

    @property
    def is_whole(self) -> bool:
        return not self.path

    @property
    def sha256(self) -> str:
        """The digest of the bytes, in hexadecimal; "" where they are not all here."""
        return hashlib.sha256(self.data).hexdigest() if self.is_whole else ""


def read_source(path: str | os.PathLike[str] | Source) -> Source:
    """Return the bytes of a regular file, or stdin's for "-"; `InputError` for what is no table."""
    if isinstance(path, Source):
        return path
    if os.fspath(path) == "-":
        source = Source("stdin", sys.stdin.buffer.read(STDIN_LIMIT + 1))
        if len(source.data) > STDIN_LIMIT:
            raise InputError(
                f"stdin holds more than {STDIN_LIMIT:,} bytes. Write them to a file and give its "
                "name."
            )
    else:
        source = _read_file(Path(path))
    refuse_other_file(source)
    return source


def head_of(path: str, at_once: int = 0) -> Source:
    """Return the beginning of a file to be read in chunks; `InputError` for what is no table."""
    name = Path(path).name or path
    with _refused(name):
        status = os.stat(path)
        refuse_irregular(name, status)  # before opening: opening a FIFO would block
        with Path(path).open("rb") as file:
            source = Source(name, file.read(HEAD), path, status.st_size, at_once)
    if not source.data.startswith(b"PK"):  # workbooks are known by their whole
        refuse_other_file(source)
    return source


def refuse_other_file(source: Source) -> None:
    """Raise `InputError` for nothing, and for what begins as a file that is no table does."""
    if not source.data:
        raise InputError(f"{source.name} is empty: there is no table in it.")
    for start, what in OTHER_FILES.items():
        if source.data.startswith(start) and WORKBOOK not in source.data:
            raise InputError(f"{source.name} is not a table: {what}.")


def _read_file(path: Path) -> Source:
    name = path.name or str(path)
    with _refused(name):
        refuse_irregular(name, os.stat(path))  # before opening: opening a FIFO would block
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            require_memory(COPIES_HELD * before.st_size, f"Reading {name}")
            data = file.read(before.st_size + 1)  # one more: a file that grows shows itself
            after = os.fstat(file.fileno())
    refuse_changed(name, before, after, len(data))
    refuse_log(path, data)
    return Source(name, data)


@contextmanager
def _refused(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{shown(name)} cannot be read: {reason}.") from None


def refuse_log(path: Path, data: bytes) -> None:
    """Raise `InputError` for a database that begins so and has rows in a log beside it."""
    for what, ending in LOGS.items():
        log = Path(f"{path}{ending}")
        begins = what.encode() in data[:16].replace(b"DUCK", b"DuckDB")
        if begins and log.is_file() and log.stat().st_size > 0:
            raise InputError(
                f"{shown(path.name)} has rows in {shown(log.name)} that are not in the file yet: "
                "close the programs that write to it, or run CHECKPOINT."
            )


def refuse_irregular(name: str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    kinds = (
        (stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"), (stat.S_ISSOCK, "a socket"),
    )  # fmt: skip
    what = next((word for test, word in kinds if test(status.st_mode)), "something else")
    raise InputError(
        f"{shown(name)} is {what}, not a regular file. Give the name of a file, or - to read stdin."
    )


def refuse_changed(name: str, before: os.stat_result, after: os.stat_result, n_bytes: int) -> None:
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if not same or n_bytes != before.st_size:
        raise InputError(
            f"{shown(name)} changed while it was read ({before.st_size:,} bytes at first, then "
            f"{max(after.st_size, n_bytes):,}). Read it again when nothing writes to it, or copy "
            "it first."
        )
