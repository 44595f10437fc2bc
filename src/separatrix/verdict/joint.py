"""What a learner's lines say together: their joint answers on all rows and on rows left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class Joint:
    """The joint answers of one learner's lines, gathered fold by fold."""

    errors: list[float] = field(default_factory=list)
    confusions: list[Codes] = field(default_factory=list)

    def add(self, held: CodedRows, answers: Codes) -> None:
        """Count the answers of a fold's lines to the rows left out."""
        self.errors.append(float(np.average(answers != held.codes, weights=held.weight)))
        self.confusions.append(_confusion(held, answers))

    def result(
        self, name: str, lines: Sequence[LinearClassifier], rows: CodedRows, answers: Codes,
        seconds: float,
    ) -> JointResult:  # fmt: skip
        """Return the result of lines that were fitted on all rows, by their answers to these."""
        wrong = answers != rows.codes
        return JointResult(
            name=name,
            learners=tuple(lines),
            n_errors=int(wrong.sum()),
            e_in=float(np.average(wrong, weights=rows.weight)),
            **left_out(self.errors),
            confusion=_confusion(rows, answers),
            confusion_left_out=np.sum(self.confusions, axis=0) if self.errors else None,
            seconds=seconds,
        )


def commonest(cases: Cases, folds: Sequence[Fold]) -> JointResult:
    """Return the result of the same label for every row: the commonest, the first on a tie."""
    joint, rows = Joint(), cases.rows
    for train, held in (fold.rows for fold in folds):
        joint.add(rows.at(held), np.full(held.size, _commonest(rows.at(train))))
    label = _commonest(rows)
    lines = [
        Baseline(answer=1 if label == pair.yes else -1).fit(rows.X[:2], [-1.0, 1.0])
        for pair in cases.pairs
    ]
    return joint.result(
        f"always {rows.names[label]}", lines, rows, np.full_like(rows.codes, label), 0.0
    )


def _commonest(rows: CodedRows) -> int:
    return int(np.bincount(rows.codes, weights=rows.weight).argmax())


def answers_of(rule: str, lines: Sequence[LinearClassifier], rows: CodedRows) -> Codes:
    found: Codes = joined(rule, lines, np.arange(len(rows.names))).predict(rows.X)
    return found


def _confusion(rows: CodedRows, answers: Codes) -> Codes:
    """Return how many rows of label i were answered j: (K, K)."""
    k = len(rows.names)
    return np.bincount(k * rows.codes + answers, minlength=k * k).reshape(k, k)
