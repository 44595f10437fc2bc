"""Gordan's alternative, and its refinement: separable, touching or overlapping.

Floats propose (`least_points.py`), integers check, the exact simplex method decides the rest
(`exact_simplex.py`). The finer verdict (Albert & Anderson 1984) comes from the same question in a
quotient space: where lambda > 0 combines some rows to nothing, every w with Zw >= 0 vanishes on
them (they are implicit equalities), hence on their span. What is left of the other rows modulo that
span is a smaller problem of the same kind. A line there is a touching line of the whole; a second
refusal is lifted and joined to the first, until nothing is left (overlapping). The support never
needs more than 2 r rows (Steinitz 1913), r the rank of Z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz_mat

from separatrix.exact.cone import Cone, IntegerRows, cone_of_table
from separatrix.exact.integers import (
    Indices,
    IntegerRow,
    independent_columns,
    independent_rows,
    nullspace,
)
from separatrix.separation.exact_simplex import (
    Answer,
    Line,
    Refusal,
    Undecided,
    decide,
    whole_refusal,
)
from separatrix.separation.least_points import (
    balancing_rows,
    implicit_equalities,
    propose,
    spanning_rows,
)

SIZES = (1, 2, 4)  # of a few rows that may cancel with as many as have the whole rank


def gordan(cone: Cone) -> Answer:
    """Return a line positive on every row, or rows that some positive combination cancels."""
    proposal = propose(cone.floats)
    if (cone.floats @ proposal.line > 0.0).all():
        v = cone.line_from_floats(proposal.line)
        if (cone.signs(v) > 0).all():
            return Line(v)
    return decide(cone, proposal)


# ---------------------------------------------------------------------- three verdicts


@dataclass(frozen=True)
class Quotient:
    """What is left of the rows modulo the span of some of them."""

    basis: list[IntegerRow]
    rows: list[int]  # indices of the rows that do not vanish there
    cone: Cone  # those rows in the coordinates c

    def lift(self, c: IntegerRow) -> IntegerRow:
        """Return sum_l c_l basis[l]."""
        return [
            sum(a * b[j] for a, b in zip(c, self.basis, strict=True))
            for j in range(len(self.basis[0]))
        ]


@dataclass(frozen=True)
class Alternative:
    """How far the rows can be separated."""

    interior: IntegerRow | None  # a line of the quotient, positive on all its rows
    quotient: Quotient | None  # where it lives; None when there is none
    refusal: Refusal | None  # the first combination that cancels, on at most rank + 1 rows
    equalities: dict[int, int]
    undecided: str = ""  # which limit was met, or ""


def separate(cone: Cone, known: Sequence[Refusal]) -> Alternative:
    """Return how far the rows of a cone can be separated: a cone of full column rank."""
    equalities = {n: a for r in known for n, a in zip(r.rows, r.multipliers, strict=True)}
    first = known[0] if known else None
    left: Sequence[int] = range(cone.n)
    tried = False
    while True:
        quotient = reduce(cone, list(equalities), left) if equalities else whole_space(cone)
        if quotient is None:
            return Alternative(None, None, first, equalities)
        left = quotient.rows
        answer = gordan(quotient.cone)
        if isinstance(answer, Undecided):
            return Alternative(None, None, first, equalities, answer.reason)
        if isinstance(answer, Line):
            return Alternative(answer.v, quotient, first, equalities)
        refusal = Refusal([quotient.rows[n] for n in answer.rows], answer.multipliers)
        first = first or refusal
        equalities = join(cone.exact, equalities, refusal)
        if not tried and len(answer.rows) <= cone.k:  # it is not all of the equalities by itself
            tried = True
            whole = spanning(cone)
            if whole is not None:
                equalities = dict(zip(whole.rows, whole.multipliers, strict=True))
                left = range(cone.n)


def spanning(cone: Cone) -> Refusal | None:
    """Return a refusal that spans all rows on which every w with Zw >= 0 vanishes; None if unsure.

    Floats say which rows those are. Weight 1 on a few of them, or on as many independent ones as
    there are, and the basic solution that cancels their sum, make at most 2 r rows; integers solve
    for that solution and check it. One of these saves a quotient for each of a table's many small
    contradictions.
    """
    among = implicit_equalities(cone)
    if among.size == 0:
        return None
    few = spanning_rows(cone, among)
    base = few[independent_rows(cone.exact.take(few.tolist()))]
    for size in (*SIZES, base.size):
        weighed = base[:size]
        rest = balancing_rows(cone, among, weighed)
        # the sizes of rows may be too far apart
        if rest is None or rest.size < (base.size if size < base.size else 1):
            continue
        refusal = _balanced(cone, weighed, rest)
        if refusal is not None:
            return refusal
    return None


def _balanced(cone: Cone, base: Indices, rest: Indices) -> Refusal | None:
    """Return weights 1 on the base and those on the rest that cancel it; None if not positive."""
    shift = cone.row_shift[base]
    unit = [1 << int(e) for e in shift.max() - shift]  # 1 on rows as scaled
    integers = cone.exact.take(rest.tolist())
    if len(independent_rows(integers)) < rest.size:
        return None
    total = fmpz_mat([unit]) * fmpz_mat(cone.exact.take(base.tolist()))
    columns = independent_columns(integers)
    system = fmpz_mat([[row[j] for row in integers] for j in columns])
    weights = system.solve(fmpz_mat([[-int(total[0, j])] for j in columns])).entries()
    sums: dict[int, fmpq] = {int(n): fmpq(a) for n, a in zip(base, unit, strict=True)}
    for n, weight in zip(rest.tolist(), weights, strict=True):
        sums[n] = sums.get(n, fmpq(0)) + weight
    if any(weight <= 0 for weight in weights):
        return None
    refusal = whole_refusal(list(sums), list(sums.values()))
    cancelled = fmpz_mat([refusal.multipliers]) * fmpz_mat(cone.exact.take(refusal.rows))
    return None if any(cancelled.entries()) else refusal


def whole_space(cone: Cone) -> Quotient:
    identity, _ = nullspace([], cone.k)
    return Quotient(identity, list(range(cone.n)), cone)


def reduce(cone: Cone, support: Sequence[int], among: Sequence[int]) -> Quotient | None:
    """Return the rows `among` all modulo the span of the supporting ones; None when none is left.

    `among` must hold every row outside that span.
    """
    integers = cone.exact.take(support)
    basis, _ = nullspace([integers[i] for i in independent_rows(integers)], cone.k)
    if not basis:
        return None
    columns = [j for j in range(cone.k) if any(b[j] for b in basis)]  # mostly few
    rows = fmpz_mat(cone.exact.only(columns).take(among))
    product = rows * fmpz_mat([[b[j] for j in columns] for b in basis]).transpose()
    images = zip(among, product.tolist(), strict=True)
    table = {n: [int(a) for a in image] for n, image in images if any(image)}
    if not table:
        return None
    return Quotient(basis, list(table), cone_of_table(list(table.values())))


def join(exact: IntegerRows, equalities: dict[int, int], refusal: Refusal) -> dict[int, int]:
    """Return one combination that cancels, positive on the rows of both."""
    if not equalities:
        return dict(zip(refusal.rows, refusal.multipliers, strict=True))
    rows = list(equalities)
    integers = exact.take(rows)
    total = fmpz_mat([refusal.multipliers]) * fmpz_mat(exact.take(refusal.rows))
    chosen = independent_rows(integers)
    columns = independent_columns([integers[i] for i in chosen])
    system = fmpz_mat([[integers[i][j] for i in chosen] for j in columns])
    target = fmpz_mat([[-int(total[0, j])] for j in columns])
    corrections = dict(zip(chosen, system.solve(target).entries(), strict=True))
    times = 1
    for i, c in corrections.items():
        times = max(times, int((-c / equalities[rows[i]]).floor()) + 1)
    weights = [corrections.get(i, fmpq(0)) + times * equalities[n] for i, n in enumerate(rows)]
    joined = whole_refusal(rows + refusal.rows, weights + [fmpq(a) for a in refusal.multipliers])
    return dict(zip(joined.rows, joined.multipliers, strict=True))
