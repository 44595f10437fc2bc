"""Answers for the rows of a table, by a model file."""

from __future__ import annotations

import csv
import io
import os
from typing import Any

from separatrix.data import InputError
from separatrix.model import load
from separatrix.tables import read_rows


def answers_csv(
    model_path: str | os.PathLike[str],
    table_path: str | os.PathLike[str],
    **options: Any,  # noqa: ANN401  # those of read_rows
) -> str:
    """Return a CSV with a row for every row of the table: where it stands, answer and score.

    Models that know probabilities add one. Scores are written so that they read back to the same
    doubles.

    Raises
    ------
    InputError
        When the model or the table cannot be used together.
    """
    model = load(model_path)
    table = model.table_
    if table is None:
        raise InputError(
            f"{str(model_path)!r} was learned from arrays, not from a table: it knows no columns. "
            "Use separatrix.load(path).predict(X) in Python."
        )
    rows = read_rows(table_path, table.encoding, known_extra=table.extra, **options)
    X = table.encoding.encode(rows.columns, rows.lines, rows.line_word)
    del model.feature_names_in_  # the encoding has matched the names already
    columns = [
        rows.lines.tolist(),
        model.predict(X).tolist(),
        map(repr, map(float, model.decision_function(X))),
    ]
    header = [rows.line_word, "answer", "score"]
    if hasattr(model, "predict_proba"):
        columns.append(map(repr, map(float, model.predict_proba(X)[:, 1])))
        header.append("probability_of_yes")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()
