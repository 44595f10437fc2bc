"""Newton's method for the cross-entropy of tables of categories, whose levels are eliminated.

As in `newton`, a read gives value, gradient, Hessian, and the gap that the step before certifies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats, Sample
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.least_squares.elimination import (
    MOST_REST,
    MOST_UNPENALISED,
    EliminatedColumns,
    Elimination,
    Sums,
)
from separatrix.learners.logistic.newton import Read, fit_of, gap_at, minimised, tolerance_of
from separatrix.learners.logistic.objective import (
    dual_divergences,
    penalty_of,
    weighed,
)
from separatrix.learners.logistic.problem import (
    LogisticFit,
    Problem,
    matters,
    narrow,
    no_minimiser,
    score_rounding,
)
from separatrix.scale import Rows
from separatrix.tiles import one_blas_thread

ERROR, WRONG, DIVERGENCE = range(3)  # the values of a row that are summed


@dataclass(frozen=True, slots=True)
class Place:
    """Where a read takes place, in coordinates c of eliminated columns, and what led there."""

    columns: EliminatedColumns
    penalty: Floats
    factors: Floats  # (2,) by which the weights of rows of either label are multiplied
    c: Floats
    before: Floats | None = None
    step: Floats | None = None

    def moved(self, t: float, before: Floats, step: Floats) -> Place:
        """Return the place at t times a step from another."""
        return replace(self, c=before + t * step, before=before, step=step)

    def over(self, table: Rows) -> Rows:
        """Return the rows that are read."""
        return self.columns.over(table)

    @property
    def weights(self) -> Floats:
        """The line (1+d,) in the user's units."""
        return self.columns.weights(self.c)

    def read(self, M: Rows) -> ReadOfLevels:
        sums, c = Sums.over(M, self.columns, 3, _parts, self), self.c
        value = float(sums.values[ERROR] + 0.5 * (self.penalty @ (c * c)))
        return ReadOfLevels(
            self, value, self.penalty * c - sums.right, sums, int(sums.values[WRONG]),
            gap_at(self, float(sums.values[DIVERGENCE]), value), np.empty(0),
        )  # fmt: skip

    def tolerance(self, n: int) -> float:
        """Return about what the rounding of sums over n rows may add to a relative gap."""
        sizes = np.append(1.0, np.abs(self.columns.ends).max(axis=0))
        return tolerance_of(n, float(np.abs(self.weights) @ sizes))


class ReadOfLevels(Read):
    """What a read of all rows gives at a place; the Hessian as sums that levels are taken from."""

    def factors(self) -> Elimination:
        return Elimination.of(self.place.columns, self.hessian, self.place.penalty)

    def newton(self) -> tuple[Untyped, Floats]:
        """Return the factors of the Hessian, None where ill-conditioned, and Newton's step."""
        factors = self.factors()
        return None if factors.ill_conditioned else factors, factors.solve(-self.gradient)

    def unmet(self, step: Floats) -> Floats:
        """Return by how much a step misses Newton's equations."""
        return np.abs(self.factors().product(step) + self.gradient)


def newton_of_levels(problem: Problem) -> LogisticFit | None:
    """Minimise to a certified gap, or find no minimum; None for tables of another kind."""
    table, penalised = problem.rows, problem.penalised
    most = MOST_REST if penalised else MOST_UNPENALISED
    found = EliminatedColumns.of(table, most)
    if found is None:
        return None
    columns, M = found
    if not penalised and problem.overlap_rank is None and columns.one_sided:
        if no_minimiser(problem.separability):
            proof = problem.separability
            return LogisticFit(np.zeros(columns.width), np.inf, 0, separability=proof)
        problem = replace(problem, overlap_rank=problem.separability.rank)
    with one_blas_thread(), np.errstate(all="ignore"):
        penalty = np.zeros(columns.at.size)
        if penalised:
            penalty = penalty_of(columns.scale, problem.C)
            penalty[columns.at == 0] = 0.0
        first = Place(columns, penalty, problem.factors, np.zeros(penalty.size)).read(M)
        if not penalised:
            independent = columns.independent(first.hessian, table)
            if independent is None:
                return None
            if independent[0] is not columns:
                columns, sums = independent
                M, zero = columns.over(table), np.zeros(columns.at.size)
                place = Place(columns, zero, problem.factors, zero)
                first = replace(first, place=place, gradient=-sums.right, hessian=sums)
        if problem.start.any():
            start = replace(first.place, c=columns.coordinates(problem.start)).read(M)
            first = first if start.factors().ill_conditioned else start
        fit = _minimised(problem, M, first)
    # what the constant takes from columns far from 0 is lost to it: `far_columns` goes about this
    rounded = matters(score_rounding(columns.ends, fit.weights), problem.tol)
    doubt = rounded or ((fit.gap > problem.tol or fit.doubtful) and narrow(columns.ends))
    leave = doubt and problem.x0 and table.source.nnz is None and not fit.divergent
    return None if leave else fit


def _minimised(problem: Problem, M: Rows, first: ReadOfLevels) -> LogisticFit:
    """Minimise from a first read on."""
    end, proof = minimised(problem, M, first)
    now = cast("ReadOfLevels", end.read)
    fit = fit_of(problem, end, proof)
    if problem.penalised:
        return replace(fit, standard_errors=np.full(fit.weights.size, np.nan))
    return fit if fit.divergent else replace(fit, information=end.lower or now.factors())


def _parts(of: Sample, place: Place) -> tuple[Floats, Floats, Floats]:
    """Return for each row the curvature, minus the slope along it, and what is summed (3, n)."""
    M, y, weight = of.X, of.y, weighed(of, place.factors)
    sigma, curve, error, values = *np.empty((3, of.n)), np.zeros((3, of.n))
    a = y * (M @ place.c)
    logistic_parts(a, sigma, curve, error)
    values[ERROR], values[WRONG] = weight * error, (weight > 0.0) & ~(a > 0.0)
    values[DIVERGENCE] = np.inf
    if place.before is not None and place.step is not None:
        before, along = y * (M @ place.before), y * (M @ place.step)
        values[DIVERGENCE] = weight * dual_divergences(before, along, a, sigma, curve)
    return weight * curve, weight * sigma * y, values
