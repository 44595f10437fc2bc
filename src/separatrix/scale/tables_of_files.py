"""`open_table`: files as a table that is read in blocks, whatever its format."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa, pc
from separatrix._types import Untyped
from separatrix.data import (
    LARGEST_EXACT_INTEGER,
    LARGEST_WEIGHT,
    InputError,
    may_be_sparse,
)
from separatrix.said import Said
from separatrix.scale.budget import (
    CHUNKS,
    least_memory,
    memory_budget,
    refuse_too_little,
    rows_per_block,
    share_arenas,
    trim,
)
from separatrix.scale.checkpoint import Checkpoint
from separatrix.scale.converting import Converter, InChunks
from separatrix.scale.encoded import About
from separatrix.scale.npy import NpySource
from separatrix.scale.parquet_rows import ParquetFile, ParquetSource, as_labels
from separatrix.scale.rows import BackEnd, Rows
from separatrix.scale.source import FilesSource, Paths, Scratch, Source, named, paths_of
from separatrix.scale.view import Compressed, in_form_of
from separatrix.tables.cells import CellReader, Findings
from separatrix.tables.columns import Encoding, NumberEncoding
from separatrix.tables.files.formats import format_of
from separatrix.tables.files.source import head_of
from separatrix.tables.files.typed import raw_column
from separatrix.tables.gathering import Gathering
from separatrix.tables.kept import MOST_TEXTS
from separatrix.tables.labels import LabelColumn, ask, label_column
from separatrix.tables.options import Reading, ReadingOptions, shows_options
from separatrix.tables.raw import RawColumn, RawTable
from separatrix.tables.wording import Place, listed
from separatrix.tiles import TILE

NPY = b"\x93NUMPY"
PLAIN = (pa.types.is_integer, pa.types.is_floating)

Tell = Callable[[str], None]
Opened = FilesSource | Compressed


@shows_options
def open_table(
    path: Paths, label: str | int | None = None, yes: str | None = None, *,
    memory: int | str | None = None, scratch: str | os.PathLike[str] | None = None,
    back_end: BackEnd | None = None, checkpoint: str | os.PathLike[str] | None = None,
    progress: Tell | None = None, **options: Unpack[ReadingOptions],
) -> Rows:  # fmt: skip
    """Return a table of any size in files, read in blocks: what `fit` and `judge` take.

    Parquet files whose columns are numbers, none missing, and `.npy` arrays are read as they are,
    again in each pass; Parquet that takes at most a quarter of the budget is decoded once. Other
    files (categories, missing values, CSV, rows of a SQLite or DuckDB file) are converted once to
    scratch files, which are removed when the table is used no more.
    Features and encoding are those of `read_table` of the same file.

    Parameters
    ----------
    path : str, path or a list of them
        A file; several, or a pattern such as "big/*.parquet", are one table below the other, in
        the order of their names.
    label : str or int
        The column of labels; for `.npy` its index, or the path of an array of labels.
    yes : str or None
        The label that is +1; None takes the one of two that says yes ("yes", "default"), else the
        second in sorted order.
    memory : int, str or None
        Bytes that the process may take, at least 512 MB, of wide tables more, or a size such as
        "512MB"; None for a quarter of what is available.
    scratch : path or None
        Where scratch files are made; None for the system's folder of temporary files.
    back_end : who goes over the blocks; None for the client of Dask that this process has, or
        else a loop on this machine
    checkpoint : path or None
        A file that keeps finished work: a run that was killed goes on from it, with the same
        bytes. Remove it when the results are kept: ``table.journal.remove()``.
    progress : callable (sentence) or None
    drop, weight, text, missing, ... : as in `read_table`

    Raises
    ------
    InputError
        As `read_table`; for files of different columns; where the columns need more memory than is
        given; when scratch files have no place; for a checkpoint of another run.
    """
    share_arenas()
    paths = paths_of(path)
    reading = Reading(**options)
    tell = progress or (lambda _: None)
    source = _source(paths, label, yes, reading, memory, scratch, tell)
    trim()
    _refuse_too_wide(memory, source)
    journal = None
    if checkpoint is not None:
        journal = Checkpoint(os.fspath(checkpoint), source.fingerprint)
    return Rows(source, memory=memory, back_end=back_end, journal=journal)


def is_npy(path: str) -> bool:
    return head_of(path).data.startswith(NPY)


def first_rows(path: Paths, reading: Reading, memory: int | str | None) -> tuple[RawTable, bool]:
    """Return rows of the first file, and whether it has more."""
    first = paths_of(path)[0]
    chunks = iter(InChunks.of(first, reading, memory))
    rows = next(chunks)
    try:
        return rows, next(chunks, None) is not None
    except InputError:  # further rows cannot be read
        return rows, True


def _source(  # noqa: PLR0917  # one caller
    paths: list[str], label: str | int | None, yes: str | None, reading: Reading,
    memory: int | str | None, scratch: str | os.PathLike[str] | None, tell: Tell,
) -> Opened:  # fmt: skip
    heads = [head_of(path) for path in paths]
    if all(head.data.startswith(NPY) for head in heads):
        if label is None:
            raise InputError(
                f"say which column of {paths[0]!r} holds the labels: as label 0 is the first, "
                "-1 the last; or give the path of an array of labels."
            )
        if yes is not None or replace(reading, format=None) != Reading():
            raise InputError(
                f"{paths[0]!r} holds an array, without names and as it is: options of reading and "
                "--yes are for tables with columns. Leave them out, or save it as CSV or Parquet."
            )
        inside = isinstance(label, int) or label.lstrip("-").isdigit()
        arrays = NpySource(paths, int(label) if inside else paths_of(str(label)))
        return in_form_of(arrays, memory_budget(memory))
    column = None if label is None else str(label)
    are_parquet = all(format_of(head, None) == "parquet" for head in heads)
    if are_parquet and reading.format in (None, "parquet"):
        files = [ParquetFile.of(path) for path in paths]
        if reading.missing == "drop":  # medians to fill with need a scratch file
            found = _numbers_of_parquet(files, column, yes, reading, memory, tell)
            if found is not None:
                return found
        # a cluster writes parts without rows
        paths = [file.stamp.path for file in files if file.n] or paths
    chunked = [InChunks.of(path, reading, memory) for path in paths]
    formats = {file.format for file in chunked}
    if len(formats) > 1:
        raise InputError(
            f"{named(paths)} are of different formats ({listed(sorted(formats))}): give files of "
            "one format."
        )
    folder = Scratch(scratch)
    try:
        return Converter(chunked, column, yes, reading, memory, folder, tell).source()
    except BaseException:
        folder.close()
        raise


def numbers_to_fit(paths: Sequence[str], y: str) -> ParquetSource:
    """Return rows of Parquet files whose column y are numbers to fit, and no labels."""
    files = [ParquetFile.of(path) for path in paths]
    name, label = named(paths), str(_begun(files, y, Reading()).roles.label)
    columns = [n for n in files[0].schema.names if n != label]
    if _is_plain(files, [*columns, label]):
        source = ParquetSource(files, columns, label, None, None)
        source.keep(memory_budget())
        if _weight_if_clean(source, memory_budget()) is not None:
            return source
    raise InputError(
        f"{name}: a column is not of numbers, lacks a value, holds integers above 2^53, or has "
        "another type in another file. Fit numbers from Parquet files of numbers alone, none of "
        "them missing."
    )


def _numbers_of_parquet(  # noqa: PLR0917  # one caller
    files: list[ParquetFile], label: str | None, yes: str | None, reading: Reading,
    memory: int | str | None, tell: Tell,
) -> Opened | None:  # fmt: skip
    """Return a source that reads the files as they are; None where they must be converted."""
    schema, gathering = files[0].schema, _begun(files, label, reading)
    roles = gathering.roles
    columns = [n for n in schema.names if n not in roles.extra]
    plain = [*columns, *([roles.weight] if roles.weight else [])]
    if (
        not _is_plain(files, plain)
        or reading.text
        or roles.group is not None
        or pa.types.is_nested(schema.field(roles.label).type)
    ):
        return None
    tell("reading labels")
    found = _labels(files, gathering)
    if found is None:
        return None
    values, of_label, counts = found
    asked = ask(of_label, reading.as_label(yes), counts)
    budget = memory_budget(memory)
    answers = values, asked.y, np.array([asked.no, asked.yes])
    source = ParquetSource(files, columns, str(roles.label), answers, roles.weight)
    _refuse_too_wide(memory, source, whole=not may_be_sparse(source.n, source.d))
    source.keep(budget)
    formed = in_form_of(source, budget)
    _refuse_too_wide(memory, formed)
    tell("looking for missing values")
    weight = _weight_if_clean(source, budget)
    if weight is None:
        return None
    gathering.n = source.n
    source.about = formed.about = About(
        name=gathering.name, format="parquet", paths=tuple(file.stamp.path for file in files),
        encoding=Encoding(tuple(NumberEncoding(n, None) for n in columns)),
        weight_column=roles.weight,
        **gathering.said(asked, counts, (), weight if roles.weight else None),
    )  # fmt: skip
    return formed


def _refuse_too_wide(memory: int | str | None, source: Source, *, whole: bool = True) -> None:
    """Refuse less memory than learning from the rows takes or, not the whole, looking at them."""
    decoding, d, itemsize = source.reader_bytes, source.d, source.dtype.itemsize
    least = CHUNKS + 2 * TILE * source.row_bytes + decoding
    if whole:
        least = least_memory(source.n, d, source.nnz, itemsize, maps=source.maps, decoding=decoding)
    refuse_too_little(memory, least, f"{source.described}, of {d:,} features")


def _begun(files: Sequence[ParquetFile], label: str | None, reading: Reading) -> Gathering:
    """Return what is known of the columns before a row is read; `InputError` for their names."""
    empty = files[0].schema.empty_table()
    columns = tuple(map(raw_column, empty.column_names, empty.columns))
    name, nowhere = named([file.stamp.path for file in files]), np.empty(0, dtype=np.int64)
    note = Said("Read as Parquet; rows are counted from 1.")
    raw = RawTable(name, "parquet", "", columns, nowhere, "row", None, (note,))
    gathering = Gathering(raw, reading, label)
    gathering.problems.refuse()
    return gathering


def _is_plain(files: Sequence[ParquetFile], columns: Sequence[str]) -> bool:
    """Whether columns are numbers, of the same types in all files."""
    schema = files[0].schema
    kinds = [schema.field(name).type for name in columns]
    numbers = all(any(test(kind) for test in PLAIN) for kind in kinds)
    return numbers and all(file.schema.equals(schema) for file in files)


def _labels(
    files: Sequence[ParquetFile], gathering: Gathering
) -> tuple[Untyped, LabelColumn, NDArray[np.int64]] | None:
    """Return the distinct labels as they stand there and as text, and how often each occurs."""
    counts: dict[Untyped, int] = {}
    name = str(gathering.roles.label)
    kind = files[0].schema.field(name).type
    if pa.types.is_dictionary(kind):
        return None
    for file in files:
        for batch in file.batches([name]):
            for pair in pc.value_counts(as_labels(batch.column(0))).to_pylist():
                counts[pair["values"]] = counts.get(pair["values"], 0) + pair["counts"]
            if len(counts) > MOST_TEXTS:
                break
    if None in counts or any(isinstance(v, float) and math.isnan(v) for v in counts):
        return None
    values = pa.array(list(counts), kind)
    place = Place("", "row", np.empty(0, dtype=np.int64))
    texts = CellReader(place, ".", Findings()).text(RawColumn(name, pa.chunked_array([values])))
    found = label_column(name, texts, fold=gathering.reading.fold_labels)
    if (found.codes < 0).any():
        return None
    often = np.bincount(found.codes, weights=list(counts.values()), minlength=len(found.names))
    gathering.found_labels = found
    return values, found, often.astype(np.int64)


def _weight_if_clean(source: ParquetSource, budget: int) -> float | None:
    """Return the sum of the weights, in one pass; None where one of them or a number needs care.

    Numbers that are not finite do, integers above 2^53, and weights that are 0 or refused.
    """
    total = 0.0
    integers = [
        j
        for j, name in enumerate(source.columns)
        if pa.types.is_integer(source.files[0].schema.field(name).type)
    ]
    rows = rows_per_block(source.row_bytes, budget)
    for start in range(0, source.n, rows):
        block = source.read(start, min(source.n, start + rows))
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.isfinite(block.X.sum()) and not np.isfinite(block.X).all():
                return None
        if integers and np.abs(block.X[:, integers]).max() >= LARGEST_EXACT_INTEGER:
            return None
        weight = block.weight
        if not ((weight > 0.0) & (weight <= LARGEST_WEIGHT)).all():
            return None
        total += float(weight.sum())
    return total
