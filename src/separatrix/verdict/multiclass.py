"""The verdict on a table of three labels or more: yes / no questions, and their joint answers.

Every question gets the verdict it would get alone (proof, panel, folds), on one encoding and one
set of folds for all of them; the lines that a learner found are then joined by scikit-learn's rule.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._version import __version__
from separatrix.data import Floats, InputError, Labels
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.baseline import Baseline
from separatrix.model import RULES, joined, n_questions
from separatrix.tables import ClassTable, Encoding, Table
from separatrix.verdict.folds import ClassFold, Fold
from separatrix.verdict.panel import (
    ALWAYS_NO,
    ALWAYS_YES,
    PANEL,
    Contestant,
    LearnerResult,
    fitted_inside,
    optimism_of,
    result_of,
    share,
    warm_up,
    winner_of,
)
from separatrix.verdict.question import Posed, Verdict, table_model

MOST_QUESTIONS = 100
CONSTANT = (ALWAYS_YES.name, ALWAYS_NO.name)  # joined they are the commonest label for everybody

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Asked:
    """Label `no`, or label `yes`? Positions among the labels; `no` is None for all others."""

    no: int | None
    yes: int

    def of(self, data: ClassTable) -> Table:
        """Return the question of a table."""
        return data.against_rest(self.yes) if self.no is None else data.against(self.no, self.yes)

    def rows(self, codes: Codes) -> Codes:
        """Return the rows that are asked about."""
        if self.no is None:
            return np.arange(codes.size)
        return np.flatnonzero((codes == self.no) | (codes == self.yes))

    def inside(self, fold: ClassFold) -> Fold:
        """Return the question in a fold."""
        train, held = self.rows(fold.codes), self.rows(fold.codes_held)
        return Fold(
            X=fold.X[train],
            y=self.signs(fold.codes[train]),
            weight=None if fold.weight is None else fold.weight[train],
            X_held=fold.X_held[held],
            y_held=self.signs(fold.codes_held[held]),
            weight_held=None if fold.weight_held is None else fold.weight_held[held],
        )

    def signs(self, codes: Codes) -> Floats:
        """Return y (N,)."""
        return np.where(codes == self.yes, 1.0, -1.0)


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


@dataclass(frozen=True, slots=True, repr=False)
class MulticlassVerdict:
    """Everything that came out, as plain data.

    Parameters
    ----------
    rule : "ova" (each label against the rest) or "ovo" (each against each)
    table : ClassTable
    encoding : Encoding
        How columns became features, for every question.
    features : tuple of str
    named : bool
        Whether the columns had names, or were given x1, x2, ...
    classes : array (K,)
        The labels, in the order of `table.names`.
    questions : tuple of Verdict
        In the order of the rule: label k against the rest, or labels (i, k), i < k, k being yes.
    results : tuple of JointResult
        The commonest label for everybody first.
    winner : JointResult
        The least error on rows left out; of equals the least E_in, then the first.
    optimism : float or None
        By how much choosing the winner flatters its cross-validated error.
    n_folds : int
    notes : tuple of str
    seconds : float
    version : str
        Of separatrix.
    """

    rule: str
    table: ClassTable
    encoding: Encoding
    features: tuple[str, ...]
    named: bool
    classes: Labels
    questions: tuple[Verdict, ...]
    results: tuple[JointResult, ...]
    winner: JointResult
    optimism: float | None
    n_folds: int
    notes: tuple[str, ...]
    seconds: float
    version: str = __version__

    def __repr__(self) -> str:
        """Return one line; `to_text` shows the rest."""
        return (
            f"<MulticlassVerdict on {self.table.base.name}: {self.table.codes.size} rows, "
            f"{len(self.classes)} labels, {self.rule}, winner {self.winner.name}>"
        )

    @property
    def model(self) -> Any:  # noqa: ANN401  # scikit-learn's, untyped
        """The winner as scikit-learn's one-versus-rest or one-versus-one: what `save` writes."""
        names = self.features if self.named else None
        model = joined(self.rule, self.winner.learners, self.classes, names)
        model.table_ = table_model(self.table.base, self.encoding)
        return model

    @property
    def n_dropped(self) -> int:
        """Rows of the file that were dropped for missing values."""
        return self.table.base.n_dropped

    def result(self, name: str) -> JointResult:
        """Return the joint result of one learner by its name."""
        return next(r for r in self.results if r.name == name)


def judge_classes(  # noqa: PLR0917  # one caller
    rule: str,
    data: ClassTable,
    encoding: Encoding,
    X: Floats,
    classes: Labels,
    named: bool,
    folds: Sequence[ClassFold],
    notes: Sequence[str],
    tell: Callable[[str], None],
) -> MulticlassVerdict:
    """Return the verdict on the features X (N, d) of a table of labels."""
    started = time.perf_counter()
    asked = questions_of(rule, data)
    posed = []
    for question in asked:
        table = question.of(data)
        tell(f"{table.yes} or {table.no}: is it separable?")
        labels = np.array([table.no, table.yes])
        posed.append(Posed.of(table, encoding, X[question.rows(data.codes)], labels, named))
    tell("preparing kernels")
    warm_up()
    run = _Run(rule, data, X, asked, posed, folds)
    results: list[list[LearnerResult]] = []
    joint = [run.commonest()]
    for contestant in PANEL:
        tell(contestant.name)
        fits, answer = run.of(contestant)
        results.append(fits)
        joint += [] if answer is None else [answer]
    verdicts = [
        question.answered(fits, len(folds), (), sum(fit.seconds for fit in fits))
        for question, fits in zip(posed, zip(*results, strict=True), strict=True)
    ]
    return MulticlassVerdict(
        rule=rule,
        table=data,
        encoding=encoding,
        features=encoding.feature_names,
        named=named,
        classes=classes,
        questions=tuple(verdicts),
        results=tuple(joint),
        winner=winner_of(joint),
        optimism=optimism_of(joint),
        n_folds=len(folds),
        notes=tuple(note for note in notes if note),
        seconds=time.perf_counter() - started,
    )


def questions_of(rule: str, data: ClassTable) -> list[Asked]:
    """Return the questions of a rule.

    Raises
    ------
    InputError
        For another rule, and for more questions than anybody would read.
    """
    if rule not in RULES:
        raise InputError(
            f'multiclass={rule!r} is not known; choose "ova" (each label against the rest) or '
            '"ovo" (each against each).'
        )
    k = len(data.names)
    count = n_questions(rule, k)
    if count > MOST_QUESTIONS:
        other = "" if rule == "ova" or k > MOST_QUESTIONS else ' "ova" asks one for each label.'
        raise InputError(
            f"{k:,} labels make {count:,} yes / no questions; at most {MOST_QUESTIONS} are asked."
            f"{other} Is it a column of labels? Else join rare labels into one first."
        )
    if rule == "ova":
        return [Asked(None, yes) for yes in range(k)]
    return [Asked(no, yes) for no in range(k) for yes in range(no + 1, k)]


class _Run:
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
            self._always(int(np.bincount(f.codes, weights=f.weight).argmax())) for f in self.folds
        ]
        name = f"always {self.data.names[label]}"
        return self._joint(name, self._always(label), in_folds, 0.0)

    def _always(self, label: int) -> list[LinearClassifier]:
        """Return lines that answer one label, whatever the row."""
        X = self.X[:2]
        return [
            Baseline(answer=1 if label == question.yes else -1).fit(X, [-1.0, 1.0])
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
