"""Files whose values have types: Parquet, workbooks, SAS, Stata and SPSS, and queries of databases.

Rows are counted from 1; those of a sheet keep their numbers. Values with labels are read as these.
A query can change nothing and reads no other file. Rows of Parquet that are read in blocks are made
by `separatrix.scale.parquet_rows`.
"""

from __future__ import annotations

import datetime
import importlib
import io
import math
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa
from separatrix._types import Untyped
from separatrix.data import LARGEST_EXACT_INTEGER, InputError, require_memory, shortened
from separatrix.tables.files.source import Source
from separatrix.tables.options import Reading
from separatrix.tables.raw import Cells, RawColumn
from separatrix.tables.scan import find_header, refuse_duplicates
from separatrix.tables.wording import counted, listed, nearest, shown

AT_ONCE, NUMBERS_AT_ONCE = 1 << 16, 1 << 21  # rows of a chunk, and numbers in them, at the most
BUFFER = 1 << 17  # bytes read ahead of each column
TEMPORAL = (datetime.date, datetime.time, datetime.timedelta)
COPIES = 10  # of the unpacked sheets: the values made of them


def parquet_chunks(source: Source) -> Iterator[tuple[RawColumn, ...]]:
    """Yield the columns of a Parquet file; dictionary columns are categories."""
    import pyarrow.parquet as pq  # CSV files do without it

    if not source.data.startswith(b"PAR1"):
        raise InputError(f"{source.name} is not a Parquet file (it does not begin with PAR1).")
    where = pa.BufferReader(source.data) if source.is_whole else source.path
    with refused(source.name), pq.ParquetFile(where, buffer_size=BUFFER, pre_buffer=False) as file:
        about, names = file.metadata, tuple(file.schema_arrow.names)
        refuse_duplicates(source.name, names)
        if about.num_rows == 0 or not names:
            raise InputError(f"{source.name} has {counted(len(names), 'column')} and no rows.")
        if source.is_whole:
            # what the file itself says it unpacks to, and the numbers made of it
            unpacked = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
            require_memory(unpacked + 8 * about.num_rows * len(names), f"Reading {source.name}")
            tables = iter([file.read()])
        else:
            rows = min(AT_ONCE, max(1, NUMBERS_AT_ONCE // len(names)))
            tables = (pa.Table.from_batches([batch]) for batch in file.iter_batches(rows))
        for table in tables:
            table.validate(full=True)  # text that is no UTF-8 shows itself here
            yield tuple(map(raw_column, names, table.columns))


@contextmanager
def refused(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name} is a broken Parquet file: {shown(str(error))}. Write it again."
        ) from None


def raw_column(name: str, column: pa.ChunkedArray) -> RawColumn:
    if not pa.types.is_dictionary(column.type):
        return RawColumn(name, column)
    return RawColumn(name, column.cast(column.type.value_type), is_category=True)


def extra(package: str, name: str, what: str) -> Untyped:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(
            f"reading {what} needs the package {package}, which is not installed: "
            f"pip install 'separatrix[{name}]' (or save the table as CSV)."
        ) from None


def cells_of(name: str, values: Sequence[object]) -> Cells:
    """Return values as cells: numbers, truth values, dates or text if all are; else all as text."""
    plain = [None if isinstance(v, float) and math.isnan(v) else v for v in values]
    kinds = {type(v) for v in plain if v is not None}
    try:
        if kinds <= {int, float} and float in kinds:
            return _chunked([None if v is None else float(v) for v in plain], pa.float64())  # type: ignore[arg-type]
        if len(kinds) <= 1:
            return _chunked(plain, None if kinds else pa.string())
    except (pa.ArrowException, OverflowError, TypeError):
        pass
    known = (str, bool, int, float, *TEMPORAL)
    other = next((v for v in plain if v is not None and not isinstance(v, known)), None)
    if other is not None:
        raise InputError(
            f"column {shown(name)} holds {type(other).__name__} values: neither numbers nor text. "
            "Leave it out of the table or the query."
        )
    return _chunked([None if v is None else _text(v) for v in plain], pa.string())


def _chunked(values: Sequence[object], kind: Untyped) -> Cells:
    return pa.chunked_array([pa.array(values, kind)])


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT_INTEGER:
        return str(int(value))
    return str(value)


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


@contextmanager
def _on_disk(source: Source) -> Iterator[str]:
    """Yield the path of a file, or of a copy where all its bytes are here."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        if source.is_whole:
            Path(folder, "copy").write_bytes(source.data)
        yield source.path or str(Path(folder, "copy"))


def sqlite_chunks(source: Source, query: str | None) -> Iterator[tuple[RawColumn, ...]]:
    import sqlite3  # other files do without it

    def no_other_file(action: int, *_: str | None) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK

    n, name = 0, source.name
    with _on_disk(source) as path:
        address = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"  # read without a log
        try:
            with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as database:
                if query is None:
                    found = database.execute("SELECT name, type FROM sqlite_master").fetchall()
                    raise _no_query(name, [n for n, kind in found if kind in ("table", "view")])
                database.execute("PRAGMA query_only = ON")
                database.set_authorizer(no_other_file)
                cursor = database.execute(query)
                names = tuple(column[0] for column in cursor.description or ())
                refuse_duplicates(name, names)
                while rows := cursor.fetchall() if source.is_whole else cursor.fetchmany(AT_ONCE):
                    n += len(rows)
                    columns = zip(names, zip(*rows, strict=True), strict=True)
                    yield tuple(RawColumn(of, cells_of(of, values)) for of, values in columns)
        except sqlite3.Error as error:
            raise _failed(name, query, str(error)) from None
    _refuse_nothing(name, names, n)


def duckdb_chunks(source: Source, query: str | None) -> Iterator[tuple[RawColumn, ...]]:
    duckdb, name, n = extra("duckdb", "duckdb", "a DuckDB file"), source.name, 0
    how = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}
    with _on_disk(source) as path:
        try:
            with duckdb.connect(path, read_only=True, config=how) as database:
                if query is None:
                    raise _no_query(name, [t[0] for t in database.sql("SHOW TABLES").fetchall()])
                if len(database.extract_statements(query)) != 1:
                    raise _failed(name, query, "it is not one statement")
                rows = database.sql(query)
                if rows is None:
                    raise _failed(name, query, "it selects nothing")
                names = tuple(rows.columns)
                refuse_duplicates(name, names)
                reader = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader  # 1.3
                for batch in [rows.to_arrow_table()] if source.is_whole else reader(AT_ONCE):
                    n += batch.num_rows
                    table = batch if source.is_whole else pa.Table.from_batches([batch])
                    yield tuple(map(raw_column, names, table.columns))
        except duckdb.Error as error:
            raise _failed(name, query, str(error)) from None
    _refuse_nothing(name, names, n)


def _no_query(name: str, tables: list[str]) -> InputError:
    return InputError(
        f"{name} is a database of the tables {listed(tables)}: say which rows to read with --query "
        "and a SELECT."
    )


def _failed(name: str, query: str | None, why: str) -> InputError:
    said = shortened(" ".join(why.split()), 200)
    return InputError(f"{name}: the query {shortened(repr(query))} fails: {said}.")


def _refuse_nothing(name: str, names: tuple[str, ...], n_rows: int) -> None:
    if not names or n_rows == 0:
        raise InputError(f"{name}: the query selects {len(names)} columns and no rows.")
