"""Right and wrong answers counted, and what would change if the two mistakes cost unequally."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from separatrix.data import Floats, as_rows
from separatrix.kernels.exact import signed_scores
from separatrix.report.findings import no_of
from separatrix.report.page.names import LONGEST, number, rounded
from separatrix.report.page.rows import Part, RowsOf, nearest_row, usual_values, value_text
from separatrix.report.wording import percent, plain
from separatrix.tables import CategoryColumn
from separatrix.verdict import Verdict

RATIOS = ((10, 1), (5, 1), (2, 1), (1, 1), (1, 2), (1, 5), (1, 10))  # wrong yes : wrong no
MOST_STEPS = 120  # places of the slider
MOST_SCORES = 3_000_000  # computed for them


class Cost(NamedTuple):
    """A ratio of costs, the line's own threshold, and the one that costs least."""

    wrong_yes: int
    wrong_no: int
    now: Step
    then: Step

    def of(self, step: Step) -> Markup:
        """Return what the mistakes of a threshold cost."""
        a, b = self.wrong_yes, self.wrong_no
        return rounded(a * step.weight_wrong_yes + b * step.weight_wrong_no)

    @property
    def threshold(self) -> str:
        """The threshold that costs least."""
        return number(self.then.threshold)


class Step(NamedTuple):
    """A threshold, the rows that it gets wrong, and their weight."""

    threshold: float
    wrong_yes: int
    wrong_no: int
    weight_wrong_yes: float
    weight_wrong_no: float


def counts_of(rows: RowsOf) -> dict[str, Any]:
    """Return the rows by label and answer; those on the line are answered no, and mistakes."""
    yes, said = rows.y > 0.0, rows.scores > 0.0
    of = [[int((label & answer).sum()) for answer in (said, ~said)] for label in (yes, ~yes)]
    return {
        "of_yes": of[0],
        "of_no": of[1],
        "right": [percent(of[k][k] / sum(of[k])) for k in (0, 1)],
        "wrong": of[0][1] + of[1][0],
        "on_line": int((~yes & (rows.scores == 0.0)).sum()),
    }


def steps_of(rows: RowsOf, costs: Sequence[Cost]) -> list[Step]:
    """Return thresholds in ascending order: the line's own, those of `costs`, some between rows."""
    sums = np.sort(rows.sums)
    places = _places(sums)
    most = int(np.clip(MOST_SCORES // rows.y.size, 10, MOST_STEPS))
    chosen = places[np.unique(np.linspace(0, places.size - 1, most).astype(np.int64))]
    found = {_between(sums, int(k)) for k in chosen}
    found |= {cost.then.threshold for cost in costs} | {rows.threshold}
    return [_step(rows, threshold) for threshold in sorted(found)]


def _step(rows: RowsOf, threshold: float) -> Step:
    """Return what another threshold gets wrong, each score with its exact sign."""
    line = rows.line.copy()
    line[0] = -threshold
    scores = signed_scores(as_rows(rows.X), rows.y.size, line, 1.0)
    wrong = (scores > 0.0) & (rows.y < 0.0), (scores <= 0.0) & (rows.y > 0.0)
    counts, weights = ([int(k.sum()) for k in wrong], [float(rows.weight[k].sum()) for k in wrong])
    return Step(threshold, *counts, *weights)


def costs_of(rows: RowsOf) -> list[Cost]:
    """Return, for a few cost ratios, the threshold that costs least on these rows."""
    sums = rows.sums
    order = np.argsort(sums, kind="stable")
    places = _places(sums[order])
    heavy = rows.weight[order]
    yes = rows.y[order] > 0.0
    wrong_no = np.concatenate(([0.0], np.cumsum(np.where(yes, heavy, 0.0))))[places]
    of_no = np.where(yes, 0.0, heavy)
    wrong_yes = (of_no.sum() - np.concatenate(([0.0], np.cumsum(of_no))))[places]
    found, now = [], _step(rows, rows.threshold)
    for a, b in RATIOS:
        cost = a * wrong_yes + b * wrong_no
        best = int(places[_least(cost, places, sums[order], rows.threshold)])
        then = _step(rows, _between(sums[order], best))  # counted again, as it is printed
        found.append(Cost(a, b, now, then))
    return found


def _places(ordered: Floats) -> np.ndarray:
    """Return k such that a threshold fits between the first k sums and the others."""
    k = np.flatnonzero(np.diff(ordered) > 0.0) + 1
    return np.concatenate(([0], k, [ordered.size]))


def _least(cost: Floats, places: np.ndarray, ordered: Floats, now: float) -> int:
    """Return the place of least cost; on a tie the one nearest to the threshold as it is."""
    equals = np.flatnonzero(cost <= cost.min() * (1.0 + 1e-12))
    current = np.searchsorted(ordered, now)
    return int(equals[np.argmin(np.abs(places[equals] - current))])


def _between(ordered: Floats, k: int) -> float:
    """Return a threshold with few digits between the sums k - 1 and k."""
    if k in (0, ordered.size):
        end = float(ordered[0] if k == 0 else ordered[-1])
        step = max(abs(end), 1.0) * 0.01
        low, high = (end - 2 * step, end) if k == 0 else (end, end + 2 * step)
    else:
        low, high = float(ordered[k - 1]), float(ordered[k])
    middle = low + (high - low) / 2.0
    for digits in range(2, 17):
        short = float(f"{middle:.{digits}g}")
        if low < short < high:
            return short
    return middle


MOST_LEVELS = 2000  # of all categories together: a longer form would serve nobody
MOST_COLUMNS, MOST_TERMS = 200, 1000
# in JSON, so that nothing ends the element that it stands in
ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&'"}


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
        "labels": [plain(no_of(table), LONGEST), plain(table.yes, LONGEST)],
        "threshold": rows.threshold,
        "rows": [int((rows.y < 0.0).sum()), int((rows.y > 0.0).sum())],
        "steps": [step[: 3 if table.weight is None else 5] for step in steps],
        "axis": axis,
        "words": dict(controls),
        **_parts(verdict, rows),
    }
    made = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return Markup(made.translate(ESCAPED))  # noqa: S704  # escaped just now


def _parts(verdict: Verdict, rows: RowsOf) -> dict[str, Any]:
    """Return the columns that a reader fills in, and the products of them if these are scored."""
    encoding, table = verdict.encoding, verdict.table
    terms = None if encoding.monomials is None else encoding.monomials.terms
    long = len(encoding.plain_names) > MOST_LEVELS or len(table.columns) > MOST_COLUMNS
    if long or (terms is not None and len(terms) > MOST_TERMS):
        return {"columns": [], "terms": None}
    row = nearest_row(rows)
    columns = [_column(verdict, k, row) for k in range(len(table.columns))]
    weights = [[float(w) for w in rows.points(part)] for part in rows.parts]
    added = (np.average(rows.contribution(part), weights=rows.weight) for part in rows.parts)
    scored = zip(weights, map(float, added), strict=True)
    if terms is None:
        pairs = zip(columns, scored, strict=True)
        columns = [column | {"weights": w, "mean": mean} for column, (w, mean) in pairs]
        return {"columns": columns, "terms": None}
    products = [
        {"name": plain(part.name, LONGEST), "factors": list(term), "weight": w[0], "mean": mean}
        for part, term, (w, mean) in zip(rows.parts, terms, scored, strict=True)
    ]
    return {"columns": columns, "terms": products}


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
