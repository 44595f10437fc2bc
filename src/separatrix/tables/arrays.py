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
    describe_counts,
    is_label,
    read_arrays,
    read_pair,
    read_weight,
)
from separatrix.data.labels import distinct_labels
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
    sample, names = read_arrays(_rows_of(X), y, sample_weight), names_of(X, feature_names)
    weight = None if sample_weight is None else sample.weight
    codes = (sample.y > 0.0).astype(np.int64)
    table = _coded(X, sample.X, names, sample.classes, codes, weight).base
    if np.unique(table.y).size < 2:
        raise InputError("the rows without a missing value have one label only.")
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
    labels, codes = tuple(str(label) for label in classes), codes[rows]
    no, yes = labels if len(labels) == 2 else (f"not {labels[0]}", labels[0])
    table = Table(
        name="arrays", format=FRAME if is_frame(X) else ARRAYS, sha256="", columns=columns,
        label=label, no=no, yes=yes, y=np.where(codes == labels.index(yes), 1.0, -1.0),
        weight=None if weight is None else weight[rows], group=None, lines=rows, line_word="row",
        n_rows_in_file=n, n_dropped=n - rows.size, notes=notes, missing="drop", dialect=None,
        extra=extra, warnings=suspicions,
    )  # fmt: skip
    return _weighed(ClassTable(table, labels, codes))


def _weighed(of: ClassTable) -> ClassTable:
    """Return a table without rows of weight 0, as `Gathering` leaves them out of files."""
    weight = of.base.weight
    if weight is None or weight.all():
        return of
    kept = of.take(np.flatnonzero(weight))
    for label, count in zip(of.names, kept.counts, strict=True):
        if not count:
            raise InputError(
                f"every row of class {label!r} has weight 0: leave its rows out, or give some of "
                "them a weight."
            )
    note = f"Rows with weight 0 take no part: {weight.size - kept.codes.size:,}."
    return replace(kept, base=replace(kept.base, notes=(*kept.base.notes, note)))


def _columns(points: Points, names: Sequence[str]) -> tuple[Column, ...]:
    if not sp.issparse(points):
        return tuple(NumberColumn(name, points[:, j].copy()) for j, name in enumerate(names))
    X = points.tocsc()
    rows, parts = X.indices.astype(np.int64), itertools.pairwise(X.indptr)
    return tuple(
        SparseColumn(name, X.shape[0], rows[a:b], X.data[a:b])
        for name, (a, b) in zip(names, parts, strict=True)
    )
