"""The calls: a table to learn from, of two labels or more, and rows to predict."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from separatrix.data import LARGEST_WEIGHT, Floats, InputError, SeparatrixWarning
from separatrix.tables.cells import (
    CellReader,
    ColumnError,
    Findings,
    RawColumn,
    describe_categories,
    distinct_texts,
    predicting_ways_out,
    trimmed,
    weighing_ways_out,
)
from separatrix.tables.columns import (
    MISSING_CHOICES,
    CategoryColumn,
    CategoryEncoding,
    Column,
    Encoding,
    NumberEncoding,
    refuse_other_choice,
    take,
)
from separatrix.tables.labels import (
    UNLABELLED_CHOICES,
    LabelColumn,
    Question,
    ask,
    ask_first,
    folded_label_column,
    label_column,
    refuse_unlabelled,
)
from separatrix.tables.parquet import is_parquet, parquet_columns
from separatrix.tables.scan import Dialect, Wish, csv_columns, decoded, refuse_dialect
from separatrix.tables.source import Source, read_source
from separatrix.tables.suspicions import suspicions
from separatrix.tables.svmlight import GROUP, LABEL, looks_like_svmlight, svmlight_columns
from separatrix.tables.table import ClassTable, Rows, Table
from separatrix.tables.wording import MOST_NAMES, Place, counted, listed, nearest, shown, without

FORMATS = ("csv", "parquet", "svmlight")
FilePath = str | os.PathLike[str] | Source  # a source: bytes that were read before
LAST = "last"  # --label last: the last column of a file without names


@dataclass(frozen=True, slots=True)
class _RawTable:
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
        return tuple(column.name for column in self.columns)

    @property
    def place(self) -> Place:
        return Place(self.name, self.line_word, self.lines)

    @property
    def has_header(self) -> bool:
        return self.dialect is None or self.dialect.header

    def column(self, name: str) -> RawColumn:
        return next(column for column in self.columns if column.name == name)


@dataclass(frozen=True, slots=True)
class _Roles:
    """Which column is what. As asked for, or (from `_roles`) by the exact names.

    `label` is "" where none was named: no column has that name.
    """

    label: str
    weight: str | None
    group: str | None
    drop: tuple[str, ...]
    text: tuple[str, ...]

    @classmethod
    def of(
        cls,
        label: str | None,
        weight: str | None,
        group: str | None,
        drop: Sequence[str],
        text: Sequence[str],
    ) -> _Roles:
        """Return the columns as asked for."""
        if isinstance(drop, str) or isinstance(text, str):
            raise InputError("drop and text are lists of column names, not one name: (name,).")
        return cls(label or "", weight, group, tuple(drop), tuple(text))

    @property
    def extra(self) -> tuple[str, ...]:
        """The columns that are not features."""
        named = (self.label, self.weight, self.group)
        return (*(name for name in named if name is not None), *self.drop)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The rows that have a label, those of them that are kept, and what these hold."""

    labelled: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: tuple[Column, ...]
    question: Question
    missing: str


def read_table(
    path: FilePath,
    label: str | None = None,
    yes: str | None = None,
    *,
    drop: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    text: Sequence[str] = (),
    missing: str = "drop",
    unlabelled: str = "refuse",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    quote: str = '"',
    decimal: str = ".",
    fold_labels: bool = False,
    format: str | None = None,  # the word users know
) -> Table:
    """Return the table in a CSV, Parquet or LIBSVM file.

    Parameters
    ----------
    path : str or path
        A regular file, or "-" for stdin.
    label : str
        The label column. In a file without names also its number, or "last"; for LIBSVM it may be
        left out.
    yes : str or None
        The label that is +1; None takes the second of two in sorted order.
    drop, weight, group : names
        Columns to leave out; the one of row weights; the one of groups that stay together.
    text : names
        Columns that are categories although they look like something else.
    missing : "drop" or "fill"
        Rows with a missing feature are dropped, or kept for the encoding to fill.
    unlabelled : "refuse" or "drop"
    delimiter, encoding, header, format : what the file is; None finds out
    quote, decimal : characters
    fold_labels : bool
        Labels that differ in case or surrounding blanks only are one.

    Raises
    ------
    InputError
        Naming line, column and value, and the option that helps.

    Warns
    -----
    SeparatrixWarning
        For integers above 2^53 that change when made float64.
    """

    def question(labels: LabelColumn) -> Question:
        return ask(labels, yes.strip().casefold() if fold_labels and yes is not None else yes)

    asked = _Roles.of(label, weight, group, drop, text)
    wish = Wish(delimiter, encoding, header, quote, decimal, format)
    return Reading(asked, wish, missing, unlabelled, fold_labels).labelled(path, question)[0]


def read_classes(
    path: FilePath,
    label: str | None = None,
    *,
    drop: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    text: Sequence[str] = (),
    missing: str = "drop",
    unlabelled: str = "refuse",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    quote: str = '"',
    decimal: str = ".",
    fold_labels: bool = False,
    format: str | None = None,  # the word users know
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
    asked = _Roles.of(label, weight, group, drop, text)
    wish = Wish(delimiter, encoding, header, quote, decimal, format)
    reading = Reading(asked, wish, missing, unlabelled, fold_labels)
    return ClassTable.of(*reading.labelled(path, ask_first))


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table to learn from is read: what both calls above are asked for.

    Parameters
    ----------
    asked : which column is what
    wish : what the file is
    missing, unlabelled, fold_labels : as in `read_table`
    """

    asked: _Roles
    wish: Wish
    missing: str
    unlabelled: str
    fold_labels: bool

    def labelled(
        self, path: FilePath, question: Callable[[LabelColumn], Question]
    ) -> tuple[Table, LabelColumn]:
        """Return the table with the question asked of its labels, and the labels of its rows."""
        refuse_other_choice("missing", self.missing, MISSING_CHOICES)
        refuse_other_choice("unlabelled", self.unlabelled, UNLABELLED_CHOICES)
        raw = _read_raw(read_source(path), self.wish)
        roles = _roles(raw, self.asked)
        findings = Findings(list(raw.notes))
        reader = CellReader(raw.place, self.wish.decimal, findings)
        make_labels = folded_label_column if self.fold_labels else label_column
        labels = make_labels(roles.label, reader.text(raw.column(roles.label)))
        labelled = _labelled_rows(labels, raw.place, self.unlabelled, findings)
        features = [column for column in raw.columns if column.name not in roles.extra]
        columns = feature_columns(raw.name, features, roles.text, reader)
        rows = complete_rows(columns, labelled, self.missing, raw.name, findings)
        kept = labels.take(rows)
        chosen = _Chosen(labelled, rows, take(columns, rows), question(kept), self.missing)
        table = _table(raw, roles, chosen, reader)
        for warning in findings.warnings:
            warnings.warn(warning, SeparatrixWarning, stacklevel=3)
        return table, kept


def _table(raw: _RawTable, roles: _Roles, chosen: _Chosen, reader: CellReader) -> Table:
    """Put the parts together; weights and groups are read last, for the labelled rows only."""
    weight = None if roles.weight is None else _weights(raw, roles.weight, reader, chosen)
    group = None if roles.group is None else _groups(raw, roles.group, reader, chosen)
    categories = [c for c in chosen.columns if isinstance(c, CategoryColumn)]
    notes = [*reader.findings.notes, *reader.findings.warnings]
    if weight is not None and roles.weight is not None:
        notes.append(f"Weights: column {shown(roles.weight)}, {weight.sum():,.6g} in all.")
    if group is not None and roles.group is not None:
        n_groups = np.unique(group).size
        notes.append(
            f"Groups that stay together: column {shown(roles.group)}, {n_groups:,} of them."
        )
    if categories:
        notes.append(describe_categories(categories))
    if roles.drop:
        notes.append(f"Left out: {listed(roles.drop)}.")
    return Table(
        name=raw.name,
        format=raw.format,
        sha256=raw.sha256,
        columns=chosen.columns,
        label=roles.label,
        no=chosen.question.no,
        yes=chosen.question.yes,
        y=chosen.question.y,
        weight=weight,
        group=group,
        lines=raw.lines[chosen.rows],
        line_word=raw.line_word,
        n_rows_in_file=raw.lines.size,
        n_dropped=chosen.labelled.size - chosen.rows.size,
        notes=tuple(notes),
        missing=chosen.missing,
        dialect=raw.dialect,
        extra=roles.extra,
    )


def read_rows(
    path: FilePath,
    columns_expected: Encoding,
    *,
    known_extra: Sequence[str] = (),
    match_names: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    quote: str = '"',
    decimal: str = ".",
    format: str | None = None,  # the word users know
) -> Rows:
    """Return every row of a file, with the columns a model was trained on.

    Parameters
    ----------
    path : str or path
        A regular file, or "-" for stdin.
    columns_expected : Encoding
        Names, order and kinds of the columns.
    known_extra : names
        The training table's label, weight, group and dropped columns: allowed and not read.
    match_names : bool
        Columns are found by name; their order and other columns do not matter.
    delimiter, encoding, header, quote, decimal, format
        As in `read_table`.

    Raises
    ------
    InputError
        Naming the columns that are missing, unknown or in another order, or the line, column and
        value that cannot be read.
    """
    wish = Wish(delimiter, encoding, header, quote, decimal, format)
    raw = _read_raw(read_source(path), wish)
    known = set(known_extra)
    found = tuple(name for name in raw.names if name not in known)
    expected = tuple(column.name for column in columns_expected.columns)
    if raw.format == "svmlight":
        raw, found = _with_zeros(raw, found, expected)
    _refuse_other_columns(raw.name, found, expected, match_names)
    findings = Findings(list(raw.notes))
    reader = CellReader(raw.place, decimal, findings, predicting_ways_out)
    by_name = {column.name: column for column in raw.columns}
    columns = tuple(_typed_as(e, by_name[e.name], reader) for e in columns_expected.columns)
    for warning in findings.warnings:
        warnings.warn(warning, SeparatrixWarning, stacklevel=2)
    ignored = without(raw.names, expected)
    notes = [*findings.notes, *findings.warnings]
    if ignored:
        notes.append(f"Not read: {listed(ignored)}.")
    return Rows(raw.name, columns, raw.lines, raw.line_word, raw.lines.size, tuple(notes))


# ---------------------------------------------------------------------- formats


def _read_raw(source: Source, wish: Wish) -> _RawTable:
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


def _read_csv(source: Source, wish: Wish) -> _RawTable:
    scan = csv_columns(source, wish)
    columns = tuple(RawColumn(n, cells) for n, cells in zip(scan.names, scan.columns, strict=True))
    return _RawTable(
        source.name, "csv", source.sha256, columns, scan.lines, "line", scan.dialect, scan.notes
    )


def _read_parquet(source: Source, wish: Wish) -> _RawTable:
    refuse_dialect(wish)
    columns = parquet_columns(source)
    rows = np.arange(1, len(columns[0].cells) + 1)
    notes = ("Read as Parquet; rows are counted from 1.",)
    return _RawTable(source.name, "parquet", source.sha256, columns, rows, "row", None, notes)


def _read_svmlight(source: Source, wish: Wish) -> _RawTable:
    refuse_dialect(wish)
    text, codec = decoded(source, wish.encoding)
    sparse = svmlight_columns(source.name, text)
    dialect = Dialect("whitespace", codec, header=False, quote="", decimal=".")
    notes = (f"Read as LIBSVM: the first feature has index {sparse.first_index}.",)
    return _RawTable(
        source.name, "svmlight", source.sha256, sparse.columns, sparse.lines, "line", dialect, notes
    )


_READERS = {"csv": _read_csv, "parquet": _read_parquet, "svmlight": _read_svmlight}


# ---------------------------------------------------------------------- which column is what


def _roles(raw: _RawTable, asked: _Roles) -> _Roles:
    """Return the exact names of the columns asked for; `InputError` with the nearest names."""
    label, weight, group = asked.label, asked.weight, asked.group
    if raw.format == "svmlight":
        label = label or LABEL
        group = GROUP if group is None and GROUP in raw.names else group
    if not label:
        raise InputError(
            f"{raw.name}: say which column holds the labels with --label NAME. The columns are "
            f"{listed(raw.names)}."
        )
    roles = _Roles(
        _find(raw, "label", label),
        None if weight is None else _find(raw, "weight", weight),
        None if group is None else _find(raw, "group", group),
        tuple(dict.fromkeys(_find(raw, "drop", name) for name in asked.drop)),
        tuple(_find(raw, "text", name) for name in asked.text),
    )
    twice, times = Counter(roles.extra).most_common(1)[0]
    if times > 1:
        raise InputError(
            f"column {shown(twice)} cannot be two of label, weight, group and dropped at once."
        )
    if set(raw.names) <= set(roles.extra):
        raise InputError(f"{raw.name} has no feature column left: there is nothing to learn from.")
    return roles


def _find(raw: _RawTable, option: str, name: str) -> str:
    """Return the exact name of the column that --option names."""
    if name in raw.names:
        return name
    if not raw.has_header and raw.format == "csv":
        numbers = {str(k): column for k, column in enumerate(raw.names, 1)}
        numbers[LAST] = raw.names[-1]
        if name in numbers:
            return numbers[name]
    bare = [column for column in raw.names if column.strip() == name.strip()]
    if len(bare) == 1:  # a header such as "age, income, label"
        return bare[0]
    raise InputError(
        f"{raw.name} has no column {shown(name)} (--{option}). {nearest(name, raw.names)}"
    )


def _refuse_other_columns(
    name: str, found: tuple[str, ...], expected: tuple[str, ...], match_names: bool
) -> None:
    """Raise `InputError` unless the columns are those the model was trained on."""
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
    raw: _RawTable, found: tuple[str, ...], expected: tuple[str, ...]
) -> tuple[_RawTable, tuple[str, ...]]:
    """Return a LIBSVM table with the expected features no row wrote: they are zero.

    A trailing feature that only training rows have, or index 0, is not missing there.
    """
    zeros = pa.chunked_array([pa.array(np.zeros(raw.lines.size))])
    absent = tuple(RawColumn(name, zeros) for name in without(expected, raw.names))
    every = _RawTable(
        raw.name, raw.format, raw.sha256, (*raw.columns, *absent), raw.lines, raw.line_word,
        raw.dialect, raw.notes,
    )  # fmt: skip
    return every, (*expected, *without(found, (*expected, LABEL, GROUP)))


# ---------------------------------------------------------------------- rows and their columns


def _labelled_rows(
    labels: LabelColumn, place: Place, unlabelled: str, findings: Findings
) -> NDArray[np.int64]:
    """Return the rows that have a label."""
    if unlabelled == "refuse":
        refuse_unlabelled(labels, place)
    rows = np.flatnonzero(labels.codes >= 0)
    without = labels.codes.size - rows.size
    if without:
        findings.notes.append(
            f"{counted(without, 'row')} of {labels.codes.size:,} left out: the label is missing."
        )
    if rows.size == 0:
        raise InputError(f"{place.name}: the label is missing in every row.")
    return rows


def feature_columns(
    file: str, raws: Sequence[RawColumn], text: Sequence[str], reader: CellReader
) -> tuple[Column, ...]:
    """Return the typed columns of all rows; those named in `text` are categories."""
    columns, refused = [], []
    for column in raws:
        try:
            typed = _feature_column(column, column.name in text, reader)
        except ColumnError as refusal:
            refused.append(refusal)
            continue
        columns.append(typed)
        reader.findings.warnings.extend(suspicions(column, typed))
    if refused:
        raise InputError(_all_refused(file, refused)) from None
    return tuple(columns)


def _feature_column(raw: RawColumn, as_text: bool, reader: CellReader) -> Column:
    typed = reader.category(raw) if as_text else reader.column(raw)
    if typed.missing.all():
        why = "has no value in any row."
        message = f"column {shown(raw.name)} {why} Leave it out with --drop {shown(raw.name)}."
        raise ColumnError(raw.name, "", why, message)
    return typed


def _all_refused(file: str, refused: Sequence[ColumnError]) -> str:
    """Return the one refusal, or a message for all, columns with the same trouble together."""
    if len(refused) == 1:
        return str(refused[0])
    troubles: dict[str, list[ColumnError]] = {}
    for refusal in refused:
        troubles.setdefault(refusal.why, []).append(refusal)
    sentences = []
    for why, columns in troubles.items():
        seen = [f"{shown(c.name)} ({c.seen})" if c.seen else shown(c.name) for c in columns]
        more = f" and {len(seen) - MOST_NAMES} more" if len(seen) > MOST_NAMES else ""
        each = ": each" if len(seen) > 1 else ""
        sentences.append(f"{', '.join(seen[:MOST_NAMES])}{more}{each} {why}")
    return (
        f"{file}: {len(refused)} columns cannot be read. {' '.join(sentences)} Correct the columns "
        "(NA stands for a missing value), declare a column to be categories with --text COLUMN, or "
        "leave it out with --drop COLUMN (once for each)."
    )


def complete_rows(
    columns: Sequence[Column],
    labelled: NDArray[np.int64],
    missing: str,
    name: str,
    findings: Findings,
) -> NDArray[np.int64]:
    """Return the labelled rows, without those that lack a value where these are to be dropped."""
    lacking = {column.name: column.missing[labelled] for column in columns}
    lacking = {n: absent for n, absent in lacking.items() if absent.any()}
    if not lacking:
        return labelled
    where = ", ".join(f"{shown(n)} ({int(k.sum()):,})" for n, k in list(lacking.items())[:10])
    where += f" and {len(lacking) - 10} more" if len(lacking) > 10 else ""
    if missing == "fill":
        findings.notes.append(f"Missing values, to be filled: column {where}.")
        return labelled
    incomplete: NDArray[np.bool_] = np.logical_or.reduce(list(lacking.values()))
    if incomplete.all():
        raise InputError(
            f"{name}: every row lacks a value and would be dropped. Missing per column: {where}. "
            "Fill them with --missing fill, or leave columns out with --drop."
        )
    findings.notes.append(
        f"{counted(int(incomplete.sum()), 'row')} of {labelled.size:,} dropped because a value is "
        f"missing: column {where}. To keep such rows, use --missing fill."
    )
    kept: NDArray[np.int64] = labelled[~incomplete]
    return kept


def _weights(raw: _RawTable, name: str, reader: CellReader, chosen: _Chosen) -> Floats:
    """Return the weights of the kept rows; `InputError` names the line of one that is none."""
    values = replace(reader, ways_out=weighing_ways_out).numbers(raw.column(name)).values
    bad = chosen.labelled[~(values[chosen.labelled] >= 0)]
    if bad.size:
        what = "is missing" if np.isnan(values[bad[0]]) else f"is negative ({values[bad[0]]})"
        raise InputError(
            f"{raw.place.at(int(bad[0]), name)}: the weight {what}. A weight of k stands for k "
            "copies of the row: give a number from 0 up."
        )
    if values[chosen.rows].max() > LARGEST_WEIGHT:
        row = int(chosen.rows[values[chosen.rows].argmax()])
        raise InputError(
            f"{raw.place.at(row, name)}: the weight is too large ({values[row]:g}): sums of such "
            "weights overflow. Divide all weights by the same number."
        )
    if not values[chosen.rows].any():
        raise InputError(
            f"{raw.name}: the weight in column {shown(name)} is zero in every row, so nothing "
            "would be learned from."
        )
    return values[chosen.rows]


def _groups(raw: _RawTable, name: str, reader: CellReader, chosen: _Chosen) -> NDArray[np.int64]:
    """Return the group codes of the kept rows; `InputError` names the line of a missing one."""
    cells = trimmed(reader.text(raw.column(name)))
    distinct, codes = distinct_texts(cells)
    blank = distinct.index("") if "" in distinct else -1
    absent = chosen.labelled[codes[chosen.labelled] == blank]
    if absent.size:
        raise InputError(
            f"{raw.place.at(int(absent[0]), name)}: the group is missing. Rows of one group stay "
            "together in cross-validation: say which group the row is in, or drop the row."
        )
    return codes[chosen.rows]


def _typed_as(
    encoding: NumberEncoding | CategoryEncoding, raw: RawColumn, reader: CellReader
) -> Column:
    """Return a column with the kind the model was trained on."""
    if isinstance(encoding, CategoryEncoding):
        return reader.category(raw, encoding.levels)
    return reader.numbers(raw)
