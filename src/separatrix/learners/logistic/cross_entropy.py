"""The least cross-entropy of a line, by the method that the shape of the table asks for.

Small tables take Newton's steps in orthonormal columns, which is the most careful. Many rows take
them on samples, and then few reads of all. Wide tables with a penalty take conjugate gradients.
Where a fast method meets data that it is not made for, the careful one begins where that ended.
Without a penalty columns that others make up but for rounding are left out; a method that fails for
their sake looks for them, and no other does. Where the rounding of weights matters, because columns
are far from 0 compared with their spread, the method is asked again about their means.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from separatrix.data import Floats, Sample
from separatrix.learners.least_squares.collinear import collinear_columns
from separatrix.learners.logistic.far import about_the_means, narrow, rounding_matters
from separatrix.learners.logistic.fisher import (
    FindCollinear,
    IsSeparable,
    LeftOut,
    LogisticFit,
    no_minimiser,
    others,
    without,
)
from separatrix.learners.logistic.newton import newton
from separatrix.learners.logistic.newton_cg import newton_cg
from separatrix.learners.logistic.subsampled import subsampled
from separatrix.separation.decide import Separability, separability_of

SMALL = 1 << 17  # numbers in the table, up to which the careful method takes milliseconds
WIDE = 1500  # columns, from which on their Hessian costs more than many reads of the rows


def least_cross_entropy(  # noqa: PLR0917  # as the methods that it chooses from
    sample: Sample, x0: float, C: float, tol: float, max_iter: int, start: Floats
) -> LogisticFit:
    """Minimise the cross-entropy; stop at a certified gap, or when no minimiser exists.

    Parameters
    ----------
    sample : Sample of rows with positive weights
    x0 : 1.0 with an intercept, 0.0 without
    C : inverse strength of the penalty, inf for none
    tol : relative gap at which to stop
    max_iter : steps
    start : (1+d,) weights, w_0 first
    """

    @cache
    def is_separable() -> Separability:
        return separability_of(sample, x0)

    @cache
    def find_collinear() -> LeftOut:
        return collinear_columns(sample.X, x0)

    def again(moved: Sample, first: Floats) -> LogisticFit:
        return _least(moved, x0, C, tol, max_iter, first, lambda: separability_of(moved, x0), dict)

    fit = _least(sample, x0, C, tol, max_iter, start, is_separable, find_collinear)
    if fit.separability is not None and no_minimiser(fit.separability):
        return fit
    rounded = rounding_matters(sample.X, fit.weights, tol)
    if not (rounded or ((fit.gap > tol or fit.doubtful) and narrow(sample.X))):
        return fit
    if not x0:
        return replace(fit, doubtful=True)
    return _proven(about_the_means(sample, fit, start, again), is_separable)


def _least(  # noqa: PLR0917  # as `least_cross_entropy`
    sample: Sample, x0: float, C: float, tol: float, max_iter: int, start: Floats,
    is_separable: IsSeparable, find_collinear: FindCollinear,
) -> LogisticFit:  # fmt: skip
    """Minimise it in the units of the sample."""
    wide, penalised = sample.d >= WIDE, bool(np.isfinite(C))
    fit = None
    if wide and penalised:
        fit = newton_cg(sample, x0, C, tol, max_iter, start)
    elif not wide and sample.n * (sample.d + 1) > SMALL:
        fit = subsampled(sample, x0, C, tol, max_iter, start, is_separable, find_collinear)
        if fit is None and not penalised and find_collinear():
            return _of_the_others(sample, x0, tol, max_iter, start, is_separable, find_collinear())
    fit = fit or newton(sample, x0, C, tol, max_iter, start, is_separable, find_collinear)
    return fit or _of_the_others(sample, x0, tol, max_iter, start, is_separable, find_collinear())


def _of_the_others(  # noqa: PLR0917  # as `least_cross_entropy`
    sample: Sample, x0: float, tol: float, max_iter: int, start: Floats,
    is_separable: IsSeparable, left_out: LeftOut,
) -> LogisticFit:  # fmt: skip
    """Minimise the cross-entropy over the lines in which some columns have weight 0."""
    places = others(sample, left_out)
    fit = least_cross_entropy(without(sample, left_out), x0, np.inf, tol, max_iter, start[places])
    return _proven(fit.of_all(sample, left_out), is_separable)


def _proven(fit: LogisticFit, is_separable: IsSeparable) -> LogisticFit:
    """Return it with the proof of all columns in their own units, if there is no minimiser."""
    found = fit.separability  # a line of some columns is one of all
    proof = is_separable() if found is not None and no_minimiser(found) else None
    return replace(fit, separability=proof)
