"""Which way coefficients go that have no finite optimum: proofs for `certificates/divergence.py`.

Both signs of w_j occur exactly when the rows and one that wants the other sign can be separated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.divergence import Bounded, Divergence
from separatrix.certificates.multipliers import Multipliers
from separatrix.exact.integers import (
    IntegerRow,
    dot,
    sign,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.level_elimination import NullSpace, null_space
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation.constraint_generation import WorkingSet, first_rows
from separatrix.separation.exact_simplex import Line, Quotient, Refusal, gordan
from separatrix.separation.level_divergence import around, directions
from separatrix.separation.working_rows import line_or_refusal

Weights = Sequence[Fraction]

MOST_WHOLE = 1 << 24  # numbers of a table that is read whole for its levels


@dataclass(frozen=True)
class RecessionCone:
    """The lines with Zw >= 0, by an interior one."""

    quotient: Quotient  # coordinates in which every remaining row can be positive
    line: IntegerRow  # an interior line in those coordinates
    columns: Sequence[int]
    aliased: Sequence[int]  # indices left out: their coefficients are not determined by the scores

    @property
    def indices(self) -> tuple[int, ...]:
        """The coefficients that diverge."""
        return tuple(self.functionals())

    @property
    def dimension(self) -> int:
        """The dimension of the space that the cone fills, aliased directions aside."""
        return len(self.quotient.basis)

    def basis(self, table: SignedRows) -> list[Weights]:
        """Return a basis (D,) of that space."""
        return [table.line_on_span(v) for v in self.quotient.basis]

    def divergence(self, support: Multipliers, table: SignedRows) -> Divergence:
        """Return which way coefficients go; the rows of the support cancel."""
        lines, bounds = _of_touching(self, table)
        weights = [table.weights(w) for w in lines]
        return Divergence(self.indices, weights, bounds, table.x0, support).that_holds(table)

    def functionals(self) -> dict[int, IntegerRow]:
        """Return w_j as a functional of the quotient's lines, for the coefficients that diverge."""
        return {
            j: row
            for place, j in enumerate(self.columns)
            if j not in self.aliased and any(row := [b[place] for b in self.quotient.basis])
        }


@dataclass(frozen=True)
class LevelCone:
    """The lines with Zw >= 0 of sparse rows, by an interior one."""

    line: Weights  # (D,) an interior line
    free: NullSpace
    indices: tuple[int, ...]  # the coefficients that diverge
    dimension: int  # of the space that the cone fills, aliased directions aside

    @classmethod
    def of(cls, table: SignedRows, line: Weights, free: NullSpace) -> LevelCone:
        indices = set(map(table.index, free.free)) - set(table.aliased)
        return cls(line, free, tuple(sorted(indices)), table.rank - len(free.pivots))

    def basis(self, table: SignedRows) -> list[Weights]:
        on_it = np.flatnonzero(table.signs(self.line) == 0)
        every = range(table.width)
        vectors = ([Fraction(v.get(j, 0)) for j in every] for v in table.equalities(on_it))
        return [table.line_on_integers(v) for v in vectors]

    def divergence(self, support: Multipliers | None, table: SignedRows) -> Divergence:
        """Return which way coefficients go; the rows of the support cancel."""
        assert table.sparse is not None  # noqa: S101  # the cone is one of sparse rows
        exponents = table.exponents.tolist()
        line = [times_power_of_two(a, e) for a, e in zip(self.line, exponents, strict=True)]
        columns = [table.column(j) for j in self.indices]
        lines, bounds = directions(table.sparse, self.free, line, columns)
        weights = [table.weights(table.line_on_integers(w)) for w in lines]
        named = {table.index(j): bound for j, bound in bounds.items()}
        return Divergence(self.indices, weights, named, table.x0, support).that_holds(table)


def divergence_of_separable(
    line: Weights, indices: tuple[int, ...], table: SignedRows
) -> Divergence:
    """Return it for rows that a line (1+d,) separates, by what holds of what was found."""
    whole = table.some(np.arange(table.n)) if table.n_numbers <= MOST_WHOLE else table
    if whole.is_mostly_zeros and whole.sparse is not None and whole.sparse.has_levels:
        nothing = null_space(whole.sparse.take([]))
        return LevelCone.of(whole, whole.columns_of(line), nothing).divergence(None, whole)
    lines, bounds = _of_separable(table.columns_of(line), indices, table)
    found = Divergence(indices, [table.weights(w) for w in lines], bounds, table.x0)
    return found.that_holds(table)


# ---------------------------------------------------------------------- separable


def _of_separable(
    line: Weights, indices: Sequence[int], table: SignedRows
) -> tuple[list[Weights], dict[int, Bounded]]:
    lines = [line]
    shown: dict[int, Bounded] = {}
    working_rows = first_rows(table)
    for j in indices:
        place = table.column(j)
        signs = {sign(line[place]) for line in lines} - {0}
        if not signs:
            unit = [int(i == place) for i in range(table.width)]
            whole = whole_multiples(line)[0]
            sides = around(whole, unit, lambda v: table.separated_by(list(map(Fraction, v))))
            lines += [list(map(Fraction, v)) for v in sides]
        if len(signs) != 1:
            continue
        (side,) = signs
        extra = np.zeros((1, table.width))
        extra[0, place] = -side
        working = WorkingSet(table, working_rows, extra)
        answer = line_or_refusal(working)
        working_rows = working.rows
        if isinstance(answer, list):
            lines.append(answer)
        elif isinstance(answer, Refusal):
            pairs = dict(zip(answer.rows, answer.multipliers, strict=True))
            times = pairs.pop(table.n)
            shown[j] = Bounded(side, list(pairs), list(pairs.values()), Fraction(times))
    return lines, shown


# ---------------------------------------------------------------------- touching


def _of_touching(
    cone: RecessionCone, table: SignedRows
) -> tuple[list[Weights], dict[int, Bounded]]:
    inside, rows = [cone.line], cone.quotient.cone
    shown: dict[int, Bounded] = {}
    for j, functional in cone.functionals().items():
        signs = {sign(dot(functional, c)) for c in inside} - {0}
        if not signs:
            inside += around(cone.line, functional, lambda c: bool((rows.signs(c) > 0).all()))
        if len(signs) != 1:
            continue
        (side,) = signs
        answer = gordan(rows.with_row([-side * a for a in functional]))
        if isinstance(answer, Line):
            inside.append(answer.v)
        elif isinstance(answer, Refusal):
            shown[j] = Bounded(side, *_lifted(cone, table, j, answer))
    return [table.line_on_span(cone.quotient.lift(c)) for c in inside], shown


def _lifted(
    cone: RecessionCone, table: SignedRows, j: int, refusal: Refusal
) -> tuple[list[int], list[int], Fraction]:
    """Return rows of the table, multipliers and how often they make the coefficient."""
    pairs = dict(zip(refusal.rows, refusal.multipliers, strict=True))
    times = pairs.pop(cone.quotient.cone.n)
    rows = [int(table.present[cone.quotient.rows[n]]) for n in pairs]
    unit = Fraction(2) ** int(table.exponents[table.column(j)])
    return rows, list(pairs.values()), times * unit
