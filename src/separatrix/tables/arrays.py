"""Arrays and data frames as tables, so that there is one way in for whatever learns from them."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data import (
    Floats,
    InputError,
    Labels,
    Points,
    SeparatrixWarning,
    is_label,
    read_arrays,
    read_classes_of_arrays,
)
from separatrix.tables.columns import Column, NumberColumn, SparseColumn
from separatrix.tables.files.formats import ARRAYS, FRAME
from separatrix.tables.frames import columns_of_frame, is_frame
from separatrix.tables.table import ClassTable, Table


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
    names = names_of(X, feature_names)
    if is_frame(X):
        return *table_of_frame(X, names, y, sample_weight), True
    sample = read_arrays(X, y, sample_weight)
    no, yes = (str(label) for label in sample.classes)
    weight = None if sample_weight is None else sample.weight
    table = table_of_arrays(sample.X, names, sample.y, (no, yes), weight)
    return table, sample.classes, names is not None


def table_of_frame(
    X: ArrayLike, names: Untyped, y: ArrayLike, sample_weight: ArrayLike,
) -> tuple[Table, Labels]:  # fmt: skip
    """Return a data frame as the table that its file would be, and the labels, no first."""
    labels = read_arrays(np.zeros((int(X.shape[0]), 1)), y, sample_weight)
    texts = tuple(str(label) for label in labels.classes)
    weight = None if sample_weight is None else labels.weight
    table, _ = _asked_of_frame(X, names, labels.y, (texts[0], texts[1]), weight)
    if np.unique(table.y).size < 2:
        raise InputError("the rows without a missing value have one label only.")
    return table, labels.classes


def classes_of_frame(
    X: ArrayLike, names: Untyped, y: ArrayLike, sample_weight: ArrayLike
) -> tuple[ClassTable, Labels]:
    """Return a data frame of three labels or more as a table, and the labels."""
    nothing = np.zeros((int(X.shape[0]), 1))
    _, classes, codes, weight = read_classes_of_arrays(nothing, y, sample_weight)
    texts = tuple(str(label) for label in classes)
    signs = np.where(codes == 0, 1.0, -1.0)
    table, rows = _asked_of_frame(X, names, signs, (f"not {texts[0]}", texts[0]), weight)
    return ClassTable(table, texts, codes[rows]), classes


def _asked_of_frame(
    X: ArrayLike, names: Untyped, y: Floats, said: tuple[str, str], weight: Floats | None
) -> tuple[Table, NDArray[np.int64]]:
    texts = [str(name) for name in names]
    if len(texts) != X.shape[1]:
        raise InputError(f"feature_names has {len(texts)} names for {X.shape[1]} columns.")
    columns, rows, notes, suspicions = columns_of_frame(X, texts)
    for warning in suspicions:
        warnings.warn(warning, SeparatrixWarning, stacklevel=5)
    weight = None if weight is None else weight[rows]
    table = table_of_arrays(np.empty((rows.size, 0)), (), y[rows], said, weight)
    label = next(name for name in ("y", "label", "answer", "\0") if name not in texts)
    return replace(
        table, format=FRAME, columns=columns, label=label, extra=(label,), lines=rows,
        n_rows_in_file=int(X.shape[0]), n_dropped=int(X.shape[0]) - rows.size, notes=notes,
        warnings=suspicions,
    ), rows  # fmt: skip


def table_of_arrays(
    points: Points, names: Sequence[str] | None, y: Floats, labels: tuple[str, str],
    weight: Floats | None,
) -> Table:  # fmt: skip
    n, d = points.shape
    texts = [f"x{j + 1}" for j in range(d)] if names is None else [str(c) for c in names]
    if len(texts) != d:
        raise InputError(f"feature_names has {len(texts)} names for {d} columns.")
    return Table(
        name="arrays", format=ARRAYS, sha256="", columns=_columns(points, texts), label="y",
        no=labels[0], yes=labels[1], y=y, weight=weight, group=None, lines=np.arange(n),
        line_word="row", n_rows_in_file=n, n_dropped=0, notes=(), missing="drop", dialect=None,
        extra=(),
    )  # fmt: skip


def _columns(points: Points, names: Sequence[str]) -> tuple[Column, ...]:
    if not sp.issparse(points):
        return tuple(NumberColumn(name, points[:, j].copy()) for j, name in enumerate(names))
    X = points.tocsc()
    rows, parts = X.indices.astype(np.int64), itertools.pairwise(X.indptr)
    return tuple(
        SparseColumn(name, X.shape[0], rows[a:b], X.data[a:b])
        for name, (a, b) in zip(names, parts, strict=True)
    )
