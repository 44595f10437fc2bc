"""Likelihood intervals of rows that are read in blocks: a read serves all ends and statistics.

The search is that of a long table in memory (`many_ends`). What is shown of an end is shown with
bounds of rounding. A read gives of each line c the fall l(c*) - l(c) from the maximum c*, summed of
differences row by row, and the gradient g. Let H be the Hessian at c* and p some z'H^-1 z. As
|theta''| <= theta', each row with at most that keeps, along c + t e, at least a part
exp(-|z.(c - c*)| - |z.e|) of its curvature at c* (Bach 2010); the others have at most a share s of
the curvature in any direction. So for all |e|_H <= r, k = (1 - s) exp(-p^(1/2) (|c - c*|_H + r)),

    l(c + e) <= l(c) + g.e - k e'He / 2,

whose maximum over f.e = dv is at most m dv + G / (2 k): m is the slope and G the gain of Newton's
step that keeps f.c, both by H. As l is concave that bounds all lines with the coefficient f.c + dv,
once the maximum is far inside |e|_H <= r. The same with nothing fixed bounds l* from above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter

import numpy as np
import scipy.linalg
from scipy.special import expit

from separatrix.data import Floats
from separatrix.inference.intervals.many_ends import (
    FEWEST,
    SIDES,
    LinesRead,
    RowsInColumns,
    Search,
    Together,
)
from separatrix.inference.intervals.profile import PRECISION, LikelihoodIntervals, quantile
from separatrix.inference.maximum_in_blocks import (
    MaximumInBlocks,
    rows_on,
    without_columns_in_blocks,
)
from separatrix.learners.logistic.reads import Place, Read, optimum_in_blocks
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, stack_of_tiles

EPS = float(np.finfo(np.float64).eps)
OPERATIONS = 8.0  # roundings of a score beside those of its sum, and of an error
SPARE = 1e-6  # relative, of slopes
REACH = 0.1  # r
STRETCHES = 4.0 ** np.arange(2, -9, -1)  # p, of which the best is taken
FOUND, CHECKED = 2.0, 1.0  # roundings of a fall for which there is room: a check has its own
MARGIN = 8.0  # roundings of a fall, between an end and the value inside
LEAST_MARGIN = 1e-9  # of q
WIDEST = 1e-3  # of q, by which falls on both sides of an end may differ
MOST_FITS = 8  # without a column, for statistics that are not found together with the others
IN_MEMORY = "the finite end of a coefficient that diverges is found in memory only"
FAR = "its search did not converge within the reads that all ends share"


@dataclass(frozen=True)
class EndInBlocks:
    """A finite end of the interval of a coefficient."""

    index: int  # in (1+d,)
    side: int  # -1 for the lower end, +1 for the upper
    line: Floats  # (k,) in the coordinates of the proof, whose coefficient is inside
    inside: float
    outside: float


@dataclass(frozen=True)
class IntervalsInBlocks:
    """The claim that ends of likelihood intervals lie in brackets, shown in floats."""

    place: Place  # within a step of the maximum: coordinates, and where the Hessian is taken
    top: Floats  # (k,) the maximum
    q: float  # 2 (l* - l_j) at the ends
    ends: tuple[EndInBlocks, ...]
    of_line: Floats | None = None  # (m, 1+d) the line on which the rows are that have a part in it

    def verify(self, table: Rows, y: None = None) -> bool:  # noqa: ARG002
        """Whether three reads of a table show every end again. The table brings its labels."""
        rows = rows_on(table, self.of_line)
        with one_blas_thread(), np.errstate(all="ignore"):
            try:
                near = _Near.of(rows, self.place, self.top, Read.of(rows, self.place).hessian)
            except scipy.linalg.LinAlgError:
                return False
            read = near.read(np.column_stack([end.line for end in self.ends]))
            for i, end in enumerate(self.ends):
                found = near.bracket(
                    end.index, end.side, end.line, float(read.value[i]), read.pulls[:, i],
                    self.q, WIDEST * self.q, CHECKED,
                )  # fmt: skip
                if found is None:
                    return False
                inside, outside = found
                if (
                    not (end.inside - inside) * end.side
                    <= 0.0
                    <= (end.outside - outside) * end.side
                ):
                    return False
        return True


def intervals_in_blocks(of: MaximumInBlocks, level: float) -> LikelihoodIntervals:
    """Return likelihood intervals and likelihood-ratio statistics of coefficients."""
    q, nan = quantile(level), np.full(of.sample.d + 1, np.nan)
    every = range(0 if of.x0 else 1, nan.size)
    wanted = [j for j in every if j not in of.undetermined and j not in of.infinite]
    brackets, chi2 = np.full((nan.size, 2, 2), np.nan), nan.copy()
    reasons = dict.fromkeys(sorted(of.infinite), IN_MEMORY)
    for j, way in of.infinite.items():
        if way:
            brackets[j, SIDES.index(way)] = way * np.inf
    claim = None
    if of.optimum is not None and wanted:
        asked = of.sample.journal.part(f"likelihood intervals, level {level!r}")
        rows, place, top = rows_on(of.sample, of.line), of.optimum.read.place, of.optimum.place.c
        with asked, one_blas_thread(), np.errstate(all="ignore"):
            try:
                near = _Near.of(rows, place, top, of.optimum.read.hessian)
                found, statistics = near.found(wanted, q)
            except scipy.linalg.LinAlgError:
                reasons |= dict.fromkeys(wanted, PRECISION)
            else:
                for end in found:
                    brackets[end.index, SIDES.index(end.side)] = end.inside, end.outside
                for j in [j for j in wanted if j not in statistics][:MOST_FITS]:
                    fewer, x0 = without_columns_in_blocks(rows, (j,), of.x0)
                    fall = optimum_in_blocks(fewer, x0).value - of.optimum.value
                    statistics[j] = max(0.0, 2.0 * fall)
                chi2[list(statistics)] = list(statistics.values())
                for j in wanted:
                    if np.isnan(brackets[j]).any() or np.isnan(chi2[j]):
                        reasons[j] = PRECISION if near.margins[j].max() > WIDEST * q else FAR
                place = replace(place, before=None, step=None)
                if found:
                    claim = IntervalsInBlocks(place, top, q, tuple(found), of.line)
    made = LikelihoodIntervals(
        level, q, of.log_likelihood, of.estimates(), brackets[:, 0, 0].copy(),
        brackets[:, 1, 0].copy(), brackets, chi2, tuple(sorted(reasons)), reasons,
        tuple(sorted(of.undetermined)),
        certificate=claim,
    )  # fmt: skip
    open_ones = list(of.undetermined)
    made.lower[open_ones], made.upper[open_ones] = -np.inf, np.inf
    return replace(made, undecided=tuple(sorted(reasons)))


@dataclass(frozen=True)
class _Near:
    """Rows near the maximum of their likelihood, in the coordinates of a place."""

    table: Rows
    place: Place
    top: Floats  # (k,) the maximum
    hessian: Floats  # (k, k) at the place
    weight: float  # of all rows
    sizes: Floats  # (1+d,) sums of weight |z| over the rows, z in the coordinates of the scaling
    lost: Floats  # s of each of `STRETCHES`
    few: RowsInColumns
    share: float
    margins: dict[int, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Rows, place: Place, top: Floats, hessian: Floats) -> _Near:
        lower = scipy.linalg.cholesky(hessian, lower=True)
        half = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        parts = table.map(_sizes, place, half, max(1, table.n // FEWEST))
        width = place.scaling.scale.size
        sizes = np.zeros(width + 1 + STRETCHES.size)
        for stack, *_ in parts:
            for of_tile in stack:
                sizes += of_tile
        few = RowsInColumns(*(np.concatenate([part[k] for part in parts]) for k in (1, 2, 3)))
        some, weight = float(few.weight.sum()), float(sizes[width])
        share = weight / some if some else 0.0
        lost = (1.0 + SPARE) * sizes[width + 1 :]
        return cls(table, place, top, hessian, weight, sizes[:width], lost, few, share)

    @cached_property
    def factor(self) -> tuple[Floats, bool]:
        found: tuple[Floats, bool] = scipy.linalg.cho_factor(self.hessian)
        return found

    @cached_property
    def tile_roundings(self) -> float:
        """How many roundings a sum over all rows may have, one in another."""
        return TILE + self.table.n / TILE + OPERATIONS

    @cached_property
    def doubt(self) -> float:
        """The largest |e|_(H^-1) of the roundings e of a gradient."""
        k = self.sizes.size
        sizes = self._spread(EPS * (self.tile_roundings + 2.0 * OPERATIONS * k) * self.sizes)
        inverse = scipy.linalg.cho_solve(self.factor, np.eye(len(self.hessian)))
        return float(sizes @ np.sqrt(np.diag(inverse)))

    def _spread(self, sizes: Floats) -> Floats:
        """Return bounds of sums over columns of the scaling as bounds in the coordinates."""
        basis = self.place.basis
        return sizes if basis is None else np.append(0.0, np.abs(basis).T @ sizes)

    def _reach(self, c: Floats) -> float:
        """Return a bound of sum weight |z.c| over all rows."""
        return float(np.abs(self.place.line(c)) @ self.sizes)

    def bend(self, c: Floats) -> float:
        """Return k around a line."""
        moved = c - self.place.c
        far = np.sqrt(moved @ self.hessian @ moved) + REACH
        return float(((1.0 - self.lost) * np.exp(-np.sqrt(STRETCHES) * far)).max())

    def rounding(self, c: Floats) -> float:
        """Return by how much rounding may change the fall from the maximum to a line."""
        scores = self._reach(c) + self._reach(self.top)
        errors = scores + 2.0 * np.log(2.0) * self.weight
        found = (2.0 * len(self.hessian) + OPERATIONS) * scores + OPERATIONS * errors
        found += self.tile_roundings * self._reach(c - self.top)
        return float(EPS * found)

    @cached_property
    def above(self) -> float:
        """By how much l* may be above the likelihood at the maximum that was found."""
        pulls = self.read(self.top[:, np.newaxis]).pulls[:, 0]
        gain = float(pulls @ scipy.linalg.cho_solve(self.factor, pulls))
        bend = self.bend(self.top)
        lean = np.sqrt(max(0.0, gain)) + self.doubt
        return lean * lean / (2.0 * bend) if lean <= bend * REACH / 8.0 else np.inf

    def bracket(  # noqa: PLR0917  # one end
        self,
        j: int,
        side: int,
        c: Floats,
        value: float,
        pulls: Floats,
        q: float,
        margin: float,
        times: float,
    ) -> tuple[float, float] | None:
        """Return values of coefficient j inside and outside beside an end; None if not shown."""
        f = self.back[j]
        solved = scipy.linalg.cho_solve(self.factor, np.column_stack((pulls, f)))
        newton, u = solved.T
        s = float(f @ u)
        slope = float(f @ newton) / s
        towards = newton - slope * u
        bend = self.bend(c)
        lean = np.sqrt(max(0.0, float(towards @ pulls))) + self.doubt
        short, rounding = 0.5 * q + value, times * self.rounding(c)  # value is minus the fall
        steep = -slope * side * (1.0 - SPARE) - self.doubt / np.sqrt(s)
        if not (steep > 0.0 and lean <= bend * REACH / 8.0 and rounding + self.above <= short):
            return None
        rest = short + rounding + lean * lean / (2.0 * bend)
        away = (1.0 + SPARE) * rest / steep
        if not (2.0 * rest <= margin and away / np.sqrt(s) <= bend * REACH / 8.0):
            return None
        f, w = self.of_line[j], self.place.line(c)
        at, parts = float(f @ w), EPS * (w.size + OPERATIONS) * float(np.abs(f) @ np.abs(w))
        return float(at - side * parts), float(at + side * (away + parts))

    @cached_property
    def back(self) -> Floats:
        """What makes weights of coordinates: (1+d, k)."""
        return self.place.back

    @cached_property
    def of_line(self) -> Floats:
        """What makes weights of lines in the coordinates of the scaling: (1+d, 1+d)."""
        return self.place.plain.back

    # ------------------------------------------------------------------ the search

    def found(self, wanted: Sequence[int], q: float) -> tuple[list[EndInBlocks], dict[int, float]]:
        """Return ends and likelihood-ratio statistics of some coefficients, of those found."""
        F = self.back[list(wanted)].T
        search = Together(self.top, 0.0, self.hessian, F, wanted, self.few, self.share)
        roundings = np.array([
            self.rounding(self.top + side * np.sqrt(q / s) * u)
            for s, u in zip(search.s, search.U.T, strict=True) for side in SIDES
        ])  # fmt: skip
        margin = np.maximum(LEAST_MARGIN * q, MARGIN * (roundings + self.above))
        for j, of_both in zip(wanted, margin.reshape(-1, len(SIDES)), strict=True):
            self.margins[j] = of_both
        lines: dict[tuple[int, int], Floats] = {}

        def accept(  # noqa: PLR0917  # one end
            j: int, side: int, c: Floats, value: float, pulls: Floats, margin: float
        ) -> tuple[float, float] | None:
            if self.margins[j].max() > WIDEST * q:
                return np.nan, np.nan
            most = min(2.0 * margin, WIDEST * q)
            found = self.bracket(j, side, c, value, pulls, q, most, FOUND)
            if found is not None:
                lines[j, side] = c.copy()
            return found

        asked = search.statistics(float(roundings.min()))
        ends, statistics = self._both(search.ends(q, margin, accept), asked)
        made = [
            EndInBlocks(j, way, c, *ends[j, way])
            for (j, way), c in sorted(lines.items(), key=itemgetter(0))
        ]
        return made, statistics

    def _both(self, *searches: Search) -> list:  # type: ignore[type-arg]  # two kinds of results
        """Return what searches find that share each read."""
        found: list = [None] * len(searches)  # type: ignore[type-arg]
        said: dict[int, LinesRead | None] = dict.fromkeys(range(len(searches)))
        while True:
            asked: dict[int, Floats] = {}
            for i, read in said.items():
                try:
                    asked[i] = searches[i].send(read)  # type: ignore[arg-type]  # None begins
                except StopIteration as ended:
                    found[i] = ended.value
            if not asked:
                return found
            of_all, start = self.read(np.column_stack(list(asked.values()))), 0
            said = {}
            for i, C in asked.items():
                own = slice(start, start + C.shape[1])
                said[i] = LinesRead(of_all.value[own], of_all.pulls[:, own])
                start = own.stop

    def read(self, C: Floats) -> LinesRead:
        """Return what all rows say of lines C (k, T), values less that of the maximum."""
        lines = np.column_stack([self.place.line(c) for c in (*C.T, self.top)])
        total = self.table.sum(_lines, self.place.plain, lines)
        pulls, basis = total[:-1, :-1], self.place.basis
        if basis is not None:
            pulls = np.vstack((np.zeros(pulls.shape[1]), basis.T @ pulls))
        return LinesRead(total[-1, :-1], pulls)


def _lines(block: Block, place: Place, C: Floats) -> Floats:
    """Return gradients of lines, and below them log-likelihoods less that of the last line."""
    of = block.sample

    def part(tile: slice) -> Floats:
        rows = RowsInColumns(place.columns(of.X[tile]), of.y[tile], of.weight[tile])
        total = np.zeros((C.shape[0] + 1, C.shape[1]))
        for some, signed, error in rows.parts(C, slice(0, rows.y.size)):
            total[:-1] += rows.M[some].T @ signed
            total[-1] -= rows.weight[some] @ (error - error[:, -1:])
        return total

    with one_blas_thread(), np.errstate(all="ignore"):
        return stack_of_tiles(block.n, part)


def _sizes(
    block: Block, place: Place, half: Floats, every: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return sums over each tile (tiles, 1+d + 1 + stretches), and every so-many-th row.

    The sums are of weight |z|, of weight, and of the curvature by H of the rows z with more than
    each of `STRETCHES`.
    """
    plain, of, w = place.plain, block.sample, place.line(place.c)

    def part(tile: slice) -> Floats:
        rows, weight = plain.columns(of.X[tile]), of.weight[tile]
        z = rows if place.basis is None else place.columns(of.X[tile])
        squares = ((z @ half.T) ** 2).sum(axis=1)
        chance = expit(rows @ w)
        curvature = weight * chance * (1.0 - chance) * squares
        lost = [curvature[squares > p].sum() for p in STRETCHES]
        return np.concatenate((weight @ np.abs(rows), [weight.sum()], lost))

    with one_blas_thread(), np.errstate(all="ignore"):
        picked = slice(-block.start % every, None, every)
        some = place.columns(of.X[picked])
        return stack_of_tiles(block.n, part), some, of.y[picked].copy(), of.weight[picked].copy()
