"""Likelihood intervals and likelihood-ratio tests, also where no finite optimum exists.

The interval is {v : 2 (l* - l_j(v)) <= q}; an end is infinite exactly where some direction of
recession has w_j of its sign, which exact arithmetic decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
import scipy.linalg
from scipy.special import gammaincinv

from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.inference.intervals.by_reads import ByReads
from separatrix.inference.intervals.faces import PRECISION, Faces, Undecided
from separatrix.inference.intervals.proof import ByProof
from separatrix.inference.intervals.search import (
    SIDES,
    Accept,
    Aim,
    Near,
    Search,
    towards_the_limit,
)
from separatrix.inference.maximum import Maximum, label_weights, rows_on, without_columns
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.logistic.no_optimum import in_doubles
from separatrix.learners.logistic.reads import optimum_in_blocks, place_of, well_posed
from separatrix.scale import Rows
from separatrix.scale.together import sharing, together
from separatrix.separation.decide import Separability
from separatrix.tiles import one_blas_thread

T = TypeVar("T")

AT_ONCE = 8  # coefficients of rows in blocks that diverge whose searches share their reads


def likelihood_intervals(of: Maximum, level: float = 0.95) -> LikelihoodIntervals:
    """Return likelihood intervals and likelihood-ratio statistics of all coefficients."""
    found, part = LikelihoodIntervals(of, level), f"likelihood intervals, level {level!r}"
    with of.rows.journal.part(part), one_blas_thread(), np.errstate(all="ignore"):
        found.look()
    return found


def quantile(level: float) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise InputError(f"level={level!r} must be a number between 0 and 1, such as 0.95.")
    return float(2.0 * gammaincinv(0.5, level))


class LikelihoodIntervals:
    """The likelihood interval of each coefficient, w_0 first."""

    lower: Floats  # (1+d,)
    upper: Floats
    certificate: Untyped

    def __init__(self, of: Maximum, level: float) -> None:
        self.of, self.q = of, quantile(level)  # 2 (l* - l_j) at the ends
        self.brackets = np.full((of.rows.d + 1, 2, 2), np.nan)  # values inside and outside of both
        self.chi2 = np.full(of.rows.d + 1, np.nan)
        self.reasons: dict[int, str] = {}  # {index: why not all was found}
        self.infinite: list[tuple[int, int, int]] = []  # index, side, which direction shows it
        known, best = of.certificate, of.optimum
        self.rows = of.rows if of.rows.in_memory is not None else sharing(of.rows)
        # columns that others make up but for rounding
        away = collinear_of(self.rows) if best is None else best.left_out
        self.away = sorted(away)
        shown = known if isinstance(known, Separability) else None
        self.faces = Faces(self.rows, shown, self.away)
        made = ByReads if of.given is None else ByProof
        self.shown: ByReads | ByProof = made(of, self.q, self.faces)

    def look(self) -> None:
        """Find the ends and statistics of coefficients, and a certificate of them, or None."""
        of, shown = self.of, self.shown
        every = range(0 if of.rows.x0 else 1, of.rows.d + 1)
        wanted = [j for j in every if j not in of.undetermined]
        finite = [j for j in wanted if j not in of.infinite]
        if shown.near is None:
            self.reasons |= dict.fromkeys(finite, PRECISION)
        else:
            self._around_the_top(shown.near, finite)
        self.brackets[self.away] = [[-np.inf], [np.inf]]
        sides: dict[int, int] = {}
        for j in wanted:
            if j in of.infinite and j not in self.away:
                side = self._tried(j, self._side)
                sides |= {} if side is None else {j: side}
        if shown.near is not None:
            self._beside(shown.near, sides)
        self._alone(sides)
        self.certificate = shown.certificate(self.infinite)
        self.reasons = dict(sorted(self.reasons.items()))
        self.lower, self.upper = self.brackets[:, :, 0].T.copy()
        open_ones = list(of.undetermined)
        self.lower[open_ones], self.upper[open_ones] = -np.inf, np.inf

    def _around_the_top(self, near: Near, finite: list[int]) -> None:
        """Find all ends and statistics of coefficients that do not diverge."""
        shown, best = self.shown, self.of.optimum
        asked = [
            (j, side, float(margin))
            for j in finite
            for side, margin in zip(SIDES, shown.margins(j), strict=True)
        ]
        found = self._search(near, shown.accept).around([*asked, *((j, 0, 0.0) for j in finite)])
        for (j, side), ends in found.ends.items():
            self.brackets[j, SIDES.index(side)] = ends
        statistics = found.statistics
        for j in [j for j in finite if j not in statistics][: shown.most_fits]:
            assert best is not None  # noqa: S101  # there are rows near it
            value = most_likely_without(near.table, [j, *best.left_out])[1]
            statistics[j] = max(0.0, 2.0 * (value - best.value))
        for j in finite:
            self.chi2[j] = statistics.get(j, np.nan)
            if np.isnan(self.brackets[j]).any() or np.isnan(self.chi2[j]):
                self.reasons[j] = shown.far(j)

    def _search(self, near: Near, accept: Accept) -> Search:
        shown = self.shown
        return Search(near, shown.q, accept, shown.rounding, shown.widest, shown.most)

    def _side(self, j: int) -> int | None:
        """Return the side on which the interval of a coefficient that diverges ends, if one."""
        ways = self.faces.ways(j)
        for side, recession in ways.items():
            self.infinite.append((j, side, recession))
            self.brackets[j, SIDES.index(side)] = side * np.inf
        if not ways:
            raise Undecided(PRECISION)
        if len(ways) == 2:
            self.chi2[j] = 0.0
            return None
        return -next(iter(ways))

    def _beside(self, near: Near, sides: dict[int, int]) -> None:
        """Find ends of coefficients that diverge: their faces have some rows more.

        Those that are found are left out of `sides`.
        """
        aims, on = [], {}
        for j, side in sides.items():
            try:
                face = self.shown.beside(j)
            except Undecided:
                continue
            if face is None:
                continue
            on[j], more, k = face, face.more, near.base.size
            base = np.append(near.base, np.zeros(more.M.shape[1] - k))
            scores = face.scores(self.faces.recession(j))
            start = towards_the_limit(more.fall, base, more.M[:, k:], scores)
            f = face.functional(j)
            aims += [Aim(j, side, face.margin(start, self.shown.q), f, f, start, more)]
            aims += [Aim(j, 0, 0.0, f, f, base, more)]

        def accept(j: int, *end: Untyped) -> tuple[float, float] | None:
            return self.shown.accept(j, *end, on=on[j])

        found = self._search(near, accept).found(aims)
        for (j, side), ends in found.ends.items():
            if j in found.statistics:
                self.brackets[j, SIDES.index(side)] = ends
                self.chi2[j] = found.statistics[j]
                del sides[j]

    def _alone(self, sides: dict[int, int]) -> None:
        """Find ends of coefficients that diverge by themselves; several share their reads."""

        def tried(j: int, side: int) -> Untyped:
            with np.errstate(all="ignore"):
                return self._tried(j, self._by_itself, side)

        aims = list(sides.items())
        for start in range(0, len(aims), AT_ONCE):
            some = aims[start : start + AT_ONCE]
            found = together(self.rows, [partial(tried, *aim) for aim in some])
            for (j, side), (shown, _) in zip(some, found, strict=True):
                if shown is None:
                    continue
                self.chi2[j], ends = shown
                if ends is None:
                    self.reasons[j] = self.shown.far(j)
                else:
                    self.brackets[j, SIDES.index(side)] = ends

    def _by_itself(self, j: int, side: int) -> tuple[float, tuple[float, float] | None]:
        """Return the statistic of a coefficient, and its end, among the rows that stay."""
        of, line = self.of, self.faces.direction_without(j)
        rows = rows_on(self.rows, None if line is None else in_doubles(self.faces.wide(line)))
        weights, errors = most_likely_without(rows, [j, *self.away])
        chi2 = max(0.0, 2.0 * (of.log_likelihood + errors))
        read = well_posed(rows, place_of(rows, weights), self.away)
        place = replace(read.place, before=None, step=None)
        near = Near.of(rows, place, place.c, of.log_likelihood + read.value, read.hessian)
        near = replace(near, exactly=not near.all_at_hand)
        found = self.shown.alone(near, line, weights, 0.0 - read.value)
        if found is None:
            return chi2, None
        search, room = found
        scores = near.plain @ place.scaling.coordinates(self.faces.recession(j))
        f = near.back[j].copy()  # strided numbers are summed in another order
        u = scipy.linalg.cho_solve(near.factor, f)
        for start in (towards_the_limit(near.fall, near.base, near.few.M, scores), near.base):
            if not search.ends and 0.0 < float(f @ u) < np.inf:
                search.found([Aim(j, side, room, f, u, start)])
        return chi2, search.ends.get((j, side))

    def _tried(self, j: int, look: Callable[..., T], *known: Untyped) -> T | None:
        """Return what is found of a coefficient that diverges; None, with a reason, at a limit."""
        try:
            return look(j, *known)
        except (Undecided, scipy.linalg.LinAlgError) as why:
            self.reasons[j] = str(why) if isinstance(why, Undecided) else PRECISION
            return None


def most_likely_without(rows: Rows, away: list[int]) -> tuple[Floats, float]:
    """Return the most likely line (1+d,) with some coefficients 0, and its sum of errors."""
    fewer, weights = without_columns(rows, away), np.zeros(rows.d + 1)
    if not fewer.d and not fewer.x0:
        return weights, float(np.log(2.0) * rows.sum(label_weights).sum())
    best = optimum_in_blocks(fewer)
    kept = [0, *(i for i in range(1, rows.d + 1) if i not in away)]
    weights[kept] = best.weights
    return weights, best.value
