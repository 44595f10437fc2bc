"""scikit-learn: its Perceptron, on the same walk as ours or as it comes, and its regressions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron

from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.ladder import at_best_tolerance
from benchmarks.timing import timed, timed_pass
from separatrix.kernels.exact import count_mistakes

IMPORTS = "from sklearn.linear_model import Perceptron"
MOST_PASSES = 4096  # a line not found by then counts as not found
STEPS = 3000
NO_PENALTY = 1e10  # where a solver takes no inf: |w|^2 / 2e10 is below 1e-12 of any error here
FREE = 1e3  # the size of liblinear's constant column: the larger, the less it penalises w_0


@dataclass(frozen=True)
class OnePass:
    """A pass; tol=None, so that all passes are run.

    With an intercept its walk on sparse rows is another one: it moves that by a hundredth.
    """

    passes: int
    fit_intercept: bool = True
    name: str = "scikit-learn"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            model, seconds, whole = timed_pass(
                lambda k: _walk(problem, k, self.fit_intercept), self.passes
            )
            return _line(model, seconds, whole)

        return run


@dataclass(frozen=True)
class FewestPasses:
    """Told beforehand after how many passes its line separates: no user knows that number.

    Finding the number and checking the line are not timed: this is the least it could take.
    """

    name: str = "scikit-learn, passes told"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        passes = fewest_passes(problem)

        def run() -> Answer:
            model, seconds = timed(_walk, problem, passes)
            return _line(model, seconds)

        return run


@dataclass(frozen=True)
class AsItComes:
    """Its defaults: what a user gets who does not know better."""

    name: str = "scikit-learn, defaults"
    imports: str = IMPORTS

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            model, seconds = timed(lambda: Perceptron(random_state=0).fit(problem.X, problem.y))
            return _line(model, seconds)

        return run


@dataclass(frozen=True)
class LeastSquares:
    """`tol` is what it takes as cond: directions below it are dropped without a word."""

    tol: float = 1e-6
    name: str = "scikit-learn"
    imports: str = "from sklearn.linear_model import LinearRegression"

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            model, seconds = timed(LinearRegression(tol=self.tol).fit, problem.X, problem.y)
            rank = getattr(model, "rank_", "unknown")  # of sparse tables
            return Answer(line_of(model), seconds, work=f"tol {self.tol:g}, rank {rank}")

        return run


@dataclass(frozen=True)
class Logistic:
    """One of its solvers, at its best tolerance."""

    solver: str
    imports: str = "from sklearn.linear_model import LogisticRegression"

    @property
    def name(self) -> str:
        """The peer's name in tables."""
        return f"scikit-learn {self.solver}"

    def prepare(self, problem: Problem) -> Run:
        settings = {"C": problem.C, "solver": self.solver, "max_iter": STEPS}
        if self.solver == "liblinear":  # it penalises w_0 and has no way out of that but this
            free = np.isinf(problem.C)
            settings |= {
                "C": min(problem.C, NO_PENALTY),
                "intercept_scaling": 1.0 if free else FREE,
            }

        def fit(tolerance: float) -> LogisticRegression:
            return LogisticRegression(tol=tolerance, **settings).fit(problem.X, problem.y)

        return at_best_tolerance(fit, line_of, problem)


def line_of(model: LinearRegression | LogisticRegression) -> Floats:
    """Return the line (1+d,), w_0 first; models of others that follow scikit-learn have it too."""
    return np.append(model.intercept_, np.ravel(model.coef_)).astype(np.float64)


def fewest_passes(problem: Problem) -> int:
    """Return the fewest passes after which the line separates, by doubling and bisection.

    In a fixed order a line that separates is never changed again, so bisection is sound.
    """
    high = 1
    while high < MOST_PASSES and not _separates(problem, high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _separates(problem, middle) else (middle, high)
    return high


def _separates(problem: Problem, passes: int) -> bool:
    weights = weights_of(_walk(problem, passes))
    return bool(count_mistakes(problem.X, problem.y, weights, 1.0) == 0)


def _walk(problem: Problem, passes: int, fit_intercept: bool = True) -> Perceptron:
    """Return the line after so many passes over the rows in order: PLA's own walk."""
    model = Perceptron(max_iter=passes, tol=None, shuffle=False, fit_intercept=fit_intercept)
    return model.fit(problem.X, problem.y)


def weights_of(model: Perceptron) -> np.ndarray:
    """Return the line (1+d,), w_0 first."""
    return np.append(model.intercept_, model.coef_[0])


def _line(model: Perceptron, seconds: float, whole: float | None = None) -> Answer:
    """Return a fitted perceptron as an answer: it claims nothing about the data."""
    return Answer(weights_of(model), seconds, whole, work=f"{model.n_iter_} passes")
