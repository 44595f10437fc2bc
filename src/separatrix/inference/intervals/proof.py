"""From lines at the ends of intervals, checked in floats first, to the certificate of brackets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.linalg
from scipy.special import expit

from separatrix._types import Untyped
from separatrix.certificates.likelihood_interval import Attained, End, LikelihoodIntervalProof
from separatrix.certificates.likelihood_interval import Face as FaceOfProof
from separatrix.data import Floats, in_full
from separatrix.exact.integers import (
    independent_columns,
    independent_rows,
    nullspace,
    primitive,
    whole_multiples,
)
from separatrix.exact.moving_rows import LEAST_PIVOTS, independent
from separatrix.inference.intervals.alone import Alone
from separatrix.inference.intervals.faces import (
    PRECISION,
    Face,
    Faces,
    Going,
    Indices,
    Undecided,
    combined,
    widened,
)
from separatrix.inference.intervals.search import MOST_STEPS, Near, RowsInColumns
from separatrix.inference.maximum import Maximum
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.least_squares.least_squares import augmented, power_of_two_scale
from separatrix.learners.logistic.reads import Place
from separatrix.tiles import tiles

Line = tuple[Fraction, ...]
FALL = 1e-13  # of a log-likelihood, relative: what rounding leaves
MARGIN = 4.0  # roundings between an end and the value inside
WIDEST = 2e-7  # of q, such a margin
CERTAIN = 70.0  # an agreement at which a row has no part in a likelihood
SEPARATED = 100.0  # likewise, of all rows
MANY = 4096  # rows of a long table that are tried first
LITTLE = 0.1  # of the rounding that there is room for
EPS = float(np.finfo(np.float64).eps)
ROOM = 0.5  # of a share that a row may be moved by


@dataclass
class ByProof:
    """What exact arithmetic can check, of rows in memory."""

    of: Maximum
    q: float  # 2 (l* - l_j) at the ends
    faces: Faces  # of the table whose rows all have a weight, and of whose columns none is left out
    places: Indices  # (1+d,) index of each column among all
    ends: list[End] = field(default_factory=list)
    alone_ones: list[Untyped] = field(default_factory=list)  # none: its ends tell all

    most, most_fits = MOST_STEPS, MOST_STEPS

    def __post_init__(self) -> None:
        self.maximum, self.width = self.of.log_likelihood, self.of.rows.d + 1
        self.on: list[OnFace] = []
        self.of_kinds: dict[tuple[int, ...], OnFace] = {}
        self.rounding, self.widest = FALL * max(1.0, -self.maximum), WIDEST * self.q

    @cached_property
    def near(self) -> Near | None:
        """The rows near the maximum; None where none is, and where its Hessian is singular."""
        best = self.of.optimum
        if best is None or self.faces.whole is None:
            return None
        try:
            near = Near.of(self.of.finite, best.read.place, best.place.c, 0.0, best.read.hessian)
            _ = near.factor
        except scipy.linalg.LinAlgError:
            return None
        return near

    @cached_property
    def whole(self) -> OnFace:
        best = self.of.optimum
        assert best is not None and self.faces.whole is not None  # noqa: S101, PT018  # its callers'
        return self.face(self.faces.whole, best.read.place, best.place.weights, self.maximum)

    def margins(self, _: int) -> Floats:
        return np.full(2, self.whole.margin())

    def accept(self, *end: Untyped, on: Untyped = None) -> tuple[float, float] | None:
        found: tuple[float, float] | None = (on or self.whole).accept(*end)
        return found

    def far(self, _: int) -> str:
        return PRECISION

    def beside(self, j: int) -> OnFace:
        """Return the face of a coefficient that diverges: some rows beside those of the whole."""
        whole, exact = self.whole, self.faces.exact
        going = self.faces.going
        assert going is not None  # noqa: S101  # rows go where a coefficient diverges
        times, kinds = going.least_direction(exact.column(int(np.searchsorted(self.places, j))))
        if kinds in self.of_kinds:
            return self.of_kinds[kinds]
        scores = [going.scores[k] for k in kinds]
        own = independent_columns(scores)
        free = np.setdiff1d(np.arange(exact.width), [exact.column(j) for j in whole.columns])
        columns = np.sort(np.append(whole.columns, [exact.index(int(free[i])) for i in own]))
        lines = [going.lines[i] for i in own]
        more, face = going.members(kinds), self.faces.with_kinds(times, kinds)
        back = np.array([[float(a) for a in exact.weights(line)] for line in lines]).T
        found = OnFace(self, face, whole.place, columns, len(self.on), whole.value, back, more)
        few = [kinds[i] for i in independent_rows([[row[i] for i in own] for row in scores])]
        at_top = found.columns_of(more) @ np.append(whole.place.c, np.zeros(len(own)))
        room, kind = found.shares(at_top, more), going.kind[np.isin(going.kind, kinds)]
        rows = [more[kind == k][np.argmax(room[kind == k])] for k in few]
        found.rows = np.sort(np.append(whole.rows, rows))
        null, _ = nullspace(scores, len(going.lines))
        found.tell([combined(dict(enumerate(v)), going.lines) for v in null])
        return self.of_kinds.setdefault(kinds, found)

    def end_alone(
        self, alone: Alone, side: int, recession: Floats, line: Sequence[Fraction] | None
    ) -> tuple[tuple[float, float] | None, None]:
        """Return the end of a coefficient that diverges, by itself."""
        face = self.faces.of(line)
        if face is None:
            raise Undecided(PRECISION)
        on_face = self.face(face, alone.near.place, alone.weights, alone.value)
        ends = alone.end(
            side, recession, on_face.accept, on_face.margin(), self.rounding, self.q, self.widest,
            self.most,
        )  # fmt: skip
        return ends, None

    def face(self, face: Face, place: Place, start: Floats, value: float) -> OnFace:
        """Return what is shown on a face, one of whose lines is `start` (1+d,), with this value."""
        for known in self.on:
            if known.face is face:
                again = copy(known)
                again.place, again.value, again.back, again.moved = place, value, None, None
                return again
        columns = face.independent(place)
        found = OnFace(self, face, place, columns, len(self.on), value)
        found.rows = found.rows_for(start[self.places])
        exact, null = self.faces.exact, []
        if columns.size < exact.width:
            own = columns if exact.x0 else columns - 1
            order = [*own.tolist(), *np.setdiff1d(np.arange(exact.width), own).tolist()]
            integers = [[row[j] for j in order] for row in exact.integers(found.rows)]
            basis, _ = nullspace(integers, exact.width)  # of columns that others make up, by one
            back = np.argsort(order).tolist()
            null = [[v[i] for i in back] for v in basis]
            if face is self.faces.whole and face.direction is not None:
                self.faces.going = Going.of(exact, np.flatnonzero(~face.keep), null)
        lines = [exact.line_on_integers([Fraction(a) for a in v]) for v in null]
        found.tell(lines)
        return found

    def certificate(self, infinite: list[tuple[int, int, int]]) -> LikelihoodIntervalProof | None:
        """Return it; None where floats find no dual point that shows l*."""
        best = self.of.optimum
        if self.near is None or best is None:
            found = self.faces.separability
            assert found is not None  # noqa: S101  # a line separates the rows
            assert found.line is not None  # noqa: S101
            rows = self.faces.exact
            least, _ = rows.least(rows.columns_of(found.line))
            if least <= 0:  # in columns that are not left out no line separates
                return None
            fit = Attained(None, self.wide(found.line), _power_above(Fraction(SEPARATED) / least))
        elif (attained := self.whole.attained_top(best.place.c)) is not None:
            fit = attained
        else:
            return None
        lines, given = self.faces.lines if infinite else [], self.of.given
        assert given is not None  # noqa: S101  # rows in memory
        left_out = np.setdiff1d(np.arange(self.width), self.places)
        return LikelihoodIntervalProof(
            self.q, self.of.rows.x0, given, tuple(on.told for on in self.on), fit, tuple(self.ends),
            tuple(self.wide(line) for line in lines), tuple(infinite), tuple(left_out.tolist()),
        )  # fmt: skip

    def wide(self, line: Sequence[Fraction]) -> Line:
        """Return a line of all columns, those left out with a weight of 0."""
        return widened(line, self.places, self.width)


@dataclass(eq=False)
class OnFace:
    """What is shown of lines on a face."""

    of: ByProof
    face: Face
    place: Place  # coordinates of lines, of all columns
    columns: Indices  # independent ones
    index: int  # of the face in the certificate
    value: float  # a log-likelihood: those of lines are given as differences from it
    back: Floats | None = None  # (D, p) what makes weights of further coordinates
    moved: Indices | None = None  # rows that only these move
    rows: Indices = field(init=False)
    told: FaceOfProof = field(init=False)

    def tell(self, null: Sequence[Sequence[Fraction]]) -> None:
        """Note what the certificate says of the face; lines (D,) vanish on the rows that stay."""
        of, exact, direction = self.of, self.of.faces.exact, None
        if self.face.direction is not None:
            wide = of.wide([Fraction(w) for w in self.face.direction])
            direction = tuple(primitive(whole_multiples(wide)[0]))
        rows, of_all = tuple(self.rows.tolist()), tuple(of.places[self.columns].tolist())
        lines = tuple(of.wide(exact.weights(list(line))) for line in null)
        self.told = FaceOfProof(direction, of_all, rows, lines)
        of.on.append(self)

    @cached_property
    def sizes(self) -> Floats:
        """Sums of weight |z| over the rows that stay: (D,)."""
        X, weight = self.face.sample.X, self.face.weight
        total = np.append(self.face.sample.x0 * weight.sum(), np.zeros(X.shape[1]))
        for tile in tiles(weight.size):
            total[1:] += weight[tile] @ np.abs(X[tile])
        return total

    @cached_property
    def more(self) -> RowsInColumns:
        rows, sample = self.moved, self.face.sample
        assert rows is not None  # noqa: S101  # it is asked for on such a face
        return RowsInColumns(self.columns_of(rows), sample.y[rows], sample.weight[rows])

    def scores(self, recession: Floats) -> Floats:
        X = self.face.sample.X[self.moved]
        return np.asarray(X @ recession[1:] + self.face.sample.x0 * recession[0])

    def margin(self, *_: Untyped) -> float:
        return MARGIN * self.of.rounding

    def columns_of(self, rows: Indices) -> Floats:
        """Return the columns (n, k + p) of rows in which coordinates are weights."""
        X = in_full(self.face.sample.X[rows])
        wide = np.zeros((rows.size, self.of.width - 1))
        wide[:, self.of.places[self.of.places > 0] - 1] = X
        M = self.place.columns(wide)
        if self.back is None:
            return M
        return np.column_stack((M, augmented(self.face.sample.at(rows)) @ self.back))

    def weights_of(self, c: Floats) -> Floats:
        """Return the weights of a line by its coordinates, of the columns not left out."""
        k = self.place.c.size
        found = replace(self.place, c=c[:k]).weights[self.of.places]
        return found if self.back is None else found + self.back @ c[k:]

    def functional(self, j: int) -> Floats:
        own = self.place.back[j]
        k = int(np.searchsorted(self.of.places, j))
        return own if self.back is None else np.append(own, self.back[k])

    def shares(self, scores: Floats, rows: Indices) -> Floats:
        """Return by how much shares of rows may be moved, times their weight."""
        sigma = expit(-np.abs(scores))
        return np.asarray(self.face.sample.weight[rows] * sigma)

    def accept(  # noqa: PLR0917  # one end
        self, j: int, side: int, c: Floats, value: float, _: Floats, margin: float, settled: bool
    ) -> tuple[float, float] | None:
        """Return the values beside an end, where a line that is at hand shows them."""
        of, k = self.of, int(np.searchsorted(self.of.places, j))
        fall, r = 2.0 * (of.maximum - value - self.value), of.rounding
        if not of.q + r - 4.0 * margin <= fall <= of.q:
            return None
        for digits in (1,) if self.place.basis is None else (1, 2):
            line = self._line(c, digits)
            a, value, own = self._read(line)
            inside, slope = _exactly(line[:, k]), float(own[k])
            if not slope * side < 0.0:
                continue
            outside = inside + Fraction(side * 1.5 * margin / abs(slope))
            outside = Fraction(float(outside)) if digits == 1 else outside
            for rows in (self.rows, None) if settled else (self.rows,):
                used = self.rows_for(line.sum(axis=0)) if rows is None else rows
                gap = self._gap(k, used, a, own)
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
            a, _, pulls = self._read(line)
            gap = self._gap(None, self.rows, a, pulls)
            if gap is not None and gap <= 0.25 * self.of.rounding:
                return self._attained(line)
        return None

    def _attained(self, line: Floats) -> Attained:
        times = Fraction(0)
        if self.face.direction is not None:
            reach = float(np.abs(line.sum(axis=0)) @ self.of.faces.sizes)
            needed = CERTAIN + (1.0 + CERTAIN * EPS) * reach
            times = _power_above(Fraction(needed) / self.face.least)
        return Attained(self.index, self.of.wide([*map(_exactly, line.T)]), times)

    def rows_for(self, w: Floats) -> Indices:
        """Return independent rows, of the table, whose shares at a line have room to move."""
        face, columns, kept = self.face, self.columns, self.face.rows
        X = face.sample.X
        room = self.shares((X @ w[1:] + face.sample.x0 * w[0])[kept], kept)
        rows: list[int] = []
        for some in (slice(None, None, max(1, kept.size // MANY)), slice(None)):
            points = augmented(face.sample.at(kept[some]))[:, columns] * face.scale[columns]
            for least in LEAST_PIVOTS:
                rows, _ = independent(points, room[some], least)
                if len(rows) == columns.size:
                    return np.asarray(kept[some][rows])
        return np.asarray(kept[rows])

    def _read(self, line: Floats) -> tuple[Floats, float, Floats]:
        """Return the agreements of a line, its log-likelihood, and its gradient."""
        a = self._scores(line)
        sigma, curvature, error = np.empty((3, a.size))
        logistic_parts(a, sigma, curvature, error)
        share = self.face.weight * sigma * self.face.sample.y
        pulls = np.append(self.face.sample.x0 * share.sum(), share @ self.face.sample.X)
        return a, 0.0 - float(self.face.weight @ error), pulls

    def _gap(self, k: int | None, rows: Indices, a: Floats, pulls: Floats) -> float | None:
        """Return the gap of shares moved on some rows; None where they cannot balance."""
        face, columns = self.face, self.columns
        if rows.size != columns.size:
            return None
        weight, y = face.sample.weight[rows], face.sample.y[rows]
        table = augmented(face.sample.at(rows))
        scale = power_of_two_scale(table)[columns]
        A = (table[:, columns] * scale * y[:, np.newaxis]).T
        right = -pulls[columns] * scale
        if k is not None:
            right[columns == k] = 0.0
        try:
            moves = np.linalg.solve(A, right) / weight
        except np.linalg.LinAlgError:
            return None
        room = expit(-np.abs(a[rows]))
        if not (np.abs(moves) <= ROOM * room).all():
            return None
        return float(weight @ (moves * moves / (room * (1.0 - room))))

    def _line(self, c: Floats, digits: int) -> Floats:
        """Return a line with the scores of c, each weight a sum of `digits` doubles (digits, D)."""
        parts = [self.weights_of(c)]
        if digits == 2:
            kept = self.face.rows
            M, table = self.columns_of(kept), self.of.faces.table[kept]
            left = M @ c - table.astype(np.longdouble) @ parts[0].astype(np.longdouble)
            parts.append(self.weights_of(np.asarray(scipy.linalg.lstsq(M, left.astype(float))[0])))
        return np.array(parts)

    def _scores(self, line: Floats) -> Floats:
        """Return the agreements of a line, of few numbers in more digits than doubles have."""
        of, lost = self.face.sample, float(self.sizes @ np.abs(line[0])) * EPS
        if len(line) == 1 and lost <= LITTLE * self.of.rounding:
            return np.asarray(of.y * (of.X @ line[0, 1:] + of.x0 * line[0, 0]))
        table = self.of.faces.table
        scores = (table.astype(np.longdouble) @ line.T.astype(np.longdouble)).sum(axis=1)
        return np.asarray(of.y * scores.astype(np.float64))


def _exactly(parts: Floats) -> Fraction:
    first, *rest = map(Fraction, parts.tolist())
    return sum(rest, first)


def _power_above(least: Fraction) -> Fraction:
    if least <= 0:
        return Fraction(1)
    return Fraction(2) ** math.ceil(
        math.log2(least.numerator) - math.log2(least.denominator) + 1e-9
    )
