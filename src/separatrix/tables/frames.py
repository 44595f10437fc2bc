"""Arrays and data frames become tables, frames as their CSV or Parquet files would."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._later import pa
from separatrix._types import ArrayLike, Untyped
from separatrix.data import (
    Floats,
    InputError,
    Labels,
    Points,
    SeparatrixWarning,
    describe_counts,
    is_label,
    read_arrays,
    read_pair,
    read_weight,
    shortened,
)
from separatrix.data.sample import distinct_labels
from separatrix.said import Said
from separatrix.tables.cells import is_number
from separatrix.tables.columns import Column, NumberColumn, SparseColumn, fit_encoding, take
from separatrix.tables.files.formats import ARRAYS, FRAME
from separatrix.tables.files.typed import raw_column
from separatrix.tables.gathering import Gathering
from separatrix.tables.labels import ask_first
from separatrix.tables.options import Reading, ReadingOptions, Roles, shows_options
from separatrix.tables.raw import RawColumn, RawTable
from separatrix.tables.read import ClassTable, Table, asking, complete, of_raw
from separatrix.tables.scan import refuse_duplicates
from separatrix.tables.wording import counted, shown

NAME = "the data frame"


def is_frame(X: ArrayLike) -> bool:
    return hasattr(X, "columns") and hasattr(X, "shape") and hasattr(X, "dtypes")


@shows_options
def read_frame(
    frame: Untyped, label: str, yes: str | None = None, **options: Unpack[ReadingOptions],
) -> Table:  # fmt: skip
    """Return a data frame of pandas or polars as the table that its file would be.

    Numbers stay numbers; text, booleans and categories become categories. Missing values are None,
    NaN, NaT, NA, and in text the words for them. Rows are counted from 0.

    Parameters
    ----------
    frame : data frame
    label, yes, drop, weight, ... : as in `read_table`; those about the form of a file do nothing

    Raises
    ------
    InputError
        As `read_table` does: for dates (but for ``parse=["dates"]``), infinities, numbers among
        text and so on, all at once.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [20, 35, 50], "sex": list("fmf"), "pays": list("nyy")})
    >>> table = read_frame(frame, "pays")
    >>> [column.name for column in table.columns], table.yes
    (['age', 'sex'], 'y')
    """
    reading = Reading(**options)
    raw = raw_of_frame(frame)
    return of_raw(raw, Gathering(raw, reading, label, _ways_out), asking(reading, yes))[0]


def read_classes_of_frame(frame: Untyped, label: str) -> ClassTable:
    raw = raw_of_frame(frame)
    return ClassTable.of(*of_raw(raw, Gathering(raw, Reading(), label, _ways_out), ask_first))


def raw_of_frame(frame: Untyped, names: Sequence[str] | None = None) -> RawTable:
    """Return the columns of a frame as a file of its values would have them."""
    if not is_frame(frame):
        raise InputError(f"a {type(frame).__name__} is no data frame of pandas or polars.")
    texts = tuple(str(name) for name in (frame.columns if names is None else names))
    refuse_duplicates(NAME, texts)
    n = int(frame.shape[0])
    if n == 0 or not texts:
        raise InputError(f"{NAME} has {counted(len(texts), 'column')} and {counted(n, 'row')}.")
    raws = tuple(_raw(frame, j, name) for j, name in enumerate(texts))
    return RawTable(NAME, FRAME, "", raws, np.arange(n), "row", None, ())


def columns_of_frame(
    X: Untyped, names: Sequence[str]
) -> tuple[tuple[Column, ...], NDArray[np.int64], tuple[str, ...], tuple[str, ...]]:
    """Return the columns of the rows that lack no value, those rows, notes, and warnings."""
    raw = raw_of_frame(X, names)
    roles = Roles(None, None, None, (), ())
    gathering = Gathering(raw, Reading(), None, _ways_out, roles=roles)
    part = gathering.add(replace(raw, name=""))  # of a frame that stands in the program
    gathering.find(lambda: iter([part]))
    columns, kept = complete(gathering, part)
    return columns, kept, gathering.notes(columns), tuple(gathering.findings.warnings)


def arrays_of(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike
) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
    """Return the features, labels and weights of a data frame or a `Table`; else what was given."""
    if isinstance(X, ClassTable):
        raise InputError(
            f"the table has {len(X.names)} labels, and this is about two: read it with "
            'read_table(path, label, yes=NAME), or ask judge(table, multiclass="ova").'
        )
    if not isinstance(X, Table):
        if isinstance(y, str):
            raise InputError(
                f"y={y!r} is one text and no array of labels. If it names a column of the data "
                f"frame, give read_frame(frame, {y!r}) in place of both."
            )
        return points_of(X), y, sample_weight
    if y is not None or sample_weight is not None:
        raise InputError("a Table brings its own labels and weights: leave y and weights out.")
    points: Points = fit_encoding(X.columns, X.missing).encode(X.columns, X.lines, X.line_word)
    return points, X.y, X.weight


def points_of(X: ArrayLike) -> ArrayLike:
    """Return a frame that has other columns than numbers as features; anything else as it is."""
    if not is_frame(X):
        return X
    raw = raw_of_frame(X)
    if all(is_number(c.cells) and not c.is_category for c in raw.columns):
        return X
    columns, kept, _, _ = columns_of_frame(X, raw.names)
    if kept.size < raw.lines.size:
        row = int(np.setdiff1d(raw.lines, kept)[0])
        raise InputError(
            f"row {row} of {NAME} lacks a value: drop such rows, or let judge(frame, y) or "
            "read_frame(frame, label, missing=...) deal with them."
        )
    points: Points = fit_encoding(columns, "drop").encode(columns, kept, "row")
    return points


def _raw(frame: Untyped, j: int, name: str) -> RawColumn:
    series = frame.iloc[:, j] if hasattr(frame, "iloc") else frame.to_series(j)
    try:
        if hasattr(series, "to_arrow"):
            cells = series.to_arrow()
        else:
            cells = pa.array(series, from_pandas=True)
        return raw_column(name, pa.chunked_array(cells if isinstance(cells, list) else [cells]))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"column {shown(name)} of the data frame has dtype {series.dtype}, whose values cannot "
            f"be read ({shortened(str(error))}). {_ways_out(name)}"
        ) from None


def _ways_out(name: str, kind: str = "") -> str:
    parse = {"date": '"dates"', "number-like": '"money", "percent", "thousands"'}.get(kind)
    read = f"Read it with read_frame(frame, label, parse=[{parse}]). " if parse else ""
    return (
        f"{read}Correct the column (None stands for a missing value), declare it to be categories "
        f"with .astype('category'), or leave column {shown(name)} out of X."
    )


def names_of(X: ArrayLike, feature_names: Sequence[str] | None) -> Sequence[str] | None:
    return getattr(X, "columns", None) if feature_names is None else feature_names


def table_of(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None,
    feature_names: Sequence[str] | None = None, yes: Untyped = None,
) -> tuple[Table, Labels, bool]:  # fmt: skip
    """Return arrays or a data frame as a table, the labels, no first, and whether it has names."""
    if yes is not None:
        is_yes, classes = is_label(y, yes)
        table, _, named = table_of(X, is_yes, sample_weight, feature_names)
        return replace(table, no=str(classes[0]), yes=str(classes[1])), classes, named
    sample, names = read_arrays(_rows_of(X), y, sample_weight), names_of(X, feature_names)
    weight = None if sample_weight is None else sample.weight
    codes = (sample.y > 0.0).astype(np.int64)
    table = _coded(X, sample.X, names, sample.classes, codes, weight).base
    return table, sample.classes, names is not None


def classes_of(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike, feature_names: Sequence[str] | None
) -> tuple[ClassTable, Labels, bool]:
    """As `table_of`, of three labels or more."""
    names = names_of(X, feature_names)
    points, target = read_pair(_rows_of(X), y)
    classes, codes, counts = distinct_labels(target)
    if classes.size == 2:
        pairs = zip(classes.tolist(), counts.tolist(), strict=True)
        raise InputError(
            f"y holds {describe_counts(pairs)}: that is one yes / no question. Leave multiclass "
            "out."
        )
    weight = None if sample_weight is None else read_weight(sample_weight, codes.size)
    return _coded(X, points, names, classes, codes, weight), classes, names is not None


def _rows_of(X: ArrayLike) -> ArrayLike:
    return np.zeros((int(X.shape[0]), 1)) if is_frame(X) else X


def _coded(  # noqa: PLR0917  # two callers
    X: ArrayLike, points: Points, names: Untyped, classes: Labels, codes: NDArray[np.int64],
    weight: Floats | None,
) -> ClassTable:  # fmt: skip
    """Return the rows of arrays or a data frame that lack no value and have a weight."""
    n, d = X.shape if is_frame(X) else points.shape
    texts = [f"x{j + 1}" for j in range(d)] if names is None else [str(c) for c in names]
    if len(texts) != d:
        raise InputError(f"feature_names has {len(texts)} names for {d} columns.")
    label, extra, suspicions = "y", tuple[str, ...](), tuple[str, ...]()
    if is_frame(X):
        columns, rows, notes, suspicions = columns_of_frame(X, texts)
        label = next(name for name in ("y", "label", "answer", "\0") if name not in texts)
        extra = (label,)
        for warning in suspicions:
            warnings.warn(warning, SeparatrixWarning, stacklevel=5)
    else:
        columns, rows, notes = _columns(points, texts), np.arange(n), ()
    n_dropped = n - rows.size
    if weight is not None and not weight[rows].all():  # as `Gathering` leaves them out of files
        there = np.flatnonzero(weight[rows])
        note = Said("Rows with weight 0 take no part: {n:,}.", n=rows.size - there.size)
        columns, rows, notes = take(columns, there), rows[there], (*notes, note)
    labels, codes = tuple(str(label) for label in classes), codes[rows]
    for k, count in enumerate(np.bincount(codes, minlength=len(labels))):
        if not count:
            raise InputError(
                f"every row of class {labels[k]!r} lacks a value or has weight 0: leave its rows "
                "out, or give some of them values and a weight."
            )
    no, yes = labels if len(labels) == 2 else (f"not {labels[0]}", labels[0])
    table = Table(
        name="arrays", format=FRAME if is_frame(X) else ARRAYS, sha256="", columns=columns,
        label=label, no=no, yes=yes, y=np.where(codes == labels.index(yes), 1.0, -1.0),
        weight=None if weight is None else weight[rows], group=None, lines=rows, line_word="row",
        n_rows_in_file=n, n_dropped=n_dropped, notes=notes, missing="drop", dialect=None,
        extra=extra, warnings=suspicions,
    )  # fmt: skip
    return ClassTable(table, labels, codes)


def _columns(points: Points, names: Sequence[str]) -> tuple[Column, ...]:
    if not sp.issparse(points):
        return tuple(NumberColumn(name, points[:, j].copy()) for j, name in enumerate(names))
    X = points.tocsc()
    rows, parts = X.indices.astype(np.int64), itertools.pairwise(X.indptr)
    return tuple(
        SparseColumn(name, X.shape[0], rows[a:b], X.data[a:b])
        for name, (a, b) in zip(names, parts, strict=True)
    )
