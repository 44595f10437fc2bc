"""What the page's script computes with: the line in full, one row, and thresholds counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from separatrix.report.inline import harmless
from separatrix.report.page.applicant import nearest_row
from separatrix.report.page.line import usual_values
from separatrix.report.page.names import LONGEST
from separatrix.report.page.outcomes import Step
from separatrix.report.page.rows import Part, RowsOf, value_text
from separatrix.report.wording import plain
from separatrix.tables import CategoryColumn
from separatrix.verdict import Verdict

MOST_LEVELS = 2000  # of all categories together: a longer form would serve nobody
MOST_PARTS = 200


def live_data(
    verdict: Verdict, rows: RowsOf, steps: Sequence[Step], axis: Sequence[float] | None
) -> Markup:
    """Return JSON for the script, harmless inside any element of the page.

    Parameters
    ----------
    axis : (threshold, x, threshold, x, top, bottom) or None
        Where thresholds are in the drawing of scores.
    """
    table = verdict.table
    data: dict[str, Any] = {
        "labels": [plain(table.no, LONGEST), plain(table.yes, LONGEST)],
        "threshold": rows.threshold,
        "rows": [int((rows.y < 0.0).sum()), int((rows.y > 0.0).sum())],
        "steps": [_numbers(step, table.weight is not None) for step in steps],
        "axis": axis,
        "columns": _columns(verdict, rows),
    }
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return harmless(text)


def _numbers(step: Step, weighted: bool) -> list[float]:
    by_weight = [step.weight_wrong_yes, step.weight_wrong_no] if weighted else []
    return [step.threshold, step.wrong_yes, step.wrong_no, *by_weight]


def _columns(verdict: Verdict, rows: RowsOf) -> list[dict[str, Any]]:
    """Return what a row's score is made of; nothing where its parts are products of columns."""
    parts = rows.parts
    levels = sum(part.features.stop - part.features.start for part in parts)
    if verdict.encoding.monomials is not None or levels > MOST_LEVELS or len(parts) > MOST_PARTS:
        return []
    row = nearest_row(rows)
    return [_column(verdict, rows, part, row) for part in parts]


def _column(verdict: Verdict, rows: RowsOf, part: Part, row: int) -> dict[str, Any]:
    encoding = verdict.encoding.columns[part.place]
    said: dict[str, Any] = {
        "name": plain(part.name, LONGEST),
        "weights": [float(w) for w in rows.points(part)],
        "mean": float(np.average(rows.contribution(part), weights=rows.weight)),
    }
    if isinstance(part.column, CategoryColumn):
        levels: Sequence[str] = encoding.levels  # type: ignore[union-attr]  # a category's
        level = value_text(verdict, part, row)[0]
        at = levels.index(level) if level in levels else 0
        return {**said, "levels": [plain(level, LONGEST) for level in levels], "value": at}
    value = float(part.column.values[row])
    said |= {"value": None if np.isnan(value) else repr(value).removesuffix(".0")}
    return {**said, "fill": encoding.fill, "usual": usual_values(part)}
