"""A table to learn from in memory: one chunk, of which every row that is complete is kept."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from separatrix.data import SeparatrixWarning
from separatrix.tables.columns import Column, take
from separatrix.tables.files.formats import read_raw
from separatrix.tables.files.source import Source, read_source
from separatrix.tables.gathering import Gathering, Part
from separatrix.tables.labels import LabelColumn, Question, ask
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawTable
from separatrix.tables.recipes import Recipe
from separatrix.tables.table import Table
from separatrix.tables.wording import Place

FilePath = str | os.PathLike[str] | Source  # a source: bytes that were read before


def asking(reading: Reading, yes: str | None) -> Callable[[LabelColumn], Question]:
    """Return what asks labels whether they are `yes`; None takes the second of two."""
    asked = reading.as_label(yes)
    return lambda labels: ask(labels, asked)


def read_labelled(
    reading: Reading, path: FilePath, label: str | None,
    question: Callable[[LabelColumn], Question], recipes: Sequence[Recipe] | None = None,
) -> tuple[Table, LabelColumn]:  # fmt: skip
    """Return the table with the question asked of its labels, and the labels of its rows."""
    raw = read_raw(read_source(path), reading)
    return of_raw(raw, Gathering(reading, label, given=recipes), question)


def of_raw(
    raw: RawTable, gathering: Gathering, question: Callable[[LabelColumn], Question]
) -> tuple[Table, LabelColumn]:
    """As `read_labelled`, of columns that were read before."""
    part = gathering.add(raw)
    gathering.find(lambda: iter([part]), question)
    roles, reading = gathering.roles, gathering.reading
    columns, kept = complete(gathering, part)
    weight = None if part.weight is None else part.weight[kept]
    group = None if part.group is None else part.group[kept]
    if weight is not None:
        row = int(weight.argmax())
        place = Place(raw.name, raw.line_word, raw.lines[kept][row : row + 1])
        gathering.refuse_weights(float(weight[row]), place)
    labels = gathering.labels_of(part, kept)
    asked = question(labels)
    for warning in gathering.findings.warnings:
        warnings.warn(warning, SeparatrixWarning, stacklevel=4)
    total = None if weight is None else float(weight.sum())
    notes = gathering.notes(columns, total, None if group is None else np.unique(group).size)
    return Table(
        name=raw.name, format=raw.format, sha256=raw.sha256, columns=columns,
        label=str(roles.label), no=asked.no, yes=asked.yes, y=asked.y, weight=weight, group=group,
        lines=raw.lines[kept], line_word=raw.line_word, n_rows_in_file=raw.lines.size,
        n_dropped=gathering.n_labelled - kept.size, notes=notes, missing=reading.missing,
        dialect=raw.dialect, extra=roles.extra, recipes=gathering.recipes,
    ), labels  # fmt: skip


def complete(gathering: Gathering, part: Part) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Return the columns of the labelled rows that are kept, and these; note what is dropped."""
    rows = gathering.labelled(part)
    columns = gathering.columns(part, rows)
    incomplete = np.zeros(rows.size, dtype=np.bool_)
    lacking: dict[str, int] = {}
    for column in columns:
        absent = column.missing
        lacking[column.name] = int(absent.sum())
        incomplete |= absent
    gathering.note_missing(lacking, int(incomplete.sum()))
    drop = gathering.reading.missing == "drop" and incomplete.any()
    places = np.flatnonzero(~incomplete) if drop else np.arange(rows.size)
    return take(columns, places), rows[places]
