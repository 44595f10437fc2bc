"""The point of a convex hull that is nearest to the origin, in floats: a proposal, never a proof.

With columns a_n = (z_n, h) and target t = (0, h), least squares with lambda >= 0 minimises
|sum lambda z|^2 + h^2 (1 - sum lambda)^2 (Lawson & Hanson 1974, chapter 23). Its residual is
r = (-x, h (1 - s)) with x = sum lambda z: either zero, and then 0 is in the hull, or z_n.x is at
least h^2 (1 - s) for all n and just that on the rows in use. The factors Q R of the columns in use
follow every change by rotations, so accuracy is that of a fresh factorisation.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order
from separatrix.kernels.rows import Floats

Indices = NDArray[np.int64]
Truths = NDArray[np.bool_]

DEPENDENT = 1e-13  # of a column's length outside the span of those in use: not a new direction
NOTHING = 1e-13  # of h: a residual as long as its own rounding


@part_any_order
def dot(a: Floats, b: Floats) -> float:
    """Return a.b."""
    s = 0.0
    for j in range(a.size):
        s += a[j] * b[j]
    return s


@part_any_order
def remove(q: Floats, p: int, r: Floats, parts: Floats) -> None:
    """Subtract from r its part in the first p rows of q, twice for rounding; add up the parts."""
    for _ in range(2):
        for i in range(p):
            base = q[i]
            c = dot(base, r)
            parts[i] += c
            for j in range(r.size):
                r[j] -= c * base[j]


@part_any_order
def most_helpful(points: Floats, r: Floats, last: Floats, barred: Truths) -> tuple[int, float]:
    """Return the row n, not barred, of largest (z_n, h_n).r, and that value."""
    best, place = -np.inf, -1
    for n in range(points.shape[0]):
        z = points[n]
        a = last[n] * r[z.size]
        for j in range(z.size):
            a += z[j] * r[j]
        if a > best and not barred[n]:
            best, place = a, n
    return place, best


@part
def append(points: Floats, n: int, last: float, q: Floats, tri: Floats, p: int) -> bool:
    """Add the column (z_n, last) behind p others; return False when it is no new direction."""
    k = points.shape[1]
    new, parts = q[p], tri[p]
    for j in range(k):
        new[j] = points[n, j]
    new[k] = last
    for i in range(p):
        parts[i] = 0.0
    length = np.sqrt(dot(new, new))
    remove(q, p, new, parts)
    rest = np.sqrt(dot(new, new))
    parts[p] = rest
    if not rest > DEPENDENT * length:
        return False
    for j in range(k + 1):
        new[j] /= rest
    return True


@part
def rotate(a: Floats, b: Floats, c: float, s: float) -> None:
    """Turn two rows: (a, b) <- (c a + s b, c b - s a)."""
    for j in range(a.size):
        x, y = a[j], b[j]
        a[j], b[j] = c * x + s * y, c * y - s * x


@part
def drop(q: Floats, tri: Floats, p: int, place: int) -> None:
    """Remove the column at `place` of p; rotations make the factor triangular again."""
    for i in range(place, p - 1):
        for j in range(i + 2):
            tri[i, j] = tri[i + 1, j]
    for i in range(place, p - 1):
        length = np.hypot(tri[i, i], tri[i, i + 1])
        if length == 0.0:
            continue
        c, s = tri[i, i] / length, tri[i, i + 1] / length
        for m in range(i, p - 1):
            x, y = tri[m, i], tri[m, i + 1]
            tri[m, i], tri[m, i + 1] = c * x + s * y, c * y - s * x
        rotate(q[i], q[i + 1], c, s)


@part
def solution(q: Floats, tri: Floats, p: int, h: float, mu: Floats) -> None:
    """Write the least-squares weights of the p columns in use into mu."""
    for i in range(p - 1, -1, -1):
        a = h * q[i, q.shape[1] - 1]
        for m in range(i + 1, p):
            a -= tri[m, i] * mu[m]
        mu[i] = a / tri[i, i]


@part
def settle(q: Floats, tri: Floats, p: int, h: float, used: Indices, weights: Floats) -> int:
    """Bring the weights of p columns to their best, dropping those that would turn negative."""
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
    points: Floats, last: Floats, h: float, slack: float, used: Indices, weights: Floats, p: int,
    r: Floats
) -> int:  # fmt: skip
    """Find the point of least length in the hull of the points (m, k); start from p rows in use.

    last (m,): h each, or the last numbers of columns whose best sum >= 0 near (0, h) is found.

    Writes the rows in use and their weights > 0 into used and weights (k + 1), the residual into r
    (k + 1,); returns how many they are. Ends when no row has z_n.x below (1 - slack) of the level
    of those in use, when the residual is nothing, or after 40 (k + 5) steps.
    """
    m, k = points.shape
    q, tri, parts = np.empty((k + 2, k + 1)), np.empty((k + 2, k + 2)), np.empty(k + 2)
    barred, start = np.empty(m, dtype=np.bool_), np.empty(p, dtype=np.int64)
    for n in range(m):
        barred[n] = False
    for i in range(p):
        start[i] = used[i]
    waiting, p = p, 0
    for _ in range(40 * (k + 5)):
        for j in range(k):
            r[j] = 0.0
        r[k] = h
        remove(q, p, r, parts)
        if p == k + 1 or dot(r, r) <= (NOTHING * h) ** 2:
            break
        for i in range(p):
            barred[used[i]] = True
        n, gain = most_helpful(points, r, last, barred)
        for i in range(p):
            barred[used[i]] = False
        asked = waiting > 0
        if asked:
            waiting -= 1
            n = start[waiting]
        elif n < 0 or gain <= slack * h * abs(r[k]):
            break
        barred[n] = not asked  # until it has shown that it stays
        if append(points, n, last[n], q, tri, p):
            used[p], weights[p] = n, 0.0
            p = settle(q, tri, p + 1, h, used, weights)
            for i in range(p):
                if used[i] == n:
                    barred[n] = False
    return p
