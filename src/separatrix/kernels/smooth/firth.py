"""Firth's penalised likelihood F = l + ln det I / 2: its maximum on a plane, and profile ends.

Everything is stated in orthonormal columns, so that I = M W M' (r, r) is as well-conditioned as the
weights W = m p (1 - p) of the rows. Steps solve K step = g + A' lambda with K = I + C: scoring for
C = 0; Newton's method nearby when C is what the exact Hessian adds to I at the maximum. Products of
matrices are BLAS's, which the caller holds to one thread. No array is assigned to a slice: Numba
would compile the words for shapes that do not fit, 4 s.
"""

from typing import NamedTuple

import numpy as np

from separatrix.kernels._jit import compiled_fused, part, part_any_order, part_fused
from separatrix.kernels.rows import Floats
from separatrix.kernels.smooth.sigmoid import logistic_parts

DECREASE = 1e-4  # share of the promised rise that a step must reach
LEAST = 1e-10  # the shortest part of a step that is tried
ROUNDING = 1e-14  # of F and the number of rows: a fall that may be rounding
LONGEST = 3.0  # of a step towards an end, in units of the way from the maximum


class Table(NamedTuple):
    """Orthonormal columns M (r, N), one in a row; signs y (N,) and weights m (N,) of the rows."""

    M: Floats
    y: Floats
    m: Floats


class Place(NamedTuple):
    """What is known at a point c (r,); all of it is written anew by `look`."""

    agreement: Floats  # (N,) y s
    share: Floats  # (N,) sigma(-y s)
    curvature: Floats  # (N,) sigma(s) sigma(-s)
    error: Floats  # (N,) ln(1 + e^(-y s))
    spread: Floats  # (N,) x' I^-1 x, so that m p (1 - p) times it is the leverage of a row
    scaled: Floats  # (r, N) room for the products
    information: Floats  # (r, r) I, of which the lower half counts
    lower: Floats  # its Cholesky factor
    inverse: Floats  # the inverse of that
    score: Floats  # (r,) the gradient of F


def new_place(r: int, n: int) -> Place:
    """Return room for what is known at a point, of r columns and n rows."""
    of_rows = [np.empty(n) for _ in range(5)]
    square = [np.zeros((r, r)) for _ in range(3)]
    return Place(*of_rows, np.empty((r, n)), *square, np.empty(r))  # type: ignore[call-arg]


@part_any_order
def _factorise(A: Floats, lower: Floats) -> bool:
    """Write the Cholesky factor of A (r, r) into `lower`; False where there is none."""
    for i in range(A.shape[0]):
        of_i = lower[i]
        for j in range(i + 1):
            of_j = lower[j]
            left = A[i, j]
            for k in range(j):
                left -= of_i[k] * of_j[k]
            if j < i:
                of_i[j] = left / of_j[j]
            elif left > 0.0:
                of_i[i] = np.sqrt(left)
            else:
                return False
    return True


@part_fused
def _invert(lower: Floats, inverse: Floats) -> None:
    """Write the inverse of a lower triangle (r, r); above its diagonal `inverse` must be zero."""
    for i in range(lower.shape[0]):
        pivot = 1.0 / lower[i, i]
        of_i = inverse[i]
        of_i[: i + 1] = 0.0
        for k in range(i):
            factor, of_k = lower[i, k] * pivot, inverse[k]
            for j in range(k + 1):
                of_i[j] -= factor * of_k[j]
        of_i[i] = pivot


@part_fused
def _solve(lower: Floats, right: Floats, x: Floats) -> None:
    """Write A^-1 right (r,) from the Cholesky factor of A; x may be `right`."""
    r = lower.shape[0]
    for i in range(r):
        x[i] = right[i]
        for k in range(i):
            x[i] -= lower[i, k] * x[k]
        x[i] /= lower[i, i]
    for i in range(r - 1, -1, -1):
        x[i] /= lower[i, i]
        for k in range(i):
            x[k] -= lower[i, k] * x[i]


@part
def _move(start: Floats, factor: float, step: Floats, x: Floats) -> None:
    """Write start + factor step (r,), the product rounded."""
    for i in range(x.size):
        x[i] = start[i] + factor * step[i]


@compiled_fused
def look(table: Table, c: Floats, place: Place) -> float:
    """Return F at c and write what is known there; -inf where I is singular in floats."""
    M, y, m = table
    np.dot(c, M, place.agreement)
    for n in range(y.size):
        place.agreement[n] *= y[n]
    logistic_parts(place.agreement, place.share, place.curvature, place.error)
    value = 0.0
    for n in range(y.size):
        value -= m[n] * place.error[n]
    for j in range(c.size):
        column, scaled = M[j], place.scaled[j]
        for n in range(y.size):
            scaled[n] = m[n] * place.curvature[n] * column[n]
    np.dot(place.scaled, M.T, place.information)
    if not _factorise(place.information, place.lower):
        return -np.inf
    _invert(place.lower, place.inverse)
    np.dot(place.inverse, M, place.scaled)
    place.spread[:] = 0.0
    for j in range(c.size):
        value += np.log(place.lower[j, j])
        scaled = place.scaled[j]
        for n in range(y.size):
            place.spread[n] += scaled[n] * scaled[n]
    factor = place.agreement  # not needed any more
    for n in range(y.size):
        bias = place.curvature[n] * place.spread[n] * (place.share[n] - 0.5)
        factor[n] = m[n] * y[n] * (place.share[n] + bias)
    np.dot(M, factor, place.score)
    return value


@part_fused
def _curvature(place: Place, correction: Floats, lower: Floats) -> None:
    """Write the Cholesky factor of I + C, or of I where that is not positive definite."""
    for i in range(lower.shape[0]):
        for j in range(i + 1):
            lower[i, j] = place.information[i, j] + correction[i, j]
    if not _factorise(lower, lower):
        for i in range(lower.shape[0]):
            for j in range(i + 1):
                lower[i, j] = place.lower[i, j]


@part_fused
def _along(A: Floats, lower: Floats, step: Floats) -> None:
    """Take from a step (r,) what leads out of the plane of constant A c, in the metric of K."""
    s, r = A.shape
    solved, gram, left = np.empty((s, r)), np.empty((s, s)), np.empty(s)
    for i in range(s):
        _solve(lower, A[i], solved[i])
        left[i] = np.dot(A[i], step)
        for j in range(i + 1):
            gram[i, j] = np.dot(A[j], solved[i])
    if _factorise(gram, gram):
        _solve(gram, left, left)
        for i in range(s):
            _move(step, -left[i], solved[i], step)


@compiled_fused
def climb(
    table: Table, A: Floats, correction: Floats, c: Floats, tol: float, steps: int, place: Place
) -> tuple[float, float, int]:
    """Move c (r,) to where F is largest on the plane of constant A c; A is (s, r), s = 0 for all.

    Returns F there, the length of the last step in units of the spread of c, and how many steps
    were taken: infinite where that many did not do. `place` is that before the last step.
    """
    lower, new, step = np.empty_like(place.lower), np.empty_like(c), np.empty_like(c)
    value = look(table, c, place)
    if value == -np.inf:
        return value, np.inf, 0
    rounding = ROUNDING * (table.y.size + abs(value))
    for taken in range(steps):
        _curvature(place, correction, lower)
        _solve(lower, place.score, step)
        if A.shape[0]:
            _along(A, lower, step)
        rise = np.dot(step, place.score)
        length = np.sqrt(max(rise, 0.0))
        if length <= tol:
            _move(c, 1.0, step, c)
            return value + rise / 2.0, length, taken + 1
        t = 1.0
        while True:
            _move(c, t, step, new)
            moved = look(table, new, place)
            if moved >= value + DECREASE * t * rise - rounding:
                break
            t /= 2.0
            if t < LEAST:
                return look(table, c, place), length, taken + 1
        _move(c, t, step, c)
        value = moved
    return value, np.inf, steps


@compiled_fused
def find_end(
    table: Table, a: Floats, side: float, fall: float, correction: Floats, best: float, c: Floats,
    tol: float, steps: int, place: Place
) -> tuple[float, int]:  # fmt: skip
    """Move c (r,) to where 2 (best - F) = fall and F is stationary at constant a.c.

    Venzon & Moolgavkar (1988), by one step for both: with K step = g + lambda a the model of F
    falls by `fall` for lambda^2 a'K^-1 a = fall - 2 (best - F) + g'K^-1 g. Returns the length of
    the last step, infinite where the steps did not settle, and how many were taken.
    """
    lower, step, outwards = np.empty_like(place.lower), np.empty_like(c), np.empty_like(c)
    for taken in range(steps):
        value = look(table, c, place)
        if value == -np.inf:
            return np.inf, taken
        _curvature(place, correction, lower)
        _solve(lower, place.score, step)
        _solve(lower, a, outwards)
        left = fall - 2.0 * (best - value) + np.dot(step, place.score)
        _move(step, side * np.sqrt(max(left, 0.0) / np.dot(a, outwards)), outwards, step)
        length = 0.0
        for i in range(c.size):  # |step|^2 in the metric of K = lower lower'
            of_i = 0.0
            for k in range(i, c.size):
                of_i += lower[k, i] * step[k]
            length += of_i * of_i
        length = np.sqrt(length)
        longest = LONGEST * np.sqrt(fall)
        _move(c, longest / length if length > longest else 1.0, step, c)
        if length <= tol:
            return length, taken + 1
    return np.inf, steps
