"""What a model answers to rows, those of a data frame too: labels, scores, probabilities."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, SeparatrixWarning, dense, shortened
from separatrix.model import Lines, lines_of, table_of
from separatrix.tables import CategoryColumn, Column, Encoding, NewRows, take
from separatrix.tables.cells import NUMBER
from separatrix.tables.columns import refuse_other_choice
from separatrix.tables.frames import raw_of_frame
from separatrix.tables.read import rows_of_raw
from separatrix.tables.wording import counted, listed, shown

MISSING_CHOICES = ("refuse", "blank")
Answers = dict[str, list[str] | Floats]  # output columns by their names
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")  # how cells begin that spreadsheets run


def answerable(
    rows: NewRows, encoding: Encoding, missing: str, unknown: str
) -> tuple[NDArray[np.int64], tuple[Column, ...], Points]:
    """Return the rows that can be answered, encoded; `InputError` for others not left blank."""
    complete = encoding.complete(rows.columns)
    if missing == "refuse" and complete.size < rows.n_rows:
        absences = encoding.lacking(rows.columns).items()
        lacking = {shortened(repr(n), 40): absent for n, absent in absences if absent.any()}
        name, absent = next(iter(lacking.items()))
        counts = ", ".join(f"{n} ({int(k.sum()):,})" for n, k in lacking.items())
        raise InputError(
            f"{rows.name}, {rows.line_word} {rows.lines[int(np.argmax(absent))]}, column {name}: "
            "the value is missing, and this model was trained without filling. Missing in "
            f"{counted(rows.n_rows - complete.size, 'row')}: {shortened(counts, 300)}. Use "
            "--missing blank to leave those answers empty, or train with --missing fill."
        )
    if unknown == "blank":
        for never in encoding.unseen(rows.columns).values():
            complete = complete[~never[complete]]
    columns = take(rows.columns, complete)
    return complete, columns, encoding.encode(columns, rows.lines[complete], rows.line_word)


def answers_of(model: Untyped, X: Points) -> dict[str, Untyped]:
    """Return the output columns for encoded rows X (N, d): labels as text, and numbers."""
    for named in (model, *getattr(model, "estimators_", ())):
        vars(named).pop("feature_names_in_", None)  # the encoding has matched the names already
    classes = [str(label) for label in model.classes_]
    two = len(classes) == 2
    scores = ["score"] if two else [f"score_of_{label}" for label in classes]
    chances = [f"probability_of_{label}" for label in (["yes"] if two else classes)]
    if X.shape[0] == 0:
        return {"answer": [], **dict.fromkeys(scores, np.zeros(0))}
    answers: dict[str, Untyped] = {"answer": [str(a) for a in model.predict(X)]}
    answers |= _by_column(scores, model.decision_function(X))
    if hasattr(model, "predict_proba"):
        chance = model.predict_proba(X)
        if getattr(model, "direction_", None) is not None:
            warnings.warn(
                "logistic regression has no finite optimum on the table that this model was "
                "learned from: its probabilities of 0 and 1 are limits there, and no certainties "
                "for new rows. The answers stand.",
                SeparatrixWarning,
                stacklevel=3,
            )
        answers |= _by_column(chances, chance[:, 1] if two else chance)
    return answers


def _by_column(names: Sequence[str], values: Floats) -> dict[str, Floats]:
    """Return the columns of values, (N,) or (N, columns)."""
    return dict(zip(names, values.reshape(len(values), len(names)).T, strict=True))


def as_text(labels: Sequence[str]) -> list[str]:
    """Return labels such that no spreadsheet runs one: a quote mark before those that it would."""
    bare = {label: label.lstrip("'") for label in set(labels)}  # a number is no formula
    run = [k for k, v in bare.items() if v.startswith(FORMULAS) and not NUMBER.fullmatch(v)]
    quoted = {label: f"'{label}" for label in run}
    if quoted:
        warnings.warn(
            f"a spreadsheet would run {counted(len(quoted), 'label')} as a formula "
            f"({listed(sorted(quoted), 3)}): a quote mark (') is written before such an answer.",
            SeparatrixWarning,
            stacklevel=3,
        )
    return [quoted.get(label, label) for label in labels]


def predict_frame(
    model: Untyped, frame: Untyped, *, missing: str = "refuse", unknown: str = "refuse"
) -> Untyped:
    """Return the answers of a model of a table for every row of a data frame.

    Columns are found by name; others are not looked at.

    Parameters
    ----------
    model : learned from a table or a data frame (``judge(...)`` or its model, or from `load`)
    frame : data frame of pandas or polars
    missing : "refuse" or "blank"
        Rows that lack a value which the model cannot fill get no answer, or are refused.
    unknown : "refuse" or "blank"
        Likewise rows with a category that the model never saw.

    Returns
    -------
    data frame of the same library (and index): answer, score, and probability where the model knows
    one; of many labels a score for each.

    Raises
    ------
    InputError
        When the model knows no columns, or the frame has others.
    """
    refuse_other_choice("missing", missing, MISSING_CHOICES)
    refuse_other_choice("unknown", unknown, MISSING_CHOICES)
    model = getattr(model, "model", model)  # a verdict's
    table = table_of(model)
    if table is None:
        raise InputError(
            "this model was learned from arrays: it knows no columns. Use model.predict(X)."
        )
    rows = rows_of_raw(
        raw_of_frame(frame), table.encoding, table.extra, table.recipes, match_names=True
    )
    complete, _, X = answerable(rows, table.encoding, missing, unknown)
    columns: dict[str, Untyped] = {}
    for name, found in answers_of(model, X).items():
        values = np.full(rows.n_rows, *((None, object) if name == "answer" else (np.nan,)))
        values[complete] = found
        columns[name] = values.tolist() if name == "answer" else values
    if hasattr(frame, "iloc"):
        return type(frame)(columns, index=frame.index)
    return type(frame)(columns)


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
