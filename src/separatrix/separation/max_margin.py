"""The largest margin of any line, between two exact bounds that close.

min_n z_n.w <= |sum lambda_n z_n| |w| for lambda >= 0 with sum 1, with equality at the least point
of the hull. Floats find its rows; where that leaves a gap, Wolfe's method (1976) over rationals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix._later import flint
from separatrix.certificates.multipliers import (
    Margin,
    Multipliers,
    Street,
    classes_of,
    distance_squared,
    multipliers_of,
    squared_margin,
    width_squared,
)
from separatrix.data import Sample
from separatrix.exact.integers import (
    Floats,
    Indices,
    bit_size,
    fractions_of,
    integer_rows,
    nearest_double,
    scaled_floats,
    squared_length,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.exact.sparse_rows import SparseRows
from separatrix.kernels.separation.levels import scores_of_levels
from separatrix.kernels.separation.min_norm_point import least_point
from separatrix.separation.constraint_generation import NONE, WorkingSet, triangular
from separatrix.separation.level_fit import NEARLY, NormalEquations, coordinates_of, reach
from separatrix.separation.rounding import as_fractions, few_digits, normalised

TOLERANCE = 1e-6
ROUNDS = 60
CYCLES = 400  # of Wolfe's method over the rationals
MOST_NEAR = 100  # rows, of those that floats see as the lowest, that are compared
GUARD = 64  # bits of weights and multipliers beyond those that the size of R / rho takes

Rational = Any  # flint.fmpq ships no types


def maximum_margin(
    table: SignedRows, line: Sequence[Fraction], tolerance: float = TOLERANCE
) -> Margin:
    """Return the bracket of the largest margin, closed to the tolerance unless a limit is met."""
    least, near = table.least(line)
    known = (list(line), squared_margin(least, line))
    if table.sparse is not None and table.sparse.has_levels:
        by_levels = least_point_by_levels(table.sparse, tolerance)
        if by_levels is not None:
            rows, weights, other = by_levels
            found = _judged(table, tolerance, rows, fractions_of(weights), known, line=other)
            if found.closes(tolerance):
                return found
    start = rows_to_begin_with(table, line, near)
    working = WorkingSet.of(table, start)
    rows, weights = _least_point_of_all(working, tolerance)
    found = _judged(table, tolerance, rows, fractions_of(weights), known)
    if found.closes(tolerance):
        return found
    rows, exact = _Wolfe(table, rows.tolist()).run(tolerance)
    again = _judged(table, tolerance, rows, exact, (found.weights, found.rho_squared))
    return min(found, again, key=lambda w: w.bound / w.rho_squared)


def rows_to_begin_with(table: SignedRows, line: Sequence[Fraction], near: Indices) -> Indices:
    """Return the rows nearest to a line, as floats see it, and some of all the rest."""
    few = 10 * (table.d + 1)
    spread = np.linspace(0, table.n - 1, min(table.n, few)).astype(np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        w = table.float_weights(np.array([nearest_double(a) for a in line]))
        if np.isfinite(w).all():
            _, worst, least = table.scan(w)
            spread = np.append(spread, worst[np.argsort(least, kind="stable")[: 2 * few]])
    return np.unique(np.append(spread, near[:few]))


# ---------------------------------------------------------------------- floats


def _least_point_of_all(working: WorkingSet, tolerance: float) -> tuple[Indices, Floats]:
    """Return the rows that the least point of all rows uses, and its multipliers, in floats."""
    level, used = 1.0, NONE
    found = working.rows[:1], np.ones(1)
    for _ in range(ROUNDS):
        exponent = int(np.frexp(np.abs(working.signed).max())[1])
        common = np.ldexp(working.signed, -exponent)
        short = triangular(common)
        for _ in range(3):  # the level of the target should be about the margin
            line, used, weights = _solved(common, short, level, tolerance / 8, used)
            length = float(np.linalg.norm(line))
            if used.size == 0 or not length > 0.0:
                return found
            near_enough = 0.1 < length / level < 10.0
            level = length
            if near_enough:
                break
        found = working.rows[used], weights
        _, worst, least = working.table.scan(working.table.float_weights(line / length))
        below = worst[least < np.ldexp(length, exponent) * (1.0 - tolerance / 4)]
        new = working.lacks(below)
        if not new.size:
            break
        working.add(new)
    return found


def _solved(
    common: Floats, short: Floats, level: float, slack: float, used: Indices
) -> tuple[Floats, Indices, Floats]:
    """Return the line, the rows in use and their multipliers, of sum 1."""
    k = short.shape[1]
    places, weights, r = np.zeros(k + 2, dtype=np.int64), np.ones(k + 2), np.zeros(k + 1)
    places[: used.size] = used
    p = least_point(short, np.full(len(short), level), level, slack, places, weights, used.size, r)
    multipliers = weights[:p] / max(weights[:p].sum(), 1e-300)
    return multipliers @ common[places[:p]], places[:p].copy(), multipliers


# ---------------------------------------------------------------------- exact bounds


def _judged(
    table: SignedRows,
    tolerance: float,
    rows: Indices,
    multipliers: Sequence[Fraction],
    known: tuple[list[Fraction], Fraction],
    *,
    line: Floats | None = None,
) -> Margin:
    """Return what multipliers > 0 on some rows prove, and the best line: known, or from them."""
    values = table.floats(rows) if line is None else table.sparse_floats(rows)
    x = _combined(table, rows, multipliers)
    largest = bit_size(Fraction(float(abs(values).max())))
    bits = GUARD + max(0, largest - max((bit_size(a) for a in x if a), default=largest))
    whole = [round(a * (1 << bits)) for a in multipliers]
    kept = [(int(n), a) for n, a in zip(rows, whole, strict=True) if a > 0]
    proof = multipliers_of([n for n, _ in kept], [a for _, a in kept], table.x0)
    bound = proof.bound_of(table)
    proof = Multipliers(proof.rows, proof.multipliers, table.x0, bound)
    found = Margin(normalised(known[0]), known[1], proof)
    for weights in _roundings(x if line is None else fractions_of(line), values, bits, tolerance):
        if found.closes(tolerance):
            break
        squared = squared_margin(table.least(weights)[0], weights)
        if squared > found.rho_squared:
            found = Margin(normalised(weights), squared, proof)
    return found


def _combined(table: SignedRows, rows: Indices, multipliers: Sequence[Fraction]) -> list[Fraction]:
    """Return sum multipliers[i] z_rows[i] exactly, in lowest terms of a common scale."""
    whole, q = whole_multiples(multipliers)
    return [a / q for a in table.combination(rows, whole)]


def _roundings(
    x: list[Fraction], values: Floats | sp.csr_array, bits: int, tolerance: float
) -> Iterator[list[Fraction]]:
    """Yield roundings of the line x: of few digits where these keep its margin, then finer ones."""
    if not any(x):
        return
    floats = scaled_floats(x)
    if np.isfinite(abs(values).max()):
        yield from (
            as_fractions(*found) for found in few_digits(values, floats, 1.0 - tolerance / 4)
        )
    yield fractions_of(floats)
    unit = bits - max(bit_size(a) for a in x if a)
    yield [Fraction(round(times_power_of_two(a, unit))) for a in x]


# ---------------------------------------------------------------------- over the rationals


class _Wolfe:
    """Wolfe's method for the least point of all rows, every step exact."""

    def __init__(self, table: SignedRows, rows: list[int]) -> None:
        self.table, self.rows = table, rows
        self.unit = int(table.exponents.min())
        self.multipliers: list[Rational] = []

    def run(self, tolerance: float) -> tuple[Indices, list[Fraction]]:
        """Return rows and multipliers > 0 of sum 1, the best within the limit of cycles."""
        margin, rows, exact = Fraction(1 - tolerance / 4), NONE, list[Fraction]()
        for _ in range(CYCLES):
            if not self._settle():
                break
            kept = [(n, a) for n, a in zip(self.rows, self.multipliers, strict=True) if a > 0]
            rows = np.array([n for n, _ in kept], dtype=np.int64)
            exact = [Fraction(int(a.p), int(a.q)) for _, a in kept]
            x = _combined(self.table, rows, exact)
            least, near = self.table.least(x)
            if least >= squared_length(x) * margin:
                break
            scores = self.table.scores(x, near[:MOST_NEAR])
            self.rows.append(int(near[scores.index(min(scores))]))
            self.multipliers.append(flint.fmpq(0))
        return rows, exact

    def _settle(self) -> bool:
        """Bring the multipliers to the least point of the affine hull; drop rows on the way."""
        while True:
            target = self._affine()
            if target is None:
                return False
            if min(target) > 0:
                self.multipliers = target
                return True
            if not self.multipliers:  # no start inside yet: leave out the worst and try again
                del self.rows[min(range(len(target)), key=target.__getitem__)]
                continue
            steps = [
                (a / (a - b) if a else flint.fmpq(0), i)  # a row just added may have to stay at 0
                for i, (a, b) in enumerate(zip(self.multipliers, target, strict=True))
                if b <= 0
            ]
            step, place = min(steps)
            self.multipliers = [
                a + step * (b - a) for a, b in zip(self.multipliers, target, strict=True)
            ]
            del self.rows[place], self.multipliers[place]

    def _affine(self) -> list[Rational] | None:
        """Return the weights, of sum 1, of the least point of the rows' affine hull."""
        values = self.table.floats(np.array(self.rows, dtype=np.int64))
        table = integer_rows(values, np.full(values.shape[1], self.unit))
        # Wolfe's form, one more column: it can be solved where the hull holds the origin too;
        # of the size of the rows' lengths, which keeps the system balanced
        bordered = flint.fmpz_mat([[1 << max(0, -self.unit), *row] for row in table])
        ones = flint.fmpz_mat([[1]] * len(self.rows))
        try:
            solved = (bordered * bordered.transpose()).solve(ones).entries()
        except ZeroDivisionError:  # affinely dependent rows
            return None
        total = sum(solved, flint.fmpq(0))
        return [a / total for a in solved] if total > 0 else None


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
        multipliers, line = _solved_by_levels(rows, tolerance)
        multipliers /= multipliers.sum()
    if not (np.isfinite(multipliers).all() and np.isfinite(line).all() and line.any()):
        return None
    used = np.flatnonzero(multipliers > NOTHING * tolerance / rows.n)
    return used, multipliers[used], line


def _solved_by_levels(rows: SparseRows, tolerance: float) -> tuple[Floats, Floats]:
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
        combined = _combined_by_levels(stacked, x)
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
                left[n:] = turn + _combined_by_levels(stacked, dx) - dw
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


def _combined_by_levels(stacked: SparseRows, x: Floats) -> Floats:
    """Return sum x_n z_n (D,) over the first rows."""
    m = int(stacked.starts[x.size])
    products = stacked.values[:m] * x[stacked.row_of[:m]]
    return np.asarray(np.bincount(stacked.columns[:m], products, stacked.width), dtype=np.float64)


STEPS = (10, 16, 22, 30)  # bits by which the constant exceeds the features, in turn


def hull_distance(sample: Sample, line: Sequence[Fraction], tolerance: float = TOLERANCE) -> Street:
    """Return the bracket of the street's width, closed to the tolerance unless a limit is met."""
    classes = classes_of(sample)
    largest = float(np.abs(sample.X.data if sp.issparse(sample.X) else sample.X).max())
    direction = list(line[1:])
    first = multipliers_of([int(np.argmax(sample.y == side)) for side in (1.0, -1.0)], [1, 1], 1.0)
    apart = distance_squared(sample, first.rows, first.multipliers)
    best = Street(direction, width_squared(classes, direction), apart, first)
    for bits in STEPS:
        exponent = int(np.frexp(largest)[1]) + bits
        if exponent > 1000:
            break
        constant = float(np.ldexp(1.0, exponent))
        tall = replace(sample, X=_with_constant(sample, constant), x0=0.0)
        high = [*line[1:], line[0] / Fraction(constant)]
        found = maximum_margin(SignedRows(tall), high, tolerance / 4)
        direction = found.weights[:-1]
        width = width_squared(classes, direction)
        points = replace(found.proof, x0=1.0, squared_bound=None)
        bound = distance_squared(sample, points.rows, points.multipliers)
        if width > best.width_squared:
            best = replace(best, direction=direction, width_squared=width)
        if bound < best.bound:
            best = replace(best, bound=bound, points=points)
        if best.closes(tolerance):
            break
    return best


def _with_constant(sample: Sample, constant: float) -> np.ndarray | sp.csr_array:
    column = np.full((sample.n, 1), constant)
    if sp.issparse(sample.X):
        return sp.csr_array(sp.hstack([sample.X, sp.csr_array(column)]))
    return np.hstack([sample.X, column])
