"""What a model answers to rows, those of a data frame too: labels, scores, probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, SeparatrixWarning, shortened
from separatrix.model import table_of
from separatrix.tables import Column, Encoding, NewRows, take
from separatrix.tables.cells import NUMBER
from separatrix.tables.columns import refuse_other_choice
from separatrix.tables.frames import rows_of_frame
from separatrix.tables.wording import counted, listed

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
    rows = rows_of_frame(frame, table.encoding, table.extra, table.recipes)
    complete, _, X = answerable(rows, table.encoding, missing, unknown)
    columns: dict[str, Untyped] = {}
    for name, found in answers_of(model, X).items():
        values = np.full(rows.n_rows, *((None, object) if name == "answer" else (np.nan,)))
        values[complete] = found
        columns[name] = values.tolist() if name == "answer" else values
    if hasattr(frame, "iloc"):
        return type(frame)(columns, index=frame.index)
    return type(frame)(columns)
