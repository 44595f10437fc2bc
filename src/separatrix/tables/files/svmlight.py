"""LIBSVM / svmlight text: ``label [qid:group] index:value ... [# comment]`` on each line.

Values that are not written are zero. Indices count from 1, or from 0 when an index 0 occurs; the
columns are called "feature 1", "feature 2", ... after the index itself.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from array import array
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from separatrix.data import InputError, is_sparse, require_memory
from separatrix.said import Said
from separatrix.tables.cells import NUMBER
from separatrix.tables.columns import SparseColumn
from separatrix.tables.files.source import Source
from separatrix.tables.options import GROUP, LABEL, Dialect, Reading
from separatrix.tables.raw import RawColumn, RawTable, SparseRawColumn
from separatrix.tables.scan import codec_of, text_of
from separatrix.tables.wording import shown

LARGEST_INDEX = 10_000_000
COLUMN_BYTES = 8192  # what one column takes from its cells to its weight, without its values
DATA_LINE = re.compile(
    r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?(?:[ \t]+qid:\S+)?(?:[ \t]+[0-9]+:[^\s:]+)+[ \t]*(?:#.*)?"
)
INDEX = re.compile(r"[0-9]+")


@dataclass(slots=True)
class _Entries:
    """What the lines hold, as they come: one label and line per row, one triple per value."""

    labels: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    rows: array[int] = field(default_factory=lambda: array("q"))
    indices: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


def looks_like_svmlight(text: str) -> bool:
    """Whether the first line that is neither blank nor a comment is ``label index:value ...``."""
    for line in io.StringIO(text[: 2**20], newline=None):
        if line.strip() and not line.lstrip().startswith("#"):
            return DATA_LINE.fullmatch(line.strip()) is not None
    return False


def svmlight_table(source: Source, reading: Reading) -> RawTable:
    """Return label, qid and features of a svmlight file, without zeros where it is sparse."""
    reading.refuse_dialect()
    name, codec = source.name, codec_of(source.data, reading.encoding)
    text = text_of(name, source.data, codec)
    entries = _Entries()
    for line, content in enumerate(io.StringIO(text, newline=None), 1):
        tokens = content.split("#", 1)[0].split()
        if tokens:
            _add_row(entries, f"{name}, line {line}", line, tokens)
    if not entries.labels:
        raise InputError(f"{name} has no rows.")
    if entries.groups and len(entries.groups) != len(entries.labels):
        raise InputError(
            f"{name}: {len(entries.groups)} of {len(entries.labels)} rows have a qid. Give every "
            "row one, or none."
        )
    features, first = _features(name, entries)
    columns = [RawColumn(LABEL, pa.chunked_array([pa.array(entries.labels, pa.string())]))]
    if entries.groups:
        columns.append(RawColumn(GROUP, pa.chunked_array([pa.array(entries.groups, pa.string())])))
    return RawTable(
        name, "svmlight", source.sha256, (*columns, *features),
        np.array(entries.lines, dtype=np.int64), "line",
        Dialect("whitespace", codec, header=False, quote="", decimal="."),
        (Said("Read as LIBSVM: the first feature has index {n}.", n=first),),
    )  # fmt: skip


def _add_row(entries: _Entries, where: str, line: int, tokens: list[str]) -> None:
    label, *pairs = tokens
    if ":" in label:
        raise InputError(f"{where}: the label is missing; the line begins with {shown(label)}.")
    entries.labels.append(label)
    entries.lines.append(line)
    if pairs and pairs[0].startswith("qid:"):
        entries.groups.append(pairs.pop(0).removeprefix("qid:"))
    previous = -1
    for pair in pairs:
        index, value = _pair(where, pair)
        if index <= previous:
            what = "occurs twice" if index == previous else f"comes after {previous}"
            raise InputError(f"{where}: index {index} {what}; indices must increase along a line.")
        previous = index
        entries.rows.append(len(entries.labels) - 1)
        entries.indices.append(index)
        entries.values.append(value)


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


def _features(name: str, entries: _Entries) -> tuple[list[RawColumn], int]:
    indices = np.array(entries.indices, dtype=np.int64)
    first = 0 if indices.size and indices.min() == 0 else 1
    d = int(indices.max()) - first + 1 if indices.size else 0
    n = len(entries.labels)
    rows, values = np.array(entries.rows, dtype=np.int64), np.array(entries.values)
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
