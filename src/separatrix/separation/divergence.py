"""Which way coefficients go that have no finite optimum, with a proof for each (SPEC section 3).

Coefficient j goes up when w_j > 0 on some line w with Zw >= 0, and only up when w_j >= 0 on all of
them: lambda >= 0 with sum lambda_n z_n = t e_j, t > 0, shows that. Where rows cancel, every such w
vanishes on them, so that the two sides may differ by a combination of these. The lambda are found
by asking for a line on the other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.multipliers import Multipliers
from separatrix.exact.integers import (
    IntegerRow,
    dot,
    fractions_of,
    independent_columns,
    independent_rows,
    sign,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.exact.span import combinations
from separatrix.separation.alternative import gordan
from separatrix.separation.constraint_generation import (
    Support,
    WorkingSet,
    decided_exactly,
    first_rows,
    hunt,
    refusal_on,
)
from separatrix.separation.exact_simplex import Line, Refusal
from separatrix.separation.recession_cone import RecessionCone

Weights = Sequence[Fraction]


@dataclass(frozen=True)
class Bounded:
    """The claim that a coefficient goes one way only.

    Parameters
    ----------
    direction : +1 or -1
    rows, multipliers : of the table, and positive integers on them
    times : sum multipliers z.w = times direction w_j, on all w that vanish on rows that cancel
    """

    direction: int
    rows: list[int]
    multipliers: list[int]
    times: Fraction


@dataclass(frozen=True)
class Divergence:
    """Directions of coefficients that diverge, as far as lines and multipliers show them.

    Parameters
    ----------
    indices : of these coefficients in (1+d,)
    lines : (1+d,) each, with no row on its wrong side
    bounds : {index: Bounded}
    """

    indices: tuple[int, ...]
    lines: list[list[Fraction]]
    bounds: dict[int, Bounded]

    def ways(self, j: int) -> set[int]:
        """Return the signs that coefficient j has on the lines."""
        return {sign(line[j]) for line in self.lines} - {0}

    @property
    def directions(self) -> dict[int, int]:
        """{index: +1, -1, or 0 for either way and for what is open}."""
        return {j: self._direction(j) for j in self.indices}

    def _direction(self, j: int) -> int:
        ways = self.ways(j)
        return ways.pop() if len(ways) == 1 and j in self.bounds else 0

    @property
    def open(self) -> tuple[int, ...]:
        """Indices of which nothing shows whether they go one way or either."""
        shown = self.bounds
        return tuple(j for j in self.indices if len(self.ways(j)) < 2 and j not in shown)

    def that_holds(self, table: SignedRows, support: Sequence[int]) -> Divergence:
        """Return what is true of it, each line and each combination recomputed exactly.

        Parameters
        ----------
        support : rows that some positive combination cancels, that being known
        """
        lines = [w for w in self.lines if table.least(table.columns_of(w))[0] >= 0]
        fitting = {j: told for j, told in self.bounds.items() if _fits(table, j, told)}
        rest = [_rest(table, j, told) for j, told in fitting.items()]
        good = _spanned(table, support, rest)
        bounds = {j: told for (j, told), is_in in zip(fitting.items(), good, strict=True) if is_in}
        return Divergence(self.indices, lines, bounds)


def _fits(table: SignedRows, j: int, told: Bounded) -> bool:
    claimed = Multipliers(tuple(told.rows), tuple(told.multipliers), table.x0)
    way = told.direction in (1, -1) and told.times > 0
    return way and claimed.fits(table.sample) and j in map(table.index, range(table.width))


def _rest(table: SignedRows, j: int, told: Bounded) -> list[Fraction]:
    """Return sum multipliers z - times direction e_j: (D,)."""
    pull = table.combination(told.rows, told.multipliers)
    pull[table.column(j)] -= told.times * told.direction
    return pull


def _spanned(table: SignedRows, rows: Sequence[int], vectors: Sequence[Weights]) -> list[bool]:
    """Return for each vector (D,) whether it is a combination of the rows, exactly."""
    integers = table.integers(rows) if rows else []
    if not any(map(any, integers)):
        return [not any(v) for v in vectors]
    chosen = [integers[i] for i in independent_rows(integers)]
    exponents = table.exponents.tolist()
    targets = [
        whole_multiples([times_power_of_two(a, -e) for a, e in zip(v, exponents, strict=True)])[0]
        for v in vectors
    ]
    return combinations(chosen, independent_columns(chosen), targets)


def divergence_of_separable(
    line: Weights, indices: tuple[int, ...], table: SignedRows
) -> Divergence:
    """Return it for rows that a line (1+d,) separates, by what holds of what was found."""
    lines, bounds = _of_separable(table.columns_of(line), indices, table)
    found = Divergence(indices, [table.weights(w) for w in lines], bounds)
    return found.that_holds(table, [])


def divergence_of_touching(
    cone: RecessionCone, support: Sequence[int], table: SignedRows
) -> Divergence:
    """Return it for touching rows; the support's rows are some that cancel."""
    lines, bounds = _of_touching(cone, table)
    found = Divergence(tuple(cone.functionals()), [table.weights(w) for w in lines], bounds)
    return found.that_holds(table, support)


# ---------------------------------------------------------------------- separable


def _of_separable(
    line: Weights, indices: Sequence[int], table: SignedRows
) -> tuple[list[Weights], dict[int, Bounded]]:
    lines = [line]
    shown: dict[int, Bounded] = {}
    working_rows = first_rows(table).rows
    for j in indices:
        place = table.column(j)
        signs = {sign(line[place]) for line in lines} - {0}
        if not signs:
            lines += _around(table, lines[0], place)
        if len(signs) != 1:
            continue
        (side,) = signs
        extra = np.zeros((1, table.width))
        extra[0, place] = -side
        working = WorkingSet(table, working_rows, extra)
        answer = _other_side(working)
        working_rows = working.rows
        if answer is not None and not isinstance(answer, Refusal):
            lines.append(answer)
        elif answer is not None:
            pairs = dict(zip(answer.rows, answer.multipliers, strict=True))
            times = pairs.pop(table.n)
            shown[j] = Bounded(side, list(pairs), list(pairs.values()), Fraction(times))
    return lines, shown


def _other_side(working: WorkingSet) -> Weights | Refusal | None:
    """Return a line positive on all rows and the extra one, or what refuses it; None at a limit."""
    found = hunt(working)
    if isinstance(found, np.ndarray):
        return fractions_of(found)
    if isinstance(found, Support):
        few = found.rows[found.rows < working.table.n]
        multipliers = refusal_on(np.vstack([working.table.floats(few), working.extra]))
        if multipliers is not None:
            return Refusal([*few.tolist(), working.table.n], multipliers)
    answer = decided_exactly(working)
    if isinstance(answer, Refusal):
        rows = working.index(np.array(answer.rows, dtype=np.int64))
        return Refusal(rows.tolist(), answer.multipliers)
    return answer if isinstance(answer, list) else None


def _around(table: SignedRows, line: Weights, place: int) -> list[Weights]:
    """Return separating lines on both sides of one whose coefficient is zero."""
    least, _ = table.least(line)
    step = least / (2 * Fraction(float(np.abs(table.values[:, place]).max())))
    return [[a + side * step if i == place else a for i, a in enumerate(line)] for side in (1, -1)]


# ---------------------------------------------------------------------- touching


def _of_touching(
    cone: RecessionCone, table: SignedRows
) -> tuple[list[Weights], dict[int, Bounded]]:
    inside: list[IntegerRow] = [cone.line]
    shown: dict[int, Bounded] = {}
    for j, functional in cone.functionals().items():
        signs = {sign(dot(functional, c)) for c in inside} - {0}
        if not signs:
            inside += _around_inside(cone, functional)
        if len(signs) != 1:
            continue
        (side,) = signs
        answer = gordan(cone.quotient.cone.with_row([-side * a for a in functional]))
        if isinstance(answer, Line):
            inside.append(answer.v)
        elif isinstance(answer, Refusal):
            shown[j] = Bounded(side, *_lifted(cone, table, j, answer))
    return [table.line_on_span(cone.quotient.lift(c)) for c in inside], shown


def _lifted(
    cone: RecessionCone, table: SignedRows, j: int, refusal: Refusal
) -> tuple[list[int], list[int], Fraction]:
    """Return rows of the table, multipliers and how often they make the coefficient.

    The quotient's integers are those of the table's rows on its basis, where coefficient j is
    divided by its column's power of two.
    """
    pairs = dict(zip(refusal.rows, refusal.multipliers, strict=True))
    times = pairs.pop(cone.quotient.cone.n)
    rows = [int(table.present[cone.quotient.rows[n]]) for n in pairs]
    unit = Fraction(2) ** int(table.exponents[table.column(j)])
    return rows, list(pairs.values()), times * unit


def _around_inside(cone: RecessionCone, functional: IntegerRow) -> list[IntegerRow]:
    """Return interior lines on both sides of one on which the functional is zero."""
    far = 1
    while True:
        sides = [
            [far * c + side * a for c, a in zip(cone.line, functional, strict=True)]
            for side in (1, -1)
        ]
        if all((cone.quotient.cone.signs(c) > 0).all() for c in sides):
            return sides
        far *= 1 << 8
