"""Newton's method by conjugate gradients, for wide tables with a penalty (Lin et al. 2008).

Their metric is the Hessian's diagonal. The penalty makes a dual point free: alpha = sigma(-a),
moved for the intercept.
"""

from __future__ import annotations

import numpy as np

from separatrix.data import Floats, Sample
from separatrix.learners.logistic.drawn_rows import Few, Subsample
from separatrix.learners.logistic.newton import gap_of_moves
from separatrix.learners.logistic.objective import Objective, Scaling, TiledRows
from separatrix.learners.logistic.problem import LogisticFit, Problem
from separatrix.learners.logistic.steps import Backtracking
from separatrix.tiles import one_blas_thread

LOOSEST = 0.25  # share of the shortfall that a first step may leave
SAFETY = 0.3  # of the tolerated shortfall that a last step aims at
MOST_PRODUCTS = 200  # for one step
LINE_SEARCH = Backtracking(least=1e-9)
SLACK = 1e-15  # of the value, relative: what rounding may add to it
BALANCING = 4096  # rows that make the intercept's equality exact


def newton_cg(problem: Problem) -> LogisticFit | None:
    """Minimise the cross-entropy + |w|^2 / (2 C) to a certified gap; None where floats overflow."""
    sample, tol = problem.sample, problem.tol
    with one_blas_thread(), np.errstate(all="ignore"):
        rows = TiledRows(sample, sample.weight, curved=True)
        objective = Objective(rows, Scaling.identity(sample.d + 1, sample.x0, problem.C))
        penalty = objective.scaling.penalty
        w = problem.start.copy()
        value, gradient = objective.at(w)
        diagonal = rows.hessian_diagonal() + penalty
        steps, lower = 0, True
        while True:
            gap = _shortfall(gradient, penalty) / value
            last = steps >= problem.max_iter or not lower
            if gap <= tol or last:
                gap = _certified(objective, sample, w) / value
                if gap <= tol or last:
                    break
            enough = max(SAFETY * tol, gap * min(LOOSEST, gap))
            step = -_conjugate_gradients(objective, diagonal, gradient, enough * value)
            along, slope = objective.along(w, step), float(step @ gradient)
            found = LINE_SEARCH.search(along, value, slope, SLACK * value)
            lower = found is not None
            if found is None:
                value, gradient = objective.at(w)
            else:
                t, value, gradient = found
                w, steps = w + t * step, steps + 1
        if not np.isfinite(gap):
            return None
        return LogisticFit(w, gap, steps, np.full(w.size, np.nan))


def _conjugate_gradients(
    objective: Objective[TiledRows], diagonal: Floats, gradient: Floats, enough: float
) -> Floats:
    """Return H^-1 gradient, up to a shortfall of `enough`."""
    penalty = objective.scaling.penalty
    solution, left = np.zeros_like(gradient), gradient.copy()
    near = left / diagonal
    along, size = near, float(left @ near)
    for _ in range(MOST_PRODUCTS):
        product = objective.source.hessian_product(along) + penalty * along
        bend = float(along @ product)
        if not bend > 0.0:
            break
        solution += (size / bend) * along
        left -= (size / bend) * product
        if _shortfall(left, penalty) <= enough:
            break
        near = left / diagonal
        before, size = size, float(left @ near)
        along = near + (size / before) * along
    return solution


def _shortfall(gradient: Floats, penalty: Floats) -> float:
    """Return what sigma(-a) falls short by as a dual point, its intercept apart: |g|^2 C / 2."""
    return 0.5 * float((gradient[1:] ** 2 / penalty[1:]).sum())


def _certified(objective: Objective[TiledRows], sample: Sample, w: Floats) -> float:
    """Return the gap at w, the last place, times the value."""
    some = Few.all_of(sample).fewer(BALANCING)
    curves = objective.source.curvature[some.chosen]
    moved = curves * (-objective.of_rows[0] / curves.sum())
    return gap_of_moves(Subsample(some, objective.scaling), w, objective.of_rows, moved)
