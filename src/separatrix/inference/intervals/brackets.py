"""From places at the ends of intervals to the certificate that brackets them.

A place proposed in floats becomes a line of doubles a little inside, and a value a little outside;
both are checked in floats first, with room for rounding. What is refused is tried again further
apart, and with a line in twice as many digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from separatrix.certificates.likelihood_interval import (
    Attained,
    End,
    LikelihoodIntervalProof,
)
from separatrix.certificates.likelihood_interval import Face as FaceOfProof
from separatrix.data import Floats
from separatrix.exact.dual_repair import LEAST_PIVOTS, independent
from separatrix.exact.integers import nullspace, primitive, whole_multiples
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.intervals.faces import Face, Faces
from separatrix.inference.intervals.profile_newton import FALL, Step, Target
from separatrix.learners.logistic.newton_coordinates import OrthonormalColumns

Line = tuple[Fraction, ...]
Rows = NDArray[np.int64]

FIRST_MARGIN = 4.0  # roundings of the log-likelihood, between an end and the value inside
WIDEN = 8.0
WIDEST = 2e-7  # of q, such a margin
CERTAIN = 70.0  # an agreement at which a row has no part in a likelihood
SEPARATED = 100.0  # likewise, of all rows
MANY = 4096  # rows of a long table that are tried first
ROOM = 0.5  # of a share that a row may be moved by


@dataclass(frozen=True)
class _Dual:
    """What a line's shares, moved on some rows, say of all lines with the same coefficient."""

    value: float  # the log-likelihood of the line on the rows that stay
    gap: float  # by how much a bound of it lies above
    slope: float  # of the bound, in the coefficient


@dataclass
class Brackets:
    """The certificate in the making."""

    faces: Faces  # of the table whose rows all have a weight, and of whose columns none is left out
    top: Step | None  # the maximum on the face of all lines; None where a line separates the rows
    q: float  # 2 (l* - l_j) at the ends
    places: Rows  # (1+d,) index of each column among all
    width: int  # of these
    ends: list[End] = field(default_factory=list)
    infinite: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._faces: list[Face] = []
        self._told: list[FaceOfProof] = []
        self.maximum = 0.0 if self.top is None else -self.top.value
        self.rounding = FALL * max(1.0, -self.maximum)

    # ------------------------------------------------------------------ ends

    def bracket(
        self, k: int, face: Face, f: Floats, c: Floats, target: Target
    ) -> tuple[float, float] | None:
        """Return the values inside and outside beside an end, once they hold in floats."""
        now = Step.at(face.objective, c, f)
        fall = 2.0 * abs(now.slope)  # of the likelihood, for each unit of the coefficient
        if not fall > 0.0:
            return None
        here = self._index(face, now)
        short = target.q - target.fall(now)
        margin = FIRST_MARGIN * self.rounding
        while margin <= WIDEST * self.q:
            there = now.c + now.towards + target.side * (short - margin) / fall * now.along
            for digits in _digits(face):
                line = _line(face, there, digits)
                inside = sum(line[k], Fraction(0))
                outside = inside + Fraction(target.side * 3.0 * margin / fall)
                outside = Fraction(float(outside)) if digits == 1 else outside
                for rows in (self._told[here].rows, None):
                    used = self._rows(face, expit(-now.a)) if rows is None else np.array(rows)
                    dual = self._dual(face, line, k, used)
                    if dual is None or not self._holds(dual, float(outside - inside)):
                        continue
                    at = self._attained(here, face, line)
                    own = None if rows is not None else tuple(used.tolist())
                    j = int(self.places[k])
                    self.ends.append(End(j, target.side, at, outside, own))
                    return float(inside), float(outside)
            margin *= WIDEN
        return None

    def accept(  # noqa: PLR0917  # one end
        self, k: int, face: Face, side: int, c: Floats, value: float, pulls: Floats, margin: float
    ) -> tuple[float, float] | None:
        """Return the values beside an end, where a line that is at hand shows them."""
        fall = 2.0 * (self.maximum - value)
        if not self.q + self.rounding - 3.0 * margin <= fall <= self.q - self.rounding:
            return None
        assert self.top is not None  # noqa: S101  # every row stays
        here = self._index(face, self.top)
        line = _line(face, c, 1)
        inside, slope = line[k][0], float(pulls[k])
        if not slope * side < 0.0:
            return None
        outside = Fraction(float(inside + Fraction(side * 1.5 * margin / abs(slope))))
        at = np.array(self._told[here].rows)
        a = face.sample.y[at] * (face.table[at] @ face.basis.basic_weights(c))
        gap = _gap(face, k, at, a, pulls)
        if gap is None or not self._holds(_Dual(value, gap, slope), float(outside - inside)):
            return None
        self.ends.append(End(int(self.places[k]), side, self._attained(here, face, line), outside))
        return float(inside), float(outside)

    def _holds(self, dual: _Dual, away: float) -> bool:
        """Whether floats show both sides, with room for rounding."""
        inside = 2.0 * (self.maximum - dual.value)
        outside = inside - 2.0 * (dual.gap + away * dual.slope)
        near = 2.0 * abs(away * dual.slope) <= 4.0 * WIDEST * self.q
        return near and inside <= self.q - self.rounding and outside >= self.q + self.rounding

    def no_end(self, k: int, side: int, recession: int) -> None:
        """Note that the interval of coefficient k has no end on a side."""
        self.infinite.append((int(self.places[k]), side, recession))

    # ------------------------------------------------------------------ the certificate

    def certificate(self, sample_weight: Floats, x0: float) -> LikelihoodIntervalProof | None:
        """Return it; None where floats find no dual point that shows l*."""
        fit = self._fit()
        if fit is None:
            return None
        found = self.faces.separability
        shown = None if found is None or found.line is None else found.divergence
        lines = [] if shown is None or not self.infinite else shown.lines
        left_out = np.setdiff1d(np.arange(self.width), self.places)
        return LikelihoodIntervalProof(
            self.q, x0, sample_weight, tuple(self._told), fit, tuple(self.ends),
            tuple(self._wide(line) for line in lines), tuple(self.infinite),
            tuple(left_out.tolist()),
        )  # fmt: skip

    def _fit(self) -> Attained | None:
        whole = self.faces.whole
        if whole is None or self.top is None:
            found = self.faces.separability
            assert found is not None  # noqa: S101  # a line separates the rows
            assert found.line is not None  # noqa: S101
            rows = SignedRows(self.faces.sample, self.faces.x0)
            least, _ = rows.least(rows.columns_of(found.line))
            return Attained(None, self._wide(found.line), _power_above(Fraction(SEPARATED) / least))
        here = self._index(whole, self.top)
        c = self.top.c + self.top.towards
        for digits in _digits(whole):
            line = _line(whole, c, digits)
            dual = self._dual(whole, line, None, np.array(self._told[here].rows))
            if dual is not None and dual.gap <= 0.25 * self.rounding:
                return self._attained(here, whole, line)
        return None

    def _attained(self, here: int, face: Face, line: list[tuple[Fraction, ...]]) -> Attained:
        b = [sum(parts, Fraction(0)) for parts in line]
        times = Fraction(0)
        if face.direction is not None:
            gone = np.flatnonzero(~face.keep)
            rows = SignedRows(self.faces.sample, self.faces.x0)
            ahead = rows.scores(rows.columns_of([Fraction(w) for w in face.direction]), gone)
            a = rows.scores(rows.columns_of(b), gone)
            need = max((Fraction(CERTAIN) - s) / t for s, t in zip(a, ahead, strict=True))
            times = _power_above(need)
        return Attained(here, self._wide(b), times)

    def _wide(self, line: list[Fraction] | Line) -> Line:
        """Return a line of all columns, those left out with a weight of 0."""
        found = [Fraction(0)] * self.width
        for j, a in zip(self.places.tolist(), line, strict=True):
            found[j] = Fraction(a)
        return tuple(found)

    # ------------------------------------------------------------------ faces

    def _index(self, face: Face, now: Step) -> int:
        for i, known in enumerate(self._faces):
            if known is face:
                return i
        columns = np.sort(face.basis.basic)
        rows = self._rows(face, expit(-now.a))
        null: list[Line] = []
        if columns.size < self.faces.sample.d + int(self.faces.x0):
            exact = SignedRows(self.faces.sample, self.faces.x0)
            basis, _ = nullspace(exact.integers(rows), exact.width)
            null = [
                self._wide(exact.weights(exact.line_on_integers([Fraction(a) for a in v])))
                for v in basis
            ]
        direction = None
        if face.direction is not None:
            wide = self._wide([Fraction(w) for w in face.direction])
            direction = tuple(primitive(whole_multiples(wide)[0]))
        self._faces.append(face)
        self._told.append(
            FaceOfProof(
                direction, tuple(self.places[columns].tolist()), tuple(rows.tolist()), tuple(null)
            )
        )
        return len(self._told) - 1

    def _rows(self, face: Face, sigma: Floats) -> Rows:
        """Return independent rows, of the table, whose shares sigma (n,) have room to move."""
        room = face.sample.weight * np.minimum(sigma, 1.0 - sigma)
        kept, columns = np.flatnonzero(face.keep), np.sort(face.basis.basic)
        for some in (slice(None, None, max(1, kept.size // MANY)), slice(None)):
            points = face.table[some, columns] * face.basis.scale[columns]
            for least in LEAST_PIVOTS:
                rows, _ = independent(points, room[some], least)
                if len(rows) == columns.size:
                    return np.asarray(kept[some][rows])
        return np.asarray(kept[rows])

    def _dual(
        self, face: Face, line: list[tuple[Fraction, ...]], k: int | None, rows: Rows
    ) -> _Dual | None:
        """Return the dual point of a line, in floats; None where rows cannot carry the moves."""
        a = face.sample.y * _scores(face.table, line)
        value = -face.objective.value(np.zeros(face.basis.M.shape[1]), a)
        pulls = face.table.T @ (face.sample.weight * expit(-a) * face.sample.y)
        at = np.searchsorted(np.flatnonzero(face.keep), rows)
        gap = _gap(face, k, at, a[at], pulls)
        return None if gap is None else _Dual(value, gap, 0.0 if k is None else float(pulls[k]))


def _gap(face: Face, k: int | None, at: Rows, a: Floats, pulls: Floats) -> float | None:
    """Return the gap of shares moved on some rows of a face; None where they cannot balance."""
    columns = np.sort(face.basis.basic)
    if at.size != columns.size:
        return None
    weight, scale = face.sample.weight[at], face.basis.scale[columns]
    A = (face.table[np.ix_(at, columns)] * scale * face.sample.y[at, np.newaxis]).T
    right = -pulls[columns] * scale
    if k is not None:
        right[columns == k] = 0.0
    try:
        moves = np.linalg.solve(A, right) / weight
    except np.linalg.LinAlgError:
        return None
    room = expit(-np.abs(a))
    if not (np.abs(moves) <= ROOM * room).all():
        return None
    return float(weight @ (moves * moves / (room * (1.0 - room))))


def _digits(face: Face) -> tuple[int, ...]:
    """Return as how many doubles the weights of lines are tried."""
    return (1, 2) if isinstance(face.basis, OrthonormalColumns) else (1,)


def _line(face: Face, c: Floats, digits: int) -> list[tuple[Fraction, ...]]:
    """Return a line (1+d,) with the scores of c, each weight a sum of `digits` doubles."""
    parts = [face.basis.basic_weights(c)]
    if digits == 2:
        scores = face.basis.M @ c
        long = face.table.astype(np.longdouble)
        left = scores - long @ parts[0].astype(np.longdouble)
        parts.append(face.basis.basic_weights(face.basis.M.T @ left.astype(np.float64)))
    return [
        tuple(map(Fraction, weights)) for weights in zip(*(p.tolist() for p in parts), strict=True)
    ]


def _scores(table: Floats, line: list[tuple[Fraction, ...]]) -> Floats:
    """Return the scores of a line, in more digits than doubles have where it has more."""
    parts = np.array([[float(a) for a in weights] for weights in line])
    if parts.shape[1] == 1:
        return np.asarray(table @ parts[:, 0])
    long = table.astype(np.longdouble)
    return np.asarray((long @ parts.astype(np.longdouble)).sum(axis=1), dtype=np.float64)


def _power_above(least: Fraction) -> Fraction:
    """Return a power of two that is not below a number."""
    if least <= 0:
        return Fraction(1)
    return Fraction(2) ** math.ceil(
        math.log2(least.numerator) - math.log2(least.denominator) + 1e-9
    )
