"""The least point of the hull of rows with levels, in floats: a proposal, never a proof.

min |w|^2 / 2 with Zw >= 1 has its optimum at w = Z' lambda, lambda >= 0, whose direction is that of
the least point. Primal and dual steps (Mehrotra 1992) solve (I + Z' D Z) w = t with the levels
eliminated: the rows of I stand below those of Z, so a step costs about what the nonzeros and k^3
cost, for k columns that are no levels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from separatrix.exact.integers import Floats, Indices
from separatrix.exact.sparse_rows import SparseRows
from separatrix.kernels.separation.levels import scores_of_levels
from separatrix.separation.level_fit import NEARLY, NormalEquations, coordinates_of, reach

MOST_STEPS = 100
CORRECTIONS = 1  # of each step, by what it leaves
FEWEST_COLUMNS = 128  # from which on levels are eliminated
MOST_COORDINATES = 1000  # columns that are no levels
PRECISION = 1e-3  # of the tolerance
NOTHING = 1e-6  # of the tolerance: the share of all multipliers that may be left out


def least_point_by_levels(
    rows: SparseRows, tolerance: float
) -> tuple[Indices, Floats, Floats] | None:
    """Return the rows that the least point uses, its multipliers > 0 of sum 1, and a line (D,)."""
    if not rows.has_levels or rows.rest.size > MOST_COORDINATES or rows.width < FEWEST_COLUMNS:
        return None
    with np.errstate(all="ignore"):
        multipliers, line = _solved(rows, tolerance)
        multipliers /= multipliers.sum()
    if not (np.isfinite(multipliers).all() and np.isfinite(line).all() and line.any()):
        return None
    used = np.flatnonzero(multipliers > NOTHING * tolerance / rows.n)
    return used, multipliers[used], line


def _solved(rows: SparseRows, tolerance: float) -> tuple[Floats, Floats]:
    """Return lambda (N,) and w (D,) whose bounds are far closer than the tolerance, if they can."""
    n = rows.n
    exponent = int(np.frexp(np.abs(rows.values).max())[1])
    stacked = replace(
        rows,
        starts=np.append(rows.starts, rows.starts[-1] + 1 + np.arange(rows.width)),
        columns=np.append(rows.columns, np.arange(rows.width)),
        values=np.append(np.ldexp(rows.values, -exponent), np.ones(rows.width)),
    )
    at = coordinates_of(stacked, constant=False)
    x, s, w, Zw = np.full(n, 1.0 / n), np.ones(n), np.zeros(rows.width), np.zeros(n)
    scores, best, found = np.empty(n + rows.width), np.inf, (x, w)
    for _ in range(MOST_STEPS):
        combined = _combined(stacked, x)
        least = float(Zw.min())
        above, below = _norm(combined) / x.sum(), least / _norm(w) if least > 0.0 else 0.0
        gap = above / below - 1.0 if below > 0.0 else np.inf
        if np.isnan(above) or (best < tolerance / 8 and gap > best / 2):
            break
        if gap < best:
            best, found = gap, (x, w)
        if gap <= PRECISION * tolerance:
            break
        mean, short, turn = float(x @ s) / n, s + 1.0 - Zw, combined - w
        equations, centre = NormalEquations(at, np.append(x / s, np.ones(w.size))), 0.0
        product = np.zeros(n)
        for _ in range(2):
            wanted = centre * mean - product - x * s
            change, dw = np.zeros(n), np.zeros(w.size)
            dx, left = (wanted + x * short) / s, np.zeros(n + w.size)
            for _ in range(1 + CORRECTIONS):
                left[n:] = turn + _combined(stacked, dx) - dw
                scores_of_levels(at.rows, *equations.solve(left), scores)
                change, dw = change + scores[:n], dw + scores[n:]
                dx = (wanted - x * (change - short)) / s
            ds = change - short
            far = reach(x, dx), reach(s, ds)
            product = dx * ds
            centre = (float((x + far[0] * dx) @ (s + far[1] * ds)) / n / mean) ** 3
        step = NEARLY * min(far)
        x, s, w, Zw = x + step * dx, s + step * ds, w + step * dw, Zw + step * change
    return found


def _norm(v: Floats) -> float:
    return float(np.linalg.norm(v))


def _combined(stacked: SparseRows, x: Floats) -> Floats:
    """Return sum x_n z_n (D,) over the first rows."""
    m = int(stacked.starts[x.size])
    products = stacked.values[:m] * x[stacked.row_of[:m]]
    return np.asarray(np.bincount(stacked.columns[:m], products, stacked.width), dtype=np.float64)
