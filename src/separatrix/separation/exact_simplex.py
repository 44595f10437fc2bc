"""The exact simplex method that decides what floats could not, by Gordan's alternative (1873).

    max t  subject to  z_n.w >= t size_n  and  |w_j| <= b_j,

whose dual is  min sum_j b_j |r_j|  with  r = sum lambda_n z_n  and  sum lambda_n size_n = 1. A
*vertex* is m rows held tight and m - 1 free columns; in every other column w_j stands at its bound,
on the side of the residual r_j. t = 0: lambda refuses; every score positive: w separates. Rows
enter by the largest float violation, after many steps of length zero by Bland's least index (1977).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import Any

import numpy as np

from separatrix._later import flint
from separatrix._types import Untyped
from separatrix.exact.cone import Cone, IntegerRows, cone_of_table
from separatrix.exact.integers import (
    Floats,
    Indices,
    IntegerRow,
    dot,
    independent_columns,
    independent_rows,
    nullspace,
    primitive,
    sign,
)
from separatrix.separation.constraint_generation import (
    Proposal,
    balancing_rows,
    implicit_equalities,
    propose,
    spanning_rows,
)

MAX_PIVOTS = 5000
# Steps of length zero before Bland's rule. Long stretches of them are common and cycles are not:
# out of such a stretch Bland's rule takes several times as many steps as the largest violation.
PATIENCE = 1000
FEW_ROUNDS = 3  # of one refusal each, after which all that there are are looked for at once
SIZES = (1, 2, 4)  # of a few rows that may cancel with as many as have the whole rank

Rational = Any  # flint.fmpq ships no types


@dataclass(frozen=True)
class Line:
    """Integers v, in the cone's coordinates, with I_n.v > 0 for every row."""

    v: IntegerRow


@dataclass(frozen=True)
class Refusal:
    """Positive integers with sum multipliers[i] I_rows[i] = 0, on as few rows as a vertex has."""

    rows: list[int]
    multipliers: Sequence[int]


@dataclass(frozen=True)
class Undecided:
    reason: str


Answer = Line | Refusal | Undecided


def decide(
    cone: Cone, start: Proposal, *, max_pivots: int = MAX_PIVOTS, patience: int = PATIENCE
) -> Answer:
    """Return the exact answer for the cone, starting near what floats proposed."""
    vertex = Vertex.near(cone, start)
    standing_still = 0
    for _ in range(max_pivots):
        v, level = vertex.line()
        if level == 0:
            return vertex.refusal()
        patient = standing_still <= patience
        entering = (_most_violated if patient else _first_violated)(vertex, v, level)
        if entering is None:
            return Line(v)
        moved = vertex.pivot(entering, largest=patient)
        standing_still = 0 if moved else standing_still + 1
    return Undecided(f"the exact simplex method met its limit of {max_pivots} pivots")


def _most_violated(vertex: Vertex, v: IntegerRow, level: int) -> int | None:
    """Return the row that is furthest below the level as floats see it, if that is certain."""
    scores, off = _above_level(vertex, v, level)
    worst = int(np.argmin(scores))
    if scores[worst] < -off[worst]:
        return worst
    return _first_violated(vertex, v, level)


def _first_violated(vertex: Vertex, v: IntegerRow, level: int) -> int | None:
    """Return the first row with I_n.v < level size(n), exactly; None when there is none."""
    cone = vertex.cone
    scores, off = _above_level(vertex, v, level)
    for n in np.flatnonzero(scores <= off).tolist():
        if scores[n] < -off[n]:
            return int(n)
        if n not in vertex.in_doubt:
            vertex.in_doubt[n] = cone.exact.take([n])[0]
        if dot(vertex.in_doubt[n], v) < level * cone.size(n):
            return int(n)
    return None


def _above_level(vertex: Vertex, v: IntegerRow, level: int) -> tuple[Floats, Floats]:
    """Return float scores less the level, and error bounds; inf where no step is needed."""
    u, float_level = vertex.cone.float_weights(v, level)
    scores, off = vertex.cone.float_scores(u, float_level)
    scores[vertex.rows] = np.inf
    if (vertex.cone.floats @ u > off).all():
        scores[:] = np.inf
    return scores, off


@dataclass
class Vertex:
    """m tight rows and m - 1 free columns of the cone."""

    cone: Cone
    rows: list[int]
    free: list[int]
    side: list[int]  # for every column -1 or +1, the bound at which it stands unless free
    integers: list[IntegerRow] = field(default_factory=list)  # of the tight rows
    weights: list[Rational] = field(default_factory=list)  # lambda on the tight rows
    residual: dict[int, Rational] = field(default_factory=dict)  # r_j of the columns not free
    in_doubt: dict[int, IntegerRow] = field(default_factory=dict)  # rows that floats left so

    @classmethod
    def near(cls, cone: Cone, start: Proposal) -> Vertex:
        """Return a vertex with lambda >= 0 on as many of the proposed rows as allow it."""
        u = start.line
        order = np.argsort(np.abs(u) > 1.0 - 1e-7, kind="stable").tolist()
        rows = start.rows.tolist() or [0]
        while True:
            vertex = cls(cone, rows, [], [1 if a > 0 else -1 for a in u])
            vertex._choose_basis(order)
            vertex._solve_weights()
            least = min(range(len(vertex.rows)), key=lambda i: vertex.weights[i])
            if vertex.weights[least] >= 0:
                return vertex
            rows = [n for i, n in enumerate(vertex.rows) if i != least]

    @property
    def bounded(self) -> list[int]:
        free = set(self.free)
        return [j for j in range(self.cone.k) if j not in free]

    def _choose_basis(self, order: list[int]) -> None:
        """Keep independent rows (size, I_n) and as many columns, those first in order."""
        wide = [
            [self.cone.size(n), *(row[j] for j in order)]
            for n, row in zip(self.rows, self.cone.exact.take(self.rows), strict=True)
        ]
        kept = independent_rows(wide)
        self.rows = [self.rows[i] for i in kept]
        columns = independent_columns([wide[i] for i in kept])
        self.free = [order[j - 1] for j in columns if j > 0]
        self.integers = self.cone.exact.take(self.rows)

    def _system(self) -> Untyped:
        """Return the (m, m) matrix of the tight rows in the free columns, their size last."""
        return flint.fmpz_mat(
            [
                [*(row[j] for j in self.free), self.cone.size(n)]
                for n, row in zip(self.rows, self.integers, strict=True)
            ]
        )

    def _solve_weights(self) -> None:
        """Solve for lambda and the residual; where that is not zero it chooses the side."""
        target = [[0]] * len(self.free) + [[1]]
        self.weights = self._system().transpose().solve(flint.fmpz_mat(target)).entries()
        for j in self.bounded:
            r = _combined(self.weights, self.integers, j)
            self.residual[j] = r
            if r != 0:
                self.side[j] = sign(r)

    def bound(self, j: int) -> int:
        """Return b_j, such that |w_j| <= 1 on the float rows."""
        shift = self.cone.column_shift
        return 1 << int(shift[j] - shift.min())

    def line(self) -> tuple[IntegerRow, int]:
        """Return w and t at the vertex as integers: I_n.w >= t size(n), tight on its rows."""
        at_bound = {j: self.side[j] * self.bound(j) for j in self.bounded}
        known = [[-sum(row[j] * b for j, b in at_bound.items())] for row in self.integers]
        solved, q = self._system().solve(flint.fmpz_mat(known)).numer_denom()
        numbers = [int(a) for a in solved.entries()]
        v = [int(q) * at_bound.get(j, 0) for j in range(self.cone.k)]
        for j, a in zip(self.free, numbers, strict=False):
            v[j] = a
        return v, -numbers[-1]

    def refusal(self) -> Refusal:
        """Return lambda without its zeros, as integers."""
        support = [i for i, a in enumerate(self.weights) if a > 0]
        return whole_refusal([self.rows[i] for i in support], [self.weights[i] for i in support])

    def pivot(self, entering: int, *, largest: bool = True) -> bool:
        """Let a row in and a row or column out; return whether t changed.

        Of several that may leave, the one that changes most, or the first by Bland's rule.
        """
        row = self.cone.exact.take([entering])[0]
        target = [[row[j]] for j in self.free] + [[self.cone.size(entering)]]
        change = self._system().transpose().solve(flint.fmpz_mat(target)).entries()
        slope = {j: row[j] - _combined(change, self.integers, j) for j in self.residual}
        step, leaving_row, leaving_column = self._ratio_test(change, slope, largest)
        self.weights = [a - step * c for a, c in zip(self.weights, change, strict=True)]
        self.residual = {j: r + step * slope[j] for j, r in self.residual.items()}
        self.rows.append(entering)
        self.integers.append(row)
        self.weights.append(step)
        if leaving_column is not None:
            self.free.append(leaving_column)
            del self.residual[leaving_column]
        else:
            for part in (self.rows, self.integers, self.weights):
                del part[leaving_row]
        return bool(step != 0)

    def _ratio_test(
        self, change: Sequence[Rational], slope: dict[int, Rational], largest: bool
    ) -> tuple[Rational, int, int | None]:
        """Return how far the entering row may grow, and which row or column then leaves."""
        steps = [
            (-self.residual[j] / a, -abs(a) * self.bound(j) if largest else 0, 0, j, j)
            for j, a in slope.items()
            if self.side[j] * a < 0
        ]
        steps += [
            (self.weights[i] / c, -c if largest else 0, 1, self.rows[i], i)
            for i, c in enumerate(change)
            if c > 0
        ]
        step, _, kind, _, place = min(steps)
        return (step, -1, place) if kind == 0 else (step, place, None)


def _combined(weights: Sequence[Rational], rows: Sequence[IntegerRow], j: int) -> Rational:
    return sum((a * row[j] for a, row in zip(weights, rows, strict=True)), flint.fmpq(0))


def whole_refusal(rows: list[int], weights: list[Rational]) -> Refusal:
    """Return the refusal with rational weights > 0 made integers without a common factor."""
    q = math.lcm(*(int(a.q) for a in weights))
    whole = [int(a.p) * (q // int(a.q)) for a in weights]
    g = math.gcd(*whole)
    return Refusal(rows, [a // g for a in whole])


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
    rounds = 0
    while True:
        if equalities:
            quotient = reduce(cone, list(equalities), left)
        else:
            quotient = Quotient(nullspace([], cone.k)[0], list(range(cone.n)), cone)
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
        rounds += 1
        if rounds == FEW_ROUNDS:
            whole = spanning(cone, implicit_equalities(cone))
            if whole is not None:
                equalities = dict(zip(whole.rows, whole.multipliers, strict=True))
                left = range(cone.n)


def spanning(cone: Cone, among: Indices) -> Refusal | None:
    """Return a refusal by at most 2 r of the rows `among` all that spans them, of rank r."""
    if among.size == 0:
        return None
    few = spanning_rows(cone, among)
    base = few[independent_rows(cone.exact.take(few.tolist()))]
    for size in (*SIZES, base.size):
        weighed = base[:size]
        refusal = balanced(cone, weighed, among, base.size if size < base.size else 1)
        if refusal is not None:
            return refusal
    return None


def balanced(cone: Cone, base: Indices, among: Indices, least: int = 1) -> Refusal | None:
    """Return weights on the base, and on `least` or more of some rows, that cancel; or None."""
    rest = balancing_rows(cone, among, base)
    if rest is None or rest.size < least:  # the sizes of rows may be too far apart
        return None
    shift = cone.row_shift[base]
    unit = [1 << int(e) for e in shift.max() - shift]  # 1 on rows as scaled
    weighed = zip(*cone.exact.take(base.tolist()), strict=True)
    total = flint.fmpz_mat([[sum(map(mul, unit, column)) for column in weighed]])
    integers = cone.exact.take(rest.tolist())
    if len(independent_rows(integers)) < rest.size:
        return None
    columns = independent_columns(integers)
    system = flint.fmpz_mat([[row[j] for row in integers] for j in columns])
    answer: Any = system.solve(flint.fmpz_mat([[-int(total[0, j])] for j in columns]))
    solved, q = answer.numer_denom()
    left = solved.transpose() * flint.fmpz_mat(integers) + total * q
    if min(solved.entries()) <= 0 or any(left.entries()):
        return None
    weights = {n: a * int(q) for n, a in zip(base.tolist(), unit, strict=True)}
    for n, a in zip(rest.tolist(), solved.entries(), strict=True):
        weights[n] = weights.get(n, 0) + int(a)
    return Refusal(list(weights), primitive(list(weights.values())))


def reduce(cone: Cone, support: Sequence[int], among: Sequence[int]) -> Quotient | None:
    """Return the rows `among` all modulo the span of the supporting ones; None if none is left."""
    integers = cone.exact.take(support)
    basis, _ = nullspace([integers[i] for i in independent_rows(integers)], cone.k)
    if not basis:
        return None
    columns = [j for j in range(cone.k) if any(b[j] for b in basis)]  # mostly few
    rows = flint.fmpz_mat(cone.exact.only(columns).take(among))
    product = rows * flint.fmpz_mat([[b[j] for j in columns] for b in basis]).transpose()
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
    total = flint.fmpz_mat([refusal.multipliers]) * flint.fmpz_mat(exact.take(refusal.rows))
    chosen = independent_rows(integers)
    columns = independent_columns([integers[i] for i in chosen])
    system = flint.fmpz_mat([[integers[i][j] for i in chosen] for j in columns])
    target = flint.fmpz_mat([[-int(total[0, j])] for j in columns])
    corrections = dict(zip(chosen, system.solve(target).entries(), strict=True))
    times = 1
    for i, c in corrections.items():
        times = max(times, int((-c / equalities[rows[i]]).floor()) + 1)
    weights = [
        corrections.get(i, flint.fmpq(0)) + times * equalities[n] for i, n in enumerate(rows)
    ]
    joined = whole_refusal(
        rows + refusal.rows, weights + [flint.fmpq(a) for a in refusal.multipliers]
    )
    return dict(zip(joined.rows, joined.multipliers, strict=True))
