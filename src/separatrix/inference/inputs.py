"""What a coefficient table is asked about: checked rows, and what their columns are called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike
from separatrix.data import (
    InputError,
    Points,
    Sample,
    read_arrays,
    read_numbers,
    read_weight,
)
from separatrix.scale import Rows
from separatrix.tables import (
    CategoryEncoding,
    ClassTable,
    Encoding,
    Table,
    fit_encoding,
    read_frame,
)
from separatrix.tables.files.formats import FRAME
from separatrix.tables.frames import columns_of_frame, is_frame, names_of, table_of
from separatrix.tables.wording import nearest, shown

INTERCEPT = "(Intercept)"


@dataclass(frozen=True)
class Asked:
    """What the columns of N rows are called, and which rows these are."""

    names: tuple[str, ...]  # of the d columns
    kept: NDArray[np.int64]  # (N,) which of the rows given; () where they are read in blocks
    n_given: int  # how many rows were given
    terms: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # {column: its features}
    source: str = ""  # the table's name without its ending, "" for arrays
    reference: Mapping[str, str] = field(default_factory=dict)
    n_dropped: int = 0  # rows of a table, for want of a value
    question: str = ""  # what yes means: "default = yes"

    def columns(self, names: str | Sequence[str]) -> tuple[int, ...]:
        """Return the indices in (1+d,) of columns, of every level where one is a category."""
        found: list[int] = []
        if not isinstance(names, Iterable):
            raise InputError(f"test holds {names!r}: give the names of columns.")
        wanted = [names] if isinstance(names, str) else list(names)
        for name in wanted:
            if name in self.terms:
                found += self.terms[name]
            elif name == INTERCEPT:
                found.append(0)
            elif name in self.names:
                found.append(self.names.index(name) + 1)
            else:
                known = list(dict.fromkeys([*self.terms, *self.names]))
                raise InputError(f"no column is called {shown(name)}. {nearest(name, known)}")
        if not found:
            raise InputError(f"{', '.join(map(shown, wanted))}: nothing of it can be tested.")
        return tuple(dict.fromkeys(found))

    def of_kept(self, groups: ArrayLike) -> NDArray[np.int64] | None:
        """Return the codes of groups of rows, without the rows that were left out."""
        if groups is None:
            return None
        array = np.asarray(groups)
        if array.shape == (self.n_given,):
            array = array[self.kept]
        if array.shape != (self.kept.size,):
            raise InputError(
                f"groups must be one value per row, shape ({self.n_given},); it has shape "
                f"{array.shape}."
            )
        missing = np.flatnonzero(array != array)  # noqa: PLR0124  # NaN alone
        if missing.size:
            raise InputError(
                f"groups holds {array[missing[0]]} in row {missing[0]} of the rows kept: drop the "
                "row, or give it a value."
            )
        return np.unique(array, return_inverse=True)[1].astype(np.int64)


def read_question(  # noqa: PLR0917  # one caller
    table_or_X: ArrayLike,
    y: ArrayLike,
    label: str | None,
    sample_weight: ArrayLike,
    feature_names: Sequence[str] | None,
    degree: int,
    reference: Mapping[str, str],
) -> tuple[Asked, Sample]:
    """Return what a yes / no question is about, and its sample."""
    if label is not None:
        if y is not None or not is_frame(table_or_X):
            raise InputError("label names the column of a data frame that holds y: give one.")
        table_or_X = read_frame(table_or_X, label)
    if isinstance(table_or_X, ClassTable):
        raise InputError(
            "a coefficient table answers one yes / no question: read the table with "
            "read_table(yes=...)."
        )
    if not isinstance(table_or_X, Table):
        if reference and not is_frame(table_or_X):
            raise InputError("reference names levels of categories: give a table or a data frame.")
        if y is None:
            raise InputError(
                "coefficient_table(X, y) needs the labels y, or a table from read_table (a data "
                "frame: label=...)."
            )
        if not is_frame(table_or_X):
            sample = read_arrays(table_or_X, y, sample_weight)
            asked = _asked(sample.X, names_of(table_or_X, feature_names))
            return replace(asked, question=f"y = {sample.classes[1]}"), sample
        table_or_X = table_of(table_or_X, y, sample_weight, feature_names)[0]
    table: Table = table_or_X
    encoding = fit_encoding(table.columns, table.missing, degree, reference)
    X = encoding.encode(table.columns, table.lines, table.line_word)
    weight = np.ones(table.y.size) if table.weight is None else table.weight
    sample = Sample(X, table.y, np.array([table.no, table.yes]), weight)
    return asked_of(table, encoding), sample


def _asked(X: Points, names: Sequence[str] | None) -> Asked:
    n, d = X.shape
    texts = tuple(f"x{j + 1}" for j in range(d)) if names is None else tuple(map(str, names))
    if len(texts) != d:
        raise InputError(f"feature_names has {len(texts)} names for {d} columns.")
    return Asked(texts, np.arange(n), n)


def asked_of(table: Table, encoding: Encoding) -> Asked:
    of_frame = table.format == FRAME
    return Asked(
        encoding.feature_names,
        table.lines if of_frame else np.arange(table.y.size),
        table.n_rows_in_file if of_frame else table.y.size,
        _terms(encoding),
        os.path.splitext(table.name)[0] if table.sha256 else "",
        _levels(encoding),
        table.n_dropped,
        f"{table.label} = {table.yes}",
    )


def asked_in_blocks(table: Rows) -> Asked:
    """Return what a table in blocks, which is not read, is asked about."""
    if table.classes is None:
        raise InputError(f"{table.source.described}: y holds numbers, and labels are asked for.")
    about, none = table.source.about, np.arange(0)
    if about is None:
        return Asked(table.names, none, table.n, question=f"y = {table.classes[1]}")
    encoding, source = about.encoding, os.path.splitext(about.name)[0] if about.paths else ""
    if about.paths[1:]:
        source = f"{len(about.paths):,} files ({about.name})"
    return Asked(
        encoding.feature_names, none, table.n, _terms(encoding), source, _levels(encoding),
        about.n_dropped, f"{about.label} = {about.yes}",
    )  # fmt: skip


def _levels(encoding: Encoding) -> dict[str, str]:
    """Return the level of each category that its other levels are compared with."""
    return {
        column.name: column.levels[0]
        for column in encoding.columns
        if isinstance(column, CategoryEncoding) and column.width
    }


def _terms(encoding: Encoding) -> dict[str, tuple[int, ...]]:
    """Return which features each column became; products of columns are features only."""
    if encoding.monomials is not None:
        return {}
    terms, first = {}, 1
    for column in encoding.columns:
        terms[column.name] = tuple(range(first, first + column.width))
        first += column.width
    return terms


def read_numeric(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike, feature_names: Sequence[str] | None
) -> tuple[Asked, Sample]:
    """Return what a linear regression of numbers y (N,) is about, and its sample."""
    if isinstance(X, Table | ClassTable) or y is None:
        raise InputError(
            "least squares needs numbers y beside X: coefficient_table(X, y, "
            'method="least squares").'
        )
    names, of_frame = names_of(X, feature_names), is_frame(X)
    points, target = read_numbers(np.zeros((int(X.shape[0]), 1)) if of_frame else X, y)
    weight = read_weight(sample_weight, target.size)
    if not of_frame:
        return _asked(points, names), Sample(points, target, target, weight)
    assert names is not None  # noqa: S101  # a frame has them
    columns, kept, _, _ = columns_of_frame(X, [str(name) for name in names])
    encoding = fit_encoding(columns, "drop")
    asked = Asked(encoding.feature_names, kept, target.size, _terms(encoding))
    points = encoding.encode(columns, kept, "row")
    return asked, Sample(points, target[kept], target[kept], weight[kept])
