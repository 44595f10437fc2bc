"""Likelihood intervals and likelihood-ratio tests, also where no finite optimum exists.

The interval is {v : 2 (l* - l_j(v)) <= q}; an end is infinite exactly where some direction of
recession has w_j of its sign, which exact arithmetic decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import scipy.linalg
from scipy.special import gammaincinv

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.inference.intervals.bounds import (
    FOUND,
    WIDEST,
    Bounds,
    EndInBlocks,
    IntervalsInBlocks,
)
from separatrix.inference.intervals.faces import Face, Faces, Undecided, less_columns
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
from separatrix.inference.maximum import Maximum, label_weights, without_columns
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.least_squares.least_squares import augmented
from separatrix.learners.logistic.reads import optimum_in_blocks, place_of, well_posed
from separatrix.scale import Rows
from separatrix.separation.decide import Separability, separability_of
from separatrix.tiles import one_blas_thread

T = TypeVar("T")

MOST_FITS = 8  # of rows in blocks without a column, for statistics that are not found together
PRECISION = "rounding of the table's doubles decides it"
IN_MEMORY = "the finite end of a coefficient that diverges is found in memory only"
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
        making.reasons, tuple(sorted(of.undetermined)), left_out, certificate,
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
            value = _most_likely_without(near.table, [j, *best.left_out], self.of.x0)[1]
            statistics[j] = max(0.0, 2.0 * (value - best.value))
        for j in finite:
            self.chi2[j] = statistics.get(j, np.nan)
            if np.isnan(self.brackets[j]).any() or np.isnan(self.chi2[j]):
                self.reasons[j] = why(j)

    def _in_blocks(self, finite: list[int], infinite: list[int]) -> IntervalsInBlocks | None:
        best, q, of = self.of.optimum, self.q, self.of
        self.reasons |= dict.fromkeys(infinite, IN_MEMORY)
        for j in infinite:
            if way := of.infinite[j]:
                self.brackets[j, SIDES.index(way)] = way * np.inf
        if best is None or not finite:
            return None
        rows, place = of.finite, best.read.place
        try:
            bounds = Bounds.of(rows, place, best.place.c, best.read.hessian)
        except scipy.linalg.LinAlgError:
            self.reasons |= dict.fromkeys(finite, PRECISION)
            return None
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

        rounding = min(WIDEST * q, *(float(each.min()) for each in margins.values())) / 8.0

        def why(j: int) -> str:
            return FAR if j in narrow else PRECISION

        self._search(bounds.near, finite, margins, accept, rounding, WIDEST * q, why)
        ends = [
            EndInBlocks(j, side, lines[j, side], *self.brackets[j, i])
            for j in finite for i, side in enumerate(SIDES) if not np.isnan(self.brackets[j, i, 0])
        ]  # fmt: skip
        place = replace(place, before=None, step=None)
        return IntervalsInBlocks(place, best.place.c, q, tuple(ends), of.line) if ends else None

    def _in_memory(self, sample: Sample, finite: list[int], wanted: list[int]) -> Untyped:
        of, best = self.of, self.of.optimum
        away = sorted(collinear_of(of.rows, of.x0) if best is None else best.left_out)
        places = np.delete(np.arange(of.rows.d + 1), away)
        found = of.certificate if isinstance(of.certificate, Separability) else None
        if away:
            sample = less_columns(sample, away)
            found = None if found is None else separability_of(sample, of.x0)
        proof = Certifying(
            Faces(sample, of.x0, found), of.log_likelihood, self.q, places, of.rows.d + 1
        )
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
                self._tried(j, self._on_its_own, proof)
        assert of.given is not None  # noqa: S101  # as there is a sample
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
        ways = proof.faces.ways(k)
        for side, recession in ways.items():
            proof.infinite.append((j, side, recession))
            self.brackets[j, SIDES.index(side)] = side * np.inf
        if len(ways) == 2:
            self.chi2[j] = 0.0
            return None
        face = proof.faces.without(k) if ways else None
        if face is None:
            raise Undecided(PRECISION)
        return -next(iter(ways)), face

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
            scores = augmented(sample.X[rows], face.x0) @ _recession(j, proof)
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
                stay = Rows.of(on.face.sample.only(on.face.keep))
                value = _most_likely_without(stay, [j], self.of.x0)[1]
                self.chi2[j] = max(0.0, 2.0 * (self.of.log_likelihood + value))
            self.reasons[j] = PRECISION
        for (j, side), ends in search.ends.items():
            self.brackets[j, SIDES.index(side)] = ends
            del self.reasons[j]

    def _on_its_own(self, j: int, proof: Certifying) -> None:
        """Find an interval where no row stays on the whole face, from an optimum of its own."""
        found = self._face(j, proof)
        if found is None:
            return
        (side, face), of, sample = found, self.of, self.of.at_hand
        assert sample is not None  # noqa: S101
        rows = Rows.of(sample.only(face.keep))
        left_out = [i for i in range(of.rows.d + 1) if i not in proof.places]
        weights, value = _most_likely_without(rows, [j, *left_out], of.x0)
        self.chi2[j] = max(0.0, 2.0 * (of.log_likelihood + value))
        read = well_posed(rows, place_of(rows, of.x0, weights), left_out)
        near = Near.of(rows, read.place, read.place.c, of.log_likelihood + value, read.hessian)
        on_face = proof.face(face, read.place, weights, -value)
        widest = WIDEST_PROVEN * self.q
        search = Search(
            near, self.q, on_face.accept, proof.rounding, widest, MOST_STEPS, always=True,
            of_columns=True,
        )  # fmt: skip
        line = np.zeros(of.rows.d + 1)
        line[proof.places] = _recession(j, proof)
        ends = search.ends
        for start in (near.towards_the_limit(line), near.base):
            if not ends:
                search.found([j], [(j, side, on_face.margin)], start)
        if (j, side) not in ends:
            raise Undecided(PRECISION)
        self.brackets[j, SIDES.index(side)] = ends[j, side]


def _recession(j: int, proof: Certifying) -> Floats:
    """Return the direction of recession that shows where a coefficient diverges."""
    exact = proof.faces.lines[next(i for k, _, i in proof.infinite if k == j)]
    largest = max(map(abs, exact))
    return np.array([float(a / largest) for a in exact])


def _most_likely_without(rows: Rows, away: list[int], x0: float) -> tuple[Floats, float]:
    """Return the most likely line (1+d,) with some coefficients 0, and its sum of errors."""
    fewer, x0 = without_columns(rows, away, x0)
    weights = np.zeros(rows.d + 1)
    if not fewer.d and not x0:
        return weights, float(np.log(2.0) * rows.sum(label_weights).sum())
    best = optimum_in_blocks(fewer, x0)
    kept = [0, *(i for i in range(1, rows.d + 1) if i not in away)]
    weights[kept] = best.weights
    return weights, best.value
