"""What floats propose of rows with levels: multipliers that cancel, a line, and a vertex.

One Newton fit of the logistic likelihood: at its optimum the score equations cancel, and without
one lambda_n goes to zero for exactly the rows that some line with Zw >= 0 is positive on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.exact.integers import Floats, Indices
from separatrix.exact.sparse_rows import SparseRows
from separatrix.kernels.separation.levels import (
    Levelled,
    normal_equations,
    scores_of_levels,
    weights_of_levels,
)

EARLY, MOST_STEPS = 16, 60
SETTLED = 1e-8  # the change of a score by a step, when all are about as small
GAIN = 0.3  # of a score in a step, where a multiplier goes to zero
CLEAR = 1e3  # between the multipliers that stay and those that go
RIDGE = 1e-13
VERTEX_STEPS = 60
VERTEX = 1e-12  # the mean product of a weight and its cost, of 1 at first
NEARLY = 0.995  # of the way to where the first weight vanishes


@dataclass(frozen=True)
class Proposal:
    """Which rows cancel, and lines that are positive on the others."""

    multipliers: Floats  # (N,) lambda
    fixed: Indices  # rows whose multiplier does not go to zero
    lines: list[Floats]  # (D,) each, to try where some do


@dataclass(frozen=True)
class Coordinates:
    """Rows by levels, the columns off them centred and scaled."""

    rows: Levelled  # as kernels take them
    centres: Floats
    scales: Floats
    sparse: SparseRows

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.sparse.levels), self.scales.size

    def line(self, u: Floats, v: Floats) -> Floats:
        """Return the line (D,) of weights on levels and scaled rest."""
        line = np.zeros(self.sparse.width)
        line[self.sparse.levels.start : self.sparse.levels.stop] = u
        rest = v / self.scales
        if rest.size:
            rest[0] -= rest @ self.centres
        line[self.sparse.rest] = rest
        return line


def coordinates_of(sparse: SparseRows, constant: bool) -> Coordinates:
    """Return rows for kernels. `constant`: column 0 is that of the intercept."""
    n, k = sparse.n, sparse.rest.size
    entries = np.zeros(n)
    at = sparse.is_level
    entries[sparse.row_of[at]] = sparse.values[at]
    order = np.argsort(sparse.level, kind="stable")
    counts = np.bincount(sparse.level, minlength=len(sparse.levels) + 1)
    first = np.append(0, np.cumsum(counts))
    place = np.full(sparse.width, -1)
    place[sparse.rest] = np.arange(k)
    columns, values = place[sparse.columns[~at]], sparse.values[~at].copy()
    row_of = sparse.row_of[~at]
    starts = np.searchsorted(row_of, np.arange(n + 1))
    centres, scales = np.zeros(k), np.ones(k)
    if n and k:
        filled = np.bincount(columns, minlength=k)
        if constant:
            y = np.zeros(n)
            y[row_of[columns == 0]] = values[columns == 0]
            full = filled > n // 2
            full[0] = False
            sums = np.bincount(columns, weights=values * y[row_of], minlength=k)
            full &= filled == n
            centres[full] = sums[full] / n
            values -= centres[columns] * y[row_of]
        squares = np.bincount(columns, weights=values * values, minlength=k)
        size = np.sqrt(squares / np.maximum(filled, 1))
        scales = np.exp2(np.rint(np.log2(np.where(size > 0.0, size, 1.0))))
        values /= scales[columns]
    rows = Levelled(sparse.level, entries, starts, columns, values, first, order)
    return Coordinates(rows, centres, scales, sparse)


def fits(at: Coordinates) -> Iterator[Proposal]:
    """Yield what Newton's method for the logistic likelihood shows, then what later steps show."""
    n_levels, k = at.shape
    n = at.sparse.n
    u, v = np.zeros(n_levels), np.zeros(k)
    du, dv = u, v
    scores, change = np.zeros(n), np.zeros(n)
    last, shown = np.inf, False
    lines: list[Floats] = []
    for steps in range(MOST_STEPS):
        scores_of_levels(at.rows, u, v, scores)
        small = np.exp(-np.abs(scores))
        total = float((np.log1p(small) + np.maximum(-scores, 0.0)).sum())
        if not total <= last + 1e-12 * n:  # too far
            du, dv = du / 2, dv / 2
            u, v = u - du, v - dv
            continue
        last = total
        lines.append(at.line(u, v))
        likely = 1.0 / (1.0 + small)
        multipliers = np.where(scores > 0.0, small * likely, likely)
        du, dv = NormalEquations(at, small * likely * likely).solve(multipliers)
        scores_of_levels(at.rows, du, dv, change)
        if np.abs(change).max() < SETTLED:
            yield Proposal(multipliers, np.arange(n), [])
            return
        final = steps == MOST_STEPS - 1
        if (steps >= EARLY and not shown) or final:
            fixed, is_clear = _fixed(multipliers, change)
            if is_clear or final:
                shown = True
                before = lines[len(lines) // 2]
                yield Proposal(multipliers, fixed, [lines[-1] - before, lines[-1]])
        u, v = u + du, v + dv


def _fixed(multipliers: Floats, change: Floats) -> tuple[Indices, bool]:
    """Return the rows whose multiplier stays, and whether that is clear."""
    leaving = change > GAIN
    level = float(multipliers[leaving].max(initial=0.0))
    fixed = np.flatnonzero(~leaving & (multipliers > level))
    if fixed.size == 0:
        return fixed, True
    least = float(multipliers[fixed].min())
    return fixed, least > CLEAR * level and float(np.abs(change[fixed]).max()) < 1.0 / CLEAR


@dataclass
class NormalEquations:
    """sum weights_n z_n z_n.w = t for one vector of weights (N,), the levels eliminated."""

    at: Coordinates
    weights: Floats
    factor: Floats | None = None

    def solve(self, target: Floats) -> tuple[Floats, Floats]:
        """Return the line w (K,), (k,) for t = sum target_n z_n."""
        n_levels, k = self.at.shape
        g, S = np.zeros(k), np.zeros((k, k) if self.factor is None else (0, 0))
        slopes, curvatures, u = np.empty((3, n_levels))
        rows = self.at.rows
        normal_equations(rows, self.weights, target, S, g, slopes, curvatures)
        if k == 0:
            v = g
        else:
            self.factor = _cholesky(S) if self.factor is None else self.factor
            v = np.asarray(dpotrs(self.factor, g, lower=0)[0])
        weights_of_levels(rows, self.weights, v, slopes, curvatures, u)
        return u, v


def _cholesky(S: Floats) -> Floats:
    """Return the factor of a matrix given by its lower triangle, which may be singular."""
    diagonal = np.diag_indices_from(S)
    S[diagonal] += RIDGE * S[diagonal] + 1e-300
    ridge = 1e-12
    while True:
        factor, failed = dpotrf(S.T, lower=0, clean=0)  # in Fortran's order S is the upper one
        if not failed:
            return np.asarray(factor)
        S[diagonal] += ridge * np.abs(S[diagonal]).max() + 1e-300
        ridge *= 100.0


def to_vertex(at: Coordinates, x: Floats) -> Floats:
    """Return x >= 0 with the same sum x_n z_n, near a vertex: mostly few are not about zero."""
    goal, generator = x.copy(), np.random.default_rng(0)
    s = generator.uniform(0.5, 1.5, x.size) / x
    for _ in range(VERTEX_STEPS):
        mean = float(x @ s) / x.size
        if mean < VERTEX:
            break
        equations, centre = NormalEquations(at, x / s), 0.0
        product, ds = np.zeros_like(x), np.empty_like(s)
        for _ in range(2):
            wanted = (centre * mean - product) / s
            u, v = equations.solve(goal - wanted)
            scores_of_levels(at.rows, u, v, ds)
            dx, ds = wanted - x + equations.weights * ds, -ds
            far = reach(x, dx), reach(s, ds)
            product = dx * ds
            centre = (float((x + far[0] * dx) @ (s + far[1] * ds)) / x.size / mean) ** 3
        x, s = x + NEARLY * far[0] * dx, s + NEARLY * far[1] * ds
    return x


def reach(x: Floats, change: Floats) -> float:
    """Return the largest step of at most 1 on which x stays >= 0."""
    falling = change < 0.0
    return float(min(1.0, (x[falling] / -change[falling]).min(initial=1.0)))
