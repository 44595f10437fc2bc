"""Newton's method on the cross-entropy, with the dual point that certifies where it ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from separatrix.data import Floats, Sample
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.logistic.certify import bends, divergences
from separatrix.learners.logistic.line_search import Backtracking
from separatrix.learners.logistic.newton_coordinates import Basis, Hessian, dense_columns
from separatrix.learners.logistic.problem import LogisticFit, Problem, no_minimiser
from separatrix.tiles import one_blas_thread

LINE_SEARCH = Backtracking(least=1e-12)

# Where a minimiser exists Newton's steps, measured in scores, shrink quadratically at the end; on
# separated data they stay at about 1 per step. A step below this indicates a minimiser.
SMALL_STEP = 0.25
SUSPICIOUS_STEPS = 15

ROUNDING = 1e-13  # of the value, relative
VANISHED = 1e-300  # a share that is no larger is 0: its digits are those of the least exponent


class CompiledObjective:
    """Sum weight ln(1 + e^-a) + sum p c^2 / 2 with a = y (M c), over the columns M of a basis."""

    def __init__(self, sample: Sample, basis: Basis) -> None:
        self.sample, self.basis, self.M, self.penalty = sample, basis, basis.M, basis.penalty
        self.penalised = bool(self.penalty.any())
        self._last: tuple[Floats, ...] = ()  # agreements, and what is found from them

    def agreements(self, c: Floats) -> Floats:
        """Return a (N,)."""
        return np.asarray(self.sample.y * (self.M @ c))

    def value(self, c: Floats, a: Floats) -> float:
        """Return the value at c, whose agreements are a."""
        errors = self.sample.weight @ self._parts(a)[2]
        return float(errors + 0.5 * (self.penalty * c * c).sum())

    def shares(self, a: Floats) -> tuple[Floats, Floats]:
        """Return sigma(-a) and sigma(a) sigma(-a), each (N,)."""
        return self._parts(a)[:2]

    def divergences(self, alpha: Floats, a: Floats) -> Floats:
        """Return KL(alpha, sigma(-a)) of each row (N,), or a little more."""
        sigma, curvature = self.shares(a)
        moves = alpha - sigma
        with np.errstate(divide="ignore"):
            bound = bends(moves, moves / sigma, moves * (sigma / curvature))
        return divergences(alpha, a) if bound is None else bound

    def _parts(self, a: Floats) -> tuple[Floats, Floats, Floats]:
        if not self._last or a is not self._last[0]:
            self._last = a, *np.empty((3, a.size))
            logistic_parts(*self._last)
        _, sigma, curvature, error = self._last
        return sigma, curvature, error

    def combination(self, shares: Floats) -> Floats:
        """Return sum weight share y z (k,): of sigma(-a) it is minus the gradient of the errors."""
        return self.basis.combination(self.sample.weight * shares * self.sample.y)

    def hessian(self, curvature: Floats) -> Hessian:
        """Return the Hessian (k, k) for sigma(a) sigma(-a) (N,)."""
        return self.basis.hessian(self.sample.weight * curvature)

    def dual_point(self, sigma: Floats, curvature: Floats, step_scores: Floats) -> Floats:
        """Return shares alpha that satisfy the dual's equalities up to rounding."""
        if not self.penalised:
            alpha = sigma - curvature * step_scores
            return np.where(sigma < VANISHED, 0.0, alpha)
        if self.penalty[0] > 0.0:  # no intercept: any alpha will do
            return sigma
        y, d = self.sample.y, self.sample.weight * curvature
        shift = float((self.sample.weight * y * sigma).sum() / d.sum())
        return np.asarray(sigma - curvature * y * shift)

    def gap(self, c: Floats, a: Floats, value: float, alpha: Floats) -> float:
        """Return (value - dual value) / value as a sum of small parts; inf if alpha is not dual."""
        if not ((alpha >= 0.0).all() and (alpha <= 1.0).all()):
            return np.inf
        z = self.combination(alpha)
        bound = self.penalty > 0.0
        short = self.penalty * c - z
        gap = float(self.sample.weight @ self.divergences(alpha, a))
        gap += 0.5 * float((short[bound] ** 2 / self.penalty[bound]).sum())
        gap += abs(float(c[~bound] @ z[~bound]))
        return gap / value if value > 0.0 else 0.0


@dataclass(frozen=True, slots=True)
class _Iterate:
    """A point, Newton's step from it, and the dual point that the step gives."""

    c: Floats
    a: Floats
    value: float
    hessian: Hessian
    step: Floats
    step_scores: Floats
    alpha: Floats
    gap: float

    @classmethod
    def at(cls, objective: CompiledObjective, c: Floats, a: Floats, value: float) -> _Iterate:
        """Return the iterate at c, whose agreements are a."""
        sigma, curvature = objective.shares(a)
        hessian = objective.hessian(curvature)
        downhill = objective.combination(sigma) - objective.penalty * c
        step = hessian.solve(downhill)
        step_scores = objective.sample.y * (objective.M @ step)
        alpha = objective.dual_point(sigma, curvature, step_scores)
        gap = objective.gap(c, a, value, alpha)
        return cls(c, a, value, hessian, step, step_scores, alpha, gap)

    @property
    def converged(self) -> bool:
        """Whether the step is so small in scores that a minimiser must be near."""
        return float(np.abs(self.step_scores).max(initial=0.0)) <= SMALL_STEP


def newton(problem: Problem, basis: Basis | None = None) -> LogisticFit | None:
    """Minimise to a certified gap, or find no minimum; None where columns have to be left out."""
    tol, max_iter, penalised = problem.tol, problem.max_iter, problem.penalised
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        basis = basis or dense_columns(problem.sample, problem.C)
        objective = CompiledObjective(problem.sample, basis)
        if basis.near_singular and problem.collinear:
            return None
        now = _first(objective, problem.start)
        decided: Problem | None = None
        for steps in range(max_iter + 1):
            done = now.gap <= tol and (penalised or now.converged)
            if not penalised and decided is None:
                unsure = now.hessian.ill_conditioned or basis.rank_in_doubt
                suspicious = now.gap <= tol or steps >= min(SUSPICIOUS_STEPS, max_iter)
                suspicious = suspicious or bool((now.a > 0.0).all())  # a line without mistakes
                if unsure if done else suspicious:
                    decided = problem
                    if problem.proof is not None and no_minimiser(problem.proof):
                        break
            if done:  # the step at hand doubles the digits, unless rounding takes more
                c = now.c + now.step
                a = objective.agreements(c)
                gap = objective.gap(c, a, objective.value(c, a), now.alpha)
                if not gap > tol:  # the dual point is that at hand, standard errors are of the end
                    hessian = objective.hessian(objective.shares(a)[1])
                    now = replace(now, c=c, hessian=hessian, gap=gap)
                    steps += 1  # noqa: PLW2901  # it leaves the loop
                break
            later = _next(objective, now) if steps < max_iter else None
            if later is None:
                decided = None if penalised else problem
                break
            now = later
        rank = objective.M.shape[1]
        misjudged = basis.rank_in_doubt and (decided is None or decided.rank != rank)
        return LogisticFit(
            basis.weights(now.c),
            now.gap,
            steps,
            standard_errors=basis.spread(now.hessian),
            doubtful=not penalised and (now.hessian.ill_conditioned or misjudged),
            separability=None if decided is None else decided.proof,
        )


def _first(objective: CompiledObjective, start: Floats) -> _Iterate:
    """Return the first iterate; from zero where the Hessian at `start` is ill-conditioned."""
    c = objective.basis.coordinates(start)
    for place in (c, np.zeros_like(c)):
        a = objective.agreements(place)
        now = _Iterate.at(objective, place, a, objective.value(place, a))
        if not now.hessian.ill_conditioned:
            break
    return now


def _next(objective: CompiledObjective, now: _Iterate) -> _Iterate | None:
    """Return the first of c + step, c + step / 2, ... that lowers the value, or None."""

    @cache
    def along(t: float) -> tuple[float, tuple[Floats, Floats]]:
        c, a = now.c + t * now.step, now.a + t * now.step_scores
        return objective.value(c, a), (c, a)

    value, (c, a) = along(1.0)
    if now.value <= value <= now.value * (1.0 + ROUNDING):
        later = _Iterate.at(objective, c, a, value)
        if later.gap < 0.5 * now.gap:
            return later
    found = LINE_SEARCH.search(along, now.value)
    if found is None:
        return None
    _, value, (c, a) = found
    return _Iterate.at(objective, c, a, value)
