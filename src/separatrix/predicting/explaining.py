"""A score as the sum of its parts: what each column of a row adds to it, biggest first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, dense
from separatrix.model import Lines, lines_of
from separatrix.tables import CategoryColumn, Column
from separatrix.tables.wording import shown

INTERCEPT = "intercept"
BLANK = "missing"

Texts = NDArray[np.object_]  # (N,) of str


def explainable(model: Untyped) -> Lines:
    """Return the lines of a model whose score has parts; `InputError` for one that has none."""
    lines = lines_of(model)
    if lines.pairs:
        raise InputError(
            f"--explain shows the parts of one score, and this model answers by the votes of "
            f"{len(lines.weights)} lines (OneVsOneClassifier). Learn with --multiclass ova: then "
            "the greatest score answers."
        )
    return lines


def explained(
    lines: Lines, columns: Sequence[Column], X: Points, answers: NDArray[np.int64]
) -> dict[str, list[str]]:
    """Return output columns: what every row starts from, then its parts, biggest first."""
    which = np.zeros(X.shape[0], dtype=np.int64) if lines.two else answers
    parts, words = _parts(lines, columns, X, which)
    order = np.argsort(-np.abs(parts), axis=1, kind="stable")
    out = {INTERCEPT: [repr(float(w)) for w in lines.weights[which, 0]]}
    added = [_texts(part, " -> {:+}".format) for part in parts.T]
    cells = np.column_stack([said + more for said, more in zip(words, added, strict=True)])
    ordered = np.take_along_axis(cells, order, axis=1)
    return out | {f"part_{k}": column.tolist() for k, column in enumerate(ordered.T, 1)}


def _parts(
    lines: Lines, columns: Sequence[Column], X: Points, which: NDArray[np.int64]
) -> tuple[Floats, list[Texts]]:
    """Return what every column adds (N, columns), and in words what stands in it."""
    encoding = lines.encoding
    if encoding.monomials is not None:
        X = dense(X, "products of columns")
        names = encoding.feature_names
        words = [_values(name, values) for name, values in zip(names, X.T, strict=True)]
        return X * lines.weights[which, 1:], words
    ends = np.cumsum([0, *(column.width for column in encoding.columns)])
    words = [
        _described(column, how.fill) for column, how in zip(columns, encoding.columns, strict=True)
    ]
    return _added(X, lines.weights[:, 1:], which, ends), words


def _added(X: Points, weights: Floats, which: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
    """Return what the features of every column add to the score of each row (N, columns)."""
    if not sp.issparse(X):
        added = X * weights[which]
        return np.column_stack([added[:, a:b].sum(axis=1) for a, b in itertools.pairwise(ends)])
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    parts = np.zeros((X.shape[0], ends.size - 1))
    columns = np.searchsorted(ends, X.indices, side="right") - 1
    parts[rows, columns] = X.data * weights[which[rows], X.indices]
    return parts


def _described(column: Column, fill: float | str | None) -> Texts:
    """Return "'age': 44" for each row, or what a missing value was taken for."""
    name = shown(column.name)
    if isinstance(column, CategoryColumn):
        filled = f"{name}: {BLANK}, taken as {shown(str(fill))}"
        cells = [*(f"{name}: {shown(level)}" for level in column.levels), filled]
        return np.array(cells, dtype=object)[column.codes]  # a missing one has the code -1
    texts = _values(column.name, column.values)
    texts[column.missing] = f"{name}: {BLANK}, taken as {_number(float(fill or 0.0))}"
    return texts


def _values(name: str, values: Floats) -> Texts:
    """Return "'age': 44" for each value."""
    name = shown(name)
    return _texts(values, lambda value: f"{name}: {_number(value)}")


def _texts(values: Floats, written: Callable[[float], str]) -> Texts:
    """Return numbers (N,) as text; each distinct one, by its bits, is written once."""
    bits, places = np.unique(np.ascontiguousarray(values).view(np.int64), return_inverse=True)
    return np.array([written(v) for v in bits.view(np.float64).tolist()], dtype=object)[places]


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
