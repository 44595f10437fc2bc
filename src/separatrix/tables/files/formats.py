"""A file of any format as raw columns: names, cells and where each row stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.data import InputError
from separatrix.tables.cells import RawColumn
from separatrix.tables.columns import refuse_other_choice
from separatrix.tables.files.databases import (
    duckdb_columns,
    is_duckdb,
    is_sqlite,
    sqlite_columns,
)
from separatrix.tables.files.parquet import is_parquet, parquet_columns
from separatrix.tables.files.source import Source
from separatrix.tables.files.statistical import statistical_columns, statistical_format
from separatrix.tables.files.svmlight import looks_like_svmlight, svmlight_columns
from separatrix.tables.files.workbooks import is_workbook, sheet_columns
from separatrix.tables.scan import Dialect, Wish, csv_columns, decoded, refuse_dialect
from separatrix.tables.wording import Place, shown

FORMATS = (
    "csv", "parquet", "svmlight", "xlsx", "sas7bdat", "dta", "sav", "sqlite", "duckdb",
)  # fmt: skip
TEXT_FORMATS = ("csv", "svmlight")  # those with a dialect
FRAME = "frame"  # the format of a data frame, which is no file
ARRAYS = "arrays"  # and of arrays


@dataclass(frozen=True, slots=True)
class RawTable:
    """What every format is brought to before anything is understood."""

    name: str
    format: str
    sha256: str
    columns: tuple[RawColumn, ...]
    lines: NDArray[np.int64]
    line_word: str
    dialect: Dialect | None
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def place(self) -> Place:
        """Where the rows stand."""
        return Place(self.name, self.line_word, self.lines)

    @property
    def has_header(self) -> bool:
        """Whether the file names its columns."""
        return self.dialect is None or self.dialect.header

    def column(self, name: str) -> RawColumn:
        """Return the column of that name."""
        return next(column for column in self.columns if column.name == name)


def read_raw(source: Source, wish: Wish) -> RawTable:
    """Return the cells of a file in whichever format it has."""
    if wish.format is not None:
        chosen = "svmlight" if wish.format == "libsvm" else wish.format
        refuse_other_choice("format", chosen, FORMATS)
        typed = _typed_format(source) or "text"
        matches = chosen == typed or (typed == "text" and chosen in TEXT_FORMATS)
        if not matches and chosen != "parquet":  # which says itself what is wrong
            raise InputError(f"{source.name} is not of the format {chosen}; it is {typed}.")
        return _READERS[chosen](source, wish)
    found = _typed_format(source)
    if found is not None:
        return _READERS[found](source, wish)
    head = Source(source.name, source.data[: 2**16])
    if looks_like_svmlight(head.data.decode("utf-8-sig", "replace")):
        return _read_svmlight(source, wish)
    return _read_csv(source, wish)


def _read_csv(source: Source, wish: Wish) -> RawTable:
    scan = csv_columns(source, wish)
    columns = tuple(RawColumn(n, cells) for n, cells in zip(scan.names, scan.columns, strict=True))
    return RawTable(
        source.name, "csv", source.sha256, columns, scan.lines, "line", scan.dialect, scan.notes
    )


def _read_parquet(source: Source, wish: Wish) -> RawTable:
    refuse_dialect(wish)
    return _typed(source, "parquet", parquet_columns(source), "Read as Parquet")


def _read_svmlight(source: Source, wish: Wish) -> RawTable:
    refuse_dialect(wish)
    text, codec = decoded(source, wish.encoding)
    sparse = svmlight_columns(source.name, text)
    dialect = Dialect("whitespace", codec, header=False, quote="", decimal=".")
    notes = (f"Read as LIBSVM: the first feature has index {sparse.first_index}.",)
    return RawTable(
        source.name, "svmlight", source.sha256, sparse.columns, sparse.lines, "line", dialect, notes
    )


def _typed_format(source: Source) -> str | None:
    """Return the format of a file whose cells have types; None for text."""
    tests = (("parquet", is_parquet), ("sqlite", is_sqlite), ("duckdb", is_duckdb))
    found = next((form for form, test in tests if test(source)), None)
    if found is None:
        found = "xlsx" if is_workbook(source) else statistical_format(source)
    return found


def _read_sheet(source: Source, wish: Wish) -> RawTable:
    columns, rows, title = sheet_columns(source, wish)
    notes = (f"Read as a workbook: the sheet {shown(title)}; rows are numbered as in it.",)
    return RawTable(source.name, "xlsx", source.sha256, columns, rows, "row", None, notes)


def _read_statistical(source: Source, wish: Wish) -> RawTable:
    refuse_dialect(wish)
    form = statistical_format(source) or ""
    return _typed(source, form, statistical_columns(source, form), f"Read as .{form}")


def _read_sqlite(source: Source, wish: Wish) -> RawTable:
    how = "Rows of a query of a SQLite file"
    return _typed(source, "sqlite", sqlite_columns(source, wish.query), how)


def _read_duckdb(source: Source, wish: Wish) -> RawTable:
    how = "Rows of a query of a DuckDB file"
    return _typed(source, "duckdb", duckdb_columns(source, wish.query), how)


def _typed(source: Source, form: str, columns: tuple[RawColumn, ...], how: str) -> RawTable:
    rows = np.arange(1, len(columns[0].cells) + 1)
    notes = (f"{how}; rows are counted from 1.",)
    return RawTable(source.name, form, source.sha256, columns, rows, "row", None, notes)


_READERS = {
    "csv": _read_csv, "parquet": _read_parquet, "svmlight": _read_svmlight, "xlsx": _read_sheet,
    "sas7bdat": _read_statistical, "dta": _read_statistical, "sav": _read_statistical,
    "sqlite": _read_sqlite, "duckdb": _read_duckdb,
}  # fmt: skip
