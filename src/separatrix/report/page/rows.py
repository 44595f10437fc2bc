"""The rows behind a verdict as numbers: features, scores, and each column's part of a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, Points, as_rows, dense
from separatrix.kernels.exact import signed_scores
from separatrix.model import features_of, strengths
from separatrix.report.page.names import cell
from separatrix.tables import CategoryColumn, Column, NumberColumn
from separatrix.verdict import Verdict


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
        above, below = (
            np.maximum(sums, np.nextafter(t, np.inf)),
            np.minimum(sums, np.nextafter(t, -np.inf)),
        )
        return np.where(self.scores > 0.0, above, np.where(self.scores < 0.0, below, t))

    def points(self, part: Part) -> Floats:
        return self.line[1:][part.features]

    def contribution(self, part: Part) -> Floats:
        """Return what a part adds to each row's score (N,)."""
        if sp.issparse(self.X):
            return np.asarray(self.X[:, part.features] @ self.points(part))
        return np.asarray((self.X[:, part.features] * self.points(part)).sum(axis=1))

    def columns(self, features: slice | Sequence[int]) -> Floats:
        """Return some features (N, k), dense."""
        return dense(self.X[:, features], "a picture of two columns")


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
    column = part.column
    if isinstance(column, CategoryColumn):
        if column.codes[row] >= 0:
            return column.levels[column.codes[row]], False
        return str(_fill(verdict, part) or ""), True
    found = float(column.values[row])
    if np.isnan(found):
        return cell(float(_fill(verdict, part) or 0.0)), True
    return cell(found), False


def _fill(verdict: Verdict, part: Part) -> float | str | None:
    return verdict.encoding.columns[part.place].fill
