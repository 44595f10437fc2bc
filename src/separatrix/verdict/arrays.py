"""Arrays and data frames as tables, so that there is one way through the verdict."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike, Untyped
from separatrix.data import (
    Floats,
    InputError,
    Labels,
    Points,
    SeparatrixWarning,
    read_arrays,
)
from separatrix.tables import CategoryColumn, Column, NumberColumn, SparseColumn, Table
from separatrix.tables.cells import describe_categories
from separatrix.tables.frames import read_frame
from separatrix.verdict.verdict import ARRAYS


def names_of(X: ArrayLike, feature_names: Sequence[str] | None) -> Sequence[str] | None:
    """Return the names given, else those of a data frame, else None."""
    return getattr(X, "columns", None) if feature_names is None else feature_names


def table_of_frame(
    X: ArrayLike,
    names: Untyped,
    y: ArrayLike,
    sample_weight: ArrayLike,
) -> tuple[Table, Labels]:
    """Return a data frame as the table that its file would be, and the labels, no first."""
    texts = [str(name) for name in names]
    if len(texts) != X.shape[1]:
        raise InputError(f"feature_names has {len(texts)} names for {X.shape[1]} columns.")
    columns, rows, notes, suspicions = read_frame(X, texts)
    labels = read_arrays(np.zeros((int(X.shape[0]), 1)), y, sample_weight)
    for warning in suspicions:
        warnings.warn(warning, SeparatrixWarning, stacklevel=3)
    weight = None if sample_weight is None else labels.weight[rows]
    no, yes = (str(label) for label in labels.classes)
    table = table_of_arrays(np.empty((rows.size, 0)), (), labels.y[rows], (no, yes), weight)
    if np.unique(table.y).size < 2:
        raise InputError("the rows without a missing value have one label only.")
    categories = [c for c in columns if isinstance(c, CategoryColumn)]
    about = [*notes, *suspicions, *([describe_categories(categories)] if categories else [])]
    return replace(
        table,
        columns=columns,
        lines=rows,
        n_rows_in_file=int(X.shape[0]),
        n_dropped=int(X.shape[0]) - rows.size,
        notes=tuple(about),
    ), labels.classes


def table_of_arrays(
    points: Points,
    names: Sequence[str] | None,
    y: Floats,
    labels: tuple[str, str],
    weight: Floats | None,
) -> Table:
    """Return arrays as a table, so that there is one way through the verdict."""
    n, d = points.shape
    texts = [f"x{j + 1}" for j in range(d)] if names is None else [str(c) for c in names]
    if len(texts) != d:
        raise InputError(f"feature_names has {len(texts)} names for {d} columns.")
    return Table(
        name="arrays",
        format=ARRAYS,
        sha256="",
        columns=_columns(points, texts),
        label="y",
        no=labels[0],
        yes=labels[1],
        y=y,
        weight=weight,
        group=None,
        lines=np.arange(n),
        line_word="row",
        n_rows_in_file=n,
        n_dropped=0,
        notes=(),
        missing="drop",
        dialect=None,
        extra=(),
    )


def _columns(points: Points, names: Sequence[str]) -> tuple[Column, ...]:
    """Return points (N, d) column by column."""
    if not sp.issparse(points):
        return tuple(NumberColumn(name, points[:, j].copy()) for j, name in enumerate(names))
    X = points.tocsc()
    rows, parts = X.indices.astype(np.int64), itertools.pairwise(X.indptr)
    return tuple(
        SparseColumn(name, X.shape[0], rows[a:b], X.data[a:b])
        for name, (a, b) in zip(names, parts, strict=True)
    )
