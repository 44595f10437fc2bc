"""The rows behind a verdict as numbers: features, scores, and each column's part of a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, InputError, Points, as_rows, dense, read_arrays
from separatrix.kernels.exact import signed_scores
from separatrix.model import features_of, strengths
from separatrix.report.page.names import LONGEST, Names, cell, points, rounded
from separatrix.report.wording import MOST_COLUMNS, plain
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
        "rows": [_answer(verdict, rows, parts, row, names) for row in shown],
        "n_wrong": int(wrong.sum()),
        "n_right": int((~wrong).sum()),
    }


def _answer(
    verdict: Verdict, rows: RowsOf, parts: list[Part], row: int, names: Names
) -> dict[str, Any]:
    score = float(rows.scores[row])
    texts = (value_text(verdict, part, row)[0] for part in parts)
    return {
        "line": int(verdict.table.lines[row]),
        "label": bool(rows.y[row] > 0.0),
        "says": score > 0.0,
        "right": bool(rows.y[row] * score > 0.0),
        "score": points(score),
        "cells": [names.of(text, LONGEST_VALUE) for text in texts],
        "file": names.of(verdict.table.file_of(row), 24),
    }


SAME = (
    "Were its label not known, it would be {label} all the same: every line that {best} the other "
    "{rows} says {label} to it (proven)."
)
EITHER = (
    "Were its label not known, the other {rows} would not decide it: among the lines that {best} "
    "them some say {yes} to it and some say {no} (proven)."
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


def applicant(verdict: Verdict, rows: RowsOf, names: Names) -> dict[str, Any]:
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
            "name": names.of(part.name), "value": names.of(text, 24), "filled": filled,
            "part": points(float(added[part.place][row])), "beside": points(beside[part.place]),
        })  # fmt: skip
    return {
        "line": int(verdict.table.lines[row]),
        "file": names.of(verdict.table.file_of(row), 40),
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
        return UNDECIDED
    bracket = verdict.fewest_mistakes
    if not proof.separable and (verdict.table.weight is not None or not bracket.proven):
        return OPEN
    others = np.delete(np.arange(rows.y.size), row)
    X, y = rows.X[others], rows.y[others]
    if np.unique(y).size < 2:
        others_said = f"so the other {_rows(verdict)} have one answer only."
        return f"It is the only row with its label, {others_said}"
    return _asked(verdict, X, y, rows.X[[row]])


def _asked(verdict: Verdict, X: Points, y: Floats, x: Points) -> str:
    """Return what all the best lines for rows X (m, d) say of one more (1, d)."""
    separable = verdict.separability.separable or separability(X, y).separable
    best = SEPARATING if separable else OF_FEWEST
    try:
        new = dense(x, "the page")
        agreed = agree_of(read_arrays(X, y), new, Limits.of(None, MOST_NODES))
    except InputError as error:
        return f"Whether the best lines agree on it could not be decided: {error}"
    if agreed.limit:
        return f"Whether the best lines agree on it was not decided: {agreed.limit}"
    (found,) = agreed.answers
    labels = {"yes": plain(verdict.table.yes, LONGEST), "no": plain(verdict.table.no, LONGEST)}
    if str(found) in labels:  # the user's own words: with --yes no, "no" is the yes
        return SAME.format(label=labels[str(found)], best=best[0], rows=_rows(verdict))
    return EITHER.format(best=best[1], rows=_rows(verdict), **labels)


def _rows(verdict: Verdict) -> str:
    """Return "rows", and of a table in blocks which they are."""
    table = verdict.table
    return "rows" if table.lines.size == table.n_rows else "rows that are shown here"
