"""What every format is brought to before anything is understood: columns of cells, and lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa
from separatrix.tables.columns import SparseColumn
from separatrix.tables.wording import Place

if TYPE_CHECKING:
    from separatrix.tables.options import Dialect

Cells = Any  # pyarrow.ChunkedArray: pyarrow ships no types


@dataclass(frozen=True, slots=True)
class RawColumn:
    """One column as the file has it."""

    name: str
    cells: Cells
    is_category: bool = False


class SparseRawColumn(RawColumn):
    """Numbers of a file that writes no zeros, as `SparseColumn` holds them."""

    __slots__ = ("column",)
    column: SparseColumn

    def __init__(self, column: SparseColumn) -> None:
        for name, value in (("name", column.name), ("is_category", False), ("column", column)):
            object.__setattr__(self, name, value)  # frozen, as what it is derived from

    @property
    def cells(self) -> Cells:
        return pa.chunked_array([pa.array(self.column.values)])


@dataclass(frozen=True, slots=True)
class RawTable:
    """Rows of a file as they stand there: all of them, or a chunk."""

    name: str
    format: str  # of `files.formats.FORMATS`
    sha256: str  # of all bytes; "" of a chunk
    columns: tuple[RawColumn, ...]
    lines: NDArray[np.int64]
    line_word: str
    dialect: Dialect | None
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def place(self) -> Place:
        return Place(self.name, self.line_word, self.lines)

    @property
    def has_header(self) -> bool:
        return self.dialect is None or self.dialect.header

    def column(self, name: str) -> RawColumn:
        return next(column for column in self.columns if column.name == name)
