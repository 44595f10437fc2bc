"""Rows and their answers: the mistakes, and the right answers nearest to the line."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.report.page.names import Names, points
from separatrix.report.page.rows import Part, RowsOf, value_text
from separatrix.verdict import Verdict

MOST_WRONG, MOST_RIGHT = 60, 30
MOST_PARTS = 5
LONGEST_VALUE = 16


def answers(verdict: Verdict, rows: RowsOf, names: Names) -> dict[str, Any]:
    """Return rows to look through, and the columns to show of them."""
    parts = rows.strongest[:MOST_PARTS]
    wrong = rows.y * rows.scores <= 0.0
    far = np.abs(rows.scores)
    order = np.argsort(far, kind="stable")
    mistakes, others = order[wrong[order]][::-1], order[~wrong[order]]
    shown = [*mistakes[:MOST_WRONG].tolist(), *others[:MOST_RIGHT].tolist()]
    return {
        "columns": [names.of(part.name, 24) for part in parts],
        "rows": [_answer(verdict, rows, parts, row, bool(wrong[row]), names) for row in shown],
        "n_wrong": int(wrong.sum()),
        "n_right": int((~wrong).sum()),
    }


def _answer(  # noqa: PLR0917  # one caller
    verdict: Verdict, rows: RowsOf, parts: list[Part], row: int, wrong: bool, names: Names
) -> dict[str, Any]:
    score = float(rows.scores[row])
    texts = (value_text(verdict, part, row)[0] for part in parts)
    return {
        "line": int(verdict.table.lines[row]),
        "label": bool(rows.y[row] > 0.0),
        "says": score > 0.0,
        "right": not wrong,
        "score": points(score),
        "cells": [names.of(text, LONGEST_VALUE) for text in texts],
        "file": names.of(verdict.table.file_of(row), 24),
    }
