"""Answers for a data frame, as a data frame of the same library."""

from __future__ import annotations

import numpy as np

from separatrix._types import Untyped
from separatrix.data import InputError
from separatrix.model import table_of
from separatrix.predicting.answers import MISSING_CHOICES, answerable, answers_of
from separatrix.tables import take
from separatrix.tables.columns import refuse_other_choice
from separatrix.tables.frames import rows_of_frame


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
    complete = answerable(rows, table.encoding, missing, unknown)
    X = table.encoding.encode(take(rows.columns, complete), rows.lines[complete], rows.line_word)
    columns: dict[str, Untyped] = {}
    for name, found in answers_of(model, X).items():
        values = np.full(rows.n_rows, *((None, object) if name == "answer" else (np.nan,)))
        values[complete] = found
        columns[name] = values.tolist() if name == "answer" else values
    if hasattr(frame, "iloc"):
        return type(frame)(columns, index=frame.index)
    return type(frame)(columns)
