"""The largest margin of any line, between two exact bounds that close.

The least point x of the hull of the z_n is the line of largest margin, and |x| is that margin: for
lambda >= 0 with sum 1, min_n z_n.w <= |sum lambda_n z_n| |w| for every w, with equality at x. The
lower bound is that of a line found, the upper one that of multipliers found (`multipliers.py`),
both exact. Floats find the rows on which x depends; where the bracket stays open, because the rows
are long and the margin is small, Wolfe's method (1976) goes on from there over the rationals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from flint import fmpq, fmpz_mat

from separatrix.certificates.margin import Margin, squared_margin
from separatrix.certificates.multipliers import Multipliers, multipliers_of
from separatrix.exact.integers import (
    Floats,
    Indices,
    bit_size,
    column_exponents,
    exact_scores,
    fractions_of,
    integer_rows,
    nearest_double,
    scaled_floats,
    squared_length,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.kernels.separation.min_norm_point import least_point
from separatrix.separation.constraint_generation import NONE, WorkingSet, generate_constraints
from separatrix.separation.level_margin import least_point_by_levels
from separatrix.separation.rounding import as_fractions, few_digits, normalised
from separatrix.separation.wide import triangular

TOLERANCE = 1e-6
ROUNDS = 60
CYCLES = 400  # of Wolfe's method over the rationals
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
    working = WorkingSet(table, start, np.zeros((0, table.width)))
    rows, weights = _least_point_of_all(working, tolerance)
    found = _judged(table, tolerance, rows, fractions_of(weights), known)
    if found.closes(tolerance):
        return found
    rows, exact = _Wolfe(working, rows.tolist()).run(tolerance)
    again = _judged(table, tolerance, rows, exact, (found.weights, found.rho_squared))
    return min(found, again, key=lambda w: w.bound / w.rho_squared)


def rows_to_begin_with(table: SignedRows, line: Sequence[Fraction], near: Indices) -> Indices:
    """Return the rows nearest to a line, as floats see it, and some of all the rest."""
    few = 10 * (table.sample.d + 1)
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

    def solve() -> tuple[tuple[Indices, Floats], Indices]:
        nonlocal level, used, found
        exponent = int(np.frexp(np.abs(working.signed).max())[1])
        common = np.ldexp(working.signed, -exponent)
        short = triangular(common)
        for _ in range(3):  # the level of the target should be about the margin
            line, used, weights = _solved(common, short, level, tolerance / 8, used)
            length = float(np.linalg.norm(line))
            if used.size == 0 or not length > 0.0:
                return found, NONE
            near_enough = 0.1 < length / level < 10.0
            level = length
            if near_enough:
                break
        found = working.rows[used], weights
        _, worst, least = working.table.scan(working.table.float_weights(line / length))
        below = worst[least < np.ldexp(length, exponent) * (1.0 - tolerance / 4)]
        return found, working.lacks(below)

    return generate_constraints(solve, working.add, ROUNDS)


def _solved(
    common: Floats, short: Floats, level: float, slack: float, used: Indices
) -> tuple[Floats, Indices, Floats]:
    """Return the line, the rows in use and their multipliers, of sum 1."""
    k = short.shape[1]
    places, weights, r = np.zeros(k + 2, dtype=np.int64), np.ones(k + 2), np.zeros(k + 1)
    places[: used.size] = used
    p = least_point(short, level, slack, places, weights, used.size, r)
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
    bound = proof.bound_squared_of(table.sample)
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
    """Wolfe's method for the least point of the working rows, every step exact."""

    def __init__(self, working: WorkingSet, rows: list[int]) -> None:
        self.working = working
        self.rows = rows
        self.multipliers: list[Rational] = []

    def run(self, tolerance: float) -> tuple[Indices, list[Fraction]]:
        """Return rows and multipliers > 0 of sum 1, the best within the limit of cycles."""
        margin = Fraction(1 - tolerance / 4)
        for _ in range(CYCLES):
            if not self._settle():
                break
            worst = self._worst(margin)
            if worst is None:
                break
            self.rows.append(worst)
            self.multipliers.append(fmpq(0))
        kept = [(n, a) for n, a in zip(self.rows, self.multipliers, strict=True) if a > 0]
        exact = [Fraction(int(a.p), int(a.q)) for _, a in kept]
        return np.array([n for n, _ in kept], dtype=np.int64), exact

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
                (a / (a - b) if a else fmpq(0), i)  # a row just added may have to stay at 0
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
        values = self.working.table.floats(np.array(self.rows, dtype=np.int64))
        table = integer_rows(values, np.full(values.shape[1], self._unit()))
        # Wolfe's form, one more column: it can be solved where the hull holds the origin too
        bordered = fmpz_mat([[self._one(), *row] for row in table])
        ones = fmpz_mat([[1]] * len(self.rows))
        try:
            solved = (bordered * bordered.transpose()).solve(ones).entries()
        except ZeroDivisionError:  # affinely dependent rows
            return None
        total = sum(solved, fmpq(0))
        return [a / total for a in solved] if total > 0 else None

    def _one(self) -> int:
        """Return an integer of the size of the rows' lengths, which keeps the system balanced."""
        return 1 << max(0, -self._unit())

    def _unit(self) -> int:
        return int(column_exponents(self.working.signed.reshape(-1, 1))[0])

    def _worst(self, margin: Fraction) -> int | None:
        """Return the row of least score if that is below the margin of x, as far as known."""
        pairs = zip(self.rows, self.multipliers, strict=True)
        used = [(n, Fraction(int(a.p), int(a.q))) for n, a in pairs if a > 0]
        table = self.working.table
        rows = np.array([n for n, _ in used], dtype=np.int64)
        x = _combined(table, rows, [a for _, a in used])
        level = squared_length(x) * margin
        scores = exact_scores(self.working.signed, x)
        place = min(range(len(scores)), key=scores.__getitem__)
        if scores[place] < level:
            return int(self.working.rows[place])
        least, near = table.least(x)
        if least >= level:
            return None
        self.working.add(self.working.lacks(near[:100]))
        return int(near[0])
