"""Columns far from 0 compared with their spread: fitted about their means m, where doubles do.

Only the intercept w_0 = b - w.m is rounded, once; the gap is proven of the doubles returned.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, Points, Sample, in_full
from separatrix.learners.logistic.newton import ROUNDINGS, Place, newton
from separatrix.learners.logistic.objective import Scaling
from separatrix.learners.logistic.problem import LogisticFit, Problem, others, without

EPS = float(np.finfo(np.float64).eps)
SHARE = 1e-4  # of tol, that rounding may take: a dual point loses more than a line
FINEST = 1e-15  # the gap about the means, where divergences are found without cancellation
NARROW = 1e-6  # (largest - least) / size, below which a column is far from 0


@np.errstate(over="ignore", invalid="ignore")
def score_rounding(ends: Floats, weights: Floats) -> Floats:
    """Return by how much the rounding of each weight (1+d,) may move a score."""
    sizes = np.append(1.0, np.abs(ends).max(axis=0))
    return np.asarray(ROUNDINGS * EPS * np.abs(weights) * sizes)


@np.errstate(over="ignore", invalid="ignore")
def matters(rounding: Floats, tol: float) -> bool:
    """Whether moving scores by e may cost more than tol: below e^2 / 2 times the sum of errors."""
    return bool(0.5 * rounding.sum() ** 2 > SHARE * max(tol, EPS))


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
    alone = replace(problem, rows=part, tol=FINEST, independent=True, known=None, overlap_rank=None)
    near = newton(alone, place.read(alone.table))
    line = near.claim.place.plain.c * scaling.scale
    if not np.isfinite(line).all():
        return doubtful
    means = zip(line[1:].tolist(), scaling.centre[1:].tolist(), strict=True)
    taken = sum((Fraction(w) * Fraction(m) for w, m in means), Fraction(0))
    line[0] = float(Fraction(float(line[0])) - taken)  # rounded once
    return replace(near, weights=line, doubtful=True).of_all(sample, fit.left_out)


@np.errstate(over="ignore", invalid="ignore")
def narrow(ends: Floats) -> bool:
    """Whether some column is far from 0 compared with its range."""
    least, largest = ends
    far = np.minimum(np.abs(least), np.abs(largest)) * NARROW
    return bool(((largest > least) & (largest - least < far)).any())


def ends_of(X: Points) -> Floats:
    """Return the least and the largest value of each column (2, d)."""
    return np.array([in_full(end).ravel() for end in (X.min(axis=0), X.max(axis=0))])
