"""From lines at the ends of intervals, checked in floats first, to the certificate of brackets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.special import expit

from separatrix.certificates.likelihood_interval import Attained, End, LikelihoodIntervalProof
from separatrix.certificates.likelihood_interval import Face as FaceOfProof
from separatrix.data import Floats
from separatrix.exact.dual_repair import LEAST_PIVOTS, independent
from separatrix.exact.integers import nullspace, primitive, whole_multiples
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.intervals.faces import Face, Faces
from separatrix.learners.least_squares.least_squares import augmented
from separatrix.learners.logistic.reads import Place

Line = tuple[Fraction, ...]
Rows = NDArray[np.int64]

FALL = 1e-13  # of a log-likelihood, relative: what rounding leaves
SMALL = 1 << 17  # numbers of rows that are read for each end
MARGINS = 4.0, 16.0  # roundings between an end and the value inside, of few numbers and of many
WIDEST = 2e-7  # of q, such a margin
CERTAIN = 70.0  # an agreement at which a row has no part in a likelihood
SEPARATED = 100.0  # likewise, of all rows
MANY = 4096  # rows of a long table that are tried first
LITTLE = 0.1  # of the rounding that there is room for
EPS = float(np.finfo(np.float64).eps)
ROOM = 0.5  # of a share that a row may be moved by


@dataclass
class Certifying:
    faces: Faces  # of the table whose rows all have a weight, and of whose columns none is left out
    maximum: float  # l*
    q: float  # 2 (l* - l_j) at the ends
    places: Rows  # (1+d,) index of each column among all
    width: int  # of these
    ends: list[End] = field(default_factory=list)
    infinite: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.on: list[_OnFace] = []
        self.rounding = FALL * max(1.0, -self.maximum)

    def face(self, face: Face, place: Place, start: Floats, value: float) -> _OnFace:
        """Return what is shown on a face, one of whose lines is `start` (1+d,), with this value."""
        for known in self.on:
            if known.face is face:
                again = copy(known)
                again.place, again.value = place, value
                return again
        columns = face.independent(place)
        found = _OnFace(self, face, place, columns, len(self.on), value)
        found.rows = found.rows_for(start[self.places])
        null: list[Line] = []
        if columns.size < self.faces.sample.d + int(self.faces.x0):
            exact = SignedRows(self.faces.sample, self.faces.x0)
            basis, _ = nullspace(exact.integers(found.rows), exact.width)
            null = [
                self.wide(exact.weights(exact.line_on_integers([Fraction(a) for a in v])))
                for v in basis
            ]
        direction = None
        if face.direction is not None:
            wide = self.wide([Fraction(w) for w in face.direction])
            direction = tuple(primitive(whole_multiples(wide)[0]))
        rows, of_all = tuple(found.rows.tolist()), tuple(self.places[columns].tolist())
        found.told = FaceOfProof(direction, of_all, rows, tuple(null))
        self.on.append(found)
        return found

    def certificate(
        self, sample_weight: Floats, x0: float, whole: _OnFace | None, top: Floats | None
    ) -> LikelihoodIntervalProof | None:
        """Return it; None where floats find no dual point that shows l*."""
        if whole is None or top is None:
            found = self.faces.separability
            assert found is not None  # noqa: S101  # a line separates the rows
            assert found.line is not None  # noqa: S101
            rows = SignedRows(self.faces.sample, self.faces.x0)
            least, _ = rows.least(rows.columns_of(found.line))
            if least <= 0:  # in columns that are not left out no line separates
                return None
            fit = Attained(None, self.wide(found.line), _power_above(Fraction(SEPARATED) / least))
        elif (attained := whole.attained_top(top)) is not None:
            fit = attained
        else:
            return None
        lines = self.faces.lines if self.infinite else []
        left_out = np.setdiff1d(np.arange(self.width), self.places)
        return LikelihoodIntervalProof(
            self.q, x0, sample_weight, tuple(on.told for on in self.on), fit, tuple(self.ends),
            tuple(self.wide(line) for line in lines), tuple(self.infinite),
            tuple(left_out.tolist()),
        )  # fmt: skip

    def wide(self, line: Sequence[Fraction]) -> Line:
        """Return a line of all columns, those left out with a weight of 0."""
        found = [Fraction(0)] * self.width
        for j, a in zip(self.places.tolist(), line, strict=True):
            found[j] = Fraction(a)
        return tuple(found)


@dataclass(eq=False)
class _OnFace:
    """What is shown of lines on a face."""

    of: Certifying
    face: Face
    place: Place  # coordinates of lines, of all columns
    columns: Rows  # independent ones
    index: int  # of the face in the certificate
    value: float  # a log-likelihood: those of lines are given as differences from it
    rows: Rows = field(init=False)
    told: FaceOfProof = field(init=False)
    ahead: tuple[Rows, Floats, list[Fraction]] | None = None  # the rows that go, and how they do

    @property
    def margin(self) -> float:
        """How far inside of an end to look for it."""
        least, most = (times * self.of.rounding for times in MARGINS)
        if self.face.table.size <= SMALL:
            return least
        return min(most, max(least, WIDEST * self.of.q))

    def accept(  # noqa: PLR0917  # one end
        self,
        j: int,
        side: int,
        c: Floats,
        value: float,
        pulls: Floats,
        margin: float,
        settled: bool,
    ) -> tuple[float, float] | None:
        """Return the values beside an end, where a line that is at hand shows them."""
        of, k = self.of, int(np.searchsorted(self.of.places, j))
        value += self.value
        fall, r = 2.0 * (of.maximum - value), of.rounding
        if not of.q + r - 4.0 * margin <= fall <= of.q:
            return None
        by_read = self.place.basis is None and self.face.table.size > SMALL
        for digits in (1,) if self.place.basis is None else (1, 2):
            line = self._line(c, digits)
            a = None
            if by_read:
                scaling = self.place.scaling
                own = pulls / scaling.scale + scaling.centre * pulls[0]
                own[0] = pulls[0]
                own = own[of.places]
            else:
                a = self._scores(line)
                value = 0.0 - float(self.face.sample.weight @ np.logaddexp(0.0, -a))
                own = self._pulls(a)
            inside, slope = sum(line[k], Fraction(0)), float(own[k])
            if not slope * side < 0.0:
                continue
            outside = inside + Fraction(side * 1.5 * margin / abs(slope))
            outside = Fraction(float(outside)) if digits == 1 else outside
            for rows in (self.rows, None) if settled and not by_read else (self.rows,):
                used = rows
                if used is None:
                    used = self.rows_for(np.array([float(sum(p, Fraction(0))) for p in line]))
                gap = self._gap(k, used, line, a, own)
                if gap is None or not self._holds(value, gap, slope, float(outside - inside)):
                    continue
                own_rows = None if rows is not None else tuple(used.tolist())
                of.ends.append(End(j, side, self._attained(line), outside, own_rows))
                return float(inside), float(outside)
        return None

    def _holds(self, value: float, gap: float, slope: float, away: float) -> bool:
        """Whether floats show both sides, with room for rounding."""
        of = self.of
        inside = 2.0 * (of.maximum - value)
        outside = inside - 2.0 * (gap + away * slope)
        near = 2.0 * abs(away * slope) <= 4.0 * WIDEST * of.q
        return near and inside <= of.q - of.rounding and outside >= of.q + of.rounding

    def attained_top(self, top: Floats) -> Attained | None:
        for digits in (1,) if self.place.basis is None else (1, 2):
            line = self._line(top, digits)
            a = self._scores(line)
            gap = self._gap(None, self.rows, line, a, self._pulls(a))
            if gap is not None and gap <= 0.25 * self.of.rounding:
                return self._attained(line)
        return None

    def _attained(self, line: list[Line]) -> Attained:
        b, times, faces = [sum(parts, Fraction(0)) for parts in line], Fraction(0), self.of.faces
        if self.ahead is None and self.face.direction is not None:
            gone, rows = np.flatnonzero(~self.face.keep), SignedRows(faces.sample, faces.x0)
            exact = rows.scores(rows.columns_of([Fraction(w) for w in self.face.direction]), gone)
            self.ahead = gone, augmented(faces.sample.X[gone], faces.x0), exact
        if self.ahead is not None:
            gone, table, exact = self.ahead
            w = np.array([float(a) for a in b])
            off = EPS * (w.size + 2) * (np.abs(table) @ np.abs(w))  # what rounding may add
            needed = CERTAIN - faces.sample.y[gone] * (table @ w) + off
            need = max(Fraction(a) / t for a, t in zip(needed.tolist(), exact, strict=True))
            times = _power_above(need)
        return Attained(self.index, self.of.wide(b), times)

    def rows_for(self, w: Floats) -> Rows:
        """Return independent rows, of the table, whose shares at a line have room to move."""
        face, columns = self.face, self.columns
        sigma = expit(-face.sample.y * (face.table @ w))
        room = face.sample.weight * np.minimum(sigma, 1.0 - sigma)
        kept = np.flatnonzero(face.keep)
        rows: list[int] = []
        for some in (slice(None, None, max(1, kept.size // MANY)), slice(None)):
            points = face.table[some, columns] * face.scale[columns]
            for least in LEAST_PIVOTS:
                rows, _ = independent(points, room[some], least)
                if len(rows) == columns.size:
                    return np.asarray(kept[some][rows])
        return np.asarray(kept[rows])

    def _pulls(self, a: Floats) -> Floats:
        sample = self.face.sample
        return np.asarray(self.face.table.T @ (sample.weight * expit(-a) * sample.y))

    def _gap(
        self, k: int | None, rows: Rows, line: list[Line], a: Floats | None, pulls: Floats
    ) -> float | None:
        """Return the gap of shares moved on some rows; None where they cannot balance."""
        face, columns = self.face, self.columns
        if rows.size != columns.size:
            return None
        at = np.searchsorted(np.flatnonzero(face.keep), rows)
        weight, scale, y = face.sample.weight[at], face.scale[columns], face.sample.y[at]
        w = np.array([float(parts[0]) for parts in line])
        scores = y * (face.table[at] @ w) if a is None else a[at]
        A = (face.table[np.ix_(at, columns)] * scale * y[:, np.newaxis]).T
        right = -pulls[columns] * scale
        if k is not None:
            right[columns == k] = 0.0
        try:
            moves = np.linalg.solve(A, right) / weight
        except np.linalg.LinAlgError:
            return None
        room = expit(-np.abs(scores))
        if not (np.abs(moves) <= ROOM * room).all():
            return None
        return float(weight @ (moves * moves / (room * (1.0 - room))))

    def _line(self, c: Floats, digits: int) -> list[Line]:
        """Return a line with the scores of c, each weight a sum of `digits` doubles."""
        places = self.of.places
        parts = [replace(self.place, c=c).weights[places]]
        if digits == 2:
            X = np.zeros((self.face.sample.n, self.of.width - 1))
            X[:, places[places > 0] - 1] = self.face.sample.X
            M = self.place.columns(X)
            left = M @ c - self.face.table.astype(np.longdouble) @ parts[0].astype(np.longdouble)
            more = np.asarray(scipy.linalg.lstsq(M, left.astype(np.float64))[0])
            parts.append(replace(self.place, c=more).weights[places])
        return [
            tuple(map(Fraction, weights))
            for weights in zip(*(p.tolist() for p in parts), strict=True)
        ]

    def _scores(self, line: list[Line]) -> Floats:
        """Return the agreements of a line, of few numbers in more digits than doubles have."""
        parts, table = np.array([[float(a) for a in weights] for weights in line]), self.face.table
        if parts.shape[1] == 1 and (table.size > SMALL or self._rounds_little(parts[:, 0])):
            return np.asarray(self.face.sample.y * (table @ parts[:, 0]))
        scores = (table.astype(np.longdouble) @ parts.astype(np.longdouble)).sum(axis=1)
        return np.asarray(self.face.sample.y * scores.astype(np.float64))

    def _rounds_little(self, w: Floats) -> bool:
        """Whether scores of a line in doubles leave its likelihood as it is."""
        size = float(self.face.sample.weight @ (np.abs(self.face.table) @ np.abs(w)))
        return size * EPS <= LITTLE * self.of.rounding


def _power_above(least: Fraction) -> Fraction:
    """Return a power of two that is not below a number."""
    if least <= 0:
        return Fraction(1)
    return Fraction(2) ** math.ceil(
        math.log2(least.numerator) - math.log2(least.denominator) + 1e-9
    )
