"""What a learner's lines say together: their joint answers on all rows and on rows left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.baseline import Baseline
from separatrix.model import joined
from separatrix.tables import ClassTable
from separatrix.verdict.asking import Asked, Codes
from separatrix.verdict.folds import ClassFold
from separatrix.verdict.panel import (
    ALWAYS_NO,
    ALWAYS_YES,
    Contestant,
    LearnerResult,
    fitted_inside,
    result_of,
    share,
)
from separatrix.verdict.question import Posed

CONSTANT = (ALWAYS_YES.name, ALWAYS_NO.name)  # joined they are the commonest label for everybody


@dataclass(frozen=True, slots=True)
class JointResult:
    """What came of one learner's lines, joined.

    Parameters
    ----------
    name : str
    learners : tuple of LinearClassifier
        One for each question, fitted on all its rows.
    n_errors : int
        Rows whose answer is not their label.
    e_in : float
        Their share of the weight.
    cv_error, cv_spread : float or None
        Mean and standard deviation of that share over the folds; None without folds.
    fold_errors : tuple of float
    confusion : int array (K, K)
        How many rows of label i were answered k.
    confusion_left_out : int array (K, K) or None
        Likewise for rows left out, each by the lines of its fold.
    seconds : float
        Of the fits on all rows.
    """

    name: str
    learners: tuple[LinearClassifier, ...]
    n_errors: int
    e_in: float
    cv_error: float | None
    cv_spread: float | None
    fold_errors: tuple[float, ...]
    confusion: Codes
    confusion_left_out: Codes | None
    seconds: float


class JointRun:
    """One table under all learners."""

    def __init__(  # noqa: PLR0917  # one caller
        self,
        rule: str,
        data: ClassTable,
        X: Floats,
        asked: Sequence[Asked],
        posed: Sequence[Posed],
        folds: Sequence[ClassFold],
    ) -> None:
        self.rule, self.data, self.X = rule, data, X
        self.asked, self.posed, self.folds = asked, posed, folds
        self.inside = [[question.inside(fold) for fold in folds] for question in asked]

    def of(self, contestant: Contestant) -> tuple[list[LearnerResult], JointResult | None]:
        """Return the contestant's result in every question, and the joint one."""
        fits, lines = [], []
        for question, inside in zip(self.posed, self.inside, strict=True):
            found = [fitted_inside(contestant, fold, question.separable) for fold in inside]
            pairs = zip(inside, found, strict=True)
            fits.append(
                result_of(contestant, question.X, question.table, pairs, question.separable)
            )
            lines.append(found)
        if contestant.name in CONSTANT:
            return fits, None
        whole = [fit.learner for fit in fits]
        in_folds = [list(of_fold) for of_fold in zip(*lines, strict=True)]
        seconds = sum(fit.seconds for fit in fits)
        return fits, self._joint(contestant.name, whole, in_folds, seconds)

    def commonest(self) -> JointResult:
        """Return the result of the same label for everybody: the commonest, of equals the first."""
        weight = self.data.base.weight
        label = int(np.bincount(self.data.codes, weights=weight).argmax())
        in_folds = [
            self._always(int(np.bincount(f.codes, weights=f.weight).argmax()), f.X)
            for f in self.folds
        ]
        name = f"always {self.data.names[label]}"
        return self._joint(name, self._always(label, self.X), in_folds, 0.0)

    def _always(self, label: int, X: Floats) -> list[LinearClassifier]:
        """Return lines that answer one label, whatever the row, for rows like X."""
        return [
            Baseline(answer=1 if label == question.yes else -1).fit(X[:2], [-1.0, 1.0])
            for question in self.asked
        ]

    def _joint(
        self,
        name: str,
        whole: Sequence[LinearClassifier],
        in_folds: Sequence[Sequence[LinearClassifier]],
        seconds: float,
    ) -> JointResult:
        codes, labels = self.data.codes, np.arange(len(self.data.names))
        answers = joined(self.rule, whole, labels).predict(self.X)
        errors, left_out = [], np.zeros((labels.size, labels.size), dtype=np.int64)
        for fold, lines in zip(self.folds, in_folds, strict=True):
            held = joined(self.rule, lines, labels).predict(fold.X_held)
            errors.append(share(held != fold.codes_held, fold.weight_held))
            left_out += _confusion(fold.codes_held, held, labels.size)
        wrong = answers != codes
        return JointResult(
            name=name,
            learners=tuple(whole),
            n_errors=int(wrong.sum()),
            e_in=share(wrong, self.data.base.weight),
            cv_error=float(np.mean(errors)) if errors else None,
            cv_spread=float(np.std(errors, ddof=1)) if errors else None,
            fold_errors=tuple(errors),
            confusion=_confusion(codes, answers, labels.size),
            confusion_left_out=left_out if errors else None,
            seconds=seconds,
        )


def _confusion(codes: Codes, answers: Codes, k: int) -> Codes:
    """Return how many rows of label i were answered j: (K, K)."""
    return np.bincount(k * codes + answers, minlength=k * k).reshape(k, k)
