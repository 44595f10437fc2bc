"""Tables that few floats do not decide: exact constraint generation.

Some rows that span all of them are decided exactly, in memory. Rows that overlap prove that all do.
A line of them, and rows that cancel, prove the same of all rows when each other row has a score
above 0, or a score of 0 and lies in the span of those that cancel. Rows that have neither join, and
they are decided again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from separatrix._types import Untyped
from separatrix.certificates.divergence import Divergence, Weights
from separatrix.certificates.multipliers import Multipliers
from separatrix.exact.integers import Indices
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation.constraint_generation import NONE

ROUNDS = 100
MOST_JOINING = 64  # rows that join at once
MOST_NEAR = 200  # rows that join at once, of those nearest to a line

Verdict = Untyped  # Separability, whose file imports this one
Decide = Callable[[SignedRows], Verdict]


@dataclass(frozen=True)
class WorkingCone:
    """The lines with Zw >= 0 of a table, by those of some of its rows."""

    rows: Indices  # ascending indices of rows on which the verdict is that on all rows
    part: Verdict  # that verdict; its rows are places among those
    decide: Decide  # decides some rows in memory

    @property
    def indices(self) -> tuple[int, ...]:
        """The coefficients that diverge."""
        return tuple(self.part.divergent)

    @property
    def dimension(self) -> int:
        """The dimension of the space that the cone fills, aliased directions aside."""
        return int(self.part.recession.dimension)

    def named(self, places: Indices | tuple[int, ...]) -> list[int]:
        """Return rows of the table by their places among those here."""
        found: list[int] = self.rows[list(places)].tolist()
        return found

    def basis(self, table: SignedRows) -> list[Weights]:  # noqa: ARG002
        """Return a basis (D,) of the space that the cone fills, aliased directions aside."""
        found: list[Weights] = self.part.recession.basis(self.part.table)
        return found


def settled(table: SignedRows, rows: Indices, decide: Decide) -> WorkingCone | None:
    """Return rows whose verdict is that of all rows; None where a limit was met."""
    working = np.unique(rows)
    for _ in range(ROUNDS):
        part = table.some(working)
        found = decide(part)
        if found.verdict == "undecided":
            return None
        if working.size == table.n:
            return WorkingCone(working, found, decide)
        new = np.setdiff1d(_missing(table, working, found), working)
        if new.size == 0:
            return WorkingCone(working, found, decide)
        working = np.union1d(working, new)
    return None


def _missing(table: SignedRows, working: Indices, found: Verdict) -> Indices:
    """Return rows that refute what the working rows show, exactly; none where it holds of all."""
    columns = table.span.columns
    if found.rank < table.rank:
        basis = table.equalities(working)
        return np.array(table.not_vanishing(basis, 2 * table.width, columns=columns), np.int64)
    if found.verdict == "overlapping":
        return NONE
    line = list(table.columns_of(found.line))
    if found.verdict == "separable":
        least, near = table.least(line)
        return NONE if least > 0 else near[:MOST_NEAR]
    basis = table.equalities(working[found.witness.rows])
    against = table.against(line, basis, columns, MOST_JOINING)
    return np.array(against.rows, dtype=np.int64)


def divergence_of_cone(
    cone: WorkingCone, support: Multipliers, table: SignedRows
) -> Divergence | None:
    """Return which way coefficients of a touching table go; None at a limit."""
    known: WorkingCone | None = cone
    for _ in range(ROUNDS):
        if known is None:
            return None
        shown = known.part.divergence
        bounds = {
            j: replace(bound, rows=known.named(tuple(bound.rows)))
            for j, bound in shown.bounds.items()
        }
        # of all rows' interior lines one is known; those of the working rows are others
        lines = [list(known.part.line), *shown.lines]
        claimed = Divergence(cone.indices, lines, bounds, table.x0, support)
        holds = claimed.that_holds(table)
        wrong = [line for line in lines if line not in holds.lines]
        if not wrong:
            return holds
        near = [table.least(table.columns_of(line))[1][:MOST_NEAR] for line in wrong]
        known = settled(table, np.concatenate([known.rows, *near]), known.decide)
    return None
