"""A few rows stand for all of them: constraint generation, whose last read of all rows is a proof.

The least point of the hull of the working rows is a line that has them on its right side, or the
origin. One read of all rows (`kernels.stripes`) either proves that the line separates, every sign
exact, or names the worst row of each stripe; those join. Floats propose lines and refusals; a line
is proven by that read, a refusal by integers (`refusal_on`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from flint import fmpz_mat

from separatrix.exact.cone import cone_of_data
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    column_exponents,
    fractions_of,
    independent_columns,
    integer_rows,
    times_power_of_two,
)
from separatrix.exact.signed_rows import SignedRows, doubles_of
from separatrix.kernels.separation.min_norm_point import least_point
from separatrix.separation.exact_simplex import Line, Refusal, Undecided, decide
from separatrix.separation.float_lp import Proposal
from separatrix.separation.rounding import (
    KEPT,
    as_fractions,
    as_whole_doubles,
    few_digits,
    normalised,
)

FIRST = 60  # rows to begin with, for each column
ROUNDS = 60
EXACT_ROUNDS = 100
LONG = 1 << 15  # rows of a table of which a part is read first
PART = 16
NEAR = 4  # rows for each column on which rounded weights are tried
NOTHING = 1e-12  # the size of a least point that may be the origin
SLACK = 0.5  # of the level of the rows in use, by which others may fall short
LINE_LIMIT = 2.0**1000  # weights beyond it are not read as doubles


@dataclass(frozen=True)
class Support:
    """Working rows whose hull holds the origin, as far as floats see.

    Parameters
    ----------
    rows : indices into X; N, N + 1, ... are the extra rows
    line : (D,) the last line that floats had, in the columns of the rows
    """

    rows: Indices
    line: Floats


@dataclass
class WorkingSet:
    """Rows of a table that stand for all of them, and extra ones that a line must be positive on.

    Parameters
    ----------
    table : all rows
    rows : distinct indices of some of them
    extra : (m, D) more rows that are like them
    """

    table: SignedRows
    rows: Indices
    extra: Floats
    signed: Floats = field(init=False)  # the rows z_n, then the extra ones
    used: Indices = field(init=False)  # which of them the last least point uses

    def __post_init__(self) -> None:
        """Read the rows."""
        self.signed = np.vstack([self.table.floats(self.rows), self.extra])
        self.used = np.zeros(0, dtype=np.int64)

    def add(self, rows: Indices) -> bool:
        """Add rows; return whether any is new."""
        new = np.setdiff1d(np.unique(rows), self.rows, assume_unique=True)
        if new.size == 0:
            return False
        m, n = self.rows.size, new.size
        self.signed = np.vstack([self.signed[:m], self.table.floats(new), self.signed[m:]])
        self.used = np.where(self.used >= m, self.used + n, self.used)
        self.rows = np.append(self.rows, new)
        return True

    def index(self, place: Indices) -> Indices:
        """Return indices into X of working rows; the extra ones follow from N on."""
        m = self.rows.size
        named = np.append(self.rows, self.table.n + np.arange(len(self.extra)))
        return np.asarray(named[place]) if m else np.asarray(place + self.table.n)

    def of_few_digits(self, line: Floats) -> Floats:
        """Return a line of few digits that keeps most of the margin on the working rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            near = np.argsort(self.signed @ line, kind="stable")[: NEAR * line.size]
        for candidate in islice(few_digits(self.signed[near], line, KEPT), 1):
            doubles = as_whole_doubles(*candidate)
            if doubles is None:
                doubles = doubles_of(normalised(as_fractions(*candidate)))
            return line if doubles is None else doubles
        return line

    def least_point(self, slack: float = SLACK) -> tuple[Floats, bool]:
        """Return the least point (D,) as weights on the rows, and whether it is the origin.

        Columns are scaled by powers of two and rows to unit length before.
        """
        size = np.frexp(np.abs(self.signed).max(axis=0))[1]
        unit = np.ldexp(self.signed, -size)
        length = np.sqrt(np.einsum("nj,nj->n", unit, unit))
        unit /= np.where(length > 0.0, length, 1.0)[:, None]
        point, self.used, vanishes = least_of(unit, slack, self.used)
        largest = np.abs(point).max()
        with np.errstate(over="ignore"):  # the caller looks at the size of weights
            return np.ldexp(point / (largest if largest > 0.0 else 1.0), -size), vanishes


def least_of(points: Floats, slack: float, used: Indices) -> tuple[Floats, Indices, bool]:
    """Return the least point (k,) of the hull, the rows it uses, and whether it is the origin.

    Parameters
    ----------
    points : (m, k) rows of length about 1
    used : rows to start from
    """
    k = points.shape[1]
    places = np.zeros(k + 2, dtype=np.int64)
    places[: used.size] = used
    weights, r = np.ones(k + 2), np.zeros(k + 1)
    p = least_point(points, 1.0, slack, places, weights, used.size, r)
    vanishes = bool(p == k + 1 or np.abs(r[:k]).max() <= NOTHING)
    return -r[:k], places[:p].copy(), vanishes


def first_rows(table: SignedRows) -> WorkingSet:
    """Return a working set of rows evenly spread over the table."""
    few = FIRST * (table.sample.d + 1)
    step = max(1.0, table.n / few)  # 1 or more: the rows are distinct
    rows = (np.arange(min(few, table.n)) * step).astype(np.int64)
    return WorkingSet(table, rows, np.zeros((0, table.width)))


# ---------------------------------------------------------------------- reading all rows


def hunt(working: WorkingSet) -> Floats | Support | None:
    """Return a line (D,) that separates, proven; or a support to be tried; or None.

    None: floats went as far as they can, and neither came out. The working set then is where exact
    arithmetic should look.
    """
    for _ in range(ROUNDS):
        line, vanishes = working.least_point()
        if vanishes:
            return Support(working.index(np.sort(working.used)), line)
        if not (np.abs(line) < LINE_LIMIT).all():
            return None
        for attempt in (working.of_few_digits(line), line):
            wrong, violated = _violated(working, attempt)
            if wrong == 0:
                return attempt
            if working.add(violated):
                break
        else:
            return None
    return None


def _violated(working: WorkingSet, line: Floats) -> tuple[int, Indices]:
    """Return how many rows a line is not positive on, 0 only if it is on all, and some of them.

    A part of a long table is read first: it mostly is enough to refute a line.
    """
    w = working.table.float_weights(line)
    for part in (PART, 1) if working.table.n >= LONG else (1,):
        wrong, worst, least = working.table.scan(w, part)
        if wrong:
            low = worst[least <= SLACK * (working.signed @ line).min()]
            return wrong, np.append(worst[least <= 0.0], low[: NEAR * line.size])
    return int(not positive(working.extra, line)), worst[:0]


def positive(rows: Floats, line: Floats) -> bool:
    """Return whether every row (m, D) has a score above 0, exactly."""
    exact = fractions_of(line)
    return all(
        sum(a * b for a, b in zip(fractions_of(row), exact, strict=True)) > 0 for row in rows
    )


# ---------------------------------------------------------------------- refusals


def refusal_on(rows: Floats) -> IntegerRow | None:
    """Return positive integers that combine the rows (p, D) to nothing, exactly; None if none do.

    Only for rows of which any p - 1 are independent: then the combination is unique.
    """
    integers = integer_rows(rows, column_exponents(rows))
    if len(integers) == 1:
        return None if any(integers[0]) else [1]
    columns = independent_columns(integers[:-1])
    if len(columns) < len(integers) - 1:
        return None
    system = fmpz_mat([[row[j] for row in integers[:-1]] for j in columns])
    answer: Any = system.solve(fmpz_mat([[-integers[-1][j]] for j in columns]))
    solved, q = answer.numer_denom()
    multipliers = [int(a) for a in solved.entries()] + [int(q)]
    if min(multipliers) <= 0:
        return None
    return multipliers if cancels(integers, multipliers) else None


def cancels(integers: list[IntegerRow], multipliers: IntegerRow) -> bool:
    """Return whether the combination of the rows is zero, exactly."""
    return not any((fmpz_mat([multipliers]) * fmpz_mat(integers)).entries())


def decided_exactly(working: WorkingSet) -> list[Fraction] | Refusal | Undecided:
    """Return weights (D,) positive on all rows and the extra ones, or a refusal, by exact simplex.

    The refusal's rows are places in the working set. Rows that a line violates join it.
    """
    for _ in range(EXACT_ROUNDS):
        values = working.signed
        columns = np.flatnonzero(values.any(axis=0))
        zero = np.flatnonzero(~values.any(axis=1))
        if zero.size:
            return Refusal([int(zero[0])], [1])
        cone = cone_of_data(np.ascontiguousarray(values[:, columns]))
        exponents = column_exponents(values[:, columns])
        line, _ = working.least_point()
        used = working.used if working.used.size else np.array([0])
        with np.errstate(over="ignore"):
            start = np.ldexp(line[columns], -cone.column_shift - exponents)
        largest = np.abs(start).max(initial=1e-300)
        proposed = start / largest if np.isfinite(largest) else np.zeros_like(start)
        answer = decide(cone, Proposal(proposed, used))
        if not isinstance(answer, Line):
            return answer
        weights = [Fraction(0)] * values.shape[1]
        for j, a, e in zip(columns.tolist(), answer.v, exponents, strict=True):
            weights[j] = times_power_of_two(Fraction(a), -int(e))
        least, near = working.table.least(weights)
        if least > 0:
            return weights
        if not working.add(near[:200]):
            break
    return Undecided(f"exact constraint generation met its limit of {EXACT_ROUNDS} rounds")
