"""What is kept of a column while its table is read: numbers, or codes of its texts.

A column of text that are numbers becomes numbers chunk by chunk. Of any other column the distinct
texts are kept, in order of appearance, with the place of the first: they decide how it is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa, pc
from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.tables.cells import (
    CellReader,
    ColumnError,
    Findings,
    distinct_texts,
    is_number,
    is_text,
    trimmed,
)
from separatrix.tables.columns import CategoryColumn, Column, NumberColumn, SparseColumn
from separatrix.tables.raw import Cells, RawColumn, SparseRawColumn
from separatrix.tables.recipes import Recipe
from separatrix.tables.wording import Place, shown

MOST_TEXTS = 1_000_000  # distinct ones of a column that is read in chunks

Values = Floats | NDArray[np.int64] | SparseColumn  # (N,) of a column: numbers, or codes of texts


@dataclass(slots=True)
class Texts:
    """The distinct texts of a column, in order of appearance."""

    name: str  # of the column
    code: dict[str, int] = field(default_factory=dict)  # {text: its position}
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    lines: list[int] = field(default_factory=list)  # where each stands first
    files: list[str] = field(default_factory=list)  # in which file

    def codes(self, cells: Cells, place: Place) -> NDArray[np.int64]:
        """Return each row's code (N,); new texts get the next ones."""
        distinct, positions = distinct_texts(cells)
        many = self.code and len(self.code) + len(distinct) > MOST_TEXTS
        if many and len(self.code.keys() | set(distinct)) > MOST_TEXTS:
            raise InputError(
                f"column {shown(self.name)} has more than {MOST_TEXTS:,} different texts: it looks "
                f"like an identifier or free text. Leave it out with --drop {shown(self.name)}."
            )
        first = np.full(len(distinct), -1)
        first[positions[::-1]] = np.arange(positions.size)[::-1]
        lines = place.lines[first].tolist()
        codes = np.empty(len(distinct), dtype=np.int64)
        for k, text in enumerate(distinct):
            codes[k] = code = self.code.setdefault(text, len(self.code))
            if code == len(self.lines):
                self.lines.append(lines[k])
                self.files.append(place.name)
        counts = np.zeros(len(self.code), dtype=np.int64)
        counts[: self.counts.size] = self.counts
        counts[codes] += np.bincount(positions, minlength=codes.size)
        self.counts = counts
        return codes[positions]

    def cells(self) -> Cells:
        return pa.chunked_array([pa.array(list(self.code), pa.string())])

    def place(self, word: str) -> Place:
        return Place("", word, np.array(self.lines, dtype=np.int64), tuple(self.files))


class Kept:
    """A feature column as it is read, chunk after chunk."""

    def __init__(self, name: str, *, as_text: bool, forced: bool) -> None:
        self.name, self.as_text = name, as_text
        self.forced = forced or as_text  # whether it is coded whatever its cells look like
        self.texts = Texts(name)
        self.findings = Findings()
        self.refused: ColumnError | None = None
        self.numbers_from: int | None = None  # the row from which on it is numbers
        self.is_category = False
        self.kind: Untyped = None  # Arrow's, of dates
        self._rows = 0

    @property
    def is_numbers(self) -> bool:
        """Whether all values that are there are numbers, not codes of texts."""
        return self.numbers_from is not None

    def add(self, raw: RawColumn, reader: CellReader) -> Values:
        """Return what is kept of each row (N,): its number, or the code of its text."""
        try:
            return self._add(raw, reader)
        except ColumnError as refusal:
            self.refused = refusal
            return np.full(reader.place.lines.size, np.nan)

    def _add(self, raw: RawColumn, reader: CellReader) -> Values:
        start, self._rows = self._rows, self._rows + reader.place.lines.size
        self.is_category |= raw.is_category
        forced = self.forced or raw.is_category
        if isinstance(raw, SparseRawColumn) and not forced:
            self.numbers_from = 0
            return raw.column
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
        return self._coded(raw, reader)

    def _numbers(self, raw: RawColumn, reader: CellReader) -> Floats | None:
        """Return the cells as numbers, NaN where missing; None where they are something else."""
        if is_text(raw.cells):
            return reader.cast(self.name, raw.cells, warn=not self.findings.warnings)
        if is_number(raw.cells):
            return reader.numbers(raw).values
        return None

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
        cells = self.texts.cells()
        if self.kind is not None and not self.as_text:
            cells = pc.cast(pc.if_else(pc.equal(cells, ""), None, cells), self.kind)
        return RawColumn(self.name, cells, self.is_category)


@dataclass(frozen=True, slots=True)
class Made:
    """What one column of a file becomes: of its numbers, or of each distinct text."""

    recipe: Recipe
    small: tuple[Column, ...] | None  # the columns of the distinct texts; None for numbers

    def columns(self, kept: Values) -> tuple[Column, ...]:
        """Return the columns of some rows, by what was kept of them (N,)."""
        if isinstance(kept, SparseColumn):
            return (kept,)
        if self.small is None:
            values = NumberColumn(self.recipe.column, kept)  # type: ignore[arg-type]  # no codes
            return self.recipe.with_indicator(values)
        codes = kept.astype(np.int64, copy=False)
        return tuple(
            CategoryColumn(column.name, column.codes[codes], column.levels)
            if isinstance(column, CategoryColumn)
            else NumberColumn(column.name, column.values[codes])
            for column in self.small
        )
