"""The cross-entropy on many rows: Newton's steps on few of them, then few reads of all.

On nested subsamples of the rows Newton's method finds a line and the Cholesky factor of a Hessian
that is nearly that of all rows. With it as the metric, limited-memory BFGS needs a handful of
passes over all rows. The dual point of the certificate is sigma(-a), moved on the *sampled* rows
alone: with v = H_S^-1 (minus gradient) and D_S the sampled curvatures, alpha = sigma(-a) - D_S Z v
meets the equalities exactly as a fresh Hessian's would, at a gap that is larger by the sampling
rate. So no Hessian of all rows is ever formed.

Where subsamples will not do (a column that is constant in them, separable data), they grow up to
all rows; where all rows will not do either, the caller's careful method has to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from separatrix.data import Floats, Sample
from separatrix.learners.logistic.certify import repaired
from separatrix.learners.logistic.drawn_rows import (
    CholeskyFactor,
    Subsample,
    factorised_hessian,
    minimised_on,
)
from separatrix.learners.logistic.fisher import FisherInformation
from separatrix.learners.logistic.lbfgs import LBFGS
from separatrix.learners.logistic.line_search import Backtracking
from separatrix.learners.logistic.objective import Objective, TiledRows
from separatrix.learners.logistic.problem import LogisticFit, Problem, no_minimiser
from separatrix.learners.logistic.quantised import approached, quantising_pays
from separatrix.tiles import one_blas_thread

FEWEST = 2000  # rows of a subsample
MEMORY = 10  # pairs that BFGS remembers
PATIENCE = 4  # passes in which the decrease must fall by HEADWAY
HEADWAY = 0.05
MOST_STEPS = 30  # without a penalty: after these it is time to ask if a minimiser exists
LINE_SEARCH = Backtracking(least=1e-3)
SLACK = 1e-14  # of the value, relative: what rounding may add to it
REFINEMENTS = 8  # of the multipliers that make the dual point's equalities hold
ROUNDING = 1e-12  # relative, of what is left of them


def sizes(sample: Sample) -> list[int]:
    """Return the numbers of rows of the nested subsamples, the last as the metric for all rows."""
    k = sample.d + 1
    n, last = max(FEWEST, 10 * k), max(64 * k, sample.n // 12)
    found = []
    while 3 * n < last:
        found.append(n)
        n *= 6
    return [*found, last]


def subsampled(problem: Problem) -> LogisticFit | None:
    """Minimise the cross-entropy as `newton` does; None where subsamples of the rows will not do.

    Subsamples without mistakes grow towards all rows in vain where these are separable. So that is
    decided as soon as a line makes no mistake on all rows, or on the subsample that is to stand for
    them; it costs a few reads of all rows.
    """
    with one_blas_thread(), np.errstate(all="ignore"):
        search = _begun(problem)
        penalised = search.objective.scaling.penalised
        while True:
            if search.factor is not None:
                fit = search.minimised(search.factor, problem.tol, problem.max_iter)
                if fit is not None:
                    return fit
            if search.separated and no_minimiser(problem.separability):
                return LogisticFit(
                    search.weights, search.objective.source.sigma, np.inf, search.steps,
                    separability=problem.separability,
                )  # fmt: skip
            metric = search.metric
            if metric.whole or (not penalised and search.factor is None and problem.collinear):
                return None
            search.grow()


@dataclass(slots=True)
class _Search:
    """Where the search is: coordinates, the subsample that is its metric, and steps on all rows."""

    sample: Sample
    c: Floats
    metric: Subsample
    factor: CholeskyFactor | None
    inverse: LBFGS | None = None
    steps: int = 0
    separated: bool = False
    objective: Objective[TiledRows] = field(init=False)

    def __post_init__(self) -> None:
        sample, x0 = self.sample, self.metric.x0
        rows = TiledRows(sample.X, sample.y, sample.weight, x0, curved=False)
        self.objective = Objective(rows, self.metric.scaling)

    @property
    def weights(self) -> Floats:
        """The line (1+d,)."""
        return self.objective.scaling.weights(self.c)

    def grow(self) -> None:
        """Take four times as many rows as the metric."""
        metric = self.metric
        size = 4 * len(metric.chosen)
        self.metric = Subsample(self.sample, size, metric.x0, metric.scaling)
        self.metric.at(self.c)
        self.factor, self.inverse = factorised_hessian(self.metric), None

    def minimised(self, factor: CholeskyFactor, tol: float, max_iter: int) -> LogisticFit | None:
        """Go down to a certified line; None where that gets too slow."""
        objective, penalised = self.objective, self.objective.scaling.penalised
        inverse = self.inverse or LBFGS(MEMORY, factor.solve)
        value, gradient = objective.at(self.c)
        history: list[float] = []
        while True:
            if objective.source.separated and not penalised:
                self.separated = True
                return None
            decrease, last = float(gradient @ factor.solve(gradient)), self.steps >= max_iter
            if not np.isfinite(decrease):
                return None
            history.append(decrease)
            if last or factor.of.rate * decrease <= 4.0 * tol * value:
                gap = self._certified(factor, value, gradient)
                if last or gap <= tol:
                    return self._fit(gap)
            if len(history) > MOST_STEPS and not penalised:
                return None
            if len(history) > PATIENCE and decrease > HEADWAY * history[-1 - PATIENCE]:
                return None
            step = -inverse.solve(gradient)
            along, slope = objective.along(self.c, step), float(step @ gradient)
            found = LINE_SEARCH.search(along, value, slope, SLACK * value)
            if found is None:
                return None
            before = gradient
            t, value, gradient = found
            inverse.add(t * step, gradient - before)
            self.c, self.steps = self.c + t * step, self.steps + 1

    def _certified(self, factor: CholeskyFactor, value: float, gradient: Floats) -> float:
        """Return the relative gap at the place of the last pass; sigma becomes the dual point."""
        scaling, rows, sigma = self.objective.scaling, factor.of, self.objective.source.sigma
        penalty = scaling.penalty
        free = penalty == 0.0
        needed = scaling.combination(-self.objective.of_rows)
        v = -factor.solve(gradient)
        for _ in range(REFINEMENTS):
            moved = factor.curvature * rows.scores(v)
            left = needed - rows.combination(moved)
            if np.abs(left[free]).max(initial=0.0) <= ROUNDING * np.abs(gradient).max():
                break
            v += factor.solve(np.where(free, left, 0.0))
        short = np.divide(
            (left - penalty * self.c) ** 2, penalty, out=np.zeros_like(v), where=~free
        )
        rest = 0.5 * float(short.sum())
        return repaired(sigma, rows.chosen, rows.y, rows.weight, moved, rest) / value

    def _fit(self, gap: float) -> LogisticFit:
        """Return the fit, with standard errors at once where they cost little."""
        w, alpha, steps = self.weights, self.objective.source.sigma, self.steps
        scaling = self.objective.scaling
        if scaling.penalised:  # a penalised estimate is biased: it has no such standard errors
            return LogisticFit(w, alpha, gap, steps, np.full(w.size, np.nan))
        x0 = self.metric.x0
        known = FisherInformation(self.sample, x0, scaling, w, self.objective.of_rows)
        if known.cheap:
            return LogisticFit(w, alpha, gap, steps, known.standard_errors())
        return LogisticFit(w, alpha, gap, steps, None, known)


def _begun(problem: Problem) -> _Search:
    """Return the place to which subsamples or quantised rows lead."""
    sample, x0, max_iter = problem.sample, problem.x0, problem.max_iter
    levels = sizes(sample)
    few = levels[-1] > sample.n // 2  # a subsample that will do is most of the rows
    quantising = quantising_pays(sample)
    first = rows = Subsample(sample, FEWEST if few and quantising else levels[0], x0, problem.C)
    scaling, c, steps = first.scaling, first.scaling.coordinates(problem.start), 0
    factor, inverse = None, None
    if few and quantising:
        c, inverse, steps = approached(first, sample, c, None, max_iter)
        rows = Subsample(sample, 2 * (sample.d + 1), x0, scaling)
        rows.at(c)
        return _Search(sample, c, rows, factorised_hessian(rows), inverse, steps)
    for size in levels:
        rows = first if size == levels[0] else Subsample(sample, size, x0, scaling)
        found = minimised_on(rows, c, 0.1 * (sample.d + 1) * rows.rate)
        c, factor = (c, None) if found is None else found
        separated = factor is None and rows.source.separated
        if factor is None and not (separated or scaling.penalised) and problem.collinear:
            break  # no subsample will do
    if quantising and factor is not None:
        c, inverse, steps = approached(first, sample, c, factor.solve, max_iter)
    return _Search(sample, c, rows, factor, inverse, steps, separated and not scaling.penalised)
