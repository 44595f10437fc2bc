"""The candidates side by side: each fitted on all rows and cross-validated on the same folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from separatrix.data import Sample
from separatrix.verdict.candidates import (
    FOLD_SHARE,
    PLA,
    Candidate,
    HeldOut,
    LearnerResult,
    all_held_out,
    error_on,
    fitted,
    held_out_of,
    is_logistic,
    result_of,
    timed,
)
from separatrix.verdict.cases import Cases
from separatrix.verdict.folds import CodedRows, Fold
from separatrix.verdict.joint import Joint, JointResult, commonest
from separatrix.verdict.question import BestOfPla, Question
from separatrix.verdict.scaling import TrainingRows


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of the candidates."""

    results: list[tuple[LearnerResult, ...]]
    best_of_pla: list[BestOfPla | None]  # BestOfPla or None for each question
    joint: tuple[JointResult, ...]  # what the lines of each learner say together


class _Entry:
    """One candidate in every question, on all rows and then fold by fold."""

    def __init__(
        self, candidate: Candidate, questions: Sequence[Question], rows: Sequence[TrainingRows]
    ) -> None:
        self.candidate, self.questions = candidate, questions
        self.separable = [q.separability.separable is True for q in questions]
        self.fits = [
            timed(partial(fitted, candidate, r, s))
            for r, s in zip(rows, self.separable, strict=True)
        ]
        self.errors: list[list[float]] = [[] for _ in questions]
        self.held_out: list[list[HeldOut | None]] = [[] for _ in questions]
        self.joint = Joint()

    def cross_validate(
        self, rule: str | None, inside: Sequence[tuple[TrainingRows, Sample]], held: CodedRows
    ) -> None:
        """Add the errors of one fold; `inside` are the rows of each question there."""
        lines = [
            fitted(self.candidate, train, separable, FOLD_SHARE)
            for (train, _), separable in zip(inside, self.separable, strict=True)
        ]
        for errors, line, (_, left_out) in zip(self.errors, lines, inside, strict=True):
            errors.append(error_on(line, left_out))
        if is_logistic(self.candidate.name):
            for kept, line, (_, left_out) in zip(self.held_out, lines, inside, strict=True):
                kept.append(held_out_of(line, left_out))
        if rule is not None and not self.candidate.constant:
            self.joint.add(rule, lines, held)

    def results(self) -> list[LearnerResult]:
        """Return what came of it in each question."""
        return [
            result_of(
                self.candidate,
                question.sample,
                fit,
                errors,
                all_held_out(kept),
            )
            for question, fit, errors, kept in zip(
                self.questions, self.fits, self.errors, self.held_out, strict=True
            )
        ]

    def joint_result(self, rule: str, rows: CodedRows) -> JointResult:
        """Return what its lines say together."""
        learners, seconds = zip(*self.fits, strict=True)
        return self.joint.result(rule, self.candidate.name, learners, rows, sum(seconds))


def compare(
    cases: Cases,
    questions: Sequence[Question],
    candidates: Sequence[Candidate],
    folds: Sequence[Fold],
    tell: Callable[[str], None],
) -> Compared:
    """Fit the candidates to all rows of every question, and to the training rows of every fold."""
    rows = [TrainingRows(question.sample, question.separability) for question in questions]
    entries = []
    for candidate in candidates:
        tell(candidate.name)
        entries.append(_Entry(candidate, questions, rows))
    best = [
        BestOfPla.of(seen.standardised.sample)
        if PLA in candidates and question.separability.separable
        else None
        for question, seen in zip(questions, rows, strict=True)
    ]
    del rows
    for k, fold in enumerate(folds, 1):
        tell(f"fold {k} of {len(folds)}")
        inside = []
        for pair, q in zip(cases.pairs, questions, strict=True):
            train, held = fold.train.asked(pair, q.classes), fold.held.asked(pair, q.classes)
            inside.append((TrainingRows(train, expected=q.separability.verdict), held))
        for entry in entries:
            entry.cross_validate(cases.rule, inside, fold.held)
    results = list(zip(*(entry.results() for entry in entries), strict=True))
    if cases.rule is None:
        return Compared(results, best, ())
    joint = [e.joint_result(cases.rule, cases.rows) for e in entries if not e.candidate.constant]
    return Compared(results, best, (commonest(cases.rule, cases, folds), *joint))
