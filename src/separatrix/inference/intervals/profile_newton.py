"""Newton's method on profiles of a log-likelihood: maxima with a coefficient fixed, and their ends.

In coordinates c of orthonormal columns b_j = f.c. One step from c, with H the information and g the
gradient, is H^-1 (g - mu f) + (dv / s) H^-1 f, s = f H^-1 f, mu = f H^-1 g / s: towards the maximum
at the present value v of b_j, and from there along the curve of maxima, whose slope mu is that of
the profile l_j. The end of an interval takes both at once, with dv such that the signed root of
2 (l* - l_j), almost linear in v, becomes what it should be (Venzon & Moolgavkar 1988).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from separatrix.data import Floats
from separatrix.inference.intervals.faces import Undecided
from separatrix.learners.logistic.line_search import Backtracking
from separatrix.learners.logistic.newton import CompiledObjective

MOST_JOINT, MOST_NESTED, MOST_CLIMB = 40, 100, 100
LONGEST_STEP = 3.0  # in scores, of a joint step: beyond, the quadratic model says little
FARTHEST = 20.0  # likewise, along the curve of maxima
FAR = 40.0  # an agreement beyond which a change by a part of it moves no likelihood
FALL = 1e-13  # of a log-likelihood, relative: what rounding leaves
ENOUGH = 1e-18  # a gain, relative to the log-likelihood, below which a climb ends
SMALL_GAIN = 1e-12  # of the log-likelihood in a last step, which squares it
SMALL_STEP = 1e-7  # in scores, of a last step
LINE_SEARCH = Backtracking(least=1e-12)


@dataclass(frozen=True)
class Step:
    """A point c, the value there, and what Newton's step from it is made of."""

    c: Floats  # (k,)
    a: Floats  # (N,) agreements
    value: float  # minus the log-likelihood
    towards: Floats  # (k,) the step to the maximum with f.c fixed
    gain: float  # twice what it is to gain
    slope: float  # d l_j / dv there
    along: Floats  # (k,) dc / dv on the curve of maxima
    information: float  # 1 / s, minus the curvature of l_j

    @classmethod
    def at(cls, objective: CompiledObjective, c: Floats, f: Floats | None) -> Step:
        """Return it at c; with f None nothing is fixed."""
        a = objective.agreements(c)
        sigma, curvature = objective.shares(a)
        g = objective.combination(sigma)
        hessian = objective.hessian(curvature)
        if f is None:
            towards = hessian.solve(g)
            return cls(
                c, a, objective.value(c, a), towards, float(g @ towards), 0.0, 0.0 * c, np.nan
            )
        newton, u = hessian.solve(np.column_stack((g, f))).T
        s, length = float(f @ u), float(f @ f)
        if not (0.0 < s < np.inf and 0.0 < length < np.inf):  # columns of 1e300 or 1e-300
            raise Undecided("columns are too large or too small for the arithmetic of doubles")
        slope = float(f @ newton) / s
        towards = newton - slope * u
        towards -= float(f @ towards) / length * f  # rounding
        gain = max(0.0, float(towards @ g))
        return cls(c, a, objective.value(c, a), towards, gain, slope, u / s, 1.0 / s)


def climbed(objective: CompiledObjective, c: Floats, f: Floats | None) -> Step:
    """Return the maximum with f.c fixed, from c on: where rounding ends the climb."""
    now = Step.at(objective, c, f)
    for _ in range(MOST_CLIMB):
        if now.gain <= ENOUGH * max(1.0, now.value):
            break
        hidden = FALL * max(1.0, now.value)  # a gain that rounding may hide
        along = partial(_along, objective, now)
        found = LINE_SEARCH.search(along, now.value, -now.gain, hidden)
        if found is None:
            break
        later = Step.at(objective, found[2], f)
        if now.gain <= hidden and later.gain >= 0.25 * now.gain:
            break
        now = later
    return now


def climbed_at(objective: CompiledObjective, c: Floats, f: Floats, v: float) -> Step | None:
    """Return the maximum with f.c = v, from c on along the curve of maxima; None where lost."""
    now = Step.at(objective, c, f)
    for _ in range(MOST_NESTED):
        step = (v - float(f @ now.c)) * now.along
        size = _size(objective, step, now.a)
        if not np.isfinite(size):
            break
        now = climbed(objective, now.c + step * min(1.0, FARTHEST / max(size, FARTHEST)), f)
        if size <= FARTHEST:
            return now
    return None


def _along(objective: CompiledObjective, now: Step, t: float) -> tuple[float, Floats]:
    """Return the value and the place after a part of a step."""
    c = now.c + t * now.towards
    return objective.value(c, objective.agreements(c)), c


@dataclass(frozen=True)
class Target:
    """The end of an interval: on one side of the maximum 2 (l* - l_j) = q."""

    maximum: float  # l*
    q: float  # positive
    side: int  # +1 or -1

    def fall(self, now: Step) -> float:
        """Return 2 (l* - l_j) at the maximum that a step is to reach."""
        return 2.0 * (self.maximum + now.value) - now.gain

    @property
    def rounding(self) -> float:
        """Return by how much rounding may change a fall."""
        return FALL * max(1.0, -self.maximum)


def wald_end(objective: CompiledObjective, c: Floats, f: Floats, root: float) -> Floats:
    """Return the place `root` standard errors of f.c along the curve of maxima, or on the way."""
    now = Step.at(objective, c, f)
    step = root / np.sqrt(now.information) * now.along
    size = _size(objective, step, now.a)
    return np.asarray(c + step * min(1.0, FARTHEST / max(size, FARTHEST)))


def joint(objective: CompiledObjective, f: Floats, c: Floats, target: Target) -> Floats | None:
    """Return c at the end of the interval of f.c; None where that does not converge."""
    goal, side = np.sqrt(target.q), target.side
    for _ in range(MOST_JOINT):
        now = Step.at(objective, c, f)
        fall = target.fall(now)
        dv = 0.0
        near = now.gain <= 1.0 and fall > 0.0 and now.slope * side < 0.0
        if near:
            root = np.sqrt(fall)
            dv = side * (goal - root) * root / abs(now.slope)
        step = now.towards + dv * now.along
        size = _size(objective, step, now.a)
        if not np.isfinite(size):
            return None
        c = now.c + step * min(1.0, LONGEST_STEP / max(size, LONGEST_STEP))
        rest = abs(dv * now.slope)
        if near and now.gain < SMALL_GAIN and rest < target.rounding and size < SMALL_STEP:
            return c
        if near and now.gain < SMALL_GAIN * target.q and rest <= 4.0 * target.rounding:
            return c  # flat: steps in scores do not shrink further
    return None


def nested(objective: CompiledObjective, f: Floats, c: Floats, target: Target) -> Floats | None:
    """Return the same: the maximum at each value, and the value by Newton's method."""
    inside = outside = np.nan
    for _ in range(MOST_NESTED):
        now = climbed(objective, c, f)
        v, fall = float(f @ now.c), target.fall(now)
        if abs(fall - target.q) <= target.rounding:
            return now.c
        if fall < target.q:
            inside = v
        else:
            outside = v
        if abs(outside - inside) <= 4.0 * np.spacing(abs(v)):
            return now.c
        slope = -2.0 * now.slope  # of the fall
        if not slope * target.side > 0.0:
            if fall > target.q:
                return None
            new = v + target.side * FARTHEST / max(_size(objective, now.along, now.a), 1e-300)
        elif 0.25 * target.q < fall < 4.0 * target.q:
            root = np.sqrt(fall)
            new = v + 2.0 * (np.sqrt(target.q) - root) * root / slope
        else:
            new = v + (target.q - fall) / slope
        if not (np.isnan(inside) or np.isnan(outside)):
            low, high = min(inside, outside), max(inside, outside)
            if not low < new < high:
                new = 0.5 * (low + high)
        step = (new - v) * now.along
        size = _size(objective, step, now.a)
        if not np.isfinite(size):
            return None
        c = now.c + step * min(1.0, FARTHEST / max(size, FARTHEST))
    return None


def _size(objective: CompiledObjective, step: Floats, a: Floats) -> float:
    """Return the largest change of a score, those far from 0 in units of their own size."""
    far = np.maximum(1.0, np.abs(a) / FAR)
    return float((np.abs(objective.M @ step) / far).max(initial=0.0))
