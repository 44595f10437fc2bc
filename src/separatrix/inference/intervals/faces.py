"""The rows that stay where a likelihood has no maximum, and the directions in which the rest go.

The supremum is that over the rows with z.w = 0, fewest of all Zw >= 0 (Albert & Anderson 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._later import flint
from separatrix.data import Floats, Sample
from separatrix.exact.cone import cone_of_table
from separatrix.exact.integers import (
    IntegerRow,
    dot,
    independent_columns,
    nullspace,
    primitive,
    sign,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.maximum import without_columns
from separatrix.learners.logistic.no_optimum import in_doubles, sides
from separatrix.scale import Block, Rows
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


MOST_GOING = 1 << 23  # numbers in rows that go, which are kept in memory


@dataclass(frozen=True)
class Going:
    """The rows that go from the face of all lines, by the lines on which the others vanish."""

    rows: Sample
    places: Indices  # of these rows in the table
    weights: tuple[tuple[Fraction, ...], ...]  # (1+d,) of each line
    kind: Indices  # of each row
    scores: list[IntegerRow]  # of each kind, of each line

    @classmethod
    def of(
        cls, table: Rows, direction: Floats, lines: Sequence[Line], *, known: bool = False
    ) -> Going | None:
        """Return the rows that go in a direction; None if too many, or if lines move the others."""
        most = MOST_GOING if table.in_memory is None else np.inf
        asked = [] if known else [in_doubles(line) for line in lines]
        parts = table.map(_going, direction, asked, most)
        if any(part is None for part in parts):
            return None
        found = [part for part in parts if part is not None and part[0].n]
        if not found or sum(part.n for part, _ in found) * (table.d + 1) > most:
            return None
        X = [part.X for part, _ in found]
        points = sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.concatenate(X)
        y, weight = (np.concatenate([getattr(p, k) for p, _ in found]) for k in ("y", "weight"))
        rows = Sample(points, y, found[0][0].classes, weight, table.x0)
        exact = SignedRows(rows)
        exponents, vectors = exact.exponents.tolist(), []
        for line in lines:
            on_it = zip(exact.columns_of(line), exponents, strict=True)
            whole = whole_multiples([times_power_of_two(a, e) for a, e in on_it])[0]
            vectors.append(primitive(whole))
        kind, scores = _kinds(exact, vectors)
        on_rows = (exact.line_on_integers([Fraction(a) for a in v]) for v in vectors)
        weights = tuple(tuple(exact.weights(line)) for line in on_rows)
        return cls(rows, np.concatenate([place for _, place in found]), weights, kind, scores)

    @cached_property
    def in_doubles(self) -> tuple[Floats, Floats]:
        """The weights (lines, 1+d), and the scores of kinds (kinds, lines)."""
        weights, scores = (
            [list(map(float, row)) for row in t] for t in (self.weights, self.scores)
        )
        return np.array(weights), np.array(scores)

    @cached_property
    def _used(self) -> tuple[list[int], flint.fmpz_mat]:
        """Lines of which no combination vanishes on all rows, and the scores of kinds on these."""
        used = independent_columns(self.scores)
        return used, flint.fmpz_mat([[row[i] for i in used] for row in self.scores])

    def least_direction(self, j: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return how often each line is in that with w_j = 0 where most go; lines of the rest."""
        used, scores = self._used
        functional, _ = whole_multiples([self.weights[i][j] for i in used])
        basis, _ = nullspace([functional], len(used))
        times, stay = dict[int, int](), self.scores
        if basis:
            product = scores * flint.fmpz_mat(basis).transpose()
            table = [tuple(map(int, row)) for row in product.tolist()]
            rows = sorted({tuple(primitive(list(row))) for row in table if any(row)})
            found = separate(cone_of_table([list(row) for row in rows]), [])
            if found.undecided:
                raise Undecided(found.undecided)
            if found.interior is not None and found.quotient is not None:
                inner = found.quotient.lift(simplest(found.quotient.cone, found.interior))
                for k, i in enumerate(used):
                    times[i] = sum(a * b[k] for a, b in zip(inner, basis, strict=True))
                stay = [s for s, row in zip(stay, table, strict=True) if not dot(row, inner)]
        direction = tuple(times.get(i, 0) for i in range(len(self.weights)))
        return direction, tuple(independent_columns(stay))

    def staying(self, direction: Sequence[int]) -> list[int] | None:
        """Return the kinds that stay along such a line; None where one is against it."""
        along = flint.fmpz_mat(self.scores) * flint.fmpz_mat([[a] for a in direction])
        scores = [int(row[0]) for row in along.tolist()]
        return None if min(scores) < 0 else [k for k, score in enumerate(scores) if not score]

    def combined(self, times: Sequence[int]) -> Line:
        """Return the line that holds each line so often."""
        total = [Fraction(0)] * len(self.weights[0])
        for a, line in zip(times, self.weights, strict=True):
            for j, b in enumerate(line if a else ()):
                total[j] += a * b
        return total


def _kinds(exact: SignedRows, vectors: Sequence[IntegerRow]) -> tuple[Indices, list[IntegerRow]]:
    """Return the kind of each row (N,), and the scores of kinds with vectors on integers."""
    columns = [j for j in range(exact.width) if any(v[j] for v in vectors)]
    right = flint.fmpz_mat([[v[j] for j in columns] for v in vectors]).transpose()
    kinds: dict[tuple[int, ...], int] = {}
    kind: list[int] = []
    for part in tiles(exact.n):
        rows = np.arange(part.start, part.stop)
        if exact.sparse is not None:
            few = exact.sparse.take(rows)
            found = list(zip(*(few.whole_scores(v).tolist() for v in vectors), strict=True))
        else:
            product = (
                flint.fmpz_mat([[row[j] for j in columns] for row in exact.integers(rows)]) * right
            )
            found = [tuple(map(int, row)) for row in product.tolist()]
        kind += [kinds.setdefault(scores, len(kinds)) for scores in found]
    return np.array(kind), [list(scores) for scores in kinds]


def free_lines(lines: Sequence[Sequence[Fraction]], first: Sequence[int]) -> list[Line]:
    """Return a basis of the same lines, each with a column by itself: of the first."""
    order = [*first, *(j for j in range(len(lines[0])) if j not in set(first))]
    table = flint.fmpz_mat(
        [[row[j] for j in order] for row in (whole_multiples(v)[0] for v in lines)]
    )
    reduced, q, rank = table.rref()
    back = np.argsort(order).tolist()
    rows = [[Fraction(int(a), int(q)) for a in row] for row in reduced.tolist()[:rank]]
    return [[row[i] for i in back] for row in rows]


def _going(
    block: Block, direction: Floats, lines: list[Floats], most: float
) -> tuple[Sample, Indices] | None:
    """Return the rows of a block that go, and where; None for a line that moves others, too."""
    of, parts = block.sample, []
    for tile in tiles(block.n):
        X, y, weighs = of.X[tile], of.y[tile], of.weight[tile] > 0.0
        side = sides(X, direction)
        if (y * side < 0.0).any():
            return None
        stay = weighs & (side == 0.0)
        if any(sides(X[stay], line).any() for line in lines):
            return None
        parts.append(np.flatnonzero(weighs & (side != 0.0)) + tile.start)
    rows = np.concatenate(parts)
    if rows.size * (of.d + 1) > most:
        return None
    found = of.at(rows)
    found = found if sp.issparse(found.X) else replace(found, X=found.X.astype(np.float64))
    return found, block.start + rows
