"""`judge`: from a table, or arrays, to the verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike
from separatrix.data import (
    Floats,
    InputError,
    Labels,
    read_arrays,
    read_classes_of_arrays,
)
from separatrix.tables import ClassTable, Encoding, Table, fit_encoding
from separatrix.tables.frames import is_frame
from separatrix.verdict.arrays import names_of, table_of_arrays, table_of_frame
from separatrix.verdict.fewest import Effort, fewest_of
from separatrix.verdict.folds import class_folds_of, folds_of
from separatrix.verdict.multiclass import MulticlassVerdict, judge_classes
from separatrix.verdict.panel import PANEL, run, warm_up
from separatrix.verdict.question import Posed, Verdict

Progress = Callable[[str], None]


@overload
def judge(
    table_or_X: ArrayLike,
    y: ArrayLike = ...,
    *,
    sample_weight: ArrayLike = ...,
    feature_names: Sequence[str] | None = ...,
    degree: int = ...,
    fewest_seconds: float | None = ...,
    fewest_nodes: int | None = ...,
    multiclass: None = ...,
    progress: Progress | None = ...,
) -> Verdict: ...


@overload
def judge(
    table_or_X: ArrayLike,
    y: ArrayLike = ...,
    *,
    sample_weight: ArrayLike = ...,
    feature_names: Sequence[str] | None = ...,
    degree: int = ...,
    fewest_seconds: float | None = ...,
    fewest_nodes: int | None = ...,
    multiclass: Literal["ova", "ovo"],
    progress: Progress | None = ...,
) -> MulticlassVerdict: ...


@overload
def judge(
    table_or_X: ArrayLike,
    y: ArrayLike = ...,
    *,
    sample_weight: ArrayLike = ...,
    feature_names: Sequence[str] | None = ...,
    degree: int = ...,
    fewest_seconds: float | None = ...,
    fewest_nodes: int | None = ...,
    multiclass: str | None,
    progress: Progress | None = ...,
) -> Verdict | MulticlassVerdict: ...


def judge(
    table_or_X: Any,  # a Table, a ClassTable or any array
    y: Any = None,
    *,
    sample_weight: Any = None,
    feature_names: Sequence[str] | None = None,
    degree: int = 1,
    fewest_seconds: float | None = None,
    fewest_nodes: int | None = None,
    multiclass: str | None = None,
    progress: Progress | None = None,
) -> Verdict | MulticlassVerdict:
    """Return the verdict on a table (from `read_table`) or on arrays X (N, d), y (N,).

    Parameters
    ----------
    table_or_X : Table, ClassTable, array or data frame
    y : array (N,) or None
        Labels, when the first argument is an array.
    sample_weight : array (N,) or None
        For arrays; a table brings its own.
    feature_names : d names or None
        For arrays; a data frame brings its own, and so does a table.
    degree : int
        For tables: above 1, lines in all products of at most so many features (`Monomials`).
    fewest_seconds, fewest_nodes : float, int or None
        How long to look for the line with the fewest mistakes: in seconds, which make the answer
        depend on the machine, or in boxes of the branch and bound; neither: about a second, in
        boxes. Many questions share them.
    multiclass : None, "ova" or "ovo"
        For three labels or more (a table from `read_classes`): each against the rest, or each
        against each.
    progress : callable (sentence) or None
        Told what is being done.

    Raises
    ------
    InputError
        For data that cannot be used.
    """
    tell: Progress = progress or (lambda _: None)
    limits = (fewest_seconds, fewest_nodes)
    is_table = isinstance(table_or_X, Table | ClassTable)
    if degree != 1 and not is_table:
        raise InputError(
            "degree is for tables from read_table. For arrays, judge "
            f"PolynomialFeatures({degree}, include_bias=False).fit_transform(X), and put that "
            "transform before the model (sklearn.pipeline.make_pipeline)."
        )
    if multiclass is not None:
        return _judged_classes(
            table_or_X, y, sample_weight, feature_names, degree, multiclass, limits, tell
        )
    if isinstance(table_or_X, ClassTable):
        raise InputError(
            f'the table has {len(table_or_X.names)} labels: say multiclass="ova" (each against '
            'the rest) or "ovo" (each against each), or read it with read_table(yes=...).'
        )
    if isinstance(table_or_X, Table):
        table, classes = table_or_X, np.array([table_or_X.no, table_or_X.yes])
        return _judged(table, classes, True, degree, limits, tell)
    _refuse_no_labels(y)
    names = names_of(table_or_X, feature_names)
    if is_frame(table_or_X):
        table, classes = table_of_frame(table_or_X, names, y, sample_weight)
        return _judged(table, classes, True, degree, limits, tell)
    sample = read_arrays(table_or_X, y, sample_weight)
    no, yes = (str(label) for label in sample.classes)
    weight = None if sample_weight is None else sample.weight
    table = table_of_arrays(sample.X, names, sample.y, (no, yes), weight)
    return _judged(table, sample.classes, names is not None, degree, limits, tell)


def _judged(  # noqa: PLR0917  # one caller
    table: Table,
    classes: Labels,
    named: bool,
    degree: int,
    limits: tuple[Any, Any],
    tell: Progress,
) -> Verdict:
    started = time.perf_counter()
    table, weightless = without_weightless(table)
    encoding, X = encoded(table, degree)
    effort = Effort.of(*limits, *X.shape)
    tell("is it separable?")
    posed = Posed.of(table, encoding, X, classes, named)
    folds, fold_note = folds_of(table, degree)
    tell("preparing kernels")
    warm_up()
    results = []
    for contestant in PANEL:
        tell(contestant.name)
        results.append(run(contestant, X, table, folds, posed.separable))
    fewest = fewest_of(posed.sample, posed.proof, results, effort, tell)
    notes = (*table.notes, weightless, fold_note)
    return posed.answered(results, fewest, len(folds), notes, time.perf_counter() - started)


def _judged_classes(  # noqa: PLR0917  # one caller
    table_or_X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike,
    feature_names: Sequence[str] | None,
    degree: int,
    rule: str,
    limits: tuple[Any, Any],
    tell: Progress,
) -> MulticlassVerdict:
    if isinstance(table_or_X, Table):
        raise InputError(
            "the table was read as one yes / no question: leave multiclass out, or read it with "
            "read_classes."
        )
    if isinstance(table_or_X, ClassTable):
        data, classes, named = table_or_X, np.array(table_or_X.names), True
    else:
        _refuse_no_labels(y)
        names = names_of(table_or_X, feature_names)
        named = names is not None
        points, classes, codes, weight = read_classes_of_arrays(table_or_X, y, sample_weight)
        texts = tuple(str(label) for label in classes)
        signs = np.where(codes == 0, 1.0, -1.0)
        table = table_of_arrays(points, names, signs, (f"not {texts[0]}", texts[0]), weight)
        data = ClassTable(table, texts, codes)
    data, weightless = classes_without_weightless(data)
    encoding, X = encoded(data.base, degree)
    folds, fold_note = class_folds_of(data, degree)
    effort = Effort.of(*limits, *X.shape)
    notes = (*data.base.notes, weightless, fold_note)
    return judge_classes(rule, data, encoding, X, classes, named, folds, notes, effort, tell)


def encoded(table: Table, degree: int) -> tuple[Encoding, Floats]:
    """Return how columns become features, and these (N, d)."""
    encoding = fit_encoding(table.columns, table.missing, degree)
    X = encoding.encode(table.columns, table.lines, table.line_word)
    if X.shape[1] == 0:
        raise InputError("no column is left to learn from: each has one value only.")
    return encoding, X


def without_weightless(table: Table) -> tuple[Table, str]:
    """Return the table without rows of weight 0, which stand for no row, and a note on them."""
    rows, note = _weighty(table)
    if not note:
        return table, ""
    kept = table.take(rows)
    for sign, label in ((-1.0, table.no), (1.0, table.yes)):
        if not (kept.y == sign).any():
            raise InputError(
                f"every row of class {label!r} has weight 0: one class is left, and there is "
                "nothing to separate it from."
            )
    return kept, note


def classes_without_weightless(data: ClassTable) -> tuple[ClassTable, str]:
    """Return a table of several labels likewise."""
    rows, note = _weighty(data.base)
    if not note:
        return data, ""
    kept = data.take(rows)
    for k, count in enumerate(kept.counts):
        if not count:
            raise InputError(
                f"every row of class {data.names[k]!r} has weight 0: leave its rows out, or give "
                "some of them a weight."
            )
    return kept, note


def _weighty(table: Table) -> tuple[NDArray[np.int64], str]:
    """Return the rows with a weight, and a note on the others if there are any."""
    if table.weight is None or table.weight.all():
        return np.arange(table.y.size), ""
    rows = np.flatnonzero(table.weight)
    return rows, f"Rows with weight 0 take no part: {table.y.size - rows.size:,}."


def _refuse_no_labels(y: ArrayLike) -> None:
    if y is None:
        raise InputError("judge(X, y) needs the labels y, or a table from read_table.")
