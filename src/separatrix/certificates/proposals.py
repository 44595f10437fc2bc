"""What floats propose: a line, or the rows of a refusal. Nothing here decides anything.

The linear program max t subject to z_n.w >= t, |w_j| <= 1 has t > 0 exactly when the rows can be
separated; otherwise its multipliers combine them to nothing. HiGHS solves it on a working set, one
scan of all rows finds the worst of each stripe, and they join the working set.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from separatrix.certificates.cone import Cone
from separatrix.certificates.exact import Floats, Indices

ALL_AT_ONCE = 2500  # up to so many rows the whole program is cheaper than several parts of it
MAX_ROUNDS = 60
NOTHING = 1e-9  # HiGHS's feasibility tolerance is 1e-7: below this, t says nothing


@dataclass(frozen=True)
class Proposal:
    """A float answer of the linear program.

    Parameters
    ----------
    line : (k,) weights on the cone's float rows
    rows : (m,) rows with a positive multiplier, the largest first
    """

    line: Floats
    rows: Indices


def propose(cone: Cone) -> Proposal:
    """Return what constraint generation ends with."""
    working = np.arange(cone.n) if cone.n <= ALL_AT_ONCE else _first_rows(cone)
    for _ in range(MAX_ROUNDS):
        level, proposal = _solve(cone.floats[working])
        proposal = Proposal(proposal.line, working[proposal.rows])
        if level <= NOTHING or working.size == cone.n:
            return proposal
        scores = cone.floats @ proposal.line
        worst = _worst_of_stripes(scores, 2 * cone.k)
        new = np.setdiff1d(worst[scores[worst] <= 0.0], working)
        if new.size == 0:
            return proposal
        working = np.append(working, new)
    return proposal


def _first_rows(cone: Cone) -> Indices:
    """Return the rows nearest to the wrong side of a regression line, and some of all the rest."""
    line: Floats = np.linalg.lstsq(cone.floats, np.ones(cone.n), rcond=None)[0].astype(np.float64)
    worst = _worst_of_stripes(cone.floats @ line, 8 * cone.k)
    return np.union1d(worst, np.linspace(0, cone.n - 1, 10 * cone.k).astype(np.int64))


def _worst_of_stripes(scores: Floats, stripes: int) -> Indices:
    """Return the row of least score in each of the stripes."""
    edges = np.linspace(0, scores.size, min(max(stripes, 50), scores.size) + 1).astype(np.int64)
    return np.array([a + int(np.argmin(scores[a:b])) for a, b in pairwise(edges)])


def _solve(rows: Floats) -> tuple[float, Proposal]:
    """Return t and the answer of the linear program on rows (m, k); t = 0 when HiGHS gave up."""
    m, k = rows.shape
    answer = linprog(
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


def settled_rows(cone: Cone) -> Indices:
    """Return the rows on which, as far as floats see, every w with Zw >= 0 vanishes.

    max sum s with 0 <= s_n <= 1 and s_n <= z_n.w: since w may be as long as it likes, s_n is 1
    where some such w is positive on row n, and 0 elsewhere.
    """
    rows = sparse.csr_array(cone.floats)
    n, k = rows.shape
    answer = linprog(
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
    """Return rows whose positive combination cancels the sum of the `base` rows, at most k."""
    rows = sparse.csr_array(cone.floats[among])
    answer = linprog(
        np.ones(among.size),
        A_eq=rows.T.tocsr(),
        b_eq=-cone.floats[base].sum(axis=0),
        bounds=(0.0, None),
        method="highs-ds",
    )
    if answer.status != 0 or answer.x is None:
        return None
    rest: Indices = among[answer.x > NOTHING]
    return rest
