"""Which coefficients diverge, as a claim that `verify.py` checks by itself (SPEC section 3).

Lines without a wrong row show that coefficients diverge, and in which direction they can go; that
they go in no other is a combination of rows, found by asking for a line on the other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from separatrix.certificates import Separability
from separatrix.certificates.cone import DataRows
from separatrix.certificates.directions import RecessionCone
from separatrix.certificates.exact import IntegerRow, dot, independent_rows, sign
from separatrix.certificates.extremes import lowest_scores, signed_part
from separatrix.certificates.gordan import gordan
from separatrix.certificates.lines import decided_exactly
from separatrix.certificates.simplex import Line, Refusal
from separatrix.certificates.survey import Survey, survey
from separatrix.certificates.working_set import Support, WorkingSet, first_rows, hunt, refusal_on
from separatrix.data import Sample
from separatrix.proving.claims import Claim, hexadecimal, hexadecimals, multipliers_told, null_space
from separatrix.tiles import one_blas_thread

MOST_NUMBERS = 1 << 19  # in a table: each line is checked on all of it

Weights = Sequence[Fraction]
# {coefficient: (direction, rows, multipliers, times)}: sum multipliers z = times direction w_j
Shown = dict[int, tuple[int, list[int], list[int], Fraction]]


def too_large(sample: Sample) -> bool:
    """Return whether the claim would take long to check."""
    return sample.n * (sample.d + 1) > MOST_NUMBERS


def diverging_of(found: Separability, sample: Sample) -> list[Claim]:
    """Return the claim for separable and touching rows; of others none diverges."""
    if found.verdict not in ("separable", "touching"):
        return []
    table = survey(sample, found.x0)
    with one_blas_thread():
        every = list(range(sample.n))
        integers = DataRows(table.values, table.exponents).take(every)
        independent = independent_rows(integers)
        silent = null_space(sample, independent)
        if found.recession is None:
            lines, shown = _of_separable(found, table)
            free: list[list[str]] = []
        else:
            lines, shown = _of_touching(found.recession, table)
            basis = (table.weights(v) for v in found.recession.quotient.basis)
            free = [*(hexadecimals(_whole_line(table, v)) for v in basis), *silent]
    return [
        {
            "kind": "diverging",
            "null_space": silent,
            "independent": independent,
            **multipliers_told(found.witness.rows.tolist(), found.witness.multipliers),
            "free": free,
            "lines": [hexadecimals(_whole_line(table, line)) for line in lines],
            "directions": [
                {
                    "index": j,
                    "direction": way,
                    **multipliers_told(rows, multipliers),
                    "times": [hexadecimal(times)],
                }
                for j, (way, rows, multipliers, times) in sorted(shown.items())
            ],
        }
    ]


def _whole_line(table: Survey, weights: Weights) -> list[Fraction]:
    """Return weights (D,) as (1+d,)."""
    return [*([] if table.x0 else [Fraction(0)]), *weights]


# ---------------------------------------------------------------------- separable


def _of_separable(found: Separability, table: Survey) -> tuple[list[Weights], Shown]:
    assert found.line is not None  # noqa: S101  # separable
    lines: list[Weights] = [found.line[0 if table.x0 else 1 :]]
    shown: Shown = {}
    working_rows = first_rows(table.sample, table.x0).rows
    for j in found.divergent:
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
            shown[j] = side, list(pairs), list(pairs.values()), Fraction(times)
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


def _of_touching(cone: RecessionCone, table: Survey) -> tuple[list[Weights], Shown]:
    inside: list[IntegerRow] = [cone.line]
    shown: Shown = {}
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
            shown[j] = (side, *_lifted(cone, table, j, answer))
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
