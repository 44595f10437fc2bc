"""All separating lines of a table at once: which points lie on the same side of all of them.

For q != 0 and an open cone of lines w (Zw > 0): some line has q.w < 0 exactly when the rows and -q
can be separated, and then the line that does it is the proof; otherwise a combination with
lambda >= 0 gives q = sum lambda_n z_n, and no separating line has q.w <= 0 (Farkas 1902). A line
with q.w = 0 has others on both sides around it. Lines and working rows found for one point serve
the next; each answer is checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from separatrix.clock import work_clock
from separatrix.exact.cancelling import Truths, refusal_on, surely_inside
from separatrix.exact.float_filter import exact_signs
from separatrix.exact.integers import Floats, Indices, fractions_of
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation.constraint_generation import WorkingSet, first_rows
from separatrix.separation.exact_simplex import Refusal, Undecided
from separatrix.separation.working_rows import (
    Support,
    decided_exactly,
    line_or_support,
)
from separatrix.zero_one.limits import TIME_SPENT

FAST = 64  # lines kept, on which a point is tried first


class SeparatingLines:
    """The separating lines of a sample, by some of them."""

    def __init__(
        self, table: SignedRows, weights: Sequence[Fraction], deadline: float = math.inf
    ) -> None:
        self.table = table
        self.deadline = deadline
        self.lines = [list(table.columns_of(weights))]
        self.rows = first_rows(table)
        self.limit, self.limited = "", np.zeros(0, dtype=np.bool_)

    def sides(self, points: Floats) -> Indices:
        """Return whether q.w > 0 on every line (+1), < 0 or q = 0 (-1), or neither (0), (m,)."""
        distinct, where = np.unique(points, axis=0, return_inverse=True)
        sides, limited = np.zeros(len(distinct), dtype=np.int64), np.zeros(len(distinct), np.bool_)
        up, down = self._signs(distinct, self.lines)
        zero = ~distinct.any(axis=1)
        sides[zero] = -1
        open_ = ~(up & down) & ~zero
        while open_.any():
            place = int(np.argmax(open_))
            open_[place] = False
            side = 1 if up[place] else -1
            line, cone = self._beyond(distinct[place], side)
            limited[place] = line == []
            others = np.flatnonzero(open_ & (up if side > 0 else down))
            if line is None:
                sides[place] = side
                if cone is not None:
                    same = others[surely_inside(side * cone, distinct[others])]
                    sides[same] = side
                    open_[same] = False
            elif line:
                self.lines = [*self.lines[-FAST + 1 :], line]
                others = np.flatnonzero(open_)
                more_up, more_down = self._signs(distinct[others], [line])
                up[others] |= more_up
                down[others] |= more_down
                open_[others] = ~(up[others] & down[others])
        self.limited = np.asarray(limited[where.ravel()])
        return np.asarray(sides[where.ravel()])

    def _signs(self, points: Floats, lines: Sequence[Sequence[Fraction]]) -> tuple[Truths, Truths]:
        """Return where some line has q.w > 0, and some q.w < 0; near q.w = 0 both hold."""
        up = np.zeros(len(points), dtype=np.bool_)
        down = up.copy()
        for line in lines:
            signs = exact_signs(points, line)
            up |= signs >= 0
            down |= signs <= 0
        return up, down

    def _beyond(self, q: Floats, side: int) -> tuple[list[Fraction] | None, Floats | None]:
        """Return a separating line with q.w on the other side, or None: there is none, proven."""
        if work_clock() > self.deadline:
            self.limit = TIME_SPENT
            return [], None
        extra = (-float(side) * q)[None, :]
        working = WorkingSet(self.table, self.rows, extra)
        try:
            found = line_or_support(working)
            if isinstance(found, np.ndarray):
                return fractions_of(found), None
            if isinstance(found, Support):
                few = self.table.floats(found.rows[found.rows < self.table.n])
                if len(few) == q.size and surely_inside(few, -extra).all():
                    return None, few
                if refusal_on(np.vstack([few, extra])) is not None:
                    return None, None
            answer = decided_exactly(working)
        finally:
            self.rows = working.rows
        if isinstance(answer, Undecided):
            self.limit = answer.reason
            return [], None
        return (None if isinstance(answer, Refusal) else answer), None
