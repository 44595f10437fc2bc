"""One added column at a time beside fixed ones: the score test, and the largest likelihood.

The fixed columns come orthonormal in the curvature of their own fit, where the gradient is zero; an
added column g is made orthonormal to them. There the Hessian of the fit without g is the identity:
the score statistic is the squared gradient along g, and a step along the gradient is a Newton step
with that Hessian. Such steps converge fast where g matters little, which is nearly always; where
they do not, the Hessian is computed.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order
from separatrix.kernels.rows import Floats
from separatrix.kernels.smooth.sigmoid import logistic_parts

BLOCK = 1024  # rows: a block of 12 columns stays in the processor's second cache
DEPENDENT = 1e-9  # of a column's spread: what is left of a dependent one beside the others
CONSTANT = 1e-13  # of a column's size: the spread of one that is constant but for rounding
ENOUGH = 1e-11  # of 2 l: what a further step promises
DONE = 1e-6  # of 2 l: with more left to gain a column counts as not fitted
ROUNDING = 1e-13  # of l: a step may lose as much
SLOW = 0.1  # what steps without a Hessian must leave of it
MOST_STEPS = 60
HALVINGS = 30
FLAT = 1e-4  # of the curvature without g: with less in some direction a column may be infinite

# what became of a column
FITTED, DEPENDS, FLATTENED = 0, 1, 2


# the fixed columns (k, n), the added one, labels, weights, scores of the fit without it
Model = tuple[Floats, Floats, Floats, Floats, Floats]


@part_any_order
def _dot(a: Floats, b: Floats) -> float:
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@part_any_order
def _dot3(a: Floats, b: Floats, c: Floats) -> float:
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i] * c[i]
    return total


@part
def _add(out: Floats, factor: float, a: Floats) -> None:
    for i in range(a.size):
        out[i] += factor * a[i]


@part
def _orthonormal(g: Floats, columns: Floats, w: Floats, out: Floats) -> float:
    """Write g less its part in the columns (k, n), over the length of that, into out.

    Lengths and products are those of weights w (n,). Returns that length, 0 where g depends on the
    columns.
    """
    for i in range(g.size):
        out[i] = g[i]
    before = np.sqrt(_dot3(g, g, w))
    spread = before
    for again in range(2):
        for k in range(columns.shape[0]):
            _add(out, -_dot3(out, columns[k], w), columns[k])
            if k == 0 and again == 0:
                spread = np.sqrt(_dot3(out, out, w))
    left = np.sqrt(_dot3(out, out, w))
    if not left > max(DEPENDENT * spread, CONSTANT * before):
        return 0.0
    for i in range(g.size):
        out[i] /= left
    return left


@part
def _add_curvature(H: Floats, basis: Floats, own: Floats, curve: Floats, first: int) -> None:
    """Add to the lower half of H the curvature of the rows from `first` on, one of `curve` each."""
    k, last = basis.shape[0], first + curve.size
    weighed = np.empty(curve.size)
    for j in range(k + 1):
        column = basis[j, first:last] if j < k else own[first:last]
        for i in range(curve.size):
            weighed[i] = curve[i] * column[i]
        for i in range(min(j + 1, k)):
            H[j, i] += _dot(weighed, basis[i, first:last])
    H[k, k] += _dot(weighed, own[first:last])


@part
def _pass(model: Model, at: Floats, gradient: Floats, H: Floats, room: Floats) -> float:
    """Return the log-likelihood at start + basis'(at[:k]) + own at[k]; write its gradient.

    Fill the lower half of H, the Hessian's negative, where it is not of size 0. `room` is (4, b).
    """
    basis, own, y, weight, start = model
    n, k = y.size, basis.shape[0]
    gradient[:] = 0.0
    H[:] = 0.0
    total = 0.0
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        m = last - first
        a, sigma, curve, error = room[0, :m], room[1, :m], room[2, :m], room[3, :m]
        a[:] = start[first:last]
        for j in range(k):
            _add(a, float(at[j]), basis[j, first:last])
        _add(a, float(at[k]), own[first:last])
        for i in range(m):
            a[i] *= y[first + i]
        logistic_parts(a, sigma, curve, error)
        total -= _dot(weight[first:last], error)
        for i in range(m):
            sigma[i] *= weight[first + i] * y[first + i]
            curve[i] *= weight[first + i]
        for j in range(k):
            gradient[j] += _dot(sigma, basis[j, first:last])
        gradient[k] += _dot(sigma, own[first:last])
        if H.size > 0:
            _add_curvature(H, basis, own, curve, first)
    return total


@part
def _solve(H: Floats, gradient: Floats, step: Floats) -> float:
    """Write H^-1 gradient into step by Cholesky's factors, which replace the lower half of H.

    Returns the least pivot; where that is not positive there is no step.
    """
    least = np.inf
    k = gradient.size
    for j in range(k):
        pivot = H[j, j]
        for i in range(j):
            pivot -= H[j, i] * H[j, i]
        least = min(least, pivot)
        if not pivot > 0.0:
            return pivot
        H[j, j] = np.sqrt(pivot)
        for i in range(j + 1, k):
            t = H[i, j]
            for l in range(j):  # noqa: E741
                t -= H[i, l] * H[j, l]
            H[i, j] = t / H[j, j]
    for j in range(k):
        t = gradient[j]
        for i in range(j):
            t -= H[j, i] * step[i]
        step[j] = t / H[j, j]
    for j in range(k - 1, -1, -1):
        t = step[j]
        for i in range(j + 1, k):
            t -= H[i, j] * step[i]
        step[j] = t / H[j, j]
    return least


@part
def _promised(H: Floats, gradient: Floats, room: Floats) -> float:
    """Return gradient' (L L')^-1 gradient for the factor L in the lower half of H."""
    total = 0.0
    for j in range(gradient.size):
        t = gradient[j]
        for i in range(j):
            t -= H[j, i] * room[i]
        room[j] = t / H[j, j]
        total += room[j] * room[j]
    return total


@part
def _advance(
    model: Model,
    at: Floats,
    gradient: Floats,
    here: float,
    step: Floats,
    halvings: int,
    room: Floats,
) -> float:
    """Go along the step, or a half, quarter, ... of it, and return the log-likelihood there.

    `at` and `gradient` become those of the point. Returns NaN, and stays, where each is lower.
    """
    before, slopes = at.copy(), np.empty(at.size)
    share = 1.0
    for _ in range(halvings + 1):
        for j in range(at.size):
            at[j] = before[j] + share * step[j]
        there = _pass(model, at, slopes, np.empty((0, 0)), room)
        if there >= here - ROUNDING * abs(here):
            gradient[:] = slopes
            return there
        share *= 0.5
    at[:] = before
    return np.nan


@part
def _climb(
    model: Model, at: Floats, gradient: Floats, here: float, H: Floats, room: Floats
) -> tuple[float, int]:
    """Go from the fit without g to the largest likelihood; return it and the steps made.

    Steps are those of the Hessian there, the identity, as long as they converge fast; then of the
    Hessian where they are.
    """
    step, some = np.empty(at.size), np.empty(at.size)
    newton, steps = False, 0
    gain = _dot(gradient, gradient)
    while gain > ENOUGH and steps < MOST_STEPS:
        steps += 1
        if newton:
            _pass(model, at, gradient, H, room)
            if not _solve(H, gradient, step) > 0.0:
                break
        else:
            step[:] = gradient
        there = _advance(model, at, gradient, here, step, HALVINGS if newton else 0, room)
        if np.isnan(there):
            if newton:
                break
            newton = True
            continue
        here = there
        left = _promised(H, gradient, some) if newton else _dot(gradient, gradient)
        newton = newton or left > SLOW * gain
        gain = left
    return here, steps


@compiled
def screen_columns(
    added: Floats,
    basis: Floats,
    y: Floats,
    weight: Floats,
    curvature: Floats,
    start: Floats,
    likelihood_from: float,
    found: Floats,
    states: NDArray[np.int8],
) -> None:
    """Write for each added column (m, n) what the tests of it say into found (m, 6).

    Parameters
    ----------
    added : (m, n)
    basis : (k, n) the fixed columns, orthonormal in `curvature`, the constant first if there is one
    y : (n,) of -1 and +1; weight : (n,); start : (n,) the scores of the fit without g
    curvature : (n,) weight sigma(start) sigma(-start)
    likelihood_from : the score statistic from which on the likelihood is maximised
    found : score statistic; likelihood-ratio statistic; estimate; its standard error (those of one
        step where the likelihood is not maximised); what the last step promised of the statistic;
        steps made. NaN where not computed.
    states : (m,) FITTED; DEPENDS on the fixed columns, but for rounding; FLATTENED, where hardly
        any curvature is left in some direction: the likelihood is at its supremum, and may not
        reach it
    """
    n, k = y.size, basis.shape[0]
    own, room = np.empty(n), np.empty((4, min(BLOCK, n)))
    at, step = np.empty(k + 1), np.empty(k + 1)
    gradient, none, H = np.empty(k + 1), np.empty((0, 0)), np.empty((k + 1, k + 1))
    model = basis, own, y, weight, start
    found[:] = np.nan
    for c in range(added.shape[0]):
        answer = found[c]
        size = _orthonormal(added[c], basis, curvature, own)
        states[c] = FITTED if size > 0.0 else DEPENDS
        if size == 0.0:
            continue
        at[:] = 0.0
        null = _pass(model, at, gradient, none, room)
        score = gradient[k] * gradient[k]
        answer[0], answer[2], answer[3] = score, gradient[k] / size, 1.0 / size
        if not score >= likelihood_from:
            continue
        here, answer[5] = _climb(model, at, gradient, null, H, room)
        _pass(model, at, gradient, H, room)
        least = _solve(H, gradient, step)
        if least > 0.0:
            answer[4] = _dot(gradient, step)
            answer[1] = 2.0 * (here - null) + answer[4]
            answer[2], answer[3] = (at[k] + step[k]) / size, 1.0 / (size * H[k, k])
        else:
            answer[1], answer[2], answer[3] = 2.0 * (here - null), at[k] / size, np.inf
        if not (least > FLAT and answer[4] <= DONE):
            states[c] = FLATTENED
