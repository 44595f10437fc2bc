"""From lines at the ends of intervals, checked in floats first, to the certificate of brackets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from separatrix.certificates.fits import KIND, LikelihoodIntervalProof
from separatrix.certificates.statement import Claim, number, numbers, vector
from separatrix.data import Floats, Sample
from separatrix.exact.integers import (
    IntegerRow,
    exact_scores,
    independent_rows,
    nearest_double,
    nullspace,
    primitive,
    whole_multiples,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.exact.span import LEAST_PIVOTS, independent
from separatrix.inference.intervals.bounds import Beside
from separatrix.inference.intervals.faces import Faces, Indices, Line
from separatrix.inference.intervals.search import Aim
from separatrix.inference.maximum import Maximum
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.least_squares.least_squares import (
    OrthonormalColumns,
    augmented,
    power_of_two_scale,
)
from separatrix.learners.logistic.newton import Place

FALL = 1e-13  # of a log-likelihood, relative: what rounding leaves
MARGIN = 4.0  # roundings between an end and the value inside
WIDEST = 2e-7  # of q, such a margin
CERTAIN = 70.0  # an agreement at which a row has no part in a likelihood
SEPARATED = 100.0  # likewise, of all rows
MANY = 4096  # rows of a long table that are tried first
LITTLE = 0.1  # of the rounding that there is room for
EPS, EPS_OF_LONG = (float(np.finfo(kind).eps) for kind in (np.float64, np.longdouble))
SEARCHED = 16.0  # times the rounding of sums that are not of the line itself
ROOM = 0.5  # of a share that a row may be moved by

Doubt = tuple[float, float]  # of sums of a line: what is off beside the rounding, and times that


@dataclass
class ExactEnds:
    """What exact arithmetic can check of lines at ends, of rows in memory."""

    of: Maximum
    q: float  # 2 (l* - l_j) at the ends
    faces: Faces  # of the table whose rows all have a weight, and of whose columns none is left out
    ends: list[Claim] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.maximum = self.of.log_likelihood
        self.on: list[OnFace] = []
        self.of_rows: dict[bytes, OnFace] = {}  # the first of those on which these rows stay
        self.rounding = FALL * max(1.0, -self.maximum)
        self.margin = MARGIN * self.rounding  # how far inside of an end to look for it

    @cached_property
    def sample(self) -> Sample:
        return self.faces.rows.whole()

    @cached_property
    def exact(self) -> SignedRows:
        return SignedRows(self.sample)

    @cached_property
    def table(self) -> Floats:
        return augmented(self.sample)

    @cached_property
    def sizes(self) -> Floats:
        """The largest size of a number in each column (D,)."""
        return np.asarray(np.abs(self.table).max(axis=0))

    @cached_property
    def whole(self) -> OnFace:
        """The face of all lines."""
        best, line = self.of.optimum, self.faces.whole_line()
        assert best is not None  # noqa: S101  # its callers'
        found = self.face(line, best.read.place, best.place.weights, self.maximum)
        *_, (top, _) = found.lines_near(best.place.c)
        if found.place.basis is not None and len(top) > 1:  # its columns were rounded, too
            self.maximum = found.value = found.read(top)[0]
        return found

    def face_beside(self, on: Beside | None) -> OnFace:
        """Return the face of a coefficient that diverges, or that of all lines."""
        whole, exact = self.whole, self.exact
        if on is None:
            return whole
        going, keep, own = on.going, whole.keep.copy(), list(on.own)
        keep[going.places[on.members]] = True
        if keep.tobytes() in self.of_rows:
            return self.of_rows[keep.tobytes()]
        kind, direction = going.kind[on.members], None
        free = np.setdiff1d(np.arange(exact.width), [exact.column(j) for j in whole.columns])
        columns = np.sort(np.append(whole.columns, [exact.index(int(free[i])) for i in own]))
        if any(on.direction):
            direction = tuple(primitive(whole_multiples(going.combined(on.direction))[0]))
        gone = going.places[np.unique(going.kind, return_index=True)[1]]
        found = OnFace(self, keep, direction, gone[~keep[gone]], whole.place, columns, whole.value)
        found.back = on.lines[self.faces.places]
        kinds = np.unique(kind).tolist()
        scores = [going.scores[k] for k in kinds]
        few = [kinds[i] for i in independent_rows([[row[i] for i in own] for row in scores])]
        at_top = on.more.M[:, : on.near.base.size] @ on.near.base
        room, more = on.rows.weight * expit(-np.abs(at_top)), going.places[on.members]
        rows = [more[kind == k][np.argmax(room[kind == k])] for k in few]
        found.rows = np.sort(np.append(whole.rows, rows))
        null, _ = nullspace(scores, len(going.weights))
        found.tell([going.combined(v) for v in null])
        return found

    def face(self, line: Line | None, place: Place, start: Floats, value: float) -> OnFace:
        """Return the face of a direction, one of whose lines is `start` (1+d,), with this value."""
        exact, direction, keep = self.exact, None, np.ones(self.sample.n, dtype=np.bool_)
        if line is not None:
            direction = tuple(primitive(whole_multiples(self.faces.wide(line))[0]))
            keep = exact.signs(exact.columns_of(line)) == 0
        known = self.of_rows.get(keep.tobytes())
        if known is not None:
            again = copy(known)
            again.place, again.value, again.back = place, value, None
            return again
        columns = np.arange(0 if exact.x0 else 1, self.sample.d + 1)
        if place.basis is not None:
            columns = np.sort(OrthonormalColumns(self.sample.at(np.flatnonzero(keep))).basic)
        found = OnFace(self, keep, direction, np.flatnonzero(~keep), place, columns, value)
        found.rows, null = found.rows_for(start[self.faces.places]), list[IntegerRow]()
        if columns.size < exact.width:
            own = columns if exact.x0 else columns - 1
            order = [*own.tolist(), *np.setdiff1d(np.arange(exact.width), own).tolist()]
            integers = [[row[j] for j in order] for row in exact.integers(found.rows)]
            basis, _ = nullspace(integers, exact.width)  # of columns that others make up, by one
            back = np.argsort(order).tolist()
            null = [[v[i] for i in back] for v in basis]
        lines = [exact.line_on_integers([Fraction(a) for a in v]) for v in null]
        found.tell([self.faces.wide(exact.weights(line)) for line in lines])
        return found

    def proof(self, infinite: list[tuple[int, int, int]]) -> LikelihoodIntervalProof | None:
        """Return it; None where floats find no dual point that shows l*."""
        best = self.of.optimum
        if best is None:
            found = self.faces.separability
            assert found is not None  # noqa: S101  # a line separates the rows
            assert found.line is not None  # noqa: S101
            least, _ = self.exact.least(self.exact.columns_of(found.line))
            if least <= 0:  # in columns that are not left out no line separates
                return None
            times = _power_above(Fraction(SEPARATED) / least)
            fit = {"line": numbers([times * a for a in self.faces.wide(found.line)])}
        elif (attained := self.whole.attained_top(best.place.c)) is not None:
            fit = attained
        else:
            return None
        lines, given = self.faces.lines if infinite else [], self.of.given
        assert given is not None  # noqa: S101  # rows in memory
        claim = {
            "kind": KIND,
            "q": self.q,
            "left_out": np.setdiff1d(np.arange(self.faces.width), self.faces.places).tolist(),
            "faces": [on.told for on in self.on],
            "fit": fit,
            "ends": self.ends,
            "recessions": [vector(self.faces.wide(line)) for line in lines],
            "infinite": [{"index": j, "side": side, "recession": k} for j, side, k in infinite],
        }
        return LikelihoodIntervalProof(self.of.rows.x0, given, claim)


@dataclass(eq=False)
class OnFace:
    """The rows that stay along a direction of recession, and what is shown of lines on them."""

    of: ExactEnds
    keep: NDArray[np.bool_]  # (N,) which rows stay
    direction: tuple[int, ...] | None  # (1+d,) whole numbers, positive on exactly the rows that go
    gone: Indices  # rows that stand for all that go
    place: Place  # coordinates of lines, of all columns
    columns: Indices  # independent ones
    value: float  # a log-likelihood: those of lines are given as differences from it
    back: Floats | None = None  # (D, p) what makes weights of further coordinates
    index: int = field(init=False)  # of the face in the certificate
    rows: Indices = field(init=False)
    null: Sequence[Line] = field(init=False)
    told: Claim = field(init=False)

    def tell(self, null: Sequence[Line]) -> None:
        """Note what the certificate says of the face; lines (1+d,) vanish on the rows that stay."""
        of, self.null = self.of, null
        self.told = {
            "direction": [] if self.direction is None else [vector(self.direction)],
            "columns": of.faces.places[self.columns].tolist(),
            "rows": self.rows.tolist(),
            "null_space": [vector(line) for line in null],
        }
        self.index = len(of.on)
        of.on.append(self)
        of.of_rows.setdefault(self.keep.tobytes(), self)

    @cached_property
    def staying(self) -> Indices:
        return np.flatnonzero(self.keep)

    @cached_property
    def weight(self) -> Floats:
        """(N,) the weights of rows that stay, 0 for the others."""
        return np.where(self.keep, self.of.sample.weight, 0.0)

    @cached_property
    def scale(self) -> Floats:
        """Powers of two that bring the columns to one size."""
        return power_of_two_scale(self.of.table[self.staying])

    @cached_property
    def least(self) -> Fraction:
        """The least score of the direction among the rows that go."""
        assert self.direction is not None  # noqa: S101
        rows = SignedRows(self.of.sample.at(self.gone))
        line = [Fraction(self.direction[j]) for j in self.of.faces.places]
        return rows.least(rows.columns_of(line))[0]

    @cached_property
    def total(self) -> Floats:
        """Sums of weight |z| over the rows that stay: (D,)."""
        return np.asarray(self.weight @ np.abs(self.of.table))

    def weights_of(self, c: Floats) -> Floats:
        """Return the weights of a line by its coordinates, of the columns not left out."""
        k = self.place.c.size
        found = replace(self.place, c=c[:k]).weights[self.of.faces.places]
        return found if self.back is None else found + self.back @ c[k:]

    def accept(self, aim: Aim, value: float, pulls: Floats) -> tuple[float, float] | None:
        """Return the values beside an end, where a line that is at hand shows them."""
        of, k, side, margin = self.of, self.of.faces.place(aim.j), aim.side, aim.room
        fall, r = 2.0 * (of.maximum - value - self.value), of.rounding
        if not of.q + r - 4.0 * margin <= fall <= of.q:
            return None
        for line, away in self.lines_near(aim.c):
            as_read = self.back is None and self.place.basis is None and len(line) == 1
            if as_read:
                own = self.place.scaling.sum_of_rows(pulls)
                found = value + self.value + away * float(own[0])
            elif self.of.sample.n > MANY and self._needs_exact(line):
                continue
            else:
                found, own = self.read(line)
            inside, slope = _exactly(line[:, k]), float(own[k])
            if not slope * side < 0.0:
                continue
            outside = inside + Fraction(side * 1.5 * margin / abs(slope))
            outside = Fraction(float(outside)) if len(line) == 1 else outside
            for rows in (self.rows, None):
                used = self.rows_for(line.sum(axis=0)) if rows is None else rows
                doubt = (0.25 * abs(away), SEARCHED) if as_read else (0.0, 1.0)
                gap = self._gap(k, used, line, own, doubt)
                if gap is None:
                    continue
                if not self._holds(found, gap, slope, float(outside - inside)):
                    if aim.settled:
                        continue
                    break
                own_rows = {} if rows is not None else {"rows": used.tolist()}
                end = {"index": aim.j, "side": side, "outside": number(outside), **own_rows}
                of.ends.append(end | self._attained(line))
                return float(inside), float(outside)
        return None

    def _holds(self, value: float, gap: float, slope: float, away: float) -> bool:
        """Whether floats show both sides, with room for rounding."""
        of = self.of
        inside = 2.0 * (of.maximum - value)
        outside = inside - 2.0 * (gap + away * slope)
        near = 2.0 * abs(away * slope) <= 4.0 * WIDEST * of.q
        return near and inside <= of.q - of.rounding and outside >= of.q + of.rounding

    def attained_top(self, top: Floats) -> Claim | None:
        for line, _ in self.lines_near(top):
            gap = self._gap(None, self.rows, line, self.read(line)[1])
            if gap is not None and gap <= 0.25 * self.of.rounding:
                return self._attained(line)
        return None

    def _attained(self, line: Floats) -> Claim:
        """Return what the certificate says of a line, moved until the rows that go are far off."""
        exact: Sequence[Fraction] = self.of.faces.wide([*map(_exactly, line.T)])
        if self.direction is not None:
            reach = float(np.abs(line.sum(axis=0)) @ self.of.sizes)
            needed = CERTAIN + (1.0 + CERTAIN * EPS) * reach
            times = _power_above(Fraction(needed) / self.least)
            exact = [a + times * w for a, w in zip(exact, self.direction, strict=True)]
        return {"face": self.index, "line": numbers(exact)}

    def rows_for(self, w: Floats) -> Indices:
        """Return independent rows, of the table, whose shares at a line have room to move."""
        of, columns, kept = self.of.sample, self.columns, self.staying
        room = (of.weight * expit(-np.abs(of.X @ w[1:] + of.x0 * w[0])))[kept]
        rows: list[int] = []
        for some in (slice(None, None, max(1, kept.size // MANY)), slice(None)):
            points = self.of.table[kept[some]][:, columns] * self.scale[columns]
            for least in LEAST_PIVOTS:
                rows, _ = independent(points, room[some], least)
                if len(rows) == columns.size:
                    return np.asarray(kept[some][rows])
        return np.asarray(kept[rows])

    def read(self, line: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood of a line, and its gradient."""
        a = self._agreements(line, slice(None))
        sigma, curvature, error = np.empty((3, a.size))
        logistic_parts(a, sigma, curvature, error)
        share, table = self.weight * sigma * self.of.sample.y, self.of.table
        pulls = share @ (table.astype(np.longdouble) if self._lossy(line) else table)
        return 0.0 - float(self.weight @ error), pulls.astype(np.float64)

    def _gap(
        self, k: int | None, rows: Indices, line: Floats, pulls: Floats, doubt: Doubt = (0.0, 1.0)
    ) -> float | None:
        """Return the gap of shares moved on some rows; None where they cannot balance."""
        columns, few = self.columns, self.of.sample.at(rows)
        if rows.size != columns.size:
            return None
        table = augmented(few)
        scale = power_of_two_scale(table)[columns]
        A = (table[:, columns] * scale * few.y[:, np.newaxis]).T
        right = -pulls[columns] * scale
        # the usual rounding of a sum of n numbers, by which the exact shares move, too
        away, times = doubt
        each = away + times * EPS / math.sqrt(self.of.sample.n)
        rounding = each * self.total[columns] * scale
        if k is not None:
            right[columns == k] = rounding[columns == k] = 0.0
        try:
            inverse = np.linalg.inv(A)
        except np.linalg.LinAlgError:
            return None
        room = expit(-np.abs(self._agreements(line, rows)))
        moves = (np.abs(inverse @ right) + np.abs(inverse) @ rounding) / few.weight
        if not (moves <= ROOM * room).all():
            return None
        return float(few.weight @ (moves * moves / (room * (1.0 - room))))

    def lines_near(self, c: Floats) -> Iterator[tuple[Floats, float]]:
        """Yield lines near c, sums of doubles (1, D) or (2, D), and how far their w_0 is off."""
        nearest = self.weights_of(c)[np.newaxis]
        if not self._lossy(nearest):
            yield nearest, 0.0
            return
        exact = self._exact_weights(c)
        yield nearest, float(Fraction(float(nearest[0, 0])) - exact[0])
        first = [*map(float, exact)]
        rest = [float(a - Fraction(b)) for a, b in zip(exact, first, strict=True)]
        yield np.array([first, rest]), 0.0

    def _exact_weights(self, c: Floats) -> list[Fraction]:
        """Return the weights of a line by its coordinates, in all digits that matter."""
        k, basis, scaling = self.place.c.size, self.place.basis, self.place.scaling
        if basis is None:  # the intercept alone loses some, of columns far from 0
            found = [*map(Fraction, replace(self.place, c=c[:k]).weights.tolist())]
            found[0] = Fraction(float(c[0]))
        else:
            scales = zip(basis, scaling.scale.tolist(), strict=True)
            found = [_dot(row, c[1:k]) * Fraction(scale) for row, scale in scales]
        centre = map(Fraction, scaling.centre.tolist())
        found[0] -= sum(a * b for a, b in zip(found[1:], [*centre][1:], strict=True))
        found = [found[j] for j in self.of.faces.places]
        if self.back is None:
            return found
        return [a + _dot(row, c[k:]) for a, row in zip(found, self.back, strict=True)]

    def _lossy(self, line: Floats, eps: float = EPS) -> bool:
        """Whether the scores of a line need more digits than floats of this precision have."""
        lost = float(self.total @ np.abs(line[0])) * eps
        return (eps == EPS and len(line) > 1) or lost > LITTLE * self.of.rounding

    def _needs_exact(self, line: Floats) -> bool:
        return self._lossy(line, EPS_OF_LONG / LITTLE / math.sqrt(self.of.sample.n))

    def _agreements(self, line: Floats, rows: Indices | slice) -> Floats:
        """Return the agreements of rows, in as many digits as they need."""
        y, table = self.of.sample.y[rows], self.of.table[rows]
        if not self._lossy(line):
            return np.asarray(y * (table @ line[0]))
        if self._needs_exact(line):
            exact = exact_scores(table, [*map(_exactly, line.T)])
            return np.asarray(y * np.array([*map(nearest_double, exact)]))
        scores = (table.astype(np.longdouble) @ line.T.astype(np.longdouble)).sum(axis=1)
        return np.asarray(y * scores.astype(np.float64))


def _exactly(parts: Floats) -> Fraction:
    return sum(map(Fraction, parts.tolist()), Fraction(0))


def _dot(a: Floats, b: Floats) -> Fraction:
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    return sum((Fraction(x) * Fraction(y) for x, y in pairs if x and y), Fraction(0))


def _power_above(least: Fraction) -> Fraction:
    more = math.log2(least.numerator) - math.log2(least.denominator)
    return Fraction(2) ** math.ceil(more + 1e-9)
