"""What a learner's lines say together: their joint answers on all rows and on rows left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.learners._linear import LinearClassifier
from separatrix.learners.baseline import Baseline
from separatrix.model import joined
from separatrix.verdict.candidates import Result, has_optimum, left_out
from separatrix.verdict.cases import Cases, CodedRows, Codes
from separatrix.verdict.folds import Fold


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class JointResult(Result):
    """What came of one learner's lines, joined."""

    learners: tuple[LinearClassifier, ...]  # one for each question, fitted on all its rows
    confusion: Codes  # (K, K) how many rows of label i were answered k
    confusion_left_out: Codes | None  # likewise for rows left out, each by the lines of its fold

    @property
    def constant(self) -> bool:
        """Whether it answers the same to every row."""
        return all(isinstance(line, Baseline) for line in self.learners)

    @property
    def probabilities(self) -> bool:
        """Whether every line gives probabilities, from coefficients that are finite."""
        return all(map(has_optimum, self.learners))


Answered = tuple[CodedRows, Codes]  # rows, and what they are answered


def joint_result(
    name: str, lines: Sequence[LinearClassifier], of_all: Answered, held: Sequence[Answered],
    seconds: float,
) -> JointResult:  # fmt: skip
    """Return the result of lines fitted on all rows; those held out are answered by each fold's."""
    errors = [_error(*answered) for answered in held]
    return JointResult(
        name=name,
        learners=tuple(lines),
        n_errors=int((of_all[1] != of_all[0].codes).sum()),
        e_in=_error(*of_all),
        **left_out(errors),
        confusion=_confusion(*of_all),
        confusion_left_out=np.sum([_confusion(*one) for one in held], axis=0) if held else None,
        seconds=seconds,
    )


def _error(rows: CodedRows, answers: Codes) -> float:
    return float(np.average(answers != rows.codes, weights=rows.weight))


def commonest(cases: Cases, folds: Sequence[Fold]) -> JointResult:
    """Return the result of the same label for every row: the commonest, the first on a tie."""
    rows, splits = cases.rows, [fold.rows for fold in folds]
    label = _commonest(rows)
    left = [(rows.at(b), np.full(b.size, _commonest(rows.at(a)))) for a, b in splits]
    lines = [
        Baseline(answer=1 if label == pair.yes else -1).fit(rows.X[:2], [-1.0, 1.0])
        for pair in cases.pairs
    ]
    of_all = rows, np.full_like(rows.codes, label)
    return joint_result(f"always {rows.names[label]}", lines, of_all, left, 0.0)


def _commonest(rows: CodedRows) -> int:
    return int(np.bincount(rows.codes, weights=rows.weight).argmax())


def answers_of(rule: str, lines: Sequence[LinearClassifier], rows: CodedRows) -> Codes:
    found: Codes = joined(rule, lines, np.arange(len(rows.names))).predict(rows.X)
    return found


def _confusion(rows: CodedRows, answers: Codes) -> Codes:
    """Return how many rows of label i were answered j: (K, K)."""
    k = len(rows.names)
    return np.bincount(k * rows.codes + answers, minlength=k * k).reshape(k, k)
