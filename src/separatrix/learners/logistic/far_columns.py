"""Columns far from 0 compared with their spread: fitted about their means, where doubles are fine.

For x near 1e6 with a spread of 1e-6 a line has weights near 1e6 and an intercept near 1e12, and the
rounding of these alone moves scores by 1e-4. About a double m between a column's least and largest
value x - m takes no rounding if they are within a factor of 2 (Sterbenz 1974), so that the line and
its dual point found there are those of the rows as given; only the intercept w_0 = b - w.m is
rounded, once. What gap is left then is proven of the doubles returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.special import expit

from separatrix.data import Floats, Points, Sample
from separatrix.learners.least_squares.least_squares import augmented, power_of_two_scale
from separatrix.learners.logistic.fisher import others, without
from separatrix.learners.logistic.problem import LogisticFit, Problem

EPS = float(np.finfo(np.float64).eps)
ROUNDINGS = 4.0  # of a product w_j x_j: of the weight, its sum, and the steps that found it
SHARE = 1e-4  # of tol, that rounding may take: a dual point loses more than a line
NARROW = 1e-6  # (largest - least) / size, below which a column is far from 0

Least = Callable[[Problem], LogisticFit]


@np.errstate(over="ignore", invalid="ignore")
def score_rounding(X: Points, weights: Floats) -> Floats:
    """Return by how much the rounding of each weight (1+d,) may move a score."""
    least, largest = _range(X)
    sizes = np.maximum(np.abs(least), np.abs(largest))
    return np.asarray(ROUNDINGS * EPS * np.abs(weights) * np.append(1.0, sizes))


@np.errstate(over="ignore", invalid="ignore")
def matters(rounding: Floats, tol: float) -> bool:
    """Whether moving scores that far may take a fit beyond tol.

    Near the optimum an error e in the scores costs sum weight sigma(a) sigma(-a) e^2 / 2, which is
    less than e^2 / 2 times the sum of errors.
    """
    return bool(0.5 * rounding.sum() ** 2 > SHARE * max(tol, EPS))


@np.errstate(over="ignore", invalid="ignore")
def rounding_matters(sample: Sample, weights: Floats, tol: float) -> bool:
    """Whether the rounding of weights (1+d,) does; the ranges are read only where it may."""
    size = sample.radius()  # at least that of any number
    may = not ROUNDINGS * EPS * np.abs(weights).sum() * size < np.sqrt(SHARE * max(tol, EPS))
    return may and matters(score_rounding(sample.X, weights), tol)


def about_the_means(problem: Problem, fit: LogisticFit, least: Least) -> LogisticFit:
    """Return the fit of columns moved to 0 as one of the sample, its gap to be proven."""
    sample, doubtful = problem.sample, replace(fit, doubtful=True)
    if sp.issparse(sample.X):
        return doubtful
    places = others(sample, fit.left_out)
    part = without(sample, fit.left_out)
    means = _means(part.X)
    if not means.any():
        return doubtful
    moved = replace(part, X=part.X - means)
    start = _moved(problem.start[places], -means)
    near = least(
        replace(problem, rows=moved, start=start, independent=True, known=None, overlap_rank=None)
    )
    if not np.isfinite(near.weights).all():
        return doubtful
    known = near.information
    errors = near.standard_errors if known is None else known.standard_errors()
    if errors is not None:
        errors = errors.copy()
        errors[0] = _error_of_intercept(moved, means, near.weights, errors)
    near = replace(near, weights=_moved(near.weights, means), standard_errors=errors)
    near = replace(near, information=None, doubtful=True)
    return near.of_all(sample, fit.left_out)


@np.errstate(over="ignore", invalid="ignore")
def narrow(X: Points) -> bool:
    """Whether some column is far from 0 compared with its range."""
    least, largest = _range(X)
    far = np.minimum(np.abs(least), np.abs(largest)) * NARROW
    return bool(((largest > least) & (largest - least < far)).any())


def _range(X: Points) -> tuple[Floats, Floats]:
    """Return the least and the largest value of each column (d,)."""
    least, largest = X.min(axis=0), X.max(axis=0)
    if sp.issparse(X):
        least, largest = least.toarray().ravel(), largest.toarray().ravel()
    return np.asarray(least), np.asarray(largest)


@np.errstate(over="ignore", invalid="ignore")
def _means(X: Floats) -> Floats:
    """Return a double (d,) in the range of each column that may be taken off exactly, else 0."""
    least, largest = _range(X)
    low, high = np.minimum(np.abs(least), np.abs(largest)), np.maximum(-least, largest)
    exact = (np.sign(least) == np.sign(largest)) & (high - low <= low)
    return np.where(exact, np.clip(X.mean(axis=0), least, largest), 0.0)


def _moved(weights: Floats, means: Floats) -> Floats:
    """Return the line about the means (1+d,) as one about 0, rounded once."""
    pairs = zip(weights[1:].tolist(), means.tolist(), strict=True)
    taken = sum((Fraction(w) * Fraction(m) for w, m in pairs), Fraction(0))
    return np.append(float(Fraction(float(weights[0])) - taken), weights[1:])


def _error_of_intercept(moved: Sample, means: Floats, weights: Floats, errors: Floats) -> float:
    """Return the standard error of w_0 = b - w.m; NaN where some w_j is not determined."""
    if np.isnan(errors[1:][means != 0.0]).any():
        return float("nan")
    known = np.flatnonzero(~np.isnan(errors))
    table = augmented(moved.X, 1.0)
    chance = expit(table @ weights)
    table = table[:, known]
    scale = power_of_two_scale(table)
    table *= scale * np.sqrt(moved.weight * chance * (1.0 - chance))[:, np.newaxis]
    R = scipy.linalg.qr(table, mode="r", check_finite=False)[0][: known.size]
    back = np.append(1.0, -means)[known] * scale
    try:
        half = scipy.linalg.solve_triangular(R, back, trans="T", check_finite=False)
    except scipy.linalg.LinAlgError:
        return float("nan")
    return float(np.sqrt(half @ half))
