"""Ten-line oracles in exact arithmetic: what the compiled learners must do, row by row."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np


def exact_rows(X, x0=1):
    return [[Fraction(x0), *(Fraction(float(v)) for v in row)] for row in X]


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def wrong(z, y, v, sign_of_zero):
    s = dot(z, [Fraction(float(c)) for c in v])
    h = (
        0
        if s == 0 and sign_of_zero == "mistake"
        else sign_of_zero
        if s == 0
        else 1
        if s > 0
        else -1
    )
    return h != y


def pla(X, y, order, *, naive=False, sign_of_zero="mistake", start=None, max_updates=500, x0=1.0):
    """Rows visited and v after PLA; one float rounding per component, signs in fractions."""
    Z, n = exact_rows(X, int(x0)), len(X)
    v = np.zeros(X.shape[1] + 1) if start is None else np.array(start, dtype=float)
    visited, position, streak = [], 0, 0
    while streak < n and len(visited) <= max_updates:
        i = order[position]
        if wrong(Z[i], y[i], v, sign_of_zero):
            if len(visited) == max_updates:
                return visited, v, False
            v = v + y[i] * np.concatenate(([x0], X[i]))
            visited.append(i)
            position, streak = 0 if naive else (position + 1) % n, 0
        else:
            position, streak = (position + 1) % n, streak + 1
    return visited, v, streak == n


def mistakes(X, y, v, sign_of_zero="mistake"):
    return [i for i, z in enumerate(exact_rows(X)) if wrong(z, y[i], v, sign_of_zero)]


def visits(X, y, order, passes, *, sign_of_zero="mistake", start=None, x0=1.0):
    """v after every visit of a row, in order, until a clean pass or so many passes; and T."""
    Z, after, streak, updates = exact_rows(X, int(x0)), [], 0, 0
    v = np.zeros(X.shape[1] + 1) if start is None else np.array(start, dtype=float)
    for i in list(order) * passes:
        if streak == len(y):
            break
        streak += 1
        if wrong(Z[i], y[i], v, sign_of_zero):
            v, streak, updates = v + y[i] * np.concatenate(([x0], X[i])), 0, updates + 1
        after.append(v)
    return after, updates


def margin_pla(X, y, order, margin, *, naive=False, max_updates=500, x0=1.0):
    """Rows visited and v of PLA that corrects y v.x <= margin, in fractions."""
    Z, n, margin = exact_rows(X, int(x0)), len(X), Fraction(margin)
    v, visited, position, streak = [Fraction(0)] * (X.shape[1] + 1), [], 0, 0
    while streak < n:
        i = order[position]
        if int(y[i]) * dot(Z[i], v) <= margin:
            if len(visited) == max_updates:
                return visited, v, False
            v = [a + int(y[i]) * b for a, b in zip(v, Z[i], strict=True)]
            visited.append(i)
            position, streak = 0 if naive else (position + 1) % n, 0
        else:
            position, streak = (position + 1) % n, streak + 1
    return visited, v, True


def passive_aggressive(X, y, order, passes, *, variant, C, x0=1):
    """w of Crammer et al.'s updates, in fractions."""
    Z, C, w = exact_rows(X, x0), Fraction(C), [Fraction(0)] * (X.shape[1] + 1)
    for i in list(order) * passes:
        error, length = max(0, 1 - int(y[i]) * dot(Z[i], w)), dot(Z[i], Z[i])
        if error > 0 and length > 0:
            tau = {
                "PA": error / length,
                "PA-I": min(C, error / length),
                "PA-II": error / (length + 1 / (2 * C)),
            }[variant]
            w = [a + tau * int(y[i]) * b for a, b in zip(w, Z[i], strict=True)]
    return w


def dual_pla(X, y, order, kernel, *, naive=False, sign_of_zero="mistake", max_updates=100):
    """Updates per row of PLA on scores sum alpha y K, for a kernel that is exact on X."""
    n, position, streak = len(X), 0, 0
    alpha = [0] * n
    while streak < n:
        i = order[position]
        s = sum(alpha[j] * y[j] * kernel(X[j], X[i]) for j in range(n))
        if wrong([Fraction(s)], y[i], [1], sign_of_zero):
            if sum(alpha) == max_updates:
                return alpha, False
            alpha[i] += 1
            position, streak = 0 if naive else (position + 1) % n, 0
        else:
            position, streak = (position + 1) % n, streak + 1
    return alpha, True


def newton_logistic(X, y, weight, C, x0, start):  # noqa: PLR0917
    """Plain Newton for the cross-entropy near its optimum: weights, standard errors, the sum."""
    z = np.where(y == np.max(y), 1.0, -1.0)[:, None] * np.column_stack((np.full(len(X), x0), X))
    m = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    scale = np.abs(z).max(axis=0) + (np.abs(z).max(axis=0) == 0)
    z, penalty = z / scale, 1.0 / (C * scale**2)
    penalty[0] = 0.0 if x0 else 1.0

    def value(w):
        return m @ np.logaddexp(0.0, -z @ (w * scale)) + penalty @ (w * scale) ** 2 / 2.0

    v = start * scale
    for _ in range(8):
        theta = 1.0 / (1.0 + np.exp(z @ v))
        H = (z * (m * theta * (1.0 - theta))[:, None]).T @ z + np.diag(penalty)
        v = v + np.linalg.solve(H, z.T @ (m * theta) - penalty * v)
    return v / scale, np.sqrt(np.diag(np.linalg.inv(H))) / scale, value


def pocket(X, y, start, updates, choose, *, weight=None, sign_of_zero="mistake"):
    """Rows visited, pocket, its weight, swaps and last weights; `choose` is told the mistakes."""
    weight = np.ones(len(y)) if weight is None else weight
    v, visited, kept, best, swaps = np.array(start, dtype=float), [], None, np.inf, 0
    while True:
        counted = sum(weight[i] for i in mistakes(X, y, v))
        if counted < best:
            best, kept, swaps = counted, v, swaps + (len(visited) > 0)
        found = mistakes(X, y, v, sign_of_zero)
        if not found or best == 0 or len(visited) == updates:
            return visited, kept, best, swaps, v
        i = choose(found)
        visited.append(i)
        v = v + y[i] * np.concatenate(([1.0], X[i]))


def ratchet(X, y, turns, updates, *, sign_of_zero="mistake"):
    """Pocket, its mistakes, its run, and the last weights of Gallant's ratchet from zero."""
    v = kept = np.zeros(X.shape[1] + 1)
    best, run, longest, made = len(mistakes(X, y, v)), 0, 0, 0
    for i in turns:
        wrong_here = i in mistakes(X, y, v, sign_of_zero)
        if best == 0 or (wrong_here and made == updates):
            break
        if wrong_here:
            v, run, made = v + y[i] * np.concatenate(([1.0], X[i])), 0, made + 1
            continue
        run += 1
        if run > longest and len(mistakes(X, y, v)) < best:
            kept, best, longest = v, len(mistakes(X, y, v)), run
    return kept, best, longest, v


def fewest_on_line(X, y, w, direction):
    """The fewest mistakes of any w + t direction: tried between and beyond all breakpoints."""
    Z = exact_rows(X)
    a = [int(c) * dot(z, [Fraction(float(v)) for v in w]) for z, c in zip(Z, y, strict=True)]
    b = [
        int(c) * dot(z, [Fraction(float(v)) for v in direction]) for z, c in zip(Z, y, strict=True)
    ]
    at = sorted({-p / q for p, q in zip(a, b, strict=True) if q})
    between = [(p + q) / 2 for p, q in pairwise(at)]
    tried = [at[0] - 1, *between, at[-1] + 1] if at else [Fraction(0)]
    return min(sum(p + t * q <= 0 for p, q in zip(a, b, strict=True)) for t in tried)


def null_space(rows, width):
    """A basis of {w : row.w = 0} and the pivot columns, by Gauss in fractions."""
    reduced, pivots = [], []
    for row in rows:
        v = [Fraction(a) for a in row]
        for b, p in zip(reduced, pivots, strict=True):
            v = [a - v[p] * c for a, c in zip(v, b, strict=True)]
        p = next((k for k in range(width) if v[k]), None)
        if p is not None:
            v = [a / v[p] for a in v]
            reduced = [[a - b[p] * c for a, c in zip(b, v, strict=True)] for b in reduced] + [v]
            pivots.append(p)
    basis = []
    for free in sorted(set(range(width)) - set(pivots)):
        n = [Fraction(int(j == free)) for j in range(width)]
        for b, p in zip(reduced, pivots, strict=True):
            n[p] = -b[free]
        basis.append(n)
    return basis, pivots


def whole(v):
    """The vector times a positive number that makes it whole, in integers without a divisor."""
    v = [Fraction(a) for a in v]
    below = math.lcm(*(a.denominator for a in v))
    v = [int(a * below) for a in v]
    divisor = math.gcd(*v) or 1
    return tuple(a // divisor for a in v)


def fewest_mistakes(rows, weights):
    """The least weight of {n : z_n.w <= 0} over all w, from the definition.

    Every cell of the arrangement of the z_n has an edge, on which rows of one rank less vanish:
    beside that edge the others keep their sign, and those are a smaller question.
    """
    return _fewest(tuple(whole(z) for z in rows), tuple(weights))


@lru_cache(maxsize=100_000)
def _fewest(rows, weights):
    zero = sum(weight for z, weight in zip(rows, weights, strict=True) if not any(z))
    kept = [(z, a) for z, a in zip(rows, weights, strict=True) if any(z)]
    if not kept:
        return zero
    rows, weights = zip(*kept, strict=True)
    _, pivots = null_space(rows, len(rows[0]))
    rows, best, seen = [tuple(z[p] for p in pivots) for z in rows], None, set()
    for some in combinations(rows, len(pivots) - 1):
        edges, _ = null_space(some, len(pivots))
        if len(edges) > 1 or whole(edges[0]) in seen:
            continue
        edge = whole(edges[0])
        seen.add(edge)
        for sign in (1, -1):
            scores = [sign * sum(a * b for a, b in zip(z, edge, strict=True)) for z in rows]
            wrong = sum(a for a, s in zip(weights, scores, strict=True) if s < 0)
            flat = [(z, a) for z, a, s in zip(rows, weights, scores, strict=True) if s == 0]
            if best is None or wrong < best:
                wrong += _fewest(*zip(*flat, strict=True)) if flat else 0
                best = wrong if best is None else min(best, wrong)
    return zero + best
