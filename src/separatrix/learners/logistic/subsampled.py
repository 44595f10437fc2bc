"""The cross-entropy on many rows: Newton's steps on few of them, then few reads of all.

Newton's method on nested subsamples gives a line and a Hessian's factor, the metric of L-BFGS over
all rows. The dual point moves the *sampled* rows alone, v = H_S^-1 (minus gradient) and
alpha = sigma(-a) - D_S Z v: it meets the equalities exactly. Where no subsample will do: `newton`.
Where rows are long, a copy of the table in 16 bits leads near the optimum, and claims nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, Sample
from separatrix.kernels.smooth import logistic as kernel
from separatrix.learners.logistic.drawn_rows import (
    CholeskyFactor,
    Few,
    Subsample,
    cholesky,
    factorised_hessian,
    minimised_on,
)
from separatrix.learners.logistic.newton import (
    FisherInformation,
    GapInBlocks,
    Place,
    gap_of_moves,
    newton,
)
from separatrix.learners.logistic.objective import Objective, RowsInTiles, Scaling, over_tiles
from separatrix.learners.logistic.problem import LogisticFit, Problem, no_minimiser
from separatrix.learners.logistic.steps import LBFGS, Backtracking
from separatrix.tiles import TILE, one_blas_thread

FEWEST = 2000  # rows of a subsample
MOST_NUMBERS = 1 << 22  # in one, where that makes 16 rows for each column
MEMORY = 10  # pairs that BFGS remembers
PATIENCE = 4  # passes in which the decrease must fall by HEADWAY
HEADWAY = 0.05
VANISHED = 1e-2  # of the curvature at 0, what is left of it in some direction
MOST_STEPS = 30  # without a penalty: after these it is time to ask if a minimiser exists
LINE_SEARCH = Backtracking(least=1e-3)
SLACK = 1e-14  # of the value, relative: what rounding may add to it
REFINEMENTS = 8  # of the multipliers that make the dual point's equalities hold
ROUNDING = 1e-12  # relative, of what is left of them


def sizes(n: int, d: int) -> list[int]:
    """Return the numbers of rows of the nested subsamples, the last as the metric for all rows."""
    k = d + 1
    size, most = max(FEWEST, 10 * k), MOST_NUMBERS // k
    last = max(16 * k, min(max(64 * k, n // 12), most))
    found = []
    while 3 * size < last:
        found.append(size)
        size *= 6
    return [*found, last]


def numbers_drawn(n: int, d: int) -> int:
    """Return about how many numbers the largest subsample has."""
    return min(n, sizes(n, d)[-1]) * (d + 1)


def subsampled(problem: Problem) -> LogisticFit | None:
    """Minimise to a certified gap, or find no minimum; None where columns in memory go first."""
    with one_blas_thread(), np.errstate(all="ignore"):
        search = _begun(problem)
        if search.factor is not None:
            fit = search.minimised(search.factor, problem)
            if fit is not None:
                return unless_endless(fit, search.few, problem)
        if search.separated and not problem.penalised and problem.overlap_rank is None:
            proof = problem.separability
            if no_minimiser(proof):
                return LogisticFit(search.weights, np.inf, search.steps, separability=proof)
            problem = replace(problem, overlap_rank=proof.rank)
        elif search.factor is None and _to_leave_out(problem):
            return None
        fit = newton(problem, search.place.read(problem.rows), search.steps)
        return unless_endless(fit, search.few, problem)


def unless_endless(fit: LogisticFit, few: Subsample, problem: Problem) -> LogisticFit:
    """Return a certified fit, or that no minimiser exists: asked where curvature vanished."""
    if problem.penalised or problem.overlap_rank is not None or fit.separability is not None:
        return fit
    if not np.isfinite(fit.weights).all():
        return fit
    few.at(few.scaling.coordinates(fit.weights))
    left = few.source.curvature - VANISHED * 0.25 * few.weight * few.few.copies
    if (left >= 0.0).all():  # of every row, so in all directions
        return fit
    more, less = (few.gram(np.maximum(part, 0.0)) for part in (left, -left))
    if cholesky(more - less + np.diag(few.scaling.penalty), np.inf) is not None:
        return fit
    proof = problem.separability
    return replace(fit, gap=np.inf, separability=proof) if no_minimiser(proof) else fit


@dataclass(slots=True)
class _Search:
    """Where the search is: coordinates, the subsample that is its metric, and steps on all rows."""

    objective: Objective[RowsInTiles]
    c: Floats
    few: Subsample
    factor: CholeskyFactor | None
    inverse: LBFGS | None = None
    steps: int = 0
    separated: bool = False

    @property
    def weights(self) -> Floats:
        return self.objective.scaling.weights(self.c)

    @property
    def place(self) -> Place:
        """The same for reads that sum the Hessian too."""
        rows, scaling = self.objective.source, self.objective.scaling
        return Place(scaling, rows.x0, rows.factors, self.c)

    def minimised(self, factor: CholeskyFactor, problem: Problem) -> LogisticFit | None:
        """Go down to a certified line; None where that gets too slow."""
        objective, penalised, tol = self.objective, problem.penalised, problem.tol
        inverse = self.inverse or LBFGS(MEMORY, factor.solve)
        value, gradient = objective.at(self.c)
        history: list[float] = []
        while True:
            if objective.source.separated and not penalised:
                self.separated = True
                return None
            decrease = float(gradient @ factor.solve(gradient))
            last = self.steps >= problem.max_iter
            if not np.isfinite(decrease):
                return None
            history.append(decrease)
            if last or self.few.rate * decrease <= 4.0 * tol * value:
                moved = self._moved(factor, gradient)
                gap = gap_of_moves(self.few, self.c, objective.of_rows, moved) / value
                if last or gap <= tol:
                    return self._fit(problem, gap)
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

    def _moved(self, factor: CholeskyFactor, gradient: Floats) -> Floats:
        """Return by how much to move the shares of the few rows (n,), so that equalities hold."""
        few = self.few
        free = few.scaling.penalty == 0.0
        needed = few.scaling.combination(-self.objective.of_rows)
        v = -factor.solve(gradient)
        for _ in range(REFINEMENTS):
            moved = factor.curvature * few.scores(v)
            left = needed - few.combination(moved)
            if np.abs(left[free]).max(initial=0.0) <= ROUNDING * np.abs(gradient).max():
                break
            v += factor.solve(np.where(free, left, 0.0))
        return moved

    def _fit(self, problem: Problem, gap: float) -> LogisticFit:
        """Return the fit, with standard errors at once where they cost little."""
        place = self.place
        claim = GapInBlocks.of(place, gap, problem.rows.n)
        fit = LogisticFit(self.weights, gap, self.steps, claim=claim)
        if problem.penalised:  # a penalised estimate is biased: it has no such standard errors
            return replace(fit, standard_errors=np.full(place.c.size, np.nan))
        known = FisherInformation(problem.rows, place, self.objective.of_rows)
        if known.cheap:
            return replace(fit, standard_errors=known.standard_errors())
        return replace(fit, information=known)


def _begun(problem: Problem) -> _Search:
    """Return the place to which subsamples or quantised rows lead."""
    table, max_iter = problem.rows, problem.max_iter
    levels = sizes(*table.shape)
    quantising = problem.in_memory and quantising_pays(problem.sample, levels[-1])
    drawn = Few.drawn(table, FEWEST if quantising else levels[-1], problem.factors)
    first = few = Subsample(drawn.fewer(levels[0]) if levels[1:] else drawn, problem.C)
    scaling, c = first.scaling, first.scaling.coordinates(problem.start)
    rows = RowsInTiles(table, problem.factors, keep=problem.in_memory)
    objective = Objective(rows, scaling)
    if quantising:  # a subsample that will do is most of the rows
        c, inverse, steps = approached(first, problem.sample, c, max_iter)
        few = Subsample(drawn.fewer(2 * (table.d + 1)), scaling)
        few.at(c)
        return _Search(objective, c, few, factorised_hessian(few), inverse, steps)
    for size in levels:
        if size != levels[0]:
            few = Subsample(drawn if size == levels[-1] else drawn.fewer(size), scaling)
        enough, zero = 0.1 * (table.d + 1) * few.rate, np.zeros_like(c)
        found = minimised_on(few, c, enough)
        if found is None and c.any():  # a start may be too far for doubles
            found = minimised_on(few, zero, enough)
        c, factor = found or (zero, None)
        separated = factor is None and few.source.separated and not problem.penalised
        if factor is None and not separated and _to_leave_out(problem):
            break  # no subsample will do
    return _Search(objective, c, few, factor, separated=separated)


def _to_leave_out(problem: Problem) -> bool:
    """Whether columns of rows in memory have to be left out first."""
    return problem.in_memory and not problem.penalised and bool(problem.collinear)


LONG = 128  # columns
MOST_QUANTISED = 60  # steps
MEMORY_QUANTISED = 20  # pairs that BFGS remembers
LINE_SEARCH_QUANTISED = Backtracking(least=1e-3, shrink=0.25)
ENOUGH = 3e-9  # relative decrease of a step, below which the rounding of the rows decides
ROOM = 1.5  # times the largest value that a subsample shows


class QuantisedRows:
    """Rows (x0, q), q = (x - centre) / step rounded to whole numbers of 16 bits."""

    def __init__(self, sample: Sample, centre: Floats, step: Floats) -> None:
        q = np.empty(sample.X.shape, dtype=np.int16)
        self._table = (q, sample.y, sample.weight, sample.x0)
        self._n_tiles = -(-sample.n // TILE)
        self._errors, self._sums = np.empty(self._n_tiles), np.empty((self._n_tiles, sample.d + 1))

        def quantise(first: int, last: int) -> None:
            rows = slice(first * TILE, last * TILE)
            kernel.quantise(sample.X[rows], centre, step, q[rows])

        over_tiles(self._n_tiles, quantise)

    def at(self, w: Floats) -> tuple[float, Floats]:
        """Return the sum of weight ln(1 + e^-a), and its gradient (1+d,), at weights w (1+d,)."""
        constant, v = float(w[0]), w[1:].astype(np.float32)
        summed = kernel.quantised_cross_entropy_of_tiles
        arguments = self._table, constant, v, self._errors, self._sums, TILE
        over_tiles(self._n_tiles, partial(summed, *arguments))
        return float(self._errors.cumsum()[-1]), self._sums.sum(axis=0)


def quantised(rows: Subsample, sample: Sample) -> Objective[QuantisedRows]:
    """Return the objective over quantised rows, in the coordinates of a subsample."""
    scaling = rows.scaling
    centre = scaling.centre[1:]
    largest = np.maximum(rows.X.max(axis=0) - centre, centre - rows.X.min(axis=0))
    step = np.where(largest > 0.0, largest, 1.0) * (ROOM / kernel.LARGEST)
    scale = np.concatenate(([1.0], scaling.scale[1:] * step))
    source = QuantisedRows(sample, centre, step)
    return Objective(source, Scaling(np.zeros_like(scale), scale, scaling.penalty))


def quantising_pays(sample: Sample, needed: int) -> bool:
    """Whether rows are long, and a subsample that would do has more than half of them."""
    dense = not sp.issparse(sample.X)
    return dense and LONG <= sample.d < sample.n // 4 and needed > sample.n // 2


def approached(
    rows: Subsample, sample: Sample, c: Floats, max_iter: int
) -> tuple[Floats, LBFGS, int]:
    """Return a place near the optimum by L-BFGS on quantised rows, its pairs, and steps."""
    objective = quantised(rows, sample)
    diagonal = 0.25 * float(sample.weight.sum()) + objective.scaling.penalty
    inverse = LBFGS(MEMORY_QUANTISED, lambda q: q / diagonal, rescaled=True)
    value, gradient = objective.at(c)
    steps = 0
    while steps < min(MOST_QUANTISED, max_iter):
        step = -inverse.solve(gradient)
        slope = float(step @ gradient)
        if not -slope > ENOUGH * value:
            break
        found = LINE_SEARCH_QUANTISED.search(objective.along(c, step), value, slope)
        if found is None:
            break
        before = gradient
        t, value, gradient = found
        inverse.add(t * step, gradient - before)
        c, steps = c + t * step, steps + 1
    return c, inverse, steps
