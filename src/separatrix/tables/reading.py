"""How a table to learn from is read: which column is what, and the one way through.

What is wrong with a table is collected along the way and said at once (`problems`).
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from separatrix.data import LARGEST_WEIGHT, Floats, InputError, SeparatrixWarning, typed
from separatrix.tables.cells import (
    CellReader,
    ColumnError,
    Findings,
    WaysOut,
    describe_categories,
    distinct_texts,
    learning_ways_out,
    n_values,
    parsed,
    trimmed,
    weighing_ways_out,
)
from separatrix.tables.columns import CategoryColumn, Column, take
from separatrix.tables.files.formats import read_raw
from separatrix.tables.files.source import Source, read_source
from separatrix.tables.files.svmlight import GROUP, LABEL
from separatrix.tables.labels import (
    LabelColumn,
    Question,
    ask,
    folded_label_column,
    label_column,
    refuse_unlabelled,
)
from separatrix.tables.options import Reading
from separatrix.tables.problems import Problems
from separatrix.tables.raw import RawColumn, RawTable
from separatrix.tables.recipes import Asked, Recipe, find_recipe, refuse_same_names
from separatrix.tables.suspicions import suspicions
from separatrix.tables.table import Table
from separatrix.tables.wording import MOST_NAMES, Place, counted, listed, nearest, shown

FilePath = str | os.PathLike[str] | Source  # a source: bytes that were read before
LAST = "last"  # --label last: the last column of a file without names


def asking(reading: Reading, yes: str | None) -> Callable[[LabelColumn], Question]:
    """Return what asks labels whether they are `yes`; None takes the second of two."""
    asked = reading.as_label(yes)
    return lambda labels: ask(labels, asked)


def read_labelled(
    reading: Reading,
    path: FilePath,
    label: str | None,
    question: Callable[[LabelColumn], Question],
    recipes: Sequence[Recipe] | None = None,
) -> tuple[Table, LabelColumn]:
    """Return the table with the question asked of its labels, and the labels of its rows."""
    return of_raw(reading, read_raw(read_source(path), reading), label, question, recipes)


def of_raw(  # noqa: PLR0917  # until it is a class
    reading: Reading,
    raw: RawTable,
    label: str | None,
    question: Callable[[LabelColumn], Question],
    given: Sequence[Recipe] | None = None,
    ways_out: WaysOut = learning_ways_out,
) -> tuple[Table, LabelColumn]:
    """As `read_labelled`, of columns that were read before."""
    problems = Problems(raw.name)
    findings = Findings(list(raw.notes))
    reader = CellReader(raw.place, reading.decimal, findings, ways_out)
    roles = roles_of(raw, reading, label, problems)
    labels, rows = _labels(reading, raw, roles, reader, problems)
    weight = group = None
    columns: tuple[Column, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    with problems.noted():
        features = [column for column in raw.columns if column.name not in roles.extra]
        columns, recipes = feature_columns(
            raw.name, features, roles.text, reader, reading.asked, rows, given
        )
        refuse_same_names(columns, raw.name)
    with problems.noted():
        weight = None if roles.weight is None else weights_of(raw, roles.weight, reader, rows)
    with problems.noted():
        group = None if roles.group is None else _groups(raw, roles.group, reader, rows)
    if problems.found and labels is not None:
        with problems.noted():  # what no row that is kept could mend
            question(labels.take(rows))
    problems.refuse()
    assert labels is not None  # noqa: S101  # without labels there was a problem
    kept = complete_rows(columns, rows, reading.missing, raw.name, findings)
    if weight is not None:
        _refuse_weightless(raw, str(roles.weight), weight, kept)
    asked = question(labels.take(kept))
    table = Table(
        name=raw.name,
        format=raw.format,
        sha256=raw.sha256,
        columns=take(columns, kept),
        label=str(roles.label),
        no=asked.no,
        yes=asked.yes,
        y=asked.y,
        weight=None if weight is None else weight[kept],
        group=None if group is None else group[kept],
        lines=raw.lines[kept],
        line_word=raw.line_word,
        n_rows_in_file=raw.lines.size,
        n_dropped=rows.size - kept.size,
        notes=(),
        missing=reading.missing,
        dialect=raw.dialect,
        extra=roles.extra,
        recipes=recipes,
    )
    for warning in findings.warnings:
        warnings.warn(warning, SeparatrixWarning, stacklevel=4)
    return replace(table, notes=_notes(table, roles, findings)), labels.take(kept)


def _labels(
    reading: Reading, raw: RawTable, roles: Roles, reader: CellReader, problems: Problems
) -> tuple[LabelColumn | None, NDArray[np.int64]]:
    """Return the labels and the rows that have one; all rows where there are no labels."""
    if roles.label is not None:
        make_labels = folded_label_column if reading.fold_labels else label_column
        with problems.noted():
            labels = make_labels(roles.label, reader.text(raw.column(roles.label)))
            return labels, _labelled_rows(labels, raw.place, reading.unlabelled, reader.findings)
    return None, np.arange(raw.lines.size)


# ---------------------------------------------------------------------- which column is what


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column is what, by the exact names; `label` is None where it could not be found."""

    label: str | None
    weight: str | None
    group: str | None
    drop: tuple[str, ...]
    text: tuple[str, ...]

    @property
    def extra(self) -> tuple[str, ...]:
        """The columns that are not features."""
        named = (self.label, self.weight, self.group)
        return (*(name for name in named if name is not None), *self.drop)


def roles_of(raw: RawTable, asked: Reading, label: str | None, problems: Problems) -> Roles:
    """Return the exact names of the columns asked for; problems name the nearest ones."""
    group = asked.group
    if raw.format == "svmlight":
        label = label or LABEL
        group = GROUP if group is None and GROUP in raw.names else group
    if not label:
        with problems.noted():
            raise InputError(
                f"{raw.name}: say which column holds the labels with --label NAME. "
                f"{_two_valued(raw)}The columns are {listed(raw.names)}."
            )

    def found(option: str, name: str | None) -> list[str]:
        if name:
            with problems.noted():
                return [find_column(raw, option, name)]
        return []

    roles = Roles(
        next(iter(found("label", label)), None),
        next(iter(found("weight", asked.weight)), None),
        next(iter(found("group", group)), None),
        tuple(dict.fromkeys(exact for name in asked.drop for exact in found("drop", name))),
        tuple(exact for name in asked.text for exact in found("text", name)),
    )
    with problems.noted():
        twice, times = Counter(roles.extra or [""]).most_common(1)[0]
        if times > 1:
            raise InputError(
                f"column {shown(twice)} cannot be two of label, weight, group and dropped at once."
            )
        if set(raw.names) <= set(roles.extra):
            raise InputError(
                f"{raw.name} has no feature column left: there is nothing to learn from."
            )
    return roles


def _two_valued(raw: RawTable) -> str:
    """Return a sentence that names the columns of two values, which may be the labels."""
    names = [column.name for column in raw.columns if n_values(column) == 2]
    return f"Columns with two values: {listed(names)}. " if names else ""


def find_column(raw: RawTable, option: str, name: str) -> str:
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


def feature_columns(  # noqa: PLR0917  # two callers
    file: str,
    raws: Sequence[RawColumn],
    text: Sequence[str],
    reader: CellReader,
    asked: Asked,
    rows: NDArray[np.int64],
    given: Sequence[Recipe] | None = None,
) -> tuple[tuple[Column, ...], tuple[Recipe, ...]]:
    """Return the typed columns of all rows, and how some of them were read."""
    known = {recipe.column: recipe for recipe in given or ()}
    columns: list[Column] = []
    recipes, refused = [], []
    for raw in raws:
        try:
            as_before = known.get(raw.name)
            recipe, typed = (
                find_recipe(raw, rows, raw.name in text, asked, reader)
                if as_before is None
                else (as_before, as_before.columns(raw, reader))
            )
            refuse_empty(raw, typed[0])
        except ColumnError as refusal:
            refused.append(refusal)
            continue
        columns.extend(typed)
        if recipe is not None:
            recipes.append(recipe)
        if recipe is None or recipe.how is None or isinstance(typed[0], CategoryColumn):
            reader.findings.warnings.extend(suspicions(raw, typed[0]))
    if refused:
        raise InputError(all_refused(file, refused)) from None
    return tuple(columns), tuple(recipes)


def refuse_empty(raw: RawColumn, typed: Column) -> None:
    """Raise `ColumnError` for a column without a value."""
    if typed.missing.all():
        why = "has no value in any row."
        message = f"column {shown(raw.name)} {why} Leave it out with --drop {shown(raw.name)}."
        raise ColumnError(raw.name, "", why, message)


def all_refused(file: str, refused: Sequence[ColumnError]) -> str:
    """Return the one refusal, or a message for all, columns with the same trouble together."""
    if len(refused) == 1:
        return typed(refused[0])
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
        f"{file}: {len(refused)} columns cannot be read. {' '.join(sentences)} "
        f"{parsed(refusal.kind for refusal in refused)}Correct the columns "
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
    every = ((column.name, column.missing[labelled]) for column in columns)
    lacking = {name: absent for name, absent in every if absent.any()}
    incomplete = np.zeros(labelled.size, dtype=np.bool_)
    for absent in lacking.values():
        incomplete |= absent
    counts = {name: int(absent.sum()) for name, absent in lacking.items()}
    note_missing(counts, int(incomplete.sum()), labelled.size, missing, name, findings)
    kept: NDArray[np.int64] = labelled if missing != "drop" else labelled[~incomplete]
    return kept


def note_missing(  # noqa: PLR0917  # two callers
    lacking: Mapping[str, int], incomplete: int, n: int, missing: str, name: str, findings: Findings
) -> None:
    """Note how many of n rows lack a value of which column, and what becomes of them."""
    if not lacking:
        return
    where = ", ".join(f"{shown(column)} ({k:,})" for column, k in list(lacking.items())[:10])
    where += f" and {len(lacking) - 10} more" if len(lacking) > 10 else ""
    if missing != "drop":
        findings.notes.append(f"Missing values, to be filled: column {where}.")
        return
    if incomplete == n:
        raise InputError(
            f"{name}: every row lacks a value and would be dropped. Missing per column: {where}. "
            "Fill them with --missing fill, or leave columns out with --drop."
        )
    findings.notes.append(
        f"{counted(incomplete, 'row')} of {n:,} dropped because a value is "
        f"missing: column {where}. To keep such rows, use --missing fill."
    )


def weights_of(raw: RawTable, name: str, reader: CellReader, labelled: NDArray[np.int64]) -> Floats:
    """Return the weights (N,); `InputError` names the line of a labelled row's that is none."""
    values = replace(reader, ways_out=weighing_ways_out).numbers(raw.column(name)).values
    bad = labelled[~(values[labelled] >= 0)]
    if bad.size:
        what = "is missing" if np.isnan(values[bad[0]]) else f"is negative ({values[bad[0]]})"
        raise InputError(
            f"{raw.place.at(int(bad[0]), name)}: the weight {what}. A weight of k stands for k "
            "copies of the row: give a number from 0 up."
        )
    return values


def _refuse_weightless(raw: RawTable, name: str, values: Floats, rows: NDArray[np.int64]) -> None:
    """Raise `InputError` where the weights of the kept rows are too large or all zero."""
    if values[rows].max() > LARGEST_WEIGHT:
        row = int(rows[values[rows].argmax()])
        raise InputError(
            f"{raw.place.at(row, name)}: the weight is too large ({values[row]:g}): sums of such "
            "weights overflow. Divide all weights by the same number."
        )
    if not values[rows].any():
        raise InputError(
            f"{raw.name}: the weight in column {shown(name)} is zero in every row, so nothing "
            "would be learned from."
        )


def _groups(
    raw: RawTable, name: str, reader: CellReader, labelled: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the group codes (N,); `InputError` names the line of a labelled row without one."""
    cells = trimmed(reader.text(raw.column(name)))
    distinct, codes = distinct_texts(cells)
    blank = distinct.index("") if "" in distinct else -1
    absent = labelled[codes[labelled] == blank]
    if absent.size:
        raise InputError(
            f"{raw.place.at(int(absent[0]), name)}: the group is missing. Rows of one group stay "
            "together in cross-validation: say which group the row is in, or drop the row."
        )
    return codes


def _notes(table: Table, roles: Roles, findings: Findings) -> tuple[str, ...]:
    """Return the sentences for the user."""
    categories = [c for c in table.columns if isinstance(c, CategoryColumn)]
    notes = [*findings.notes, *findings.warnings]
    if table.weight is not None:
        notes.append(
            f"Weights: column {shown(str(roles.weight))}, {table.weight.sum():,.6g} in all."
        )
    if table.group is not None:
        notes.append(
            f"Groups that stay together: column {shown(str(roles.group))}, "
            f"{np.unique(table.group).size:,} of them."
        )
    if categories:
        notes.append(describe_categories(categories))
    if roles.drop:
        notes.append(f"Left out: {listed(roles.drop)}.")
    return tuple(notes)
