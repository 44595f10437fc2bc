"""The rows that stay where a likelihood has no maximum, and the directions in which the rest go.

The supremum is that over the rows with z.w = 0, fewest of all Zw >= 0 (Albert & Anderson 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from separatrix.data import Floats
from separatrix.exact.cone import cone_of_table
from separatrix.exact.integers import (
    IntegerRow,
    dot,
    independent_columns,
    nullspace,
    primitive,
    sign,
    whole_multiples,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.maximum import without_columns
from separatrix.scale import Rows
from separatrix.separation.decide import Separability, separability_of
from separatrix.separation.exact_simplex import separate
from separatrix.separation.rounding import simplest
from separatrix.tiles import tiles

PRECISION = "rounding of the table's doubles decides it"
OPEN = "a limit was met before its direction was decided"


class Undecided(Exception):  # noqa: N818  # an answer, not an error
    """A limit was met before it was decided which rows stay."""


Line = Sequence[Fraction]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Going:
    """The rows that go from the face of all lines, by the lines on which the others vanish."""

    exact: SignedRows
    lines: Sequence[Line]  # (D,) each
    rows: Indices
    kind: Indices  # of each row
    scores: list[IntegerRow]  # of each kind, of each line

    @classmethod
    def of(cls, exact: SignedRows, rows: Indices, vectors: Sequence[IntegerRow]) -> Going:
        """Return them by lines that are these vectors on the integers of the rows."""
        columns = [j for j in range(exact.width) if any(v[j] for v in vectors)]
        right = fmpz_mat([[v[j] for j in columns] for v in vectors]).transpose()
        kinds: dict[tuple[int, ...], int] = {}
        kind: list[int] = []
        for part in tiles(rows.size):
            if exact.sparse is not None:
                few = exact.sparse.take(rows[part])
                found = list(zip(*(few.whole_scores(v).tolist() for v in vectors), strict=True))
            else:
                integers = exact.integers(rows[part])
                product = fmpz_mat([[row[j] for j in columns] for row in integers]) * right
                found = [tuple(map(int, row)) for row in product.tolist()]
            kind += [kinds.setdefault(scores, len(kinds)) for scores in found]
        lines = [exact.line_on_integers([Fraction(a) for a in v]) for v in vectors]
        return cls(exact, lines, rows, np.array(kind), [list(scores) for scores in kinds])

    @cached_property
    def weights(self) -> tuple[tuple[Fraction, ...], ...]:
        """The lines as weights (1+d,)."""
        return tuple(tuple(self.exact.weights(line)) for line in self.lines)

    @cached_property
    def in_doubles(self) -> tuple[Floats, Floats]:
        """The weights (lines, 1+d), and the scores of kinds (kinds, lines)."""
        weights, scores = (
            [list(map(float, row)) for row in t] for t in (self.weights, self.scores)
        )
        return np.array(weights), np.array(scores)

    @cached_property
    def _used(self) -> tuple[list[int], fmpz_mat]:
        """Lines of which no combination vanishes on all rows, and the scores of kinds on these."""
        used = independent_columns(self.scores)
        return used, fmpz_mat([[row[i] for i in used] for row in self.scores])

    def least_direction(self, j: int) -> tuple[dict[int, int], tuple[int, ...]]:
        """Return a line with w_j = 0 on which as many kinds go as can, and those that stay.

        It is given by how often it holds each line: not at all where no kind goes.
        """
        used, scores = self._used
        functional, _ = whole_multiples([self.weights[i][j] for i in used])
        basis, _ = nullspace([functional], len(used))
        stay = tuple(range(len(self.scores)))
        if not basis:
            return {}, stay
        product = scores * fmpz_mat(basis).transpose()
        table = [tuple(map(int, row)) for row in product.tolist()]
        rows = sorted({tuple(primitive(list(row))) for row in table if any(row)})
        found = separate(cone_of_table([list(row) for row in rows]), [])
        if found.undecided:
            raise Undecided(found.undecided)
        if found.interior is None or found.quotient is None:
            return {}, stay
        inner = found.quotient.lift(simplest(found.quotient.cone, found.interior))
        along = [sum(a * b[i] for a, b in zip(inner, basis, strict=True)) for i in range(len(used))]
        times = {i: a for i, a in zip(used, along, strict=True) if a}
        return times, tuple(k for k, row in enumerate(table) if not dot(row, inner))

    def members(self, kinds: Sequence[int]) -> Indices:
        return np.asarray(self.rows[np.isin(self.kind, kinds)])

    def own(self, kinds: Sequence[int]) -> list[int]:
        """Return lines that are independent on these kinds."""
        return independent_columns([self.scores[k] for k in kinds])

    def combined(self, times: dict[int, int]) -> Line:
        used = [(a, self.lines[i]) for i, a in times.items() if a]
        if len(used) == 1 and used[0][0] == 1:
            return used[0][1]
        total = [Fraction(0)] * len(self.lines[0])
        for a, line in used:
            for j, b in enumerate(line):
                if b:
                    total[j] += a * b
        return total


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
