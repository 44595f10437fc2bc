"""Which coefficients have no finite optimum, and which way each goes (handbook, chapter 4).

The lines w with Zw >= 0 form the recession cone of the likelihood (Albert & Anderson 1984). Where
rows cancel, every such w vanishes on them: these are its implicit equalities. A line of the cone
that is positive on all other rows lies in its interior, so that coefficient j diverges exactly when
w_j != 0 for some w that vanishes on the implicit equalities, columns that are aliased aside.

Coefficient j goes up when w_j > 0 on some line of the cone, and only up when w_j >= 0 on all of
them: lambda >= 0 with sum lambda_n z_n = t e_j, t > 0, shows that, where the two sides may differ
by a combination of rows that cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.multipliers import Multipliers, whole_number
from separatrix.certificates.statement import unless_odd
from separatrix.exact.integers import fractions_of, sign
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import with_constant
from separatrix.scale.opening import checked_table

Weights = Sequence[Fraction]


@dataclass(frozen=True)
class Bounded:
    """The claim that a coefficient goes one way only."""

    direction: int  # +1 or -1
    rows: list[int]  # rows, multipliers: of the table, and positive integers on them
    multipliers: list[int]
    # sum multipliers z.w = times direction w_j, on all w that vanish on rows that cancel
    times: Fraction


@dataclass(frozen=True)
class Divergence:
    """Directions of coefficients that diverge, as far as lines and multipliers show them."""

    indices: tuple[int, ...]  # of all coefficients in (1+d,) that diverge
    # (1+d,) each, with no row on its wrong side; the first has all rows on its right side that are
    # outside the span of the support
    lines: list[list[Fraction]]
    bounds: dict[int, Bounded]  # {index: Bounded}
    x0: float = 1.0  # 1.0 with an intercept, 0.0 without
    # multipliers of rows that cancel; None when the rows can be separated
    support: Multipliers | None = None

    def ways(self, j: int) -> set[int]:
        """Return the signs that coefficient j has on the lines."""
        return {sign(line[j]) for line in self.lines} - {0}

    @property
    def directions(self) -> dict[int, int]:
        """{index: +1, -1, or 0 for either way and for what is open}."""
        ways = {j: self.ways(j) for j in self.indices}
        return {j: w.pop() if len(w) == 1 and j in self.bounds else 0 for j, w in ways.items()}

    @property
    def open(self) -> tuple[int, ...]:
        """Indices of which nothing shows whether they go one way or either."""
        return tuple(j for j in self.indices if len(self.ways(j)) < 2 and j not in self.bounds)

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether these coefficients diverge, and no others, each as is claimed."""
        table = checked_table(X, y)
        return self.x0 in (0.0, 1.0) and self.holds(
            SignedRows(with_constant(table, float(self.x0)))
        )

    @unless_odd(False)
    def holds(self, rows: SignedRows) -> bool:
        """Return what `verify` does, for rows of the x0 that is claimed."""
        exact = {  # Fractions for all that may be other numbers
            j: replace(b, direction=whole_number(b.direction), times=fractions_of([b.times])[0])
            for j, b in self.bounds.items()
        }
        claim = replace(self, lines=[fractions_of(line) for line in self.lines], bounds=exact)
        cancelling = self.support
        if cancelling is not None and not cancelling.cancels(rows):
            return False
        if any(len(line) != rows.d + 1 for line in claim.lines) or not claim.lines:
            return False
        shown = diverging(rows, rows.columns_of(claim.lines[0]), self._rows())
        return (
            shown is not None and claim == claim.that_holds(rows) and set(self.indices) == shown[1]
        )

    def _rows(self) -> tuple[int, ...]:
        return () if self.support is None else self.support.rows

    def that_holds(self, rows: SignedRows) -> Divergence:
        """Return what is true of it, recomputed exactly; that the support cancels is known."""
        lines = [w for w in self.lines if rows.least(rows.columns_of(w))[0] >= 0]
        fitting = {j: bound for j, bound in self.bounds.items() if _fits(rows, j, bound)}
        rest = [_rest(rows, j, bound) for j, bound in fitting.items()]
        good = rows.spanned(self._rows(), rest)
        pairs = zip(fitting.items(), good, strict=True)
        return replace(self, lines=lines, bounds={j: bound for (j, bound), is_in in pairs if is_in})


def diverging(
    rows: SignedRows, line: Weights, support: Sequence[int]
) -> tuple[bool, set[int]] | None:
    """Return the coefficients that diverge, by an interior line; None when the line is not one."""
    if any(rows.scores(line, np.array(support, dtype=np.int64))):
        return None
    basis = rows.equalities(support)
    against = rows.against(line, basis, 1)
    if against.rows:
        return None
    free = {rows.index(j) for v in basis for j in v}
    return against.some, free - set(rows.aliased)


def _fits(rows: SignedRows, j: int, bound: Bounded) -> bool:
    claimed = Multipliers(tuple(bound.rows), tuple(bound.multipliers), rows.x0)
    way = bound.direction in (1, -1) and bound.times > 0
    return way and claimed.fits(rows) and rows.column(j) in range(rows.width)


def _rest(rows: SignedRows, j: int, bound: Bounded) -> dict[int, Fraction]:
    """Return the nonzeros of sum multipliers z - times direction e_j, by column."""
    total = rows.nonzeros_of_combination(bound.rows, bound.multipliers)
    column = rows.column(j)
    total[column] = total.get(column, Fraction(0)) - bound.times * bound.direction
    return total
