"""The least cross-entropy of a line, by the method that the shape of the table asks for.

Where a fast method meets data it is not made for, the careful one begins where that ended. It reads
all of a small table at each step of Newton's method. Columns far from 0 compared with their spread
are fitted about their means m, where doubles do: only the intercept w_0 = b - w.m is rounded, once;
the gap is proven of the doubles returned.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, Sample, in_full
from separatrix.learners.logistic.drawn_rows import Few, Subsample
from separatrix.learners.logistic.levels import newton_of_levels
from separatrix.learners.logistic.newton import Place, newton
from separatrix.learners.logistic.newton_cg import newton_cg
from separatrix.learners.logistic.objective import Scaling
from separatrix.learners.logistic.problem import (
    EPS,
    ROUNDINGS,
    SHARE,
    LogisticFit,
    Problem,
    ends_of,
    matters,
    narrow,
    no_minimiser,
    others,
    score_rounding,
    without,
)
from separatrix.learners.logistic.subsampled import subsampled, unless_endless
from separatrix.scale import Rows
from separatrix.tiles import one_blas_thread


def by_all_rows(problem: Problem) -> LogisticFit | None:
    """Minimise to a certified gap, or find no minimum; None where columns have to be left out."""
    with one_blas_thread(), np.errstate(all="ignore"):
        sample = problem.sample
        scaling = Scaling.exact(in_full(sample.X), problem.x0, problem.C)
        zero = Place(scaling, problem.x0, problem.factors, np.zeros_like(problem.start))
        first = zero.read(problem.rows)
        if not problem.penalised and first.newton()[0] is None and problem.collinear:
            return None
        start = first
        if problem.start.any():
            start = replace(zero, c=scaling.coordinates(problem.start)).read(problem.rows)
        fit = newton(problem, start)
        if start is not first and not (fit.divergent or fit.gap <= problem.tol):
            fit = newton(problem, first)  # a start may be too far for doubles
        return unless_endless(fit, Subsample(Few.all_of(sample), scaling), problem)


FINEST = 1e-15  # the gap about the means, where divergences are found without cancellation
SMALL = 1 << 17  # numbers in the table, up to which the careful method takes milliseconds
LARGE = 1 << 16  # numbers in a table of no more rows than columns: it is separable in general
WIDE = 1500  # columns, from which on their Hessian costs more than many reads of the rows


def least_cross_entropy(problem: Problem) -> LogisticFit:
    """Minimise the cross-entropy; stop at a certified gap, or when no minimiser exists."""
    of_levels = newton_of_levels(problem)
    if of_levels is not None:
        return of_levels
    if not problem.in_memory:
        return subsampled(problem) or _of_the_others(problem)
    fit = _least(problem)
    sample, certified = problem.sample, not (fit.gap > problem.tol or fit.doubtful)
    if fit.divergent or (certified and fit.left_out):  # then the other columns were checked below
        return fit
    rounded = rounding_matters(sample, fit.weights, problem.tol)
    if not rounded and (certified or not narrow(ends_of(sample.X))):
        return fit
    return _proven(about_the_means(problem, fit), problem)


def _least(problem: Problem) -> LogisticFit:
    """Minimise it in the units of the sample."""
    n, d = problem.sample.X.shape
    if not problem.penalised and problem.overlap_rank is None and n <= d and n * d >= LARGE:
        proof = problem.separability
        if no_minimiser(proof):
            return LogisticFit(np.zeros(d + 1), np.inf, 0, separability=proof)
    large = n * (d + 1) > SMALL
    if problem.penalised and (d >= WIDE or (large and n <= d)):
        return newton_cg(problem) or by_all_rows(problem) or _of_the_others(problem)
    fit = subsampled(problem) if d < WIDE and large else by_all_rows(problem)
    if fit is None:
        return _of_the_others(problem)
    if problem.penalised and not fit.gap <= problem.tol and fit.n_steps < problem.max_iter:
        return newton_cg(problem) or fit  # the Hessian is near to singular
    return fit


def _of_the_others(problem: Problem) -> LogisticFit:
    """Minimise the cross-entropy over the lines in which collinear columns have weight 0."""
    sample, left_out = problem.sample, problem.collinear
    start = problem.start[others(sample, left_out)]
    fewer = replace(
        problem, rows=Rows.of(without(sample, left_out)), start=start, known=None, overlap_rank=None
    )
    return _proven(least_cross_entropy(fewer).of_all(sample, left_out), problem)


def _proven(fit: LogisticFit, problem: Problem) -> LogisticFit:
    """Return it with the proof of all columns in their own units, if there is no minimiser."""
    # a line of some columns is one of all
    return replace(fit, separability=problem.separability if fit.divergent else None)


@np.errstate(over="ignore", invalid="ignore")
def rounding_matters(sample: Sample, weights: Floats, tol: float) -> bool:
    """Whether the rounding of weights (1+d,) does; the ranges are read only where it may."""
    size = sample.radius  # at least that of any number
    may = not ROUNDINGS * EPS * np.abs(weights).sum() * size < np.sqrt(SHARE * max(tol, EPS))
    return may and matters(score_rounding(ends_of(sample.X), weights), tol)


def about_the_means(problem: Problem, fit: LogisticFit) -> LogisticFit:
    """Return the fit about the means of the columns that are not left out, its gap to be proven."""
    sample, doubtful = problem.sample, replace(fit, doubtful=True)
    if sp.issparse(sample.X) or not problem.x0:
        return doubtful
    part, start = without(sample, fit.left_out), problem.start[others(sample, fit.left_out)]
    scaling = Scaling.of(part.X, problem.x0, problem.C)
    place = Place(scaling, problem.x0, np.ones(2), scaling.coordinates(start))
    alone = replace(
        problem, rows=Rows.of(part), tol=FINEST, independent=True, known=None, overlap_rank=None
    )
    near = newton(alone, place.read(alone.rows))
    line = near.claim.place.plain.c * scaling.scale
    if not np.isfinite(line).all():
        return doubtful
    means = zip(line[1:].tolist(), scaling.centre[1:].tolist(), strict=True)
    taken = sum((Fraction(w) * Fraction(m) for w, m in means), Fraction(0))
    line[0] = float(Fraction(float(line[0])) - taken)  # rounded once
    return replace(near, weights=line, doubtful=True).of_all(sample, fit.left_out)
