"""What is kept of a column while its file is read in chunks: numbers, or codes of its texts.

A column of text that are numbers becomes numbers chunk by chunk. Of any other column the distinct
texts are kept, in order of appearance, with the place of the first: they decide how the column is
read, by the same code as for a table in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.tables.cells import (
    CellReader,
    distinct_texts,
    is_number,
    is_text,
    trimmed,
)
from separatrix.tables.raw import Cells, RawColumn
from separatrix.tables.wording import Place, shown

MOST_TEXTS = 1_000_000  # distinct ones of a column


@dataclass(slots=True)
class Texts:
    """The distinct texts of a column, in order of appearance."""

    name: str  # of the column
    code: dict[str, int] = field(default_factory=dict)  # {text: its position}
    lines: list[int] = field(default_factory=list)  # where each stands first
    files: list[str] = field(default_factory=list)  # in which file

    def codes(self, cells: Cells, place: Place) -> NDArray[np.int64]:
        """Return each row's code (N,); new texts get the next ones."""
        distinct, positions = distinct_texts(cells)
        first = np.full(len(distinct), -1)
        first[positions[::-1]] = np.arange(positions.size)[::-1]
        for text, row in zip(distinct, first.tolist(), strict=True):
            if text not in self.code:
                self.code[text] = len(self.code)
                self.lines.append(int(place.lines[row]))
                self.files.append(place.name)
        if len(self.code) > MOST_TEXTS:
            raise InputError(
                f"column {shown(self.name)} has more than {MOST_TEXTS:,} different texts: it looks "
                f"like an identifier or free text. Leave it out with --drop {shown(self.name)}."
            )
        codes = np.array([self.code[text] for text in distinct], dtype=np.int64)
        return codes[positions]

    def cells(self) -> Cells:
        """Return the distinct texts."""
        return pa.chunked_array([pa.array(list(self.code), pa.string())])

    def place(self, word: str) -> Place:
        """Return where each stands first."""
        return _Places("", word, np.array(self.lines, dtype=np.int64), tuple(self.files))


@dataclass(frozen=True, slots=True)
class _Places(Place):
    """Rows of several files."""

    files: tuple[str, ...]  # the file of each row

    def at(self, row: int, column: str) -> str:
        """Return the place of a row, in its own file."""
        return Place(self.files[row], self.line_word, self.lines).at(row, column)


class Kept:
    """A feature column as it is read, chunk after chunk."""

    def __init__(self, name: str, *, as_text: bool) -> None:
        self.name, self.as_text = name, as_text
        self.texts = Texts(name)
        self.numbers_from: int | None = None  # the row from which on it is numbers
        self.is_category = False
        self.kind: Untyped = None  # Arrow's, of dates
        self._rows = 0

    @property
    def is_numbers(self) -> bool:
        """Whether all values that are there are numbers, not codes of texts."""
        return self.numbers_from is not None

    def add(self, raw: RawColumn, reader: CellReader) -> Floats:
        """Return what is kept of each row (N,): its number, or the code of its text."""
        start, self._rows = self._rows, self._rows + len(raw.cells)
        self.is_category |= raw.is_category
        forced = self.as_text or raw.is_category
        if not forced and not (self.texts.code and self._has_text(reader)):
            values = self._numbers(raw, reader)
            if values is not None:
                if self.is_numbers or not np.isnan(values).all():
                    self.numbers_from = start if self.numbers_from is None else self.numbers_from
                    return values
            elif self.is_numbers:
                if is_text(raw.cells):
                    reader.refuse_first(self.name, trimmed(raw.cells))
                raise InputError(
                    f"{reader.place.at(0, self.name)}: the column holds {raw.cells.type} from here "
                    f"on, and numbers before. {reader.ways_out(self.name, '')}"
                )
        if self.is_numbers:
            raise AssertionError(self.name)
        return self._coded(raw, reader).astype(np.float64)

    def _numbers(self, raw: RawColumn, reader: CellReader) -> Floats | None:
        """Return the cells as numbers, NaN where missing; None where they are something else."""
        if is_text(raw.cells):
            return reader.cast(self.name, raw.cells, warn=not self._warned(reader))
        if is_number(raw.cells):
            return reader.numbers(raw).values
        return None

    def _warned(self, reader: CellReader) -> bool:
        return any(shown(self.name) in said for said in reader.findings.warnings)

    def _has_text(self, reader: CellReader) -> bool:
        """Whether the texts so far hold something else than missing values."""
        values = reader.cast(self.name, self.texts.cells(), warn=False)
        return values is None or not np.isnan(values).all()

    def _coded(self, raw: RawColumn, reader: CellReader) -> NDArray[np.int64]:
        kind = raw.cells.type
        if pa.types.is_temporal(kind):
            self.kind = kind
            cells = pc.fill_null(pc.cast(raw.cells, pa.string()), "")
        else:
            cells = trimmed(reader.text(raw))
        return self.texts.codes(cells, reader.place)

    def small(self) -> RawColumn:
        """Return the distinct texts as a column of a file."""
        cells = self.texts.cells()
        if self.kind is not None and not self.as_text:
            cells = pc.cast(pc.if_else(pc.equal(cells, ""), None, cells), self.kind)
        return RawColumn(self.name, cells, self.is_category)
