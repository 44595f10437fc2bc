"""separatrix itself, called as its users call it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import separatrix
from benchmarks.answer import NOT_SEPARABLE, SEPARABLE, Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.proofs import of_fewest_mistakes
from benchmarks.timing import timed, timed_pass

CLAIMS = {
    "separable": SEPARABLE,
    "touching": NOT_SEPARABLE,
    "overlapping": NOT_SEPARABLE,
    "undecided": None,
}


@dataclass(frozen=True)
class OnePass:
    """A pass of PLA, on a table that never gives it a clean one."""

    passes: int
    fit_intercept: bool = True
    name: str = "separatrix"
    imports: str = "from separatrix import Perceptron"

    def prepare(self, problem: Problem) -> Run:
        def fit(passes: int) -> separatrix.Perceptron:
            model = separatrix.Perceptron(max_iter=passes, fit_intercept=self.fit_intercept)
            return model.fit(problem.X, problem.y)

        def run() -> Answer:
            model, seconds, whole = timed_pass(fit, self.passes)
            return _line(model, problem, seconds, whole)

        return run


@dataclass(frozen=True)
class GradientStep:
    """A step of batch descent on the cross-entropy."""

    steps: int
    name: str = "separatrix"
    imports: str = "from separatrix import GradientDescent"

    def prepare(self, problem: Problem) -> Run:
        def fit(steps: int) -> separatrix.GradientDescent:
            return separatrix.GradientDescent(max_updates=steps).fit(problem.X, problem.y)

        def run() -> Answer:
            model, seconds, whole = timed_pass(fit, self.steps)
            weights = np.append(model.intercept_, model.coef_[0])
            return Answer(weights, seconds, whole, work=f"{model.n_updates_} updates")

        return run


@dataclass(frozen=True)
class Perceptron:
    """PLA to its end: the last pass is the verification, and its certificate is the proof."""

    name: str = "separatrix"
    imports: str = "from separatrix import Perceptron"

    def prepare(self, problem: Problem) -> Run:
        def fit() -> separatrix.Perceptron:
            return separatrix.Perceptron(max_iter=None).fit(problem.X, problem.y)

        def run() -> Answer:
            model, seconds = timed(fit)
            return _line(model, problem, seconds)

        return run


@dataclass(frozen=True)
class LeastSquares:
    """The shortest minimiser, with rank and residuals."""

    name: str = "separatrix"
    imports: str = "from separatrix import LinearRegression"

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            model, seconds = timed(lambda: separatrix.LinearRegression().fit(problem.X, problem.y))
            weights = np.append(model.intercept_, model.coef_)
            return Answer(weights, seconds, work=f"rank {model.rank_}")

        return run


@dataclass(frozen=True)
class Logistic:
    """To the certified gap, which its tolerance means; nobody else's does."""

    gap: float = 1e-8
    name: str = "separatrix"
    imports: str = "from separatrix import LogisticRegression"

    def prepare(self, problem: Problem) -> Run:
        return _logistic_run(problem, problem.X, self.gap, 1.0)


@dataclass(frozen=True)
class Intervals:
    """The table of coefficients: likelihood intervals and statistics, each end with its proof."""

    name: str = "separatrix"
    imports: str = "from separatrix import coefficient_table"

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            table, seconds = timed(lambda: separatrix.coefficient_table(problem.X, problem.y))
            ends = np.array([(row.lower, row.upper) for row in table.rows])
            work = "ends undecided" if np.isnan(ends).any() else "no end undecided"
            return Answer(np.array([row.estimate for row in table.rows]), seconds, work=work)

        return run


@dataclass(frozen=True)
class LogisticStandardised:
    """The same on columns brought to one scale beforehand, untimed: what no scale would cost.

    The optimum is the same line without a penalty alone.
    """

    gap: float = 1e-8
    name: str = "separatrix, one scale"
    imports: str = "from separatrix import LogisticRegression"

    def prepare(self, problem: Problem) -> Run:
        assert np.isinf(problem.C)
        scales = problem.X.std(axis=0)
        return _logistic_run(problem, problem.X / scales, self.gap, scales)


@dataclass(frozen=True)
class LogisticUnconverted:
    """The same without columns that are others in another unit: what these should cost nothing."""

    gap: float = 1e-8
    name: str = "separatrix, one unit"
    imports: str = "from separatrix import LogisticRegression"

    def prepare(self, problem: Problem) -> Run:
        inner = _logistic_run(problem, problem.unconverted.X, self.gap, 1.0)

        def run() -> Answer:
            answer = inner()
            weights = np.append(answer.weights, np.zeros(problem.converted))
            return replace(answer, weights=weights)

        return run


@dataclass(frozen=True)
class Separability:
    """The verdict with its exact proof."""

    name: str = "separatrix"
    imports: str = "from separatrix import separability"

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            found, seconds = timed(separatrix.separability, problem.X, problem.y)
            return Answer(
                found.weights,
                seconds,
                claim=CLAIMS[found.verdict],
                check=lambda: found.verify(problem.X, problem.y),
                work=f"{found.verdict}, rank {found.rank}",
            )

        return run


@dataclass(frozen=True)
class ExactVerdict:
    """The same without the line: it need not be one of doubles, nor that of the largest margin."""

    name: str = "separatrix"
    imports: str = "from separatrix import separability"

    def prepare(self, problem: Problem) -> Run:
        def run() -> Answer:
            found, seconds = timed(separatrix.separability, problem.X, problem.y)
            return Answer(
                None,
                seconds,
                claim=CLAIMS[found.verdict],
                check=lambda: found.verify(problem.X, problem.y),
                work=f"{found.verdict}, rank {found.rank}",
            )

        return run


@dataclass(frozen=True)
class FewestMistakes:
    """The bracket of the fewest mistakes; once it is closed, with a proof file."""

    seconds: float | None = 120.0
    nodes: int | None = None
    name: str = "separatrix"
    imports: str = "from separatrix import minimum_errors"

    def prepare(self, problem: Problem) -> Run:
        def fit() -> separatrix.ErrorBracket:
            return separatrix.minimum_errors(
                problem.X, problem.y, time_limit=self.seconds, max_nodes=self.nodes
            )

        def run() -> Answer:
            found, seconds = timed(fit)
            if found.interrupted:  # it has kept its best answer, which is nobody's figure
                raise KeyboardInterrupt
            closed = "proven" if found.proven else "OPEN"
            return Answer(
                found.weights,
                seconds,
                prove=(lambda: of_fewest_mistakes(found, problem)) if found.proven else None,
                work=f"{closed}: {found.lower:g} .. {found.upper:g}, {found.nodes} boxes",
            )

        return run


def _logistic_run(problem: Problem, X: Floats, gap: float, scales: Floats | float) -> Run:
    def fit() -> separatrix.LogisticRegression:
        return separatrix.LogisticRegression(C=problem.C, tol=gap).fit(X, problem.y)

    def run() -> Answer:
        model, seconds = timed(fit)
        weights = np.append(model.intercept_, model.coef_[0] / scales)
        found = getattr(model.certificate_, "gap", None)
        text = f"{model.stopped_}" if found is None else f"gap {found:.0e} certified"
        return Answer(weights, seconds, work=f"{model.n_iter_} steps, {text}")

    return run


def _line(
    model: separatrix.Perceptron, problem: Problem, seconds: float, whole: float | None = None
) -> Answer:
    """Return a fitted perceptron as an answer."""
    clean = model.stopped_ is separatrix.Stopped.CLEAN_PASS
    proof = model.certificate_ if clean else None
    return Answer(
        np.append(model.intercept_, model.coef_[0]),
        seconds,
        whole,
        claim=SEPARABLE if clean else None,
        check=None if proof is None else lambda: proof.verify(problem.X, problem.y),
        work=f"{model.n_iter_} passes, {model.n_updates_} updates",
    )
