"""The rows behind a verdict as numbers, one explained, those that contradict; the line's points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp
from markupsafe import Markup

from separatrix.data import Floats, InputError, Points, as_rows, dense, read_arrays
from separatrix.kernels.exact import signed_scores
from separatrix.model import features_of, strengths
from separatrix.report.findings import infinite_weights, no_of
from separatrix.report.page.names import LONGEST, cell, figure, minus, points, rounded
from separatrix.report.wording import MOST_COLUMNS, plain
from separatrix.report.words import SPOKEN, say
from separatrix.separation.decide import separability
from separatrix.tables import CategoryColumn, Column, NumberColumn
from separatrix.verdict import Verdict
from separatrix.version_space import agree_of
from separatrix.zero_one.limits import Limits


@dataclass(frozen=True, slots=True)
class Part:
    """A column of the table and the features it became."""

    place: int
    name: str
    column: Column  # NumberColumn or CategoryColumn
    features: slice  # slice Its places among the d features


@dataclass(frozen=True, slots=True)
class RowsOf:
    """A verdict's rows under the line to take."""

    X: Points  # (N, d)
    y: Floats  # (N,) of -1 and +1
    weight: Floats  # (N,) Ones when the table has none
    line: Floats  # (1+d,)
    scores: Floats  # (N,) Each with its exact sign
    parts: tuple[Part, ...]  # what the score is a sum of: columns, or products of columns
    strength: Floats  # (number of parts,)

    @classmethod
    def of(cls, verdict: Verdict) -> RowsOf:
        table, line = verdict.table, verdict.winner.weights
        X, weight = verdict.question.points, verdict.question.sample.weight
        return cls(
            X=X,
            y=table.y,
            weight=weight,
            line=line,
            scores=signed_scores(as_rows(X), X.shape[0], line, 1.0),
            parts=tuple(_parts(verdict, X)),
            strength=strengths(verdict.encoding, line[1:], X, weight),
        )

    @property
    def strongest(self) -> list[Part]:
        """The parts, the strongest first."""
        return sorted(self.parts, key=lambda part: -self.strength[part.place])

    @property
    def threshold(self) -> float:
        """What the sum of points must exceed for a yes: -w_0."""
        return -float(self.line[0])

    @property
    def sums(self) -> Floats:
        """The sums of points (N,), on the side of the threshold that the exact score is on."""
        t = self.threshold
        sums = self.scores + t
        above = np.maximum(sums, np.nextafter(t, np.inf))
        below = np.minimum(sums, np.nextafter(t, -np.inf))
        return np.where(self.scores > 0.0, above, np.where(self.scores < 0.0, below, t))

    def points(self, part: Part) -> Floats:
        return self.line[1:][part.features]

    def contribution(self, part: Part) -> Floats:
        """Return what a part adds to each row's score (N,)."""
        if sp.issparse(self.X):
            return np.asarray(self.X[:, part.features] @ self.points(part))
        return np.asarray((self.X[:, part.features] * self.points(part)).sum(axis=1))


def _parts(verdict: Verdict, X: Points) -> list[Part]:
    if verdict.encoding.monomials is not None:
        return [
            Part(j, name, NumberColumn(name, dense(X[:, [j]], "the page").ravel()), slice(j, j + 1))
            for j, name in enumerate(verdict.features)
        ]
    pairs = zip(verdict.encoding.columns, verdict.table.columns, strict=True)
    return [
        Part(k, encoding.name, column, features)
        for k, ((encoding, column), features) in enumerate(
            zip(pairs, features_of(verdict.encoding), strict=True)
        )
    ]


def value_text(verdict: Verdict, part: Part, row: int) -> tuple[str, bool]:
    """Return a row's value in a column as text, and whether it had to be filled in."""
    column, how = part.column, verdict.encoding.columns
    if isinstance(column, CategoryColumn):
        if column.codes[row] >= 0:
            return column.levels[column.codes[row]], False
        return str(how[part.place].fill or ""), True
    found = float(column.values[row])
    if np.isnan(found):
        return cell(float(how[part.place].fill or 0.0)), True
    return cell(found), False


MOST_WRONG, MOST_RIGHT = 60, 30
MOST_PARTS = 5


def answers(verdict: Verdict, rows: RowsOf) -> dict[str, Any]:
    """Return rows to look through, and the columns to show of them."""
    parts = rows.strongest[:MOST_PARTS]
    wrong = rows.y * rows.scores <= 0.0
    far = np.abs(rows.scores)
    order = np.argsort(far, kind="stable")
    mistakes, others = order[wrong[order]][::-1], order[~wrong[order]]
    shown = [*mistakes[:MOST_WRONG].tolist(), *others[:MOST_RIGHT].tolist()]
    return {
        "columns": [part.name for part in parts],
        "rows": [_answer(verdict, rows, parts, row) for row in shown],
        "n_wrong": int(wrong.sum()),
        "n_right": int((~wrong).sum()),
    }


def _answer(verdict: Verdict, rows: RowsOf, parts: list[Part], row: int) -> dict[str, Any]:
    score = float(rows.scores[row])
    return {
        "line": int(verdict.table.lines[row]),
        "label": bool(rows.y[row] > 0.0),
        "says": score > 0.0,
        "right": bool(rows.y[row] * score > 0.0),
        "score": points(score),
        "cells": [value_text(verdict, part, row)[0] for part in parts],
        "file": verdict.table.file_of(row),
    }


SAME = "Without it: every line that {best} the other {rows} says {label} to this row (proven){so}."
NOT_AMONG = "; the line of this page is not among them"
EITHER = (
    "Without it: the other {rows} do not decide; among the lines that {best} them some say {yes} "
    "to this row and some say {no} (proven)."
)
SEPARATING = ("separates", "separate")
OF_FEWEST = ("makes the fewest mistakes on", "make the fewest mistakes on")
UNDECIDED = (
    "Whether a line separates these rows is undecided, so nothing is said about what the best "
    "lines agree on."
)
OPEN = (
    "No line separates these rows, and whether all lines with the fewest mistakes agree on it is "
    "open."
)
MOST_NODES = 4_000  # boxes of lines for the fewest mistakes of the other rows


def nearest_row(rows: RowsOf) -> int:
    """Return the row nearest to the line, the first on a tie."""
    return int(np.argmin(np.abs(rows.scores)))


def applicant(verdict: Verdict, rows: RowsOf) -> dict[str, Any]:
    """Return the row nearest to the line, explained."""
    row = nearest_row(rows)
    score = float(rows.scores[row])
    added = [rows.contribution(part) for part in rows.parts]
    beside = [float(v[row] - np.average(v, weights=rows.weight)) for v in added]
    order = sorted(rows.parts, key=lambda part: -abs(beside[part.place]))
    shown, rest = order[:MOST_COLUMNS], order[MOST_COLUMNS:]
    columns = []
    for part in shown:
        text, filled = value_text(verdict, part, row)
        columns.append({
            "name": part.name, "value": text, "filled": filled,
            "part": points(float(added[part.place][row])), "beside": points(beside[part.place]),
        })  # fmt: skip
    return {
        "line": int(verdict.table.lines[row]),
        "file": verdict.table.file_of(row),
        "columns": columns,
        "n_rest": len(rest),
        "rest": points(sum(float(added[part.place][row]) for part in rest)),
        "total": rounded(float(rows.sums[row])),
        "threshold": rounded(rows.threshold),
        "score": points(score),
        "says": score > 0.0,
        "label": bool(rows.y[row] > 0.0),
        "agreement": _agreement(verdict, rows, row),
    }


def _agreement(verdict: Verdict, rows: RowsOf, row: int) -> str:
    """Return whether all the best lines for the other rows agree on this one."""
    proof = verdict.separability
    if proof.verdict == "undecided":
        return say(UNDECIDED)
    bracket = verdict.fewest_mistakes
    if not proof.separable and (verdict.table.weight is not None or not bracket.proven):
        return say(OPEN)
    others = np.delete(np.arange(rows.y.size), row)
    X, y = rows.X[others], rows.y[others]
    if np.unique(y).size < 2:
        only = "It is the only row with its label, so the other {rows} have one answer only."
        return say(only, rows=_rows(verdict))
    return _asked(verdict, X, y, rows.X[[row]], rows.scores[row] > 0.0)


def _asked(verdict: Verdict, X: Points, y: Floats, x: Points, says: bool) -> str:
    """Return what the best lines for rows X (m, d) say of one more (1, d); the page's `says`."""
    separable = verdict.separability.separable or separability(X, y).separable
    best = SEPARATING if separable else OF_FEWEST
    try:
        new = dense(x, "the page")
        agreed = agree_of(read_arrays(X, y), new, Limits.of(None, MOST_NODES))
    except InputError as error:
        return say("Whether the best lines agree on it could not be decided: {why}", why=error)
    if agreed.limit:
        why = say(agreed.limit)
        return say("Whether the best lines agree on it was not decided: {why}", why=why)
    (found,) = agreed.answers
    labels = {"yes": plain(verdict.table.yes, LONGEST), "no": plain(no_of(verdict.table), LONGEST)}
    if str(found) in labels:  # the user's own words: with --yes no, "no" is the yes
        label = labels[str(found)]
        so = "" if (str(found) == "yes") == says else say(NOT_AMONG)
        return say(SAME, label=label, best=say(best[0]), rows=_rows(verdict), so=so)
    return say(EITHER, best=say(best[1]), rows=_rows(verdict), **labels)


def _rows(verdict: Verdict) -> str:
    """Return "rows", and of a table in blocks which they are."""
    table = verdict.table
    return say("rows" if table.lines.size == table.n_rows else "rows that are shown here")


MOST_ROWS = 40
MOST_SHARES = 3


def contradiction(verdict: Verdict, rows: RowsOf) -> dict[str, Any] | None:
    """Return the rows of the refusal with their values; None where there is none."""
    refusal = verdict.separability.refusal
    if refusal is None:
        return None
    at = verdict.table.positions(refusal.rows)
    total = {
        sign: sum(m for m, n in zip(refusal.multipliers, at, strict=True) if rows.y[n] == sign)
        for sign in (-1.0, 1.0)
    }  # whole numbers, which may be longer than a double: divided as such
    share = np.array(
        [m / total[float(rows.y[n])] for m, n in zip(refusal.multipliers, at, strict=True)]
    )
    order = np.lexsort((-share, rows.y[at] < 0.0))  # yes rows first, the weightiest first
    columns = enumerate(verdict.table.columns)  # its own, whatever became of them
    parts = [Part(k, column.name, column, slice(0, 0)) for k, column in columns][:MOST_COLUMNS]
    shown = [
        (
            int(verdict.table.lines[at[k]]),
            bool(rows.y[at[k]] > 0.0),
            f"{100.0 * share[k]:.2f} %",
            tuple(value_text(verdict, part, int(at[k]))[0] for part in parts),
            verdict.table.file_of(int(at[k])),
        )
        for k in order[:MOST_ROWS]
    ]
    yes = rows.y[at] > 0.0
    mixed = parts if verdict.encoding.monomials is None else ()
    return {
        "columns": [part.name for part in parts],
        "rows": shown,
        # the point that both mixtures are
        "shared": [_mixture(verdict, part, at[yes], share[yes]) for part in mixed],
        "n_more": len(at) - len(shown),
        "n_more_columns": len(verdict.table.columns) - len(parts),
    }


def _mixture(verdict: Verdict, part: Part, at: np.ndarray, share: Floats) -> str:
    """Return the value of the shared point in one column."""
    column = part.column
    if not isinstance(column, CategoryColumn):
        fill = verdict.encoding.columns[part.place].fill
        values = np.where(column.missing, 0.0 if fill is None else fill, column.values)[at]
        return rounded(float(np.dot(values, share)))
    weights: dict[str, float] = {}
    for n, s in zip(at, share, strict=True):
        level = value_text(verdict, part, int(n))[0]
        weights[level] = weights.get(level, 0.0) + float(s)
    found = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
    if len(found) == 1:
        return plain(found[0][0], 24)
    mixed = [f"{100.0 * s:.0f} % {plain(level, 16)}" for level, s in found[:MOST_SHARES]]
    more = len(found) - len(mixed)
    return ", ".join(mixed) + (say(", {n} more", n=more) if more else "")


MOST_LEVELS = 20
MOST_IN_NOTEBOOK = 12
BAR = 50.0  # length of the longest bar, to either side


def line_of(verdict: Verdict, rows: RowsOf) -> dict[str, Any]:
    """Return the points table, the strongest columns first."""
    shown = rows.strongest[:MOST_COLUMNS]
    longest = max((_longest(rows, part) for part in shown), default=0.0)
    signs = infinite_weights(verdict)
    columns = [_points(verdict, rows, part, longest, signs) for part in shown]
    levels = ((column, level) for column in columns for level in column["levels"])
    return {
        "threshold": rounded(rows.threshold),
        "columns": columns,
        "first": list(islice(levels, MOST_IN_NOTEBOOK)),
        "n_more": len(rows.parts) - len(shown),
        "longest": f"{longest:.3g}",
    }


def _longest(rows: RowsOf, part: Part) -> float:
    if isinstance(part.column, CategoryColumn):
        return float(np.abs(rows.points(part)).max(initial=0.0))
    return float(rows.strength[part.place])


def _points(
    verdict: Verdict, rows: RowsOf, part: Part, longest: float, signs: Mapping[int, str]
) -> dict[str, Any]:
    spread = float(rows.strength[part.place])
    weights = [float(w) for w in rows.points(part)]
    estimates = [signs.get(j + 1, "") for j in range(part.features.start, part.features.stop)]
    if isinstance(part.column, CategoryColumn):
        known = verdict.encoding.columns[part.place].levels  # type: ignore[union-attr]  # a category's
        found = zip(known, [0.0, *weights], ["", *estimates], strict=False)
        told: list[tuple[str | None, float, str, float]] = [
            (name, w, sign, w) for name, w, sign in sorted(found, key=lambda one: -one[1])
        ]
    else:
        told = [(None, weights[0], estimates[0], math.copysign(spread, weights[0]))]
    levels = [
        {"name": name, "points": _or_infinite(points(w), sign), "bar": _bar(moved, longest)}
        for name, w, sign, moved in told
    ]
    return {
        "name": part.name,
        "moves": f"{spread:.3g}",
        "usual": usual_values(part),
        "levels": levels[:MOST_LEVELS],
        "n_levels": min(len(levels), MOST_LEVELS),
        "more_levels": max(0, len(levels) - MOST_LEVELS),
    }


def _or_infinite(used: Markup, estimate: str) -> Markup:
    """Return points, and where the estimate is infinite that beside what the line uses."""
    return Markup("{} ({} used)").format(minus(estimate), used) if estimate else used


def _bar(value: float, longest: float) -> float:
    return round(BAR * (value / longest), 1) if longest else 0.0


def usual_values(part: Part) -> str:
    """Return "12 to 45": where the middle half of a number column's rows are."""
    if isinstance(part.column, CategoryColumn):
        return ""
    values = part.column.values
    present = values[~np.isnan(values)]
    if present.size == 0:
        return ""
    low, high = np.quantile(present, [0.25, 0.75], method="nearest")
    return SPOKEN.get()("from_to", lower=figure(low, 4), upper=figure(high, 4))
