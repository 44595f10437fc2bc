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
from separatrix.data import Sample
from separatrix.exact.integers import (
    Indices,
    IntegerRow,
    column_exponents,
    dot,
    exact_combination,
    independent_columns,
    independent_rows,
    integer_rows,
    sign,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.signed_rows import lowest_scores, signed_part
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
from separatrix.separation.table_facts import Survey, combinations

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

    def that_holds(self, sample: Sample, x0: float, support: Indices) -> Divergence:
        """Return what is true of it, each line and each combination recomputed exactly.

        Parameters
        ----------
        support : rows that some positive combination cancels, that being known
        """
        places = slice(0 if x0 else 1, None)
        lines = [w for w in self.lines if lowest_scores(sample, x0, w[places])[0] >= 0]
        fitting = {j: told for j, told in self.bounds.items() if _fits(sample, x0, j, told)}
        rest = [_rest(sample, x0, j, told) for j, told in fitting.items()]
        good = _spanned(signed_part(sample, x0, support), rest)
        bounds = {j: told for (j, told), is_in in zip(fitting.items(), good, strict=True) if is_in}
        return Divergence(self.indices, lines, bounds)


def _fits(sample: Sample, x0: float, j: int, told: Bounded) -> bool:
    claimed = Multipliers(tuple(told.rows), tuple(told.multipliers), x0)
    way = told.direction in (1, -1) and told.times > 0
    return way and claimed.fits(sample) and (0 if x0 else 1) <= j <= sample.d


def _rest(sample: Sample, x0: float, j: int, told: Bounded) -> list[Fraction]:
    """Return sum multipliers z - times direction e_j: (D,)."""
    rows = signed_part(sample, x0, np.array(told.rows, dtype=np.int64))
    pull = exact_combination(rows, told.multipliers)
    pull[j if x0 else j - 1] -= told.times * told.direction
    return pull


def _spanned(rows: np.ndarray, vectors: Sequence[Weights]) -> list[bool]:
    """Return for each vector (D,) whether it is a combination of the rows (m, D), exactly."""
    if not rows.any():
        return [not any(v) for v in vectors]
    exponents = column_exponents(rows)
    integers = integer_rows(rows, exponents)
    chosen = [integers[i] for i in independent_rows(integers)]
    targets = [
        whole_multiples(
            [times_power_of_two(a, -int(e)) for a, e in zip(v, exponents, strict=True)]
        )[0]
        for v in vectors
    ]
    return combinations(chosen, independent_columns(chosen), targets)


def divergence_of_separable(line: Weights, indices: tuple[int, ...], table: Survey) -> Divergence:
    """Return it for rows that a line (1+d,) separates, by what holds of what was found."""
    lines, bounds = _of_separable(list(line[0 if table.x0 else 1 :]), indices, table)
    return _kept(Divergence(indices, [_whole_line(table, w) for w in lines], bounds), table, [])


def divergence_of_touching(
    cone: RecessionCone, support: Sequence[int], table: Survey
) -> Divergence:
    """Return it for touching rows; the support's rows are some that cancel."""
    lines, bounds = _of_touching(cone, table)
    found = Divergence(tuple(cone.functionals()), [_whole_line(table, w) for w in lines], bounds)
    return _kept(found, table, support)


def _kept(found: Divergence, table: Survey, support: Sequence[int]) -> Divergence:
    return found.that_holds(table.sample, table.x0, np.array(support, dtype=np.int64))


def _whole_line(table: Survey, weights: Weights) -> list[Fraction]:
    """Return weights (D,) as (1+d,)."""
    return [*([] if table.x0 else [Fraction(0)]), *weights]


# ---------------------------------------------------------------------- separable


def _of_separable(
    line: Weights, indices: Sequence[int], table: Survey
) -> tuple[list[Weights], dict[int, Bounded]]:
    lines = [line]
    shown: dict[int, Bounded] = {}
    working_rows = first_rows(table.sample, table.x0).rows
    for j in indices:
        place = j if table.x0 else j - 1
        signs = {sign(line[place]) for line in lines} - {0}
        if not signs:
            lines += _around(table, lines[0], place)
        if len(signs) != 1:
            continue
        (side,) = signs
        extra = np.zeros((1, table.width))
        extra[0, place] = -side
        working = WorkingSet(table.sample, table.x0, working_rows, extra)
        answer = _other_side(working)
        working_rows = working.rows
        if answer is not None and not isinstance(answer, Refusal):
            lines.append(answer)
        elif answer is not None:
            pairs = dict(zip(answer.rows, answer.multipliers, strict=True))
            times = pairs.pop(table.sample.n)
            shown[j] = Bounded(side, list(pairs), list(pairs.values()), Fraction(times))
    return lines, shown


def _other_side(working: WorkingSet) -> Weights | Refusal | None:
    """Return a line positive on all rows and the extra one, or what refuses it; None at a limit."""
    found = hunt(working)
    if isinstance(found, np.ndarray):
        return [Fraction(float(w)) for w in found[0 if working.x0 else 1 :]]
    if isinstance(found, Support):
        few = found.rows[found.rows < working.sample.n]
        signed = signed_part(working.sample, working.x0, few)
        multipliers = refusal_on(np.vstack([signed, working.extra]))
        if multipliers is not None:
            return Refusal([*few.tolist(), working.sample.n], multipliers)
    answer = decided_exactly(working)
    if isinstance(answer, Refusal):
        rows = working.index(np.array(answer.rows, dtype=np.int64))
        return Refusal(rows.tolist(), answer.multipliers)
    return answer if isinstance(answer, list) else None


def _around(table: Survey, line: Weights, place: int) -> list[Weights]:
    """Return separating lines on both sides of one whose coefficient is zero."""
    least, _ = lowest_scores(table.sample, table.x0, line)
    step = least / (2 * Fraction(float(np.abs(table.values[:, place]).max())))
    return [[a + side * step if i == place else a for i, a in enumerate(line)] for side in (1, -1)]


# ---------------------------------------------------------------------- touching


def _of_touching(cone: RecessionCone, table: Survey) -> tuple[list[Weights], dict[int, Bounded]]:
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
    return [table.weights(cone.quotient.lift(c)) for c in inside], shown


def _lifted(
    cone: RecessionCone, table: Survey, j: int, refusal: Refusal
) -> tuple[list[int], list[int], Fraction]:
    """Return rows of the table, multipliers and how often they make the coefficient.

    The quotient's integers are those of the table's rows on its basis, where coefficient j is
    divided by its column's power of two.
    """
    pairs = dict(zip(refusal.rows, refusal.multipliers, strict=True))
    times = pairs.pop(cone.quotient.cone.n)
    rows = [int(table.present[cone.quotient.rows[n]]) for n in pairs]
    unit = Fraction(2) ** int(table.exponents[j if table.x0 else j - 1])
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
