"""The least cross-entropy of a line, by the method that the shape of the table asks for.

Where a fast method meets data it is not made for, the careful one begins where that ended.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from separatrix.learners.logistic.careful import by_all_rows
from separatrix.learners.logistic.far_columns import (
    about_the_means,
    ends_of,
    narrow,
    rounding_matters,
)
from separatrix.learners.logistic.levels import newton_of_levels
from separatrix.learners.logistic.newton_cg import newton_cg
from separatrix.learners.logistic.problem import LogisticFit, Problem, no_minimiser, others, without
from separatrix.learners.logistic.subsampled import subsampled

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
        problem, rows=without(sample, left_out), start=start, known=None, overlap_rank=None
    )
    return _proven(least_cross_entropy(fewer).of_all(sample, left_out), problem)


def _proven(fit: LogisticFit, problem: Problem) -> LogisticFit:
    """Return it with the proof of all columns in their own units, if there is no minimiser."""
    # a line of some columns is one of all
    return replace(fit, separability=problem.separability if fit.divergent else None)
