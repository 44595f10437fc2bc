"""Likelihood intervals and likelihood-ratio tests, also where no finite optimum exists.

The interval is {v : 2 (l* - l_j(v)) <= q}; an end is infinite exactly where some direction of
recession has w_j of its sign, which exact arithmetic decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
import scipy.linalg
from scipy.special import gammaincinv

from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.inference.intervals.bounds import FOUND, WIDEST, Beside, Bounds
from separatrix.inference.intervals.by_reads import (
    EndInBlocks,
    EndsOnFace,
    IntervalsInBlocks,
)
from separatrix.inference.intervals.faces import PRECISION, Faces, Going, Undecided, free_lines
from separatrix.inference.intervals.proof import ExactEnds
from separatrix.inference.intervals.search import (
    MOST_READS,
    MOST_STEPS,
    SIDES,
    Accept,
    Aim,
    Near,
    Search,
    towards_the_limit,
)
from separatrix.inference.maximum import Maximum, label_weights, rows_on, without_columns
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.logistic.newton import Read, optimum_in_blocks, place_of, well_posed
from separatrix.learners.logistic.no_optimum import in_doubles
from separatrix.scale import Rows
from separatrix.scale.together import sharing, together
from separatrix.separation.decide import Separability
from separatrix.tiles import one_blas_thread

T = TypeVar("T")

FAR = "its search did not converge within the reads that all ends share"
SIZE = (
    "its numbers, up to {:.3g}, have squares beyond doubles: bring them nearer to 1 by a power of "
    "ten"
)
WEIGHT = (
    "the weights of the rows add up to {:.3g}, beyond what doubles show: k stands for k copies of "
    "a row"
)
LEAST_SIZE, LARGEST_SIZE = 1e-150, 1e150  # of the numbers of a column
LEAST_WEIGHT, LARGEST_WEIGHT = 0.1, 1e6  # of all rows
AT_ONCE = 8  # coefficients of rows in blocks that diverge whose searches share their reads


def likelihood_intervals(of: Maximum, level: float = 0.95) -> LikelihoodIntervals:
    """Return likelihood intervals and likelihood-ratio statistics of all coefficients."""
    found, part = LikelihoodIntervals(of, level), f"likelihood intervals, level {level!r}"
    with of.rows.journal.part(part), one_blas_thread(), np.errstate(all="ignore"):
        found.look()
        if found.reasons and of.given is not None:  # of what is not proven exactly, what reads show
            found.fill(LikelihoodIntervals(replace(of, given=None), level))
    return found


def quantile(level: float) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise InputError(f"level={level!r} must be a number between 0 and 1, such as 0.95.")
    return float(2.0 * gammaincinv(0.5, level))


class LikelihoodIntervals:
    """The likelihood interval of each coefficient, w_0 first."""

    lower: Floats  # (1+d,)
    upper: Floats
    certificate: Untyped  # `LikelihoodIntervalProof` or `IntervalsInBlocks`
    by_reads: Untyped = None  # `IntervalsInBlocks` of ends that exact arithmetic leaves open

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
        self.widest, self.most = WIDEST * self.q, MOST_READS if of.given is None else MOST_STEPS
        self.exact = None if of.given is None else ExactEnds(of, self.q, self.faces)
        self.ends: dict[tuple[int, int], EndInBlocks] = {}
        self.ends_alone: dict[tuple[int, int], EndsOnFace] = {}
        self.on: dict[int, Beside] = {}  # what bounds the likelihood of coefficients that diverge

    @cached_property
    def bounds(self) -> Bounds | None:
        """Those around the maximum; None where there is none, and where its Hessian is singular."""
        if (best := self.of.optimum) is None:
            return None
        try:
            return Bounds.at_top(self.of.finite, best.read, best.place.c)
        except scipy.linalg.LinAlgError:
            return None

    @cached_property
    def going(self) -> Going | None:
        """The rows that go; None where they are too many, and by reads where columns are open."""
        of, bounds, line = self.of, self.bounds, self.faces.whole_line()
        if line is None or bounds is None:
            return None
        direction = in_doubles(self.faces.wide(line))
        if self.exact is not None:
            return Going.of(of.rows, direction, self.exact.whole.null, known=True)
        proof, basis = of.certificate, bounds.near.place.basis
        if not isinstance(proof, Separability) or proof.recession is None or proof.table is None:
            return None
        if basis is None or of.undetermined:
            return None
        lines = [proof.table.weights(line) for line in proof.recession.basis(proof.table)]
        free = free_lines(lines, np.flatnonzero(~basis.any(axis=1)).tolist())
        return Going.of(of.rows, direction, free, known=True)

    def look(self) -> None:
        """Find the ends and statistics of coefficients, and a certificate of them, or None."""
        of = self.of
        every = range(0 if of.rows.x0 else 1, of.rows.d + 1)
        wanted = [j for j in every if j not in of.undetermined]
        finite = [j for j in wanted if j not in of.infinite]
        if self.bounds is None:
            self.reasons |= {j: self._beyond_doubles(j) for j in finite}
        else:
            self._around_the_top(self.bounds, finite)
        self.brackets[self.away] = [[-np.inf], [np.inf]]
        sides: dict[int, int] = {}
        for j in wanted:
            if j in of.infinite and j not in self.away:
                side = self._tried(j, self._side)
                sides |= {} if side is None else {j: side}
        if self.bounds is not None and self.going is not None:
            self._beside(self.bounds, self.going, sides)
        self._alone(sides)
        shown = self._shown_by_reads() if self.exact is None else self.exact.proof(self.infinite)
        self.certificate = shown
        self._ended()

    def _ended(self) -> None:
        self.reasons = dict(sorted(self.reasons.items()))
        self.lower, self.upper = self.brackets[:, :, 0].T.copy()
        open_ones = list(self.of.undetermined)
        self.lower[open_ones], self.upper[open_ones] = -np.inf, np.inf

    def fill(self, other: LikelihoodIntervals) -> None:
        """Take the ends and statistics that are open from others, which are still to be found."""
        other.look()
        for j in [*self.reasons]:
            missing = np.isnan(self.brackets[j])
            if not np.isnan(other.brackets[j][missing]).all():
                self.by_reads = other.certificate
            self.brackets[j][missing] = other.brackets[j][missing]
            if np.isnan(self.chi2[j]):
                self.chi2[j] = other.chi2[j]
            if not (np.isnan(self.brackets[j]).any() or np.isnan(self.chi2[j])):
                del self.reasons[j]
        self._ended()

    def _margins(self, bounds: Bounds, j: int) -> list[float]:
        """Return how far inside of either end of a coefficient's interval to look for it."""
        if self.exact is not None:
            return [self.exact.margin] * 2
        return [float(margin) for margin in bounds.margins(j, self.q)]

    def _around_the_top(self, bounds: Bounds, finite: list[int]) -> None:
        """Find all ends and statistics of coefficients that do not diverge."""
        best, margins = self.of.optimum, {j: self._margins(bounds, j) for j in finite}
        asked = [
            (j, side, margin)
            for j in finite
            for side, margin in zip(SIDES, margins[j], strict=True)
        ]
        found = self._search(bounds).around([*asked, *((j, 0, 0.0) for j in finite)])
        for (j, side), ends in found.ends.items():
            self.brackets[j, SIDES.index(side)] = ends
        statistics = found.statistics
        for j in [j for j in finite if j not in statistics][: self.most // 2]:
            assert best is not None  # noqa: S101  # there are rows near it
            value = most_likely_without(bounds.near.table, [j, *best.left_out])[1]
            statistics[j] = max(0.0, 2.0 * (value - best.value))
        for j in finite:
            self.chi2[j] = statistics.get(j, np.nan)
            if np.isnan(self.brackets[j]).any() or np.isnan(self.chi2[j]):
                self.reasons[j] = self._far(j, margins[j])

    def _far(self, j: int, margins: Sequence[float] = ()) -> str:
        wide = self.exact is not None or max(margins, default=0.0) > self.widest
        return self._beyond_doubles(j) if wide else FAR

    def _beyond_doubles(self, j: int) -> str:
        """Return why rounding decides an end: sizes of numbers or weights, where that is why."""
        rows = self.of.rows.in_memory
        if rows is None:
            return PRECISION
        size = float(abs(rows.X[:, [j - 1]]).max()) if j else 1.0
        if not LEAST_SIZE <= size <= LARGEST_SIZE:
            return SIZE.format(size)
        total = float(rows.weight.sum())
        return PRECISION if LEAST_WEIGHT <= total <= LARGEST_WEIGHT else WEIGHT.format(total)

    def _search(self, bounds: Bounds) -> Search:
        near, q = bounds.near, self.q
        room = bounds.margin(near.base, q) if self.exact is None else self.exact.margin
        rounding = min(self.widest, room) / 8.0
        return Search(near, q, self._accept, rounding, self.widest, self.most)

    def _accept(self, aim: Aim, value: float, pulls: Floats) -> tuple[float, float] | None:
        """Return the values beside an end, where a line that is at hand shows them."""
        on, bounds = self.on.get(aim.j), self.bounds
        assert bounds is not None  # noqa: S101  # it is asked for near a maximum
        if self.exact is not None:
            return self.exact.face_beside(on).accept(aim, value, pulls)
        if on is None and aim.room > self.widest:
            return np.nan, np.nan
        end = self._end(on or bounds, aim, value, pulls)
        if end is None:
            settled = aim.settled and on is None
            return self._around_end(bounds.near, self.of.line, aim, pulls) if settled else None
        beside = None if on is None else (on.direction, on.own)
        self.ends[aim.j, aim.side] = replace(end, beside=beside)
        return end.inside, end.outside

    def _around_end(
        self, near: Near, direction: Floats | None, aim: Aim, pulls: Floats
    ) -> tuple[float, float] | None:
        """Return the values beside an end that bounds around itself show, by two further reads."""
        there = replace(near.place, c=aim.c.copy())
        read = Read.of(near.table, there)
        end = self._end(Bounds.below(near.table, read, self.bounds), aim, 0.0, pulls)
        if end is None:
            return None
        self.ends_alone[aim.j, aim.side] = EndsOnFace(there, direction, (end,))
        return end.inside, end.outside

    def _end(self, bounds: Bounds, aim: Aim, value: float, pulls: Floats) -> EndInBlocks | None:
        """Return an end that a line shows, with room for rounding."""
        most = min(2.0 * aim.room, self.widest)
        try:
            found = bounds.bracket(aim.j, aim.side, aim.c, value, pulls, self.q, most, FOUND)
        except scipy.linalg.LinAlgError:
            return None
        return None if found is None else EndInBlocks(aim.j, aim.side, aim.c.copy(), *found)

    # ------------------------------------------------------------------ coefficients that diverge

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

    def _beside(self, bounds: Bounds, going: Going, sides: dict[int, int]) -> None:
        """Find ends on faces that have some rows more, and take them out of `sides`."""
        aims, near = [], bounds.near
        for j, side in sides.items():
            try:
                on = Beside.of(bounds, going, *going.least_direction(j))
            except Undecided:
                continue
            if on is None:
                continue
            self.on[j], more, k = on, on.more, near.base.size
            base = np.append(near.base, np.zeros(more.M.shape[1] - k))
            scores = on.scores(self.faces.recession(j))
            start = towards_the_limit(more.fall, base, more.M[:, k:], scores)
            room = on.margin(start, self.q) if self.exact is None else self.exact.margin
            f = on.functional(j)
            aims += [Aim(j, side, room, f, f, start, more), Aim(j, 0, 0.0, f, f, base, more)]
        found = self._search(bounds).found(aims)
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
                    self.reasons[j] = self._far(j)
                else:
                    self.brackets[j, SIDES.index(side)] = ends

    def _by_itself(self, j: int, side: int) -> tuple[float, tuple[float, float] | None]:
        """Return the statistic of a coefficient, and its end, among the rows that stay."""
        of, line, q = self.of, self.faces.direction_without(j), self.q
        direction = None if line is None else in_doubles(self.faces.wide(line))
        rows = rows_on(self.rows, direction)
        weights, errors = most_likely_without(rows, [j, *self.away])
        chi2 = max(0.0, 2.0 * (of.log_likelihood + errors))
        read = well_posed(rows, place_of(rows, weights), self.away)
        around = Bounds.below(rows, read, self.bounds)
        near = replace(around.near, exactly=not around.near.all_at_hand)
        place = near.place

        def accept(aim: Aim, value: float, pulls: Floats) -> tuple[float, float] | None:
            if not abs(2.0 * (near.short - value) - q) <= 2.0 * aim.room:
                return None
            return self._around_end(near, direction, aim, pulls)

        shown: Accept = accept
        if self.exact is None:
            room = around.margin(near.base, q)
        else:
            face, room = self.exact.face(line, place, weights, -read.value), self.exact.margin
            shown = face.accept
        if room > self.widest:
            return chi2, None
        search = Search(near, q, shown, room / 8.0, self.widest, 2 * self.most, always=True)
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
            self.reasons[j] = str(why) if isinstance(why, Undecided) else self._beyond_doubles(j)
            return None

    def _shown_by_reads(self) -> IntervalsInBlocks | None:
        best, bounds, going = self.of.optimum, self.bounds, self.going
        faces = [self.ends_alone[at] for at in sorted(self.ends_alone)]
        if best is not None and bounds is not None:
            ends = tuple(self.ends[at] for at in sorted(self.ends))
            lines = going.weights if going and any(end.beside for end in ends) else ()
            place, direction = bounds.near.place, self.of.line
            faces.insert(0, EndsOnFace(place, direction, ends, best.place.c, lines))
        if not any(face.ends for face in faces):
            return None
        return IntervalsInBlocks(self.q, tuple(faces))


def most_likely_without(rows: Rows, away: list[int]) -> tuple[Floats, float]:
    """Return the most likely line (1+d,) with some coefficients 0, and its sum of errors."""
    fewer, weights = without_columns(rows, away), np.zeros(rows.d + 1)
    if not fewer.d and not fewer.x0:
        return weights, float(np.log(2.0) * rows.sum(label_weights).sum())
    best = optimum_in_blocks(fewer)
    kept = [0, *(i for i in range(1, rows.d + 1) if i not in away)]
    weights[kept] = best.weights
    return weights, best.value
