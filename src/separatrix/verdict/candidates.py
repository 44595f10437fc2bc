"""Which learners a verdict compares, how each is fitted, and what comes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix._loading import load
from separatrix.data import (
    Floats,
    InputError,
    Points,
    Sample,
    as_rows,
    quiet,
    shortened,
)
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.kernels.exact import signed_scores
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.baseline import Baseline
from separatrix.learners.linear_regression import LinearRegressionClassifier
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.pocket import Pocket
from separatrix.model import joined
from separatrix.separation.decide import Separability
from separatrix.tables.wording import counted
from separatrix.verdict.cases import Cases, CodedRows, Codes
from separatrix.verdict.columns import TrainingRows
from separatrix.verdict.folds import SEED, Fold

# Budgets are counted in work, not seconds, so that the verdict does not depend on the machine: a
# second or so of PLA where it will end by itself, a blink where it cannot. A row costs at least as
# much as ROW multiplications. Where nearly every score has to be decided exactly a row costs a
# hundred times more: then, and only then, a budget of those rows ends PLA, and the verdict says so.
ROW = 16
PLA_MULTIPLICATIONS = 2**33
PLA_DECISIONS = 2**28  # times ROW and the columns of a row
HOPELESS_MULTIPLICATIONS = 2**28
HOPELESS_PASSES = (10, 100)  # at least and at most
POCKET_MULTIPLICATIONS = 2**28
POCKET_UPDATES = (50, 1000)  # at least and at most, unless they read more numbers than these:
POCKET_NUMBERS = 10**9
POCKET_UPDATES_OF_ALL, POCKET_UPDATES_OF_A_FOLD = 20, 5  # then at least so many
DEFAULT_PENALTY = 1.0  # C, of the candidate that joins where there is no finite optimum
FIRTH = "firth"
FOLD_SHARE = 16  # the work PLA may spend on all rows, over the work it may spend in a fold


@dataclass(frozen=True, slots=True)
class Budget:
    """What a fit may spend, counted by the size of its table."""

    n: int
    d: int
    separable: Callable[[], bool]  # whether a separating line is proven to exist
    share: int = 1  # one part in this many of the whole is spent


@dataclass(frozen=True, slots=True)
class Candidate:
    """A learner that takes part."""

    name: str  # as people call it
    make: Callable[[Budget], LinearClassifier]
    standardise: bool = False  # whether its path depends on the units of the columns
    constant: bool = False  # whether it answers the same to every row
    # what `fit_sample` takes of rows in memory beside them, found once for all learners
    shared: Callable[[TrainingRows], list[Any]] = lambda _: []


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Result:
    """What came of one learner: of its line, or of several lines that answer together."""

    name: str
    n_errors: int  # rows on the wrong side of the line or on it; whose joint answer is wrong
    e_in: float  # the mistakes' share of the weight
    cv_error: float | None  # mean over the folds; None where a class has too few rows for them
    cv_spread: float | None  # standard deviation, likewise
    fold_errors: tuple[float, ...]
    seconds: float  # of the fits on all rows, compiling of kernels left out

    def __repr__(self) -> str:
        """Return half a line: an output may show several of them."""
        cv = "" if self.cv_error is None else f", cross-validated {100 * self.cv_error:.1f} %"
        return f"<{shortened(self.name)}: {counted(self.n_errors, 'mistake')}{cv}>"


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class LearnerResult(Result):
    """What came of one learner's line."""

    learner: LinearClassifier  # fitted on all rows, its weights in the units of the table
    weights: Floats  # (1+d,) w_0 first, in the units of the table
    n_wrong_yes: (
        int  # of its mistakes, no rows answered yes: one *on* the line is a mistake, but not this
    )
    n_wrong_no: int  # yes rows answered no
    stopped: str  # why
    n_updates: int | None  # T, for PLA and pocket
    standardised: bool  # whether it saw standardised columns
    # of logistic regression, where every fold has a finite optimum: rows that got probabilities
    # from a line that had not seen them
    held_out: ProbabilityFigures | None = None

    @property
    def constant(self) -> bool:
        """Whether it answers the same to every row."""
        return isinstance(self.learner, Baseline)

    @property
    def probabilities(self) -> bool:
        """Whether it gives probabilities, from coefficients that are finite."""
        return has_optimum(self.learner)


def _pla(budget: Budget) -> LinearClassifier:
    size = budget.n * (budget.d + ROW)
    least, most = HOPELESS_PASSES
    passes = min(most, max(least, HOPELESS_MULTIPLICATIONS // size))
    if budget.separable():
        passes = PLA_MULTIPLICATIONS // (budget.share * size)
    learner = Perceptron(max_iter=max(1, passes))
    decided = PLA_DECISIONS // (budget.share * (budget.d + ROW))
    learner._tuning = replace(learner._tuning, most_decided=decided)
    return learner


def _pocket(budget: Budget) -> LinearClassifier:
    size = budget.n * (budget.d + ROW)
    least, most = POCKET_UPDATES
    of_many = POCKET_UPDATES_OF_ALL if budget.share == 1 else POCKET_UPDATES_OF_A_FOLD
    updates = min(most, max(least, POCKET_MULTIPLICATIONS // size))
    updates = min(updates, max(of_many, POCKET_NUMBERS // size))
    return Pocket(max_updates=updates, random_state=SEED)


ALWAYS_YES = Candidate("always yes", lambda _: Baseline(answer=1), constant=True)
ALWAYS_NO = Candidate("always no", lambda _: Baseline(answer=-1), constant=True)
PLA = Candidate("PLA", _pla, standardise=True)
POCKET = Candidate("pocket", _pocket, standardise=True)
LINEAR = Candidate(
    "linear regression",
    lambda _: LinearRegressionClassifier(),
    shared=lambda rows: [lambda: rows.collinear],
)
LOGISTIC = Candidate(
    "logistic regression", lambda _: LogisticRegression(), shared=lambda rows: [rows]
)

Candidates = tuple[Candidate, ...]
# the order of every report
CANDIDATES: Candidates = (ALWAYS_YES, ALWAYS_NO, PLA, POCKET, LINEAR, LOGISTIC)

Penalty = float | str


def penalty_of(penalty: object) -> Penalty | None:
    """Return the penalty that a user means: C, "firth", or None for none."""
    if penalty is None:
        return None
    if str(penalty).strip().casefold() == FIRTH:
        return FIRTH
    try:
        C = float(str(penalty))
    except ValueError:
        C = math.nan
    if not 0.0 < C < math.inf:
        raise InputError(
            f"penalty={penalty!r} is neither a positive number (C, the inverse strength, as "
            f'scikit-learn\'s; 1 is usual) nor "{FIRTH}".'
        )
    return C


def penalised(penalty: Penalty) -> Candidate:
    if isinstance(penalty, str):
        name = f"{LOGISTIC.name} (penalty Firth)"
        firth = load("separatrix.learners.firth_logistic_regression").FirthLogisticRegression
        return Candidate(name, lambda _: firth(variant="flic"))
    name = f"{LOGISTIC.name} (penalty C={penalty:g})"
    return Candidate(name, lambda _: LogisticRegression(C=penalty), standardise=True)


def candidates_of(penalty: Penalty | None, wanted: Candidates) -> list[Candidate]:
    """Return who of those wanted takes part: a penalty replaces logistic regression without one."""
    if penalty is None:
        return list(wanted)
    return [*(c for c in wanted if c is not LOGISTIC), penalised(penalty)]


def joining(candidates: Sequence[Candidate], proofs: Sequence[Separability]) -> list[Candidate]:
    """Return who joins them: a penalty, where logistic regression without one has no optimum."""
    touching = LOGISTIC in candidates and any(proof.verdict == "touching" for proof in proofs)
    return [penalised(DEFAULT_PENALTY)] if touching else []


def is_logistic(name: str) -> bool:
    """Whether a learner of this name is logistic regression, with a penalty or without."""
    return name.startswith(LOGISTIC.name)


def fitted(
    candidate: Candidate, rows: TrainingRows, separable: Callable[[], bool], share: int = 1
) -> LinearClassifier:
    """Return the candidate fitted on some rows, its weights in the units of the table."""
    (n, d), nnz = rows.rows.shape, rows.rows.source.nnz
    numbers = d if nnz is None else nnz // n
    learner: Any = candidate.make(Budget(n, numbers, separable, share))
    seen = rows.standardised if candidate.standardise else rows
    if share > 1 and isinstance(learner, Perceptron | Pocket):  # traces of folds take room
        learner._tuning = replace(learner._tuning, trace_capacity=0)
    with quiet():  # `stopped` says it in the table
        if candidate.constant:
            classes = np.asarray(rows.rows.classes)
            learner.fit_sample(Sample(np.zeros((2, d)), np.array([-1.0, 1.0]), classes, np.ones(2)))
        elif seen.sample is not None:
            learner.fit_sample(seen.sample, *candidate.shared(seen))
        else:
            learner.fit(seen.rows)
    if candidate.standardise:
        weights = rows.scaling.undo(weights_of(learner))
        learner.intercept_, learner.coef_ = weights[:1], weights[np.newaxis, 1:]
        if isinstance(learner, LogisticRegression):
            learner.finite_weights_, learner.standardised_ = weights, True
    return learner  # type: ignore[no-any-return]  # Candidate.make says what it is


def scores_of(learner: LinearClassifier, X: Points) -> Floats:
    """Return the scores (N,) of rows X, each with its exact sign."""
    return signed_scores(as_rows(X), X.shape[0], weights_of(learner), 1.0)


def weights_of(learner: LinearClassifier) -> Floats:
    """Return the weights (1+d,) of a line, w_0 first."""
    return np.concatenate((learner.intercept_, learner.coef_[0]))


def left_out(errors: Sequence[float]) -> dict[str, Any]:
    """Return the errors in the folds with their mean and standard deviation, None without folds."""
    return {
        "cv_error": float(np.mean(errors)) if errors else None,
        "cv_spread": float(np.std(errors, ddof=1)) if errors else None,
        "fold_errors": tuple(errors),
    }


def has_optimum(learner: LinearClassifier) -> bool:
    """Whether it is a logistic regression whose likelihood, with its penalty, has a maximum."""
    if isinstance(learner, LogisticRegression):
        return learner.direction_ is None
    return hasattr(learner, "predict_proba")  # Firth's, always finite


def warm_up(candidates: Candidates = CANDIDATES) -> None:
    """Compile, or load from the cache, every kernel that candidates use: no timing includes it."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    rows = TrainingRows.of(Sample(X, y, np.array([-1.0, 1.0]), np.ones(4)))
    for candidate in candidates:
        scores_of(fitted(candidate, rows, separable=bool), X)


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
