"""A file of any format as raw columns: names, cells and where each row stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.tables.cells import RawColumn
from separatrix.tables.columns import refuse_other_choice
from separatrix.tables.parquet import is_parquet, parquet_columns
from separatrix.tables.scan import Dialect, Wish, csv_columns, decoded, refuse_dialect
from separatrix.tables.source import Source
from separatrix.tables.svmlight import looks_like_svmlight, svmlight_columns
from separatrix.tables.wording import Place

FORMATS = ("csv", "parquet", "svmlight")
FRAME = "frame"  # the format of a data frame, which is no file


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
        return _READERS[chosen](source, wish)
    if is_parquet(source):
        return _read_parquet(source, wish)
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
    columns = parquet_columns(source)
    rows = np.arange(1, len(columns[0].cells) + 1)
    notes = ("Read as Parquet; rows are counted from 1.",)
    return RawTable(source.name, "parquet", source.sha256, columns, rows, "row", None, notes)


def _read_svmlight(source: Source, wish: Wish) -> RawTable:
    refuse_dialect(wish)
    text, codec = decoded(source, wish.encoding)
    sparse = svmlight_columns(source.name, text)
    dialect = Dialect("whitespace", codec, header=False, quote="", decimal=".")
    notes = (f"Read as LIBSVM: the first feature has index {sparse.first_index}.",)
    return RawTable(
        source.name, "svmlight", source.sha256, sparse.columns, sparse.lines, "line", dialect, notes
    )


_READERS = {"csv": _read_csv, "parquet": _read_parquet, "svmlight": _read_svmlight}
