"""A file of any format as chunks of raw columns: names, cells and where each row stands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from separatrix.data import InputError
from separatrix.tables.columns import refuse_other_choice
from separatrix.tables.files.source import Source, read_source
from separatrix.tables.files.svmlight import looks_like_svmlight, svmlight_table
from separatrix.tables.files.typed import (
    duckdb_chunks,
    is_workbook,
    parquet_chunks,
    sheet_columns,
    sqlite_chunks,
    statistical_chunks,
)
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawTable
from separatrix.tables.scan import csv_chunks
from separatrix.tables.wording import shown

FORMATS = "csv", "parquet", "svmlight", "xlsx", "sas7bdat", "dta", "sav", "sqlite", "duckdb"
TEXT_FORMATS = ("csv", "svmlight")  # those with a dialect
FRAME = "frame"  # the format of a data frame, which is no file
ARRAYS = "arrays"  # and of arrays
SAS = b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"
# up to Stata 12: the version, how numbers stand, 1 and 0
OLD_STATA = tuple(bytes((version, order, 1, 0)) for version in range(110, 116) for order in (1, 2))
BEGIN: dict[str, tuple[bytes | tuple[bytes, ...], int]] = {  # marks, and at which byte
    "parquet": (b"PAR1", 0), "sqlite": (b"SQLite format 3\0", 0), "duckdb": (b"DUCK", 8),
    "sas7bdat": (SAS, 12), "sav": ((b"$FL2", b"$FL3"), 0),
    "dta": ((b"<stata_dta>", *OLD_STATA), 0),
}  # fmt: skip


def read_raw(source: Source, reading: Reading) -> RawTable:
    """Return the cells of a file whose bytes are all there, in whichever format it has."""
    (raw,) = chunks_of(source, reading, format_of(source, reading.format))
    return raw


def format_of(source: Source, asked: str | None) -> str:
    """Return the format of a file by how it begins; `InputError` where another one is asked for."""
    found = (form for form, mark in BEGIN.items() if source.data.startswith(*mark))
    typed = next(found, "xlsx" if is_workbook(source) else None)
    if asked is not None:
        chosen = "svmlight" if asked == "libsvm" else asked
        refuse_other_choice("format", chosen, FORMATS)
        matches = chosen == typed or (typed is None and chosen in TEXT_FORMATS)
        if not matches and chosen != "parquet":  # which says itself what is wrong
            raise InputError(
                f"{source.name} is not of the format {chosen}; it is {typed or 'text'}."
            )
        return chosen
    if typed is not None:
        return typed
    beginning = source.data[: 2**16].decode("utf-8-sig", "replace")
    return "svmlight" if looks_like_svmlight(beginning) else "csv"


def chunks_of(source: Source, reading: Reading, form: str) -> Iterator[RawTable]:
    """Yield the rows of a file, a chunk at a time: one chunk where its bytes are all there."""
    if form == "csv":
        yield from csv_chunks(source, reading)
        return
    if form == "svmlight":
        if not source.is_whole:
            raise InputError(
                f"{source.name} is a LIBSVM file, which is not read in blocks: leave --memory out, "
                "or write it as Parquet."
            )
        yield svmlight_table(source, reading)
        return
    if form == "xlsx":
        columns, rows, title = sheet_columns(_whole(source), reading)
        notes = (f"Read as a workbook: the sheet {shown(title)}; rows are numbered as in it.",)
        yield RawTable(source.name, form, source.sha256, columns, rows, "row", None, notes)
        return
    if form in ("sqlite", "duckdb"):
        read = sqlite_chunks if form == "sqlite" else duckdb_chunks
        how = f"Rows of a query of a {'SQLite' if form == 'sqlite' else 'DuckDB'} file"
        chunks = read(source, reading.query)
    else:
        reading.refuse_dialect()
        plain = form == "parquet"
        how = "Read as Parquet" if plain else f"Read as .{form}"
        chunks = parquet_chunks(source) if plain else statistical_chunks(_whole(source), form)
    start = 0
    for columns in chunks:
        stop = start + len(columns[0].cells)
        rows, notes = np.arange(start + 1, stop + 1), (f"{how}; rows are counted from 1.",)
        yield RawTable(source.name, form, source.sha256, columns, rows, "row", None, notes)
        start = stop


def _whole(source: Source) -> Source:
    return source if source.is_whole else read_source(source.path)
