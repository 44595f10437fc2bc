"""The calls, and what a file becomes: a table to learn from, of two labels or more, or new rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, SeparatrixWarning, describe_counts
from separatrix.notebook import Summarised, Summary
from separatrix.tables.cells import CellReader, Findings
from separatrix.tables.columns import (
    CategoryEncoding,
    Column,
    Encoding,
    NumberEncoding,
    SparseColumn,
    take,
)
from separatrix.tables.files.formats import read_raw
from separatrix.tables.files.source import Source, read_source
from separatrix.tables.gathering import Gathering, Part
from separatrix.tables.labels import LabelColumn, Question, ask, ask_first
from separatrix.tables.options import GROUP, LABEL, Dialect, Reading, ReadingOptions, shows_options
from separatrix.tables.raw import RawColumn, RawTable, SparseRawColumn
from separatrix.tables.recipes import Recipe, sources_of
from separatrix.tables.wording import counted, listed, shown, without


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
        """The name of the column of row weights, if any: in `extra` it stands behind the label."""
        return None if self.weight is None else next(iter(self.extra[1:]), None)

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


FilePath = str | os.PathLike[str] | Source  # a source: bytes that were read before


@shows_options
def read_table(
    path: FilePath, label: str | None = None, yes: str | None = None,
    **options: Unpack[ReadingOptions],
) -> Table:  # fmt: skip
    """Return the table in a file: CSV, Parquet, LIBSVM, Excel, SAS, Stata, SPSS or a database.

    Parameters
    ----------
    path : str or path
        A regular file, or "-" for stdin.
    label : str
        The label column. In a file without names also its number, or "last"; for LIBSVM it may be
        left out.
    yes : str or None
        The label that is +1; None takes the one of two that says yes ("yes", "default"), else the
        second in sorted order.
    drop, weight, group : names
        Columns to leave out; the one of row weights; the one of groups that stay together.
    text : names
        Columns that are categories although they look like something else.
    missing : "drop", "fill" or "level"
        Rows with a missing feature are dropped, or kept for the encoding to fill; or a missing
        value is a level "(missing)" of its category, and for a number, which is filled too, 1 in a
        further column "NAME (missing)".
    parse : some of "money", "percent", "thousands", "dates", "day-first" and "month-first"
        Text that is read: '€ 1.730,50', '3,64 %' (3.64), "1'000"; dates as days since the earliest,
        "day-first" or "month-first" where they do not show which they are.
    fold_case : bool
        Levels that differ in case or blanks only are one; y and n are yes and no beside these.
    group_rare : int
        Levels in fewer rows are the level "(rare)"; 0 keeps all.
    unlabelled : "refuse" or "drop"
    delimiter, encoding, header, format : what the file is; None finds out
    quote, decimal : characters; no decimal is "."
    query, sheet : str or None
        The SELECT whose rows are read from a SQLite or DuckDB file; the sheet of a workbook, if
        several hold something.
    fold_labels : bool
        Labels that differ in case or surrounding blanks only are one.

    Raises
    ------
    InputError
        Naming line, column and value, and the option that helps; all problems at once.

    Warns
    -----
    SeparatrixWarning
        For integers above 2^53 that change when made float64.
    """
    reading = Reading(**options)
    return read_labelled(reading, path, label, asking(reading, yes))[0]


@shows_options
def read_classes(
    path: FilePath, label: str | None = None, **options: Unpack[ReadingOptions]
) -> ClassTable:
    """Return a table of three labels or more, to be asked about one by one or in pairs.

    Parameters
    ----------
    path, label, drop, weight, ... : as in `read_table`; there is no `yes`: each label is, in turn

    Raises
    ------
    InputError
        As `read_table` does, and for fewer than three labels.
    """
    return ClassTable.of(*read_labelled(Reading(**options), path, label, ask_first))


def read_rows(
    path: FilePath, columns_expected: Encoding, *, known_extra: Sequence[str] = (),
    recipes: Sequence[Recipe] = (), match_names: bool = False, **options: Unpack[ReadingOptions],
) -> NewRows:  # fmt: skip
    """Return every row of a file with the columns of a model; `InputError` for other columns."""
    reading = Reading(**options)
    raw = read_raw(read_source(path), reading)
    return rows_of_raw(
        raw, columns_expected, known_extra, recipes, match_names=match_names,
        decimal=reading.decimal,
    )  # fmt: skip


def rows_of_raw(
    raw: RawTable, columns_expected: Encoding, known_extra: Sequence[str],
    recipes: Sequence[Recipe], *, match_names: bool, decimal: str = ".",
) -> NewRows:  # fmt: skip
    """As `read_rows`, of columns that were read before."""
    known = set(known_extra)
    found = tuple(name for name in raw.names if name not in known)
    expected = sources_of([column.name for column in columns_expected.columns], recipes)
    if raw.format == "svmlight":
        raw, found = _with_zeros(raw, found, expected)
    _refuse_other_columns(raw.name, found, expected, match_names)
    findings = Findings()
    reader = CellReader(raw.place, decimal, findings, _to_predict)
    by_name = {column.name: column for column in raw.columns}
    made = {name: recipe for recipe in recipes for name in recipe.names}
    columns = tuple(
        _made(e, made[e.name], by_name, reader)
        if e.name in made
        else reader.category(by_name[e.name], e.levels)
        if isinstance(e, CategoryEncoding)
        else reader.numbers(by_name[e.name])
        for e in columns_expected.columns
    )
    for warning in findings.warnings:
        warnings.warn(warning, SeparatrixWarning, stacklevel=3)
    return NewRows(raw.name, columns, raw.lines, raw.line_word)


def _to_predict(name: str, _: str) -> str:
    return (
        f"The model was trained on numbers in column {shown(name)}: correct the value (NA stands "
        "for a missing one)."
    )


def _refuse_other_columns(
    name: str, found: tuple[str, ...], expected: tuple[str, ...], match_names: bool
) -> None:
    absent = without(expected, found)
    unknown = without(found, expected)
    if absent:
        beside = f"; it has {listed(unknown)} instead" if unknown else ""
        raise InputError(
            f"{name} lacks columns the model was trained on: {listed(absent)}{beside}. Add them; "
            "a file without column names needs a first line with these names."
        )
    if match_names:
        return
    if unknown:
        raise InputError(
            f"{name} has columns the model was not trained on: {listed(unknown)}. Take them out, "
            "or use --match-names to ignore them."
        )
    if found != expected:
        raise InputError(
            f"{name} has its columns in another order ({listed(found)}) than the model was "
            f"trained on ({listed(expected)}). Reorder them, or use --match-names."
        )


def _with_zeros(
    raw: RawTable, found: tuple[str, ...], expected: tuple[str, ...]
) -> tuple[RawTable, tuple[str, ...]]:
    """Return a LIBSVM table with the expected features no row wrote: they are zero."""
    nowhere, n = np.empty(0, dtype=np.int64), raw.lines.size
    absent = tuple(
        SparseRawColumn(SparseColumn(name, n, nowhere, np.empty(0)))
        for name in without(expected, raw.names)
    )
    every = replace(raw, columns=(*raw.columns, *absent))
    return every, (*expected, *without(found, (*expected, LABEL, GROUP)))


def _made(
    encoding: NumberEncoding | CategoryEncoding, recipe: Recipe, by_name: Mapping[str, RawColumn],
    reader: CellReader,
) -> Column:  # fmt: skip
    known = encoding.levels if isinstance(encoding, CategoryEncoding) else ()
    columns = recipe.columns(by_name[recipe.column], reader, known)
    return columns[recipe.names.index(encoding.name)]


def asking(reading: Reading, yes: str | None) -> Callable[[LabelColumn], Question]:
    """Return what asks labels whether they are `yes`; None as in `read_table`."""
    asked = reading.as_label(yes)
    return lambda labels: ask(labels, asked)


def read_labelled(
    reading: Reading, path: FilePath, label: str | None,
    question: Callable[[LabelColumn], Question], recipes: Sequence[Recipe] | None = None,
) -> tuple[Table, LabelColumn]:  # fmt: skip
    """Return the table with the question asked of its labels, and the labels of its rows."""
    raw = read_raw(read_source(path), reading)
    return of_raw(raw, Gathering(raw, reading, label, given=recipes), question)


def of_raw(
    raw: RawTable, gathering: Gathering, question: Callable[[LabelColumn], Question]
) -> tuple[Table, LabelColumn]:
    """As `read_labelled`, of columns that were read before."""
    part = gathering.add(raw)
    gathering.find(lambda: iter([part]), question)
    columns, kept = complete(gathering, part)
    weight = None if part.weight is None else part.weight[kept]
    group = None if part.group is None else part.group[kept]
    labels = gathering.labels_of(part, kept)
    asked, often = question(labels), np.bincount(labels.codes, minlength=len(labels.names))
    total = None if weight is None else float(weight.sum())
    groups = None if group is None else np.unique(group).size
    return Table(
        name=raw.name, format=raw.format, sha256=raw.sha256, columns=columns, y=asked.y,
        weight=weight, group=group, lines=raw.lines[kept],
        n_dropped=gathering.n_labelled - kept.size,
        **gathering.said(asked, often, columns, total, groups),
    ), labels  # fmt: skip


def complete(gathering: Gathering, part: Part) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Return the columns of the labelled rows that are kept, and these; note what is dropped."""
    rows, columns, incomplete = gathering.rows_of(part)
    lacking = {column.name: int(column.missing.sum()) for column in columns}
    gathering.note_missing(lacking, int(incomplete.sum()))
    drop = gathering.reading.missing == "drop" and incomplete.any()
    places = np.flatnonzero(~incomplete) if drop else np.arange(rows.size)
    return take(columns, places), rows[places]
