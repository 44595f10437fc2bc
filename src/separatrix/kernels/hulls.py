"""The point of a convex hull that is nearest to the origin, in floats: a proposal, never a proof.

With columns a_n = (z_n, h) and target t = (0, h), least squares with lambda >= 0 minimises
|sum lambda z|^2 + h^2 (1 - sum lambda)^2 (Lawson & Hanson 1974, chapter 23). Its residual is
r = (-x, h (1 - s)) with x = sum lambda z: either zero, and then 0 is in the hull, or z_n.x is at
least h^2 (1 - s) for all n and just that on the rows in use. The factors Q R of the columns in use
follow every change by rotations, so accuracy is that of a fresh factorisation.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, compiled_any_order
from separatrix.kernels.rows import Floats

Indices = NDArray[np.int64]

DEPENDENT = 1e-13  # of a column's length outside the span of those in use: not a new direction
NOTHING = 1e-13  # of h: a residual as long as its own rounding


@compiled_any_order
def residual(q: Floats, p: int, r: Floats, h: float) -> None:
    """Write (0, h) less its part in the first p columns of q into r; twice is enough."""
    r[:] = 0.0
    r[-1] = h
    remove(q, p, r)
    remove(q, p, r)


@compiled_any_order
def remove(q: Floats, p: int, r: Floats) -> None:
    """Subtract from r its part in the first p rows of q, which are orthonormal."""
    for i in range(p):
        c = 0.0
        for j in range(r.size):
            c += q[i, j] * r[j]
        for j in range(r.size):
            r[j] -= c * q[i, j]


@compiled_any_order
def most_helpful(
    points: Floats, r: Floats, h: float, barred: NDArray[np.bool_]
) -> tuple[int, float]:
    """Return the row n, not barred, of largest (z_n, h).r, and that value."""
    best, place = -np.inf, -1
    for n in range(points.shape[0]):
        z = points[n]
        a = h * r[-1]
        for j in range(z.size):
            a += z[j] * r[j]
        if a > best and not barred[n]:
            best, place = a, n
    return place, best


@compiled_any_order
def append(points: Floats, n: int, h: float, q: Floats, tri: Floats, p: int) -> bool:
    """Add the column (z_n, h) behind p others; return False when it is no new direction."""
    k = points.shape[1]
    new = q[p]
    new[:k] = points[n]
    new[k] = h
    length = np.sqrt((new * new).sum())
    for i in range(p):
        tri[i, p] = 0.0
    for _ in range(2):  # twice is enough
        for i in range(p):
            c = 0.0
            for j in range(k + 1):
                c += q[i, j] * new[j]
            tri[i, p] += c
            for j in range(k + 1):
                new[j] -= c * q[i, j]
    rest = np.sqrt((new * new).sum())
    tri[p, p] = rest
    if not rest > DEPENDENT * length:
        return False
    new /= rest
    return True


@compiled
def drop(q: Floats, tri: Floats, p: int, place: int) -> None:
    """Remove the column at `place` of p; rotations make the factor triangular again."""
    for i in range(place, p - 1):
        tri[: i + 2, i] = tri[: i + 2, i + 1]
    for i in range(place, p - 1):
        length = np.hypot(tri[i, i], tri[i + 1, i])
        if length == 0.0:
            continue
        c, s = tri[i, i] / length, tri[i + 1, i] / length
        for j in range(i, p - 1):
            a, b = tri[i, j], tri[i + 1, j]
            tri[i, j], tri[i + 1, j] = c * a + s * b, c * b - s * a
        for j in range(q.shape[1]):
            a, b = q[i, j], q[i + 1, j]
            q[i, j], q[i + 1, j] = c * a + s * b, c * b - s * a


@compiled
def solution(q: Floats, tri: Floats, p: int, h: float, mu: Floats) -> None:
    """Write the least-squares weights of the p columns in use into mu."""
    for i in range(p - 1, -1, -1):
        a = h * q[i, q.shape[1] - 1]
        for j in range(i + 1, p):
            a -= tri[i, j] * mu[j]
        mu[i] = a / tri[i, i]


@compiled
def settle(q: Floats, tri: Floats, p: int, h: float, used: Indices, weights: Floats) -> int:
    """Bring the weights of p columns to their best, dropping those that would turn negative.

    Returns how many columns are left in use.
    """
    mu = np.empty(p)
    while p > 0:
        solution(q, tri, p, h, mu)
        step, place = 1.0, -1
        for i in range(p):
            if mu[i] <= 0.0:
                gap = weights[i] - mu[i]
                part = weights[i] / gap if gap > 0.0 else 0.0
                if place < 0 or part < step:
                    step, place = part, i
        for i in range(p):
            weights[i] += step * (mu[i] - weights[i]) if place >= 0 else mu[i] - weights[i]
        if place < 0:
            return p
        drop(q, tri, p, place)
        for i in range(place, p - 1):
            used[i] = used[i + 1]
            weights[i] = weights[i + 1]
        p -= 1
    return p


@compiled
def least_point(
    points: Floats, h: float, slack: float, used: Indices, weights: Floats, p: int, r: Floats
) -> int:
    """Find the point of least length in the hull of the points (m, k); start from p rows in use.

    Writes the rows in use and their weights > 0 into used and weights (k + 1), the residual into r
    (k + 1,); returns how many they are. Ends when no row has z_n.x below (1 - slack) of the level
    of those in use, when the residual is nothing, or after 40 (k + 5) steps.
    """
    m, k = points.shape
    q = np.empty((k + 2, k + 1))
    tri = np.zeros((k + 2, k + 2))
    barred = np.zeros(m, dtype=np.bool_)
    kept = 0
    for i in range(p):
        if append(points, used[i], h, q, tri, kept):
            used[kept], weights[kept] = used[i], weights[i]
            kept += 1
    p = settle(q, tri, kept, h, used, weights)
    for _ in range(40 * (k + 5)):
        residual(q, p, r, h)
        if p == k + 1 or (r * r).sum() <= (NOTHING * h) ** 2:
            break
        for i in range(p):
            barred[used[i]] = True
        n, gain = most_helpful(points, r, h, barred)
        if n < 0 or gain <= slack * h * abs(r[k]):
            break
        if not append(points, n, h, q, tri, p):
            barred[n] = True
            continue
        for i in range(p):
            barred[used[i]] = False
        used[p], weights[p] = n, 0.0
        before = p + 1
        p = settle(q, tri, before, h, used, weights)
        if p < before and p > 0 and used[p - 1] != n:
            stayed = False
            for i in range(p):
                stayed = stayed or used[i] == n
            if not stayed:
                barred[n] = True  # it came and went at once: rounding
    return p
