"""Likelihood intervals and likelihood-ratio tests, also where no finite optimum exists.

The interval is {v : 2 (l* - l_j(v)) <= q}; an end is infinite exactly where some direction of
recession has w_j of its sign, which exact arithmetic decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np
import scipy.linalg
from scipy.special import gammaincinv

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.inference.intervals.alone import Alone, most_likely_without
from separatrix.inference.intervals.bounds import (
    FOUND,
    WIDEST,
    Bounds,
    EndInBlocks,
    EndsOnFace,
    IntervalsInBlocks,
    Level,
)
from separatrix.inference.intervals.faces import Face, Faces, Indices, Undecided, widened
from separatrix.inference.intervals.proof import WIDEST as WIDEST_PROVEN
from separatrix.inference.intervals.proof import Certifying, OnFace
from separatrix.inference.intervals.search import (
    MOST_READS,
    MOST_STEPS,
    SIDES,
    Accept,
    Near,
    RowsInColumns,
    Search,
)
from separatrix.inference.maximum import Maximum, rows_on
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.least_squares.least_squares import augmented
from separatrix.learners.logistic.no_optimum import in_doubles
from separatrix.scale import Rows
from separatrix.scale.together import sharing, together
from separatrix.separation.decide import Separability
from separatrix.tiles import one_blas_thread

T = TypeVar("T")

AT_ONCE = 8  # coefficients of rows in blocks that diverge whose searches share their reads
MOST_FITS = 8  # of rows in blocks without a column, for statistics that are not found together
PRECISION = "rounding of the table's doubles decides it"
FAR = "its search did not converge within the reads that all ends share"


@dataclass(frozen=True)
class LikelihoodIntervals:
    """The likelihood interval of each coefficient, w_0 first."""

    level: float  # such as 0.95
    q: float  # 2 (l* - l_j) at the ends
    maximum: float  # l*, the supremum of the log-likelihood
    estimates: Floats  # (1+d,)
    lower: Floats
    upper: Floats
    brackets: Floats
    chi2: Floats
    reasons: dict[int, str] = field(default_factory=dict)  # {index: why not all was found}
    not_determined: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    certificate: Untyped = None

    @property
    def undecided(self) -> tuple[int, ...]:
        """The indices of coefficients of which not all was found."""
        return tuple(sorted(self.reasons))


def likelihood_intervals(
    of: Maximum, level: float = 0.95, columns: Sequence[int] | None = None
) -> LikelihoodIntervals:
    """Return likelihood intervals and likelihood-ratio statistics of coefficients."""
    q, asked = quantile(level), _asked(of, columns)
    making = _Making(of, q)
    part = of.rows.journal.part(f"likelihood intervals, level {level!r}")
    with part, one_blas_thread(), np.errstate(all="ignore"):
        certificate = making.made([j for j in asked if j not in of.undetermined])
    brackets = making.brackets
    lower, upper = brackets[:, 0, 0].copy(), brackets[:, 1, 0].copy()
    open_ones = [j for j in of.undetermined if j in asked]
    lower[open_ones], upper[open_ones] = -np.inf, np.inf
    left_out = () if of.optimum is None else tuple(sorted(of.optimum.left_out))
    return LikelihoodIntervals(
        level, q, of.log_likelihood, of.estimates(), lower, upper, brackets, making.chi2,
        dict(sorted(making.reasons.items())), tuple(sorted(of.undetermined)), left_out, certificate,
    )  # fmt: skip


def quantile(level: float) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise InputError(f"level={level!r} must be a number between 0 and 1, such as 0.95.")
    return float(2.0 * gammaincinv(0.5, level))


def _asked(of: Maximum, columns: Sequence[int] | None) -> list[int]:
    every = range(0 if of.x0 else 1, of.rows.d + 1)
    for j in columns or ():
        if j not in every:
            raise InputError(f"columns={columns!r}: there is no coefficient {j!r} among {every}.")
    return list(every) if columns is None else list(dict.fromkeys(int(j) for j in columns))


class _Making:
    """Intervals of which some ends are known."""

    def __init__(self, of: Maximum, q: float) -> None:
        self.of, self.q = of, q
        self.brackets = np.full((of.rows.d + 1, 2, 2), np.nan)
        self.chi2 = np.full(of.rows.d + 1, np.nan)
        self.reasons: dict[int, str] = {}
        self.infinite: list[tuple[int, int, int]] = []  # index, side, which direction shows it

    def made(self, wanted: list[int]) -> Untyped:
        """Find the ends of coefficients, and return a certificate of them, or None."""
        finite = [j for j in wanted if j not in self.of.infinite]
        if (sample := self.of.at_hand) is None:
            return self._in_blocks(finite, [j for j in wanted if j in self.of.infinite])
        return self._in_memory(sample, finite, wanted)

    def _search(  # noqa: PLR0917
        self,
        near: Near,
        finite: list[int],
        margins: dict[int, Floats],
        accept: Accept,
        rounding: float,
        widest: float,
        why: Callable[[int], str],
    ) -> None:
        """Find all ends and statistics of coefficients that do not diverge."""
        aims = [(j, side, margins[j][i]) for j in finite for i, side in enumerate(SIDES)]
        aims += [(j, 0, 0.0) for j in finite]
        at_hand = self.of.given is not None
        most = MOST_STEPS if at_hand else MOST_READS
        search = Search(near, self.q, accept, rounding, widest, most, of_columns=at_hand)
        found = search.found(finite, aims)
        for (j, side), ends in found.ends.items():
            self.brackets[j, SIDES.index(side)] = ends
        statistics, best = found.statistics, self.of.optimum
        missing = [j for j in finite if j not in statistics]
        for j in missing[:MOST_FITS] if self.of.given is None else missing:
            assert best is not None  # noqa: S101  # there are rows near it
            value = most_likely_without(near.table, [j, *best.left_out], self.of.x0)[1]
            statistics[j] = max(0.0, 2.0 * (value - best.value))
        for j in finite:
            self.chi2[j] = statistics.get(j, np.nan)
            if np.isnan(self.brackets[j]).any() or np.isnan(self.chi2[j]):
                self.reasons[j] = why(j)

    def _in_blocks(self, finite: list[int], infinite: list[int]) -> IntervalsInBlocks | None:
        best, of, bounds, at_top = self.of.optimum, self.of, None, None
        if best is not None and (finite or infinite):
            place = replace(best.read.place, before=None, step=None)
            try:
                bounds = Bounds.at_top(of.finite, place, best.place.c, best.read.hessian)
            except scipy.linalg.LinAlgError:
                self.reasons |= dict.fromkeys([*finite, *infinite], PRECISION)
                return None
            at_top = EndsOnFace(place, of.line, self._around_the_top(bounds, finite))
        alone = []
        if infinite:
            alone = self._alone_in_blocks(infinite, Level() if bounds is None else bounds.level)
        if not alone and (at_top is None or not at_top.ends):
            return None
        return IntervalsInBlocks(
            self.q, at_top, None if best is None else best.place.c, tuple(alone)
        )

    def _around_the_top(self, bounds: Bounds, finite: list[int]) -> tuple[EndInBlocks, ...]:
        """Find ends and statistics of coefficients that do not diverge, of rows in blocks."""
        q = self.q
        lines: dict[tuple[int, int], Floats] = {}
        margins = {j: bounds.margins(j, q) for j in finite}
        narrow = {j for j in finite if margins[j].max() <= WIDEST * q}

        def accept(  # noqa: PLR0917  # one end
            j: int, side: int, c: Floats, value: float, pulls: Floats, margin: float, _: bool
        ) -> tuple[float, float] | None:
            if j not in narrow:
                return np.nan, np.nan
            most = min(2.0 * margin, WIDEST * q)
            lines[j, side] = c.copy()
            return bounds.bracket(j, side, c, value, pulls, q, most, FOUND)

        rounding = min([WIDEST * q, *(float(each.min()) for each in margins.values())]) / 8.0

        def why(j: int) -> str:
            return FAR if j in narrow else PRECISION

        self._search(bounds.near, finite, margins, accept, rounding, WIDEST * q, why)
        return tuple(
            EndInBlocks(j, side, lines[j, side], *self.brackets[j, i])
            for j in finite for i, side in enumerate(SIDES) if not np.isnan(self.brackets[j, i, 0])
        )  # fmt: skip

    def _alone_in_blocks(self, wanted: list[int], level: Level) -> list[EndsOnFace]:
        """Find ends of coefficients that diverge, of rows in blocks; several share their reads."""
        of, table = self.of, sharing(self.of.rows)
        away = self._left_out(table)
        try:
            faces = self._faces(table).less(away)
        except Undecided as why:
            self.reasons |= dict.fromkeys(wanted, str(why))
            return []
        self.brackets[away] = [[-np.inf], [np.inf]]
        places = np.delete(np.arange(of.rows.d + 1), away)
        found: list[EndsOnFace] = []

        def look(j: int, side: int) -> EndsOnFace | None:
            k = int(np.searchsorted(places, j))
            line, direction = faces.direction_without(k), None
            if line is not None:
                direction = in_doubles(widened(line, places, of.rows.d + 1))
            recession = np.zeros(of.rows.d + 1)
            recession[places] = faces.recession(k)
            rows = rows_on(table, direction)
            alone = Alone.of(j, rows, direction, away, of)
            self.chi2[j] = alone.chi2
            shown = alone.end_in_blocks(side, self.q, recession, level)
            if shown is None:
                raise Undecided(FAR)
            return shown

        def tried(j: int, side: int) -> EndsOnFace | None:
            with np.errstate(all="ignore"):
                return self._tried(j, look, side)

        aims = []
        for j in wanted:
            side = None if j in away else self._tried(j, self._side, faces, places)
            aims += [] if side is None else [(j, side)]
        for start in range(0, len(aims), AT_ONCE):
            jobs = [partial(tried, *aim) for aim in aims[start : start + AT_ONCE]]
            found += [shown for shown, _ in together(table, jobs) if shown is not None]
        for end in (end for shown in found for end in shown.ends):
            self.brackets[end.index, SIDES.index(end.side)] = end.inside, end.outside
        return found

    def _faces(self, rows: Rows) -> Faces:
        found = self.of.certificate
        known = found if isinstance(found, Separability) else None
        return Faces(rows, self.of.x0, known, at_hand=self.of.given is not None)

    def _left_out(self, rows: Rows) -> list[int]:
        """Return columns that others make up but for rounding."""
        best = self.of.optimum
        return sorted(collinear_of(rows, self.of.x0) if best is None else best.left_out)

    def _side(self, j: int, faces: Faces, places: Indices) -> int | None:
        """Return the side on which the interval of a coefficient that diverges ends, if one."""
        ways = faces.ways(int(np.searchsorted(places, j)))
        for side, recession in ways.items():
            self.infinite.append((j, side, recession))
            self.brackets[j, SIDES.index(side)] = side * np.inf
        if not ways:
            raise Undecided(PRECISION)
        if len(ways) == 2:
            self.chi2[j] = 0.0
            return None
        return -next(iter(ways))

    def _in_memory(self, sample: Sample, finite: list[int], wanted: list[int]) -> Untyped:
        of, best, away = self.of, self.of.optimum, self._left_out(self.of.rows)
        faces, places = self._faces(of.rows).less(away), np.delete(np.arange(sample.d + 1), away)
        proof = Certifying(faces, of.log_likelihood, self.q, places, sample.d + 1)
        whole, top, near = None, None, None
        if best is not None and proof.faces.whole is not None:
            rows, place, top = of.finite, best.read.place, best.place.c
            try:
                near = Near.of(rows, place, top, 0.0, best.read.hessian)
                _ = near.factor
            except scipy.linalg.LinAlgError:
                near = None
                self.reasons |= dict.fromkeys(finite, PRECISION)
            else:
                whole = proof.face(proof.faces.whole, place, best.place.weights, of.log_likelihood)

                margins = dict.fromkeys(finite, np.full(2, whole.margin))
                widest = WIDEST_PROVEN * self.q
                self._search(
                    near, finite, margins, whole.accept, proof.rounding, widest, lambda _: PRECISION
                )
        self.brackets[away] = [[-np.inf], [np.inf]]
        diverging = [j for j in wanted if j in of.infinite and j not in away]
        if whole is not None and near is not None:
            self._beside(diverging, proof, whole, near)
        else:
            for j in diverging:
                self._tried(j, self._alone, proof)
        assert of.given is not None  # noqa: S101  # as there is a sample
        proof.infinite = self.infinite
        return proof.certificate(of.given, of.x0, whole, top)

    def _tried(self, j: int, look: Callable[..., T], *known: Untyped) -> T | None:
        """Return what is found of a coefficient that diverges; None, with a reason, at a limit."""
        try:
            return look(j, *known)
        except (Undecided, scipy.linalg.LinAlgError) as why:
            self.reasons[j] = str(why) if isinstance(why, Undecided) else PRECISION
            return None

    def _face(self, j: int, proof: Certifying) -> tuple[int, Face] | None:
        """Return the side on which the interval of a coefficient that diverges ends, and where."""
        k = int(np.searchsorted(proof.places, j))
        side = self._side(j, proof.faces, proof.places)
        if side is None:
            return None
        face = proof.faces.without(k)
        if face is None:
            raise Undecided(PRECISION)
        return side, face

    def _beside(self, wanted: list[int], proof: Certifying, whole: OnFace, near: Near) -> None:
        """Find intervals of coefficients that diverge: their faces have some rows more."""
        aims, shown = [], {}
        for j in wanted:
            found = self._tried(j, self._face, proof)
            if found is None:
                continue
            side, face = found
            on = shown[j] = proof.beside(face, whole)
            rows, sample = on.more, face.sample
            assert rows is not None  # noqa: S101  # as the coefficient is free on the whole face
            more = RowsInColumns(on.columns_of(rows), sample.y[rows], sample.weight[rows])
            base = np.append(near.base, np.zeros(more.M.shape[1] - near.base.size))
            recession = proof.faces.recession(int(np.searchsorted(proof.places, j)))
            scores = augmented(sample.X[rows], face.x0) @ recession
            along = np.zeros(base.size)
            along[near.base.size :] = np.linalg.lstsq(
                more.M[:, near.base.size :], scores / (np.abs(scores).max() or 1.0), rcond=None
            )[0]
            f = on.functional(j)
            start = more.towards_the_limit(base, along)
            aims += [(j, side, on.margin, more, f, start), (j, 0, 0.0, more, f, base)]

        def accept(j: int, *end: Untyped) -> tuple[float, float] | None:
            return shown[j].accept(j, *end)

        search = Search(
            near, self.q, accept, proof.rounding, WIDEST_PROVEN * self.q, MOST_STEPS,
            of_columns=True,
        ).found_beside(aims)  # fmt: skip
        for j, on in shown.items():
            if j in search.statistics:
                self.chi2[j] = search.statistics[j]
            else:
                stay = Rows.of(replace(on.face.sample, weight=on.face.weight))
                value = most_likely_without(stay, [j], self.of.x0)[1]
                self.chi2[j] = max(0.0, 2.0 * (self.of.log_likelihood + value))
            self.reasons[j] = PRECISION
        for (j, side), ends in search.ends.items():
            self.brackets[j, SIDES.index(side)] = ends
            del self.reasons[j]

    def _alone(self, j: int, proof: Certifying) -> None:
        """Find an interval where no row stays on the whole face, from an optimum of its own."""
        found = self._face(j, proof)
        if found is None:
            return
        (side, face), of, k = found, self.of, int(np.searchsorted(proof.places, j))
        assert of.at_hand is not None  # noqa: S101
        rows = Rows.of(replace(of.at_hand, weight=face.weight))
        left_out = np.setdiff1d(np.arange(of.rows.d + 1), proof.places).tolist()
        alone = Alone.of(j, rows, None, left_out, of)
        self.chi2[j] = alone.chi2
        on_face = proof.face(face, alone.near.place, alone.weights, alone.value)
        line = np.zeros(of.rows.d + 1)
        line[proof.places] = proof.faces.recession(k)
        rounding, widest = proof.rounding, WIDEST_PROVEN * self.q
        ends = alone.end(
            side, self.q, line, on_face.accept, on_face.margin, rounding, widest, MOST_STEPS
        )
        if ends is None:
            raise Undecided(PRECISION)
        self.brackets[j, SIDES.index(side)] = ends
