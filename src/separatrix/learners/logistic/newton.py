"""Newton's method on the cross-entropy, with the dual point that certifies where it ends.

Sums over rows run tile by tile with one BLAS thread, so that the weights do not depend on threads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from scipy.special import expit, xlog1py, xlogy

from separatrix.data import Floats, InputError, Sample
from separatrix.errors import CrossEntropy
from separatrix.learners.least_squares.least_squares import augmented
from separatrix.learners.logistic.basis import Basis, OrthonormalColumns, ScaledColumns
from separatrix.learners.logistic.fisher import Ask, LogisticFit, Look, no_minimiser
from separatrix.separation.decide import Separability
from separatrix.tiles import one_blas_thread, tiled_sum

CROSS_ENTROPY = CrossEntropy()

# Where a minimiser exists Newton's steps, measured in scores, shrink quadratically at the end; on
# separated data they go on at about 1 per step. A step below this is the sign of a minimiser.
SMALL_STEP = 0.25
SUSPICIOUS_STEPS = 15

# Of the diagonal of the Hessian's Cholesky factor; its square is about the condition number.
LARGEST_SPREAD = 1e4

ROUNDING = 1e-13  # of the value, relative


class _Problem:
    """Sum of weight ln(1 + e^-a) + sum p c^2 / 2 in coordinates c, with a = y (M c)."""

    def __init__(self, sample: Sample, x0: float, C: float) -> None:
        self.sample, self.C, self.penalised = sample, C, bool(np.isfinite(C))
        table = augmented(sample.X, x0)
        self.basis: Basis = ScaledColumns(table) if self.penalised else OrthonormalColumns(table)
        self.M = self.basis.M
        self.n_columns = table.shape[1] - (0 if x0 else 1)
        penalty = np.zeros(self.M.shape[1])
        if self.penalised:
            penalty = self.basis.scale**2 / C
            if not (np.isfinite(penalty).all() and (penalty > 0.0).all()):
                raise InputError(
                    "some columns of X are too large or too small for a penalty on |w|^2, which "
                    "leaves float64's range. Multiply those columns by a power of two."
                )
            penalty[0] = 0.0 if x0 else 1.0  # without an intercept its coordinate stays 0
        self.penalty = penalty

    def agreements(self, c: Floats) -> Floats:
        return np.asarray(self.sample.y * (self.M @ c))

    def value(self, c: Floats, a: Floats) -> float:
        errors = self.sample.weight * CROSS_ENTROPY.value(a)
        return float(errors.sum() + 0.5 * (self.penalty * c * c).sum())

    def pull(self, share: Floats) -> Floats:
        """Return sum weight share z: with share = theta(-a) it is minus the gradient."""
        signed = self.sample.weight * share * self.sample.y
        return tiled_sum(self.sample.n, lambda tile: self.M[tile].T @ signed[tile])

    def hessian(self, curvature: Floats) -> Floats:
        d = self.sample.weight * curvature

        def part(tile: slice) -> Floats:
            return np.asarray((self.M[tile] * d[tile, np.newaxis]).T @ self.M[tile])

        return tiled_sum(self.sample.n, part) + np.diag(self.penalty)

    def dual_point(self, theta: Floats, curvature: Floats, step_scores: Floats) -> Floats:
        """Return shares alpha that satisfy the dual's equalities up to rounding.

        Without a penalty alpha = theta - D Z H^-1 Z' theta, and Z step is that last product; with
        one only the free intercept has an equality.
        """
        if not self.penalised:
            return np.asarray(theta - curvature * step_scores)
        if self.penalty[0] > 0.0:  # no intercept: any alpha will do
            return theta
        y, d = self.sample.y, self.sample.weight * curvature
        shift = float((self.sample.weight * y * theta).sum() / d.sum())
        return np.asarray(theta - curvature * y * shift)

    def gap(self, c: Floats, a: Floats, value: float, alpha: Floats) -> float:
        """Return (value - dual value) / value, inf where alpha is no dual point.

        The difference of the two sums would lose a small gap, and tiny shares, to rounding. It is
        sum KL(alpha, theta(-a)) + sum (p c - pull)^2 / (2 p) over penalised coordinates, and the
        inner product c pull over the others, whose pull is 0 but for rounding.
        """
        if not ((alpha >= 0.0).all() and (alpha <= 1.0).all()):
            return np.inf
        pull = self.pull(alpha)
        bound = self.penalty > 0.0
        short = self.penalty * c - pull
        gap = float(self.sample.weight @ _divergences(alpha, a))
        gap += 0.5 * float((short[bound] ** 2 / self.penalty[bound]).sum())
        gap += abs(float(c[~bound] @ pull[~bound]))
        return gap / value if value > 0.0 else 0.0


def _divergences(alpha: Floats, a: Floats) -> Floats:
    """Return KL(alpha, theta(-a)) of each row, without cancellation where the two are close."""
    theta, rest = expit(-a), expit(a)
    other = 1.0 - alpha
    away = np.where(a >= 0.0, alpha - theta, rest - other)  # from the smaller of the two shares
    with np.errstate(divide="ignore", invalid="ignore"):
        up, down = away / theta, -away / rest
        near = (np.abs(up) <= 1.0) & (np.abs(down) <= 1.0)
        close = xlog1py(alpha, up) + xlog1py(other, down)
    far = xlogy(alpha, alpha) + xlogy(other, other)
    far += alpha * np.logaddexp(0.0, a) + other * np.logaddexp(0.0, -a)
    return np.asarray(np.maximum(0.0, np.where(near, close, far)))


@dataclass(frozen=True, slots=True)
class _Iterate:
    """A point, Newton's step from it, and the dual point that the step gives."""

    c: Floats
    a: Floats
    value: float
    hessian: Floats
    step: Floats
    step_scores: Floats
    alpha: Floats
    gap: float
    shaky: bool

    @property
    def settled(self) -> bool:
        """Whether the step is so small in scores that a minimiser must be near."""
        return float(np.abs(self.step_scores).max(initial=0.0)) <= SMALL_STEP


def _iterate(problem: _Problem, c: Floats, a: Floats, value: float) -> _Iterate:
    theta = expit(-a)
    curvature = theta * expit(a)
    hessian = problem.hessian(curvature)
    step, shaky = _solve(hessian, problem.pull(theta) - problem.penalty * c)
    step_scores = problem.sample.y * (problem.M @ step)
    alpha = problem.dual_point(theta, curvature, step_scores)
    gap = problem.gap(c, a, value, alpha)
    return _Iterate(c, a, value, hessian, step, step_scores, alpha, gap, shaky)


def newton(  # noqa: PLR0917  # as `least_cross_entropy`
    sample: Sample, x0: float, C: float, tol: float, max_iter: int, start: Floats,
    ask: Ask, look: Look,
) -> LogisticFit | None:  # fmt: skip
    """Minimise the cross-entropy; stop at a certified gap, or when no minimiser exists.

    None where columns have to be left out first, because others make them up but for rounding.

    Parameters
    ----------
    sample : Sample of rows with positive weights
    x0 : 1.0 with an intercept, 0.0 without
    C : inverse strength of the penalty, inf for none
    tol : relative gap at which to stop
    max_iter : steps
    start : (1+d,) weights, w_0 first
    ask : whether the rows are separable, without a penalty
    look : which columns are collinear but for rounding
    """
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        problem = _Problem(sample, x0, C)
        if problem.basis.near_singular and look():
            return None
        now = _first(problem, start)
        asked: Separability | None = None
        for steps in range(max_iter + 1):
            done = now.gap <= tol and (problem.penalised or now.settled)
            if not problem.penalised and asked is None:
                unsure = now.shaky or problem.M.shape[1] < problem.n_columns
                if (done and unsure) or (not done and _suspicious(now, tol, steps, max_iter)):
                    asked = ask()
                    if no_minimiser(asked):
                        break
            if done:
                return _polished(problem, now, tol, steps, asked)
            later = _later(problem, now) if steps < max_iter else None
            if later is None:
                if asked is None and not problem.penalised:
                    asked = ask()
                break
            now = later
        return _ended(problem, now, now.gap, steps, asked)


def _first(problem: _Problem, start: Floats) -> _Iterate:
    """Return the first iterate; from zero where the curvature at `start` says nothing."""
    c = problem.basis.coordinates(start)
    for place in (c, np.zeros_like(c)):
        a = problem.agreements(place)
        now = _iterate(problem, place, a, problem.value(place, a))
        if not now.shaky:
            break
    return now


def _suspicious(now: _Iterate, tol: float, steps: int, max_iter: int) -> bool:
    """Whether it is time to ask if a minimiser exists at all."""
    apart = bool((now.a > 0.0).all())  # in floats: a line without mistakes
    return apart or now.gap <= tol or steps >= min(SUSPICIOUS_STEPS, max_iter)


def _polished(
    problem: _Problem, now: _Iterate, tol: float, steps: int, asked: Separability | None
) -> LogisticFit:
    """Take the step that is at hand: it doubles the digits, and the dual point still holds."""
    c = now.c + now.step
    a = problem.agreements(c)
    gap = problem.gap(c, a, problem.value(c, a), now.alpha)
    if gap > tol:  # rounding took more than the step gave
        return _ended(problem, now, now.gap, steps, asked)
    hessian = problem.hessian(expit(-a) * expit(a))  # standard errors are those of this line
    return _ended(problem, replace(now, c=c, hessian=hessian), gap, steps + 1, asked)


def _ended(
    problem: _Problem, now: _Iterate, gap: float, steps: int, asked: Separability | None
) -> LogisticFit:
    errors = problem.basis.spread(now.hessian)
    rank = problem.M.shape[1]
    misjudged = rank < problem.n_columns and (asked is None or asked.rank != rank)
    doubtful = not problem.penalised and (now.shaky or misjudged)
    return LogisticFit(
        problem.basis.weights(now.c), now.alpha, gap, steps, errors, None, doubtful, asked
    )


def _solve(H: Floats, pull: Floats) -> tuple[Floats, bool]:
    """Return H^-1 pull, and whether H is so near to singular that rounding decides the answer.

    It then has the least ridge that makes it positive definite in floats.
    """
    ridge = 0.0
    largest = float(np.abs(np.diag(H)).max(initial=0.0)) or 1.0
    while True:
        try:
            factor = scipy.linalg.cho_factor(H + ridge * np.eye(len(H)), check_finite=False)
        except scipy.linalg.LinAlgError:
            ridge = max(1e-16 * largest, 10.0 * ridge)
            continue
        diagonal = np.abs(np.diag(factor[0]))
        spread = float(diagonal.max(initial=1.0) / diagonal.min(initial=np.inf))
        shaky = ridge > 0.0 or spread > LARGEST_SPREAD
        return np.asarray(scipy.linalg.cho_solve(factor, pull, check_finite=False)), shaky


def _later(problem: _Problem, now: _Iterate) -> _Iterate | None:
    """Return the first of c + step, c + step / 2, ... that lowers the value, or None.

    Where rounding hides what a whole step gains, the gap tells whether it is one.
    """
    t = 1.0
    while t > 1e-12:
        c, a = now.c + t * now.step, now.a + t * now.step_scores
        value = problem.value(c, a)
        if value < now.value:
            return _iterate(problem, c, a, value)
        if t == 1.0 and value <= now.value * (1.0 + ROUNDING):
            later = _iterate(problem, c, a, value)
            if later.gap < 0.5 * now.gap:
                return later
        t *= 0.5
    return None
