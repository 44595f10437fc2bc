"""A score as the sum of its parts: what each column of a row adds to it, biggest first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.model import Lines, lines_of
from separatrix.tables import CategoryColumn, Column
from separatrix.tables.wording import shown

INTERCEPT = "intercept"
BLANK = "missing"


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
    lines: Lines, columns: Sequence[Column], X: Floats, answers: NDArray[np.int64]
) -> dict[str, list[str]]:
    """Return output columns: what every row starts from, then its parts, biggest first.

    A part reads "'age': 44 -> +1.25": column, value, what it adds to the score. Of a model with
    products of columns the parts are these products. Of many labels it is the score of the answer
    that is explained.

    Parameters
    ----------
    columns : those of the rows, as read, none of them lacking a value that is not filled
    X : (N, d) their features
    answers : int64 array (N,)
        Positions of the answers among the labels.
    """
    which = np.zeros(len(X), dtype=np.int64) if lines.two else answers
    weights = lines.weights[which]
    parts, words = _parts(lines, columns, X, weights[:, 1:])
    order = np.argsort(-np.abs(parts), axis=1, kind="stable")
    out = {INTERCEPT: [repr(float(w)) for w in weights[:, 0]]}
    for k in range(parts.shape[1]):
        out[f"part_{k + 1}"] = [
            f"{words[j][n]} -> {float(parts[n, j]):+}" for n, j in enumerate(order[:, k].tolist())
        ]
    return out


def _parts(
    lines: Lines, columns: Sequence[Column], X: Floats, weights: Floats
) -> tuple[Floats, list[list[str]]]:
    """Return what every column adds (N, columns), and in words what stands in it."""
    encoding = lines.encoding
    added = X * weights
    if encoding.monomials is not None:
        names = encoding.feature_names
        words = [
            [f"{shown(name)}: {_number(v)}" for v in values.tolist()]
            for name, values in zip(names, X.T, strict=True)
        ]
        return added, words
    sizes = [len(column.feature_names) for column in encoding.columns]
    ends = np.cumsum([0, *sizes])
    # at most one feature of a column is not 0: nothing is rounded by adding them up
    parts = [added[:, a:b].sum(axis=1) for a, b in itertools.pairwise(ends)]
    words = [
        list(_described(column, how.fill))
        for column, how in zip(columns, encoding.columns, strict=True)
    ]
    return np.column_stack(parts), words


def _described(column: Column, fill: float | str | None) -> Iterator[str]:
    """Yield "'age': 44", or what a missing value was taken for."""
    name = shown(column.name)
    if isinstance(column, CategoryColumn):
        filled = f"{name}: {BLANK}, taken as {shown(str(fill))}"
        cells = [f"{name}: {shown(level)}" for level in column.levels]
        yield from (filled if code < 0 else cells[code] for code in column.codes.tolist())
        return
    for value, absent in zip(column.values.tolist(), column.missing.tolist(), strict=True):
        if absent:
            yield f"{name}: {BLANK}, taken as {_number(float(fill or 0.0))}"
        else:
            yield f"{name}: {_number(value)}"


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
