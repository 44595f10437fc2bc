"""The rows that a query selects from a SQLite or DuckDB file.

The query runs on a copy of the file's bytes: it can change nothing, and reads no other file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from separatrix._types import Untyped
from separatrix.data import InputError, shortened
from separatrix.tables.cells import RawColumn
from separatrix.tables.files.parquet import raw_column
from separatrix.tables.files.source import Source
from separatrix.tables.files.values import cells_of, extra
from separatrix.tables.scan import refuse_duplicates
from separatrix.tables.wording import listed

if TYPE_CHECKING:  # other files do without it
    import sqlite3

SQLITE = b"SQLite format 3\0"
DUCKDB = b"DUCK"  # from byte 8 on
LOG = slice(18, 20)  # of a SQLite file: 2, 2 where a log stands beside it


def is_sqlite(source: Source) -> bool:
    """Whether the bytes begin as SQLite files do."""
    return source.data.startswith(SQLITE)


def is_duckdb(source: Source) -> bool:
    """Whether the bytes begin as DuckDB files do."""
    return source.data[8:12] == DUCKDB


def sqlite_columns(source: Source, query: str | None) -> tuple[RawColumn, ...]:
    """Return what a query selects from a SQLite file."""
    import sqlite3  # other files do without it

    data = bytearray(source.data)
    data[LOG] = b"\1\1"  # read without a log; one that holds rows was refused with the file
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(bytes(data))
        cursor, names = selected(database, source.name, query)
        rows = cursor.fetchall()
    except sqlite3.Error as error:
        raise failed(source.name, query, str(error)) from None
    finally:
        database.close()
    refuse_nothing(source.name, names, len(rows))
    columns = zip(*rows, strict=True)
    return tuple(
        RawColumn(n, cells_of(n, values)) for n, values in zip(names, columns, strict=True)
    )


def selected(
    database: sqlite3.Connection, name: str, query: str | None
) -> tuple[sqlite3.Cursor, tuple[str, ...]]:
    """Return the rows that a query selects, and the names of their columns."""
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


def duckdb_columns(source: Source, query: str | None) -> tuple[RawColumn, ...]:
    """Return what a query selects from a DuckDB file; raises as `sqlite_columns` does."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.duckdb"
        path.write_bytes(source.data)
        with duckdb_selected(str(path), source.name, query) as rows:
            table = rows.to_arrow_table()
    refuse_nothing(source.name, tuple(table.column_names), table.num_rows)
    pairs = zip(table.column_names, table.columns, strict=True)
    return tuple(raw_column(name, column) for name, column in pairs)


@contextmanager
def duckdb_selected(path: str, name: str, query: str | None) -> Iterator[Untyped]:
    """Yield the rows that a query selects from the file at a path, as DuckDB's relation."""
    duckdb = extra("duckdb", "duckdb", "a DuckDB file")
    how = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}
    try:
        with duckdb.connect(path, read_only=True, config=how) as database:
            if query is None:
                names = [row[0] for row in database.sql("SHOW TABLES").fetchall()]
                raise _no_query(name, names)
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
    """Return what is said of a query that fails."""
    said = shortened(" ".join(why.split()), 200)
    return InputError(f"{name}: the query {shortened(repr(query))} fails: {said}.")


def refuse_nothing(name: str, names: tuple[str, ...], n_rows: int) -> None:
    """Raise `InputError` for a query without rows or columns, and for two columns of one name."""
    if not names or n_rows == 0:
        raise InputError(f"{name}: the query selects {len(names)} columns and no rows.")
    refuse_duplicates(name, names)
