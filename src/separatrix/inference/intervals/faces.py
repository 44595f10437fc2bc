"""The rows that stay where a likelihood has no maximum, and the directions in which the rest go.

The supremum is that over the rows with z.w = 0, fewest of all Zw >= 0 (Albert & Anderson 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats
from separatrix.exact.integers import sign
from separatrix.inference.maximum import without_columns
from separatrix.scale import Rows
from separatrix.separation.decide import Separability, separability_of

PRECISION = "rounding of the table's doubles decides it"
OPEN = "a limit was met before its direction was decided"


class Undecided(Exception):  # noqa: N818  # an answer, not an error
    """A limit was met before it was decided which rows stay."""


Line = Sequence[Fraction]
Indices = NDArray[np.int64]


class Faces:
    """The directions of recession of a table, of the columns that are not left out."""

    def __init__(
        self, rows: Rows, separability: Separability | None, left_out: Sequence[int] = ()
    ) -> None:
        self.width = rows.d + 1
        self.places = np.delete(np.arange(self.width), left_out)  # (D,) of each column among all
        if left_out:
            rows = without_columns(rows, left_out)
            separability = None if separability is None else _decided(rows)
        self.rows = rows
        self.separability = separability  # None where the rows overlap

    def place(self, j: int) -> int:
        """Return where coefficient j of (1+d,) is among those that are not left out."""
        return int(np.searchsorted(self.places, j))

    def wide(self, line: Line) -> tuple[Fraction, ...]:
        """Return a line of all columns, those left out with a weight of 0."""
        found = [Fraction(0)] * self.width
        for j, a in zip(self.places.tolist(), line, strict=True):
            found[j] = a
        return tuple(found)

    @cached_property
    def lines(self) -> Sequence[Line]:
        """Directions of recession, which show what diverges."""
        shown = None if self.separability is None else self.separability.divergence
        return [] if shown is None else shown.lines

    def ways(self, j: int) -> dict[int, int]:
        """Return the ways in which coefficient j diverges, each with a line that shows it."""
        k, found = self.place(j), self.separability
        ways = {sign(line[k]): i for i, line in enumerate(self.lines) if line[k]}
        shown = None if found is None else found.divergence
        if shown is not None and len(ways) < 2 and k in shown.indices and k not in shown.bounds:
            raise Undecided(OPEN)
        return ways

    def recession(self, j: int) -> Floats:
        """Return a direction of recession (1+d,) in which coefficient j diverges, of size 1."""
        exact = self.lines[next(iter(self.ways(j).values()))]
        largest, found = max(map(abs, exact)), np.zeros(self.width)
        found[self.places] = [float(a / largest) for a in exact]
        return found

    def whole_line(self) -> Line | None:
        """Return the direction in which as many rows go as can; None where none can."""
        return _line_of(self.separability)

    def direction_without(self, j: int) -> Line | None:
        """Return a direction with w_j = 0 on which as many rows go as can; None where none can."""
        k = self.place(j)
        fewer = without_columns(self.rows, [k])
        if not fewer.d and not fewer.x0:  # nothing is left to choose
            return None
        line = _line_of(_decided(fewer))
        return [*line[:k], Fraction(0), *line[k:]] if k and line is not None else line


def _decided(rows: Rows) -> Separability:
    found = separability_of(rows)
    if found.verdict == "undecided":
        raise Undecided(found.reason)
    return found


def _line_of(found: Separability | None) -> Line | None:
    if found is None or found.verdict not in ("touching", "separable"):
        return None
    assert found.line is not None  # noqa: S101  # these tables have one
    return found.line
