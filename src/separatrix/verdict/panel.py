"""The learners side by side: each fitted on all rows and cross-validated on the same folds.

PLA and pocket see standardised columns (their paths depend on units), the others the table's own;
every line is reported in the units of the table, and its mistakes are recounted there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from separatrix.clock import work_clock
from separatrix.data import Floats, InputError, SeparatrixWarning
from separatrix.kernels.exact import signed_scores
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.baseline import Baseline
from separatrix.learners.linear_regression import LinearRegressionClassifier
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.pocket import Pocket
from separatrix.tables import Table
from separatrix.verdict.folds import SEED, Fold

# Budgets are counted in work, not seconds, so that the verdict does not depend on the machine: a
# second or so of PLA where it will end by itself, a blink where it cannot. A row costs at least as
# much as ROW multiplications. Where nearly every score has to be decided exactly a row costs a
# hundred times more: then, and only then, a time limit ends PLA first, and the verdict says so.
ROW = 16
PLA_MULTIPLICATIONS = 2**33
PLA_SECONDS = 16.0
POCKET_MULTIPLICATIONS = 2**28
HOPELESS_PASSES = 100

LARGEST_EXPONENT = 1000  # of a weight in the units of the table


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Contestant:
    """A learner that takes part.

    Parameters
    ----------
    name : str
        As people call it.
    make : callable (rows, features, separable) -> learner
        A fresh learner with its budget.
    standardise : bool
        Whether its path depends on the units of the columns.
    takes_weight : bool
        Whether its `fit` has a sample_weight.
    """

    name: str
    make: Callable[[int, int, bool], LinearClassifier]
    standardise: bool
    takes_weight: bool


@dataclass(frozen=True, slots=True)
class LearnerResult:
    """What came of one learner.

    Parameters
    ----------
    name : str
    learner : LinearClassifier
        Fitted on all rows, its weights in the units of the table.
    weights : (1+d,)
        w_0 first, in the units of the table.
    n_errors : int
        Rows on the wrong side of the line or on it, exact signs.
    n_wrong_yes, n_wrong_no : int
        Of these, rows answered yes that are no, and rows answered no that are yes; a no row *on*
        the line is neither, though it counts as a mistake.
    e_in : float
        Their share of the weight.
    cv_error, cv_spread : float or None
        Mean and standard deviation of the error over the folds; None where a class has too few
        rows to be in every fold.
    fold_errors : tuple of float
    seconds : float
        Of the fit on all rows, compiling of kernels left out.
    stopped : str
        Why it stopped.
    n_updates : int or None
        T, for PLA and pocket.
    standardised : bool
        Whether it saw standardised columns.
    """

    name: str
    learner: LinearClassifier
    weights: Floats
    n_errors: int
    n_wrong_yes: int
    n_wrong_no: int
    e_in: float
    cv_error: float | None
    cv_spread: float | None
    fold_errors: tuple[float, ...]
    seconds: float
    stopped: str
    n_updates: int | None
    standardised: bool


def _pla(n: int, d: int, separable: bool, share: int = 1) -> LinearClassifier:
    passes = PLA_MULTIPLICATIONS // (share * n * (d + ROW)) if separable else HOPELESS_PASSES
    return Perceptron(max_iter=max(1, passes), time_limit=PLA_SECONDS / share)


def _pla_in_fold(n: int, d: int, separable: bool) -> LinearClassifier:
    return _pla(n, d, separable, share=16)


def _pocket(n: int, d: int, separable: bool) -> LinearClassifier:  # noqa: ARG001
    updates = POCKET_MULTIPLICATIONS // (n * (d + ROW))
    return Pocket(max_updates=min(1000, max(50, updates)), random_state=SEED)


ALWAYS_YES = Contestant("always yes", lambda *_: Baseline(answer=1), False, True)
ALWAYS_NO = Contestant("always no", lambda *_: Baseline(answer=-1), False, True)
PLA = Contestant("PLA", _pla, True, False)
POCKET = Contestant("pocket", _pocket, True, True)
LINEAR = Contestant("linear regression", lambda *_: LinearRegressionClassifier(), False, True)
LOGISTIC = Contestant("logistic regression", lambda *_: LogisticRegression(), False, True)

# Of equals the first wins: fewer assumptions first.
PANEL: tuple[Contestant, ...] = (ALWAYS_YES, ALWAYS_NO, PLA, POCKET, LINEAR, LOGISTIC)
IN_FOLD = {PLA.name: _pla_in_fold}


@dataclass(frozen=True, slots=True)
class Scaling:
    """x -> (x 2^-exponent - mean) / spread per column; constant columns keep their size.

    The power of two comes first, so that neither huge nor tiny columns leave float64's range.
    """

    exponent: NDArray[np.int64]
    mean: Floats
    spread: Floats

    def apply(self, X: Floats) -> Floats:
        """Return X (N, d) standardised."""
        seen = _shrunk(X, self.exponent)
        seen -= self.mean
        seen /= self.spread
        return seen

    def undo(self, weights: Floats) -> Floats:
        """Return the same line (1+d,) for the columns as they were, up to a power of two.

        That power is 1 unless a weight would leave float64's range.
        """
        slopes = weights[1:] / self.spread
        intercept = weights[0] - float(slopes @ self.mean)
        _, sizes = np.frexp(slopes)
        shift = max(0, int((sizes - self.exponent).max(initial=0)) - LARGEST_EXPONENT)
        return np.append(np.ldexp(intercept, -shift), np.ldexp(slopes, -self.exponent - shift))


def _shrunk(X: Floats, exponent: NDArray[np.int64]) -> Floats:
    """Return X 2^-exponent (N, d), a copy: a product rounds as `ldexp` does, in less time."""
    with np.errstate(over="ignore"):  # columns of subnormal numbers only
        factor = np.ldexp(1.0, -exponent)
    if np.isfinite(factor).all():
        return np.asarray(X * factor)
    return np.asarray(np.ldexp(X, -exponent))


def standardisation(X: Floats, weight: Floats | None) -> Scaling:
    """Return each column's (weighted) mean and standard deviation over rows X (N, d)."""
    exponent = np.frexp(np.abs(X).max(axis=0))[1].astype(np.int64)
    shrunk = _shrunk(X, exponent)
    mean = np.average(shrunk, axis=0, weights=weight)
    shrunk -= mean
    shrunk *= shrunk
    spread = np.sqrt(np.average(shrunk, axis=0, weights=weight))
    constant = (X[0] == X).all(axis=0) | (spread == 0.0)
    return Scaling(
        np.where(constant, 0, exponent),
        np.where(constant, 0.0, mean),
        np.where(constant, 1.0, spread),
    )


def fitted(  # noqa: PLR0917  # one caller
    contestant: Contestant,
    make: Callable[[int, int, bool], LinearClassifier],
    X: Floats,
    y: Floats,
    weight: Floats | None,
    separable: bool,
) -> LinearClassifier:
    """Return the contestant fitted on rows X (N, d), its weights in the units of X."""
    learner: Any = make(X.shape[0], X.shape[1], separable)
    scaling = standardisation(X, weight) if contestant.standardise else None
    seen = X if scaling is None else scaling.apply(X)
    options = {"sample_weight": weight} if contestant.takes_weight else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparatrixWarning)  # `stopped` says it in the table
        learner.fit(seen, y, **options)
    if scaling is not None:
        weights = scaling.undo(np.concatenate((learner.intercept_, learner.coef_[0])))
        learner.intercept_, learner.coef_ = weights[:1], weights[np.newaxis, 1:]
    return learner  # type: ignore[no-any-return]  # Contestant.make says what it is


def timed(fit: Callable[[], T]) -> tuple[T, float]:
    """Return what `fit` returns, and its seconds without those in which kernels were compiled.

    Kernels are chosen by the size of a table, so that `warm_up` cannot know all of them.
    """
    started = work_clock()
    made = fit()
    return made, work_clock() - started


def scores_of(learner: LinearClassifier, X: Floats) -> Floats:
    """Return the scores (N,) of rows X, each with its exact sign."""
    weights = np.concatenate((learner.intercept_, learner.coef_[0]))
    return signed_scores(X, X.shape[0], weights, 1.0)


def wrong_rows(learner: LinearClassifier, X: Floats, y: Floats) -> NDArray[np.bool_]:
    """Return which rows (N,) are on the wrong side of the line or on it."""
    return np.asarray(y * scores_of(learner, X) <= 0.0)


def share(wrong: NDArray[np.bool_], weight: Floats | None) -> float:
    """Return the (weighted) share of wrong rows."""
    return float(np.average(wrong, weights=weight))


def run(
    contestant: Contestant,
    X: Floats,
    table: Table,
    folds: Sequence[Fold],
    separable: bool,
) -> LearnerResult:
    """Fit one contestant on all rows X (N, d) and on every fold."""
    inside = (fitted_inside(contestant, fold, separable) for fold in folds)  # one at a time
    return result_of(contestant, X, table, zip(folds, inside, strict=True), separable)


def fitted_inside(contestant: Contestant, fold: Fold, separable: bool) -> LinearClassifier:
    """Return the contestant fitted on the training rows of a fold."""
    make = IN_FOLD.get(contestant.name, contestant.make)
    return fitted(contestant, make, fold.X, fold.y, fold.weight, separable)


def result_of(
    contestant: Contestant,
    X: Floats,
    table: Table,
    inside: Iterable[tuple[Fold, LinearClassifier]],
    separable: bool,
) -> LearnerResult:
    """Fit one contestant on all rows X (N, d); `inside` are the folds with what it is there."""
    learner, seconds = timed(
        lambda: fitted(contestant, contestant.make, X, table.y, table.weight, separable)
    )
    scores = scores_of(learner, X)
    wrong = table.y * scores <= 0.0
    errors = [
        share(wrong_rows(line, fold.X_held, fold.y_held), fold.weight_held) for fold, line in inside
    ]
    return LearnerResult(
        name=contestant.name,
        learner=learner,
        weights=np.concatenate((learner.intercept_, learner.coef_[0])),
        n_errors=int(wrong.sum()),
        n_wrong_yes=int((scores[table.y < 0] > 0.0).sum()),
        n_wrong_no=int((scores[table.y > 0] <= 0.0).sum()),
        e_in=share(wrong, table.weight),
        cv_error=float(np.mean(errors)) if errors else None,
        cv_spread=float(np.std(errors, ddof=1)) if errors else None,
        fold_errors=tuple(errors),
        seconds=seconds,
        stopped=str(learner.stopped_),
        n_updates=getattr(learner, "n_updates_", None),
        standardised=contestant.standardise,
    )


def warm_up() -> None:
    """Compile, or load from the cache, every kernel that the panel uses: no timing includes it."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    for contestant in PANEL:
        learner = fitted(contestant, contestant.make, X, y, None, separable=False)
        wrong_rows(learner, X, y)


class Judged(Protocol):
    """What the winner is chosen by."""

    @property
    def e_in(self) -> float:
        """The share of mistakes on all rows."""

    @property
    def cv_error(self) -> float | None:
        """The mean error on rows left out."""

    @property
    def fold_errors(self) -> tuple[float, ...]:
        """The error in each fold."""


J = TypeVar("J", bound=Judged)


def winner_of(results: Sequence[J]) -> J:
    """Return the least cross-validated error; of equals the least E_in, then the first."""
    if not results:
        raise InputError("no learner took part.")
    return min(results, key=lambda r: (r.e_in if r.cv_error is None else r.cv_error, r.e_in))


def optimism_of(results: Sequence[Judged]) -> float | None:
    """Return by how much choosing the best of them flatters its cross-validated error.

    The estimate of Tibshirani & Tibshirani (2009, Annals of Applied Statistics 3:822): the mean
    over folds of how much better the fold's own winner did there than the overall winner.
    """
    if any(r.cv_error is None for r in results):
        return None
    chosen = winner_of(results)
    errors = np.array([r.fold_errors for r in results])
    return float((np.array(chosen.fold_errors) - errors.min(axis=0)).mean())
