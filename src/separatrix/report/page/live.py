"""What the page's script computes with: the line in full, one row, and thresholds counted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
MOST_COLUMNS, MOST_TERMS = 200, 1000


def live_data(
    verdict: Verdict,
    rows: RowsOf,
    steps: Sequence[Step],
    axis: Sequence[float] | None,
    controls: Mapping[str, str],
) -> Markup:
    """Return JSON for the script, harmless inside any element of the page."""
    table = verdict.table
    data: dict[str, Any] = {
        "labels": [plain(table.no, LONGEST), plain(table.yes, LONGEST)],
        "threshold": rows.threshold,
        "rows": [int((rows.y < 0.0).sum()), int((rows.y > 0.0).sum())],
        "steps": [_numbers(step, table.weight is not None) for step in steps],
        "axis": axis,
        "words": dict(controls),
        **_parts(verdict, rows),
    }
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return harmless(text)


def _numbers(step: Step, weighted: bool) -> list[float]:
    by_weight = [step.weight_wrong_yes, step.weight_wrong_no] if weighted else []
    return [step.threshold, step.wrong_yes, step.wrong_no, *by_weight]


def _parts(verdict: Verdict, rows: RowsOf) -> dict[str, Any]:
    """Return the columns that a reader fills in, and the products of them if these are scored."""
    encoding, table = verdict.encoding, verdict.table
    terms = None if encoding.monomials is None else encoding.monomials.terms
    long = len(encoding.plain_names) > MOST_LEVELS or len(table.columns) > MOST_COLUMNS
    if long or (terms is not None and len(terms) > MOST_TERMS):
        return {"columns": [], "terms": None}
    row = nearest_row(rows)
    columns = [_column(verdict, k, row) for k in range(len(table.columns))]
    scored = [_scored(rows, part) for part in rows.parts]
    if terms is None:
        return {
            "columns": [column | of for column, of in zip(columns, scored, strict=True)],
            "terms": None,
        }
    products = [
        {
            "name": plain(part.name, LONGEST),
            "factors": list(term),
            "weight": of["weights"][0],
            "mean": of["mean"],
        }
        for part, term, of in zip(rows.parts, terms, scored, strict=True)
    ]
    return {"columns": columns, "terms": products}


def _scored(rows: RowsOf, part: Part) -> dict[str, Any]:
    """Return a part's weights, and what it adds on average."""
    mean = float(np.average(rows.contribution(part), weights=rows.weight))
    return {"weights": [float(w) for w in rows.points(part)], "mean": mean}


def _column(verdict: Verdict, place: int, row: int) -> dict[str, Any]:
    """Return a column of the table, with its value in one row."""
    encoding, column = verdict.encoding.columns[place], verdict.table.columns[place]
    part = Part(place, encoding.name, column, slice(0, 0))
    said: dict[str, Any] = {"name": plain(part.name, LONGEST)}
    if isinstance(column, CategoryColumn):
        levels: Sequence[str] = encoding.levels  # type: ignore[union-attr]  # a category's
        level = value_text(verdict, part, row)[0]
        at = levels.index(level) if level in levels else 0
        return {**said, "levels": [plain(level, LONGEST) for level in levels], "value": at}
    value = float(column.values[row])
    said |= {"value": None if np.isnan(value) else repr(value).removesuffix(".0")}
    return {**said, "fill": encoding.fill, "usual": usual_values(part)}
