"""What a file becomes: a table to learn from, one of many labels, or rows to predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, describe_counts
from separatrix.notebook import Summarised, Summary
from separatrix.tables.columns import Column, take
from separatrix.tables.labels import LabelColumn
from separatrix.tables.options import Dialect
from separatrix.tables.recipes import Recipe
from separatrix.tables.wording import counted, listed


def _of_columns(columns: Sequence[Column]) -> tuple[str, str]:
    return f"{len(columns):,} columns", listed((c.name for c in columns), 3)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Described:
    """How a table was read, and what is asked of its rows."""

    name: str  # file name shown to people, the first of several; "stdin" for "-"
    format: str  # of `files.formats.FORMATS`, or of arrays and frames
    label: str  # name of its column
    no: str  # "not virginica" when yes is one of three or more
    yes: str  # the label for +1
    n_rows_in_file: int
    n_dropped: int = 0  # for missing values
    notes: tuple[str, ...] = ()  # how the file was read, what was dropped and why
    missing: str = "drop"  # "drop", "fill" or "level"
    line_word: str = "row"  # "line" or "row"
    dialect: Dialect | None = None  # how text was read
    extra: tuple[str, ...] = ()  # names of the label, weight, group and dropped columns
    recipes: tuple[Recipe, ...] = ()  # columns that were read as asked for
    rest: tuple[str, ...] = ()  # the labels that are no, where several are
    warnings: tuple[str, ...] = ()  # of the notes those that ask for a look
    label_texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # as they are written


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Table(Summarised, Described):
    """A table to learn from: typed columns, a yes / no question, and where each row stands."""

    sha256: str  # of the bytes read
    columns: tuple[Column, ...]  # the features to be
    y: Floats  # (N,) of -1 and +1
    weight: Floats | None
    group: NDArray[np.int64] | None  # (N,) codes of groups that cross-validation must not split
    lines: NDArray[np.int64]  # (N,) where each kept row starts, from 1

    def _summary(self) -> Summary:
        yes = int((self.y > 0).sum())
        dropped = f" of {self.n_rows_in_file:,}" if self.n_rows_in_file != self.y.size else ""
        labels = describe_counts([(self.yes, yes), (self.no, self.y.size - yes)])
        facts = [_of_columns(self.columns), (f"label {self.label}", labels.partition(": ")[2])]
        weights = [("weights", self.weight_column or "given")] if self.weight is not None else []
        return Summary(f"{self.name}, {counted(self.y.size, 'row')}{dropped}", [*facts, *weights])

    @property
    def n_rows(self) -> int:
        return int(self.y.size)

    @property
    def total_weight(self) -> float:
        return float(self.y.size if self.weight is None else self.weight.sum())

    def positions(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where rows that a proof names stand in `lines`, `y` and `columns`."""
        return np.asarray(rows, dtype=np.int64)

    def file_of(self, position: int) -> str:  # noqa: ARG002  # for tables of several files
        """Return the file that a row is in, by its position in `lines`; "" of one file alone."""
        return ""

    @property
    def weight_column(self) -> str | None:
        """The name of the column of row weights: in `extra` it stands behind the label."""
        return None if self.weight is None else self.extra[1]

    def take(self, rows: NDArray[np.int64]) -> Table:
        return replace(
            self, columns=take(self.columns, rows), y=self.y[rows],
            weight=None if self.weight is None else self.weight[rows],
            group=None if self.group is None else self.group[rows], lines=self.lines[rows],
        )  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class ClassTable(Summarised):
    """A table of three labels or more: yes / no questions about the same rows."""

    base: Table  # with the question of the first label against the rest
    names: tuple[str, ...]  # (K,) the labels, sorted (numbers by value)
    codes: NDArray[np.int64]  # (N,) each row's label, a position in `names`

    @classmethod
    def of(cls, table: Table, labels: LabelColumn) -> ClassTable:
        """Return the table with the labels of its rows, of which some of the file may be gone."""
        present, codes = np.unique(labels.codes, return_inverse=True)
        return cls(table, tuple(labels.names[k] for k in present), codes)

    @classmethod
    def of_two(cls, table: Table) -> ClassTable:
        """Return a table of two labels as one of labels: no is 0 and yes is 1."""
        return cls(table, (table.no, table.yes), (table.y > 0).astype(np.int64))

    def _summary(self) -> Summary:
        labels = describe_counts(zip(self.names, self.counts.tolist(), strict=True), 3)
        about = (f"label {self.base.label}", labels.partition(": ")[2])
        rows = counted(self.codes.size, "row")
        heading = f"{self.base.name}, {rows}, {len(self.names)} labels"
        return Summary(heading, [_of_columns(self.base.columns), about])

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.bincount(self.codes, minlength=len(self.names))

    def take(self, rows: NDArray[np.int64]) -> ClassTable:
        return ClassTable(self.base.take(rows), self.names, self.codes[rows])


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows to predict: every row of the file, in the file's order."""

    name: str
    columns: tuple[Column, ...]
    lines: NDArray[np.int64]
    line_word: str

    @property
    def n_rows(self) -> int:
        return int(self.lines.size)
