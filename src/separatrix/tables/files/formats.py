"""A file of any format as chunks of raw columns: names, cells and where each row stands.

LIBSVM / svmlight text is ``label [qid:group] index:value ... [# comment]`` on each line. Values
that are not written are zero. Indices count from 1, or from 0 when an index 0 occurs; the columns
are called "feature 1", "feature 2", ... after the index itself.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa
from separatrix.data import Floats, InputError, is_sparse, require_memory
from separatrix.said import Said
from separatrix.tables.cells import NUMBER
from separatrix.tables.columns import SparseColumn, refuse_other_choice
from separatrix.tables.files.source import Source, read_source
from separatrix.tables.files.typed import (
    duckdb_chunks,
    is_workbook,
    parquet_chunks,
    sheet_columns,
    sqlite_chunks,
    statistical_chunks,
)
from separatrix.tables.options import GROUP, LABEL, Dialect, Reading
from separatrix.tables.raw import RawColumn, RawTable, SparseRawColumn
from separatrix.tables.scan import codec_of, csv_chunks, text_of
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
LARGEST_INDEX = 10_000_000
COLUMN_BYTES = 8192  # what one column takes from its cells to its weight, without its values
DATA_LINE = re.compile(
    r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?(?:[ \t]+qid:\S+)?(?:[ \t]+[0-9]+:[^\s:]+)+[ \t]*(?:#.*)?"
)
INDEX = re.compile(r"[0-9]+")


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
    return "svmlight" if _looks_like_svmlight(beginning) else "csv"


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
        yield _svmlight_table(source, reading)
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


def _looks_like_svmlight(text: str) -> bool:
    """Whether the first line that is neither blank nor a comment is ``label index:value ...``."""
    for line in io.StringIO(text[: 2**20], newline=None):
        if line.strip() and not line.lstrip().startswith("#"):
            return DATA_LINE.fullmatch(line.strip()) is not None
    return False


def _svmlight_table(source: Source, reading: Reading) -> RawTable:
    """Return label, qid and features of a svmlight file, without zeros where it is sparse."""
    reading.refuse_dialect()
    name, codec = source.name, codec_of(source.data, reading.encoding)
    text = text_of(name, source.data, codec)
    labels, groups, lines = list[str](), list[str](), list[int]()
    rows, indices, values = array("q"), array("q"), array("d")
    for line, content in enumerate(io.StringIO(text, newline=None), 1):
        label, *pairs = content.split("#", 1)[0].split() or [""]
        if not label:
            continue
        where = f"{name}, line {line}"
        if ":" in label:
            raise InputError(f"{where}: the label is missing; the line begins with {shown(label)}.")
        if pairs and pairs[0].startswith("qid:"):
            groups.append(pairs.pop(0).removeprefix("qid:"))
        for index, value in (_pair(where, pair) for pair in pairs):
            rows.append(len(labels))
            indices.append(index)
            values.append(value)
        labels.append(label)
        lines.append(line)
    if not labels:
        raise InputError(f"{name} has no rows.")
    if groups and len(groups) != len(labels):
        raise InputError(
            f"{name}: {len(groups)} of {len(labels)} rows have a qid. Give every row one, or none."
        )
    of, at = np.array(rows, dtype=np.int64), np.array(indices, dtype=np.int64)
    back = np.flatnonzero((np.diff(at) <= 0) & (np.diff(of) == 0))
    if back.size:
        previous, index = at[back[0] : back[0] + 2]
        what = "occurs twice" if index == previous else f"comes after {previous}"
        raise InputError(
            f"{name}, line {lines[of[back[0]]]}: index {index} {what}; indices must increase along "
            "a line."
        )
    features, first = _features(name, len(labels), of, at, np.array(values))
    texts = {LABEL: labels, GROUP: groups} if groups else {LABEL: labels}
    columns = [
        RawColumn(column, pa.chunked_array([pa.array(cells, pa.string())]))
        for column, cells in texts.items()
    ]
    return RawTable(
        name, "svmlight", source.sha256, (*columns, *features), np.array(lines, dtype=np.int64),
        "line", Dialect("whitespace", codec, header=False, quote="", decimal="."),
        (Said("Read as LIBSVM: the first feature has index {n}.", n=first),),
    )  # fmt: skip


def _pair(where: str, pair: str) -> tuple[int, float]:
    index, _, text = pair.partition(":")
    if not INDEX.fullmatch(index) or not text:
        raise InputError(
            f"{where}: {shown(pair)} is not index:value. If this is not a LIBSVM file, use "
            "--format csv."
        )
    # the length first: int() refuses thousands of digits in its own words
    if len(index) > 18 or int(index) > LARGEST_INDEX:
        raise InputError(
            f"{where}: index {shown(index)} is above {LARGEST_INDEX:,}, and every index up to it "
            "would become a column. Number the features that occur from 1."
        )
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: {shown(text)} (index {index}) is not a finite number.")
    return int(index), value


def _features(
    name: str, n: int, rows: NDArray[np.int64], indices: NDArray[np.int64], values: Floats
) -> tuple[list[RawColumn], int]:
    first = 0 if indices.size and indices.min() == 0 else 1
    d = int(indices.max()) - first + 1 if indices.size else 0
    sparse = is_sparse(n, d, int(np.count_nonzero(values)))
    table = "a table of mostly zeros" if sparse else "a full table"
    needed = COLUMN_BYTES * d if sparse else 8 * n * d
    require_memory(needed, f"{name} as {table} of {n:,} rows and {d:,} columns")
    names = [f"feature {k}" for k in range(first, first + d)]
    if sparse:
        there = np.flatnonzero(values)  # a zero may be written
        order = there[np.argsort(indices[there], kind="stable")]
        ends = np.searchsorted(indices[order], np.arange(first, first + d + 1)).tolist()
        rows, values = rows[order], values[order]
        return [
            SparseRawColumn(SparseColumn(column, n, rows[a:b], values[a:b]))
            for column, (a, b) in zip(names, itertools.pairwise(ends), strict=True)
        ], first
    dense = np.zeros((d, n))
    dense[indices - first, rows] = values
    cells = (pa.chunked_array([pa.array(column)]) for column in dense)
    return [RawColumn(column, c) for column, c in zip(names, cells, strict=True)], first
