"""Firth's penalised likelihood F(w) = l(w) + ln det I(w) / 2 of a table: maxima and profile ends.

F has a maximum on every table (Firth 1993; Heinze & Schemper 2002; Kosmidis & Firth 2021); it is
not known to be concave. Its Hessian is -B - T / 2, B = sum m v (1 + q (3 v - 1/2)) x x',
v = p (1 - p), q = x' I^-1 x, T_kl = tr(I^-1 I_k I^-1 I_l), I_k the derivative of I in direction k:
F is concave at w where no q exceeds 2, or 1 + q (3 v - 1/2) is positive in every row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from separatrix.certificates.stationary_point import LEAST_RADIUS, StationaryPoint
from separatrix.data import Floats, Sample
from separatrix.kernels.smooth.firth import Table, climb, find_end, look, new_place
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.least_squares.least_squares import OrthonormalColumns
from separatrix.learners.logistic.problem import others, without
from separatrix.scale import Rows
from separatrix.tiles import one_blas_thread

ROOM = 100.0  # times a last step: how far the maximum is claimed to be at most
TESTS_TOL = 1e-4  # of the last step of a constrained maximum: F is then good to 1e-9
ENDS_TOL = 1e-5  # of the last step to an end, in standard errors; what is left is some 1e-7
STARTS = (-0.3, 3.0)  # other ones, in units of the maximum that is found from 0
STATIONARY = 1e-3  # a last step that is longer did not end near a stationary point
MOST_STEPS = 1000
RENEWED = 12  # steps after which the exact Hessian is found again
ROUNDS, OF_A_ROUND = 8, 6  # of steps to an end; the exact Hessian is found after each round
OF_A_VALUE = 40  # steps to the maximum at one value of a coefficient
WIDENINGS = 12  # of the bracket of an end
HALVINGS = 48
ALONG_BEST = (-2.0, 1.0, 8.0)  # other starts on a plane, in steps away from the best line's path
ALONG_0 = (-2.0, 1.0)  # and away from the path of 0
FEW_ROWS = 15  # for each column, below which other starts are worth their time
HIGHER = 1e-6  # by which another branch of a profile is above
BRANCHES = 4


@dataclass(frozen=True, slots=True)
class Point:
    """A local maximum of F, on all lines or on some."""

    c: Floats  # (r,) the line in orthonormal columns
    value: float  # F there, the information in the units of `PenalisedLikelihood`
    length: float  # of the last step, in standard errors
    n_steps: int


@dataclass(frozen=True, slots=True)
class Columns:
    """The penalised likelihood of the columns that are kept, and those left out."""

    likelihood: PenalisedLikelihood  # PenalisedLikelihood of the sample's other columns
    left_out: Mapping[int, tuple[int, ...]]
    kept: list[int]  # indices in (1+d,) of the others
    sample: Sample

    @classmethod
    def of(cls, sample: Sample) -> Columns:
        """Return those of a sample of rows with positive weights."""
        likelihood = PenalisedLikelihood(sample)
        left_out = {}
        if likelihood.basis.near_singular:
            left_out = collinear_of(Rows.of(sample))
        kept = others(sample, left_out)
        if left_out:
            sample = without(sample, left_out)
            likelihood = PenalisedLikelihood(sample)
        return cls(likelihood, left_out, kept, sample)

    def claim(self, point: Point, tol: float, sample_weight: Floats) -> StationaryPoint:
        """Return the claim that one maximum is within some `tol` standard errors of a point."""
        line, columns = self.line(point.c)
        radius = max(LEAST_RADIUS, ROOM * max(tol, point.length))
        return StationaryPoint(line, sample_weight, columns, radius, self.sample.x0)

    def line(self, c: Floats) -> tuple[Floats, tuple[int, ...]]:
        """Return weights (1+d,) of c on independent columns alone, and which those are."""
        basis = self.likelihood.basis
        columns = tuple(sorted(self.kept[j] for j in basis.basic.tolist()))
        return self.spread_out(basis.basic_weights(c), 0.0), columns

    def spread_out(self, values: Floats, otherwise: float) -> Floats:
        """Return values of the columns kept as (1+d,), those of the others being `otherwise`."""
        every = np.full(len(self.kept) + len(self.left_out), otherwise)
        every[self.kept] = values
        return every


class PenalisedLikelihood:
    """F in orthonormal columns (r) of a sample's rows, which all have a positive weight."""

    def __init__(self, sample: Sample) -> None:
        self.basis = OrthonormalColumns(sample)
        M = np.ascontiguousarray(self.basis.M.T)
        self.table = Table(M, sample.y, sample.weight)
        self._place = new_place(*M.shape)
        self.rank = len(M)

    def at(self, c: Floats) -> float:
        with one_blas_thread():
            return float(look(self.table, c, self._place))

    def weights(self, c: Floats) -> Floats:
        """Return the weights (1+d,) of c; exactly dependent columns share theirs."""
        return self.basis.weights(c)

    def scores(self, c: Floats) -> Floats:
        with one_blas_thread():
            return np.asarray(c @ self.table.M)

    def leverages(self, c: Floats) -> Floats:
        """Return the leverages (N,) of the rows at c, a weight of k counted for k copies."""
        self.at(c)
        return self.table.m * self._place.curvature * self._place.spread

    def standard_errors(self, c: Floats) -> Floats:
        """Return the roots of the diagonal of I^-1 at c (1+d,); NaN where undetermined."""
        self.at(c)
        half = self._place.inverse @ self.back.T
        return np.asarray(np.sqrt((half * half).sum(axis=0)))

    def maximum(self, tol: float, most: int = MOST_STEPS) -> Point:
        """Return the best maximum of a climb from 0, and where F may bend upwards of two others."""
        nowhere = np.empty((0, self.rank))
        best = self.climb(nowhere, np.zeros(self.rank), tol, most)
        if self._bends_down():
            return best
        others = [self.climb(nowhere, t * best.c, tol, most) for t in STARTS]
        return max([best, *others], key=lambda point: point.value)

    def climb(
        self, A: Floats, start: Floats, tol: float, most: int = MOST_STEPS, newton: bool = False
    ) -> Point:
        """Return a local maximum on the plane of lines c with A c = A start, A (s, r)."""
        correction = self.correction if newton else np.zeros((self.rank, self.rank))
        point = self._climbed(A, start.copy(), tol, most, correction)
        if not point.length <= STATIONARY or self._bends_down():
            return point
        upwards = self._upwards(A, point.c)
        if upwards is None:
            return point
        ways = [self._climbed(A, point.c + t * upwards, tol, most, correction) for t in (1.0, -1.0)]
        return max([point, *ways], key=lambda other: other.value)

    def _climbed(self, A: Floats, c: Floats, tol: float, most: int, correction: Floats) -> Point:
        """Return where steps from c end; the Hessian that makes them is renewed now and then."""
        taken, value, length = 0, -np.inf, np.inf
        while taken < most:
            steps = min(RENEWED, most - taken)
            with one_blas_thread():
                value, length, made = climb(self.table, A, correction, c, tol, steps, self._place)
            taken += made
            if np.isfinite(length) or not np.isfinite(value):
                break
            correction = self.negative_hessian(c) - self._information()
        return Point(c, value, length, taken)

    @cached_property
    def best(self) -> Point:
        """The maximum on all lines, as near as doubles come."""
        return self.maximum(1e-9)

    @cached_property
    def curvature(self) -> Floats:
        """The exact Hessian of -F at the maximum (r, r)."""
        return self.negative_hessian(self.best.c)

    @cached_property
    def correction(self) -> Floats:
        """What that adds to the information (r, r)."""
        self.at(self.best.c)
        return self.curvature - self._information()

    @cached_property
    def _inverse(self) -> Floats:
        return np.asarray(scipy.linalg.inv(self.curvature, check_finite=False))

    def _information(self) -> Floats:
        """Return the Fisher information (r, r) where `look` was last."""
        lower = np.tril(self._place.information)
        return lower + np.tril(lower, -1).T

    @cached_property
    def back(self) -> Floats:
        """The weights (1+d, r) of each orthonormal column: w = back c; NaN where undetermined."""
        return self.basis.back()

    def negative_hessian(self, c: Floats) -> Floats:
        """Return the exact Hessian of -F at c (r, r): some r^3 N / 3 multiplications."""
        self.at(c)
        place, M, r = self._place, self.table.M, self.rank
        v, q = place.curvature, place.spread
        d = self.table.m * v
        with one_blas_thread():
            B = (M * (d * (1.0 + q * (3.0 * v - 0.5)))) @ M.T
            white = place.inverse @ M
            third = np.empty((r, r, r))  # sum m v' x x x in coordinates where I = 1
            slope = d * (2.0 * place.share - 1.0) * self.table.y
            for k in range(r):
                part = (white[k:] * (slope * white[k])) @ white[k:].T
                third[k, k:, k:] = part
                third[k:, k, k:] = part
                third[k:, k:, k] = part
            flat = third.reshape(r, r * r)
            back = place.lower @ flat
            return np.asarray(B + back @ back.T / 2.0)

    # ------------------------------------------------------------------ profiles

    def fixed(self, columns: list[int]) -> Point:
        """Return the maximum over the lines in which these coefficients (1+d,) are 0."""
        A = self._rows(columns)[0]
        if not np.isfinite(A).all() or not self.rank:
            return self.best
        start = self.best.c - (A @ self.best.c) @ self._paths(A)
        return self._highest(A, self.climb(A, start, TESTS_TOL, newton=True), TESTS_TOL)

    def _paths(self, A: Floats) -> Floats:
        """Return by what the line moves (s, r) as each of the coefficients A c does."""
        outwards = self._inverse @ A.T
        return np.asarray(np.linalg.solve(A @ outwards, outwards.T))

    def _highest(self, A: Floats, point: Point, tol: float) -> Point:
        """Return the highest of a point and where climbs from elsewhere on its plane end."""
        if len(A) == self.rank or self.table.M.shape[1] >= FEW_ROWS * self.rank:
            return point
        self.at(point.c)
        if self._bends_down():
            return point
        path = self._paths(A)
        from_best = point.c - self.best.c - (A @ (point.c - self.best.c)) @ path
        from_0 = point.c - (A @ point.c) @ path
        starts = [point.c + t * from_best for t in ALONG_BEST]
        starts += [point.c + t * from_0 for t in ALONG_0]
        others = [self.climb(A, start, tol, newton=True) for start in starts]
        return max([point, *others], key=lambda other: other.value)

    def end(self, j: int, side: float, fall: float) -> tuple[float, Floats]:
        """Return coefficient j (1+d,), and the line c, where 2 (F - profile) reaches `fall`."""
        A, (unit,) = self._rows([j])
        a = A[0]
        if not np.isfinite(a).all() or not a.any():
            return side * np.inf, self.best.c
        outwards = self._inverse @ a
        ahead = side * np.sqrt(fall / float(a @ outwards)) * outwards
        c = self._settled(a, side, fall, self.best.c + ahead, self.correction)
        v, c = (float(a @ c), c) if c is not None else self._bracketed_end(a, side, fall)
        for _ in range(BRANCHES):
            if not np.isfinite(v):
                break
            here = Point(c, self.at(c), 0.0, 0)
            other = self._highest(A, here, TESTS_TOL)
            if not other.value > here.value + HIGHER:
                break
            v, c = self._bracketed_end(a, side, fall, other.c)
        return v * float(unit), c

    def _rows(self, columns: list[int]) -> tuple[Floats, Floats]:
        """Return rows (s, r) of `back` in powers of two, and these: lest their squares vanish."""
        A = self.back[columns]
        most = np.abs(A).max(axis=1, initial=0.0)
        units = np.where(
            (most > 0.0) & np.isfinite(most), np.ldexp(1.0, np.frexp(most)[1] - 1), 1.0
        )
        return np.ascontiguousarray(A / units[:, np.newaxis]), units

    def _settled(
        self, a: Floats, side: float, fall: float, c: Floats, correction: Floats
    ) -> Floats | None:
        """Return the end (r,) to which steps from c lead; None where it is none."""
        c = c.copy()
        for _ in range(ROUNDS):
            with one_blas_thread():
                length, _ = find_end(
                    self.table, a, side, fall, correction, self.best.value, c, ENDS_TOL,
                    OF_A_ROUND, self._place,
                )  # fmt: skip
            if np.isfinite(length):
                beyond = side * (a @ c - a @ self.best.c) > 0.0
                top = self._bends_down() or self._upwards(a[np.newaxis], c) is None
                return c if beyond and top else None
            if not np.isfinite(self.at(c)):
                return None
            correction = self.negative_hessian(c) - self._information()
        return None

    def _bracketed_end(
        self, a: Floats, side: float, fall: float, inside_at: Floats | None = None
    ) -> tuple[float, Floats]:
        """Return the same by bisection on the maximum at each value of the coefficient."""
        A, best = a[np.newaxis], self.best
        outwards = self._inverse @ a
        unit = side * np.sqrt(fall / float(a @ outwards))
        path = outwards / float(a @ outwards)

        def excess(v: float, start: Floats) -> tuple[float, Floats]:
            there = start + (v - a @ start) * path
            point = self.climb(A, there, 1e-6, OF_A_VALUE, newton=True)
            straight = best.c + (v - a @ best.c) * path
            other = self.climb(A, straight, 1e-6, OF_A_VALUE, newton=True)
            point = max(point, other, key=lambda p: p.value)
            return 2.0 * (best.value - point.value) - fall, point.c

        c = best.c if inside_at is None else inside_at
        inside = float(a @ c)
        for _ in range(WIDENINGS):
            outside = inside + unit
            over, further = excess(outside, c)
            if over >= 0.0:
                break
            inside, c, unit = outside, further, 2.0 * unit
        else:
            return np.nan, c
        for halved in range(HALVINGS):
            middle = (inside + outside) / 2.0
            if middle in (inside, outside):
                break
            over, there = excess(middle, c)
            if over >= 0.0:
                outside = middle
            else:
                inside, c = middle, there
            if halved % 4 == 3:
                H = self.negative_hessian(c)
                found = self._settled(a, side, fall, c, H - self._information())
                if found is not None and side * inside < side * (a @ found) < side * outside:
                    return float(a @ found), found
        return inside, c

    # ------------------------------------------------------------------ curvature

    def _bends_down(self) -> bool:
        """Whether F is concave where `look` was last, by each row alone."""
        place = self._place
        return bool((1.0 + place.spread * (3.0 * place.curvature - 0.5) > 0.0).all())

    def _upwards(self, A: Floats, c: Floats) -> Floats | None:
        """Return a step (r,) in the plane of constant A c along which F bends up; None if none."""
        H = self.negative_hessian(c)
        plane = scipy.linalg.null_space(A) if len(A) else np.eye(self.rank)
        if not plane.shape[1] or not np.isfinite(H).all():
            return None
        lower, inverse = self._place.lower, self._place.inverse
        inside, _ = np.linalg.qr(np.tril(lower).T @ plane)
        values, vectors = np.linalg.eigh(inside.T @ (inverse @ H @ inverse.T) @ inside)
        if values[0] > 0.0:
            return None
        return np.asarray(inverse.T @ (inside @ vectors[:, 0]))
