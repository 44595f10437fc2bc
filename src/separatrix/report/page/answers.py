"""Rows and their answers: the mistakes, and the right answers nearest to the line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.report.page.names import Name, Names, points
from separatrix.report.page.rows import Part, RowsOf, value_text
from separatrix.verdict import Verdict

MOST_WRONG, MOST_RIGHT = 60, 30
MOST_PARTS = 5
LONGEST_VALUE = 16


@dataclass(frozen=True, slots=True)
class Answer:
    """One row: where it stands in its file, its label, the answer, its score, some values."""

    line: int
    label: bool
    says: bool
    right: bool
    score: str
    values: tuple[Name, ...]
    file: Name


@dataclass(frozen=True, slots=True)
class Answers:
    """Some rows and what the line says to them."""

    columns: tuple[Name, ...]  # the columns that move the score most
    rows: tuple[Answer, ...]  # the mistakes farthest from the line, worst first
    n_wrong: int
    n_right: int


def answers(verdict: Verdict, rows: RowsOf, names: Names) -> Answers:
    """Return rows to look through, and the columns to show of them."""
    parts = rows.strongest[:MOST_PARTS]
    wrong = rows.y * rows.scores <= 0.0
    far = np.abs(rows.scores)
    order = np.argsort(far, kind="stable")
    mistakes, others = order[wrong[order]][::-1], order[~wrong[order]]
    shown = [*mistakes[:MOST_WRONG].tolist(), *others[:MOST_RIGHT].tolist()]
    return Answers(
        columns=tuple(names.of(part.name, 24) for part in parts),
        rows=tuple(_answer(verdict, rows, parts, row, bool(wrong[row]), names) for row in shown),
        n_wrong=int(wrong.sum()),
        n_right=int((~wrong).sum()),
    )


def _answer(  # noqa: PLR0917  # one caller
    verdict: Verdict, rows: RowsOf, parts: list[Part], row: int, wrong: bool, names: Names
) -> Answer:
    score = float(rows.scores[row])
    values = (value_text(verdict, part, row)[0] for part in parts)
    return Answer(
        line=int(verdict.table.lines[row]),
        label=bool(rows.y[row] > 0.0),
        says=score > 0.0,
        right=not wrong,
        score=points(score),
        values=tuple(names.of(value, LONGEST_VALUE) for value in values),
        file=names.of(verdict.table.file_of(row), 24),
    )
