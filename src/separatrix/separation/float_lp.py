"""What floats propose: a line, or the rows of a refusal. Nothing here decides anything.

The linear program max t subject to z_n.w >= t, |w_j| <= 1 has t > 0 exactly when the rows can be
separated; otherwise its multipliers combine them to nothing. HiGHS solves it on a working set, one
scan of all rows finds the worst of each part, and they join the working set.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse

from separatrix._types import Untyped
from separatrix.exact.cone import Cone
from separatrix.exact.integers import Floats, Indices
from separatrix.separation.constraint_generation import NONE, generate_constraints

ALL_AT_ONCE = 2500  # up to this many rows the whole program is cheaper than several parts of it
MAX_ROUNDS = 60
FAR = 1e6  # the size of a dual that no longer is one
SLACK = 1e-7
IN_SPAN = 1e-9  # of the length of a row, may be rounding of nothing
NOTHING = 1e-9  # HiGHS's feasibility tolerance is 1e-7: below this, t says nothing


@dataclass(frozen=True)
class Proposal:
    """A float answer of the linear program."""

    line: Floats  # (k,) weights on the cone's float rows
    rows: Indices  # (m,) rows with a positive multiplier, the largest first


class Working:
    """Indices of the rows in the program, in the order in which they came."""

    def __init__(self, rows: Indices) -> None:
        self.rows = rows

    def lacks(self, rows: Indices) -> Indices:
        """Return which rows are not here yet."""
        return np.setdiff1d(rows, self.rows)

    def add(self, new: Indices) -> None:
        """Add rows that are not here yet."""
        self.rows = np.append(self.rows, new)


def linear_program(*arguments: Untyped, **options: Untyped) -> Untyped:
    """Return SciPy's answer; `scipy.optimize` is imported by tables that need one."""
    from scipy.optimize import linprog

    return linprog(*arguments, **options)


def propose(rows: Floats) -> Proposal:
    """Return what constraint generation ends with, for rows (n, k) of about the same size."""
    n, k = rows.shape
    working = Working(np.arange(n) if n <= ALL_AT_ONCE else _first_rows(rows))

    def solve() -> tuple[Proposal, Indices]:
        level, found = _solve(rows[working.rows])
        proposal = Proposal(found.line, working.rows[found.rows])
        if level <= NOTHING or working.rows.size == n:
            return proposal, NONE
        scores = rows @ proposal.line
        worst = _worst_of_parts(scores, 2 * k)
        return proposal, working.lacks(worst[scores[worst] <= 0.0])

    return generate_constraints(solve, working.add, MAX_ROUNDS)


def _first_rows(rows: Floats) -> Indices:
    """Return the rows nearest to the wrong side of a regression line, and some of all the rest."""
    n, k = rows.shape
    line: Floats = np.linalg.lstsq(rows, np.ones(n), rcond=None)[0].astype(np.float64)
    worst = _worst_of_parts(rows @ line, 8 * k)
    return np.union1d(worst, np.linspace(0, n - 1, 10 * k).astype(np.int64))


def _worst_of_parts(scores: Floats, parts: int) -> Indices:
    """Return the row of least score in each of the parts."""
    edges = np.linspace(0, scores.size, min(max(parts, 50), scores.size) + 1).astype(np.int64)
    return np.array([a + int(np.argmin(scores[a:b])) for a, b in pairwise(edges)])


def _solve(rows: Floats) -> tuple[float, Proposal]:
    """Return t and the answer of the linear program on rows (m, k); t = 0 when HiGHS gave up."""
    m, k = rows.shape
    answer = linear_program(
        np.append(np.zeros(k), -1.0),
        A_ub=np.hstack([-rows, np.ones((m, 1))]),
        b_ub=np.zeros(m),
        bounds=[(-1.0, 1.0)] * k + [(None, None)],
        method="highs-ds",
        options={"presolve": False},
    )
    if answer.status != 0 or answer.x is None:
        return 0.0, Proposal(np.zeros(k), np.arange(1))
    multipliers = -np.asarray(answer.ineqlin.marginals)
    order = np.argsort(-multipliers, kind="stable")
    return float(answer.x[-1]), Proposal(answer.x[:-1], order[multipliers[order] > 1e-11])


def implicit_equalities(cone: Cone) -> Indices:
    """Return the rows on which, as far as floats see, every w with Zw >= 0 vanishes."""
    return _equalities_at_once(cone) if cone.n <= ALL_AT_ONCE else _equalities_by_quotients(cone)


def _equalities_by_quotients(cone: Cone) -> Indices:
    """Solve for a line; where there is none, go on modulo the span of the rows that refuse it."""
    basis = np.eye(cone.k)
    left = np.arange(cone.n)
    length = np.linalg.norm(cone.floats, axis=1)
    while basis.shape[1]:
        images = cone.floats[left] @ basis
        size = np.linalg.norm(images, axis=1)
        outside = size > IN_SPAN * length[left]
        left, images = left[outside], images[outside] / size[outside, None]
        if left.size == 0:
            break
        proposal = propose(images)
        if (images @ proposal.line > 0.0).all():
            return np.setdiff1d(np.arange(cone.n), left)
        if proposal.rows.size == 0:  # floats know neither a line nor a refusal
            return np.zeros(0, dtype=np.int64)
        _, sizes, turned = np.linalg.svd(images[proposal.rows])
        rank = int((sizes > IN_SPAN * sizes[0]).sum())
        basis = basis @ turned[rank:].T
    return np.arange(cone.n)


def _equalities_at_once(cone: Cone) -> Indices:
    """Solve one linear program for them all.

    max sum s with 0 <= s_n <= 1 and s_n <= z_n.w: since w may be as long as it likes, s_n is 1
    where some such w is positive on row n, and 0 elsewhere.
    """
    rows = sparse.csr_array(cone.floats)
    n, k = rows.shape
    answer = linear_program(
        np.append(np.zeros(k), -np.ones(n)),
        A_ub=sparse.hstack([-rows, sparse.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * k + [(0.0, 1.0)] * n,
        method="highs",
    )
    if answer.status != 0 or answer.x is None:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(answer.x[k:] < 0.5)


def balancing_rows(cone: Cone, among: Indices, base: Indices) -> Indices | None:
    """Return rows whose positive combination cancels the sum of the `base` rows, at most k.

    Least sum x with x >= 0 and sum x_n z_n = b, by way of its dual, max b.v with z_n.v <= 1: that
    has a row for each z_n, of which a working set is enough.
    """
    rows, target = cone.floats[among], -cone.floats[base].sum(axis=0)
    few = np.linspace(0, among.size - 1, min(among.size, ALL_AT_ONCE)).astype(np.int64)
    working = Working(few)

    def solve() -> tuple[Indices | None, Indices]:
        answer = linear_program(
            -target,
            A_ub=rows[working.rows],
            b_ub=np.ones(working.rows.size),
            bounds=(-FAR, FAR),
            method="highs-ds",
            options={"presolve": False},
        )
        if answer.status != 0 or answer.x is None:
            return None, NONE
        worst = _worst_of_parts(-(rows @ answer.x), 4 * cone.k)
        new = working.lacks(worst[rows[worst] @ answer.x > 1.0 + SLACK])
        if new.size:
            return None, new
        return among[working.rows[-np.asarray(answer.ineqlin.marginals) > NOTHING]], NONE

    return generate_constraints(solve, working.add, MAX_ROUNDS)


def spanning_rows(cone: Cone, among: Indices) -> Indices:
    """Return some of the rows that span, as far as floats see, what all of them span."""
    step = max(1, among.size // (4 * cone.k))
    chosen = among[::step]
    while True:
        _, sizes, turned = np.linalg.svd(cone.floats[chosen])
        rank = int((sizes > IN_SPAN * sizes[0]).sum())
        outside = np.linalg.norm(cone.floats[among] @ turned[rank:].T, axis=1)
        new = np.setdiff1d(among[np.argsort(-outside, kind="stable")[: cone.k]], chosen)
        new = new[np.isin(new, among[outside > IN_SPAN])]
        if rank == cone.k or new.size == 0:
            return np.sort(chosen)
        chosen = np.append(chosen, new)
