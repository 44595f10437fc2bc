"""What is true, computed apart from everybody who is measured: plainly, slowly, once a table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from benchmarks.data import Floats, Problem

STEPS = 60
BLOCK = 20_000  # rows that are made extended at a time


def cross_entropy_sum(problem: Problem, weights: Floats) -> float:
    """Return the sum of ln(1 + e^-(y s)) over the rows, with the penalty |w|^2 / (2 C)."""
    errors = np.logaddexp(0.0, -problem.y * problem.scores(weights)).sum()
    return float(errors + weights[1:] @ weights[1:] / (2.0 * problem.C))


@lru_cache(maxsize=1)
def least_cross_entropy(problem: Problem) -> float:
    """Return the least sum: Newton's method, each step halved until it helps, to its very end."""
    problem = problem.unconverted  # conversions leave the Hessian singular and the least as it is
    w = np.zeros(problem.X.shape[1] + 1)
    value = cross_entropy_sum(problem, w)
    for _ in range(STEPS):
        step = _newton_step(problem, w)
        scale = 1.0
        while (lower := cross_entropy_sum(problem, w - scale * step)) > value and scale > 1e-4:
            scale /= 2.0
        if lower >= value * (1.0 - 1e-15):
            return min(lower, value)
        w, value = w - scale * step, lower
    raise ArithmeticError("no optimum found: are the data separable?")


def _newton_step(problem: Problem, w: Floats) -> Floats:
    p = expit(-problem.y * problem.scores(w))
    ridge = np.append(0.0, np.full(w.size - 1, 1.0 / problem.C))
    pull, curvature = -problem.y * p, p * (1.0 - p)
    gradient = np.append(pull.sum(), problem.X.T @ pull) + ridge * w
    if sp.issparse(problem.X):
        return _inexact_step(problem.X, curvature, ridge, gradient)
    # in units of the columns' own curvature, so that no scale of theirs loses digits
    Z = problem.with_ones * np.sqrt(curvature)[:, None]
    hessian = Z.T @ Z + np.diag(ridge)
    unit = 1.0 / np.sqrt(np.diag(hessian))
    return unit * cho_solve(cho_factor(hessian * unit * unit[:, None]), unit * gradient)


def _inexact_step(X: sp.csr_array, curvature: Floats, ridge: Floats, gradient: Floats) -> Floats:
    """Return a step by conjugate gradients, without the matrix of second derivatives."""

    def times(v: Floats) -> Floats:
        through = curvature * (v[0] + X @ v[1:])
        return np.append(through.sum(), X.T @ through) + ridge * v

    size = gradient.size
    diagonal = np.append(curvature.sum(), X.power(2).T @ curvature) + ridge
    operator = LinearOperator((size, size), matvec=times, dtype=np.float64)
    scaling = LinearOperator((size, size), matvec=lambda v: v / diagonal, dtype=np.float64)
    step, _ = cg(operator, gradient, rtol=1e-4, maxiter=500, M=scaling)
    return step


@lru_cache(maxsize=1)
def least_squares(problem: Problem) -> Floats:
    """Return w of the least squared error to more digits than doubles have: refined in extended.

    Where long doubles are no longer than doubles (Windows), to about as many.
    """
    Z = problem.with_ones
    factor = cho_factor(Z.T @ Z)
    w = np.zeros(Z.shape[1], dtype=np.longdouble)
    for _ in range(4):
        pull = np.zeros(Z.shape[1], dtype=np.longdouble)
        for start in range(0, Z.shape[0], BLOCK):
            rows = Z[start : start + BLOCK].astype(np.longdouble)
            pull += rows.T @ (problem.y[start : start + BLOCK] - rows @ w)
        w += cho_solve(factor, pull.astype(np.float64))
    return w.astype(np.float64)


def correct_digits(weights: Floats, right: Floats) -> float:
    """Return how many digits of the largest weight all weights are right to: 0 .. 16."""
    off = np.abs(weights - right).max() / np.abs(right).max()
    return float(np.clip(-np.log10(max(off, 1e-16)), 0.0, 16.0)) if np.isfinite(off) else 0.0


def correct_digits_each(weights: Floats, right: Floats) -> float:
    """Return the correct digits of the worst weight, each by its own size, as NIST counts them."""
    off = (np.abs(weights - right) / np.abs(right)).max()
    return float(np.clip(-np.log10(max(off, 1e-16)), 0.0, 16.0)) if np.isfinite(off) else 0.0
