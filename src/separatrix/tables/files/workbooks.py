"""Excel workbooks (.xlsx) and files of SAS, Stata and SPSS as columns.

Rows of a sheet keep their numbers; values with labels are read as these.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import InputError, require_memory
from separatrix.tables.files.source import Source
from separatrix.tables.files.values import cells_of, extra
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawColumn
from separatrix.tables.scan import find_header, refuse_duplicates
from separatrix.tables.wording import listed, nearest, shown

COPIES = 10  # of the unpacked sheets: the values made of them


def is_workbook(source: Source) -> bool:
    if not source.data.startswith(b"PK\x03\x04"):
        return False
    if not source.is_whole:  # its list of parts is at the end
        return True
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as packed:
            return "xl/workbook.xml" in packed.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def sheet_columns(
    source: Source, reading: Reading
) -> tuple[tuple[RawColumn, ...], NDArray[np.int64], str]:
    """Return the columns of a sheet, the row of the sheet where each stands, and its name."""
    openpyxl = extra("openpyxl", "xlsx", "a workbook (.xlsx)")
    with zipfile.ZipFile(io.BytesIO(source.data)) as packed:
        unpacked = sum(entry.file_size for entry in packed.infolist())
    require_memory(COPIES * unpacked, f"Reading {source.name}")
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
        sheet = _sheet(source.name, book.worksheets, reading.sheet)
        every = enumerate(sheet.iter_rows(values_only=True), 1)
        rows = [(k, row) for k, row in every if _holds(row)]
    except InputError:
        raise
    except Exception as error:  # whatever a broken workbook makes of its reader
        raise InputError(
            f"{source.name} is a broken workbook ({shown(str(error))}). Save it again."
        ) from None
    if not rows:
        raise InputError(f"{source.name}: the sheet {shown(sheet.title)} is empty.")
    width = max(k for _, row in rows for k, v in enumerate(row, 1) if v is not None)
    first_row, first = rows[0]
    texts = ["" if v is None else str(v).strip() for v in _padded(first, width)]
    header = find_header(source.name, first_row, texts, reading)
    if header:
        rows = rows[1:]
    if not rows:
        raise InputError(f"{source.name} has column names and no rows.")
    names = tuple((text if header else "") or f"column {k}" for k, text in enumerate(texts, 1))
    refuse_duplicates(source.name, names)
    padded = zip(*(_padded(row, width) for _, row in rows), strict=True)
    cells = [[None if isinstance(v, str) and not v.strip() else v for v in c] for c in padded]
    columns = tuple(RawColumn(n, cells_of(n, v)) for n, v in zip(names, cells, strict=True))
    return columns, np.array([k for k, _ in rows], dtype=np.int64), sheet.title


def _sheet(name: str, sheets: Sequence[Untyped], wanted: str | None) -> Untyped:
    titles = [sheet.title for sheet in sheets]
    if wanted is not None:
        if wanted not in titles:
            near = nearest(wanted, titles).replace("The columns", "The sheets")
            raise InputError(f"{name} has no sheet {shown(wanted)} (--sheet). {near}")
        return sheets[titles.index(wanted)]
    filled = [sheet for sheet in sheets if any(map(_holds, sheet.iter_rows(values_only=True)))]
    if len(filled) != 1:
        raise InputError(
            f"{name} has {len(filled)} sheets that hold something"
            f"{': say which with --sheet NAME' if filled else ''} ({listed(titles)})."
        )
    return filled[0]


def _holds(row: Sequence[object]) -> bool:
    return any(value is not None and value != "" for value in row)


def _padded(row: Sequence[object], width: int) -> list[object]:
    return [*row[:width], *[None] * (width - len(row))]


def statistical_chunks(source: Source, form: str) -> Iterator[tuple[RawColumn, ...]]:
    """Yield the columns of a file; a variable with value labels is one of categories."""
    pyreadstat = extra("pyreadstat", "stat", f"a .{form} file")
    read = getattr(pyreadstat, f"read_{form}")
    try:
        values, about = read(io.BytesIO(source.data), output_format="dict")
    except Exception as error:  # whatever a broken file makes of its reader
        raise InputError(
            f"{source.name} is a broken .{form} file ({shown(str(error))}). Write it again."
        ) from None
    names = tuple(str(name) for name in values)
    refuse_duplicates(source.name, names)
    if not names or not len(next(iter(values.values()))):
        raise InputError(f"{source.name} has {len(names)} columns and no rows.")
    columns = []
    for name, column in zip(names, values.values(), strict=True):
        labels = about.variable_value_labels.get(name) or {}
        plain = column.tolist() if hasattr(column, "tolist") else list(column)
        cells = cells_of(name, [labels.get(v, v) for v in plain])
        columns.append(RawColumn(name, cells, is_category=bool(labels)))
    yield tuple(columns)
