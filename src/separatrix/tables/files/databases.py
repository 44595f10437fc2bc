"""The rows that a query selects from a SQLite or DuckDB file.

The query can change nothing and reads no other file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from separatrix._types import Untyped
from separatrix.data import InputError, shortened
from separatrix.tables.files.parquet import raw_column
from separatrix.tables.files.source import Source
from separatrix.tables.files.values import cells_of, extra
from separatrix.tables.raw import RawColumn
from separatrix.tables.scan import refuse_duplicates
from separatrix.tables.wording import listed

if TYPE_CHECKING:  # other files do without it
    import sqlite3

ROWS = 1 << 16  # of a chunk
LOG = slice(18, 20)  # of a SQLite file: 2, 2 where a log stands beside it


def sqlite_chunks(source: Source, query: str | None) -> Iterator[tuple[RawColumn, ...]]:
    import sqlite3  # other files do without it

    database = _sqlite(source)
    n = 0
    try:
        cursor, names = selected(database, source.name, query)
        refuse_duplicates(source.name, names)
        while rows := cursor.fetchall() if source.is_whole else cursor.fetchmany(ROWS):
            n += len(rows)
            columns = zip(names, zip(*rows, strict=True), strict=True)
            yield tuple(RawColumn(name, cells_of(name, values)) for name, values in columns)
    except sqlite3.Error as error:
        raise failed(source.name, query, str(error)) from None
    finally:
        database.close()
    refuse_nothing(source.name, names, n)


def _sqlite(source: Source) -> sqlite3.Connection:
    """Return the database in a file, or a copy of it in memory where all bytes are here."""
    import sqlite3
    from urllib.parse import quote

    if not source.is_whole:
        address = f"file:{quote(os.path.abspath(source.path))}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, check_same_thread=False)
    data = bytearray(source.data)
    data[LOG] = b"\1\1"  # read without a log; one that holds rows was refused with the file
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(bytes(data))
    except BaseException:
        database.close()
        raise
    return database


def selected(
    database: sqlite3.Connection, name: str, query: str | None
) -> tuple[sqlite3.Cursor, tuple[str, ...]]:
    import sqlite3

    def no_other_file(action: int, *_: str | None) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK

    if query is None:
        found = database.execute("SELECT name, type FROM sqlite_master").fetchall()
        raise _no_query(name, [n for n, kind in found if kind in ("table", "view")])
    database.execute("PRAGMA query_only = ON")
    database.set_authorizer(no_other_file)
    cursor = database.execute(query)
    return cursor, tuple(column[0] for column in cursor.description or ())


def duckdb_chunks(source: Source, query: str | None) -> Iterator[tuple[RawColumn, ...]]:
    with _duckdb(source) as path, duckdb_selected(path, source.name, query) as rows:
        names, n = tuple(rows.columns), 0
        refuse_duplicates(source.name, names)
        reader = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader  # before 1.4
        for batch in [rows.to_arrow_table()] if source.is_whole else reader(ROWS):
            n += batch.num_rows
            table = batch if source.is_whole else pa.Table.from_batches([batch])
            yield tuple(raw_column(name, c) for name, c in zip(names, table.columns, strict=True))
        refuse_nothing(source.name, names, n)


@contextmanager
def _duckdb(source: Source) -> Iterator[str]:
    """Yield the path of a file: of a copy of the bytes, or its own where it is read in chunks."""
    import tempfile

    if not source.is_whole:
        yield source.path
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.duckdb"
        path.write_bytes(source.data)
        yield str(path)


@contextmanager
def duckdb_selected(path: str, name: str, query: str | None) -> Iterator[Untyped]:
    """Yield the rows that a query selects from the file at a path, as DuckDB's relation."""
    duckdb = extra("duckdb", "duckdb", "a DuckDB file")
    how = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}
    try:
        with duckdb.connect(path, read_only=True, config=how) as database:
            if query is None:
                raise _no_query(name, [t[0] for t in database.sql("SHOW TABLES").fetchall()])
            if len(database.extract_statements(query)) != 1:
                raise failed(name, query, "it is not one statement")
            rows = database.sql(query)
            if rows is None:
                raise failed(name, query, "it selects nothing")
            yield rows
    except duckdb.Error as error:
        raise failed(name, query, str(error)) from None


def _no_query(name: str, tables: list[str]) -> InputError:
    return InputError(
        f"{name} is a database of the tables {listed(tables)}: say which rows to read with --query "
        "and a SELECT."
    )


def failed(name: str, query: str | None, why: str) -> InputError:
    said = shortened(" ".join(why.split()), 200)
    return InputError(f"{name}: the query {shortened(repr(query))} fails: {said}.")


def refuse_nothing(name: str, names: tuple[str, ...], n_rows: int) -> None:
    if not names or n_rows == 0:
        raise InputError(f"{name}: the query selects {len(names)} columns and no rows.")
