"""The rows that stay where a likelihood has no maximum, and the directions in which the rest go.

The supremum is that over the rows with z.w = 0, fewest of all Zw >= 0 (Albert & Anderson 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from separatrix.data import Floats, Sample, in_full
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
from separatrix.learners.least_squares.least_squares import augmented, power_of_two_scale
from separatrix.learners.logistic.newton_coordinates import OrthonormalColumns
from separatrix.learners.logistic.reads import Place
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
class Face:
    """Rows that stay along a direction of recession."""

    keep: NDArray[np.bool_]  # (N,) which rows stay
    direction: tuple[int, ...] | None  # (1+d,) whole numbers, positive on exactly the rows that go
    sample: Sample = field(repr=False)  # all rows
    alike: NDArray[np.bool_]  # (N,) rows that stand for all that go

    @cached_property
    def rows(self) -> Indices:
        return np.flatnonzero(self.keep)

    @cached_property
    def weight(self) -> Floats:
        """(N,) the weights of rows that stay, 0 for the others."""
        return np.where(self.keep, self.sample.weight, 0.0)

    @cached_property
    def scale(self) -> Floats:
        """Powers of two that bring the columns to one size."""
        return power_of_two_scale(_largest(self.sample, self.rows)[np.newaxis])

    def independent(self, place: Place) -> Indices:
        """Return columns that make up all others: all of them where a place has them all."""
        if place.basis is None:
            return np.arange(0 if self.sample.x0 else 1, self.sample.d + 1)
        return np.sort(OrthonormalColumns(self.sample.at(self.rows)).basic)

    @cached_property
    def least(self) -> Fraction:
        """The least score of the direction among the rows that go."""
        assert self.direction is not None  # noqa: S101
        rows = SignedRows(self.sample.only(self.alike & ~self.keep))
        return rows.least(rows.columns_of([Fraction(w) for w in self.direction]))[0]


@dataclass(frozen=True)
class Going:
    """The rows that go from the face of all lines, by the lines on which the others vanish."""

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
        return cls(lines, rows, np.array(kind), [list(scores) for scores in kinds])

    @cached_property
    def _used(self) -> list[int]:
        """Lines of which no combination vanishes on all rows."""
        return independent_columns(self.scores)

    def least_direction(self, j: int) -> tuple[dict[int, int], tuple[int, ...]]:
        """Return a line with w_j = 0 on which as many kinds go as can, and those that stay.

        It is given by how often it holds each line: not at all where no kind goes.
        """
        used = self._used
        functional, _ = whole_multiples([self.lines[i][j] for i in used])
        basis, _ = nullspace([functional], len(used))
        stay = tuple(range(len(self.scores)))
        if not basis:
            return {}, stay
        product = fmpz_mat([[row[i] for i in used] for row in self.scores])
        product *= fmpz_mat(basis).transpose()
        table = [tuple(map(int, row)) for row in product.tolist()]
        rows = sorted({tuple(primitive(list(row))) for row in table if any(row)})
        if not rows:
            return {}, stay
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


def combined(times: dict[int, int], lines: Sequence[Line]) -> Line:
    used = [(a, lines[i]) for i, a in times.items() if a]
    if len(used) == 1 and used[0][0] == 1:
        return used[0][1]
    total = [Fraction(0)] * len(lines[0])
    for a, line in used:
        for j, b in enumerate(line):
            if b:
                total[j] += a * b
    return total


def widened(line: Sequence[Fraction], places: Indices, width: int) -> tuple[Fraction, ...]:
    """Return a line of some columns as one of all, with a weight of 0 elsewhere."""
    found = [Fraction(0)] * width
    for j, a in zip(places.tolist(), line, strict=True):
        found[j] = a
    return tuple(found)


class Faces:
    """The faces of a table's likelihood, each found when first asked for."""

    def __init__(self, rows: Rows, separability: Separability | None) -> None:
        self.rows = rows
        self.separability = separability  # None where the rows overlap
        self.going: Going | None = None
        self._known: dict[bytes, Face] = {}

    def less(self, columns: Sequence[int]) -> Faces:
        if not columns:
            return self
        rows = without_columns(self.rows, columns)
        return Faces(rows, None if self.separability is None else self._decided(rows))

    def _decided(self, rows: Rows) -> Separability:
        found = separability_of(rows)
        if found.verdict == "undecided":
            raise Undecided(found.reason)
        return found

    @cached_property
    def sample(self) -> Sample:
        return self.rows.whole()

    @cached_property
    def exact(self) -> SignedRows:
        return SignedRows(self.sample)

    @cached_property
    def sizes(self) -> Floats:
        return _largest(self.sample, np.arange(self.sample.n))

    @cached_property
    def table(self) -> Floats:
        return augmented(self.sample)

    @cached_property
    def whole(self) -> Face | None:
        """The face of all lines; None where a line separates the rows, so that none stays."""
        return self.of(self._direction(self.separability, None))

    @cached_property
    def lines(self) -> Sequence[Sequence[Fraction]]:
        """Directions of recession, which show what diverges."""
        shown = None if self.separability is None else self.separability.divergence
        return [] if shown is None else shown.lines

    def ways(self, j: int) -> dict[int, int]:
        """Return the ways in which coefficient j diverges, each with a line that shows it."""
        shown = None if self.separability is None else self.separability.divergence
        if shown is not None and j in shown.open:
            raise Undecided(OPEN)
        return {sign(line[j]): i for i, line in enumerate(self.lines) if line[j]}

    def recession(self, j: int) -> Floats:
        """Return a direction of recession in which coefficient j diverges, of a size of 1."""
        exact = self.lines[next(iter(self.ways(j).values()))]
        largest = max(map(abs, exact))
        return np.array([float(a / largest) for a in exact])

    def with_kinds(self, times: dict[int, int], kinds: tuple[int, ...]) -> Face:
        """Return the face of all lines with the kinds that stay on a combination of lines."""
        sample, whole, going = self.sample, self.whole, self.going
        assert whole is not None and going is not None  # noqa: S101, PT018  # its caller's
        keep, direction = whole.keep.copy(), None
        keep[going.members(kinds)] = True
        if times:
            line = combined(times, going.lines)
            direction = tuple(primitive(whole_multiples(self.exact.weights(line))[0]))
        alike = np.zeros(sample.n, dtype=np.bool_)
        alike[going.rows[np.unique(going.kind, return_index=True)[1]]] = True
        return self._known.setdefault(keep.tobytes(), Face(keep, direction, sample, alike))

    def direction_without(self, j: int) -> Sequence[Fraction] | None:
        """Return a direction with w_j = 0 on which as many rows go as can; None where none can."""
        fewer = without_columns(self.rows, [j])
        if not fewer.d and not fewer.x0:  # nothing is left to choose
            return None
        return self._direction(self._decided(fewer), j)

    def _direction(self, found: Separability | None, j: int | None) -> Sequence[Fraction] | None:
        """Return the line of a verdict on all columns, or on all but one, as one of all."""
        if found is None or found.verdict not in ("touching", "separable"):
            return None
        assert found.line is not None  # noqa: S101  # these tables have one
        line = list(found.line)
        if j:
            line.insert(j, Fraction(0))
        return line

    def of(self, line: Sequence[Fraction] | None) -> Face | None:
        """Return the face of a direction; None where no row stays."""
        keep, direction = np.ones(self.sample.n, dtype=np.bool_), None
        if line is not None:
            direction = tuple(primitive(whole_multiples(line)[0]))
            exact = [Fraction(w) for w in direction]
            keep = self.exact.signs(self.exact.columns_of(exact)) == 0
            if not keep.any():
                return None
        made = Face(keep, direction, self.sample, np.ones_like(keep))
        return self._known.setdefault(keep.tobytes(), made)


def _largest(sample: Sample, rows: Indices) -> Floats:
    parts = [np.abs(in_full(sample.X[rows[t]])).max(axis=0, initial=0.0) for t in tiles(rows.size)]
    return np.append(sample.x0, np.max([np.zeros(sample.d), *parts], axis=0))
